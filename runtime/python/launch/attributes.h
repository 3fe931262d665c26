/* DLPack's C exchange interface for CuPy's arrays, which have none of their own: what they say of
 * themselves in attributes.
 */
#ifndef TILEWISE_PYTHON_LAUNCH_ATTRIBUTES_H
#define TILEWISE_PYTHON_LAUNCH_ATTRIBUTES_H

#include <Python.h>

/* attributes_exchange(types, stream): a capsule as an Exchange is made of. `types` is a dictionary
 * of dtypes and what DLPack calls them, a code and bits; `stream` a capsule with what tells a
 * device's current stream, ATTRIBUTES_STREAM. There is one such interface at a time. */
PyObject *attributes_exchange(PyObject *module, PyObject *arguments);

/* As Cython names a function in C by what it takes and gives. */
#define ATTRIBUTES_STREAM "intptr_t (int)"

#endif

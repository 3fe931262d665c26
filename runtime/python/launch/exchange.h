/* tilewise._launch.Exchange: the arrays of a package that has DLPack's C exchange interface. */
#ifndef TILEWISE_PYTHON_LAUNCH_EXCHANGE_H
#define TILEWISE_PYTHON_LAUNCH_EXCHANGE_H

#include <Python.h>

/* The type, made once. A new reference, or NULL with an exception. `call`, Call's type, is borrowed
 * for good. */
PyObject *exchange_type(PyObject *call);

#endif

/* tilewise._launch.Exchange: the arrays of a package that has DLPack's C exchange interface. */
#ifndef TILEWISE_PYTHON_LAUNCH_EXCHANGE_H
#define TILEWISE_PYTHON_LAUNCH_EXCHANGE_H

#include <Python.h>
#include <stdbool.h>

#include "runtime/python/launch/call.h"
#include "runtime/python/launch/keys.h"

/* The type, made once. A new reference, or NULL with an exception. `call`, Call's type, is borrowed
 * for good. */
PyObject *exchange_type(PyObject *call);

/* Does a product that the dictionary `calls` knows, of arrays in `call.h`'s order and with alpha,
 * beta, dtype, activation, compute and bias_along, and gives its result. `traced`: somebody sees to
 * gradients. NULL without an exception: Python has to look. */
PyObject *exchange_gemm(PyObject *exchange, PyObject *calls, bool traced, PyObject *stream,
                        PyObject *const arrays[CALL_ARRAYS], PyObject *const options[KEYS_OPTIONS]);

#endif

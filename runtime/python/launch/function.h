/* `gemm` of Python without a frame of Python's: a call that is known takes half as long. */
#ifndef TILEWISE_PYTHON_LAUNCH_FUNCTION_H
#define TILEWISE_PYTHON_LAUNCH_FUNCTION_H

#include <Python.h>

/* hasten(function, calls, exchanges, below): has the function, which takes what `gemm` does, try
 * `exchange_gemm` before its body, with the exchange that the dictionary has for the class of its
 * first argument. `below` is what stands for a library where somebody has seen to gradients. What
 * the function is for those who look at it, as tracers do, stays. False: this Python has no way to
 * (before 3.12), and it stays as it is. */
PyObject *function_hasten(PyObject *module, PyObject *arguments);

#endif

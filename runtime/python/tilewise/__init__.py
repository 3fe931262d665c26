"""Tilewise: the best known GPU kernel for the shape and the device at hand.

``tilewise.gemm(a, b)`` multiplies matrices of NumPy, PyTorch and CuPy by the kernel that was found to be the fastest
for their shape, their type and the device that they are on; `tune` finds it.

>>> import numpy, tilewise
>>> a = numpy.ones((64, 32), "f")
>>> tilewise.gemm(a, a.T).shape
(64, 64)

On CUDA, calls queue their work on the current stream of PyTorch or CuPy, and take part in CUDA graphs provided that
the shape was met before the capture. The host's memory is worked on through OpenCL, where it lies.
"""

from typing import Any

from tilewise import _arrays
from tilewise._conv2d import conv2d
from tilewise._errors import Error, InvalidError, NoMemoryError, NotFoundError, UnavailableError
from tilewise._gemm import gemm
from tilewise._grouped import gemm_grouped
from tilewise._kernels import Argument, arguments, launch
from tilewise._library import Explanation, Library, Plan, Problem, default_library, reload, set_default
from tilewise._moves import aat, copy, transpose
from tilewise._native import library as _native_library
from tilewise._tune import Table, devices, results, trials, tune, tune_program


def _operators() -> Any:
    from tilewise import torch

    return torch


_arrays.operators = _operators

#: The version of libtilewise that is in use.
__version__: str = _native_library.tw_version().decode()

__all__ = [
    "Argument",
    "Error",
    "Explanation",
    "InvalidError",
    "Library",
    "NoMemoryError",
    "NotFoundError",
    "Plan",
    "Problem",
    "Table",
    "UnavailableError",
    "aat",
    "arguments",
    "conv2d",
    "copy",
    "default_library",
    "devices",
    "gemm",
    "gemm_grouped",
    "launch",
    "reload",
    "results",
    "set_default",
    "transpose",
    "trials",
    "tune",
    "tune_program",
]

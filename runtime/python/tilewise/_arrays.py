"""Arrays of other packages as the library sees them: where they are, of what type, and how they lie.

Nothing is ever copied. An array is of the host's memory (NumPy, PyTorch on the CPU), which OpenCL works in, or of a
CUDA device (PyTorch, CuPy, anything with the CUDA array interface or DLPack).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tilewise._native import Exchange
from tilewise._views import BYTES, HOST, Family, View, dense, elements, numpy_type, type_name, word_of

class NumpyFamily(Family):
    """NumPy's arrays, in the host's memory. Types that it lacks are those of ml_dtypes."""

    def signature(self, array: Any) -> tuple[Any, ...]:
        return (array.shape, array.strides, array.dtype, array.flags.writeable)

    def view(self, array: Any, name: str) -> View:
        if not array.dtype.isnative:
            raise TypeError(f"{name} is of {array.dtype}, in another machine's order of bytes")
        word = word_of(array.dtype.name, name)
        return View(array.shape, elements(array.strides, BYTES[word], name), word, HOST, array.flags.writeable)

    def pointer(self, array: Any) -> int:
        return int(array.__array_interface__["data"][0])

    def empty(self, like: Any, shape: tuple[int, ...], type: str) -> Any:
        import numpy

        return numpy.empty(shape, numpy_type(type))

    def reinterpret(self, array: Any, type: str) -> Any:
        return array.view(numpy_type(type))


class CudaInterfaceFamily(Family):
    """Anything on a CUDA device that says by the CUDA array interface where it is; results need ``out``."""

    own_streams = True

    def signature(self, array: Any) -> tuple[Any, ...]:
        interface = array.__cuda_array_interface__
        return (interface["shape"], interface.get("strides"), interface["typestr"], interface["data"][1])

    def view(self, array: Any, name: str) -> View:
        import numpy

        interface = array.__cuda_array_interface__
        if interface.get("mask") is not None:
            raise TypeError(f"{name} has a mask, which no kernel takes")
        word = word_of(numpy.dtype(interface["typestr"]).name, name)
        shape, strides = tuple(interface["shape"]), interface.get("strides")
        if strides is None:
            steps = dense(shape)
        else:
            steps = elements(strides, BYTES[word], name)
        return View(shape, steps, word, "cuda", not interface["data"][1])

    def pointer(self, array: Any) -> int:
        return int(array.__cuda_array_interface__["data"][0])

    def own_stream(self, array: Any) -> int:
        return int(array.__cuda_array_interface__.get("stream") or 0)


#: By exact type, so that it is found in one look.
_families: dict[type, Family] = {}
#: Of those, what looks at arrays without Python.
exchanges: dict[type, Exchange] = {}
_NUMPY, _CUDA = NumpyFamily(), CudaInterfaceFamily()
#: Gives `tilewise.torch`, which stands on all else here and is loaded by the first call that needs it; the package
#: says how.
operators: Callable[[], Any]


def _find_family(array: Any, name: str) -> Family:
    packages = {base.__module__.partition(".")[0] for base in type(array).__mro__}
    if "torch" in packages:
        from tilewise._torch_arrays import torch_family

        return torch_family(type(array))
    if "numpy" in packages and "numpy" in sys.modules and isinstance(array, sys.modules["numpy"].ndarray):
        return _NUMPY
    if "cupy" in packages:
        from tilewise._cupy_arrays import CUPY

        return CUPY
    if hasattr(array, "__cuda_array_interface__"):
        return _CUDA
    if hasattr(array, "__dlpack__"):
        from tilewise._dlpack import DLPACK

        return DLPACK
    raise TypeError(
        f"{name} is a {type_name(array)}; it must be an array of NumPy, CuPy or PyTorch, or have the CUDA array "
        "interface or DLPack"
    )


def remember_family(kind: type, family: Family) -> None:
    """Arrays of exactly this class are of this family."""
    _families[kind] = family
    if family.exchange is not None:
        exchanges[kind] = family.exchange


def family_of(array: Any, name: str) -> Family:
    """The family of an array; `name` is for messages."""
    family = _families.get(type(array))
    if family is None:
        family = _find_family(array, name)
        remember_family(type(array), family)
    return family

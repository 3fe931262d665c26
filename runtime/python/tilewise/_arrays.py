"""Arrays of other packages as the library sees them: where they are, of what type, and how they lie.

Nothing is ever copied. An array is of the host's memory (NumPy, PyTorch on the CPU), which OpenCL works in, or of a
CUDA device (PyTorch, CuPy, anything with the CUDA array interface or DLPack).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from tilewise._errors import invalid
from tilewise._native import Exchange

#: The name of a type in NumPy, ml_dtypes and PyTorch, and the word for it here.
WORDS = {
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "int8": "i8",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
}
NAMES = {word: name for name, word in WORDS.items()}
BYTES = {"f32": 4, "f64": 8, "f16": 2, "bf16": 2, "e4m3": 1, "e5m2": 1, "i8": 1, "i32": 4, "i64": 8,
         "u8": 1, "u16": 2, "u32": 4, "u64": 8}  # fmt: skip
HOST = "host"


class View(NamedTuple):
    """An array but for its address: all that a plan depends on."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In elements."""
    type: str
    """A word of tilewise, as in ``"f32"``."""
    device: str
    """``"host"``, ``"cuda:0"`` and so on, or ``"cuda"`` where the array does not say which."""
    writable: bool = True

    @property
    def extent(self) -> int:
        """Bytes from the first element to the end of the last."""
        if 0 in self.shape:
            return 0
        last = sum((size - 1) * stride for size, stride in zip(self.shape, self.strides))
        return (last + 1) * BYTES[self.type]


class Family:
    """Arrays of one package; the methods of this class say what they are for."""

    traces = False
    """Whether there may be more to do with an array than to compute: gradients, tracing."""
    own_streams = False
    """Whether an array may ask for a stream."""
    exchange: Exchange | None = None
    """What looks at arrays without Python, where a package has that."""

    def signature(self, array: Any) -> tuple[Any, ...]:
        """What a view depends on, cheaply, to look calls up by."""
        raise NotImplementedError

    def together(self, a: Any, b: Any, c: Any, d: Any) -> tuple[Any, ...]:
        """The signatures of several arrays, of which the last two may be None."""
        of = self.signature
        return (of(a), of(b), None if c is None else of(c), None if d is None else of(d))

    def view(self, array: Any, name: str) -> View:
        """The array as it lies; `name` is for messages."""
        raise NotImplementedError

    def pointer(self, array: Any) -> int:
        """The address of the first element."""
        raise NotImplementedError

    def stream(self, view: View) -> Callable[[], int]:
        """What tells the current stream of a view's device."""
        return _no_stream

    def own_stream(self, array: Any) -> int:
        """The stream that an array itself asks for; 0: none."""
        return 0

    def empty(self, like: Any, shape: tuple[int, ...], type: str) -> Any:
        """A new array where `like` is."""
        raise TypeError(f"a new array like a {type_name(like)} cannot be made; give out=")

    def keywords(self, like: Any, type: str) -> dict[str, Any]:
        """What ``like.new_empty`` has to be told for a type; of packages with an exchange."""
        return {}

    def permute(self, array: Any, axes: tuple[int, ...]) -> Any:
        """The same memory with its dimensions in another order."""
        return array.transpose(axes)

    def reinterpret(self, array: Any, type: str) -> Any:
        """The same memory as elements of another type of their size."""
        raise TypeError(f"a {type_name(array)} cannot be taken for another type; view it as {NAMES[type]}")

    def is_compiling(self) -> bool:
        """Whether a tracer watches."""
        return False

    def is_grad_enabled(self) -> bool:
        """Whether gradients are wanted at the moment."""
        return False

    def wants_gradients(self, array: Any) -> bool:
        """Whether gradients may be asked for; a part of its signature."""
        return False


def _no_stream() -> int:
    return 0


def word_of(name: str, what: str) -> str:
    """The word for a type by its name elsewhere."""
    word = WORDS.get(name)
    if word is None:
        raise TypeError(f"{what} is of {name}, which no kernel takes; there are {', '.join(WORDS)}")
    return word


def type_word(dtype: Any) -> str:
    """The word for a type given as a word, a dtype of NumPy, ml_dtypes or PyTorch, or a name."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None) or str(dtype).removeprefix("torch.")
    if name in NAMES:
        return str(name)
    if name not in WORDS and isinstance(dtype, type):
        name = getattr(dtype, "__name__", str(name))
    return word_of(str(name), "dtype")


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


def numpy_type(word: str) -> Any:
    """NumPy's dtype for a word, with ml_dtypes where NumPy has none."""
    import numpy

    if word not in ("bf16", "e4m3", "e5m2"):
        return numpy.dtype(NAMES[word])
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(f"NumPy has no {NAMES[word]}; pip install ml_dtypes") from None
    return numpy.dtype(getattr(ml_dtypes, NAMES[word]))


class CupyFamily(Family):
    """CuPy's arrays, on a CUDA device."""

    def signature(self, array: Any) -> tuple[Any, ...]:
        return (array.shape, array.strides, array.dtype, array.data.device_id)

    def view(self, array: Any, name: str) -> View:
        word = word_of(array.dtype.name, name)
        return View(array.shape, elements(array.strides, BYTES[word], name), word, f"cuda:{array.data.device_id}")

    def pointer(self, array: Any) -> int:
        return int(array.data.ptr)

    def stream(self, view: View) -> Callable[[], int]:
        import cupy

        current, device = cupy.cuda.get_current_stream, int(view.device.partition(":")[2])
        return lambda: int(current(device).ptr)

    def empty(self, like: Any, shape: tuple[int, ...], type: str) -> Any:
        import cupy

        with cupy.cuda.Device(like.data.device_id):
            return cupy.empty(shape, numpy_type(type))

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


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of an array without gaps."""
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def elements(strides: tuple[int, ...], size: int, name: str) -> tuple[int, ...]:
    """Strides in bytes as strides in elements."""
    if any(stride % size for stride in strides):
        raise invalid(f"{name} has strides of {strides} bytes, which are no multiples of its elements' {size}")
    return tuple(stride // size for stride in strides)


def type_name(array: Any) -> str:
    """What an array is, for messages."""
    return f"{type(array).__module__}.{type(array).__qualname__}"


#: By exact type, so that it is found in one look.
_families: dict[type, Family] = {}
_NUMPY, _CUPY, _CUDA = NumpyFamily(), CupyFamily(), CudaInterfaceFamily()


def _find_family(array: Any, name: str) -> Family:
    packages = {base.__module__.partition(".")[0] for base in type(array).__mro__}
    if "torch" in packages:
        from tilewise._torch_arrays import torch_family

        return torch_family(type(array))
    if "numpy" in packages and "numpy" in sys.modules and isinstance(array, sys.modules["numpy"].ndarray):
        return _NUMPY
    if "cupy" in packages:
        return _CUPY
    if hasattr(array, "__cuda_array_interface__"):
        return _CUDA
    if hasattr(array, "__dlpack__"):
        from tilewise._dlpack import DLPACK

        return DLPACK
    raise TypeError(
        f"{name} is a {type_name(array)}; it must be an array of NumPy, CuPy or PyTorch, or have the CUDA array "
        "interface or DLPack"
    )


def family_of(array: Any, name: str) -> Family:
    """The family of an array; `name` is for messages."""
    family = _families.get(type(array))
    if family is None:
        family = _families[type(array)] = _find_family(array, name)
    return family

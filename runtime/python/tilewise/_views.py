"""How arrays lie, and what a package's arrays are asked.

A family is how the arrays of one package answer; `_arrays` finds the family of an array.
"""

from __future__ import annotations

import math
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

    def number(self, type: str) -> int:
        """What the exchange's maker calls a type; -1: it has no maker, or none for that."""
        return -1

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
    if name not in WORDS:
        raise TypeError(f"dtype is {dtype!r}; it must be one of {', '.join(NAMES)}, or {', '.join(WORDS)}")
    return WORDS[name]


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
    kind = type(array)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"

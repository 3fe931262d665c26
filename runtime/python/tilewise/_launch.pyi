"""What is done for every call: runtime/python/launch."""

from collections.abc import Callable
from typing import Any

class Call:
    """A product with everything worked out but for where its arrays are; safe from many threads."""

    def __new__(
        cls,
        function: int,
        library: int,
        descriptor: bytes,
        extents: tuple[int, ...],
        swapped: bool,
        shape: tuple[int, ...],
        keywords: dict[str, Any],
        type: int,
        fail: Callable[[int, bytes], None],
        /,
    ) -> Call:
        """``function`` is the address of ``tw_gemm_ex``, ``extents`` are bytes of a, b, out, bias and c.

        A new result is one of the exchange's maker, which calls its type so, or with -1
        ``a.new_empty(*shape, **keywords)``; ``fail`` raises what the library says.
        """

    def is_apart(self, a: int, b: int, out: int, bias: int, c: int, /) -> bool:
        """Whether the result lies apart from what is read, by addresses; 0: there is none."""

    def launch(self, stream: int, a: int, b: int, out: int, bias: int, c: int, /) -> None:
        """Queues the work."""

class Exchange:
    """Arrays of exactly these types, of a package that has DLPack's C exchange interface."""

    def __new__(
        cls,
        capsule: Any,
        types: tuple[type, ...],
        is_grad_enabled: Callable[[], bool] | None,
        grad_mode: int,
        maker: tuple[int, int, int, int, int, int] | None,
        make: Callable[..., Any] | None = None,
        /,
    ) -> Exchange:
        """``grad_mode`` is the address of what answers as ``is_grad_enabled`` in C, or 0; both without: there are no
        gradients. ``maker`` is how new arrays are made in C: ``struct maker`` of launch/maker.h; where it cannot,
        ``make(shape, **keywords)``, or arrays' own ``new_empty``. LookupError: the interface is of another version."""

    def key(
        self,
        a: Any,
        b: Any,
        out: Any,
        bias: Any,
        c: Any,
        alpha: Any,
        beta: Any,
        dtype: Any,
        activation: str | None,
        compute: str | None,
        bias_along: str,
        /,
    ) -> Any:
        """What `gemm` looks a call up by; None: it never will."""

    def gemm(
        self,
        calls: dict[Any, Any],
        traced: bool,
        stream: int | None,
        a: Any,
        b: Any,
        out: Any,
        bias: Any,
        c: Any,
        alpha: Any,
        beta: Any,
        dtype: Any,
        activation: str | None,
        compute: str | None,
        bias_along: str,
        /,
    ) -> Any:
        """Does a product that ``calls`` knows, and gives its result; None: it is not known, wants gradients that
        nobody has traced yet, or writes where it reads."""

def attributes_exchange(types: dict[Any, tuple[int, int]], stream: Any, /) -> Any:
    """DLPack's C exchange interface for CuPy's arrays, by their attributes, as a capsule.

    ``types`` are dtypes and what DLPack calls them, ``stream`` a capsule of Cython's ``intptr_t (int)`` that tells a
    device's current stream.
    """

def hasten(function: Callable[..., Any], calls: dict[Any, Any], exchanges: dict[type, Exchange], below: Any, /) -> bool:
    """Has ``function``, which takes what ``gemm`` does, do known calls without a frame of Python's. Once.

    ``exchanges`` are those of classes of arrays, ``below`` what stands for a library where gradients are seen to.
    False: this Python has no way to, and nothing is changed.
    """

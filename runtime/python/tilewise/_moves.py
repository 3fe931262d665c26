"""The other built-in kernels: `transpose`, `copy` and `aat`."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, sizeof
from functools import partial
from typing import Any, NamedTuple, TypeVar

from tilewise import _arrays, _native
from tilewise._arrays import _families, family_of
from tilewise._errors import invalid
from tilewise._kernels import launch
from tilewise._library import Library, calls, default_library, remember
from tilewise._matrices import Matrix, matrix, row_major
from tilewise._views import BYTES, HOST, Family, View, _no_stream, dense

Array = TypeVar("Array")
_thread = _native._thread

#: What elements of so many bytes are moved as.
_MOVED = {1: "u8", 2: "u16", 4: "f32", 8: "f64"}
#: What may be promised of the errors of `aat`; None is plain float32.
_PROMISES = ("f32", "f32_split", "bf16x6", "tf32x3", "bf16x3", "tf32")


class _Move(NamedTuple):
    """A call but for where its arrays are."""

    shape: tuple[int, ...]
    type: str
    extents: tuple[int, int]
    run: Callable[[int, int, int], int] | None
    """Queues it, given a stream and two addresses; None: there is nothing to do."""
    on_host: Callable[[Any, Any], None] | None
    """Does it with two arrays of the host's."""
    stream: Callable[[], int]


def _check_out(view: View, shape: tuple[int, ...], type: str) -> None:
    if view.shape != shape or view.type != type:
        raise invalid(f"out is {view.shape} of {view.type}; the result is {shape} of {type}")
    if not view.writable:
        raise invalid("out cannot be written to")


def _one_matrix(view: View, name: str) -> Matrix:
    found = matrix(view, name)
    if found.batch:
        raise invalid(f"{name} has the shape {view.shape}; it must be a matrix")
    return found


def _library_of(source: View, target: View, library: Library | None) -> Library:
    if source.device != target.device:
        raise invalid(f"a is on {source.device} and out on {target.device}; both must be on one device")
    library = library or default_library(source.device)
    library.accept(source.device, "a")
    return library


def _moved(turned: bool, source: View, out: View | None, library: Library | None, compute: str | None) -> _Move:
    """How to transpose, or to copy. What lies column by column is the transpose of what lies row by row."""
    assert compute is None
    a = _one_matrix(source, "a")
    shape = (a.columns, a.rows) if turned else (a.rows, a.columns)
    target = View(shape, dense(shape), source.type, source.device) if out is None else out
    _check_out(target, shape, source.type)
    library = _library_of(source, target, library)
    b = _one_matrix(target, "out")
    kernel = "transpose" if turned ^ a.transposed ^ b.transposed else "copy"
    stored = a.turned if a.transposed else a
    size, handle = BYTES[source.type], library.handle
    word = _MOVED[size]
    function = getattr(_native.library, f"tw_{kernel}")
    rows, columns, lda, ldb = stored.rows, stored.columns, a.stride, b.stride

    def run(queue: int, at: int, bt: int) -> int:
        return function(handle, queue, size, rows, columns, at, lda, bt, ldb, _thread.address)  # type: ignore

    def on_host(given: Any, result: Any) -> None:
        arrays = [given.T if a.transposed else given, result.T if b.transposed else result]
        for i, array in enumerate(arrays):
            if source.type != word:
                arrays[i] = family_of(array, "a").reinterpret(array, word)
        launch(kernel, (rows, columns), {"A": arrays[0], "B": arrays[1]}, library=library, dtype=word)

    nothing, host = 0 in shape, source.device == HOST
    return _Move(shape, source.type, (source.extent, target.extent), None if nothing else run,
                 on_host if host else None, _no_stream)  # fmt: skip


def _squared(source: View, out: View | None, library: Library | None, compute: str | None) -> _Move:
    """How to multiply a matrix by its transpose."""
    if compute is not None and compute not in _PROMISES:
        raise invalid(f"compute is {compute!r}; it is one of {', '.join(_PROMISES)}")
    a = row_major(source, "a")
    if a.batch or source.type != "f32":
        raise invalid(f"a is {source.shape} of {source.type}; aat takes one matrix of f32")
    shape = (a.rows, a.rows)
    target = View(shape, dense(shape), source.type, source.device) if out is None else out
    _check_out(target, shape, source.type)
    library = _library_of(source, target, library)
    # The product is symmetric, so it does not matter which way it lies.
    c = matrix(target, "out")
    handle, function = library.handle, _native.library.tw_aat
    rows, columns, lda, ldc = a.rows, a.columns, a.stride, c.stride

    def run(queue: int, at: int, ct: int) -> int:
        return function(handle, queue, rows, columns, at, lda, ct, ldc, _thread.address)  # type: ignore

    in_full = _native.library.tw_aat_ex
    descriptor = _native.AatDescriptor(
        size=sizeof(_native.AatDescriptor), compute_type=compute.encode() if compute else None, m=rows, k=columns, lda=lda,
        ldc=ldc,
    )  # fmt: skip

    def run_in_full(queue: int, at: int, ct: int) -> int:
        return in_full(handle, queue, byref(descriptor), at, ct, _thread.address)  # type: ignore

    def on_host(given: Any, result: Any) -> None:
        result = result.T if c.transposed else result
        if columns == 0:
            result[...] = 0
        else:
            word = "default" if compute in (None, "f32") else compute
            launch("aat", (rows, columns), {"A": given, "C": result}, library=library, compute=word)

    nothing, host = rows == 0, source.device == HOST
    queue = run if compute is None else run_in_full
    return _Move(shape, source.type, (source.extent, target.extent), None if nothing else queue,
                 on_host if host else None, _no_stream)  # fmt: skip


_WORK: dict[str, Callable[[View, View | None, Library | None, str | None], _Move]] = {
    "transpose": partial(_moved, True),
    "copy": partial(_moved, False),
    "aat": _squared,
}


def run(
    what: str, a: Any, out: Any, stream: int | None, library: Library | None, compute: str | None = None
) -> Any:
    """Does what is asked for to arrays that nobody traces."""
    family: Family = _families.get(type(a)) or family_of(a, "a")
    to = None if out is None else family_of(out, "out")
    key = (what, compute, type(a), family.signature(a), None if to is None else to.signature(out))
    known = calls if library is None else library.calls
    move: _Move | None = known.get(key)
    if move is None:
        move = _WORK[what](family.view(a, "a"), None if to is None else to.view(out, "out"), library, compute)
        move = move._replace(stream=family.stream(family.view(a, "a")))
        remember(known, key, move)
    if to is None:
        out, to = family.empty(a, move.shape, move.type), family
    if move.run is None:
        return out
    at, bt = family.pointer(a), to.pointer(out)
    if at < bt + move.extents[1] and bt < at + move.extents[0]:
        raise invalid(f"{what}: a and out overlap in memory; give it another out")
    if move.on_host is not None:
        move.on_host(a, out)
        return out
    if stream is None:
        stream = move.stream() or family.own_stream(a)
    status = move.run(stream, at, bt)
    if status != 0:
        raise _native.failure(status)
    return out


def _wants_gradients(a: Any, out: Any) -> bool:
    return any(family_of(x, "an array").wants_gradients(x) for x in (a, out) if x is not None)


def _call(
    what: str, a: Any, out: Any, stream: int | None, library: Library | None, compute: str | None = None
) -> Any:
    family: Family = _families.get(type(a)) or family_of(a, "a")
    if family.traces and (family.is_compiling() or (_wants_gradients(a, out) and family.is_grad_enabled())):
        return _arrays.operators().traced_move(what, a, out, stream, library, compute)
    return run(what, a, out, stream, library, compute)


def transpose(
    a: Array, *, out: Array | None = None, stream: int | None = None, library: Library | None = None
) -> Array:
    """The transpose of a matrix, moved in memory.

    Parameters
    ----------
    a : array, shape (M, N)
        Of elements of 1, 2, 4 or 8 bytes, whose rows or columns lie one after the other.
    out : array, shape (N, M), optional
        Of a's type; by default a new one.
    stream, library
        As for `gemm`.

    Returns
    -------
    array, shape (N, M)

    Raises
    ------
    InvalidError, TypeError, Error
        As by `gemm`.
    """
    return _call("transpose", a, out, stream, library)  # type: ignore[no-any-return]


def copy(a: Array, *, out: Array | None = None, stream: int | None = None, library: Library | None = None) -> Array:
    """A copy of a matrix, row by row unless `out` lies otherwise.

    Parameters
    ----------
    a : array, shape (M, N)
        As for `transpose`.
    out : array, shape (M, N), optional
        Of a's type; by default a new one.
    stream, library
        As for `gemm`.

    Returns
    -------
    array, shape (M, N)

    Raises
    ------
    InvalidError, TypeError, Error
        As by `gemm`.
    """
    return _call("copy", a, out, stream, library)  # type: ignore[no-any-return]


def aat(
    a: Array,
    *,
    out: Array | None = None,
    compute: str | None = None,
    stream: int | None = None,
    library: Library | None = None,
) -> Array:
    """``a @ a.T``, all of it, in about half the time of a product.

    Parameters
    ----------
    a : array, shape (M, K)
        Of float32, whose rows lie one after the other.
    out : array, shape (M, M), optional
        By default a new one.
    compute : {"f32", "f32_split", "bf16x6", "tf32x3", "bf16x3", "tf32"}, optional
        What is promised of errors in place of plain float32 sums, as for `gemm`. The result is symmetric to the last
        bit.
    stream, library
        As for `gemm`.

    Returns
    -------
    array, shape (M, M)

    Raises
    ------
    InvalidError, TypeError, Error
        As by `gemm`.
    """
    return _call("aat", a, out, stream, library, compute)  # type: ignore[no-any-return]

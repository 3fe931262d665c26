"""``gemm``: what ``tw_gemm_descriptor`` of ``tilewise.h`` can say, but for scales, from arrays as they lie."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from ctypes import addressof, sizeof
from typing import Any, TypeVar

from tilewise import _arrays, _native
from tilewise._arrays import _families, exchanges, family_of
from tilewise._errors import InvalidError, invalid
from tilewise._library import Library, calls, default_library, remember
from tilewise._matrices import Matrix, matrix
from tilewise._views import BYTES, HOST, View, dense, type_name, type_word

Array = TypeVar("Array")

ACTIVATIONS = ("none", "relu", "gelu", "gelu_tanh", "silu")
ALONG = ("columns", "rows")
#: The type of C where nothing else is said, if it is not that of A and B.
RESULTS = {"e4m3": "bf16", "e5m2": "bf16", "i8": "i32"}
#: These go with each other.
EIGHT_BIT_FLOATS = {"e4m3", "e5m2"}
#: C strings that descriptors point to.
_TEXTS: dict[str, bytes] = {word: word.encode() for word in (*BYTES, "tf32", "tf32x3", "bf16x3", "bf16x6", "f32_split")}
_GEMM_EX = _native.address_of("tw_gemm_ex")


def result_type(a_type: str) -> str:
    """The type of a product where nothing else is said."""
    return RESULTS.get(a_type, a_type)


def result_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of ``a @ b``.

    Raises
    ------
    InvalidError
        They do not go together.
    """
    if len(a) < 2 or len(b) < 2:
        raise invalid(f"gemm multiplies matrices and batches of them; a has the shape {tuple(a)} and b {tuple(b)}")
    if a[-1] != b[-2]:
        raise invalid(f"a has the shape {tuple(a)} and b {tuple(b)}: a has {a[-1]} columns, and b {b[-2]} rows")
    if len(b) > 2 and tuple(a[:-2]) != tuple(b[:-2]):
        raise invalid(f"a has the shape {tuple(a)} and b {tuple(b)}: their leading dimensions must be the same, or b "
                      "be one matrix")  # fmt: skip
    return (*a[:-1], b[-1])


class _Call:
    """All of a call that does not depend on where its arrays are."""

    __slots__ = ("descriptor", "library", "on_host", "swapped", "nothing", "extents", "shape", "type",
                 "differentiable", "stream", "launch")  # fmt: skip

    descriptor: _native.GemmDescriptor
    library: Library
    on_host: bool
    shape: tuple[int, ...]
    type: str
    swapped: bool
    """C lies column by column, so its transpose is what is computed."""
    nothing: bool
    extents: tuple[int, ...]
    """Bytes of a, b, c, bias and e."""
    differentiable: bool
    """Gradients may be asked for."""
    stream: Callable[[], int]
    launch: _native.Call
    """What checks addresses and queues the work."""


def _number(value: Any, name: str) -> float:
    if not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is a {type_name(value)}; it must be a number of the host's")
    return float(value)


def _check_result(view: View, shape: tuple[int, ...], name: str, what: str) -> None:
    if view.shape != shape:
        raise invalid(f"{name} has the shape {view.shape}; {what} is {shape}")


def _bias_length(view: View, shape: tuple[int, ...], along: str) -> None:
    wanted = shape[-1] if along == "columns" else shape[-2]
    if view.shape != (wanted,) or (wanted > 1 and view.strides != (1,)):
        raise invalid(
            f"bias has the shape {view.shape} and strides {view.strides}; along {along} it must be {(wanted,)}, one "
            "number after the other"
        )


def _one_place(views: dict[str, View]) -> str:
    """The device that all arrays are on."""
    device = views["a"].device
    for name, view in views.items():
        if view.device != device and not {view.device, device} <= {"cuda", "cuda:0"}:
            raise invalid(f"a is on {device} and {name} on {view.device}; all arrays must be on one device")
    return device


def _types(views: dict[str, View], type: str) -> None:
    a, b = views["a"].type, views["b"].type
    if a != b and not {a, b} <= EIGHT_BIT_FLOATS:
        raise invalid(f"a is of {a} and b of {b}; they must be of one type, or one of e4m3 and the other of e5m2")
    for name in ("out", "bias", "c"):
        if name in views and views[name].type != type:
            raise invalid(f"{name} is of {views[name].type}, and the result of {type}; they must be the same")


def _flatten(a: Matrix, results: list[Matrix | None], bias_along: str, bias: bool) -> tuple[Matrix, list[Matrix | None]]:
    """One matrix b for a whole batch: the batch's rows are those of one matrix a."""
    if a.batch == 0:
        return a, results
    if bias and bias_along == "rows":
        raise invalid("a bias along rows is the same for all of a batch, and b is one matrix; give b as a batch")
    if not a.is_flat or not all(m is None or m.is_flat for m in results):
        raise invalid("a is a batch and b one matrix, and rows of the batch do not lie at one stride; copy it")
    return a.flat, [m and m.flat for m in results]


def _new(call: _Call, device: str) -> View:
    """The array that is made where none is given."""
    return View(call.shape, dense(call.shape), call.type, device)


def _describe(call: _Call, views: dict[str, View], alpha: float, beta: float, bias_along: str, activation: str,
              compute: str | None) -> None:  # fmt: skip
    """Fills in the call's descriptor."""
    a, b = matrix(views["a"], "a"), matrix(views["b"], "b")
    c = matrix(views["out"] if "out" in views else _new(call, views["a"].device), "out")
    e = matrix(views["c"], "c") if "c" in views else None
    if b.batch == 0:
        a, (first, e) = _flatten(a, [c, e], bias_along, "bias" in views)
        assert first is not None
        c = first
    call.swapped = c.transposed
    along = ALONG.index(bias_along)
    a_type, b_type = views["a"].type, views["b"].type
    if c.transposed:
        a, b, c, e = b.turned, a.turned, c.turned, e and e.turned
        a_type, b_type, along = b_type, a_type, 1 - along
    if e is not None and e.transposed:
        raise invalid("c lies column by column and the result row by row, or the other way around; copy c")
    call.descriptor = _native.GemmDescriptor(
        size=sizeof(_native.GemmDescriptor),
        a_type=_TEXTS[a_type],
        b_type=_TEXTS[b_type],
        c_type=_TEXTS[call.type],
        compute_type=None if compute is None else _TEXTS[compute],
        transposes=a.transposed * 2 + b.transposed,
        m=c.rows,
        n=c.columns,
        k=a.columns,
        lda=a.stride,
        ldb=b.stride,
        ldc=c.stride,
        alpha=alpha,
        beta=beta,
        batch_count=a.batch,
        batch_stride_a=a.batch_stride,
        batch_stride_b=b.batch_stride,
        batch_stride_c=c.batch_stride,
        activation=ACTIVATIONS.index(activation),
        bias_along=along,
        lde=0 if e is None else e.stride,
        batch_stride_e=0 if e is None else e.batch_stride,
    )


def _choices(bias_along: str, activation: str | None, compute: str | None) -> str:
    if bias_along not in ALONG:
        raise invalid(f"bias_along is {bias_along!r}; it is one of {', '.join(ALONG)}")
    if activation is not None and activation not in ACTIVATIONS:
        raise invalid(f"activation is {activation!r}; it is one of {', '.join(ACTIVATIONS)}")
    if compute is not None and compute not in _TEXTS:
        raise invalid(f"compute is {compute!r}; it is a word such as 'tf32' or 'f32_split'")
    return activation or "none"


def _work_out(a: Any, b: Any, out: Any, bias: Any, c: Any, alpha: Any, beta: Any, bias_along: str,
              activation: str | None, compute: str | None, dtype: Any, library: Library | None) -> _Call:  # fmt: skip
    if c is not None and c is out:
        c, beta = None, 1.0 if beta is None else beta
    arrays = {"a": a, "b": b, "out": out, "bias": bias, "c": c}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    families = {name: family_of(array, name) for name, array in arrays.items()}
    views = {name: families[name].view(array, name) for name, array in arrays.items()}
    activation = _choices(bias_along, activation, compute)
    call = _Call()
    call.shape = result_shape(views["a"].shape, views["b"].shape)
    call.type = views["out"].type if "out" in views else type_word(dtype) if dtype is not None else result_type(
        views["a"].type
    )  # fmt: skip
    device = _one_place(views)
    if "out" in views:
        _check_result(views["out"], call.shape, "out", "the product")
        if not views["out"].writable:
            raise invalid("out cannot be written to")
    if "c" in views:
        _check_result(views["c"], call.shape, "c", "the product")
    if "bias" in views:
        _bias_length(views["bias"], call.shape, bias_along)
    if beta is None:
        beta = 1.0 if "c" in views else 0.0
    if _number(beta, "beta") != 0 and "c" not in views and "out" not in views:
        raise invalid(f"beta is {beta}, and there is neither c nor out that it could multiply")
    _types(views, call.type)
    _describe(call, views, _number(alpha, "alpha"), _number(beta, "beta"), bias_along, activation, compute)
    call.nothing = 0 in call.shape
    call.on_host = device == HOST
    call.library = default_library(device) if library is None or library is BELOW else library
    call.library.accept(device, "a")
    handle = call.library.handle
    views.setdefault("out", _new(call, device))
    call.extents = tuple(views[name].extent if name in views else 0 for name in ("a", "b", "out", "bias", "c"))
    call.differentiable = any(families[name].wants_gradients(array) for name, array in arrays.items())
    call.stream = families["a"].stream(views["a"])
    call.launch = _native.Call(_GEMM_EX, handle, bytes(call.descriptor), call.extents, call.swapped, call.shape,
                               families["a"].keywords(a, call.type), families["a"].number(call.type), _native.fail)  # fmt: skip
    return call


def _overlap(call: _Call, pointers: list[int]) -> InvalidError:
    """Elements are written while others are still read, so out must lie apart."""
    result, end = pointers[2], pointers[2] + call.extents[2]
    for name, address, size in zip(("a", "b", "out", "bias", "c"), pointers, call.extents):
        if name != "out" and size and address < end and result < address + size:
            break
    return invalid(f"out and {name} overlap in memory; give it another out")


def _run_on_host(call: _Call, pointers: list[int]) -> None:
    sizes = call.extents
    regions = [(address, size, i == 2) for i, (address, size) in enumerate(zip(pointers, sizes)) if size]
    alignment = 16
    for address, _, _ in regions:
        if address == 0:
            raise invalid("an array has no memory of its own, as PyTorch's of the device meta")
        if address & 15:
            alignment = min(alignment, address & -address)

    def launch(queue: int, buffers: list[int]) -> None:
        taken = iter(buffers)
        a, b, c, bias, e = (next(taken) if size else 0 for size in sizes)
        if call.swapped:
            a, b = b, a
        descriptor = _native.GemmDescriptor.from_buffer_copy(call.descriptor)
        descriptor.bias, descriptor.e, descriptor.alignment = bias, e, alignment
        _native.check(
            _native.library.tw_gemm_ex(
                call.library.handle, queue, addressof(descriptor), a, b, c, _native.error_address()
            )
        )

    call.library.memory.run(regions, launch)


def _execute(call: _Call, a: int, b: int, c: int, bias: int, e: int, given: bool, stream: int | None) -> None:
    """Does what was worked out with arrays at these addresses; `given`: the result was not made for it."""
    if given and not call.launch.is_apart(a, b, c, bias, e):
        raise _overlap(call, [a, b, c, bias, e])
    if call.on_host:
        _run_on_host(call, [a, b, c, bias, e])
    else:
        call.launch.launch(call.stream() if stream is None else stream, a, b, c, bias, e)


def _traced(*arguments: Any) -> Any:
    """What PyTorch's dispatcher has to see."""
    return _arrays.operators().traced_gemm(*arguments)


def _mixed(a: Any, b: Any, out: Any, bias: Any, c: Any, alpha: Any, beta: Any, bias_along: str,
           activation: str | None, compute: str | None, dtype: Any, stream: int | None,
           library: Library | None) -> Any:  # fmt: skip
    """Arrays of several packages, or of classes that were not met before."""
    arrays = {"a": a, "b": b, "out": out, "bias": bias, "c": c}
    families = {name: family_of(array, name) for name, array in arrays.items() if array is not None}
    wants_gradients = any(families[name].wants_gradients(arrays[name]) for name in families)
    if library is not BELOW and any(
        family.traces and (family.is_compiling() or (wants_gradients and family.is_grad_enabled()))
        for family in families.values()
    ):
        return _traced(a, b, out, bias, c, alpha, beta, bias_along, activation, compute, dtype, stream, library)
    call = _work_out(a, b, out, bias, c, alpha, beta, bias_along, activation, compute, dtype, library)
    result = families["a"].empty(a, call.shape, call.type) if out is None else out
    if call.nothing:
        return result
    families["out"] = family_of(result, "out")
    pointers = {name: family.pointer(result if name == "out" else arrays[name]) for name, family in families.items()}
    if c is out:
        pointers.pop("c", None)
    if stream is None:
        stream = families["a"].own_stream(a) or None
    _execute(call, pointers["a"], pointers["b"], pointers["out"], pointers.get("bias", 0), pointers.get("c", 0),
             out is not None, stream)  # fmt: skip
    return result


class _Below:
    """In place of a library: those by default, for arrays that have passed their tracers already."""

    calls = calls


BELOW: Any = _Below()


def gemm(
    a: Array,
    b: Array,
    *,
    out: Array | None = None,
    bias: Array | None = None,
    c: Array | None = None,
    alpha: float = 1.0,
    beta: float | None = None,
    bias_along: str = "columns",
    activation: str | None = None,
    compute: str | None = None,
    dtype: Any = None,
    stream: int | None = None,
    library: Library | None = None,
) -> Array:
    """``activation(alpha * a @ b + beta * c + bias)``, by the fastest kernel known for the shape and the device.

    On CUDA the work is queued on the current stream of PyTorch or CuPy and the call returns; in the host's memory
    the result is there when it returns. Nothing is copied: transposes are taken from strides, so that
    ``gemm(a, b.T)`` costs no more than ``gemm(a, b)``. The first call of a shape chooses and compiles a kernel.

    Parameters
    ----------
    a : array, shape (..., M, K)
        Of NumPy, PyTorch or CuPy, or anything with DLPack or the CUDA array interface. Of float32, float64,
        float16, bfloat16, float8_e4m3fn, float8_e5m2 or int8 (the small ones in NumPy by ml_dtypes). Along rows or
        along columns elements lie one after the other.
    b : array, shape (K, N) or (..., K, N)
        Of a's type; one of float8_e4m3fn and float8_e5m2 goes with the other.
    out : array, shape (..., M, N), optional
        Where the result goes; it must not overlap with a, b or bias. By default a new array.
    bias : array, shape (N,) or (M,), optional
        A number for each column of the result, or each row (`bias_along`); of the result's type.
    c : array, shape (..., M, N), optional
        What beta multiplies, of the result's type; by default what out held. It may be out itself.
    alpha, beta : float
        beta is 1 where c is given, else 0. With 0 neither c nor out is read.
    bias_along : {"columns", "rows"}
    activation : {"none", "relu", "gelu", "gelu_tanh", "silu"}, optional
        Applied last.
    compute : str, optional
        For float32, what is promised of errors in place of plain float32 sums, which is what nothing asks for:
        ``"f32_split"``: errors no larger than theirs, on tensor cores where that is faster; ``"bf16x6"``, ``"tf32x3"``
        and ``"bf16x3"``: larger ones, within bounds that are in tilewise(3); ``"tf32"``: operands may be rounded to 10
        bits of fraction, as tensor cores take them.
    dtype : optional
        The result's type where out is not given: float32 for 16-bit operands, float16 or float32 for 8-bit ones. By
        default a's; bfloat16 for 8-bit floats, int32 for int8.
    stream : int, optional
        A CUDA stream to use in place of the current one: its address, ``stream.cuda_stream`` in PyTorch and
        ``stream.ptr`` in CuPy.
    library : Library, optional
        By default the one of the arrays' device; see `default_library`.

    Returns
    -------
    array, shape (..., M, N)
        `out`, or a new array of a's kind.

    Raises
    ------
    InvalidError
        Shapes, strides or words do not go together.
    TypeError
        Something is no array, or of a type that no kernel takes.
    Error
        No kernel serves it, there is no such device, a kernel does not compile, and so on.

    Notes
    -----
    Operands with scales are multiplied by ``launch("gemm", (M, N, K), {"A": a, "B": b, "C": out, "a_scales": s,
    "b_scales": t}, dtype="e4m3", scales="rows")``, or ``"tensor"`` or ``"blocks"``.

    Gradients and `torch.compile` are served as by `tilewise.torch.gemm`, to which calls go that need them; not
    with out or library.

    Examples
    --------
    >>> import numpy, tilewise
    >>> a, b = numpy.ones((4, 3), "f"), numpy.ones((5, 3), "f")
    >>> tilewise.gemm(a, b.T).shape
    (4, 5)
    """
    kind = type(a)
    family = _families.get(kind) or family_of(a, "a")
    if family.traces and library is not BELOW and family.is_compiling():
        return _traced(a, b, out, bias, c, alpha, beta, bias_along, activation, compute, dtype, stream, library)  # type: ignore[no-any-return]
    known = calls if library is None else library.calls
    exchange = family.exchange
    if exchange is not None:
        done = exchange.gemm(known, library is BELOW, stream, a, b, out, bias, c, alpha, beta, dtype, activation,
                             compute, bias_along)  # fmt: skip
        if done is not None:
            return done  # type: ignore[no-any-return]
    # Nearly always all are of one class.
    if (
        (type(b) is not kind and _families.get(type(b)) is not family)
        or (out is not None and type(out) is not kind and _families.get(type(out)) is not family)
        or (bias is not None and type(bias) is not kind and _families.get(type(bias)) is not family)
        or (c is not None and type(c) is not kind and _families.get(type(c)) is not family)
    ):
        return _mixed(a, b, out, bias, c, alpha, beta, bias_along, activation, compute, dtype, stream, library)  # type: ignore[no-any-return]
    key = (
        family.together(a, b, out, bias), alpha, beta, dtype, activation, compute, bias_along,
        None if c is None else (family.signature(c), c is out),
    )  # fmt: skip
    call: _Call | None = known.get(key)
    if call is None:
        call = _work_out(a, b, out, bias, c, alpha, beta, bias_along, activation, compute, dtype, library)
        remember(known, key, call)
    if call.differentiable and library is not BELOW and family.is_grad_enabled():
        return _traced(a, b, out, bias, c, alpha, beta, bias_along, activation, compute, dtype, stream, library)  # type: ignore[no-any-return]
    result: Any = family.empty(a, call.shape, call.type) if out is None else out
    if call.nothing:
        return result  # type: ignore[no-any-return]
    pointer = family.pointer
    at, bt, ct = pointer(a), pointer(b), pointer(result)
    biases = 0 if bias is None else pointer(bias)
    e = 0 if c is None or c is out else pointer(c)
    if family.own_streams and stream is None:
        stream = family.own_stream(a)
    _execute(call, at, bt, ct, biases, e, out is not None, stream)
    if exchange is not None and not call.on_host:
        # From now on it is done without all this.
        found = exchange.key(a, b, out, bias, c, alpha, beta, dtype, activation, compute, bias_along)
        if found is not None:
            remember(known, found, call.launch)
    return result  # type: ignore[no-any-return]


_native.hasten(gemm, calls, exchanges, BELOW)

"""``gemm_grouped``: rows in groups, each times a matrix of its own, as a mixture of experts has them."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from tilewise import _arrays
from tilewise._arrays import _families, family_of
from tilewise._errors import invalid
from tilewise._gemm import BELOW, _choices, result_type
from tilewise._kernels import Prepared, alignment_of, one_device, prepare, start
from tilewise._library import Library, Problem, calls, remember
from tilewise._matrices import matrix, row_major
from tilewise._views import View, dense, type_word

Array = TypeVar("Array")

_SAID = {"A": "a", "B": "b", "C": "out", "biases": "bias"}


class _Call(NamedTuple):
    """A call but for where its arrays are."""

    shape: tuple[int, ...]
    type: str
    ready: Prepared | None
    """None: there is nothing to do."""
    differentiable: bool


def result_shape(a: tuple[int, ...], b: tuple[int, ...], ends: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a product in groups.

    Raises
    ------
    InvalidError
        They do not go together.
    """
    if len(a) != 2 or len(b) != 3 or len(ends) != 1 or a[1] != b[1] or ends[0] != b[0]:
        raise invalid(f"a has the shape {tuple(a)}, b {tuple(b)} and ends {tuple(ends)}; they must be (M, K), "
                      "(groups, K, N) and (groups,)")  # fmt: skip
    if b[0] < 1:
        raise invalid("gemm_grouped needs at least one group")
    return (a[0], b[2])


def _check(views: dict[str, View], shape: tuple[int, ...], type: str) -> None:
    groups = views["ends"].shape
    if views["ends"].type != "i32" or (groups != (1,) and views["ends"].strides != (1,)):
        raise invalid(f"ends is of {views['ends'].type} with strides {views['ends'].strides}; it must be of i32, one "
                      "number after the other")  # fmt: skip
    for name, wanted in (("C", shape), ("biases", (*groups, shape[1]))):
        if name in views and (views[name].shape != wanted or views[name].type != type):
            raise invalid(f"{_SAID[name]} is {views[name].shape} of {views[name].type}; it must be {wanted} of {type}")
    if "C" in views and not views["C"].writable:
        raise invalid("out cannot be written to")
    if "biases" in views and row_major(views["biases"], "bias").distance != shape[1]:
        raise invalid(f"bias has strides {views['biases'].strides}; its rows must lie one after the other")


def _work_out(arrays: dict[str, Any], beta: float, activation: str | None, dtype: Any, alignment: int,
              library: Library | None) -> _Call:  # fmt: skip
    families = {name: family_of(array, name) for name, array in arrays.items()}
    views = {name: families[name].view(array, _SAID.get(name, name)) for name, array in arrays.items()}
    word = _choices("columns", activation, None)
    shape = result_shape(views["A"].shape, views["B"].shape, views["ends"].shape)
    a_type, b_type = views["A"].type, views["B"].type
    own_type = result_type(a_type)
    type = views["C"].type if "C" in views else own_type if dtype is None else type_word(dtype)
    _check(views, shape, type)
    if beta != 0 and "C" not in views:
        raise invalid(f"beta is {beta}, and there is no out that it could multiply")
    differentiable = any(families[name].wants_gradients(array) for name, array in arrays.items())
    if 0 in shape:
        return _Call(shape, type, None, differentiable)
    if views["A"].shape[1] == 0:
        raise invalid(f"a has the shape {views['A'].shape}: no kernel has groups of products over nothing")
    a, b = row_major(views["A"], "a"), matrix(views["B"], "b")
    views.setdefault("C", View(shape, dense(shape), type, views["A"].device))
    c = row_major(views["C"], "out")
    views = {name: views[name] for name in ("A", "B", "C", "ends", "biases") if name in views}
    on = one_device("gemm_grouped", views, None if library is BELOW else library)
    attributes: dict[str, str | int] = {
        "dtype": a_type, "trans": "nt" if b.transposed else "nn", "groups": views["ends"].shape[0],
        "btype": "default" if b_type == a_type else b_type, "ctype": "default" if type == own_type else type,
        "bias": "column" if "biases" in views else "none", "activation": word,
    }  # fmt: skip
    strides = (a.stride, b.stride, c.stride, b.batch_stride)
    problem = Problem("gemm_grouped", (*shape, a.columns), attributes, strides, alignment)
    current = families["A"].stream(views["A"])
    return _Call(shape, type, prepare(problem, views, ("alpha", "beta"), on, current), differentiable)


def _traced(*arguments: Any) -> Any:
    return _arrays.operators().traced_gemm_grouped(*arguments)


def gemm_grouped(
    a: Array,
    b: Array,
    ends: Array,
    *,
    out: Array | None = None,
    bias: Array | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    activation: str | None = None,
    dtype: Any = None,
    stream: int | None = None,
    library: Library | None = None,
) -> Array:
    """Rows of `a` in groups, each times its own matrix of `b`, as a mixture of experts has them.

    Rows of group g of the result are ``activation(alpha * a[rows] @ b[g] + beta * out[rows] + bias[g])``. Where groups
    end is read by the device when it comes to it, and not by the call, so that a CUDA graph takes the groups that
    there are when it runs.

    Parameters
    ----------
    a : array, shape (M, K)
        Of float32, float16, bfloat16 or float8_e4m3fn; rows of a group follow each other.
    b : array, shape (groups, K, N)
        Of a's type, or float8_e5m2 with float8_e4m3fn; along rows or columns elements lie one after the other.
    ends : array of int32, shape (groups,)
        The row behind each group's last one, where the next begins; the last is M. A group may be empty. Rows behind
        the last end are left as they are.
    out : array, shape (M, N), optional
        Where the result goes; it must not overlap with the others. By default a new array.
    bias : array, shape (groups, N), optional
        Of the result's type.
    alpha, beta : float
        With beta 0 what out held is not read.
    activation : {"none", "relu", "gelu", "gelu_tanh", "silu"}, optional
        Applied last.
    dtype : optional
        The result's type where out is not given: a's (bfloat16 for 8-bit floats), or float32.
    stream, library
        As for `gemm`.

    Returns
    -------
    array, shape (M, N)

    Raises
    ------
    InvalidError, TypeError, Error
        As by `gemm`.

    Notes
    -----
    Calls whose tensors need gradients or are traced go to `tilewise.torch.gemm_grouped`.

    Examples
    --------
    >>> import numpy, tilewise
    >>> a, b = numpy.ones((5, 3), "f"), numpy.ones((2, 3, 4), "f")
    >>> tilewise.gemm_grouped(a, b, numpy.array([2, 5], "i")).shape
    (5, 4)
    """
    arrays: dict[str, Any] = {"A": a, "B": b, "ends": ends}
    if out is not None:
        arrays["C"] = out
    if bias is not None:
        arrays["biases"] = bias
    families = {
        name: _families.get(type(array)) or family_of(array, _SAID.get(name, name)) for name, array in arrays.items()
    }
    first = families["A"]
    if library is not BELOW and any(family.traces and family.is_compiling() for family in families.values()):
        return _traced(a, b, ends, out, bias, alpha, beta, activation, dtype, stream, library)  # type: ignore[no-any-return]
    pointers = {name: family.pointer(arrays[name]) for name, family in families.items()}
    alignment = alignment_of(list(pointers.values()))
    key = ("gemm_grouped", beta != 0, activation, dtype, alignment,
           *[(name, type(arrays[name]), family.signature(arrays[name])) for name, family in families.items()])  # fmt: skip
    known = calls if library is None else library.calls
    call: _Call | None = known.get(key)
    if call is None:
        call = _work_out(arrays, beta, activation, dtype, alignment, library)
        remember(known, key, call)
    if call.differentiable and library is not BELOW and first.is_grad_enabled():
        return _traced(a, b, ends, out, bias, alpha, beta, activation, dtype, stream, library)  # type: ignore[no-any-return]
    if out is None:
        arrays["C"] = first.empty(a, call.shape, call.type)
        pointers["C"] = first.pointer(arrays["C"])
    if call.ready is not None:
        if stream is None:
            stream = first.own_stream(a) or None
        places = [pointers[name] for name in ("A", "B", "C", "ends", "biases") if name in pointers]
        start(call.ready, places, (float(alpha), float(beta)), stream)
    return arrays["C"]  # type: ignore[no-any-return]

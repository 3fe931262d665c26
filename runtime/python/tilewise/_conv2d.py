"""``conv2d``: kernel `conv2d` of any layout that arrays say by their strides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from tilewise import _arrays
from tilewise._arrays import _families, family_of
from tilewise._errors import InvalidError, invalid
from tilewise._gemm import BELOW, _choices
from tilewise._kernels import Prepared, alignment_of, one_device, prepare, start
from tilewise._library import Library, Problem, calls, remember
from tilewise._views import View, dense

Array = TypeVar("Array")
Pair = int | Sequence[int]

#: Dimensions as they follow each other in memory, of images and of filters.
_LAYOUTS = {"nchw": (0, 1, 2, 3), "nhwc": (0, 2, 3, 1)}


class _Call(NamedTuple):
    """A call but for where its arrays are."""

    shape: tuple[int, ...]
    layout: str
    type: str
    ready: Prepared | None
    """None: there is nothing to do."""
    differentiable: bool


def pair(value: Any, name: str) -> tuple[int, int]:
    """One number for both directions, or one for each."""
    both = (value, value) if isinstance(value, int) else tuple(value)
    if len(both) != 2 or not all(isinstance(number, int) for number in both):
        raise invalid(f"{name} is {value!r}; it must be a whole number or two, for rows and columns")
    return both


def result_shape(input: tuple[int, ...], weight: tuple[int, ...], stride: tuple[int, int], padding: tuple[int, int],
                 dilation: tuple[int, int], groups: int) -> tuple[int, ...]:  # fmt: skip
    """The shape of a convolution's result.

    Raises
    ------
    InvalidError
        They do not go together.
    """
    if len(input) != 4 or len(weight) != 4:
        raise invalid(f"conv2d takes (images, channels, rows, columns) and (filters, channels, rows, columns); input "
                      f"has the shape {tuple(input)} and weight {tuple(weight)}")  # fmt: skip
    shapes = f"input has the shape {tuple(input)} and weight {tuple(weight)}"
    if 0 in weight or 0 in input[1:]:
        raise invalid(f"{shapes}: only images may be none")
    if groups < 1 or input[1] % groups != 0 or weight[0] % groups != 0:
        raise invalid(f"{shapes}: groups={groups} must divide the {input[1]} channels and the {weight[0]} filters")
    if input[1] != weight[1] * groups:
        raise invalid(f"{shapes}: with groups={groups} filters must have {input[1] // groups} channels, which is their "
                      "second size")  # fmt: skip
    sizes = []
    for i in (0, 1):
        if stride[i] < 1 or dilation[i] < 1 or padding[i] < 0:
            raise invalid(f"stride is {stride}, padding {padding} and dilation {dilation}; a padding may be 0, the "
                          "others must be at least 1")  # fmt: skip
        free = input[2 + i] + 2 * padding[i] - dilation[i] * (weight[2 + i] - 1) - 1
        if free < 0:
            raise invalid(f"{shapes}: the filter, with its dilation, is larger than the padded image")
        sizes.append(free // stride[i] + 1)
    return (input[0], weight[0], *sizes)


def _distance(view: View, order: tuple[int, ...], inner: int) -> int | None:
    """Elements from row to row, where a row has the last `inner` dimensions of `order`, which lie without gaps.

    None: they do not lie so. A dimension of one element may have any stride.
    """
    count = 1
    for axis in reversed(order[-inner:]):
        if view.shape[axis] != 1 and view.strides[axis] != count:
            return None
        count *= view.shape[axis]
    row, rows, found = count, 1, 0
    for axis in reversed(order[:-inner]):
        size, stride = view.shape[axis], view.strides[axis]
        if size == 1:
            continue
        if found == 0:
            found = stride // rows
        if stride != found * rows or found < row:
            return None
        rows *= size
    return found or row


def distances_of(views: dict[str, View], layout: str, filters: str) -> list[int] | None:
    """The distances of rows in a layout, of images, and of what is named `filters`; None: it is not theirs."""
    found = []
    for name, view in views.items():
        distance = _distance(view, _LAYOUTS[layout], 3 if name == filters else 1)
        if distance is None:
            return None
        found.append(distance)
    return found


def _no_layout(views: dict[str, View]) -> InvalidError:
    told = ", ".join(
        f"{'out' if name == 'output' else 'weight' if name == 'filters' else name} of {view.shape} with strides "
        f"{view.strides}" for name, view in views.items() if name != "biases"
    )  # fmt: skip
    return invalid(f"conv2d: {told} (in elements) are neither all of (images, channels, rows, columns) in memory nor "
                   "all with the channels of a pixel together; copy what lies otherwise")  # fmt: skip


def layout_of(views: dict[str, View]) -> tuple[str, list[int]]:
    """The layout that input, filters and output have, and the distances of their rows."""
    lying: dict[str, View] = {name: views[name] for name in ("input", "filters", "output") if name in views}
    for layout in _LAYOUTS:
        distances = distances_of(lying, layout, "filters")
        if distances is not None:
            return layout, distances
    raise _no_layout(views)


def _lie(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """Strides of a new array."""
    order = _LAYOUTS[layout]
    steps = dense(tuple(shape[axis] for axis in order))
    return tuple(steps[order.index(axis)] for axis in range(4))


def _new(like: Any, call: _Call) -> Any:
    family = family_of(like, "input")
    if call.layout == "nchw":
        return family.empty(like, call.shape, call.type)
    n, c, h, w = call.shape
    return family.permute(family.empty(like, (n, h, w, c), call.type), (0, 3, 1, 2))


def _check(views: dict[str, View], shape: tuple[int, ...]) -> None:
    type = views["input"].type
    for name, view in views.items():
        said = {"filters": "weight", "output": "out", "biases": "bias"}.get(name, name)
        if view.type != type:
            raise invalid(f"{said} is of {view.type}, and input of {type}; they must be the same")
    if "output" in views:
        if views["output"].shape != shape:
            raise invalid(f"out has the shape {views['output'].shape}; the result is {shape}")
        if not views["output"].writable:
            raise invalid("out cannot be written to")
    bias = views.get("biases")
    if bias is not None and (bias.shape != shape[1:2] or (shape[1] > 1 and bias.strides != (1,))):
        raise invalid(f"bias has the shape {bias.shape} and strides {bias.strides}; it must be "
                      f"{shape[1:2]}, one number after the other")  # fmt: skip


def _work_out(arrays: dict[str, Any], stride: Any, padding: Any, dilation: Any, groups: int, beta: float,
              activation: str | None, compute: str | None, alignment: int, library: Library | None) -> _Call:  # fmt: skip
    families = {name: family_of(array, name) for name, array in arrays.items()}
    views = {name: families[name].view(array, name) for name, array in arrays.items()}
    word = _choices("columns", activation, compute)
    steps, pads, holes = pair(stride, "stride"), pair(padding, "padding"), pair(dilation, "dilation")
    shape = result_shape(views["input"].shape, views["filters"].shape, steps, pads, holes, groups)
    _check(views, shape)
    if beta != 0 and "output" not in views:
        raise invalid(f"beta is {beta}, and there is no out that it could multiply")
    type, device = views["input"].type, views["input"].device
    differentiable = any(families[name].wants_gradients(array) for name, array in arrays.items())
    if shape[0] == 0:
        return _Call(shape, "nchw", type, None, differentiable)
    layout, distances = layout_of(views)
    if "output" not in views:
        views["output"] = View(shape, _lie(shape, layout), type, device)
    views = {name: views[name] for name in ("input", "filters", "output", "biases") if name in views}
    on = one_device("conv2d", views, None if library is BELOW else library)
    attributes: dict[str, str | int] = {
        "dtype": type, "layout": layout, "compute": compute or "default", "stride_h": steps[0], "stride_w": steps[1],
        "pad_h": pads[0], "pad_w": pads[1], "dilation_h": holes[0], "dilation_w": holes[1], "groups": groups,
        "bias": "filter" if "biases" in views else "none", "activation": word,
    }  # fmt: skip
    sizes = (*views["input"].shape, *views["filters"].shape[:1], *views["filters"].shape[2:])
    problem = Problem("conv2d", sizes, attributes, distances, alignment)
    current = families["input"].stream(views["input"])
    return _Call(shape, layout, type, prepare(problem, views, ("alpha", "beta"), on, current), differentiable)


def _traced(*arguments: Any) -> Any:
    return _arrays.operators().traced_conv2d(*arguments)


def conv2d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Pair = 1,
    padding: Pair = 0,
    dilation: Pair = 1,
    groups: int = 1,
    *,
    out: Array | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    activation: str | None = None,
    compute: str | None = None,
    stream: int | None = None,
    library: Library | None = None,
) -> Array:
    """``activation(alpha * conv(input, weight) + beta * out + bias)``, as neural networks have it.

    The first arguments are those of ``torch.nn.functional.conv2d``. How images lie is taken from strides: row by row
    of each channel, or with the channels of a pixel together, which PyTorch calls ``channels_last`` and which suits
    tensor cores. Nothing is copied; a new result lies as the input does.

    Parameters
    ----------
    input : array, shape (N, C, H, W)
        Of float32, float64, float16 or bfloat16.
    weight : array, shape (F, C / groups, R, S)
        Of input's type; it lies as input does.
    bias : array, shape (F,), optional
        A number for each filter.
    stride, padding, dilation : int or pair of int
        Of rows and columns; `padding` is on each of two sides.
    groups : int
        Channels and filters are divided into so many, and a filter sees the channels of its own.
    out : array, shape (N, F, OH, OW), optional
        Where the result goes; it must not overlap with the others. By default a new array.
    alpha, beta : float
        With beta 0 what out held is not read.
    activation : {"none", "relu", "gelu", "gelu_tanh", "silu"}, optional
        Applied last.
    compute : str, optional
        ``"tf32"``: operands of float32 may be rounded to 10 bits of fraction, as tensor cores take them.
        ``"direct"``: no sums by Winograd's polynomials, which multiply less often and round more.
    stream, library
        As for `gemm`.

    Returns
    -------
    array, shape (N, F, OH, OW)
        ``OH = (H + 2 * padding - dilation * (R - 1) - 1) // stride + 1``, and OW likewise.

    Raises
    ------
    InvalidError, TypeError, Error
        As by `gemm`.

    Notes
    -----
    Calls whose tensors need gradients or are traced go to `tilewise.torch.conv2d`.

    Examples
    --------
    >>> import numpy, tilewise
    >>> image, filters = numpy.ones((1, 3, 8, 8), "f"), numpy.ones((4, 3, 3, 3), "f")
    >>> tilewise.conv2d(image, filters, padding=1).shape
    (1, 4, 8, 8)
    """
    arrays: dict[str, Any] = {"input": input, "filters": weight}
    if out is not None:
        arrays["output"] = out
    if bias is not None:
        arrays["biases"] = bias
    families = {name: _families.get(type(array)) or family_of(array, name) for name, array in arrays.items()}
    first = families["input"]
    arguments = (stride, padding, dilation, groups)
    if library is not BELOW and any(family.traces and family.is_compiling() for family in families.values()):
        return _traced(input, weight, bias, *arguments, out, alpha, beta, activation, compute, stream, library)  # type: ignore[no-any-return]
    pointers = {name: family.pointer(arrays[name]) for name, family in families.items()}
    alignment = alignment_of(list(pointers.values()))
    sizes = [value if isinstance(value, int) else tuple(value) for value in arguments]
    key = ("conv2d", *sizes, beta != 0, activation, compute, alignment,
           *[(name, type(arrays[name]), family.signature(arrays[name])) for name, family in families.items()])  # fmt: skip
    known = calls if library is None else library.calls
    call: _Call | None = known.get(key)
    if call is None:
        call = _work_out(arrays, *arguments, beta, activation, compute, alignment, library)
        remember(known, key, call)
    if call.differentiable and library is not BELOW and first.is_grad_enabled():
        return _traced(input, weight, bias, *arguments, out, alpha, beta, activation, compute, stream, library)  # type: ignore[no-any-return]
    if out is None:
        arrays["output"] = _new(input, call)
        pointers["output"] = first.pointer(arrays["output"])
    if call.ready is not None:
        if stream is None:
            stream = first.own_stream(input) or None
        places = [pointers[name] for name in ("input", "filters", "output", "biases") if name in pointers]
        start(call.ready, places, (float(alpha), float(beta)), stream)
    return arrays["output"]  # type: ignore[no-any-return]

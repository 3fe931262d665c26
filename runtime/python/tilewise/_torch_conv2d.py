"""The operators ``tilewise::conv2d`` and ``conv2d_out``, and those of its gradients.

Annotations of operators are read by PyTorch, which knows these spellings and no others.
"""

from typing import Any, List, Optional

import torch
from torch import Tensor

from tilewise import _conv2d, _conv2d_gradients, _gemm
from tilewise._errors import invalid
from tilewise._library import Library
from tilewise._torch_common import refuse_gradients, refuse_options, through
from tilewise._views import View


def _layout(input: Tensor, weight: Tensor) -> str:
    views = {name: View(tuple(x.shape), tuple(x.stride()), "", "") for name, x in (("input", input), ("filters", weight))}
    return _conv2d.layout_of(views)[0]


def _empty(like: Tensor, shape: Any, layout: str) -> Tensor:
    if layout == "nchw":
        return like.new_empty(tuple(shape))
    return like.new_empty((shape[0], *shape[2:], shape[1])).permute(0, 3, 1, 2)


def _lie(x: Tensor, layout: str) -> Tensor:
    """It in a layout, without gaps."""
    return x.contiguous() if layout == "nchw" else x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)


@torch.library.custom_op("tilewise::conv2d", mutates_args=())
def _conv2d_op(
    input: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    stride: List[int],
    padding: List[int],
    dilation: List[int],
    groups: int,
    alpha: float,
    activation: str,
    compute: Optional[str],
) -> Tensor:
    return _conv2d.conv2d(
        input, weight, bias, stride, padding, dilation, groups, alpha=alpha, activation=activation, compute=compute,
        library=_gemm.BELOW,
    )  # fmt: skip


@_conv2d_op.register_fake
def _(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
    alpha: float,
    activation: str,
    compute: str | None,
) -> Tensor:
    shape = _conv2d.result_shape(
        tuple(input.shape), tuple(weight.shape), _conv2d.pair(stride, "stride"), _conv2d.pair(padding, "padding"),
        _conv2d.pair(dilation, "dilation"), groups,
    )  # fmt: skip
    return _empty(input, shape, _layout(input, weight))


@torch.library.custom_op("tilewise::conv2d_out", mutates_args=("out",))
def _conv2d_out_op(
    input: Tensor,
    weight: Tensor,
    out: Tensor,
    bias: Optional[Tensor],
    stride: List[int],
    padding: List[int],
    dilation: List[int],
    groups: int,
    alpha: float,
    beta: float,
    activation: str,
    compute: Optional[str],
) -> None:
    _conv2d.conv2d(
        input, weight, bias, stride, padding, dilation, groups, out=out, alpha=alpha, beta=beta, activation=activation,
        compute=compute, library=_gemm.BELOW,
    )  # fmt: skip


@_conv2d_out_op.register_fake
def _(*_: Any) -> None:
    return None


def _keep_conv2d(ctx: Any, inputs: Any, output: Tensor) -> None:
    input, weight, bias, ctx.stride, ctx.padding, ctx.dilation, ctx.groups, ctx.alpha, ctx.activation, ctx.compute = inputs
    ctx.with_bias = bias is not None
    ctx.save_for_backward(input, weight, bias if ctx.activation != "none" else None)


def _conv2d_backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    input, weight, bias = ctx.saved_tensors
    if ctx.activation != "none":
        z = _conv2d_op(input, weight, bias, ctx.stride, ctx.padding, ctx.dilation, ctx.groups, ctx.alpha, "none",
                       ctx.compute)  # fmt: skip
        grad = through(ctx.activation, grad, z)
    arguments = (ctx.stride, ctx.padding, ctx.dilation, ctx.groups)
    wanted = list(ctx.needs_input_grad[:2])
    to_input = to_weight = None
    layout = _layout(input, weight) if input.shape[0] > 0 else "nchw"
    if wanted[0]:
        to_input = _backward_data_op(grad, weight, list(input.shape), layout, *arguments, ctx.alpha, ctx.compute)
    if wanted[1]:
        to_weight = _backward_weights_op(grad, input, list(weight.shape), layout, *arguments, ctx.alpha, ctx.compute)
    to_bias = grad.sum((0, 2, 3)) if ctx.with_bias and ctx.needs_input_grad[2] else None
    return to_input, to_weight, to_bias, *[None] * 7


torch.library.register_autograd("tilewise::conv2d", _conv2d_backward, setup_context=_keep_conv2d)


# ---- Its gradients ----


@torch.library.custom_op("tilewise::conv2d_backward_data", mutates_args=())
def _backward_data_op(
    grad: Tensor,
    weight: Tensor,
    shape: List[int],
    layout: str,
    stride: List[int],
    padding: List[int],
    dilation: List[int],
    groups: int,
    alpha: float,
    compute: Optional[str],
) -> Tensor:
    out = _empty(grad, shape, layout)
    if out.numel() > 0:
        arrays = {"input": _lie(grad, layout), "filters": _lie(weight, layout), "output": out}
        sizes = (*shape, weight.shape[0], *weight.shape[2:])
        _conv2d_gradients.run("conv2d_backward_data", layout, arrays, "filters", sizes,
                              (stride, padding, dilation, groups), alpha, compute)  # fmt: skip
    return out


@torch.library.custom_op("tilewise::conv2d_backward_weights", mutates_args=())
def _backward_weights_op(
    grad: Tensor,
    input: Tensor,
    shape: List[int],
    layout: str,
    stride: List[int],
    padding: List[int],
    dilation: List[int],
    groups: int,
    alpha: float,
    compute: Optional[str],
) -> Tensor:
    out = _empty(grad, shape, layout)
    if input.shape[0] == 0:
        return out.zero_()
    arrays = {"input": _lie(input, layout), "gradient": _lie(grad, layout), "output": out}
    sizes = (*input.shape, shape[0], *shape[2:])
    _conv2d_gradients.run("conv2d_backward_weights", layout, arrays, "output", sizes,
                          (stride, padding, dilation, groups), alpha, compute)  # fmt: skip
    return out


def _empty_gradient(grad: Tensor, other: Tensor, shape: list[int], layout: str, *_: Any) -> Tensor:
    return _empty(grad, shape, layout)


_backward_data_op.register_fake(_empty_gradient)
_backward_weights_op.register_fake(_empty_gradient)


def _keep_gradient(ctx: Any, inputs: Any, output: Tensor) -> None:
    grad, other, _, ctx.layout, *ctx.arguments, ctx.alpha, ctx.compute = inputs
    ctx.save_for_backward(grad, other)


# Both are linear in what they are given, so that their gradients are the other one and the convolution.
def _data_backward(ctx: Any, given: Tensor) -> tuple[Tensor | None, ...]:
    grad, weight = ctx.saved_tensors
    given = _lie(given, ctx.layout)
    to_grad = to_weight = None
    if ctx.needs_input_grad[0]:
        to_grad = _conv2d_op(given, _lie(weight, ctx.layout), None, *ctx.arguments, ctx.alpha, "none", ctx.compute)
    if ctx.needs_input_grad[1]:
        to_weight = _backward_weights_op(grad, given, list(weight.shape), ctx.layout, *ctx.arguments, ctx.alpha,
                                         ctx.compute)  # fmt: skip
    return to_grad, to_weight, *[None] * 8


def _weights_backward(ctx: Any, given: Tensor) -> tuple[Tensor | None, ...]:
    grad, input = ctx.saved_tensors
    given = _lie(given, ctx.layout)
    to_grad = to_input = None
    if ctx.needs_input_grad[0]:
        to_grad = _conv2d_op(_lie(input, ctx.layout), given, None, *ctx.arguments, ctx.alpha, "none", ctx.compute)
    if ctx.needs_input_grad[1]:
        to_input = _backward_data_op(grad, given, list(input.shape), ctx.layout, *ctx.arguments, ctx.alpha, ctx.compute)
    return to_grad, to_input, *[None] * 8


torch.library.register_autograd("tilewise::conv2d_backward_data", _data_backward, setup_context=_keep_gradient)
torch.library.register_autograd("tilewise::conv2d_backward_weights", _weights_backward, setup_context=_keep_gradient)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _conv2d.Pair = 1,
    padding: _conv2d.Pair = 0,
    dilation: _conv2d.Pair = 1,
    groups: int = 1,
    *,
    alpha: float = 1.0,
    activation: str | None = None,
    compute: str | None = None,
) -> Tensor:
    """``activation(alpha * conv(input, weight) + bias)`` as the operator ``torch.ops.tilewise.conv2d``.

    Parameters
    ----------
    input : Tensor, shape (N, C, H, W)
    weight : Tensor, shape (F, C / groups, R, S)
    bias, stride, padding, dilation, groups, alpha, activation, compute
        As for `tilewise.conv2d`.

    Returns
    -------
    Tensor, shape (N, F, OH, OW)
        With gradients for input, weight and bias where they are asked for.

    Raises
    ------
    InvalidError, TypeError, Error
        As by `tilewise.conv2d`.
    """
    sizes = [list(_conv2d.pair(value, name)) for value, name in
             ((stride, "stride"), (padding, "padding"), (dilation, "dilation"))]  # fmt: skip
    return _conv2d_op(input, weight, bias, *sizes, groups, float(alpha), activation or "none", compute)


def traced_conv2d(input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int, out: Any,
                  alpha: float, beta: float, activation: str | None, compute: str | None, stream: int | None,
                  library: Library | None) -> Tensor:  # fmt: skip
    """What `tilewise.conv2d` does with tensors that need gradients or are traced."""
    refuse_options(stream, library)
    if out is None:
        if beta != 0:
            raise invalid(f"beta is {beta}, and there is no out that it could multiply")
        return conv2d(input, weight, bias, stride, padding, dilation, groups, alpha=alpha, activation=activation,
                      compute=compute)  # fmt: skip
    refuse_gradients(input, weight, bias, out)
    sizes = [list(_conv2d.pair(value, name)) for value, name in
             ((stride, "stride"), (padding, "padding"), (dilation, "dilation"))]  # fmt: skip
    _conv2d_out_op(input, weight, out, bias, *sizes, groups, float(alpha), float(beta), activation or "none", compute)
    return out

"""The operators ``tilewise::gemm`` and ``gemm_out``.

Annotations of operators are read by PyTorch, which knows these spellings and no others.
"""

from typing import Any, Optional

import torch
from torch import Tensor

from tilewise import _gemm
from tilewise._errors import invalid
from tilewise._library import Library
from tilewise._torch_common import DIFFERENTIABLE, refuse_gradients, refuse_options, result_dtype, through


@torch.library.custom_op("tilewise::gemm", mutates_args=())
def _gemm_op(
    a: Tensor,
    b: Tensor,
    bias: Optional[Tensor],
    c: Optional[Tensor],
    alpha: float,
    beta: float,
    bias_along: str,
    activation: str,
    compute: Optional[str],
    dtype: Optional[torch.dtype],
) -> Tensor:
    return _gemm.gemm(
        a, b, bias=bias, c=c, alpha=alpha, beta=beta, bias_along=bias_along, activation=activation, compute=compute,
        dtype=dtype, library=_gemm.BELOW,
    )  # fmt: skip


@_gemm_op.register_fake
def _(
    a: Tensor,
    b: Tensor,
    bias: Tensor | None,
    c: Tensor | None,
    alpha: float,
    beta: float,
    bias_along: str,
    activation: str,
    compute: str | None,
    dtype: torch.dtype | None,
) -> Tensor:
    return a.new_empty(_gemm.result_shape(tuple(a.shape), tuple(b.shape)), dtype=result_dtype(a, dtype))


@torch.library.custom_op("tilewise::gemm_out", mutates_args=("out",))
def _gemm_out_op(
    a: Tensor,
    b: Tensor,
    out: Tensor,
    bias: Optional[Tensor],
    c: Optional[Tensor],
    alpha: float,
    beta: float,
    bias_along: str,
    activation: str,
    compute: Optional[str],
) -> None:
    _gemm.gemm(
        a, b, out=out, bias=bias, c=c, alpha=alpha, beta=beta, bias_along=bias_along, activation=activation,
        compute=compute, library=_gemm.BELOW,
    )  # fmt: skip


@_gemm_out_op.register_fake
def _(*_: Any) -> None:
    return None


def _keep(ctx: Any, inputs: Any, output: Tensor) -> None:
    a, b, bias, c, ctx.alpha, ctx.beta, ctx.bias_along, ctx.activation, ctx.compute, _ = inputs
    for name, tensor in (("a", a), ("b", b)):
        if tensor.dtype not in DIFFERENTIABLE:
            raise invalid(f"{name} is of {tensor.dtype}, of which there are no gradients; detach it")
    ctx.with_bias, ctx.with_c = bias is not None, c is not None
    # What the activation was applied to is computed again where it is needed, and not kept.
    ctx.save_for_backward(a, b, *((bias, c) if ctx.activation != "none" else (None, None)))


def _before_activation(ctx: Any, grad: Tensor) -> Tensor:
    """The gradient of what the activation is applied to."""
    if ctx.activation == "none":
        return grad
    a, b, bias, c = ctx.saved_tensors
    z = _gemm_op(a, b, bias, c, ctx.alpha, ctx.beta, ctx.bias_along, "none", ctx.compute, grad.dtype)
    return through(ctx.activation, grad, z)


def _multiply(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
    return _gemm_op(a, b, None, None, ctx.alpha, 0.0, "columns", "none", ctx.compute, None)


def _gemm_backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    a, b = ctx.saved_tensors[:2]
    # Gradients may be expanded from fewer numbers, which kernels do not take.
    grad = _before_activation(ctx, grad).contiguous()
    rows = grad.reshape(-1, grad.shape[-1])
    own = grad.to(a.dtype)
    to_a = to_b = to_bias = to_c = None
    if ctx.needs_input_grad[0]:
        to_a = _multiply(ctx, own, b.mT)
    if ctx.needs_input_grad[1]:
        if b.dim() == 2:
            to_b = _multiply(ctx, a.reshape(-1, a.shape[-1]).mT, rows.to(a.dtype))
        else:
            to_b = _multiply(ctx, a.mT, own)
    if ctx.with_bias and ctx.needs_input_grad[2]:
        to_bias = rows.sum(0) if ctx.bias_along == "columns" else grad.sum(-1).reshape(-1, grad.shape[-2]).sum(0)
    if ctx.with_c and ctx.needs_input_grad[3]:
        to_c = grad * ctx.beta
    return to_a, to_b, to_bias, to_c, *[None] * 6


torch.library.register_autograd("tilewise::gemm", _gemm_backward, setup_context=_keep)


def gemm(
    a: Tensor,
    b: Tensor,
    *,
    bias: Tensor | None = None,
    c: Tensor | None = None,
    alpha: float = 1.0,
    beta: float | None = None,
    bias_along: str = "columns",
    activation: str | None = None,
    compute: str | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """``activation(alpha * a @ b + beta * c + bias)`` as the operator ``torch.ops.tilewise.gemm``.

    Parameters
    ----------
    a : Tensor, shape (..., M, K)
    b : Tensor, shape (K, N) or (..., K, N)
    bias, c, alpha, beta, bias_along, activation, compute, dtype
        As for `tilewise.gemm`.

    Returns
    -------
    Tensor, shape (..., M, N)
        With gradients for a, b, bias and c where they are asked for, of 16, 32 and 64-bit floats.

    Raises
    ------
    InvalidError, TypeError, Error
        As by `tilewise.gemm`.
    """
    if beta is None:
        beta = 0.0 if c is None else 1.0
    word = activation or "none"
    return _gemm_op(a, b, bias, c, float(alpha), float(beta), bias_along, word, compute, dtype)


def traced_gemm(a: Any, b: Any, out: Any, bias: Any, c: Any, alpha: float, beta: float | None, bias_along: str,
                activation: str | None, compute: str | None, dtype: Any, stream: int | None,
                library: Library | None) -> Tensor:  # fmt: skip
    """What `tilewise.gemm` does with tensors that need gradients or are traced."""
    refuse_options(stream, library)
    if out is None:
        return gemm(a, b, bias=bias, c=c, alpha=alpha, beta=beta, bias_along=bias_along, activation=activation,
                    compute=compute, dtype=dtype)  # fmt: skip
    refuse_gradients(a, b, out, bias, c)
    if beta is None:
        beta = 0.0 if c is None else 1.0
    addend = None if c is out else c
    _gemm_out_op(a, b, out, bias, addend, float(alpha), float(beta), bias_along, activation or "none", compute)
    return out

"""The operators ``tilewise::gemm_grouped`` and ``gemm_grouped_out``.

Annotations of operators are read by PyTorch, which knows these spellings and no others.
"""

from typing import Any, Optional

import torch
from torch import Tensor

from tilewise import _gemm, _grouped
from tilewise._errors import invalid
from tilewise._library import Library
from tilewise._torch_common import DIFFERENTIABLE, refuse_gradients, refuse_options, result_dtype, through


@torch.library.custom_op("tilewise::gemm_grouped", mutates_args=())
def _grouped_op(
    a: Tensor,
    b: Tensor,
    ends: Tensor,
    bias: Optional[Tensor],
    alpha: float,
    activation: str,
    dtype: Optional[torch.dtype],
) -> Tensor:
    return _grouped.gemm_grouped(
        a, b, ends, bias=bias, alpha=alpha, activation=activation, dtype=dtype, library=_gemm.BELOW
    )


@_grouped_op.register_fake
def _(
    a: Tensor,
    b: Tensor,
    ends: Tensor,
    bias: Tensor | None,
    alpha: float,
    activation: str,
    dtype: torch.dtype | None,
) -> Tensor:
    return a.new_empty(
        _grouped.result_shape(tuple(a.shape), tuple(b.shape), tuple(ends.shape)), dtype=result_dtype(a, dtype)
    )


@torch.library.custom_op("tilewise::gemm_grouped_out", mutates_args=("out",))
def _grouped_out_op(
    a: Tensor, b: Tensor, ends: Tensor, out: Tensor, bias: Optional[Tensor], alpha: float, beta: float, activation: str
) -> None:
    _grouped.gemm_grouped(
        a, b, ends, out=out, bias=bias, alpha=alpha, beta=beta, activation=activation, library=_gemm.BELOW
    )


@_grouped_out_op.register_fake
def _(*_: Any) -> None:
    return None


def _keep_grouped(ctx: Any, inputs: Any, output: Tensor) -> None:
    a, b, ends, bias, ctx.alpha, ctx.activation, _ = inputs
    for name, tensor in (("a", a), ("b", b)):
        if tensor.dtype not in DIFFERENTIABLE:
            raise invalid(f"{name} is of {tensor.dtype}, of which there are no gradients; detach it")
    ctx.with_bias = bias is not None
    ctx.save_for_backward(a, b, ends, bias if ctx.activation != "none" else None)


def _grouped_backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    a, b, ends, bias = ctx.saved_tensors
    if ctx.activation != "none":
        z = _grouped_op(a, b, ends, bias, ctx.alpha, "none", grad.dtype)
        grad = through(ctx.activation, grad, z)
    own = grad.to(a.dtype).contiguous()
    to_a = to_b = to_bias = None
    if ctx.needs_input_grad[0]:
        to_a = _grouped_op(own, b.mT, ends, None, ctx.alpha, "none", None)
    if ctx.needs_input_grad[1] or (ctx.with_bias and ctx.needs_input_grad[3]):
        # How many rows a group has decides what is computed, so the device is waited for.
        last = ends.tolist()
        groups = list(zip([0, *last], last))
        if ctx.needs_input_grad[1]:
            products = [ctx.alpha * (a[first:end].mT @ own[first:end]) for first, end in groups]
            to_b = torch.stack(products)
        if ctx.with_bias and ctx.needs_input_grad[3]:
            to_bias = torch.stack([grad[first:end].sum(0) for first, end in groups])
    return to_a, to_b, None, to_bias, None, None, None


torch.library.register_autograd("tilewise::gemm_grouped", _grouped_backward, setup_context=_keep_grouped)


def gemm_grouped(
    a: Tensor,
    b: Tensor,
    ends: Tensor,
    *,
    bias: Tensor | None = None,
    alpha: float = 1.0,
    activation: str | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """Rows in groups, each times its own matrix, as the operator ``torch.ops.tilewise.gemm_grouped``.

    Parameters
    ----------
    a : Tensor, shape (M, K)
    b : Tensor, shape (groups, K, N)
    ends : Tensor of int32, shape (groups,)
    bias, alpha, activation, dtype
        As for `tilewise.gemm_grouped`.

    Returns
    -------
    Tensor, shape (M, N)
        With gradients for a, b and bias where they are asked for; those of b and bias are computed group by group by
        PyTorch, and wait until `ends` is known.

    Raises
    ------
    InvalidError, TypeError, Error
        As by `tilewise.gemm_grouped`.
    """
    return _grouped_op(a, b, ends, bias, float(alpha), activation or "none", dtype)


def traced_gemm_grouped(a: Any, b: Any, ends: Any, out: Any, bias: Any, alpha: float, beta: float,
                        activation: str | None, dtype: Any, stream: int | None, library: Library | None) -> Tensor:  # fmt: skip
    """What `tilewise.gemm_grouped` does with tensors that need gradients or are traced."""
    refuse_options(stream, library)
    if out is None:
        if beta != 0:
            raise invalid(f"beta is {beta}, and there is no out that it could multiply")
        return gemm_grouped(a, b, ends, bias=bias, alpha=alpha, activation=activation, dtype=dtype)
    refuse_gradients(a, b, bias, out)
    _grouped_out_op(a, b, ends, out, bias, float(alpha), float(beta), activation or "none")
    return out

"""Operators for PyTorch: ``torch.ops.tilewise``, with shapes for tracing and gradients.

Importing this module registers them, so that `torch.compile`, CUDA graphs, `torch.export` and autograd know them.
`tilewise.gemm` and the others come here by themselves when a tensor needs gradients or is traced.

Examples
--------
>>> import tilewise.torch
>>> step = torch.compile(lambda a, b: tilewise.torch.gemm(a, b, activation="relu") + 1)
"""

from typing import Any, Optional

import torch
from torch import Tensor

from tilewise import _gemm, _moves
from tilewise._arrays import _families
from tilewise._errors import invalid
from tilewise._library import Library
from tilewise._torch_arrays import _WORDS, TORCH, torch_type

# So that nothing has to be looked for while a tracer watches.
_families[Tensor] = _families[torch.nn.Parameter] = TORCH

_DIFFERENTIABLE = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def _result_dtype(a: Tensor, dtype: torch.dtype | None) -> torch.dtype:
    if dtype is not None:
        return dtype
    word = _WORDS.get(a.dtype)
    return a.dtype if word is None else torch_type(_gemm.result_type(word))


# Annotations of operators are read by PyTorch, which knows these spellings.
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
    return a.new_empty(_gemm.result_shape(tuple(a.shape), tuple(b.shape)), dtype=_result_dtype(a, dtype))


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
        if tensor.dtype not in _DIFFERENTIABLE:
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
    if ctx.activation == "relu":
        return grad * (z > 0)
    if ctx.activation == "silu":
        return torch.ops.aten.silu_backward(grad, z)
    approximate = "tanh" if ctx.activation == "gelu_tanh" else "none"
    return torch.ops.aten.gelu_backward(grad, z, approximate=approximate)


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


def _refuse_options(stream: int | None, library: Library | None) -> None:
    if stream is not None or library is not None:
        raise invalid("with gradients or under a tracer the current stream and the default library are used; leave "
                      "stream and library, or set_default the library")  # fmt: skip


def _refuse_gradients(*tensors: Tensor | None) -> None:
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors):
        raise invalid("with out= there are no gradients; leave it, or detach the tensors")


def traced_gemm(a: Any, b: Any, out: Any, bias: Any, c: Any, alpha: float, beta: float | None, bias_along: str,
                activation: str | None, compute: str | None, dtype: Any, stream: int | None,
                library: Library | None) -> Tensor:  # fmt: skip
    """What `tilewise.gemm` does with tensors that need gradients or are traced."""
    _refuse_options(stream, library)
    if out is None:
        return gemm(a, b, bias=bias, c=c, alpha=alpha, beta=beta, bias_along=bias_along, activation=activation,
                    compute=compute, dtype=dtype)  # fmt: skip
    _refuse_gradients(a, b, out, bias, c)
    if beta is None:
        beta = 0.0 if c is None else 1.0
    addend = None if c is out else c
    _gemm_out_op(a, b, out, bias, addend, float(alpha), float(beta), bias_along, activation or "none", compute)
    return out


# ---- Matrices moved, and A times its transpose ----


@torch.library.custom_op("tilewise::transpose", mutates_args=())
def _transpose_op(a: Tensor) -> Tensor:
    return _moves.run("transpose", a, None, None, None)


@_transpose_op.register_fake
def _(a: Tensor) -> Tensor:
    return a.new_empty((a.shape[1], a.shape[0]))


@torch.library.custom_op("tilewise::copy", mutates_args=())
def _copy_op(a: Tensor) -> Tensor:
    return _moves.run("copy", a, None, None, None)


@_copy_op.register_fake
def _(a: Tensor) -> Tensor:
    return a.new_empty(tuple(a.shape))


@torch.library.custom_op("tilewise::aat", mutates_args=())
def _aat_op(a: Tensor) -> Tensor:
    return _moves.run("aat", a, None, None, None)


@_aat_op.register_fake
def _(a: Tensor) -> Tensor:
    return a.new_empty((a.shape[0], a.shape[0]))


@torch.library.custom_op("tilewise::move_out", mutates_args=("out",))
def _move_out_op(what: str, a: Tensor, out: Tensor) -> None:
    _moves.run(what, a, out, None, None)


@_move_out_op.register_fake
def _(*_: Any) -> None:
    return None


def _keep_input(ctx: Any, inputs: Any, output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _keep_nothing(ctx: Any, inputs: Any, output: Tensor) -> None:
    return None


def _transpose_backward(ctx: Any, grad: Tensor) -> Tensor:
    return _transpose_op(grad.contiguous())


def _copy_backward(ctx: Any, grad: Tensor) -> Tensor:
    return grad


def _aat_backward(ctx: Any, grad: Tensor) -> Tensor:
    (a,) = ctx.saved_tensors
    return gemm(grad + grad.mT, a)


torch.library.register_autograd("tilewise::transpose", _transpose_backward, setup_context=_keep_nothing)
torch.library.register_autograd("tilewise::copy", _copy_backward, setup_context=_keep_nothing)
torch.library.register_autograd("tilewise::aat", _aat_backward, setup_context=_keep_input)

_MOVES = {"transpose": _transpose_op, "copy": _copy_op, "aat": _aat_op}


def transpose(a: Tensor) -> Tensor:
    """`tilewise.transpose` as the operator ``torch.ops.tilewise.transpose``."""
    return _transpose_op(a)


def copy(a: Tensor) -> Tensor:
    """`tilewise.copy` as the operator ``torch.ops.tilewise.copy``."""
    return _copy_op(a)


def aat(a: Tensor) -> Tensor:
    """`tilewise.aat` as the operator ``torch.ops.tilewise.aat``."""
    return _aat_op(a)


def traced(what: str, a: Any, out: Any, stream: int | None, library: Library | None) -> Tensor:
    """What `tilewise.transpose`, `copy` and `aat` do with tensors that need gradients or are traced."""
    _refuse_options(stream, library)
    if out is None:
        return _MOVES[what](a)
    _refuse_gradients(a, out)
    _move_out_op(what, a, out)
    return out


__all__ = ["aat", "copy", "gemm", "transpose"]

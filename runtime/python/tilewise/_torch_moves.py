"""The operators that move matrices, and A times its transpose."""

from typing import Any, Optional

import torch
from torch import Tensor

from tilewise import _moves
from tilewise._library import Library
from tilewise._torch_common import refuse_gradients, refuse_options
from tilewise._torch_gemm import gemm


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
def _aat_op(a: Tensor, compute: Optional[str] = None) -> Tensor:
    return _moves.run("aat", a, None, None, None, compute)


@_aat_op.register_fake
def _(a: Tensor, compute: Optional[str] = None) -> Tensor:
    return a.new_empty((a.shape[0], a.shape[0]))


@torch.library.custom_op("tilewise::move_out", mutates_args=("out",))
def _move_out_op(what: str, a: Tensor, out: Tensor, compute: Optional[str] = None) -> None:
    _moves.run(what, a, out, None, None, compute)


@_move_out_op.register_fake
def _(*_: Any) -> None:
    return None


def _keep_input(ctx: Any, inputs: Any, output: Tensor) -> None:
    ctx.save_for_backward(inputs[0])
    ctx.compute = inputs[1]


def _keep_nothing(ctx: Any, inputs: Any, output: Tensor) -> None:
    return None


def _transpose_backward(ctx: Any, grad: Tensor) -> Tensor:
    return _transpose_op(grad.contiguous())


def _copy_backward(ctx: Any, grad: Tensor) -> Tensor:
    return grad


def _aat_backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
    (a,) = ctx.saved_tensors
    return gemm(grad + grad.mT, a, compute=ctx.compute), None


torch.library.register_autograd("tilewise::transpose", _transpose_backward, setup_context=_keep_nothing)
torch.library.register_autograd("tilewise::copy", _copy_backward, setup_context=_keep_nothing)
torch.library.register_autograd("tilewise::aat", _aat_backward, setup_context=_keep_input)

def transpose(a: Tensor) -> Tensor:
    """`tilewise.transpose` as the operator ``torch.ops.tilewise.transpose``."""
    return _transpose_op(a)


def copy(a: Tensor) -> Tensor:
    """`tilewise.copy` as the operator ``torch.ops.tilewise.copy``."""
    return _copy_op(a)


def aat(a: Tensor, *, compute: str | None = None) -> Tensor:
    """`tilewise.aat` as the operator ``torch.ops.tilewise.aat``."""
    return _aat_op(a, compute)


def traced_move(
    what: str, a: Any, out: Any, stream: int | None, library: Library | None, compute: str | None
) -> Tensor:
    """What `tilewise.transpose`, `copy` and `aat` do with tensors that need gradients or are traced."""
    refuse_options(stream, library)
    if out is not None:
        refuse_gradients(a, out)
        _move_out_op(what, a, out, compute)
        return out
    if what == "aat":
        return _aat_op(a, compute)
    return _transpose_op(a) if what == "transpose" else _copy_op(a)

"""What the operators of `tilewise.torch` share."""

from __future__ import annotations

import torch
from torch import Tensor

from tilewise import _gemm
from tilewise._arrays import remember_family
from tilewise._errors import invalid
from tilewise._library import Library
from tilewise._torch_arrays import _WORDS, TORCH, torch_type

# So that nothing has to be looked for while a tracer watches.
for _kind in (Tensor, torch.nn.Parameter):
    remember_family(_kind, TORCH)

#: What there are gradients of.
DIFFERENTIABLE = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def result_dtype(a: Tensor, dtype: torch.dtype | None) -> torch.dtype:
    """The type of a product where `dtype` may say it."""
    if dtype is not None:
        return dtype
    word = _WORDS.get(a.dtype)
    return a.dtype if word is None else torch_type(_gemm.result_type(word))


def through(activation: str, grad: Tensor, z: Tensor) -> Tensor:
    """The gradient of z, given that of the activation of z."""
    if activation == "relu":
        return grad * (z > 0)
    if activation == "silu":
        return torch.ops.aten.silu_backward(grad, z)
    approximate = "tanh" if activation == "gelu_tanh" else "none"
    return torch.ops.aten.gelu_backward(grad, z, approximate=approximate)


def refuse_options(stream: int | None, library: Library | None) -> None:
    """What operators cannot take."""
    if stream is not None or library is not None:
        raise invalid("with gradients or under a tracer the current stream and the default library are used; leave "
                      "stream and library, or set_default the library")  # fmt: skip


def refuse_gradients(*tensors: Tensor | None) -> None:
    """Of what is written in place."""
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors):
        raise invalid("with out= there are no gradients; leave it, or detach the tensors")

"""PyTorch's tensors, of the CPU and of CUDA devices."""

from __future__ import annotations

from typing import Any

import torch

from tilewise._arrays import HOST, NAMES, View, word_of

_WORDS = {getattr(torch, name): word for word, name in NAMES.items() if hasattr(torch, name)}
_TYPES = {word: dtype for dtype, word in _WORDS.items()}
_cpu = torch.device("cpu")
#: Builds without CUDA have none.
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
_is_compiling = torch.compiler.is_compiling
_is_grad_enabled = torch.is_grad_enabled
_empty = torch.empty


def torch_type(word: str) -> torch.dtype:
    """PyTorch's dtype for a word."""
    dtype = _TYPES.get(word)
    if dtype is None:
        raise TypeError(f"this PyTorch has no {NAMES[word]}")
    return dtype


class TorchFamily:
    traces = True

    def signature(self, array: Any) -> tuple[Any, ...]:
        return (array.shape, array.stride(), array.dtype, array.get_device())

    def view(self, array: Any, name: str) -> View:
        word = _WORDS.get(array.dtype) or word_of(str(array.dtype).removeprefix("torch."), name)
        if array.layout is not torch.strided:
            raise TypeError(f"{name} is {array.layout}; kernels take strided tensors")
        if array.is_conj() or array.is_neg():
            raise TypeError(f"{name} is a lazy conjugate or negative; resolve it first")
        if array.device.type not in ("cpu", "cuda"):
            raise TypeError(f"{name} is on {array.device}; kernels take tensors of cuda and cpu")
        device = f"cuda:{array.get_device()}" if array.is_cuda else HOST
        return View(tuple(array.shape), tuple(array.stride()), word, device)

    def pointer(self, array: Any) -> int:
        return array.data_ptr()  # type: ignore[no-any-return]

    def stream(self, array: Any) -> int:
        if not array.is_cuda:
            return 0
        if _raw_stream is not None:
            return _raw_stream(array.get_device())  # type: ignore[no-any-return]
        return int(torch.cuda.current_stream(array.device).cuda_stream)

    def empty(self, like: Any, shape: tuple[int, ...], type: str) -> Any:
        return _empty(shape, dtype=_TYPES[type], device=like.device)

    def reinterpret(self, array: Any, type: str) -> Any:
        return array.view(torch_type(type))

    def is_traced(self, *arrays: Any) -> bool:
        if _is_compiling():
            return True
        for array in arrays:
            if array is None:
                continue
            if type(array) not in _PLAIN or array.is_meta or (array.requires_grad and _is_grad_enabled()):
                return True
        return False


#: What computes at once; other subclasses are tracers' and wrappers'.
_PLAIN = (torch.Tensor, torch.nn.Parameter)

TORCH = TorchFamily()

"""PyTorch's tensors, of the CPU and of CUDA devices."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from tilewise._native import Exchange
from tilewise._views import HOST, NAMES, Family, View, word_of

_WORDS = {getattr(torch, name): word for word, name in NAMES.items() if hasattr(torch, name)}
_TYPES = {word: dtype for dtype, word in _WORDS.items()}
#: Builds without CUDA have none.
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)


def torch_type(word: str) -> torch.dtype:
    """PyTorch's dtype for a word."""
    dtype = _TYPES.get(word)
    if dtype is None:
        raise TypeError(f"this PyTorch has no {NAMES[word]}")
    return dtype


def _libraries() -> tuple[ctypes.CDLL, ctypes.CDLL] | None:
    """PyTorch's own, which are in the process already; None: they lie elsewhere."""
    folder = os.path.join(os.path.dirname(torch.__file__), "lib")
    try:
        return ctypes.CDLL(f"{folder}/libtorch_cpu.so"), ctypes.CDLL(f"{folder}/libtorch_python.so")
    except OSError:
        return None


def _maker(libraries: tuple[ctypes.CDLL, ctypes.CDLL] | None) -> tuple[int, int, int, int, int, int] | None:
    """How tensors are made in C; None: only by `new_empty`, as in versions of PyTorch that lack any of this."""
    if libraries is None:
        return None
    core, python = libraries

    def address(library: ctypes.CDLL, name: str) -> int:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0

    try:
        return (
            address(core, "aoti_torch_empty_strided"),
            address(core, "aoti_torch_get_data_ptr"),
            address(core, "aoti_torch_delete_tensor_object"),
            # PyObject *THPVariable_Wrap(const at::TensorBase &): its name has the types in it, so another is not found.
            address(python, "_Z16THPVariable_WrapRKN2at10TensorBaseE"),
            core.aoti_torch_device_type_cpu(),
            core.aoti_torch_device_type_cuda(),
        )
    except AttributeError:
        return None


def _grad_mode(libraries: tuple[ctypes.CDLL, ctypes.CDLL] | None) -> int:
    """PyTorch's ``is_grad_enabled`` in C; 0: it has none."""
    function = libraries and getattr(libraries[0], "aoti_torch_grad_mode_is_enabled", None)
    return ctypes.cast(function, ctypes.c_void_p).value or 0 if function else 0


_libtorch = _libraries()


def _exchange() -> Exchange | None:
    """Versions of PyTorch without it, or with another, have tensors looked at by their attributes."""
    capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    try:
        types = (torch.Tensor, torch.nn.Parameter)
        return capsule and Exchange(capsule, types, torch.is_grad_enabled, _grad_mode(_libtorch), _maker(_libtorch))
    except (LookupError, ValueError):
        return None


class TorchFamily(Family):
    """Tensors that are computed with at once."""

    traces = True
    exchange = _exchange()
    # Without a frame of Python's in between. Tracers other than Dynamo have tensors of their own classes.
    is_compiling = staticmethod(torch.compiler.is_dynamo_compiling)
    is_grad_enabled = staticmethod(torch.is_grad_enabled)
    pointer = staticmethod(torch.Tensor.data_ptr)

    def signature(self, array: Any) -> tuple[Any, ...]:
        return (array.shape, array.stride(), array.dtype, array.get_device(), array.requires_grad, array.is_neg())

    def together(self, a: Any, b: Any, c: Any, d: Any) -> tuple[Any, ...]:
        # Without a call for each of them.
        return (
            a.shape, a.stride(), a.dtype, a.get_device(), a.requires_grad, a.is_neg(),
            b.shape, b.stride(), b.dtype, b.get_device(), b.requires_grad, b.is_neg(),
            None if c is None else (c.shape, c.stride(), c.dtype, c.get_device(), c.requires_grad, c.is_neg()),
            None if d is None else (d.shape, d.stride(), d.dtype, d.get_device(), d.requires_grad, d.is_neg()),
        )  # fmt: skip

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

    def stream(self, view: View) -> Callable[[], int]:
        if view.device == HOST:
            return super().stream(view)
        device = int(view.device.partition(":")[2])
        if _raw_stream is not None:
            return partial(_raw_stream, device)
        return lambda: int(torch.cuda.current_stream(device).cuda_stream)

    def empty(self, like: Any, shape: tuple[int, ...], type: str) -> Any:
        return like.new_empty(*shape, **self.keywords(like, type))

    def keywords(self, like: Any, type: str) -> dict[str, Any]:
        dtype = torch_type(type)
        return {} if like.dtype is dtype else {"dtype": dtype}

    def number(self, type: str) -> int:
        numbered = _libtorch and getattr(_libtorch[0], f"aoti_torch_dtype_{NAMES[type]}", None)
        return int(numbered()) if numbered else -1

    def permute(self, array: Any, axes: tuple[int, ...]) -> Any:
        return array.permute(axes)

    def reinterpret(self, array: Any, type: str) -> Any:
        return array.view(torch_type(type))

    def wants_gradients(self, array: Any) -> bool:
        return bool(array.requires_grad)


class WatchedFamily(TorchFamily):
    """Tensors of tracers and wrappers, which PyTorch's dispatcher has to see."""

    exchange = None

    def is_compiling(self) -> bool:
        return True


TORCH, WATCHED = TorchFamily(), WatchedFamily()


def torch_family(kind: type) -> TorchFamily:
    """The family of a class of tensors."""
    return TORCH if kind in (torch.Tensor, torch.nn.Parameter) else WATCHED

"""Arrays of any package that speaks DLPack: JAX's, for one. Results need ``out``.

DLPack's structs are those of its header, version 0.8 (`DLManagedTensor`), which every producer still gives unless
it is asked for another.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any

from tilewise._views import HOST, Family, View, dense

_NAME = b"dltensor"
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
#: By code and bits.
_TYPES = {(0, 8): "i8", (0, 32): "i32", (0, 64): "i64", (1, 8): "u8", (1, 16): "u16", (1, 32): "u32",
          (1, 64): "u64", (2, 16): "f16", (2, 32): "f32", (2, 64): "f64", (4, 16): "bf16", (10, 8): "e4m3",
          (12, 8): "e5m2"}  # fmt: skip


class _Tensor(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]

#: The per-thread default stream, which producers are to wait with where nothing else is said.
_LEGACY_STREAM = 1


def _export(array: Any) -> tuple[Any, _Tensor]:
    """The capsule, which frees what it holds when it is collected, and the tensor in it."""
    kind = array.__dlpack_device__()[0]
    on_cuda = kind in (_CUDA, _CUDA_MANAGED)
    capsule = array.__dlpack__(stream=_LEGACY_STREAM) if on_cuda else array.__dlpack__()
    return capsule, _Tensor.from_address(_get_pointer(capsule, _NAME))


class DlpackFamily(Family):
    """Told by DLPack alone. It has no word for who may write, so such arrays are not written to."""

    def signature(self, array: Any) -> tuple[Any, ...]:
        return self.view(array, "an array")

    def view(self, array: Any, name: str) -> View:
        capsule, tensor = _export(array)
        word = _TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
        if word is None:
            raise TypeError(f"{name} has elements of DLPack's type {tensor.code} with {tensor.bits} bits, which no "
                            "kernel takes")  # fmt: skip
        shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else dense(shape)
        if tensor.device_type in (_CUDA, _CUDA_MANAGED):
            device = f"cuda:{tensor.device_id}"
        elif tensor.device_type in (_CPU, _CUDA_HOST):
            device = HOST
        else:
            raise TypeError(f"{name} is on a device of DLPack's kind {tensor.device_type}; kernels take the host's "
                            "memory and CUDA's")  # fmt: skip
        return View(shape, strides, word, device, False)

    def pointer(self, array: Any) -> int:
        capsule, tensor = _export(array)
        return (tensor.data or 0) + int(tensor.byte_offset)


DLPACK = DlpackFamily()

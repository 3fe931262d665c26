"""CuPy's arrays, on CUDA devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy

from tilewise._native import Exchange, attributes_exchange
from tilewise._views import BYTES, Family, View, elements, numpy_type, word_of

#: DLPack's codes of types that NumPy has itself.
_CODES = {"f": 2, "i": 0, "u": 1}


def _exchange() -> Exchange | None:
    """Versions of CuPy that do not tell streams in C have arrays looked at by Python."""
    types = {
        numpy_type(word): (_CODES[word[0]], 8 * size)
        for word, size in BYTES.items()
        if word[0] in _CODES and word[1:].isdigit()
    }
    try:
        from cupy_backends.cuda import stream

        capsule = attributes_exchange(types, stream.__pyx_capi__["get_stream_ptr"])
    except (ImportError, AttributeError, LookupError, ValueError):
        return None
    return Exchange(capsule, (cupy.ndarray,), None, 0, None, cupy.ndarray)


class CupyFamily(Family):
    """CuPy's arrays, on a CUDA device."""

    exchange = _exchange()

    def signature(self, array: Any) -> tuple[Any, ...]:
        return (array.shape, array.strides, array.dtype, array.data.device_id)

    def view(self, array: Any, name: str) -> View:
        word = word_of(array.dtype.name, name)
        return View(array.shape, elements(array.strides, BYTES[word], name), word, f"cuda:{array.data.device_id}")

    def pointer(self, array: Any) -> int:
        return int(array.data.ptr)

    def stream(self, view: View) -> Callable[[], int]:
        current, device = cupy.cuda.get_current_stream, int(view.device.partition(":")[2])
        return lambda: int(current(device).ptr)

    def empty(self, like: Any, shape: tuple[int, ...], type: str) -> Any:
        with cupy.cuda.Device(like.data.device_id):
            return cupy.empty(shape, numpy_type(type))

    def keywords(self, like: Any, type: str) -> dict[str, Any]:
        return {"dtype": numpy_type(type)}

    def reinterpret(self, array: Any, type: str) -> Any:
        return array.view(numpy_type(type))


CUPY = CupyFamily()

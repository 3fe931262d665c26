"""libtilewise: where it is, and its header in ctypes.

``tilewise.h`` is the manual of everything declared here; names are its own without ``tw_``.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import sys
import threading
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

from tilewise._errors import Error, error_of, invalid

try:
    from tilewise._launch import Call, Exchange, attributes_exchange, hasten
except ImportError as problem:
    raise ImportError(
        f"tilewise: the compiled part of the package cannot be loaded ({problem}); install it (pip install "
        "./runtime/python in a checkout), or use that of a build (PYTHONPATH=build/release/python)"
    ) from None

#: The oldest library that has all that is called here.
NEEDS = 100
DIMENSIONS, STRIDES = 8, 8
SONAME = "libtilewise.so.0"
#: A wheel brings a whole installation of the program and the library.
BUNDLED = pathlib.Path(__file__).resolve().parent / "_native"


class NativeError(Structure):
    _fields_ = [("status", c_int), ("message", c_char * 1024)]


class Options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("device", c_char_p),
        ("context", c_void_p),
        ("databases", POINTER(c_char_p)),
        ("descriptions", POINTER(c_char_p)),
        ("cache_policy", c_char_p),
        ("binary_directory", c_char_p),
        ("binary_directory_bytes", c_uint64),
        ("trust_binaries", c_int),
        ("on_miss", c_int),
        ("tune_seconds", c_double),
        ("tune_program", c_char_p),
        ("prepared_only", c_int),
        ("plan_limit", c_uint64),
    ]


class GemmDescriptor(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("a_type", c_char_p),
        ("b_type", c_char_p),
        ("c_type", c_char_p),
        ("compute_type", c_char_p),
        ("transposes", c_int),
        ("m", c_int64),
        ("n", c_int64),
        ("k", c_int64),
        ("lda", c_int64),
        ("ldb", c_int64),
        ("ldc", c_int64),
        ("alpha", c_double),
        ("beta", c_double),
        ("device_alpha", c_void_p),
        ("device_beta", c_void_p),
        ("batch_count", c_int64),
        ("batch_stride_a", c_int64),
        ("batch_stride_b", c_int64),
        ("batch_stride_c", c_int64),
        ("bias", c_void_p),
        ("activation", c_int),
        ("a_scale", c_void_p),
        ("b_scale", c_void_p),
        ("c_scale", c_void_p),
        ("bias_along", c_int),
        ("e", c_void_p),
        ("lde", c_int64),
        ("batch_stride_e", c_int64),
        ("alignment", c_int64),
        ("scaling", c_int),
    ]


class AatDescriptor(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("compute_type", c_char_p),
        ("m", c_int64),
        ("k", c_int64),
        ("lda", c_int64),
        ("ldc", c_int64),
        ("alignment", c_int64),
    ]


class Request(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kernel", c_char_p),
        ("attributes", c_char_p),
        ("dimensions", c_int64 * DIMENSIONS),
        ("strides", c_int64 * STRIDES),
        ("alignment", c_int64),
    ]


class ArgumentInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("kind", c_char_p),
        ("type", c_char_p),
        ("access", c_char_p),
        ("present", c_int),
        ("layers", c_int64),
        ("rows", c_int64),
        ("columns", c_int64),
        ("stride", c_int64),
        ("layer_stride", c_int64),
        ("bytes", c_uint64),
        ("stride_index", c_int),
        ("layer_stride_index", c_int),
    ]


class Binding(Structure):
    _fields_ = [("name", c_char_p), ("buffer", c_void_p), ("number", c_double)]


class Explanation(Structure):
    _fields_ = [
        ("kernel", c_char_p),
        ("problem", c_char_p),
        ("rule", c_char_p),
        ("reason", c_char_p),
        ("implementation", c_char_p),
        ("configuration", c_char_p),
        ("row_problem", c_char_p),
        ("row_device", c_char_p),
        ("row_time_us", c_double),
        ("distance", c_double),
        ("passed_over", c_char_p),
        ("binary", c_char_p),
        ("made_ms", c_double),
        ("loading_ms", c_double),
        ("workspace_bytes", c_uint64),
        ("text", c_char_p),
        ("predicted_us", c_double),
        ("uncertainty", c_double),
        ("runners_up", c_char_p),
    ]


#: Pointers that change from call to call are plain integers, which ctypes passes fastest.
_ADDRESS = c_void_p
_FUNCTIONS: dict[str, tuple[object, list[object]]] = {
    "tw_version": (c_char_p, []),
    "tw_version_number": (c_int, []),
    "tw_open": (c_int, [POINTER(c_void_p), POINTER(Options), _ADDRESS]),
    "tw_close": (None, [_ADDRESS]),
    "tw_device_id": (c_char_p, [_ADDRESS]),
    "tw_device_name": (c_char_p, [_ADDRESS]),
    "tw_gemm_ex": (c_int, [_ADDRESS] * 7),
    "tw_transpose": (c_int, [_ADDRESS, _ADDRESS, c_int, c_int64, c_int64, *[_ADDRESS, c_int64] * 2, _ADDRESS]),
    "tw_copy": (c_int, [_ADDRESS, _ADDRESS, c_int, c_int64, c_int64, *[_ADDRESS, c_int64] * 2, _ADDRESS]),
    "tw_aat": (c_int, [_ADDRESS, _ADDRESS, c_int64, c_int64, *[_ADDRESS, c_int64] * 2, _ADDRESS]),
    "tw_aat_ex": (c_int, [_ADDRESS, _ADDRESS, POINTER(AatDescriptor), _ADDRESS, _ADDRESS, _ADDRESS]),
    "tw_plan_create": (c_int, [POINTER(c_void_p), _ADDRESS, POINTER(Request), _ADDRESS]),
    "tw_plan_release": (None, [_ADDRESS]),
    "tw_prepare": (c_int, [_ADDRESS, POINTER(Request), c_size_t, c_int, _ADDRESS, _ADDRESS, _ADDRESS]),
    "tw_request_argument": (c_int, [POINTER(ArgumentInfo), _ADDRESS, POINTER(Request), c_size_t, _ADDRESS]),
    "tw_launch": (c_int, [_ADDRESS, _ADDRESS, _ADDRESS, c_size_t, _ADDRESS]),
    "tw_plan_explain": (POINTER(Explanation), [_ADDRESS]),
    "tw_allocate": (c_int, [POINTER(c_void_p), _ADDRESS, c_uint64, _ADDRESS]),
    "tw_release": (None, [_ADDRESS, _ADDRESS]),
    "tw_wait": (c_int, [_ADDRESS, _ADDRESS, _ADDRESS]),
}


def _places() -> list[str]:
    given = os.environ.get("TILEWISE_LIBRARY")
    if given:
        return [given]
    bundled = BUNDLED / "lib" / SONAME
    return [str(bundled)] if bundled.exists() else [SONAME]


def _load() -> ctypes.CDLL:
    if not sys.platform.startswith("linux"):
        raise ImportError(f"tilewise: libtilewise is for Linux, and this is {sys.platform}")
    place = _places()[0]
    try:
        library = ctypes.CDLL(place)
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except OSError as problem:
        raise ImportError(
            f"tilewise: {place} cannot be loaded ({problem}); install libtilewise (Debian package libtilewise0, or "
            "cmake --install), or say in TILEWISE_LIBRARY where it is"
        ) from None
    except AttributeError as problem:
        raise ImportError(f"tilewise: {place} is too old for this package ({problem}); install a newer one") from None
    if library.tw_version_number() < NEEDS:
        version = library.tw_version().decode()
        raise ImportError(f"tilewise: {place} is version {version}, which is too old for this package")
    return library


library = _load()


class _Thread(threading.local):
    """A thread's own place for errors, so that none is overwritten by another's."""

    def __init__(self) -> None:
        self.error = NativeError()
        self.address = ctypes.addressof(self.error)


_thread = _Thread()


def address_of(function: str) -> int:
    """Where a function of the library is."""
    return ctypes.cast(getattr(library, function), c_void_p).value or 0


def error_address() -> int:
    """Where the calling thread has its errors put."""
    return _thread.address


def failure(status: int) -> Error:
    """The exception for the error that the calling thread was just given."""
    return error_of(status, _thread.error.message.decode(errors="replace"))


def fail(status: int, message: bytes) -> None:
    """Raises what a call said."""
    raise error_of(status, message.decode(errors="replace"))


def check(status: int) -> None:
    """Raises what a call that failed said."""
    if status != 0:
        raise failure(status)


def texts(words: list[str] | None) -> object:
    """An array of C strings that ends with NULL; None for None."""
    if words is None:
        return None
    return (c_char_p * (len(words) + 1))(*[bytes_of(word) for word in words], None)


def bytes_of(word: str | os.PathLike[str] | None) -> bytes | None:
    """A path or a word as C has it."""
    encoded = None if word is None else os.fsencode(word)
    # C would take what stands before it for all of it.
    if encoded is not None and b"\0" in encoded:
        raise invalid(f"{word!r} has a null character in it")
    return encoded


__all__ = [
    "ArgumentInfo",
    "Binding",
    "Call",
    "Exchange",
    "Explanation",
    "GemmDescriptor",
    "Options",
    "Request",
    "address_of",
    "attributes_exchange",
    "byref",
    "bytes_of",
    "check",
    "error_address",
    "fail",
    "failure",
    "hasten",
    "library",
    "texts",
]

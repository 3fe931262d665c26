"""Arrays as CuPy's: what they are is in attributes, and there is no GPU that they could be on."""

import ctypes

import numpy

from tilewise import _native
from tilewise._arrays import _families, exchanges
from tilewise._views import Family, View, dense, elements

STREAM = 0x55
MADE = 0xB00000
#: What Python was asked, and the device that new arrays are made on.
looks, current = [], [0]
TYPES = {numpy.dtype("f4"): (2, 32), numpy.dtype("f8"): (2, 64)}
WORDS = {"float32": "f32", "float64": "f64", "float16": "f16"}


class Memory:
    def __init__(self, ptr, device_id):
        self.ptr, self.device_id = ptr, device_id


class Array:
    def __init__(self, shape, address=MADE, dtype="f4", strides=None, device=None):
        self.shape, self.dtype = tuple(shape), numpy.dtype(dtype)
        self.strides = strides or tuple(stride * self.dtype.itemsize for stride in dense(self.shape))
        self._c_contiguous = strides is None
        self.data = Memory(address, current[0] if device is None else device)


class Told(Family):
    def signature(self, array):
        looks.append("signature")
        return (array.shape, array.strides, array.dtype, array.data.device_id)

    def view(self, array, name):
        steps = elements(array.strides, array.dtype.itemsize, name)
        return View(array.shape, steps, WORDS[array.dtype.name], f"cuda:{array.data.device_id}")

    def pointer(self, array):
        return array.data.ptr

    def stream(self, view):
        return lambda: STREAM

    def empty(self, like, shape, type):
        looks.append("empty")
        return Array(shape, dtype=self.keywords(like, type)["dtype"], device=like.data.device_id)

    def keywords(self, like, type):
        return {"dtype": next(name for name, word in WORDS.items() if word == type)}


@ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_int)
def stream_of(device):
    return STREAM


def capsule(name):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.cast(stream_of, ctypes.c_void_p), name, None)


#: Capsules keep no name of their own.
_NAME, WRONG = b"intptr_t (int)", b"int (void)"
EXCHANGE = _native.Exchange(_native.attributes_exchange(TYPES, capsule(_NAME)), (Array,), None, 0, None, Array)
Told.exchange = EXCHANGE
_families[Array] = Told()
exchanges[Array] = EXCHANGE

"""Arrays of a package that has DLPack's C exchange interface, as PyTorch's, said to be on a GPU that is not there."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int32, c_int64, c_uint32, c_void_p, py_object

from tilewise import _native
from tilewise._arrays import _families, exchanges
from tilewise._dlpack import _Tensor
from tilewise._views import BYTES, Family, View, dense

STREAM = 0x77
MADE = 0x900000
#: Of what an array lies in.
OFFSET = 4
MADE_IN_C = 0xA00000
#: What Python was asked of arrays, and those that fail.
looks, broken = [], set()
#: What the maker was asked for, what it has made and nobody has dropped, and for which types it fails.
makings, handles, unmade = [], {}, set()


class Array:
    requires_grad = False

    def __init__(self, shape, address, strides=None, bits=32):
        self.shape, self.strides, self.address, self.bits = shape, strides or dense(shape), address, bits
        self.sizes, self.steps = (c_int64 * len(shape))(*shape), (c_int64 * len(shape))(*self.strides)

    def new_empty(self, *shape, dtype=None):
        return Array(shape, MADE, bits=dtype or self.bits)


class Exchanging(Family):
    def signature(self, array):
        looks.append("signature")
        return (array.shape, array.strides, array.bits)

    def view(self, array, name):
        return View(array.shape, array.strides, f"f{array.bits}", "cuda:0")

    def pointer(self, array):
        return array.address

    def stream(self, view):
        return lambda: STREAM

    def empty(self, like, shape, type):
        looks.append("empty")
        return like.new_empty(*shape, **self.keywords(like, type))

    def keywords(self, like, type):
        return {} if like.bits == 8 * BYTES[type] else {"dtype": 8 * BYTES[type]}

    def number(self, type):
        return {"f32": 6, "f64": 7}.get(type, -1)


@CFUNCTYPE(c_int, py_object, POINTER(_Tensor))
def look(array, out):
    if id(array) in broken:
        return -1
    tensor = out.contents
    tensor.data, tensor.byte_offset = array.address - OFFSET, OFFSET
    tensor.device_type, tensor.device_id, tensor.ndim = 2, 0, len(array.shape)
    tensor.code, tensor.bits, tensor.lanes = 2, array.bits, 1
    tensor.shape, tensor.strides = array.sizes, array.steps
    return 0


@CFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p))
def current_stream(device_type, device_id, out):
    out[0] = STREAM
    return 0


@CFUNCTYPE(c_int32, c_int64, POINTER(c_int64), POINTER(c_int64), c_int32, c_int32, c_int32, POINTER(c_void_p))
def empty_strided(dimensions, sizes, strides, type, device_type, device_id, handle):
    makings.append((sizes[:dimensions], strides[:dimensions], type, device_type, device_id))
    if type in unmade:
        return 1
    handles[len(makings)] = Array(tuple(sizes[:dimensions]), MADE_IN_C, bits={6: 32, 7: 64}[type])
    handle[0] = len(makings)
    return 0


@CFUNCTYPE(c_int32, c_void_p, POINTER(c_void_p))
def data(handle, out):
    out[0] = handles[handle].address
    return 0


@CFUNCTYPE(c_int32, c_void_p)
def drop(handle):
    del handles[handle]
    return 0


@CFUNCTYPE(py_object, c_void_p)
def wrap(handle):
    return handles[handle]


MAKER = (*(ctypes.cast(function, c_void_p).value for function in (empty_strided, data, drop, wrap)), 0, 1)


class Interface(ctypes.Structure):
    pass


Interface._fields_ = [("major", c_uint32), ("minor", c_uint32), ("previous", POINTER(Interface)),
                      *[(name, c_void_p) for name in ("allocate", "export", "import", "look", "current_stream")]]


def interface(major=1, previous=None):
    made = Interface(major=major, minor=3, look=ctypes.cast(look, c_void_p),
                     current_stream=ctypes.cast(current_stream, c_void_p))
    if previous is not None:
        made.previous = ctypes.pointer(previous)
    return made


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
_kept = []


def capsule(major=1, previous=None, name=b"dlpack_exchange_api"):
    made = interface(major, previous)
    _kept.append((made, name))
    return _new(ctypes.addressof(made), name, None)


INTERFACE = interface()
EXCHANGE = _native.Exchange(capsule(), (Array,), lambda: True, 0, MAKER)
Exchanging.exchange = EXCHANGE
_families[Array] = Exchanging()
exchanges[Array] = EXCHANGE

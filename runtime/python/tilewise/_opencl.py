"""The host's memory as OpenCL sees it: arrays become buffers where they are, and nothing is copied on a CPU.

On an OpenCL GPU the driver brings arrays there and back. A call returns when its results are in the arrays, as
users of NumPy expect, so that nothing has to be kept alive beyond it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import byref, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

from tilewise import _native
from tilewise._errors import Error

_READ_WRITE, _READ_ONLY, _USE_HOST_POINTER = 1, 4, 8
_MAP_READ = 1
_CONTEXT_OF_BUFFER, _DEVICES_OF_CONTEXT = 0x1106, 0x1081

#: Address, bytes, and whether it is written to.
Region = tuple[int, int, bool]


def _load() -> ctypes.CDLL:
    """The loader that libtilewise works with already."""
    for name in ("libOpenCL.so.1", "libOpenCL.so"):
        try:
            cl = ctypes.CDLL(name)
            break
        except OSError:
            continue
    else:
        raise Error("libOpenCL.so.1 is not installed or cannot be loaded (Debian: ocl-icd-libopencl1)", "UNAVAILABLE")
    pointer = c_void_p
    cl.clGetMemObjectInfo.argtypes = [pointer, c_uint32, c_size_t, pointer, pointer]
    cl.clGetContextInfo.argtypes = [pointer, c_uint32, c_size_t, pointer, pointer]
    cl.clCreateCommandQueue.argtypes = [pointer, pointer, c_uint64, pointer]
    cl.clCreateCommandQueue.restype = pointer
    cl.clCreateBuffer.argtypes = [pointer, c_uint64, c_size_t, pointer, pointer]
    cl.clCreateBuffer.restype = pointer
    cl.clReleaseMemObject.argtypes = [pointer]
    cl.clEnqueueMapBuffer.argtypes = [pointer, pointer, c_uint32, c_uint64, c_size_t, c_size_t, c_uint32,
                                      pointer, pointer, pointer]  # fmt: skip
    cl.clEnqueueMapBuffer.restype = pointer
    cl.clEnqueueUnmapMemObject.argtypes = [pointer, pointer, pointer, c_uint32, pointer, pointer]
    cl.clFinish.argtypes = [pointer]
    for name in ("clGetMemObjectInfo", "clGetContextInfo", "clReleaseMemObject", "clEnqueueUnmapMemObject",
                 "clFinish"):  # fmt: skip
        getattr(cl, name).restype = c_int
    return cl


def _check(status: int, what: str) -> None:
    if status != 0:
        raise Error(f"{what} failed with OpenCL's error {status}", "DEVICE")


class HostMemory:
    """What it takes to launch on the host's memory: the library's context, and a queue in it.

    Parameters
    ----------
    library : int
        An open ``tw_library`` on an OpenCL device.
    """

    def __init__(self, library: int) -> None:
        self._cl = _load()
        probe = c_void_p()
        _native.check(_native.library.tw_allocate(byref(probe), library, 16, _native.error_address()))
        context, device, status = c_void_p(), c_void_p(), c_int32()
        try:
            _check(
                self._cl.clGetMemObjectInfo(probe, _CONTEXT_OF_BUFFER, ctypes.sizeof(context), byref(context), None),
                "clGetMemObjectInfo",
            )
            _check(
                self._cl.clGetContextInfo(context, _DEVICES_OF_CONTEXT, ctypes.sizeof(device), byref(device), None),
                "clGetContextInfo",
            )
            queue = self._cl.clCreateCommandQueue(context, device, 0, byref(status))
            _check(status.value, "clCreateCommandQueue")
        finally:
            _native.library.tw_release(library, probe)
        self._context, self._queue = context.value, queue

    def _buffer(self, region: Region) -> int:
        address, size, written = region
        status = c_int32()
        flags = _USE_HOST_POINTER | (_READ_WRITE if written else _READ_ONLY)
        buffer = self._cl.clCreateBuffer(self._context, flags, size, address, byref(status))
        _check(status.value, "clCreateBuffer")
        return buffer  # type: ignore[no-any-return]

    def _bring(self, buffer: int, size: int) -> None:
        """Waits until what is queued is done and the host sees what the device wrote."""
        status = c_int32()
        mapped = self._cl.clEnqueueMapBuffer(
            self._queue, buffer, 1, _MAP_READ, 0, size, 0, None, None, byref(status)
        )  # fmt: skip
        _check(status.value, "clEnqueueMapBuffer")
        _check(
            self._cl.clEnqueueUnmapMemObject(self._queue, buffer, mapped, 0, None, None), "clEnqueueUnmapMemObject"
        )

    def run(self, regions: Sequence[Region], launch: Callable[[int, list[int]], None]) -> None:
        """Calls `launch` with a queue and a buffer for each region, and waits until it is done.

        A region that is there twice is one buffer: what two buffers of the same memory hold is not defined.
        """
        buffers: dict[tuple[int, int], int] = {}
        written = {region[:2] for region in regions if region[2]}
        try:
            for region in regions:
                if region[:2] not in buffers:
                    buffers[region[:2]] = self._buffer((*region[:2], region[:2] in written))
            launch(self._queue, [buffers[region[:2]] for region in regions])
            for place in written:
                self._bring(buffers[place], place[1])
        finally:
            # Also what a failed call may have queued works in memory that is the caller's.
            status = self._cl.clFinish(self._queue)
            for buffer in buffers.values():
                self._cl.clReleaseMemObject(buffer)
        _check(status, "clFinish")

"""Any kernel on arrays, the built-in ones and a user's own."""

from __future__ import annotations

import ctypes
import numbers as kinds
from ctypes import byref, sizeof
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tilewise import _native
from tilewise._arrays import family_of
from tilewise._errors import NotFoundError, invalid
from tilewise._library import Library, Problem, calls, default_library, remember
from tilewise._matrices import row_major
from tilewise._views import HOST, View

_thread = _native._thread


@dataclass(frozen=True)
class Argument:
    """What one argument of a kernel is for a problem: ``tw_argument_info`` in ``tilewise.h``."""

    name: str
    kind: str
    """``buffer``, ``scalar`` or ``stride``."""
    type: str | None
    access: str | None
    """Of a buffer: ``in``, ``out`` or ``inout``."""
    present: bool
    layers: int
    rows: int
    columns: int
    stride: int
    layer_stride: int
    bytes: int
    stride_index: int
    layer_stride_index: int


def arguments(problem: Problem, library: Library | None = None) -> list[Argument]:
    """The arguments of a kernel for a problem, in the order of its description. Compiles nothing.

    Parameters
    ----------
    problem : Problem
    library : Library, optional
        By default the one for the host's arrays.
    """
    handle = (library or default_library()).handle
    request = problem.request()
    found: list[Argument] = []
    while True:
        info = _native.ArgumentInfo(size=sizeof(_native.ArgumentInfo))
        try:
            _native.check(
                _native.library.tw_request_argument(byref(info), handle, byref(request), len(found), _thread.address)
            )
        except NotFoundError:
            if not found:
                raise
            return found
        values: dict[str, Any] = {}
        for name, *_ in _native.ArgumentInfo._fields_[1:]:
            value = getattr(info, name)
            values[name] = value.decode() if isinstance(value, bytes) else value
        values["present"] = bool(values["present"])
        found.append(Argument(**values))


class Prepared(NamedTuple):
    """A launch but for where its arrays are."""

    kernel: str
    library: Library
    plan: int
    bindings: ctypes.Array[_native.Binding]
    """Buffers first, then numbers; copied for each launch."""
    regions: list[tuple[int, bool]]
    """Bytes of each buffer, and whether it is written to."""
    on_host: bool
    names: list[bytes]
    """What the bindings point to."""
    stream: Callable[[], int]


def _lies_as(argument: Argument, view: View, kernel: str) -> list[tuple[int, int]]:
    """The strides that an array has for a buffer, as (index in the request, elements)."""
    name = f"{kernel}: {argument.name}"
    shape: tuple[int, ...] = (argument.rows, argument.columns)
    if argument.layers > 1:
        shape = (argument.layers, *shape)
    flat = (argument.layers * argument.rows * argument.columns,)
    if view.type != argument.type:
        raise invalid(f"{name} is of {view.type}; it must be of {argument.type}")
    if view.shape == flat and (flat == (1,) or view.strides == (1,)):
        distance, layer_distance = argument.columns, argument.rows * argument.columns
    elif view.shape == shape:
        found = row_major(view, name)
        distance, layer_distance = found.distance, found.batch_stride
    else:
        raise invalid(f"{name} has the shape {view.shape}; it must be {shape}")
    strides = []
    if argument.rows > 1:
        strides.append((argument.stride_index, distance, argument.columns))
    if argument.layers > 1:
        strides.append((argument.layer_stride_index, layer_distance, argument.rows * argument.columns))
    for index, found_distance, without_gaps in strides:
        if index < 0 and found_distance != without_gaps:
            raise invalid(f"{name} has gaps (strides {view.strides}), and the kernel takes none there; copy it")
    return [(index, found_distance) for index, found_distance, _ in strides if index >= 0]


def _bind(problem: Problem, views: Mapping[str, View], scalars: Sequence[str], library: Library) -> Problem:
    """The problem with the strides of the arrays; checks that all that is given goes together."""
    known = {argument.name: argument for argument in arguments(problem, library)}
    strides = [0] * _native.STRIDES
    for i, stride in enumerate(problem.strides):
        strides[i] = stride
    for name, argument in known.items():
        if argument.kind == "buffer" and argument.present and name not in views:
            given = ", and was given a number for it" if name in scalars else ""
            raise invalid(f"{problem.kernel} needs the buffer {name}{given}")
    for name in (*views, *scalars):
        found, kind = known.get(name), "buffer" if name in views else "scalar"
        if found is None or found.kind != kind or not found.present:
            there = [other.name for other in known.values() if other.kind == kind and other.present]
            raise invalid(f"{problem.kernel} has no {kind} {name!r} for this problem; there are "
                          f"{', '.join(there) or 'none'}")  # fmt: skip
    for name, view in views.items():
        if known[name].access != "in" and not view.writable:
            raise invalid(f"{problem.kernel}: {name} cannot be written to")
        for index, stride in _lies_as(known[name], view, problem.kernel):
            if strides[index] not in (0, stride):
                raise invalid(f"{problem.kernel}: {name} has rows at {stride}, and another stride was said or given "
                              f"by an array: {strides[index]}")  # fmt: skip
            strides[index] = stride
    return Problem(problem.kernel, problem.shape, problem.attributes, strides, problem.alignment)


def prepare(
    problem: Problem, views: Mapping[str, View], scalars: Sequence[str], library: Library, stream: Callable[[], int]
) -> Prepared:
    """What it takes to launch a problem whose strides are known, its buffers named as in the description."""
    written = {a.name for a in arguments(problem, library) if a.access not in (None, "in")}
    names = [name.encode() for name in (*views, *scalars)]
    bindings = (_native.Binding * len(names))()
    for binding, name in zip(bindings, names):
        binding.name = name
    regions = [(view.extent, name in written) for name, view in views.items()]
    plan = library.plan_handle(problem.request())
    on_host = next(iter(views.values())).device == HOST
    return Prepared(problem.kernel, library, plan, bindings, regions, on_host, names, stream)


def one_device(kernel: str, views: Mapping[str, View], library: Library | None) -> Library:
    """The library for arrays that are all on one device: the one that is given, if it can reach them."""
    devices = sorted({view.device for view in views.values()})
    if len(devices) == 2 and devices == ["cuda", "cuda:0"]:
        devices = devices[1:]
    if not devices:
        raise invalid(f"{kernel} was given no arrays; name them as in {{'A': a, 'B': b}}")
    if len(devices) != 1:
        raise invalid(f"{kernel}: arrays are on {' and '.join(devices)}; all must be on one")
    library = library or default_library(devices[0])
    library.accept(devices[0], f"an array of {kernel}")
    return library


def alignment_of(pointers: Sequence[int]) -> int:
    """What all addresses are multiples of, up to the 16 bytes that kernels are tuned for."""
    together = 16
    for pointer in pointers:
        together |= pointer & 15
    return together & -together


def _check_apart(ready: Prepared, pointers: Sequence[int]) -> None:
    """What is written to must not overlap with anything else."""
    regions = ready.regions
    for i, (size, written) in enumerate(regions):
        for j, (other, _) in enumerate(regions if written else ()):
            if i != j and pointers[i] < pointers[j] + other and pointers[j] < pointers[i] + size:
                names = " and ".join(ready.names[k].decode() for k in (i, j))
                raise invalid(f"{ready.kernel}: {names} overlap in memory; give it arrays that lie apart")


def launch(
    kernel: str,
    shape: Sequence[int],
    bindings: Mapping[str, Any],
    *,
    strides: Sequence[int] = (),
    stream: int | None = None,
    library: Library | None = None,
    **attributes: str | int,
) -> None:
    """Runs any kernel, a user's own too, on arrays.

    On CUDA the work is queued on the current stream and the call returns; in the host's memory what is written is
    there when it returns.

    Parameters
    ----------
    kernel : str
        A name that the library knows: built in, or of one of the `descriptions` that it was opened with.
    shape : sequence of int
        The problem's sizes in the description's order, as in ``(M, N)``.
    bindings : mapping
        Arrays and numbers by the names that the description has for buffers and scalars. Arrays have the shape
        ``(rows, columns)`` that it says, with a dimension of layers in front if there are several, or have one
        dimension and no gaps. Numbers that are not given have their defaults.
    strides : sequence of int, optional
        In elements and in the description's order; what is 0 or not given is taken from the arrays.
    stream : int, optional
        A CUDA stream in place of the current one.
    library : Library, optional
        By default the one of the arrays' device.
    **attributes : str or int
        The problem's, as in ``dtype="f16"``.

    Raises
    ------
    InvalidError
        An array is missing, or its shape, type or strides are not those of the problem.
    Error
        There is no such kernel or device, it does not compile, and so on.
    """
    scalars = {name: float(value) for name, value in bindings.items() if isinstance(value, kinds.Real)}
    arrays = {name: value for name, value in bindings.items() if name not in scalars}
    families = [family_of(array, name) for name, array in arrays.items()]
    pointers = [family.pointer(array) for family, array in zip(families, arrays.values())]
    alignment = alignment_of(pointers)
    key = (kernel, tuple(shape), tuple(strides), alignment, tuple(attributes.items()), tuple(scalars), tuple(arrays),
           *[family.signature(array) for family, array in zip(families, arrays.values())])  # fmt: skip
    known = calls if library is None else library.calls
    ready: Prepared | None = known.get(key)
    if ready is None:
        problem = Problem(kernel, tuple(shape), attributes, tuple(strides), alignment)
        views = {name: family.view(arrays[name], name) for name, family in zip(arrays, families)}
        on = one_device(kernel, views, library)
        first = next(iter(views))
        ready = prepare(_bind(problem, views, list(scalars), on), views, list(scalars), on,
                        families[0].stream(views[first]))  # fmt: skip
        remember(known, key, ready)
    if stream is None and families:
        stream = families[0].own_stream(next(iter(arrays.values()))) or None
    start(ready, pointers, list(scalars.values()), stream)


def start(ready: Prepared, pointers: Sequence[int], numbers: Sequence[float], stream: int | None) -> None:
    """Launches what was prepared, with buffers at these addresses; in the host's memory waits for it."""
    _check_apart(ready, pointers)
    own = type(ready.bindings).from_buffer_copy(ready.bindings)
    for binding, number in zip(own[len(pointers) :], numbers):
        binding.number = number
    if ready.on_host:
        _launch_on_host(ready, own, pointers)
        return
    for binding, pointer in zip(own, pointers):
        binding.buffer = pointer
    queue = ready.stream() if stream is None else stream
    _native.check(
        _native.library.tw_launch(ready.plan, queue, ctypes.addressof(own), len(own), _thread.address)
    )


def _launch_on_host(ready: Prepared, bindings: ctypes.Array[_native.Binding], pointers: Sequence[int]) -> None:
    def queue_it(queue: int, buffers: list[int]) -> None:
        for binding, buffer in zip(bindings, buffers):
            binding.buffer = buffer
        _native.check(
            _native.library.tw_launch(ready.plan, queue, ctypes.addressof(bindings), len(bindings), _thread.address)
        )

    regions = [(pointer, size, written) for pointer, (size, written) in zip(pointers, ready.regions)]
    ready.library.memory.run(regions, queue_it)

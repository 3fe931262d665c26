"""An open libtilewise on a device, and those that calls use when they are given none."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from collections.abc import Iterable, Sequence
from ctypes import byref, c_void_p
from dataclasses import dataclass, field
from typing import Any

from tilewise import _native
from tilewise._cuda import open_compiler
from tilewise._errors import Error, invalid
from tilewise._opencl import HostMemory
from tilewise._views import HOST

_MISSES = ("nearest", "tune", "tune-background", "fail")
#: Calls that are remembered: of more shapes than that the oldest are forgotten, and looked up anew.
MOST_CALLS = 4096

Path = str | os.PathLike[str]


def _paths(given: Path | Sequence[Path]) -> list[str]:
    """One path, or several."""
    return [os.fspath(path) for path in ([given] if isinstance(given, (str, os.PathLike)) else given)]


@dataclass(frozen=True)
class Problem:
    """A kernel with everything chosen that a plan depends on.

    Parameters
    ----------
    kernel : str
        As in ``"gemm"``; ``tune devices`` and ``tune --version`` list the built-in ones.
    shape : sequence of int
        In the order of the kernel's description, as in ``(M, N, K)``; each from 1 to 2**31 - 1.
    attributes : mapping of str to str or int, optional
        Such as ``{"dtype": "f16", "trans": "nt"}``; what is not named has its default.
    strides : sequence of int, optional
        In elements and in the description's order, as in ``(lda, ldb, ldc)``; 0: rows lie one after the other.
    alignment : int, optional
        Bytes that every buffer's address is a multiple of: a power of two. What was tuned has 16.
    """

    kernel: str
    shape: Sequence[int]
    attributes: dict[str, str | int] = field(default_factory=dict)
    strides: Sequence[int] = ()
    alignment: int = 16

    def request(self) -> _native.Request:
        """It as C has it."""
        try:
            if len(self.shape) > _native.DIMENSIONS or len(self.strides) > _native.STRIDES:
                raise invalid(f"{self.kernel}: a shape has at most {_native.DIMENSIONS} sizes, and as many strides")
            # ctypes would keep the lowest 64 bits.
            if any(not -(2**63) <= size < 2**63 for size in (*self.shape, *self.strides, self.alignment)):
                raise invalid(f"{self.kernel}: the shape is {tuple(self.shape)}, the strides {tuple(self.strides)} and the "
                              f"alignment {self.alignment}; they must be less than 2**63")  # fmt: skip
            dimensions = (ctypes.c_int64 * _native.DIMENSIONS)(*self.shape)
            strides = (ctypes.c_int64 * _native.STRIDES)(*self.strides)
        except TypeError:
            raise TypeError(f"{self.kernel}: the shape is {self.shape!r} and the strides {self.strides!r}; they must be "
                            "whole numbers in a tuple or list, as (4096, 4096, 1024)") from None  # fmt: skip
        text = ",".join(f"{name}={word}" for name, word in self.attributes.items())
        return _native.Request(
            size=ctypes.sizeof(_native.Request),
            kernel=self.kernel.encode(),
            attributes=text.encode(),
            dimensions=dimensions,
            strides=strides,
            alignment=self.alignment,
        )


@dataclass(frozen=True)
class Explanation:
    """Why a plan is what it is: ``tw_explanation`` in ``tilewise.h``.

    ``str()`` gives all of it in a few lines.
    """

    kernel: str
    problem: str
    rule: str
    """``exact``, ``nearest``, ``architecture``, ``predicted``, ``fallback`` or ``default``."""
    reason: str
    implementation: str
    configuration: dict[str, str | int]
    row_problem: str | None
    row_device: str | None
    row_time_us: float
    distance: float
    passed_over: str | None
    binary: str
    made_ms: float
    loading_ms: float
    workspace_bytes: int
    text: str
    predicted_us: float
    """How long a launch should take, in microseconds; 0: nothing was predicted."""
    uncertainty: float
    """The standard deviation of its natural logarithm."""
    runners_up: str | None

    def __str__(self) -> str:
        return self.text


class Plan:
    """A problem's kernel, chosen, compiled and loaded. Made by `Library.plan`; safe from many threads."""

    def __init__(self, library: Library, handle: int, problem: Problem) -> None:
        self._library, self._handle = library, handle
        self.problem = problem

    @property
    def handle(self) -> int:
        """The ``tw_plan``, for those who call C themselves."""
        self._library.handle  # which says so if it is closed
        return self._handle

    @property
    def explanation(self) -> Explanation:
        """Which configuration it is, and why."""
        told = _native.library.tw_plan_explain(self.handle).contents
        values: dict[str, Any] = {}
        for name, *_ in _native.Explanation._fields_:
            value = getattr(told, name)
            values[name] = value.decode() if isinstance(value, bytes) else value
        values["configuration"] = json.loads(values["configuration"])
        return Explanation(**values)

    def __repr__(self) -> str:
        told = self.explanation
        return f"<tilewise.Plan {told.kernel} {told.problem}: {told.implementation}, {told.rule}>"


class Library:
    """libtilewise, open on a device.

    The functions of this package open one for each device that they meet; one of your own is for other databases,
    kernels or rules. All methods but `close` may be called from many threads at once.

    Parameters
    ----------
    device : str, optional
        As ``tune devices`` lists them: ``"cuda:0"``, ``"opencl:1"``, or a backend's name for its first. By default
        the first GPU, else the CPU.
    databases : path or sequence of path, optional
        Results to choose by; the first that knows a problem counts. A file that is missing holds nothing, for tuning
        may make it. By default the user's own and the one that is installed.
    descriptions : path or sequence of path, optional
        Kernels of your own: JSON files with their templates beside them, or folders of such.
    cache_policy : {"cold", "warm"}
        Which measurements to choose by.
    binary_directory : path, optional
        Where compiled kernels are kept between processes; ``""``: nowhere.
    binary_directory_bytes : int
        At most so much is kept; 0: 1 GiB.
    trust_binaries : bool
        Use the compiled kernels that a database carries. They are code.
    on_miss : {"nearest", "tune", "tune-background", "fail"}
        What to do about a problem that was never tuned: choose what is predicted to be the fastest, tune it first,
        tune it meanwhile, or fail.
    tune_seconds : float
        For each problem that is tuned on a miss; 0: 30.
    tune_program : path, optional
        The program ``tune`` to do that with.
    prepared_only : bool
        `gemm` and what `prepare` was not given make no plan, but fail.
    plan_limit : int
        Plans that are kept at most when nobody holds them; 0: all.

    Raises
    ------
    UnavailableError
        There is no such device.
    Error
        A database is damaged, a description is wrong, and so on; the message is one line.
    """

    def __init__(
        self,
        device: str | None = None,
        *,
        databases: Path | Sequence[Path] | None = None,
        descriptions: Path | Sequence[Path] = (),
        cache_policy: str = "cold",
        binary_directory: Path | None = None,
        binary_directory_bytes: int = 0,
        trust_binaries: bool = False,
        on_miss: str = "nearest",
        tune_seconds: float = 0,
        tune_program: Path | None = None,
        prepared_only: bool = False,
        plan_limit: int = 0,
    ) -> None:
        self._handle: int | None = None
        if on_miss not in _MISSES:
            raise invalid(f"on_miss is {on_miss!r}; it is one of {', '.join(_MISSES)}")
        if device is None or device.startswith("cuda"):
            open_compiler()
        options = _native.Options(
            size=ctypes.sizeof(_native.Options),
            device=_native.bytes_of(device),
            databases=_native.texts(None if databases is None else _paths(databases)),
            descriptions=_native.texts(_paths(descriptions) or None),
            cache_policy=cache_policy.encode(),
            binary_directory=_native.bytes_of(binary_directory),
            binary_directory_bytes=binary_directory_bytes,
            trust_binaries=trust_binaries,
            on_miss=_MISSES.index(on_miss),
            tune_seconds=tune_seconds,
            tune_program=_native.bytes_of(tune_program),
            prepared_only=prepared_only,
            plan_limit=plan_limit,
        )
        handle = c_void_p()
        _native.check(_native.library.tw_open(byref(handle), byref(options), _native.error_address()))
        self._handle = handle.value
        self._memory: HostMemory | None = None
        self._lock = threading.Lock()
        #: What calls worked out for the shapes that they met.
        self.calls: dict[Any, Any] = {}

    @property
    def handle(self) -> int:
        """The ``tw_library``, for those who call C themselves."""
        if self._handle is None:
            raise invalid("this tilewise.Library is closed")
        return self._handle

    @property
    def device(self) -> str:
        """As in ``"cuda:0"``."""
        return str(_native.library.tw_device_id(self.handle).decode())

    @property
    def device_name(self) -> str:
        """As in ``"NVIDIA H200"``."""
        return str(_native.library.tw_device_name(self.handle).decode())

    @property
    def memory(self) -> HostMemory:
        """What it takes to launch on arrays in the host's memory."""
        with self._lock:
            if self._memory is None:
                self._memory = HostMemory(self.handle)
            return self._memory

    def accept(self, device: str, what: str) -> None:
        """Refuses arrays that the library's device cannot reach: another GPU's, or the host's on CUDA."""
        own = self.device
        where = {HOST: "opencl", "cuda": "cuda"}.get(device, device)
        if own != where and not (device in (HOST, "cuda") and own.startswith(where + ":")):
            place = "the host's memory" if device == HOST else device
            hint = "; give it arrays of that device, such as CuPy's" if device == HOST else ""
            raise invalid(f"{what} is in {place}, and this tilewise.Library works on {own}{hint}")

    def plan(
        self,
        kernel: str,
        shape: Sequence[int],
        *,
        strides: Sequence[int] = (),
        alignment: int = 16,
        **attributes: str | int,
    ) -> Plan:
        """The plan for a problem, made if there is none yet, which may take as long as a compiler does.

        Parameters
        ----------
        kernel, shape, strides, alignment
            As in `Problem`.
        **attributes : str or int
            As in ``dtype="f16"``.

        Returns
        -------
        Plan
            Good until `close`.
        """
        request = Problem(kernel, shape, attributes, strides, alignment).request()
        problem = Problem(kernel, tuple(shape), attributes, tuple(strides), alignment)
        return Plan(self, self.plan_handle(request), problem)

    def plan_handle(self, request: _native.Request) -> int:
        """The ``tw_plan`` of a request."""
        plan = c_void_p()
        _native.check(
            _native.library.tw_plan_create(byref(plan), self.handle, byref(request), _native.error_address())
        )
        return plan.value or 0

    def prepare(self, problems: Iterable[Problem], *, threads: int = 0) -> None:
        """Makes the plans of many problems before they are needed, on several threads at once.

        Parameters
        ----------
        problems : iterable of Problem
        threads : int
            0: as many as there are processors.

        Raises
        ------
        Error
            Of the first that failed; the others are made all the same.
        """
        problems = list(problems)
        for problem in problems:
            if not isinstance(problem, Problem):
                raise TypeError(f"prepare takes a list of tilewise.Problem, and {problem!r} is none")
        requests = [problem.request() for problem in problems]
        array = (_native.Request * len(requests))(*requests)
        _native.check(
            _native.library.tw_prepare(
                self.handle, array, len(requests), threads, None, None, _native.error_address()
            )
        )

    def explain(self, kernel: str, shape: Sequence[int], **options: Any) -> Explanation:
        """Which configuration a problem runs with, and why; `options` are those of `plan`."""
        return self.plan(kernel, shape, **options).explanation

    def close(self) -> None:
        """Frees the library with all its plans. Work that was launched must be done, captured graphs included."""
        if self._handle is not None:
            _forget(self)
            self.calls.clear()
            _native.library.tw_close(self._handle)
            self._handle = None

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tilewise.Library {'closed' if self._handle is None else self.device}>"


# ---- What calls use that are given no library ----

_defaults: dict[str, Library] = {}
#: Calls that were worked out for arrays of any device, with the default libraries.
calls: dict[Any, Any] = {}
_lock = threading.Lock()
#: Libraries that newer ones took the place of. Graphs that were captured may still use their kernels.
_retired: list[Library] = []


def default_library(device: str = HOST) -> Library:
    """The library that calls on arrays of a device use; opened when first asked for.

    Parameters
    ----------
    device : str
        ``"cuda:0"`` and so on, or ``"host"`` for arrays of NumPy and of PyTorch's CPU, which the first OpenCL
        device works on.
    """
    with _lock:
        library = _defaults.get(device)
        if library is None:
            library = _defaults[device] = Library({HOST: "opencl", "cuda": None}.get(device, device))
            if device == "cuda" and not library.device.startswith("cuda:"):
                raise Error(f"there is no CUDA device here, and an array claims to be on one; {library.device} is",
                            "UNAVAILABLE")  # fmt: skip
        return library


def set_default(library: Library) -> None:
    """Has calls on arrays of a library's device use it. One on OpenCL gets the host's arrays.

    The one that it takes the place of stays open, for graphs that were captured with it.
    """
    device = library.device
    with _lock:
        for name in (HOST,) if device.startswith("opencl") else (device, "cuda"):
            if name in _defaults:
                _retired.append(_defaults[name])
            _defaults[name] = library
        calls.clear()


def reload() -> None:
    """Has later calls see what was stored since: default libraries are opened anew when they are next needed.

    `tune` of this package does so by itself. Graphs that were captured go on with what they have.
    """
    with _lock:
        _retired.extend(_defaults.values())
        _defaults.clear()
        calls.clear()


def _forget(library: Library) -> None:
    with _lock:
        for device in [name for name, known in _defaults.items() if known is library]:
            del _defaults[device]
        calls.clear()


def remember(where: dict[Any, Any], key: Any, call: Any) -> None:
    """Keeps what a call worked out; forgets all when there is too much."""
    if len(where) >= MOST_CALLS:
        where.clear()
    where[key] = call

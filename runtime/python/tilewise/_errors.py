"""What goes wrong: one line that says what, where, and what to do."""

from __future__ import annotations

#: The names of tw_status, in its order.
STATUSES = (
    "OK",
    "INVALID",
    "BAD_DESCRIPTION",
    "NOT_FOUND",
    "UNAVAILABLE",
    "NO_MEMORY",
    "RESOURCE",
    "COMPILE",
    "LAUNCH",
    "DEVICE",
    "DEVICE_LOST",
    "WRONG",
    "DATABASE",
    "IO",
    "INTERRUPTED",
)


class Error(RuntimeError):
    """What the library could not do.

    Attributes
    ----------
    status : str
        The name of the ``tw_status`` in ``tilewise.h``, as in ``"COMPILE"``.
    """

    status: str

    def __init__(self, message: str, status: str = "INVALID") -> None:
        super().__init__(message)
        self.status = status


class InvalidError(Error, ValueError):
    """Something given is wrong: a shape, a stride, a type, a description."""


class NotFoundError(Error, LookupError):
    """There is no such kernel, plan or result."""


class UnavailableError(Error):
    """There is no such device or driver here, or no kernel serves what was asked for."""


class NoMemoryError(Error, MemoryError):
    """There is no room, on the device or the host."""


_CLASSES: dict[str, type[Error]] = {
    "INVALID": InvalidError,
    "BAD_DESCRIPTION": InvalidError,
    "NOT_FOUND": NotFoundError,
    "UNAVAILABLE": UnavailableError,
    "NO_MEMORY": NoMemoryError,
}


def error_of(status: int, message: str) -> Error:
    """The exception for a status of the library."""
    name = STATUSES[status] if 0 < status < len(STATUSES) else "DEVICE"
    return _CLASSES.get(name, Error)(message, name)


def invalid(message: str) -> InvalidError:
    """The exception for what this package refuses itself."""
    return InvalidError(message, "INVALID")

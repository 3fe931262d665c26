"""Tuning, and what is stored, through the program ``tune``."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import IO, Any, NoReturn

from tilewise import _native
from tilewise._cuda import compiler_folders
from tilewise._errors import Error, InvalidError, UnavailableError
from tilewise._library import Path, reload

Row = dict[str, Any]

#: Exit statuses of `tune`.
_USAGE, _INTERRUPTED = 2, 130


class Table(list[Row]):
    """Rows of results, each a dictionary with the same keys.

    ``pandas.DataFrame(table)`` takes it as it is; a notebook shows it as a table.
    """

    def columns(self) -> list[str]:
        """The keys of all rows, in the order in which they first appear."""
        return list(dict.fromkeys(name for row in self for name in row))

    def _repr_html_(self) -> str:
        names = self.columns()

        def cells(tag: str, words: Iterable[object]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(str(word))}</{tag}>" for word in words) + "</tr>"

        rows = "".join(cells("td", (_shown(row.get(name, "")) for name in names)) for row in self)
        return f"<table>{cells('th', names)}{rows}</table>"


def _shown(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={word}" for name, word in value.items())
    return value


def tune_program() -> str:
    """The path of ``tune``: ``TILEWISE_TUNE`` in the environment, else the wheel's own, else what is on the PATH.

    Raises
    ------
    UnavailableError
        There is none.
    """
    given = os.environ.get("TILEWISE_TUNE")
    bundled = _native.BUNDLED / "bin" / "tune"
    found = given or (str(bundled) if bundled.exists() else shutil.which("tune"))
    if found is None:
        raise UnavailableError("the program tune is not installed (Debian package tilewise); install it, or say in "
                               "TILEWISE_TUNE where it is", "UNAVAILABLE")  # fmt: skip
    return found


def _environment() -> dict[str, str]:
    """The program finds NVRTC where pip has put it."""
    environment = dict(os.environ)
    folders = [*filter(None, [environment.get("LD_LIBRARY_PATH")]), *compiler_folders()]
    if folders:
        environment["LD_LIBRARY_PATH"] = ":".join(folders)
    return environment


def run_program() -> NoReturn:
    """``tune`` as a wheel puts it on the PATH: the program that it brings, which finds NVRTC where pip has put it."""
    program = str(_native.BUNDLED / "bin" / "tune")
    os.execve(program, [program, *sys.argv[1:]], _environment())


def _start(words: Sequence[str], err: int | None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [tune_program(), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=err,
        text=True,
        env=_environment(),
    )


def _failure(code: int, lines: list[str]) -> Error:
    said = [line.removeprefix("tune: ") for line in lines if line.startswith("tune: ")]
    message = said[-1] if said else f"tune ended with the exit status {code}"
    return InvalidError(message, "INVALID") if code == _USAGE else Error(message, "DEVICE")


def _ask(*words: str) -> Any:
    """What a command of `tune` answers with --json."""
    process = _start([*words, "--json"], subprocess.PIPE)
    out, err = process.communicate()
    if process.returncode != 0:
        raise _failure(process.returncode, err.splitlines())
    return json.loads(out)


# ---- Progress ----


class _Notebook:
    """A line under the cell, rewritten in place."""

    def __init__(self, display: Any) -> None:
        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def __call__(self, line: str) -> None:
        self._handle.update({"text/plain": line}, raw=True)


def _notebook() -> Callable[[str], None] | None:
    """Where to show progress if this is a notebook."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if running is None or not hasattr(running, "kernel"):
        return None
    from IPython.display import display

    return _Notebook(display)


def _progress(wanted: bool | Callable[[str], None]) -> Callable[[str], None] | None:
    """What gets each line; None: the program writes them where ours go."""
    if callable(wanted):
        return wanted
    return _notebook()


def _relay(stream: IO[str], tell: Callable[[str], None], lines: list[str]) -> None:
    for line in stream:
        lines.append(line.rstrip("\n"))
        tell(lines[-1])


def _run(words: Sequence[str], progress: bool | Callable[[str], None]) -> tuple[int, str, list[str]]:
    """Runs `tune` to its end; an interrupt stops it as Ctrl-C does, with what it found stored."""
    tell = _progress(progress) if progress else None
    inherits = bool(progress) and tell is None and sys.stderr.isatty()
    process = _start(words, None if inherits else subprocess.PIPE)
    lines: list[str] = []
    relay = None
    if process.stderr is not None:
        shown = tell or ((lambda line: print(line, file=sys.stderr)) if progress else (lambda line: None))
        relay = threading.Thread(target=_relay, args=(process.stderr, shown, lines), daemon=True)
        relay.start()
    assert process.stdout is not None
    try:
        out = process.stdout.read()
        process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        process.wait()
        raise
    finally:
        if relay is not None:
            relay.join()
        process.stdout.close()
        if process.stderr is not None:
            process.stderr.close()
    return process.returncode, out, lines


# ---- Rows ----


def _row(result: Mapping[str, Any]) -> Row:
    """A problem's result in one level; what has no best has None there."""
    best = result.get("best") or {}
    row: Row = {"kernel": result["kernel"], **result["problem"], "device": result["device"]["name"]}
    for name in ("implementation", "time_us", "ci_low_us", "ci_high_us", "rate", "rate_unit", "max_rel_error",
                 "configuration"):  # fmt: skip
        row[name] = best.get(name)
    return row


def _shape_word(shape: object) -> str:
    if isinstance(shape, str):
        return shape
    sizes = list(shape) if isinstance(shape, Iterable) else []
    if not sizes or not all(isinstance(size, Integral) for size in sizes):
        raise TypeError(f"the shape is {shape!r}; it must be of whole numbers, as (4096, 4096, 1024) or '4096x4096x1024', "
                        "or a list of such")  # fmt: skip
    return "x".join(map(str, sizes))


def _is_list(shape: object) -> bool:
    """Of shapes, rather than one."""
    return isinstance(shape, Sequence) and not isinstance(shape, str) and not isinstance(next(iter(shape), 0), Integral)


def tune(
    kernel: str = "gemm",
    shape: Sequence[int] | str | Iterable[Sequence[int] | str] = (),
    *,
    budget: str | int = "60s",
    device: str | None = None,
    db: Path | None = None,
    config: Path | Sequence[Path] = (),
    strategy: str | None = None,
    seed: int | None = None,
    fix: Mapping[str, str | int] | None = None,
    cache: str | None = None,
    jobs: int | None = None,
    progress: bool | Callable[[str], None] = True,
    **attributes: str | int,
) -> Table:
    """Finds the fastest right configuration of a kernel for a shape on a device, and stores it.

    Calls from then on use it. The program ``tune`` does the work, so that whatever a bad variant does cannot reach
    this process. An interrupt (Ctrl-C, or the notebook's button) stops it cleanly, with the best so far stored; the
    same call goes on where it stopped. What it has done of a list of shapes is in the table and not searched again,
    unless with another ``seed``.

    Parameters
    ----------
    kernel : str
    shape : sequence of int, str, or several of them
        As in ``(4096, 4096, 1024)``, ``"4096x4096x1024"``, or a list of such.
    budget : str or int
        A time, as in ``"90s"`` or ``"5m"``, or a number of trials, for each shape.
    device : str, optional
        By default the first GPU, else the CPU.
    db : path, optional
        The database; by default the user's own, which calls read too.
    config : path or sequence of path, optional
        Descriptions of kernels of your own.
    strategy, seed, cache, jobs
        As the program's options of these names.
    fix : mapping, optional
        Parameters to hold at a value.
    progress : bool or callable
        False: say nothing. A callable gets each line that tells how far it is. By default they are shown: under
        the cell in a notebook, else on standard error.
    **attributes : str or int
        The problem's, as in ``dtype="bf16", trans="nt"``.

    Returns
    -------
    Table
        A row for each shape: the problem, the device, and the best configuration with its time in microseconds and
        the interval of that.

    Raises
    ------
    InvalidError
        The program refused what it was asked for.
    UnavailableError
        There is no program ``tune``.
    Error
        It failed otherwise; the message is its own line.
    KeyboardInterrupt
        It was interrupted.
    """
    if not isinstance(kernel, str):
        raise TypeError(f"the kernel is {kernel!r}; its name comes first, as in tilewise.tune('gemm', (4096, 4096, 1024))")
    shape = shape if isinstance(shape, (str, Sequence)) or not isinstance(shape, Iterable) else list(shape)
    shapes = [_shape_word(one) for one in (shape if _is_list(shape) else [shape])]
    words = [kernel]
    for name, word in attributes.items():
        words += ["--attr", f"{name}={word}"]
    for name, word in (fix or {}).items():
        words += ["--fix", f"{name}={word}"]
    for path in [config] if isinstance(config, (str, os.PathLike)) else config:
        words += ["--config", os.fspath(path)]
    options = {"budget": budget, "device": device, "db": db, "strategy": strategy, "seed": seed, "cache": cache,
               "jobs": jobs}  # fmt: skip
    for name, value in options.items():
        if value is not None:
            words += [f"--{name}", str(value)]
    words += ["--json", *([] if progress else ["--quiet"])]
    # A single shape is searched on; a list goes on where it was.
    if _is_list(shape):
        with tempfile.NamedTemporaryFile("w", prefix="tilewise-", suffix=".txt") as file:
            file.write("".join(f"{one}\n" for one in shapes))
            file.flush()
            code, out, lines = _run([*words, "--shapes", file.name], progress)
        lines = [re.sub(re.escape(file.name) + r":(\d+)", r"shape \1 of the list", line) for line in lines]
    else:
        code, out, lines = _run([*words, "--shape", shapes[0]], progress)
    reload()
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    if not out.strip():
        raise _failure(code, lines)
    found = json.loads(out)
    return Table(_row(result) for result in (found if isinstance(found, list) else [found]))


def results(kernel: str | None = None, *, db: Path | None = None) -> Table:
    """The best configurations stored, as ``tune show`` has them.

    Parameters
    ----------
    kernel : str, optional
        Only its.
    db : path, optional
        By default the user's own database.

    Returns
    -------
    Table
        A row for each problem and device, with times in microseconds.
    """
    return Table(_ask("show", *filter(None, [kernel]), *([] if db is None else ["--db", os.fspath(db)])))


def trials(run: int | None = None, *, db: Path | None = None) -> Table:
    """What a run tried, failures and all, as ``tune trials`` has it.

    Parameters
    ----------
    run : int, optional
        By default the latest.
    db : path, optional

    Returns
    -------
    Table
        A row for each trial, with times in microseconds.
    """
    words = ["trials", *([] if run is None else ["--run", str(run)]), *([] if db is None else ["--db", os.fspath(db)])]
    return Table(_ask(*words)["trials"])


def devices() -> Table:
    """The devices that are here, as ``tune devices`` lists them.

    Returns
    -------
    Table
        A row for each; ``id`` is what `Library` and `tune` take.
    """
    return Table(_ask("devices")["devices"])

"""What the tests of the Python package share: an interpreter that has what they need, and the library of this build.

TILEWISE_PYTHON names an interpreter; otherwise build/venv's (tools/setup-python.sh makes it), the one that runs the
tests and the system's are tried. A theme is skipped where none has the packages that it needs.
"""

import atexit
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import support
from support import DEVICE, HERE, TUNE

ROOT = HERE.parent.parent
BUILD = pathlib.Path(TUNE).parent.parent
SOURCES = ROOT / "runtime/python"
PACKAGE = BUILD / "python"
LIBRARY = BUILD / "lib/libtilewise.so.0"
INSIDE = "TILEWISE_TESTED_IN"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(support.SKIPPED)


def has(interpreter, packages):
    program = "import sys; assert sys.version_info >= (3, 10); " + "".join(f"import {name}; " for name in packages)
    return subprocess.run([interpreter, "-c", program], capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


def interpreter(*packages):
    """A Python that has the packages; None: there is none."""
    candidates = [os.environ.get("TILEWISE_PYTHON"), ROOT / "build/venv/bin/python3", sys.executable,
                  "/usr/bin/python3"]
    for candidate in filter(None, candidates):
        if os.access(candidate, os.X_OK) and has(candidate, packages):
            return str(candidate)
    return None


def environment(home):
    """Nothing of the user's is read or written, and the package is that of this build, on its library."""
    settings = dict(os.environ, HOME=str(home), XDG_DATA_HOME=f"{home}/data", XDG_CACHE_HOME=f"{home}/cache",
                    PYTHONDONTWRITEBYTECODE="1", TILEWISE_TUNE=TUNE)
    if PACKAGE.exists():
        settings |= {"PYTHONPATH": str(PACKAGE), "TILEWISE_LIBRARY": str(LIBRARY)}
    settings["POCL_CACHE_DIR"] = os.environ.get("TILEWISE_POCL_CACHE") or f"{home}/pocl"
    os.makedirs(settings["POCL_CACHE_DIR"], exist_ok=True)
    if not DEVICE.startswith("cuda"):
        settings["CUDA_VISIBLE_DEVICES"] = ""
    return settings


def enter(*packages):
    """Goes on in an interpreter that has the packages, in a home of its own; to be called before they are imported."""
    if os.environ.get(INSIDE):
        atexit.register(shutil.rmtree, os.environ[INSIDE], ignore_errors=True)
        return
    if not os.access(TUNE, os.X_OK):
        sys.exit(f"{TUNE} is no program; build it, or name one with TILEWISE_TUNE")
    reason = support.absent()
    if reason:
        skip(reason)
    if support.sanitized():
        skip("a Python without sanitizers cannot load a sanitized library")
    if not LIBRARY.exists() and PACKAGE.exists():
        skip(f"there is no {LIBRARY}")
    if DEVICE.startswith("cuda"):
        packages = ("torch", *packages)
    if not PACKAGE.exists():
        packages += ("tilewise",)
    found = interpreter(*packages)
    if found is None:
        skip(f"no Python here has {' and '.join(packages)} (Debian: python3-numpy; tools/setup-python.sh for all)")
    home = tempfile.mkdtemp(prefix="tilewise-python-")
    program = os.path.abspath(sys.argv[0])
    os.execve(found, [found, "-B", program, *sys.argv[1:]], environment(home) | {INSIDE: home})

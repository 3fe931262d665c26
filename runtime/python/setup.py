"""Builds the wheel: the Python package with its compiled part, and an installation of the library and the program.

What a user installs needs no compiler and nothing else. Building it needs what tools/setup.sh installs. The compiled
part uses Python's stable interface, so one wheel serves every version from 3.10 on.

Environment: TILEWISE_BUNDLE=0   leaves the library out: the package then uses the one that is installed.
             TILEWISE_BUILD=DIR  a build of Tilewise to install from (default: build/python, made with CMake).
"""

import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEADER = ROOT / "runtime/tilewise.h"
BUNDLE = os.environ.get("TILEWISE_BUNDLE", "1") != "0"
#: Whose licences ask to be told of: they are linked, compiled in or brought along.
OTHERS = ("libcjson1", "libxxhash-dev", "libsqlite3-dev")


def version():
    if not HEADER.exists():
        raise SystemExit(f"setup.py: there is no {HEADER}; build the package in a checkout of Tilewise")
    text = HEADER.read_text()
    parts = [re.search(rf"^#define TW_VERSION_{part} (\d+)", text, re.M) for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(part[1] for part in parts)


def built():
    """A build of Tilewise to install from."""
    given = os.environ.get("TILEWISE_BUILD")
    if given:
        return pathlib.Path(given).resolve()
    if shutil.which("cmake") is None:
        raise SystemExit("setup.py: there is no cmake, which builds the library; run tools/setup.sh, or set "
                         "TILEWISE_BUNDLE=0 to use a library that is installed")
    build = ROOT / "build/python"
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DTILEWISE_TESTS=OFF",
                    "-DTILEWISE_BUNDLED=ON", "-DCMAKE_INSTALL_LIBDIR=lib"], check=True)
    subprocess.run(["cmake", "--build", build, "--parallel", str(os.cpu_count() or 1)], check=True)
    return build


def install(to):
    """Installs what calls need: the library, its database, and the program that tunes."""
    build = built()
    place = to.with_name("_installing")
    for component in ("library", "program"):
        subprocess.run(["cmake", "--install", build, "--prefix", place, "--component", component, "--strip"],
                       check=True)
    libraries = {path.name: path for path in place.rglob("lib*.so.[0-9]*")}
    (to / "lib").mkdir(parents=True)
    (to / "bin").mkdir()
    # A wheel has no links, so each library is there once, by the name that it is opened by.
    for name, path in libraries.items():
        if re.fullmatch(r"lib\w+\.so\.\d+", name):
            shutil.copy(path.resolve(), to / "lib" / name)
    shutil.copy(place / "bin/tune", to / "bin")
    shutil.copytree(place / "share/tilewise", to / "share/tilewise")
    licences = to / "licences"
    licences.mkdir()
    shutil.copy(ROOT / "LICENSE", licences)
    for name in OTHERS:
        said = pathlib.Path(f"/usr/share/doc/{name}/copyright")
        if said.exists():
            shutil.copy(said, licences / name)
    shutil.rmtree(place)


class WithLibrary(build_py):
    def run(self):
        super().run()
        bundled = pathlib.Path(self.build_lib).resolve() / "tilewise/_native"
        # An earlier build may have left one.
        shutil.rmtree(bundled, ignore_errors=True)
        if BUNDLE and not self.editable_mode:
            install(bundled)


LAUNCH = sorted(str(path) for path in pathlib.Path("launch").glob("*.c"))
# setuptools knows sources alone: a descriptor that grew would leave an older object in the wheel.
HEADERS = [str(path) for path in (*sorted(pathlib.Path("launch").glob("*.h")), *sorted((ROOT / "runtime").glob("*.h")))]
setup(version=version(), cmdclass={"build_py": WithLibrary},
      ext_modules=[Extension("tilewise._launch", LAUNCH, depends=HEADERS, include_dirs=[str(ROOT)], py_limited_api=True,
                             define_macros=[("Py_LIMITED_API", "0x030A0000"), ("_GNU_SOURCE", None)],
                             extra_compile_args=["-std=c11", "-fvisibility=hidden"])],
      entry_points={"console_scripts": ["tune = tilewise._tune:run_program"] if BUNDLE else []},
      options={"bdist_wheel": {"py_limited_api": "cp310"}}, package_data={"tilewise": ["py.typed", "*.pyi"]})

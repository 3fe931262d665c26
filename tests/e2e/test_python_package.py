"""The Python package as it is shipped: its types hold, and a wheel works alone."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile

import pythons
import support
from support import DEVICE

BUILDERS = ("setuptools", "wheel")
PROGRAM = """
import pathlib, tilewise
from tilewise import _native

place = pathlib.Path(tilewise.__file__).parent
assert pathlib.Path(_native.library._name).is_relative_to(place), _native.library._name
assert pathlib.Path(tilewise.tune_program()).is_relative_to(place), tilewise.tune_program()
library = tilewise.Library({device!r})
assert "tilewise.db" in {listed!r}
print(library.explain("copy", (4, 4)).kernel, tilewise.__version__, len(tilewise.devices()) > 0)
"""


@unittest.skipUnless(pythons.SOURCES.exists(), "a build that was carried here has no sources")
class Package(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tilewise-package-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)

    def run_in(self, *words, **environment):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              cwd=pythons.SOURCES, env=pythons.environment(self.home) | environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_types_hold(self):
        found = pythons.interpreter("mypy")
        if found is None:
            self.skipTest("no mypy here (tools/setup-python.sh)")
        self.run_in(found, "-m", "mypy", "--cache-dir", self.home / "mypy")

    @unittest.skipIf(support.sanitized(), "a Python without sanitizers cannot load a sanitized library")
    @unittest.skipUnless((pythons.BUILD / "cmake_install.cmake").exists(), "a build that was carried cannot be installed")
    @unittest.skipUnless(shutil.which("cmake"), "needs cmake")
    def test_a_wheel_works_alone(self):
        found = pythons.interpreter(*BUILDERS)
        if found is None:
            self.skipTest("no setuptools and wheel here (Debian: python3-setuptools, python3-wheel)")
        sources = self.home / "sources"
        shutil.copytree(pythons.ROOT / "runtime/python", sources / "runtime/python",
                        ignore=shutil.ignore_patterns("build", "*.egg-info"))
        for header in (pythons.ROOT / "runtime").glob("tilewise*.h"):
            shutil.copy(header, sources / "runtime")
        shutil.copy(pythons.ROOT / "LICENSE", sources)
        done = subprocess.run([found, "setup.py", "-q", "bdist_wheel", "--dist-dir", self.home / "wheels"],
                              cwd=sources / "runtime/python", capture_output=True, text=True,
                              env=pythons.environment(self.home) | {"TILEWISE_BUILD": str(pythons.BUILD)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (wheel,) = (self.home / "wheels").glob("*.whl")
        self.assertRegex(wheel.name, r"^tilewise-[0-9.]+-cp310-abi3-linux_\w+\.whl$")
        place = self.home / "site"
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            archive.extractall(place)
        listed = [name.rpartition("/")[2] for name in names]
        for name in ("py.typed", "torch.py", "_launch.abi3.so", "libtilewise.so.0", "tune", "LICENSE"):
            self.assertIn(name, listed)
        # pip sets this from what the archive says, and zipfile does not.
        mode = next(info for info in zipfile.ZipFile(wheel).infolist() if info.filename.endswith("bin/tune"))
        self.assertTrue(mode.external_attr >> 16 & 0o100)
        os.chmod(place / "tilewise/_native/bin/tune", 0o755)
        environment = pythons.environment(self.home) | {"PYTHONPATH": str(place)}
        for name in ("TILEWISE_LIBRARY", "TILEWISE_TUNE"):
            environment.pop(name)
        done = subprocess.run([found, "-c", PROGRAM.format(device=DEVICE, listed=listed)], capture_output=True,
                              text=True, env=environment, cwd=self.home)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^copy [0-9.]+ True")
        # What pip writes for this entry point.
        entries = next(name for name in names if name.endswith(".dist-info/entry_points.txt"))
        script = re.search(r"^tune = ([\w.]+):(\w+)$", (place / entries).read_text(), re.M)
        told = subprocess.run([found, "-c", f"import {script[1]} as entry; entry.{script[2]}()", "--version"],
                              capture_output=True, text=True, env=environment, cwd=self.home)
        self.assertRegex(told.stdout, r"^tune [0-9.]+\n", told.stderr)


if __name__ == "__main__":
    support.main()

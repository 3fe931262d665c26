"""The commands of the tutorials, as a reader types them, in one shell a page."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import pythons
import support
from support import DEVICE, HERE, LIMIT, TUNE

ROOT = HERE.parent.parent
PAGES = ROOT / "docs/tutorials"
NOTEBOOK = ROOT / "docs/notebooks/tilewise.ipynb"
BUILD = pathlib.Path(TUNE).parent.parent
BUDGET = 1  # trial, where a reader would give a minute


def commands(page):
    """The blocks of shell, in order. A budget of time becomes a trial, which is all that changes."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (PAGES / page).read_text(), re.M | re.S)
    return shortened("\n".join(blocks))


def shortened(text):
    return re.sub(r'budget="\w+"', f"budget={BUDGET}", re.sub(r"--budget \S+", f"--budget {BUDGET}", text))


@unittest.skipUnless(PAGES.exists(), "a build that was carried here has no sources")
class Tutorials(support.EndToEnd):
    def setUp(self):
        super().setUp()
        if not DEVICE.startswith("cuda"):
            self.environment["CUDA_VISIBLE_DEVICES"] = ""

    def follow(self, page):
        """Runs the page's commands; returns what they printed."""
        bin_directory = self.home / "bin"
        bin_directory.mkdir()
        (bin_directory / "tune").symlink_to(TUNE)
        work = self.home / "work"
        work.mkdir()
        environment = self.environment | {"PATH": f"{bin_directory}:{self.environment['PATH']}"}
        done = subprocess.run(["bash", "-euxo", "pipefail", "-c", commands(page)], cwd=work, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for trace in ("AddressSanitizer", "runtime error:"):
            self.assertNotIn(trace, done.stderr)
        return done.stdout, work

    def test_all_are_tested(self):
        self.assertEqual({page.name for page in PAGES.glob("*.md")},
                         {"tune-new-hardware.md", "ship-a-database.md", "load-kernels.md", "python.md"})

    def test_tune_new_hardware(self):
        out, work = self.follow("tune-new-hardware.md")
        self.assertIn("<svg", (work / "report.html").read_text())
        self.assertIn("gemm M=64,N=64,K=512;dtype=f32,trans=nt", out)

    def test_ship_a_database(self):
        out, work = self.follow("ship-a-database.md")
        self.assertIn("tuned for this problem on this device", out)
        self.assertGreater((work / "team-with-binaries.db").stat().st_size, 0)
        self.assertEqual(len(self.query("SELECT * FROM best", db=work / "team.db")),
                         len(self.query("SELECT * FROM best", db=work / "copy.db")))

    @unittest.skipUnless(all(map(shutil.which, ("cmake", "cc", "pkg-config"))), "needs cmake, cc and pkg-config")
    def test_load_kernels(self):
        if self.sanitized:
            self.skipTest("a program without sanitizers cannot load a sanitized library")
        if (BUILD / "cmake_install.cmake").exists():
            prefix = pathlib.Path(tempfile.mkdtemp(prefix="tilewise-tutorial-"))
            self.addCleanup(shutil.rmtree, prefix, ignore_errors=True)
            subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
            libraries = next(prefix.rglob("libtilewise.a")).parent
            self.environment |= {"PKG_CONFIG_PATH": str(libraries / "pkgconfig"), "CMAKE_PREFIX_PATH": str(prefix),
                                 "LD_LIBRARY_PATH": f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
        elif subprocess.run(["pkg-config", "--exists", "tilewise"]).returncode != 0:
            self.skipTest("the library is not installed")
        out, _ = self.follow("load-kernels.md")
        self.assertEqual(out.count("256, and it should be 256"), 4)
        before, after = re.findall(r"^ *chosen +(\w+)", out, re.M)[:2]
        self.assertNotEqual(before, "exact")
        self.assertEqual(after, "exact")

    def enter_python(self, *packages):
        """Has `python3` be one that has the packages and ours: this build's, or what is installed."""
        if self.sanitized:
            self.skipTest("a Python without sanitizers cannot load a sanitized library")
        if DEVICE.startswith("cuda"):
            self.skipTest("the page is for the host's arrays")
        if pythons.PACKAGE.exists():
            for name in ("PYTHONPATH", "TILEWISE_LIBRARY", "PYTHONDONTWRITEBYTECODE"):
                self.environment[name] = pythons.environment(self.home)[name]
        else:
            packages += ("tilewise",)
        found = pythons.interpreter(*packages)
        if found is None:
            self.skipTest(f"no Python here has {' and '.join(packages)} (Debian: python3-numpy)")
        self.environment["TILEWISE_TUNE"] = TUNE
        tools = self.home / "python"
        tools.mkdir()
        (tools / "python3").write_text(f'#!/bin/sh\nexec {found} "$@"\n')
        (tools / "python3").chmod(0o755)
        self.environment["PATH"] = f"{tools}:{self.environment['PATH']}"

    def test_python(self):
        self.enter_python("numpy")
        out, _ = self.follow("python.md")
        before, after = re.findall(r"^ *chosen +(\w+)", out, re.M)
        self.assertNotEqual(before, "exact")
        self.assertEqual(after, "exact")
        self.assertEqual(out.count("as NumPy's: True"), 2)
        self.assertIn("alpha scalar f32 None", out)
        self.assertIn("scaled: True", out)

    def test_the_notebook(self):
        """It has been run, and its cells run today."""
        cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
        self.assertEqual([cell["execution_count"] for cell in cells], list(range(1, len(cells) + 1)))
        self.assertFalse([out for cell in cells for out in cell["outputs"] if out["output_type"] == "error"])
        self.enter_python("numpy")
        text = shortened("\n".join("".join(cell["source"]) + "\n" for cell in cells))
        done = subprocess.run(["python3", "-"], input=text, env=self.environment, cwd=self.home, capture_output=True,
                              text=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    support.main()

"""The commands of the tutorials, as a reader types them, in one shell a page."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import support
from support import DEVICE, HERE, LIMIT, TUNE

ROOT = HERE.parent.parent
PAGES = ROOT / "docs/tutorials"
BUILD = pathlib.Path(TUNE).parent.parent
BUDGET = 1  # trial, where a reader would give a minute


def commands(page):
    """The blocks of shell, in order. A budget of time becomes a trial, which is all that changes."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (PAGES / page).read_text(), re.M | re.S)
    return re.sub(r"--budget \S+", f"--budget {BUDGET}", "\n".join(blocks))


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
                         {"tune-new-hardware.md", "ship-a-database.md", "load-kernels.md"})

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
        self.assertEqual(out.count("256, and it should be 256"), 3)
        before, after = re.findall(r"^ *chosen +(\w+)", out, re.M)[:2]
        self.assertNotEqual(before, "exact")
        self.assertEqual(after, "exact")


if __name__ == "__main__":
    support.main()

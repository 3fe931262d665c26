"""The Debian packages that CPack makes of this build: installed where nothing else is, looked at, and removed.

tools/check-package.sh does more on a machine made for it: it installs what they depend on and follows the tutorials.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import support
from support import TUNE

BUILD = pathlib.Path(TUNE).parent.parent
ABSENT = [name for name in ("cpack", "dpkg", "dpkg-shlibdeps", "file") if shutil.which(name) is None]


@unittest.skipUnless((BUILD / "CPackConfig.cmake").exists(), "a build that was carried here cannot be packed")
@unittest.skipIf(ABSENT, f"not here: {', '.join(ABSENT)} (Debian: cmake dpkg-dev file)")
@unittest.skipUnless(os.geteuid() == 0, "only root can install packages, into another root too")
class Packages(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tilewise-packages-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.root = self.home / "root"
        for name in ("info", "updates", "triggers"):
            (self.root / "var/lib/dpkg" / name).mkdir(parents=True)
        (self.root / "var/lib/dpkg/status").touch()
        # The library's package has it called, and this machine's cache is none of the test's.
        ldconfig = self.home / "bin/ldconfig"
        ldconfig.parent.mkdir()
        ldconfig.write_text('#!/bin/sh\necho called >> "$DPKG_ROOT/var/ldconfig"\n')
        ldconfig.chmod(0o755)
        self.environment = os.environ | {"PATH": f"{ldconfig.parent}:{os.environ['PATH']}:/usr/sbin:/sbin",
                                         "LC_ALL": "C.UTF-8"}

    def done(self, *words, **options):
        result = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=self.environment,
                                timeout=support.LIMIT, **options)
        self.assertEqual(result.returncode, 0, (words, result.stdout, result.stderr))
        return result.stdout

    def dpkg(self, *words):
        # What they depend on is this machine's, and so is the shell of their scripts.
        return self.done("dpkg", f"--root={self.root}", "--force-depends", "--force-script-chrootless", *words)

    def files(self):
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*")
                if not path.is_dir() and not path.is_relative_to(self.root / "var")}

    def test_installed_and_removed(self):
        self.done("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", self.home / "made", umask=0o022)
        made = {path.name.partition("_")[0]: path for path in (self.home / "made").glob("*.deb")}
        self.assertLessEqual({"tilewise", "libtilewise0", "libtilewise-dev"}, set(made))
        self.assertEqual("tilewise-mpi" in made, (BUILD / "bin/tune-mpi").exists())
        needs = {"libtilewise0": "libsqlite3-0 (>= ", "tilewise-mpi": "tilewise (= "}
        for name, package in made.items():
            needed = self.done("dpkg-deb", "--field", package, "Depends")
            self.assertIn(needs.get(name, "libtilewise0 (= "), needed, name)
        self.dpkg("--install", *made.values())

        self.assertTrue((self.root / "var/ldconfig").exists())
        files = self.files()
        pages = {f"usr/share/man/man{page.suffix[1:]}/{page.name}" for page in (BUILD / "man").glob("tune-*.1")}
        self.assertGreater(len(pages), 15)
        self.assertLessEqual(pages | {
            "usr/bin/tune", "usr/share/man/man1/tune.1", "usr/share/man/man3/tilewise.3",
            "usr/share/bash-completion/completions/tune", "usr/share/zsh/vendor-completions/_tune",
            "usr/share/fish/vendor_completions.d/tune.fish", "usr/share/tilewise/tilewise.db",
            "usr/share/doc/tilewise/tutorials/load-kernels.md", "usr/include/tilewise.h",
            *(f"usr/share/doc/{name}/copyright" for name in made)}, files)  # fmt: skip
        self.assertTrue(any(re.fullmatch(r"usr/lib/(.+/)?libtilewise\.so\.0", name) for name in files), files)
        self.assertTrue(any(name.endswith("/pkgconfig/tilewise.pc") for name in files), files)
        tune = self.root / "usr/bin/tune"
        self.assertEqual(self.done(tune, "--version"), self.done(TUNE, "--version"))
        self.assertIn("gemm", self.done(tune, "show", "--db", self.root / "usr/share/tilewise/tilewise.db"))

        self.dpkg("--remove", *made)
        self.assertEqual(self.files(), set())


if __name__ == "__main__":
    support.main()

"""libtilewise, installed: other builds find it, it finds its database and its tuner, and tells why."""

import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest

import support
from support import DEVICE, HERE, LIMIT, TUNE

BUILD = pathlib.Path(TUNE).parent.parent
SOURCES = HERE / "library"
ROOT = HERE.parent.parent
EXAMPLE = ROOT / "runtime/examples/gemm.c"
SANITIZERS = "-fsanitize=address,undefined"
NEEDED = ("cmake", "cc", "c++", "pkg-config", "nm")


@unittest.skipUnless((BUILD / "cmake_install.cmake").exists(), "a build that was carried here cannot be installed")
@unittest.skipUnless(all(map(shutil.which, NEEDED)), f"needs {', '.join(NEEDED)}")
class Installed(support.EndToEnd):
    """An installation, and ways to build programs with it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="tilewise-installed-"))
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        cls.prefix = cls.place / "prefix"
        cls.build_environment = dict(os.environ)
        if cls.sanitized:
            cls.build_environment.update(CFLAGS=SANITIZERS, CXXFLAGS=SANITIZERS)
        cls.call("cmake", "--install", BUILD, "--prefix", cls.prefix)
        # What ships would be the nearest on the devices that it was tuned on: set aside.
        cls.system = cls.place / "system.db"
        shutil.move(cls.prefix / "share/tilewise/tilewise.db", cls.system)

    @classmethod
    def call(cls, *words, **environment):
        """A command that must succeed; returns its standard output."""
        words = list(map(str, words))
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT,
                              env=dict(cls.build_environment, ASAN_OPTIONS="detect_leaks=0", **environment))
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout

    @classmethod
    def libraries(cls, prefix):
        """The folder of the libraries in an installation."""
        return next(prefix.rglob("libtilewise.a")).parent

    @classmethod
    def compile(cls, source, prefix, name, *options, compiler=("cc", "-std=c11")):
        """A program built as pkg-config says."""
        flags = cls.call("pkg-config", "--cflags", "--libs", *options, "tilewise",
                         PKG_CONFIG_PATH=str(cls.libraries(prefix) / "pkgconfig")).split()
        if cls.sanitized:
            flags.append(SANITIZERS)
        program = cls.place / name
        cls.call(*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, *flags, "-pthread", "-o", program)
        return program

    def setUp(self):
        super().setUp()
        self.libraries_used = self.libraries(self.prefix)
        if not DEVICE.startswith("cuda"):
            # So that a program that does not say which device it wants takes the one under test.
            self.environment["CUDA_VISIBLE_DEVICES"] = ""

    def run_program(self, *words, code=0):
        self.environment["LD_LIBRARY_PATH"] = str(self.libraries_used)
        process = subprocess.Popen(
            list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=self.environment, cwd=self.home, start_new_session=True)
        self.addCleanup(self.clear, process)
        result = self.finish(process)
        self.assertEqual(result.code, code, result)
        if code == 0:
            self.assertEqual(result.err, "", result)
        return result


class Tuned(Installed):
    """And a database with two problems of gemm, for the example to find."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tuned = cls.place / "tuned.db"
        # Pinned to one configuration: which row or preset another shape gets depends on what won.
        words = ("gemm", "--device", DEVICE, "--shape", "64x64x64", "--db", cls.tuned)
        preset = json.loads(cls.call(TUNE, "explain", *words, "--json"))["configuration"]
        pins = [word for name, value in preset.items() for word in ("--fix", f"{name}={value}")]
        cls.call(TUNE, *words, "--shape", "48x32x16", *pins, "--budget", "1", "--quiet")

    def multiply(self, shape, program=None):
        """The rule by which the example chose for a shape; its answer must be right."""
        result = self.run_program(program or self.example, *shape.split("x"))
        k = shape.split("x")[2]
        self.assertIn(f"C[0][0] = {k}; it should be {k}", result.out)
        return re.search(r"chosen +(\w+):", result.out)[1]

    def change(self, sql):
        connection = sqlite3.connect(self.db)
        connection.execute(sql)
        connection.commit()
        connection.close()

    def plant_database(self, path=None):
        path = path or self.db
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.tuned, path)


class Example(Tuned):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.example = cls.compile(EXAMPLE, cls.prefix, "gemm")

    def test_it_says_what_it_uses(self):
        self.assertIn(self.multiply("64x64x64"), ("default", "fallback"))
        self.plant_database()
        self.assertEqual(self.multiply("64x64x64"), "exact")
        self.assertEqual(self.multiply("70x50x40"), "nearest")
        self.assertEqual(self.multiply("48x32x16"), "exact")

    def test_a_corrupt_database_is_named(self):
        self.plant_database()
        with open(self.db, "r+b") as file:
            file.write(b"corrupt, from the first page on" * 100)
        result = self.run_program(self.example, 64, 64, 64, code=1)
        self.assertEqual(result.out, "")
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.assertIn(str(self.db), result.err)

    def test_a_row_of_another_template_is_passed_over(self):
        self.plant_database()
        self.change("UPDATE implementation SET template_hash = 'before'")
        self.change("UPDATE best SET source = 'before'")
        self.assertIn(self.multiply("64x64x64"), ("default", "fallback"))
        said = self.run_program(self.example, 64, 64, 64).out
        self.assertRegex(said, r"not used +M=64,N=64,K=64;.*: its template has changed since")

    def test_an_empty_database_is_none(self):
        self.db.parent.mkdir(parents=True)
        self.db.touch()
        self.assertIn(self.multiply("64x64x64"), ("default", "fallback"))

    def test_what_ships_is_installed(self):
        exports = [json.loads(file.read_text()) for file in (ROOT / "db/tuned").glob("*.json")]
        self.assertEqual(self.query("SELECT count(*) FROM best", db=self.system),
                         [(sum(len(export["best"]) for export in exports),)])
        checked = self.run_command("db", "check", "--db", self.system)
        self.assertEqual((checked.code, checked.out), (0, f"{self.system}: nothing wrong\n"))

    def test_the_database_that_was_installed_with_it(self):
        prefix = self.home / "elsewhere"
        shutil.copytree(self.prefix, prefix, symlinks=True)
        self.plant_database(prefix / "share/tilewise/tilewise.db")
        self.libraries_used = self.libraries(prefix)
        self.assertEqual(self.multiply("64x64x64"), "exact")
        # The user's own counts for more.
        self.plant_database()
        self.change("UPDATE best SET time_us = 123456, ci_high_us = 123456")
        self.assertEqual(self.multiply("64x64x64"), "exact")
        self.assertIn("1.235e+05 us", self.run_program(self.example, 64, 64, 64).out)
        self.db.unlink()
        # A program is known by where it is installed when the library is part of it.
        static = self.home / "static"
        shutil.copytree(self.prefix, static, symlinks=True)
        for library in self.libraries(static).glob("libtilewise.so*"):
            library.unlink()
        program = self.compile(EXAMPLE, static, "gemm_static", "--static")
        self.assertIn(self.multiply("64x64x64", program), ("default", "fallback"))
        shutil.move(program, prefix / "bin/gemm")
        self.libraries_used = "/nowhere"
        self.assertEqual(self.multiply("64x64x64", prefix / "bin/gemm"), "exact")


class Shipped(Tuned):
    """Databases with compiled kernels in them, and the directory of those that were kept."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shipped = cls.compile(SOURCES / "shipped.c", cls.prefix, "shipped")
        cls.example = cls.compile(EXAMPLE, cls.prefix, "gemm")

    def multiply_with(self, database, trust, shape):
        return self.run_program(self.shipped, DEVICE, database, trust, *shape.split("x")).out.split()

    def test_compiled_kernels_travel(self):
        to = self.home / "ship.db"
        made = self.run_command("db", "export", "--binaries", "-o", to, "--db", self.tuned)
        self.assertEqual((made.code, made.err), (0, ""))
        self.assertIn("2 best rows with 2 compiled kernels", made.out)
        self.assertEqual(self.multiply_with(to, "trust", "64x64x64"), ["exact", "database"])
        # A binary is code: nobody uses it unasked.
        self.assertEqual(self.multiply_with(to, "doubt", "64x64x64"), ["exact", "compiled"])
        self.assertEqual(self.multiply_with(self.tuned, "trust", "64x64x64"), ["exact", "compiled"])
        connection = sqlite3.connect(to)
        connection.execute("UPDATE binary SET bytes = zeroblob(length(bytes))")
        connection.commit()
        connection.close()
        self.assertEqual(self.multiply_with(to, "trust", "64x64x64"), ["exact", "compiled"])
        # Merging and importing take results, not code.
        self.run_command("db", "merge", to, "--db", self.db)
        self.assertEqual(self.query("SELECT count(*) FROM best"), [(2,)])
        self.assertEqual(self.query("SELECT count(*) FROM binary"), [(0,)])

    def test_exports_that_cannot_be(self):
        self.refused("db", "export", "--binaries", "--db", self.tuned, says="name it with -o FILE.db")
        self.refused("db", "export", "--binaries", "-o", self.tuned, "--db", self.tuned,
                     says="writes a database of its own")

    def test_the_cache_is_listed_and_cleared(self):
        self.assertEqual(self.run_command("cache", "list").out, "0 kernels, 0.0 MB\n")
        self.plant_database()
        self.multiply("64x64x64")
        listed = self.run_command("cache", "list").out.splitlines()
        self.assertEqual(len(listed), 2)
        self.assertRegex(listed[0], r"^20\d\d-\d\d-\d\d \d\d:\d\d .* KB  gemm \w+ M=64,N=64,K=64;")
        self.assertTrue(listed[1].startswith("1 kernel, "), listed)
        self.assertEqual(self.run_command("cache", "clear").out.split(",")[0], "removed 1 file")
        self.assertEqual(self.run_command("cache", "list").out, "0 kernels, 0.0 MB\n")
        self.refused("cache", "lsit", says='tune cache has no "lsit"')


class Builds(Tuned):
    def configure(self, language, source, prefix, version=""):
        build = self.home / f"build-{language}"
        self.call("cmake", "-S", SOURCES, "-B", build, f"-DLANGUAGE={language}", f"-DSOURCE={source}",
                  f"-DVERSION={version}", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.call("cmake", "--build", build)
        return build

    def test_cmake_in_c(self):
        version = self.call("pkg-config", "--modversion", self.libraries(self.prefix) / "pkgconfig/tilewise.pc")
        build = self.configure("C", EXAMPLE, self.prefix, version.strip())
        self.libraries_used = "/nowhere"
        for name in ("with_shared", "with_static"):
            self.plant_database()
            self.assertEqual(self.multiply("64x64x64", build / name), "exact")

    def test_cmake_in_cxx_after_a_move(self):
        moved = self.home / "moved/twice/over"
        shutil.copytree(self.prefix, moved, symlinks=True)
        hidden = self.prefix.with_name("hidden")
        self.prefix.rename(hidden)
        self.addCleanup(hidden.rename, self.prefix)
        build = self.configure("CXX", SOURCES / "application.cpp", moved)
        self.libraries_used = "/nowhere"
        for name in ("with_shared", "with_static"):
            self.assertEqual(self.run_program(build / name, DEVICE).out, "copied\n")

    def test_cmake_refuses_another_version(self):
        with self.assertRaisesRegex(AssertionError, "version"):
            self.configure("C", EXAMPLE, self.prefix, "99")

    def test_the_header_by_itself(self):
        header = next(self.prefix.rglob("tilewise.h"))
        strict = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only")
        self.call("cc", "-std=c11", *strict, "-x", "c", header)
        self.call("c++", "-std=c++11", *strict, "-x", "c++", header)

    def test_a_part_of_the_header_says_what_to_include(self):
        part = next(self.prefix.rglob("tilewise_kernels.h"))
        done = subprocess.run(["cc", "-fsyntax-only", "-x", "c", part], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('#error "include tilewise.h, which has this in it"', done.stderr)

    def test_programs_of_this_header(self):
        version = re.search(r"^Version: (.*)", (self.libraries(self.prefix) / "pkgconfig/tilewise.pc").read_text(), re.M)[1]
        for name, compiler in (("in_c", ("cc", "-std=c11")), ("in_cxx", ("c++", "-std=c++11", "-x", "c++"))):
            program = self.compile(SOURCES / "prepare.c", self.prefix, name, compiler=compiler)
            answer, refusal = self.run_program(program, DEVICE).out.splitlines()
            self.assertEqual(answer, f"{version} 1: 3")
            self.assertRegex(refusal, r'^gemm 1x2x3 "dtype=f32,trans=nt[^"]*" has no plan yet, .* give it to tw_prepare$')

    def test_the_static_library_keeps_to_its_prefix(self):
        archive = self.libraries(self.prefix) / "libtilewise.a"
        names = [line.split()[2] for line in self.call("nm", "-g", "--defined-only", archive).splitlines()
                 if len(line.split()) == 3]
        self.assertGreater(len(names), 10)
        self.assertEqual([name for name in names if not name.startswith(("tw_", "__"))], [])

    def test_the_shared_library_shows_the_header_and_no_more(self):
        declared = set(re.findall(r"^TW_API [^;{]*?\b(tw_\w+)\(", 
                                  "".join(path.read_text() for path in self.prefix.rglob("tilewise*.h")), re.M))
        self.assertGreater(len(declared), 10)
        library = self.libraries(self.prefix) / "libtilewise.so"
        lines = self.call("nm", "-D", "--defined-only", library).splitlines()
        self.assertEqual({line.split()[2] for line in lines if " U " not in line}, declared)


class Misses(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plan = cls.compile(SOURCES / "plan.c", cls.prefix, "plan")

    def make_plan(self, *words, **options):
        result = self.run_program(self.plan, DEVICE, *words, **options)
        return [line.split() for line in result.out.splitlines()]

    def refuses(self, *words, says):
        result = self.run_program(self.plan, DEVICE, *words, code=1)
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.assertIn(says, result.err)

    def script(self, text):
        path = self.home / "script"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def test_tune(self):
        self.refuses("fail", 0, says="no database has a result")
        self.assertEqual(self.make_plan("tune", 3), [["exact", "compiled"]])
        # It is stored for other processes, and its binary too.
        self.assertEqual(self.make_plan("fail", 0), [["exact", "disk"]])
        self.assertGreater(self.trial_count(), 0)
        self.assert_sound()

    def test_threads_that_miss_together_tune_once(self):
        self.assertEqual(self.make_plan("together", 2), [["exact", "compiled"]])
        self.assertEqual(self.query("SELECT count(*) FROM run"), [(1,)])

    def test_a_kernel_of_the_users_own(self):
        self.environment["TW_DESCRIPTION"] = str(self.plant("double"))
        self.assertEqual(self.make_plan("tune", 2), [["exact", "compiled"]])
        self.assertEqual(self.query("SELECT DISTINCT kernel FROM problem"), [("double",)])
        self.assertEqual(self.make_plan("fail", 0), [["exact", "disk"]])

    def test_tune_in_the_background(self):
        (first, later) = self.make_plan("background", 3)
        self.assertIn(first[0], ("default", "fallback"))
        self.assertEqual(later[0], "exact")
        self.assertEqual(self.make_plan("fail", 0), [["exact", "disk"]])

    def test_closing_does_not_wait_for_all_of_it(self):
        before = time.monotonic()
        self.make_plan("hurry", 3000)
        self.assertLess(time.monotonic() - before, 300)

    def test_a_tuner_that_fails(self):
        self.refuses("tune", 3, "/nowhere/tune", says="cannot start /nowhere/tune")
        self.refuses("tune", 3, self.script("exit 3"), says="script failed with the exit status 3 and said nothing")
        self.refuses("tune", 3, self.script("kill -9 $$"), says="script was ended by signal 9")
        # The last line is what went wrong, however the lines arrive.
        slow = self.script("echo first >&2; sleep 0.3; echo second >&2; exit 1")
        self.refuses("tune", 3, slow, says="script failed: second")
        # In the background nobody waits for it, and what there is goes on serving.
        self.assertEqual(len(self.make_plan("hurry", 3, "/nowhere/tune")), 1)

    def test_processes_that_share_a_directory_of_binaries(self):
        self.environment["LD_LIBRARY_PATH"] = str(self.libraries_used)
        processes = [subprocess.Popen([self.plan, DEVICE, "nearest", "0"], env=self.environment,
                                      stdout=subprocess.PIPE, text=True) for _ in range(4)]
        for process in processes:
            out, _ = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 0)
            self.assertRegex(out, r"^(default|fallback) (compiled|disk)$")
        cache = self.home / "cache/tilewise"
        self.assertEqual(sorted(path.suffix for path in cache.iterdir()), [".twbin", ".twname"])
        self.assertEqual(self.make_plan("nearest", 0)[0][1], "disk")
        # What is remembered of a source is of no use without its binary, and no harm.
        next(cache.glob("*.twbin")).unlink()
        self.assertEqual(self.make_plan("nearest", 0)[0][1], "compiled")
        next(cache.glob("*.twname")).unlink()
        self.assertEqual(self.make_plan("nearest", 0)[0][1], "disk")


if __name__ == "__main__":
    support.main()

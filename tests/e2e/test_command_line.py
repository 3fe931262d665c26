"""The command line where little is allowed: exit statuses as the manual has them, places that cannot be
written, several descriptions, and outputs that are full."""

import ctypes
import json
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess

import support
from support import DEVICE

SHAPE = ("--shape", "20x30")


def without_privileges():
    """As root, permissions stop nobody: give up what is above them, in a child before it becomes another program."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_FOWNER = 24, 1, 3
    for capability in range(CAP_DAC_OVERRIDE, CAP_FOWNER + 1):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def files_up_to(size):
    """No file may grow beyond so many bytes, in a child before it becomes another program."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class ExitStatus(support.EndToEnd):
    """0 done, 1 failed, 2 the command line or a file that it names is wrong."""

    def setUp(self):
        super().setUp()
        self.config = self.plant("double")
        (self.home / "garbage").write_bytes(bytes(range(256)) * 8)
        (self.home / "empty").touch()
        (self.home / "folder").mkdir()
        connection = sqlite3.connect(self.home / "foreign.db")
        connection.execute("CREATE TABLE t (x)")
        connection.commit()
        connection.close()

    def test_files_that_are_named(self):
        for words in [
            ("--config", "absent", *SHAPE), ("--config", "garbage", *SHAPE), ("--config", "empty", *SHAPE),
            ("--config", "folder", *SHAPE), ("lint", "absent"),
            ("--shapes", "absent"), ("--shapes", "garbage"), ("--shapes", "empty"), ("--shapes", "folder"),
            ("db", "import", "absent"), ("db", "import", "garbage"), ("db", "import", "folder"),
            ("db", "import", "empty"), ("db", "merge", "absent"), ("db", "merge", "garbage"),
            ("db", "check", "--config", "absent"), ("db", "prune", "--config", "folder"),
            ("cache", "list", "--directory", "absent"), ("cache", "clear", "--directory", "garbage"),
            ("explain", "gemm", "--shape", "8x8x8", "--db", "garbage"),
            ("run", "--config", "absent", *SHAPE), ("retry", "--config", "absent", *SHAPE),
        ]:
            with self.subTest(words=words):
                self.refused(*words, codes=(2,))
        for command in (("show",), ("trials",), ("db", "list"), ("db", "check"), ("db", "export"), ("db", "prune"),
                        ("db", "forget", "gemm"), ("db", "export", "--format", "t4")):
            for file in ("absent", "garbage", "empty", "folder", "foreign.db"):
                with self.subTest(command=command, file=file):
                    self.refused(*command, "--db", file, says=file, codes=(2,))
        self.assertFalse((self.home / "absent").exists())

    def test_what_is_not_the_command_lines_fault(self):
        # No file is named, and there is nothing to show.
        self.refused("show", says="tune something first", codes=(1,))
        self.refused("trials", codes=(1,))
        self.tune_json("--config", self.config, *SHAPE, "--budget", "1")
        # A database that is held by another.
        connection = sqlite3.connect(self.db, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        try:
            result = self.run_command("db", "forget", "double")
        finally:
            connection.close()
        self.assertEqual(result.code, 1, result)
        self.assertIn("database is locked", result.err)

    def test_where_it_is_to_be_written(self):
        self.tune_json("--config", self.config, *SHAPE, "--budget", "1")
        for place in ("absent/out", "folder", "garbage/out"):
            with self.subTest(place=place):
                self.refused("db", "export", "-o", place, says=place, codes=(2,))
        self.assertEqual([p.name for p in self.home.glob("**/*.part")], [])

    def test_an_output_that_is_full(self):
        self.tune_json("--config", self.config, *SHAPE, "--budget", "1")
        for words in [("show",), ("trials", "--json"), ("devices",), ("db", "export"), ("help",), ("show", "--help")]:
            with self.subTest(words=words), open("/dev/full", "w") as full:
                result = self.run_command(*words, stdout=full)
                self.assertEqual(result.code, 1, result)
                self.assertRegex(result.err, r"^tune: standard output:? cannot be written: No space left on device\n$")

    def test_a_limit_of_files_sizes(self):
        self.tune_json("--config", self.config, *SHAPE, "--budget", "1")
        self.refused("db", "export", "-o", "best.json", preexec_fn=files_up_to(256), says="File too large", codes=(1,))
        result = self.run_command("--config", self.config, "--shape", "21x30", "--budget", "3", "--quiet", "--db", "new.db",
                                  device=DEVICE, preexec_fn=files_up_to(8192))
        self.assertEqual(result.code, 1, result)
        self.assertRegex(result.err, r"^tune: new\.db: cannot .*\n$")

    def test_a_reader_who_has_seen_enough(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = self.run_command("show", "--help", stdout=writer)
        os.close(writer)
        self.assertEqual((result.code, result.err), (1, ""))

    def test_help_by_its_short_name(self):
        for words in [(), ("show",), ("db",), ("db", "merge"), ("cache",), ("model",), ("model", "show"), ("record",)]:
            with self.subTest(words=words):
                short, long = self.run_command(*words, "-h"), self.run_command(*words, "--help")
                self.assertEqual((short.code, short.out, short.err), (0, long.out, ""))
                self.assertTrue(long.out.startswith("tune "), long)

    def test_words_that_nobody_asked_for(self):
        for words in [("devices", "extra"), ("cache", "list", "extra"), ("db", "list", "extra"), ("show", "--", "a", "b")]:
            with self.subTest(words=words):
                self.refused(*words, says="unexpected", codes=(2,))


class SeveralDescriptions(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.double, self.faults = self.plant("double"), self.plant("faults")
        self.both = ("--config", self.faults, "--config", self.double)

    def test_the_kernel_chooses(self):
        report = self.tune_json("double", *self.both, *SHAPE, "--budget", "1")
        self.assertEqual(report["kernel"], "double")
        self.assertEqual(self.ask("explain", "double", *self.both, *SHAPE, "--quiet")["rule"], "exact")
        self.refused(*self.both, *SHAPE, says="which kernel? name one of faults, double", codes=(2,))
        self.refused("gemm", *self.both, *SHAPE, says="describe faults, double, not gemm", codes=(2,))
        self.refused("double", *self.both, "--config", self.double, *SHAPE, says="and so does", codes=(2,))

    def test_databases_know_them_all(self):
        self.tune_json("--config", self.double, *SHAPE, "--budget", "1")
        self.tune_json("sound", "--config", self.sound(), "--shape", "100", "--budget", "1")
        self.assertIn("kernel sound: no such kernel is known", self.run_command("db", "check", "--config", self.double).out)
        checked = self.run_command("db", "check", "--config", self.double, "--config", self.sound())
        self.assertEqual((checked.code, checked.err), (0, ""), checked)
        self.assertIn("nothing wrong", checked.out)
        exported = self.home / "exported.json"
        self.assertEqual(self.run_command("db", "export", "-o", exported).code, 0)
        again = ("db", "import", exported, "--db", self.home / "again.db")
        self.refused(*again, "--config", self.double, says="sound", codes=(2,))
        self.assertEqual(self.run_command(*again, "--config", self.double, "--config", self.sound()).code, 0)

    def sound(self):
        """The sound part of the faulty kernel, as another."""
        path = self.home / "sound.json"
        description = json.loads(self.faults.read_text())
        description["kernel"] = "sound"
        description["implementations"] = description["implementations"][:1]
        path.write_text(json.dumps(description))
        return path

    def test_shipped_without_its_description(self):
        """A kernel whose description is not named is not one of other templates."""
        self.tune_json("--config", self.double, *SHAPE, "--budget", "1")
        shipped = self.run_command("db", "export", "--binaries", "-o", self.home / "a.db")
        self.assertEqual((shipped.code, shipped.err), (0, ""), shipped)
        self.assertIn("1 without: there is no description here of double; name it with --config\n", shipped.out)
        self.assertNotIn("templates", shipped.out)
        shipped = self.run_command("db", "export", "--binaries", "-o", self.home / "b.db", *self.both)
        self.assertIn("1 best row with 1 compiled kernel\n", shipped.out)
        self.assertNotIn("without", shipped.out)


class NothingCanBeWritten(support.EndToEnd):
    """Looking needs no permission to write, and leaves nothing behind."""

    LOOKING = [("show",), ("trials",), ("db", "list"), ("db", "export"), ("cache", "list"), ("devices",)]

    def setUp(self):
        super().setUp()
        self.config = self.plant("double")
        self.make_once(lambda: self.tune_json("--config", self.config, *SHAPE, "--budget", "1"), self.db)
        self.folder = self.db.parent
        self.addCleanup(self.allow)

    def allow(self):
        for path in (self.home, *self.home.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)

    def forbid(self, *paths):
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)
        # The test would say nothing where permissions stop nobody.
        for path in paths:
            target = path / "probe" if path.is_dir() else path
            probe = subprocess.run(["sh", "-c", f": >> '{target}'"], stderr=subprocess.DEVNULL,
                                   preexec_fn=without_privileges)
            self.assertNotEqual(probe.returncode, 0, f"{path} can be written")

    def look(self):
        before = sorted(self.home.rglob("*"))
        for words in self.LOOKING + [("explain", "--config", self.config, *SHAPE, "--quiet"),
                                     ("db", "check", "--config", self.config)]:
            with self.subTest(words=words):
                result = self.run_command(*words, preexec_fn=without_privileges)
                self.assertEqual((result.code, result.err), (0, ""), result)
                self.assertEqual(sorted(self.home.rglob("*")), before)
        self.assertIn("direct", self.run_command("show", preexec_fn=without_privileges).out)

    def test_looking_leaves_nothing(self):
        self.assertEqual([p.name for p in self.folder.iterdir()], ["tilewise.db"])
        self.look()

    def test_a_folder(self):
        self.forbid(self.folder)
        self.look()

    def test_a_file(self):
        """What a reader who may not write makes beside it, the owner could not use."""
        self.forbid(self.db)
        self.look()

    def test_everything(self):
        self.forbid(self.db, self.folder, self.folder.parent, self.home)
        self.look()

    def test_a_log_that_was_left(self):
        """As kill -9 leaves it: what is in it is read, and it stays for the next writer."""
        copy = self.home / "copy.db"
        connection = sqlite3.connect(self.db, isolation_level=None)
        connection.execute("UPDATE best SET time_us = 12345, ci_low_us = 0, ci_high_us = 1e9")
        for end in ("", "-wal"):
            shutil.copy(f"{self.db}{end}", f"{copy}{end}")
        connection.close()
        log = pathlib.Path(f"{copy}-wal").read_bytes()
        self.assertGreater(len(log), 0)
        self.assertEqual(self.ask("show", "--db", copy)[0]["time_us"], 12345)
        self.assertEqual(pathlib.Path(f"{copy}-wal").read_bytes(), log)

    def test_caches(self):
        cache = self.home / "cache/tilewise"
        self.assertFalse(cache.exists())
        # Looking makes no folder.
        self.assertEqual(self.run_command("cache", "list").out, "0 kernels, 0.0 MB\n")
        self.assertEqual(self.run_command("cache", "clear").out, "removed 0 files, 0.0 MB\n")
        self.assertFalse(cache.exists())
        cache.mkdir(parents=True)
        kept = cache / ("0" * 32 + ".twbin")
        kept.write_bytes(b"damaged")
        self.forbid(cache)
        listed = self.run_command("cache", "list", preexec_fn=without_privileges)
        self.assertEqual((listed.code, listed.err), (0, ""), listed)
        self.refused("cache", "clear", says="cannot be removed", codes=(1,), preexec_fn=without_privileges)
        self.assertTrue(kept.exists())


if __name__ == "__main__":
    support.main()

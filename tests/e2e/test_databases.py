"""Databases that cannot be used: one clear line, and not a byte of them changed."""

import ctypes
import os
import resource
import signal
import sqlite3
import subprocess

import support
from support import DEVICE

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def obey_permissions():
    """Before exec: permissions shall bind root too."""
    libc = ctypes.CDLL(None)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


class Refused(support.EndToEnd):
    """Each case plants a file and tries what reads and what writes."""

    def setUp(self):
        super().setUp()
        self.subject = ("--config", self.plant("double"), "--cache", "warm", "--shape", "4x1")
        self.file = self.home / "some.db"

    def make_sound_database(self):
        self.make_once(lambda: self.tune(*self.subject, "--budget", "1", "--db", self.file), self.file)

    def contents(self):
        return {p.name: p.read_bytes() for p in self.home.glob("some.db*") if p.is_file()}

    def refused_everywhere(self, says, **options):
        before = self.contents()
        for words in [
            (*self.subject, "--budget", "1", "--quiet", "--device", DEVICE),
            ("apply", *self.subject, "--device", DEVICE),
            ("show",),
            ("trials",),
        ]:
            with self.subTest(words=words[0]):
                self.refused(*words, "--db", self.file, says=["some.db", says], codes=(2,), **options)
        self.assertEqual(self.contents(), before)

    def test_not_a_database(self):
        self.file.write_text("Dear diary, this is not a database at all.\n" * 100)
        self.refused_everywhere("is not an SQLite database; name another file")

    def test_another_application_s_database(self):
        connection = sqlite3.connect(self.file)
        connection.execute("CREATE TABLE bookmark (address TEXT)")
        connection.commit()
        connection.close()
        self.refused_everywhere("another application's SQLite database")

    def test_a_newer_schema(self):
        self.make_sound_database()
        connection = sqlite3.connect(self.file)
        connection.execute("PRAGMA user_version = 999")
        connection.close()
        self.refused_everywhere("its schema is newer")

    def test_a_directory(self):
        self.file.mkdir()
        self.refused_everywhere("directory")

    def test_a_file_where_a_directory_should_be(self):
        (self.home / "some.db").write_text("not a directory\n")
        self.refused(*self.subject, "--quiet", "--db", self.file / "x/tuned.db",
                     says="some.db", device=DEVICE)

    def test_damage(self):
        self.make_sound_database()
        sound = self.file.read_bytes()
        page = int.from_bytes(sound[16:18], "big")
        last = len(sound) - page
        for name, damaged in [
            ("overwritten", sound[:page] + b"\xa5" * last),
            ("cut", sound[: len(sound) // 2 // page * page]),
            ("one page lost", sound[:last] + bytes(page)),
        ]:
            with self.subTest(name):
                self.file.write_bytes(damaged)
                self.refused(*self.subject, "--budget", "1", "--quiet",
                             "--db", self.file, says="some.db", device=DEVICE)
                # Reading meets the damage or it does not; it must not crash, nor write.
                for words in [("show",), ("trials",), ("apply", *self.subject, "--device", DEVICE)]:
                    result = self.run_command(*words, "--db", self.file)
                    self.assertIn(result.code, (0, 1), result)
                self.assertEqual(self.file.read_bytes(), damaged)

    def test_read_only(self):
        self.make_sound_database()
        self.file.chmod(0o444)
        self.home.chmod(0o555)
        self.addCleanup(self.home.chmod, 0o755)
        # What makes root different cannot be taken away everywhere.
        probe = subprocess.run(["sh", "-c", f": >> '{self.file}'"], preexec_fn=obey_permissions, stderr=subprocess.DEVNULL)
        if probe.returncode == 0:
            self.skipTest("this user may write to read-only files")
        before = self.file.read_bytes()
        self.refused(*self.subject, "--budget", "1", "--quiet", "--db", self.file,
                     says=["some.db", "read-only"], device=DEVICE, preexec_fn=obey_permissions)
        self.refused(*self.subject, "--budget", "1", "--quiet", "--db", self.home / "new.db",
                     says="new.db", device=DEVICE, preexec_fn=obey_permissions)
        # Reading is all that these do.
        for command in [("show",), ("trials",), ("apply", *self.subject, "--device", DEVICE)]:
            result = self.run_command(*command, "--db", self.file, preexec_fn=obey_permissions)
            self.assertEqual(result.code, 0, result)
        self.assertEqual(self.file.read_bytes(), before)

    def test_no_home(self):
        for name in ("HOME", "XDG_DATA_HOME"):
            del self.environment[name]
        self.refused(*self.subject, "--quiet", says="give --db FILE", device=DEVICE)


class FullDisk(support.EndToEnd):
    """On a tiny file system of its own where one can be mounted; else with a limit on file sizes."""

    def setUp(self):
        super().setUp()
        kernel = self.plant("double")
        self.disk = self.home / "disk"
        self.disk.mkdir()
        self.words = ("--config", kernel, "--shape", "4x4", "--budget", "8", "--strategy", "random",
                      "--quiet", "--db", self.disk / "tuned.db")

    def mount(self):
        command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(self.disk)]
        try:
            done = subprocess.run(command, capture_output=True)
        except FileNotFoundError:
            self.skipTest("there is no mount command")
        if done.returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(self.disk)], check=True)

    def fill(self):
        with open(self.disk / "ballast", "ab", buffering=0) as ballast:
            while True:
                try:
                    if ballast.write(b"x" * 4096) < 4096:
                        return
                except OSError:
                    return

    def test_full_from_the_start(self):
        self.mount()
        self.fill()
        words = (*self.words, "--cache", "warm")
        self.refused(*words, says=["tuned.db", "full"], device=DEVICE)
        (self.disk / "ballast").unlink()
        self.tune(*words)
        self.assert_sound(self.disk / "tuned.db")

    def test_filled_while_tuning(self):
        self.mount()
        database = self.disk / "tuned.db"
        # With a cold cache and one compiler there is time to step in between.
        running = self.start(*self.words, "--jobs", "1")
        self.db = database
        support.wait_until(self.trial_count, what="a trial")
        self.fill()
        result = self.finish(running)
        self.assertEqual(result.code, 1, result)
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.assertTrue(result.err.startswith("tune: "), result)
        self.assertIn("tuned.db", result.err)
        self.assertIn("full", result.err)
        # The same command goes on once there is room.
        (self.disk / "ballast").unlink()
        before = self.trial_count()
        self.assert_sound()
        report = self.tune_json(*self.words)
        self.assertTrue(report["resumed"])
        self.assertEqual(sum(report["trials"].values()), 8)
        self.assertEqual(report["trials_now"], 8 - before)
        self.assert_sound()

    def test_a_limit_on_file_sizes(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (32768, 32768))

        words = (*self.words, "--cache", "warm")
        self.refused(*words, says="tuned.db", device=DEVICE, preexec_fn=limit, restore_signals=False)
        self.tune(*words)
        self.assert_sound(self.disk / "tuned.db")


if __name__ == "__main__":
    support.main()

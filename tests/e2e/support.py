"""What the end-to-end tests share: running `tune` as a user types it, in a world of its own.

TILEWISE_TUNE names the program (default: build/release/bin/tune) and TILEWISE_DEVICE the device or
backend (default: opencl). Each test has a temporary directory that is its home.
TILEWISE_POCL_CACHE names a directory where PoCL may keep what it compiled; default: one a file.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TUNE = os.path.abspath(
    os.environ.get("TILEWISE_TUNE", HERE.parent.parent / "build/release/bin/tune")
)
DEVICE = os.environ.get("TILEWISE_DEVICE", "opencl")
SKIPPED = 77  # what CTest is told to take for "skipped"
LIMIT = 600  # seconds; a test that takes as long has hung

# Sanitized workers keep their standard error, for the sanitizers' sake, so what compilers say shows.
CHATTER = re.compile(r"^\d+ (warning|error)s?( and \d+ errors?)? generated\.\r?\n", re.MULTILINE)

STATUSES = ["ok", "compile_error", "compile_timeout", "launch_error", "resource", "wrong", "timeout", "crash"]


class Result:
    """What a command left behind."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit status {self.code}\n--- stdout\n{self.out}--- stderr\n{self.err}"

    @property
    def json(self):
        return json.loads(self.out)


def sanitized():
    with open(TUNE, "rb") as program:
        return b"__asan_init" in program.read()


def canonical(configuration):
    return json.dumps(configuration, sort_keys=True)


def variants(trials):
    """(implementation, configuration) of trials as `tune trials --json` gives them."""
    return [(t["implementation"], canonical(t["configuration"])) for t in trials]


def session_processes(session):
    """The processes of a session that are alive, by number."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # The name is in parentheses and may hold anything; the fields follow the last one.
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            found.append(int(entry.name))
    return found


def wait_until(condition, seconds=60, what="the condition"):
    """Polls until `condition()` is true and returns what it gave."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s in vain for {what}")
        time.sleep(0.02)


def several_devices(environment):
    """Two like devices of the backend under test, by name; PoCL is told to show its own twice."""
    backend = DEVICE.split(":")[0]
    for driver in ("", "cpu", "pthread"):
        tried = environment | ({"POCL_DEVICES": f"{driver} {driver}"} if driver else {})
        listed = subprocess.run([TUNE, "devices", "--json"], env=tried, capture_output=True, text=True, timeout=LIMIT)
        devices = [d for d in json.loads(listed.stdout)["devices"] if d["backend"] == backend]
        for one in devices:
            alike = [d["id"] for d in devices if (d["name"], d["memory_bytes"] if not d["cpu"] else 0) ==
                     (one["name"], one["memory_bytes"] if not one["cpu"] else 0)]
            if len(alike) > 1:
                return tried, alike[:2]
    raise unittest.SkipTest(f"there are no two like devices of {backend} here")


class Spared:
    """Who kills workers must not do so more than three times over one variant, however slow the machine is: the fourth
    time is a verdict. So many kills are allowed until another trial is recorded."""

    MOST = 3

    def __init__(self, trial_count):
        self.trial_count, self.trials, self.kills = trial_count, 0, 0

    def may_kill(self):
        count = self.trial_count()
        if count != self.trials:
            self.trials, self.kills = count, 0
        return self.kills < self.MOST

    def killed(self):
        self.kills += 1


class EndToEnd(unittest.TestCase):
    """A test with a home of its own. `self.tune(...)` runs a command in it."""

    @classmethod
    def setUpClass(cls):
        cls.sanitized = sanitized()
        cls.pocl_cache = os.environ.get("TILEWISE_POCL_CACHE")
        if cls.pocl_cache is None:
            cls.pocl_cache = tempfile.mkdtemp(prefix="tilewise-pocl-")
            cls.addClassCleanup(shutil.rmtree, cls.pocl_cache, ignore_errors=True)
        os.makedirs(cls.pocl_cache, exist_ok=True)

    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tilewise-e2e-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.db = self.home / "data/tilewise/tilewise.db"
        self.environment = dict(
            os.environ,
            HOME=str(self.home),
            XDG_DATA_HOME=str(self.home / "data"),
            XDG_CACHE_HOME=str(self.home / "cache"),
            POCL_CACHE_DIR=self.pocl_cache,
            LC_ALL="C",
        )
        # PoCL and the ICD loader leave things behind at exit that are not ours to free.
        self.environment["ASAN_OPTIONS"] = ":".join(
            filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"])
        )

    def make_once(self, make, *files):
        """`make()` writes the files, of the home, for the first test of a class; the others get them as they were."""
        made = vars(type(self)).get("made")
        if made is None:
            make()
            type(self).made = {file.relative_to(self.home): file.read_bytes() for file in files}
            return
        for name, content in made.items():
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.home / name).write_bytes(content)

    def plant(self, name):
        """Copies the kernel `name` of tests/e2e/kernels into the home; returns its description's path."""
        shutil.copy(HERE / "kernels" / f"{name}.json", self.home)
        shutil.copytree(HERE / "kernels" / name, self.home / name, dirs_exist_ok=True)
        return self.home / f"{name}.json"

    def command(self, *words, device=DEVICE):
        command = [TUNE, *map(str, words)]
        if device is not None:
            command += ["--device", device]
        return command

    def start(self, *words, device=DEVICE, program=None, **options):
        """Starts a command in a session of its own, so that what it leaves behind can be found."""
        command = self.command(*words, device=device)
        if program is not None:
            command[0] = program
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            env=self.environment,
            cwd=self.home,
            start_new_session=True,
            **options,
        )
        self.addCleanup(self.clear, process)
        return process

    @staticmethod
    def clear(process):
        for pid in session_processes(process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    def finish(self, process):
        out, err = process.communicate(timeout=LIMIT)
        # `tune apply` compiles in its own process, where PoCL's compiler counts its messages aloud.
        err = CHATTER.sub("", err)
        for trace in ("AddressSanitizer", "runtime error:", "LeakSanitizer"):
            self.assertNotIn(trace, err)
        return Result(process.returncode, out, err)

    def run_command(self, *words, device=None, **options):
        return self.finish(self.start(*words, device=device, **options))

    def tune(self, *words, **options):
        """Tunes on the device under test and expects success."""
        result = self.run_command(*words, device=DEVICE, **options)
        self.assertEqual(result.code, 0, result)
        return result

    def tune_json(self, *words, **options):
        words += () if "--quiet" in words else ("--quiet",)
        result = self.tune(*words, "--json", **options)
        self.assertEqual(result.err, "")
        return result.json

    def ask(self, *words, **options):
        """A command that is not about a device, with --json."""
        result = self.run_command(*words, "--json", **options)
        self.assertEqual(result.code, 0, result)
        return result.json

    def refused(self, *words, says=(), device=None, codes=(1, 2), **options):
        """Expects one clear line on standard error, and nothing else."""
        result = self.run_command(*words, device=device, **options)
        self.assertIn(result.code, codes, result)
        self.assertEqual(result.out, "", result)
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 1, result)
        self.assertTrue(lines[0].startswith("tune: "), result)
        self.assertTrue(lines[0].isprintable(), repr(lines[0]))
        for words_said in [says] if isinstance(says, str) else says:
            self.assertIn(words_said, lines[0])
        return result

    # ---- The database, as another program sees it ----

    def query(self, sql, *values, db=None, mode="ro"):
        connection = sqlite3.connect(f"file:{db or self.db}?mode={mode}", uri=True, timeout=30)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def trial_count(self, db=None):
        """Trials recorded so far; 0 also while there is no database."""
        try:
            return self.query("SELECT count(*) FROM trial", db=db)[0][0]
        except sqlite3.OperationalError:
            return 0

    def recorded(self, db=None):
        """Trials, whoever was killed meanwhile: only who may write can roll back the journal of one who was just making
        the file, and there may be no table yet."""
        try:
            return set(self.query("SELECT problem, implementation, configuration, status, time_us FROM trial", db=db,
                                  mode="rw"))
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return set()
            raise

    def assert_sound(self, db=None):
        """The database holds together and no variant is in it twice."""
        self.assertEqual(self.query("PRAGMA integrity_check", db=db), [("ok",)])
        self.assertEqual(self.query("PRAGMA foreign_key_check", db=db), [])
        twice = self.query(
            "SELECT count(*) FROM trial GROUP BY problem, device, implementation, cache_policy,"
            " configuration HAVING count(*) > 1",
            db=db,
        )
        self.assertEqual(twice, [])


def absent():
    """Why there is no such device here; empty when there is one."""
    listed = subprocess.run(
        [TUNE, "devices", "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT
    )
    if listed.returncode != 0:
        raise SystemExit(f"{TUNE} devices: exit status {listed.returncode}\n{listed.stderr}")
    answer = json.loads(listed.stdout)
    if any(DEVICE in (d["id"], d["backend"]) for d in answer["devices"]):
        return ""
    reasons = re.findall(rf"^{DEVICE}.*", answer["absent"], re.MULTILINE)
    return f"no device {DEVICE} here" + "".join(f"; {reason}" for reason in reasons)


def main():
    if not os.access(TUNE, os.X_OK):
        sys.exit(f"{TUNE} is no program; build it, or name one with TILEWISE_TUNE")
    reason = absent()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    result = unittest.main(verbosity=2, exit=False).result
    whole = [test for test, _ in result.skipped if not hasattr(test, "test_case")]  # subtests have one
    if whole and result.wasSuccessful() and len(whole) >= result.testsRun:
        print("skipped: " + "; ".join(sorted({reason for _, reason in result.skipped})))
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful())

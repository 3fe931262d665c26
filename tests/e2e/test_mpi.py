"""tune-mpi: a list tuned by the ranks of an MPI job on this machine, and what killing any of it costs: nothing finished.

TILEWISE_KILLS is how often the last test kills something (default 3), TILEWISE_SEED what it draws from."""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import support
from support import DEVICE, TUNE, session_processes, wait_until

TUNE_MPI = pathlib.Path(TUNE).with_name("tune-mpi")
SHAPES = ["20x30", "8x40", "7x7 dtype=f64"]
BUDGET = 4
KILLS = int(os.environ.get("TILEWISE_KILLS", "3"))


def launcher():
    """mpirun with what a small machine and root need; empty when there is none."""
    mpirun = shutil.which("mpirun")
    if mpirun is None or not TUNE_MPI.exists():
        return []
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, timeout=60).stdout
    if "Open MPI" not in version and "OpenRTE" not in version:
        return [mpirun]
    return [mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]


class Mpi(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.config = self.plant("double")
        self.list = self.home / "list.txt"
        self.list.write_text("".join(f"{shape}\n" for shape in SHAPES))
        self.results, self.local = self.home / "results.db", self.home / "local"
        self.words = ("--config", self.config, "--shapes", self.list, "--budget", BUDGET, "--jobs", 1, "--cache",
                      "warm", "--db", self.results, "--local", self.local, "--device", DEVICE)

    def start_job(self, *words, ranks=2, survive=False):
        more = ["--enable-recovery"] if survive and "--oversubscribe" in launcher() else []
        process = subprocess.Popen(
            [*launcher(), *more, "-n", str(ranks), TUNE_MPI, *map(str, words)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=self.environment, cwd=self.home, start_new_session=True)
        self.addCleanup(self.clear, process)
        return process

    def job(self, *words, **options):
        result = self.finish(self.start_job(*words, **options))
        self.assertEqual(result.code, 0, result)
        return result

    def locals(self):
        """The ranks' databases: a tune that was killed just as it made one has left an empty file."""
        return sorted(db for db in self.local.glob("*.db") if db.stat().st_size > 0)

    def decided(self, db):
        """The best rows that a playoff has decided: a search that was killed elsewhere may have left others."""
        result = self.run_command("db", "export", "--db", db)
        self.assertEqual(result.code, 0, result)
        return [row for row in json.loads(result.out)["best"] if "ties" in row]

    def stopped_tune(self, job, wanted=lambda line: True):
        """A tune of the job that is at work, and stays so: it is stopped."""
        def stop():
            for pid in self.processes(job, "tune", "--config"):
                try:
                    if wanted(pathlib.Path(f"/proc/{pid}/cmdline").read_text()):
                        os.kill(pid, signal.SIGSTOP)
                        wait_until(lambda: self.state(pid)[0] in "TZ", what="it to stop")
                        if self.state(pid)[0] == "T":
                            return pid
                except OSError:
                    pass  # it has just ended: another
            return None
        return wait_until(stop, what="a tune at work")

    @staticmethod
    def state(pid):
        """Its letter and its parent."""
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return fields[0], int(fields[1])

    def assert_all_done(self, exact=True):
        """Every problem has a result; `exact`: the results are those of the ranks taken together."""
        self.assertEqual(self.query("SELECT count(*) FROM best WHERE tie_set IS NOT NULL", db=self.results),
                         [(len(SHAPES),)])
        union = self.home / "union.db"
        union.unlink(missing_ok=True)
        merged = self.run_command("db", "merge", *self.locals(), "--db", union)
        self.assertEqual(merged.code, 0, merged)
        if exact:
            self.assertEqual(self.decided(self.results), self.decided(union))
        self.assertFalse(self.results.with_name("results.db.mpi").exists())
        for db in (self.results, *self.locals()):
            self.assert_sound(db)

    def processes(self, job, *words):
        """The job's processes whose command line has these words first, after the program's name."""
        found = []
        for pid in session_processes(job.pid):
            try:
                line = pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            except OSError:
                continue
            if pathlib.Path(line[0]).name == words[0] and line[1:len(words)] == list(words[1:]):
                found.append(pid)
        return found

    def trials(self):
        """What ranks have recorded, by rank."""
        return {(db.name, *row) for db in self.locals() for row in self.recorded(db)}

    def test_a_list(self):
        result = self.job(*self.words, ranks=3)
        lines = result.out.splitlines()
        self.assertEqual(sorted(line.split(": ")[0] for line in lines), sorted(SHAPES))
        for i, line in enumerate(lines, 1):
            self.assertRegex(line, rf"^\S+( dtype=f64)?: \S+ [mu]?s, \S+ [GM]B/s \(\w+\), rank \d \(\S+ of .+\); {i} of 3$")
        self.assertIn(f"tune-mpi: {len(SHAPES)} of {len(SHAPES)} problems done in ", result.err)
        # A line says that they share what there is.
        self.assertEqual(result.err.count(": ranks that do disturb each other's times"), 1, result)
        # On a busy machine one rank may have done two before another began: a rank with work has a database.
        self.assertEqual(len(self.locals()), len({re.search(r"rank (\d+) ", line)[1] for line in lines}))
        self.assert_all_done()

    def test_the_same_command_again(self):
        """What it has done is there and stays; another seed searches on, and knows what was tried."""
        shapes = [shape.split()[0] for shape in SHAPES]
        self.job(*self.words)
        rows, known = self.decided(self.results), self.trials()
        again = self.job(*self.words)
        self.assertEqual(again.out, "")
        self.assertRegex(again.err, r"(?m)^tune-mpi: 3 of 3 problems done in \S+ s by 2 ranks, 3 of them by an earlier "
                                    r"start of this command \(another --seed searches them again\); database")
        told = json.loads(self.job(*self.words, "--json").out)
        self.assertEqual([report["problem"]["shape"] for report in told], shapes)
        self.assertTrue(all(report["done_before"] for report in told))
        # Two texts of one time may differ in the last digit.
        for time, row in zip(sorted(report["best"]["time_us"] for report in told), sorted(row["time_us"] for row in rows),
                             strict=True):
            self.assertAlmostEqual(time, row, delta=1e-9 * row)
        # One more is all that there is to do, and `tune` with the list has none of it to do.
        self.list.write_text("".join(f"{shape}\n" for shape in (*SHAPES, "5x5")))
        longer = self.job(*self.words)
        self.assertRegex(longer.out, r"\A5x5: .*; 4 of 4\n\Z")
        self.assertIn("4 of 4 problems done", longer.err)
        self.assertIn(", 3 of them by an earlier start of this command;", longer.err)
        local = self.words.index("--local")
        alone = self.run_command(*self.words[:local], *self.words[local + 2:], "--json")
        self.assertEqual([report["done_before"] for report in alone.json], [True] * 4, alone)
        self.assertIn("tune: 4 problems were done before by this command; another --seed searches them again", alone.err)
        self.assertEqual([row for row in self.decided(self.results) if row in rows], rows)
        self.assertEqual(known - self.trials(), set())
        another = json.loads(self.job(*self.words, "--seed", 2, "--json").out)
        for report in another:
            self.assertIn(report["rank"], (0, 1))
            self.assertEqual(report["trials_now"], BUDGET)
        self.assertTrue(any(sum(report["trials"].values()) > BUDGET for report in another))
        # Also where the rows of the first stay, for they were measured better.
        self.assertEqual(self.job(*self.words, "--seed", 2).out, "")
        self.assertEqual(self.job(*self.words).out, "")
        # Without the results there is nothing that was done.
        self.results.unlink()
        self.assertEqual(len(self.job(*self.words).out.splitlines()), 4)

    def test_tune_is_killed(self):
        """A rank outlives the tune that it started, which goes on."""
        job = self.start_job(*self.words, "--budget", 8)
        wait_until(lambda: any(map(self.trial_count, self.locals())), what="a trial")
        os.kill(self.stopped_tune(job), signal.SIGKILL)
        result = self.finish(job)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, r"(?m)^tune-mpi: rank \d \(.*\): tune was killed by signal 9 \(Killed\) over "
                                     r"\S+( dtype=f64)?; it goes on$")
        self.assert_all_done()

    def test_the_job_is_killed(self):
        job = self.start_job(*self.words)
        done = job.stdout.readline()
        for pid in session_processes(job.pid):
            os.kill(pid, signal.SIGKILL)
        job.wait()
        wait_until(lambda: not session_processes(job.pid), what="all of it to end")
        if not self.results.with_name("results.db.mpi").exists():
            self.skipTest("it was through before it could be killed")
        known = self.trials()
        result = self.job(*self.words, ranks=3)
        self.assertRegex(result.err, r"(?m)^tune-mpi: 3 of 3 problems done in .*, [1-3] of them by an earlier start")
        self.assertNotIn(done.split(": ")[0] + ": ", result.out)
        self.assertEqual(known - self.trials(), set())
        self.assert_all_done()

    def test_a_rank_is_killed(self):
        if "--oversubscribe" not in launcher():
            self.skipTest("this MPI ends the job with a rank")
        job = self.start_job(*self.words, "--budget", 8, "--lost-after", "10s", ranks=3, survive=True)
        wait_until(lambda: any(map(self.trial_count, self.locals())), what="a trial")
        tune = self.stopped_tune(job, lambda line: "-0.db" not in line)
        os.kill(self.state(tune)[1], signal.SIGKILL)
        result = self.finish(job)
        self.assertRegex(result.err, r"tune-mpi: rank [12] \(.*\) has not been heard of for 10 s, and is taken for lost; "
                                     r"\S+( dtype=f64)? goes to another")
        self.assertIn("3 of 3 problems done", result.err)
        wait_until(lambda: not session_processes(job.pid), what="all of it to end")
        # One that is wrongly taken for lost, on a machine that is busy, may find what nobody waits for any more.
        self.assert_all_done(exact=False)

    def test_help(self):
        """Without MPI's launcher, and of every option that is taken."""
        told = subprocess.run([TUNE_MPI, "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        for option in ("--shapes", "--devices", "--db", "--local", "--lost-after", "--budget", "--json"):
            self.assertIn(option, told.stdout)

    def test_mistakes(self):
        for words, says in (
            (("--config", self.config), "tune-mpi: what shapes? give --shapes FILE"),
            ((*self.words, "--devices", "all"), "tune-mpi: give --device or --devices, not both"),
            ((*self.words, "--shape", "1x2x3"), "1x2x3"),
            ((*self.words, "--no-such"), "tune-mpi: unknown option --no-such"),
            ((*self.words, "--strategy", "no-such"), "tune-mpi: unknown strategy \"no-such\""),
            ((*self.words, "--fix", "NO_SUCH=1"), "has no parameter \"NO_SUCH\""),
            ((*self.words, "--compute", "any"), "tune-mpi: --compute any is tune's alone"),
        ):
            result = self.finish(self.start_job(*words))
            self.assertNotEqual(result.code, 0, result)
            self.assertEqual(result.out, "", result)
            self.assertIn(says, result.err)
            self.assertEqual(result.err.count("tune-mpi: "), 1, result)
        self.assertFalse(self.results.exists())
        result = self.finish(self.start_job(*self.words[:-1], "opencl:77"))
        self.assertEqual(result.code, 1, result)
        self.assertEqual(result.err.count("takes no part: there is no device \"opencl:77\""), 2, result)
        self.assertRegex(result.err, r"(?m)^tune-mpi: 0 of 3 problems done in [\d.]+ s by 0 ranks; no rank has a device to "
                                     r"tune on; database \S+$")

    def test_killed_at_random(self):
        """A worker, a tune, a rank or the job, whenever: no trial that was there is lost, and it ends well."""
        chance = random.Random(int(os.environ.get("TILEWISE_SEED", "1")))
        words = (*self.words, "--budget", 10, "--lost-after", "10s")
        killed, known = 0, set()
        while killed < KILLS:
            job = self.start_job(*words, survive=chance.random() < 0.5)
            # What fills up would wait for a reader.
            job.stdout.close(), job.stderr.close()
            while job.poll() is None and killed < KILLS:
                time.sleep(chance.uniform(0.1, 2))
                everybody = session_processes(job.pid)
                if not everybody:
                    break
                victims = everybody if chance.random() < 0.25 else [chance.choice(everybody)]
                for victim in victims:
                    try:
                        os.kill(victim, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                killed += 1
            try:
                job.wait(timeout=60 if killed < KILLS else 0.1)
            except subprocess.TimeoutExpired:
                pass
            self.clear_job(job)
            now = self.trials()
            self.assertEqual(known - now, set(), f"after {killed} kills")
            self.assertEqual({row[4] for row in now} - {"ok"}, set())
            known = now
            # A job that got through is over, and the next would have nothing to do: it begins with nothing.
            if self.results.exists() and not self.results.with_name("results.db.mpi").exists():
                for path in (*self.home.glob("results.db*"), *self.local.glob("*")):
                    path.unlink()
                known = set()
        self.job(*words, "--lost-after", "300s")
        self.assertEqual(known - self.trials(), set())
        self.assert_all_done()

    def clear_job(self, job):
        for pid in session_processes(job.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        job.wait()
        wait_until(lambda: not session_processes(job.pid), what="all of it to end")


if __name__ == "__main__":
    if not launcher():
        print("skipped: no tune-mpi was built, or there is no mpirun (Debian: libopenmpi-dev openmpi-bin)")
        sys.exit(support.SKIPPED)
    support.main()

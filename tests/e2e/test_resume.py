"""Runs that are stopped, and the same command again: nothing is lost, nothing is done twice."""

import os
import random
import signal
import sqlite3
import time

import support
from support import DEVICE, session_processes, variants, wait_until

BUDGET = 12


class Resume(support.EndToEnd):
    def setUp(self):
        super().setUp()
        # With a cold cache and one compiler a run takes long enough to step in between.
        self.words = ("--config", self.plant("double"), "--shape", "20x30", "--budget", BUDGET,
                      "--strategy", "random", "--jobs", "1")

    def start_and_wait_for_trials(self, count, *words):
        """So many more than there are: the run is under way then, however late one before it was stopped."""
        known = self.trial_count()
        running = self.start(*self.words, *words)
        wait_until(lambda: self.trial_count() >= known + count or running.poll() is not None, what=f"{count} trials")
        self.assertIsNone(running.poll(), "the run ended before it could be stopped")
        return running

    def interrupt(self, running):
        """Ctrl-C: every process of the group gets it."""
        os.killpg(running.pid, signal.SIGINT)
        result = self.finish(running)
        self.assertEqual(result.code, 130, result)
        wait_until(lambda: not session_processes(running.pid), what="its processes to end")
        return result

    def check_resumed(self, before):
        """The same command completes the run that has `before` trials."""
        report = self.tune_json(*self.words)
        self.assertTrue(report["resumed"])
        self.assertFalse(report["interrupted"])
        self.assertEqual(report["trials_now"], BUDGET - before)
        self.assertEqual(sum(report["trials"].values()), BUDGET)
        self.assertIsNotNone(report["best"])
        row, = self.ask("show")
        self.assertFalse(row["provisional"])
        self.assertEqual(row["configuration"], report["best"]["configuration"])
        self.assertEqual(self.query("SELECT id, state FROM run"), [(1, "done")])
        run = self.ask("trials")
        self.assertEqual((run["run"], run["state"]), (1, "done"))
        self.assertEqual(len(run["trials"]), BUDGET)
        self.assertEqual(len(set(variants(run["trials"]))), BUDGET)
        self.assert_sound()

    def check_provisional(self, configuration=None):
        """The best so far is stored, and an application gets it."""
        row, = self.ask("show")
        self.assertTrue(row["provisional"])
        if configuration is not None:
            self.assertEqual(row["configuration"], configuration)
        applied = self.ask("apply", *self.words[:4], device=DEVICE)
        self.assertEqual((applied["rule"], applied["configuration"]), ("exact", row["configuration"]))
        explained = self.ask("explain", *self.words[:4], device=DEVICE)
        self.assertTrue(explained["row"]["provisional"])
        for words in (("show",), ("explain", *self.words[:4], "--device", DEVICE)):
            self.assertIn("provisional", self.run_command(*words).out)

    def test_ctrl_c(self):
        result = self.interrupt(self.start_and_wait_for_trials(3, "--json", "--quiet"))
        self.assertEqual(result.err, "")
        before = self.trial_count()
        report = result.json
        self.assertTrue(report["interrupted"])
        self.assertEqual(report["trials_now"], before)
        self.assertEqual(sum(report["trials"].values()), before)
        self.assertIsNotNone(report["best"])
        self.assertEqual(self.ask("trials")["state"], "interrupted")
        self.assert_sound()
        self.check_provisional(report["best"]["configuration"])
        self.check_resumed(before)

    def test_ctrl_c_prints_the_table(self):
        result = self.interrupt(self.start_and_wait_for_trials(2))
        for part in ("double M=20,N=30;dtype=f32", "  best  ", "  interrupted  ", "the same command goes on", "  trials  "):
            self.assertIn(part, result.out)

    def test_ctrl_c_before_there_is_anything(self):
        running = self.start(*self.words, "--json", "--quiet")
        wait_until(lambda: len(session_processes(running.pid)) > 1, what="a worker")
        result = self.interrupt(running)
        report = result.json
        self.assertTrue(report["interrupted"])
        if sum(report["trials"].values()) == 0:
            self.assertIsNone(report["best"])
        self.check_resumed(self.trial_count())

    def test_interrupted_twice(self):
        self.interrupt(self.start_and_wait_for_trials(2))
        self.interrupt(self.start_and_wait_for_trials(2))
        self.check_resumed(self.trial_count())

    def test_kill(self):
        for count in (2, 3):
            running = self.start_and_wait_for_trials(count)
            self.assertGreater(len(session_processes(running.pid)), 1)
            recorded = self.trial_count()
            running.kill()
            running.wait()
            wait_until(lambda: not session_processes(running.pid), what="the workers to end")
            self.assertGreaterEqual(self.trial_count(), recorded)
            self.assert_sound()
            self.assertEqual(self.ask("trials")["state"], "stopped")
            self.check_provisional()
        self.check_resumed(self.trial_count())

    def test_the_end_is_stored_as_a_whole(self):
        """Whoever is stopped between a playoff's row and the run's end has stored neither: the row would be told to
        others, as ranks of tune-mpi tell theirs, and then a second playoff's beside it."""
        self.interrupt(self.start_and_wait_for_trials(1))
        # An index whose expression fails for what is done.
        self.write("CREATE INDEX stop ON run (abs(CASE state WHEN 'done' THEN -9223372036854775807 - 1 ELSE 1 END))")
        result = self.run_command(*self.words)
        self.assertEqual(result.code, 1, result)
        self.assertEqual(self.query("SELECT state FROM run"), [("interrupted",)])
        self.write("DROP INDEX stop")
        self.check_provisional()
        self.check_resumed(BUDGET)

    def write(self, statement):
        connection = sqlite3.connect(self.db, timeout=30)
        with connection:
            connection.execute(statement)
        connection.close()

    def test_a_worker_killed(self):
        """The coordinator replaces it and goes on."""
        for kind in ("device-worker", "compile-worker"):
            with self.subTest(kind):
                self.db = self.home / f"{kind}.db"
                running = self.start_and_wait_for_trials(2, "--json", "--quiet", "--db", self.db)
                self.kill_worker(running, kind)
                result = self.finish(running)
                self.assertEqual(result.code, 0, result)
                report = result.json
                self.assertEqual(sum(report["trials"].values()), BUDGET)
                self.assertEqual(report["trials"]["ok"], BUDGET)
                if kind == "device-worker":
                    self.assertEqual(report["device_workers_replaced"], 1)
                self.assert_sound()

    def workers(self, running, *kinds):
        found = []
        for pid in session_processes(running.pid):
            try:
                with open(f"/proc/{pid}/cmdline") as command:
                    words = command.read().split("\0")
            except OSError:
                continue
            if len(words) > 1 and words[1] in kinds:
                found.append(pid)
        return found

    def kill_worker(self, running, kind):
        os.kill(wait_until(lambda: self.workers(running, kind), what=f"a {kind}")[0], signal.SIGKILL)

    def test_workers_killed_at_random(self):
        """No run ends for it, and no variant is blamed."""
        for seed in range(3):
            with self.subTest(seed):
                chance = random.Random(seed)
                self.db = self.home / f"random-{seed}.db"
                running = self.start(*self.words, "--json", "--quiet", "--db", self.db, "--seed", seed + 1)
                killed, spared = 0, support.Spared(self.trial_count)
                while running.poll() is None:
                    time.sleep(chance.uniform(0.2, 1.5))
                    victims = self.workers(running, "device-worker", "compile-worker")
                    if victims and killed < 8 and spared.may_kill():
                        try:
                            os.kill(chance.choice(victims), signal.SIGKILL)
                            spared.killed()
                            killed += 1
                        except ProcessLookupError:
                            pass
                result = self.finish(running)
                self.assertEqual(result.code, 0, result)
                self.assertEqual(result.json["trials"]["ok"], BUDGET)
                self.assertGreater(result.json["best"]["playoff_rounds"], 0)
                self.assertEqual([row["provisional"] for row in self.ask("show", "--db", self.db)], [False])
                self.assertEqual(session_processes(running.pid), [])
                self.assert_sound()

    def test_two_at_once(self):
        """The same command twice: neither takes the other's run over, they know of each other, and both end well."""
        self.words = [word if word != BUDGET else 30 for word in self.words]
        first = self.start_and_wait_for_trials(1, "--json", "--quiet")
        second = self.start(*self.words, "--json")
        for running in (first, second):
            result = self.finish(running)
            self.assertEqual(result.code, 0, result)
            self.assertFalse(result.json["resumed"])
            if running is second:
                self.assertEqual(result.json["other_runs"], 1)
                said = [line for line in result.err.splitlines() if line.startswith("tune: ")]
                self.assertEqual(len(said), 1, result)
                self.assertIn("1 other run of this problem is under way on this device", said[0])
            self.assertIsNotNone(result.json["best"])
        self.assertEqual(self.query("SELECT state FROM run"), [("done",), ("done",)])
        self.assert_sound()


if __name__ == "__main__":
    support.main()

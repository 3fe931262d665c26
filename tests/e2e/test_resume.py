"""Runs that are stopped, and the same command again: nothing is lost, nothing is done twice."""

import os
import signal

import support
from support import session_processes, variants, wait_until

BUDGET = 8


class Resume(support.EndToEnd):
    def setUp(self):
        super().setUp()
        # With a cold cache and one compiler a run takes long enough to step in between.
        self.words = ("--config", self.plant("double"), "--shape", "20x30", "--budget", BUDGET,
                      "--strategy", "random", "--jobs", "1")

    def start_and_wait_for_trials(self, count, *words):
        running = self.start(*self.words, *words)
        wait_until(lambda: self.trial_count() >= count or running.poll() is not None, what=f"{count} trials")
        self.assertIsNone(running.poll(), "the run ended before it could be stopped")
        return running

    def interrupt(self, running):
        """Ctrl-C: every process of the group gets it."""
        os.killpg(running.pid, signal.SIGINT)
        result = self.finish(running)
        self.assertEqual(result.code, 130, result)
        wait_until(lambda: not session_processes(running.pid), 10, "its processes to end")
        return result

    def check_resumed(self, before):
        """The same command completes the run that has `before` trials."""
        report = self.tune_json(*self.words)
        self.assertTrue(report["resumed"])
        self.assertFalse(report["interrupted"])
        self.assertEqual(report["trials_now"], BUDGET - before)
        self.assertEqual(sum(report["trials"].values()), BUDGET)
        self.assertIsNotNone(report["best"])
        self.assertEqual(self.query("SELECT id, state FROM run"), [(1, "done")])
        run = self.ask("trials")
        self.assertEqual((run["run"], run["state"]), (1, "done"))
        self.assertEqual(len(run["trials"]), BUDGET)
        self.assertEqual(len(set(variants(run["trials"]))), BUDGET)
        self.assert_sound()

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
        self.interrupt(self.start_and_wait_for_trials(4))
        self.check_resumed(self.trial_count())

    def test_kill(self):
        for count in (2, 5):
            running = self.start_and_wait_for_trials(count)
            self.assertGreater(len(session_processes(running.pid)), 1)
            recorded = self.trial_count()
            running.kill()
            running.wait()
            wait_until(lambda: not session_processes(running.pid), 10, "the workers to end")
            self.assertGreaterEqual(self.trial_count(), recorded)
            self.assert_sound()
            self.assertEqual(self.ask("trials")["state"], "stopped")
        self.check_resumed(self.trial_count())

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
                lost = report["trials"]["crash"]
                self.assertEqual(report["trials"]["ok"], BUDGET - lost)
                self.assertLessEqual(lost, 1)
                if kind == "device-worker":
                    self.assertEqual(report["device_workers_replaced"], 1)
                self.assert_sound()

    def kill_worker(self, running, kind):
        for pid in session_processes(running.pid):
            with open(f"/proc/{pid}/cmdline") as command:
                if command.read().split("\0")[1] == kind:
                    os.kill(pid, signal.SIGKILL)
                    return
        self.fail(f"there is no {kind}")

    def test_two_at_once(self):
        """The same command twice: neither takes the other's run over, and both end well."""
        first = self.start_and_wait_for_trials(1, "--json", "--quiet")
        second = self.start(*self.words, "--json", "--quiet")
        for running in (first, second):
            result = self.finish(running)
            self.assertEqual(result.code, 0, result)
            self.assertFalse(result.json["resumed"])
            self.assertIsNotNone(result.json["best"])
        self.assertEqual(self.query("SELECT state FROM run"), [("done",), ("done",)])
        self.assert_sound()


if __name__ == "__main__":
    support.main()

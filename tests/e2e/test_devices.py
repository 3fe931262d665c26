"""Several devices: one problem on all of them, a list side by side, unlike ones each for itself, and what goes wrong.

On a CPU PoCL shows its one device as often as POCL_DEVICES names it."""

import fcntl
import os
import pty
import random
import signal
import struct
import termios
import time
import unittest

import support
from support import DEVICE, session_processes

BUDGET = 10


class Devices(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.environment, self.ids = support.several_devices(self.environment)
        self.config = self.plant("double")
        self.words = ("--config", self.config, "--cache", "warm", "--jobs", "2")
        self.devices = ("--devices", ",".join(self.ids))

    def run_json(self, *words, **options):
        result = self.run_command(*self.words, *words, "--json", "--quiet", **options)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result.json

    def shapes(self, *shapes):
        path = self.home / "list.txt"
        path.write_text("".join(f"{shape}\n" for shape in shapes))
        return "--shapes", path

    def test_one_problem_on_all(self):
        report = self.run_json("--shape", "20x30", "--budget", BUDGET, *self.devices)
        self.assertEqual([d["id"] for d in report["devices"]], self.ids)
        self.assertEqual(sum(d["trials"] for d in report["devices"]), BUDGET)
        self.assertEqual([d["playoff"] for d in report["devices"]].count(True), 1)
        self.assertEqual(report["trials"]["ok"], BUDGET)
        self.assertEqual(self.trial_count(), BUDGET)
        # They are one device to who has results: the table of one, the row of one.
        self.assertEqual(self.query("SELECT count(*) FROM device"), [(1,)])
        self.assertEqual(self.query("SELECT count(*) FROM best"), [(1,)])
        self.assert_sound()
        table = self.run_command(*self.words, "--shape", "20x30", "--budget", BUDGET, *self.devices)
        self.assertEqual(table.code, 0, table)
        self.assertIn(" on 2 of ", table.out.splitlines()[0])
        for device in self.ids:
            self.assertRegex(table.out, rf"(?m)^  {device} +\d+ trials?")
        self.assertRegex(table.out, r"(?m)^  \S+ +\d+ trials?, and the playoff")

    def test_a_list_side_by_side(self):
        shapes = ["20x30", "8x40", "3x5"]
        reports = self.run_json(*self.shapes(*shapes), "--budget", BUDGET, *self.devices)
        self.assertEqual([r["problem"]["shape"] for r in reports], shapes)
        for report in reports:
            self.assertIn(report["device"]["id"], self.ids)
            self.assertEqual([d["id"] for d in report["devices"]], [report["device"]["id"]])
            self.assertEqual((report["trials_now"], report["trials"]["ok"]), (BUDGET, BUDGET))
        self.assertEqual(self.query("SELECT state FROM run"), [("done",)] * len(shapes))
        self.assertEqual(self.query("SELECT count(*) FROM best"), [(len(shapes),)])
        self.assert_sound()
        # Elsewhere than on a terminal each line of progress says what it is about.
        said = self.run_command(*self.words, *self.shapes("9x9", "10x10"), "--budget", BUDGET, *self.devices)
        self.assertEqual(said.code, 0, said)
        lines = [line for line in said.err.splitlines() if not line.startswith("tune: ")]
        self.assertGreaterEqual(len(lines), 1)
        for line in lines:
            self.assertRegex(line, rf"^({'|'.join(self.ids)}) \d+x\d+: (preparing|searching|playoff): ")
        self.assertEqual(said.out.count("double M="), 2)

    @unittest.skipUnless(DEVICE == "opencl", "PoCL alone can show two kinds of devices")
    def test_unlike_ones(self):
        """Each kind tunes everything, and has results of its own."""
        self.environment["POCL_DEVICES"] = self.environment.get("POCL_DEVICES", "").split(" ")[0] + " basic"
        listed = support.json.loads(self.run_command("devices", "--json").out)["devices"]
        if len({d["name"] for d in listed if d["backend"] == DEVICE}) != 2:
            self.skipTest("PoCL has no device of another kind here")
        shapes = ["20x30", "8x40"]
        reports = self.run_json(*self.shapes(*shapes), "--budget", 4, "--devices", DEVICE)
        self.assertEqual([r["problem"]["shape"] for r in reports], ["20x30", "20x30", "8x40", "8x40"])
        self.assertEqual(len({(r["problem"]["shape"], r["device"]["name"]) for r in reports}), 4)
        self.assertEqual(self.query("SELECT count(*) FROM trial GROUP BY device"), [(8,), (8,)])
        self.assert_sound()

    def test_on_a_terminal(self):
        """One line tells of all, and is gone at the end."""
        self.environment |= {"TERM": "xterm", "NO_COLOR": "1"}
        main, side = pty.openpty()
        fcntl.ioctl(main, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        running = self.start(*self.words, *self.shapes("20x30", "8x40", "3x5"), "--budget", 6, *self.devices,
                             device=None, stderr=side)
        os.close(side)
        said = b""
        while True:
            try:
                piece = os.read(main, 4096)
            except OSError:
                break
            if not piece:
                break
            said += piece
        os.close(main)
        self.assertEqual(running.wait(), 0)
        said = said.decode()
        self.assertRegex(said, r"[0-3] of 3 problems done, [1-2] under way on [12] devices?: \d+ trials? in \d+ s, 0 failed")
        self.assertTrue(said.endswith("\r\033[K"), said[-80:])

    def test_mistakes(self):
        words = (*self.words, "--shape", "20x30", "--budget", BUDGET)
        self.refused(*words, "--devices", f"{DEVICE}:77", says=(f"there is no device {DEVICE}:77", self.ids[0]))
        self.refused(*words, "--devices", f"{self.ids[0]},{self.ids[0]}", says=f"names {self.ids[0]} twice")
        self.refused(*words, "--devices", "0-3", says="names no devices; write all, a backend")
        self.refused(*words, *self.devices, "--device", self.ids[0], says="not both")
        self.assertFalse(self.db.exists())

    def test_interrupted(self):
        running = self.start(*self.words, *self.shapes("200x300", "100x400", "50x50"), "--budget", "500s",
                             "--json", "--quiet", *self.devices, device=None)
        support.wait_until(lambda: self.trial_count() > 3, what="some trials")
        os.kill(running.pid, signal.SIGINT)
        result = self.finish(running)
        self.assertEqual(result.code, 130, result)
        reports = result.json if isinstance(result.json, list) else [result.json]
        self.assertTrue(any(report["interrupted"] for report in reports))
        self.assertEqual(session_processes(running.pid), [])
        states = [state for (state,) in self.query("SELECT state FROM run")]
        self.assertEqual(states.count("interrupted"), sum(report["interrupted"] for report in reports))
        self.assertEqual(len(states), len(reports))
        self.assert_sound()

    def test_killed_at_random(self):
        """Workers or all of it, whenever: no trial that was there is lost, and the same command ends well."""
        kills = int(os.environ.get("TILEWISE_KILLS", "4"))
        chance = random.Random(int(os.environ.get("TILEWISE_SEED", "1")))
        words = (*self.words, *self.shapes("20x30", "8x40", "3x5"), "--budget", 20, "--json", "--quiet",
                 *self.devices)
        known, killed, rounds = set(), 0, 0
        while killed < kills:
            running = self.start(*words, "--seed", rounds + 1, device=None)
            spared = support.Spared(self.trial_count)
            while running.poll() is None and killed < kills:
                time.sleep(chance.uniform(0.05, 1.0))
                if not spared.may_kill():
                    continue
                victims = session_processes(running.pid)
                if not victims or running.poll() is not None:
                    break
                victim = running.pid if chance.random() < 0.3 else chance.choice(victims)
                try:
                    os.kill(victim, signal.SIGKILL)
                except ProcessLookupError:
                    continue
                spared.killed()
                killed += 1
            code = self.finish(running).code
            self.assertIn(code, (0, -signal.SIGKILL))
            support.wait_until(lambda: not session_processes(running.pid), what="the workers to end")
            rounds += 1
            now = self.recorded() if self.db.exists() else set()
            self.assertEqual(known - now, set(), f"after {killed} kills")
            known = now
            self.assertTrue(all(row[3] == "ok" for row in now), now)
        last = self.run_json(*words[len(self.words):-4], "--devices", self.devices[1], "--seed", rounds)
        self.assertEqual([report["interrupted"] for report in last], [False] * 3)
        # What was decided before the job was killed is there, and not searched again.
        self.assertTrue(all(report.get("done_before") or report["best"]["playoff_rounds"] > 0 for report in last))
        self.assertEqual(known - self.recorded(), set())
        self.assert_sound()


if __name__ == "__main__":
    support.main()

"""Audits: what shapes cost that were not tuned, from lists and from logs; and tuning from a log."""

import json
import os
import signal
import subprocess

import support
from support import DEVICE

BENCH = os.path.join(os.path.dirname(support.TUNE), "bench")
FEW = ("--budget", "4", "--rounds", "6", "--jobs", "2")


class Audit(support.EndToEnd):
    def line(self, shape, count, attributes="", rule="default", kernel="double", **more):
        return json.dumps({"tilewise_shapes": 1, "kernel": kernel, "shape": shape, "attributes": attributes,
                           "device": "D", "fingerprint": "elsewhere", "cache": "cold", "rule": rule, **more,
                           "count": count, "at": 1}, separators=(",", ":")) + "\n"

    def log(self, *lines):
        path = self.home / "app.log"
        path.write_text("".join(lines))
        return path

    def test_a_list(self):
        own = ("--config", self.plant("double"))
        shapes = self.home / "shapes.txt"
        shapes.write_text("8x12\n20x30 # ragged\n")
        report = self.ask("audit", shapes, *own, *FEW, "--quiet", device=DEVICE)
        self.assertEqual((report["measured"], report["failed"]), (2, 0))
        self.assertEqual({problem["problem"] for problem in report["problems"]}, {"M=8,N=12;dtype=f32", "M=20,N=30;dtype=f32"})
        for problem in report["problems"]:
            self.assertEqual(problem["rule"], "default")
            self.assertGreaterEqual(problem["regret"], 1)
            self.assertLessEqual(problem["ratio_low"], problem["ratio_high"])
            self.assertNotIn("launches", problem)
        worst = max(problem["regret"] for problem in report["problems"])
        self.assertEqual((report["regret_worst"], report["regret_p95"]), (worst, worst))
        # What was tuned is forgotten, and nothing of it stays anywhere.
        self.assertFalse((self.home / "tilewise/tilewise.db").exists())
        # Unless it is kept: then an application gets it.
        result = self.run_command("audit", shapes, *own, *FEW, "--quiet", "--keep", device=DEVICE)
        self.assertEqual(result.code, 0, result)
        self.assertIn("regret over 2 problems: ", result.out)
        self.assertEqual(self.query("SELECT count(DISTINCT problem) FROM best"), [(2,)])
        self.assertEqual(self.ask("explain", *own, "--shape", "8x12", device=DEVICE)["rule"], "exact")

    def test_stopped_before_anything_was_tried(self):
        """Is no problem that failed."""
        shapes = self.home / "shapes.txt"
        shapes.write_text("8x12\n")
        running = self.start("audit", shapes, "--config", self.plant("double"), "--budget", "500s", "--jobs", "1", "--json")
        support.wait_until(lambda: len(support.session_processes(running.pid)) > 1, what="its workers")
        os.killpg(running.pid, signal.SIGINT)
        result = self.finish(running)
        self.assertEqual(result.code, 130, result)
        self.assertEqual(json.loads(result.out)["problems"], [])

    def test_a_log(self):
        own = ("--config", self.plant("double"))
        log = self.log(self.line("8x12", 3), self.line("20x30", 500), self.line("8x12", 4),
                       self.line("9x12", 2, rule="none"), self.line("8x8", 1, kernel="none_such"),
                       '{"tilewise_shapes":1,"kern')
        result = self.run_command("audit", log, *own, *FEW, "--json", device=DEVICE)
        self.assertEqual(result.code, 0, result)
        self.assertIn("nothing was asked for on", result.err)
        self.assertIn("1 line cut short", result.err)
        self.assertIn("no kernel none_such is known", result.err)
        report = json.loads(result.out)
        self.assertEqual({(p["problem"], p["launches"], p["refused"]) for p in report["problems"]},
                         {("M=8,N=12;dtype=f32", 7, 0), ("M=20,N=30;dtype=f32", 500, 0), ("M=9,N=12;dtype=f32", 0, 2)})
        saved = [problem["saved_us"] for problem in report["problems"]]
        self.assertEqual(saved, sorted(saved, reverse=True))
        self.assertAlmostEqual(report["saved_us"], sum(saved))

    def test_time_goes_where_it_gains(self):
        own = ("--config", self.plant("double"))
        # So far apart that no time that is measured or predicted changes their order.
        log = self.log(self.line("8x12", 10**6, expected_us=10), self.line("20x30", 10**12, expected_us=10),
                       self.line("9x12", 1, expected_us=10))
        first = self.ask("--from-log", log, *own, "--budget", "20", "--jobs", "2", "--quiet", device=DEVICE)
        self.assertEqual((first["problems"], first["tuned_before"], first["tuned_now"], first["left"]), (3, 0, 1, 2))
        self.assertEqual([problem["problem"] for problem in first["tuned"]], ["M=20,N=30;dtype=f32"])
        # The same command goes on: what was tuned is passed over.
        result = self.run_command("--from-log", log, *own, "--budget", "20", "--jobs", "2", "--quiet", device=DEVICE)
        self.assertEqual(result.code, 0, result)
        self.assertIn("double M=8,N=12;dtype=f32: ", result.out)
        self.assertIn("tuned 1; ", result.out)
        last = self.ask("--from-log", log, *own, "--budget", "400", "--jobs", "2", "--quiet", device=DEVICE)
        self.assertEqual((last["tuned_before"], last["tuned_now"], last["left"]), (2, 1, 0))
        done = self.ask("--from-log", log, *own, "--budget", "20", "--quiet", device=DEVICE)
        self.assertEqual((done["tuned_before"], done["tuned_now"], done["tuned"]), (3, 0, []))

    def test_what_was_prepared_only(self):
        """Sizes that nobody launched are not said to be tuned."""
        log = self.log(self.line("8x12", 0), self.line("20x30", 0))
        words = ("--from-log", log, "--config", self.plant("double"), "--budget", "20", "--quiet")
        told = self.ask(*words, device=DEVICE)
        self.assertEqual((told["tuned_before"], told["never_launched"], told["tuned_now"], told["left"]), (0, 2, 0, 0))
        result = self.run_command(*words, device=DEVICE)
        self.assertIn("0 tuned already, 2 prepared and never launched, the time goes to 0 first, 0 wait", result.out)

    def test_what_an_application_wrote(self):
        """From libtilewise's own log, of a program that knows of none."""
        log = self.home / "app.log"
        done = subprocess.run([BENCH, "copy", "--shape", "40x24", "--cache", "warm", "--device", DEVICE, "--json"],
                              capture_output=True, text=True, timeout=support.LIMIT,
                              env=dict(self.environment, TILEWISE_LOG_SHAPES=str(log)))
        self.assertEqual(done.returncode, 0, done.stderr)
        vendor = self.home / "bench.json"
        vendor.write_text(done.stdout)
        result = self.run_command("audit", log, *FEW, "--cache", "warm", "--bench", vendor, "--json", device=DEVICE)
        self.assertEqual(result.code, 0, result)
        self.assertNotIn("nothing was asked for", result.err)
        (problem,) = json.loads(result.out)["problems"]
        self.assertEqual((problem["kernel"], problem["problem"]), ("copy", "M=40,N=24;dtype=f32"))
        self.assertGreater(problem["launches"], 0)

    def test_what_was_prepared_and_never_launched(self):
        """Costs nothing, and an audit spends no time on it."""
        log = self.log(self.line("8x12", 3), self.line("20x30", 0))
        result = self.run_command("audit", log, "--config", self.plant("double"), *FEW, device=DEVICE)
        self.assertEqual(result.code, 0, result)
        self.assertIn("tune: 1 prepared and never launched, passed over\n", result.err)
        self.assertIn("tune: 1 of 1, double", result.err)
        header, row = result.out.splitlines()[1:3]
        self.assertEqual(header.split(), ["problem", "launches", "rule", "gets", "tuned", "regret", "between", "trials",
                                          "saves"])
        self.assertRegex(row, r"^double M=8,N=12;dtype=f32 +3  default .* (same|[0-9.]+ to [0-9.]+) +[1-9][0-9]* ")

    def test_mistakes(self):
        list_ = self.home / "list.txt"
        list_.write_text("8x12\n")
        empty = self.home / "empty.log"
        empty.write_text("")
        log = self.log('{"tilewise_shapes":1,"kernel":"copy"}\n')
        for words, says in (
            (("audit",), "name one file"),
            (("audit", self.home / "none"), "none"),
            (("audit", log), "app.log:1: key shape"),
            (("audit", list_, "--bench", self.home / "none.json"), "none.json"),
            (("audit", list_, "--bench", list_), "list.txt"),
            (("audit", list_, "--rounds", "5"), "--rounds 5: expected a whole number from 6"),
            (("--from-log", list_), "list.txt is no log of shapes"),
            (("--from-log", empty), "empty.log: has no shape that was asked for"),
            (("audit", empty), "empty.log: has no shape that was asked for"),
            (("--from-log", log, "--shape", "8x12"), "give it or --shape, not both"),
            (("--from-log", log, "--fix", "BK=8"), "goes with no attributes"),
        ):
            with self.subTest(words=words):
                result = self.run_command(*words, device=DEVICE)
                self.assertEqual(result.code, 2, result)
                self.assertIn(says, result.err)
                self.assertEqual(result.err.count("\n"), 1, result)


if __name__ == "__main__":
    support.main()

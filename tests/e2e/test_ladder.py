"""tune ladder: every rung checked and timed, gains that follow from the times, and its top."""

import json

import support
from support import DEVICE


class Ladder(support.EndToEnd):
    def climb(self, *words):
        return self.ask("ladder", *words, "--cache", "warm", device=DEVICE)

    def check(self, report, names):
        rungs = report["rungs"]
        self.assertEqual([(r["kernel"], r["name"]) for r in rungs], names)
        before = first = None
        for rung in rungs:
            self.assertGreater(rung["time_us"], 0)
            self.assertGreater(rung["rate"], 0)
            self.assertLessEqual(rung["max_rel_error"], 1e-3)
            self.assertTrue(rung["shows"])
            if rung["kernel"] != report["kernel"]:
                self.assertNotIn("gain", rung)
                continue
            if before is not None:
                self.assertAlmostEqual(rung["gain"], before / rung["time_us"])
                self.assertAlmostEqual(rung["total_gain"], first / rung["time_us"])
            before = rung["time_us"]
            first = first if first is not None else before

    def test_transpose(self):
        report = self.climb("transpose", "--shape", "70x37")
        self.assertGreater(report["copy_gb_per_s"], 0)
        self.check(
            report,
            [("copy", "naive"), ("copy", "shared")]
            + [("transpose", name) for name in ("naive", "coalesced", "no-bank-conflicts")]
            + [("transpose_fine", "shared"), ("transpose_coarse", "shared")]
            + [("transpose", name) for name in ("diagonal", "default")],
        )
        for rung in report["rungs"]:
            self.assertAlmostEqual(rung["share_of_copy"], rung["rate"] / report["copy_gb_per_s"])

    def test_what_was_tuned_is_the_top(self):
        words = ("aat", "--shape", "30x20")
        presets = ("simple", "coalesced", "padded", "default", "register-tiled")
        names = [("aat", name) for name in presets]
        report = self.climb(*words)
        self.check(report, names)
        self.assertNotIn("copy_gb_per_s", report)
        self.tune_json(*words, "--budget", "1", "--cache", "warm")
        report = self.climb(*words)
        self.check(report, names + [("aat", "stored")])
        self.assertIn("tuned for this problem", report["rungs"][-1]["shows"])

    def test_as_a_table(self):
        got = self.run_command("ladder", "copy", "--shape", "9x9", "--cache", "warm", device=DEVICE)
        self.assertEqual((got.code, got.err), (0, ""))
        lines = got.out.splitlines()
        self.assertIn("copy M=9,N=9;dtype=f32 on ", lines[0])
        self.assertEqual([line.split()[0] for line in lines[3:]], ["naive", "shared", "default"])

    def test_a_kernel_without_one(self):
        config = self.plant("double")
        got = self.run_command("ladder", "--config", config, "--shape", "6x10", device=DEVICE)
        self.assertEqual(got.code, 2)
        self.assertEqual(got.err, "tune: the kernel double has no ladder\n")

    def test_another_kernel_that_has_no_such_preset(self):
        config = self.plant("double")
        with open(config) as file:
            description = json.load(file)
        description["ladder"] = [{"kernel": "copy", "preset": "nimble", "shows": "nothing"}]
        with open(config, "w") as file:
            json.dump(description, file)
        got = self.run_command("ladder", "--config", config, "--shape", "6x10", device=DEVICE)
        self.assertNotEqual(got.code, 0)
        self.assertEqual(got.err, "tune: the kernel copy has no preset nimble for the ladder\n")


if __name__ == "__main__":
    support.main()

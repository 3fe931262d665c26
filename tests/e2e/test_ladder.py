"""tune ladder: every rung checked and timed, gains that follow from the times, its top, and the loop inside
the kernels that only move data."""

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
            self.assertEqual("in_kernel" in rung, rung["rate_unit"] == "GB/s")
            if "in_kernel" in rung:
                self.check_looped(rung, rung["in_kernel"])
            if rung["kernel"] != report["kernel"]:
                self.assertNotIn("gain", rung)
                continue
            if before is not None:
                self.assertAlmostEqual(rung["gain"], before / rung["time_us"])
                self.assertAlmostEqual(rung["total_gain"], first / rung["time_us"])
            before = rung["time_us"]
            first = first if first is not None else before

    def check_looped(self, rung, looped):
        self.assertIn(looped["passes"], [2**i for i in range(4, 11)])
        self.assertGreater(looped["time_us"], 0)
        self.assertAlmostEqual(looped["rate"] * looped["time_us"] / (rung["rate"] * rung["time_us"]), 1)
        self.assertEqual(looped["max_rel_error"], rung["max_rel_error"])

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
        presets = ("simple", "coalesced", "padded", "default", "register-tiled", "turned-portable")
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
        self.assertEqual([line.split()[0] for line in lines[3:6]], ["naive", "shared", "default"])
        self.assertRegex(lines[2], r"in all +a pass +rate +shows$")
        for line in lines[3:6]:
            self.assertRegex(line, r" [mun]?s +[0-9.e+-]+ [GM]B/s .* [mun]?s +[0-9.e+-]+ [GM]B/s   ")
        self.assertIn("the loop is inside the kernel", lines[6])
        self.assertEqual(len(lines), 7)

    def test_what_computes_has_no_loop_inside(self):
        got = self.run_command("ladder", "aat", "--shape", "8x8", "--cache", "warm", device=DEVICE)
        self.assertEqual((got.code, got.err), (0, ""))
        self.assertNotIn("a pass", got.out)

    def test_a_loop_that_can_not_be_put_in(self):
        """The rung is measured as ever, and the table says what is missing."""
        config = self.plant("double")
        template = self.home / "double/staged.cu"
        template.write_text(template.read_text().replace("int M,", "int M /* (rows) */,"))
        with open(config) as file:
            description = json.load(file)
        description["ladder"] = [{"preset": p, "shows": "nothing"} for p in ("naive", "staged")]
        with open(config, "w") as file:
            json.dump(description, file)
        words = ("--config", config, "--shape", "6x10", "--cache", "warm")
        naive, staged = self.ask("ladder", *words, device=DEVICE)["rungs"]
        self.check_looped(naive, naive["in_kernel"])
        reason = "double/staged.cu: no TW_KERNEL(double_staged) with 6 plain parameters to put a loop into"
        self.assertEqual(staged["in_kernel"], {"failure": reason})
        self.assertGreater(staged["time_us"], 0)
        got = self.run_command("ladder", *words, device=DEVICE)
        self.assertEqual((got.code, got.err), (0, ""))
        self.assertEqual(got.out.splitlines()[-1], f"  no loop inside double staged: {reason}")

    def test_a_rung_of_another_language(self):
        """It is told and passed over, and the rungs behind it are measured."""
        config = self.plant("double")
        here = DEVICE.split(":")[0]
        with open(config) as file:
            description = json.load(file)
        description["implementations"][1]["requires"]["backends"] = ["opencl" if here == "cuda" else "cuda"]
        description["ladder"] = [{"preset": p, "shows": "nothing"} for p in ("staged", "naive")]
        with open(config, "w") as file:
            json.dump(description, file)
        words = ("--config", config, "--shape", "6x10", "--cache", "warm")
        staged, naive = self.ask("ladder", *words, device=DEVICE)["rungs"]
        self.assertEqual(staged["failure"], f"staged does not run on {here}")
        self.assertGreater(naive["time_us"], 0)

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

"""Kernels of one's own, written from the manuals of descriptions and templates: a convolution, a softmax
over rows and a stencil of four dimensions, tuned and applied as their author would."""

import support
from support import DEVICE


class OwnKernels(support.EndToEnd):
    def check(self, kernel, *words, budget, implementations):
        """Every variant that is tried must be right; on a GPU there are more."""
        config = self.plant(kernel)
        lint = self.run_command("lint", config)
        self.assertEqual((lint.code, lint.err), (0, ""))
        words = ("--config", config, *words)
        budget = budget if DEVICE.startswith("opencl") else 60
        report = self.tune_json(*words, "--budget", budget, "--strategy", "random")
        self.assertEqual(report["kernel"], kernel)
        self.assertEqual(report["trials"], {**dict.fromkeys(support.STATUSES, 0), "ok": report["trials"]["ok"]})
        self.assertGreaterEqual(report["trials"]["ok"], len(report["presets"]))
        tried = {trial["implementation"] for trial in self.ask("trials", "--db", self.db)["trials"]}
        self.assertEqual(tried, set(implementations))
        applied = self.ask("apply", *words, device=DEVICE)
        self.assertEqual(applied["rule"], "exact")
        self.assertTrue(applied["correct"])
        self.assert_sound()

    def test_softmax(self):
        self.check("softmax", "--shape", "37x200", budget=8, implementations=["lanes", "block"])

    def test_softmax_of_short_rows(self):
        """Kept in registers where they are short enough; fewer rows than a block has."""
        self.check("softmax", "--shape", "3x31", budget=6, implementations=["lanes", "block"])

    def test_a_ladder_with_the_loop_inside_the_kernel(self):
        """There the kernel's body becomes a function, which is handed what sub-groups need."""
        config = self.plant("softmax")
        report = self.ask("ladder", "--config", config, "--shape", "64x100", device=DEVICE)
        self.assertEqual([rung["name"] for rung in report["rungs"]], ["naive", "default", "block"])
        for rung in report["rungs"]:
            self.assertGreater(rung["time_us"], 0, rung)
            self.assertGreater(rung["in_kernel"]["time_us"], 0, rung)

    def test_convolution(self):
        words = ("--shape", "3x5x19x33")
        self.check("convolution", *words, budget=5, implementations=["direct", "tiled"])

    def test_convolution_with_the_larger_filter(self):
        words = ("--shape", "2x3x9x40", "--attr", "filter=five")
        self.check("convolution", *words, budget=5, implementations=["direct", "tiled"])

    def test_stencil(self):
        self.check("stencil", "--shape", "2x5x11x37", budget=7, implementations=["direct", "marching"])

    def test_small_types_and_what_may_be_absent(self):
        """Elements of few bits, a bias that only some problems have, a number as an attribute."""
        for words in ([], ["--dtype", "e4m3", "--attr", "epilogue=bias"],
                      ["--dtype", "i8", "--attr", "epilogue=bias", "--attr", "times=-3"]):
            with self.subTest(words=words):
                self.check("biased", "--shape", "33x47", *words, budget=2, implementations=["direct"])
        shown = self.run_command("show", "--db", self.db).out
        self.assertIn("biased M=33,N=47;dtype=i8,epilogue=bias,times=-3", shown)

    def test_numbers_that_an_attribute_may_not_be(self):
        for number in ("4", "02", "two", "99999999999999999999"):
            self.refused("--config", self.plant("biased"), "--shape", "3x4", "--attr", f"times={number}",
                         device=DEVICE, says=[f'biased has no times "{number}"', "from -3 to 3"])



if __name__ == "__main__":
    support.main()

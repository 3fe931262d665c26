"""Each built-in kernel, tuned and applied at a small shape, as a user asks for it."""

import support
from support import DEVICE


class Kernels(support.EndToEnd):
    def check(self, kernel, words, unit, budget=6, cache="warm"):
        words += ("--cache", cache)
        report = self.tune_json(*words, "--budget", budget, "--strategy", "random")
        self.assertEqual(report["kernel"], kernel)
        self.assertEqual(report["trials"]["ok"], budget, report["trials"])
        best = report["best"]
        self.assertEqual(best["rate_unit"], unit)
        self.assertGreater(best["rate"], 0)
        self.assertIn("naive", report["presets"])
        self.assertIn("default", report["presets"])
        self.assertGreater(report["presets"]["default"]["time_us"], 0)
        self.assertTrue(0 < best["ci_low_us"] <= best["time_us"] <= best["ci_high_us"], best)
        applied = self.ask("apply", *words, device=DEVICE)
        self.assertEqual(applied["rule"], "exact")
        self.assertEqual(applied["configuration"], best["configuration"])
        self.assertTrue(applied["correct"])
        self.assertLessEqual(applied["max_rel_error"], 1e-3)
        self.assert_sound()

    def test_gemm_is_what_three_sizes_mean(self):
        self.check("gemm", ("--shape", "40x30x50"), "TFLOP/s", cache="cold")

    def test_gemm_f64_transposed(self):
        self.check("gemm", ("gemm", "--shape", "17x33x9", "--dtype", "f64", "--trans", "tt"), "TFLOP/s", 2)

    def test_transpose_is_what_two_sizes_mean(self):
        self.check("transpose", ("--shape", "37x70"), "GB/s")

    def test_transpose_fine(self):
        self.check("transpose_fine", ("transpose_fine", "--shape", "70x37"), "GB/s", 3)

    def test_transpose_coarse(self):
        self.check("transpose_coarse", ("transpose_coarse", "--shape", "70x37"), "GB/s", 3)

    def test_copy(self):
        self.check("copy", ("copy", "--shape", "1x1000", "--dtype", "u8"), "GB/s", 3)

    def test_gemm_scale(self):
        self.check("gemm_scale", ("gemm_scale", "--shape", "30x20"), "GB/s", 3)

    def test_gemm_grouped(self):
        self.check("gemm_grouped", ("gemm_grouped", "--shape", "30x20x10", "--attr", "groups=4"), "TFLOP/s", 2)

    def test_aat(self):
        self.check("aat", ("aat", "--shape", "30x20"), "TFLOP/s")

    def test_conv2d(self):
        words = ("conv2d", "--shape", "2x3x8x9x4x3x3", "--attr", "pad_h=1", "--attr", "stride_w=2", "--attr",
                 "bias=filter", "--cache", "warm")
        report = self.tune_json(*words, "--budget", 2, "--strategy", "random")
        self.assertEqual(report["trials"]["ok"], 2, report["trials"])
        self.assertIn("naive", report["presets"])
        applied = self.ask("apply", *words, device=DEVICE)
        self.assertEqual(applied["rule"], "exact")
        self.assertTrue(applied["correct"])
        self.assert_sound()

    def test_gradient_through_strides(self):
        # Phases of different numbers of pixels, channels that fill no tile: what is left over must not be stored.
        words = ("run", "conv2d_backward_data", "--shape", "2x6x9x11x10x3x4", "--attr", "stride_h=2", "--attr",
                 "stride_w=3", "--attr", "pad_h=1", "--attr", "pad_w=2", "--attr", "layout=nhwc", "--attr", "groups=2")
        self.assertEqual(self.ask(*words, "--preset", "phases-small", device=DEVICE)["status"], "ok")

    def test_conv2d_that_cannot_be(self):
        for words, says in (
            (("--attr", "dilation_h=4"), "the filter, with its dilation, is larger than the padded image"),
            (("--attr", "groups=2"), "groups must divide the channels and the filters"),
            (("--attr", "pad_h=-1"), 'conv2d has no pad_h "-1"; it is a whole number from 0 to 1024'),
        ):
            self.refused("conv2d", "--shape", "2x3x8x9x4x3x3", *words, says=says, device=DEVICE)


if __name__ == "__main__":
    support.main()

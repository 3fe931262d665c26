"""tools/bench: our kernels and the vendor's libraries, side by side."""

import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import unittest

import support
from support import DEVICE

BENCH = os.path.join(os.path.dirname(support.TUNE), "bench")
SHAPE = ("--shape", "40x24x32")
WARM = ("--cache", "warm")
LISTS = support.HERE.parent.parent / "tools/bench/shapes"
TIMES = ("low_us", "median_us", "high_us")


class Bench(support.EndToEnd):
    def setUp(self):
        super().setUp()
        # PoCL compiles what the library keeps for every size of block besides, which takes longer than the rest.
        self.environment["XDG_CACHE_HOME"] = "/dev/null"

    def command(self, *words, device=DEVICE):
        command = [BENCH, *map(str, words)]
        return command if device is None else [*command, "--device", device]

    def bench(self, *words):
        result = self.run_command(*words, device=DEVICE)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.err, "", result)
        return result

    def check(self, problem):
        """One problem of the JSON report; returns its contenders by name."""
        self.assertGreaterEqual(problem["rounds"], 11)
        self.assertGreaterEqual(problem["confidence"], 0.95)
        self.assertEqual(problem["checked_share"], 1)
        ours = problem["contenders"][0]
        self.assertEqual((ours["name"], ours["role"]), ("tilewise", "ours"))
        for contender in problem["contenders"]:
            with self.subTest(problem=problem["problem"], contender=contender["name"]):
                if not contender["timed"]:
                    self.assertTrue(contender["absent"], contender)
                    self.assertTrue(contender["reason"].isprintable())
                    continue
                low, median, high = (contender[name] for name in TIMES)
                self.assertTrue(0 < low <= median <= high < 1e6, contender)
                self.assertGreater(contender["calls"], 0)
                self.assertGreater(contender["queueing_us"], 0)
                self.assertEqual(contender["late"], 0)
                self.assertTrue(0 < contender["ratio_low"] <= contender["ratio"] <= contender["ratio_high"], contender)
                if contender["role"] in ("ours", "vendor"):
                    self.assertFalse(contender["wrong"], contender)
                    self.assertTrue(0 <= contender["rms_error"] <= contender["max_error"] < 1e-4)
        return {contender["name"]: contender for contender in problem["contenders"]}

    def test_products(self):
        words = (*SHAPE, "--shape", "33x1x7", "--trans", "tn", *WARM)
        report = json.loads(self.bench(*words, "--json").out)
        self.assertEqual([p["kernel"] for p in report["problems"]], ["gemm", "gemm"])
        for problem in report["problems"]:
            contenders = self.check(problem)
            self.assertIn("OpenBLAS" if DEVICE.startswith("opencl") else "cuBLAS gemm", contenders)
        for line in report["summary"]:
            self.assertEqual(line["kernel"], "gemm")
            self.assertEqual(line["count"], 2)
            # A mean of logarithms: of equal ratios it may be off in the last digit.
            self.assertTrue(0 < line["least"] <= line["geometric_mean"] * (1 + 1e-12) < math.inf, line)

    def test_other_types(self):
        """Whole numbers are right or wrong; what goes together in no product is told."""
        words = ("--shape", "9x7x33", "--dtype", "i8", "--trans", "nt", *WARM)
        report = json.loads(self.bench(*words, "--json").out)
        ours = report["problems"][0]["contenders"][0]
        self.assertEqual(report["problems"][0]["problem"], "M=9,N=7,K=33;dtype=i8,trans=nt")
        self.assertEqual((ours["wrong"], ours["max_error"]), (False, 0), ours)
        result = self.run_command(*SHAPE, "--compute", "tf32", "--dtype", "f16")
        self.assertEqual((result.code, result.out), (2, ""), result)
        self.assertIn("only products of f32 may be computed in tf32", result.err)

    def test_epilogues_and_batches(self):
        """The right answer has them too; a library that does not fuse an epilogue says so."""
        shapes = self.home / "shapes.txt"
        shapes.write_text(
            "9x70x33 batch=3\n9x7x33 bias=row activation=silu\n9x7x33 batch=2 bias=column activation=gelu_tanh"
            " addend=apart\n9x7x33 dtype=f64 activation=gelu addend=apart\n9x7x33 dtype=i8 bias=column\n"
            "9x7x33 dtype=i8 scales=rows ctype=f32\n9x130x133 dtype=i8 scales=blocks ctype=f32\n")
        report = json.loads(self.bench("--shapes", shapes, *WARM, "--json").out)
        self.assertEqual(len(report["problems"]), 7)
        for problem in report["problems"]:
            contenders = self.check(problem)
            self.assertTrue(contenders["tilewise"]["timed"])
            if DEVICE.startswith("opencl"):
                self.assertRegex(contenders["OpenBLAS"]["reason"], "plain products|has no i8")

    def test_groups(self):
        """Every row with its group's B and bias; nothing on a CPU does the same."""
        words = ("gemm_grouped", "--shape", "37x9x20", "--attr", "groups=5", "--attr", "bias=column")
        problem = json.loads(self.bench(*words, *WARM, "--json").out)["problems"][0]
        self.assertEqual(problem["problem"], "M=37,N=9,K=20;dtype=f32,trans=nn,groups=5,bias=column")
        self.assertTrue(self.check(problem)["tilewise"]["timed"])

    def test_convolutions(self):
        """Nothing on a CPU does the same; the lists that ship can be read."""
        words = ("conv2d", "--shape", "2x3x9x8x4x3x3", "--attr", "pad_h=1", "--attr", "layout=nhwc", "--attr", "bias=filter")
        problem = json.loads(self.bench(*words, *WARM, "--json").out)["problems"][0]
        self.assertTrue(self.check(problem)["tilewise"]["timed"])
        for kernel in ("conv2d_backward_data", "conv2d_backward_weights"):
            problem = json.loads(self.bench(kernel, "--shape", "2x3x9x8x4x3x3", "--attr", "stride_h=2", *WARM, "--json").out)
            self.assertTrue(self.check(problem["problems"][0])["tilewise"]["timed"])
        for name in ("resnet50.txt", "vgg16.txt", "deepbench_conv.txt"):
            result = self.run_command("gemm", "--shapes", LISTS / name)
            self.assertEqual(result.code, 2, result)
            self.assertIn("no shape is of the kernel gemm", result.err)

    def test_the_other_kernels_from_a_list(self):
        shapes = self.home / "shapes.txt"
        shapes.write_text(
            "# a comment\n\naat 20x30\ntranspose 30x17 dtype=u8  # and another\ncopy 9x9 dtype=f64\n"
        )
        report = json.loads(self.bench("--shapes", shapes, "--json").out)
        self.assertEqual(report["cache"], "cold")
        self.assertEqual([p["kernel"] for p in report["problems"]], ["aat", "transpose", "copy"])
        for problem in report["problems"]:
            contenders = self.check(problem)
            if problem["kernel"] != "aat":
                self.assertEqual(contenders["tilewise"]["max_error"], 0)
                self.assertTrue(contenders["device copy"]["timed"])

    def test_large_buffers_are_timed_in_several_places(self):
        report = json.loads(self.bench("copy", "--shape", "5000x5000", "--json").out)
        self.assertGreaterEqual(report["problems"][0]["buffer_sets"], 5)

    def test_what_was_tuned_is_said(self):
        untuned = json.loads(self.bench(*SHAPE, *WARM, "--json").out)["problems"][0]
        self.assertFalse(untuned["tuned"])
        self.assertIn(untuned["rule"], ("default", "fallback"))
        self.assertIn("NOT TUNED", self.bench(*SHAPE, *WARM).out)
        database = self.home / "mine.db"
        command = [support.TUNE, *SHAPE, *WARM, "--budget", "2", "--strategy", "random", "--quiet"]
        command += ["--device", DEVICE, "--db", str(database)]
        self.command = lambda *words, device=None: command
        self.assertEqual(self.run_command().code, 0)
        del self.command
        tuned = json.loads(self.bench(*SHAPE, *WARM, "--db", database, "--json").out)["problems"][0]
        self.assertEqual((tuned["tuned"], tuned["rule"]), (True, "exact"))

    def test_table_and_csv(self):
        table = self.home / "table.txt"
        self.assertEqual(self.bench(*SHAPE, *WARM, "-o", table).out, "")
        rows = list(csv.DictReader(io.StringIO(self.bench(*SHAPE, *WARM, "--csv").out)))
        self.assertEqual(rows[0]["contender"], "tilewise")
        self.assertEqual(rows[0]["problem"], "M=40,N=24,K=32;dtype=f32,trans=nn")
        for row in rows:
            self.assertNotIn(None, row)
            self.assertTrue(row["median_us"] == "" or float(row["ratio"]) > 0, row)
        # There is a mean where there is a library to compare with.
        timed = [row["contender"] for row in rows if row["role"] == "vendor" and row["median_us"] != ""]
        for name in timed:
            self.assertRegex(table.read_text(), rf"gemm +against {re.escape(name)} +geometric mean \d")
        if not timed:
            self.assertNotIn("geometric mean", table.read_text())

    @unittest.skipIf(DEVICE == "cuda", "of the libraries for the CPU")
    def test_without_a_library_to_compare_with(self):
        """What is not there is said to be absent, and ours is timed all the same."""
        for name in ("libopenblas.so.0", "libclblast.so.1"):
            self.build_library(name, "int hollow;")
        self.environment["LD_LIBRARY_PATH"] = str(self.home)
        table = self.bench(*SHAPE, *WARM).out
        self.assertRegex(table, r"(?m)^  tilewise +[\d.]+ [mu]?s ")
        self.assertRegex(table, r"(?m)^  OpenBLAS +absent: libopenblas.so.0 has no ")
        self.assertRegex(table, r"(?m)^gemm +M=40,N=24,K=32.* none +- ")
        self.assertNotIn("geometric mean", table)

    def build_library(self, name, source):
        subprocess.run(["cc", "-shared", "-x", "c", "-", "-o", self.home / name], input=source, text=True, check=True)

    @unittest.skipIf(DEVICE == "cuda", "of a library for the CPU")
    def test_what_failed_is_told_beside_a_report_for_programs(self):
        self.build_library("libopenblas.so.0", "void cblas_sgemm(void) {} void cblas_dgemm(void) {} "
                                               "char *openblas_get_config(void) { return 0; }")
        self.environment["LD_LIBRARY_PATH"] = str(self.home)
        for words in (("--json",), ("--csv",), ("-o", self.home / "table.txt")):
            with self.subTest(words=words):
                result = self.run_command(*SHAPE, *WARM, *words)
                self.assertEqual(result.code, 1, result)
                self.assertRegex(result.err, r"\Abench: gemm M=40,N=24,K=32\S*: OpenBLAS is wrong by up to \S+, and "
                                             r"\S+ is what is allowed\n\Z")
        result = self.run_command(*SHAPE, *WARM)
        self.assertEqual((result.code, result.err), (1, ""))
        self.assertRegex(result.out, r"(?m)^  OpenBLAS .* WRONG ")

    @unittest.skipUnless(DEVICE == "cuda", "of a library for GPUs")
    def test_who_refuses_is_absent_and_not_wrong(self):
        """cuBLAS takes the call, and says then that it has no such product."""
        report = json.loads(self.bench("--shape", "176x2944x16", "--dtype", "i8", *WARM, "--json").out)
        contenders = self.check(report["problems"][0])
        self.assertTrue(contenders["cuBLAS gemm"]["absent"], contenders)

    def test_scripts_say_what_is_missing(self):
        for name, needs in (("triton_matmul.py", "PyTorch and Triton"), ("torch_conv2d.py", "PyTorch")):
            # -I and -S: without what is installed beside Python, as where there is no Triton.
            command = [sys.executable, "-I", "-S", LISTS.parent / name, *SHAPE]
            result = subprocess.run(command, text=True, capture_output=True)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertEqual(result.stderr, f"{name}: torch is not installed; this needs {needs}\n")

    def test_mistakes_get_one_line(self):
        shapes = self.home / "shapes.txt"
        shapes.write_text("gemm 8x8x8\ngemm 8x8\n")
        for words, says in [
            ((), "which shape?"),
            (("gem", *SHAPE), "did you mean gemm?"),
            (("transpose_fine", "--shape", "8x8"), "nothing to compare transpose_fine with"),
            (("gemm", "--shape", "8x8x8", "--attr", "scalars=alpha"), "leave scalars and addend_scale out"),
            (("--shape", "8x8"), "gemm wants 3 sizes"),
            ((*SHAPE, "--dtype", "f31"), 'no dtype "f31"'),
            ((*SHAPE, "--rounds", "3"), "from 11 to 101"),
            ((*SHAPE, "--cache", "tepid"), "expected cold or warm"),
            ((*SHAPE, "--db", "none.db"), "there is no such file"),
            ((*SHAPE, "--device", "cuda:99"), 'no device "cuda:99"'),
            ((*SHAPE, "--shpe", "8"), "did you mean --shape?"),
            (("--shapes", shapes), "shapes.txt:2: "),
            (("aat", "--shapes", shapes), "no shape is of the kernel aat"),
            (("aat", "--shapes", LISTS / "tensor.txt"), "no shape is of the kernel aat"),
        ]:
            with self.subTest(words=words):
                result = self.run_command(*words)
                self.assertIn(result.code, (1, 2), result)
                self.assertEqual(result.out, "")
                self.assertEqual(len(result.err.splitlines()), 1, result)
                self.assertTrue(result.err.startswith("bench: "), result)
                self.assertIn(says, result.err)


if __name__ == "__main__":
    support.main()

"""tune inspect with a real disassembler: kernels whose code is known in part, for the architecture of a
GPU or, without one, for some. Skipped where there is no nvdisasm or cuobjdump, or no NVRTC."""

import subprocess
import sys

import support
from support import DEVICE

ARCHITECTURES = ["sm_75", "sm_80", "sm_90", "sm_100"]


class Code(support.EndToEnd):
    def inspect(self, *words):
        """Reports, one for each architecture; on CUDA the device's own comes first."""
        reports = []
        if DEVICE.startswith("cuda"):
            reports.append(self.ask("inspect", *words, device=DEVICE))
        for architecture in ARCHITECTURES:
            reports.append(self.ask("inspect", *words, "--arch", architecture))
        for report in reports:
            for launch in report["launches"]:
                self.check(launch)
        return reports

    def check(self, launch):
        for part in launch["code"].values():
            if not isinstance(part, dict):
                continue
            self.assertGreater(part["instructions"], 0)
            others = ("instructions", "register_reads", "begin", "end", "nested")
            kinds = [part[kind] for kind in part if kind not in others]
            counts = [kind["count"] if isinstance(kind, dict) else kind for kind in kinds]
            self.assertEqual(sum(counts), part["instructions"])
            if "register_reads" in part:
                reads = part["register_reads"]
                self.assertLessEqual(reads["shared_cycles_per_ffma"], reads["cycles_per_ffma"])
                self.assertLessEqual(reads["cycles_per_ffma"], 3)
        self.assertGreater(launch["code"]["kernel"]["exits"], 0)
        if "loop" in launch["code"]:
            loop = launch["code"]["loop"]
            self.assertLess(loop["instructions"], launch["code"]["kernel"]["instructions"])
            self.assertGreaterEqual((loop["end"] - loop["begin"]) // 16 + 1, loop["instructions"])

    def test_a_product_computes_in_its_loop(self):
        for report in self.inspect("gemm", "--shape", "512x512x512", "--preset", "register-tiled"):
            launch = report["launches"][0]
            configuration = report["configuration"]
            loop = launch["code"]["loop"]
            # Whole tiles of K: what a thread multiplies, as often as its loop is unrolled.
            tile = configuration["TM"] * configuration["TN"]
            self.assertEqual(loop["ffma"] % tile, 0)
            self.assertGreater(loop["ffma"], loop["instructions"] / 2)
            self.assertEqual(loop["dfma"], 0)
            self.assertGreater(loop["lds"]["128"], 0)
            self.assertGreater(loop["register_reads"]["reuse_flags"], 0)
            self.assertGreater(launch["code"]["issue_bound"], 0.5)
            self.assertLessEqual(launch["code"]["register_bound_low"], launch["code"]["register_bound_high"])

    def test_doubles(self):
        for report in self.inspect("gemm", "--shape", "512x512x512", "--dtype", "f64", "--preset", "tiled"):
            code = report["launches"][0]["code"]
            self.assertGreater(code["loop"]["dfma"], 0)
            self.assertEqual(code["loop"]["ffma"], 0)
            self.assertIn("issue_bound", code)
            self.assertNotIn("register_bound_low", code)

    def test_a_copy_has_no_loop(self):
        for report in self.inspect("copy", "--shape", "512x512", "--preset", "shared"):
            code = report["launches"][0]["code"]
            self.assertNotIn("loop", code)
            self.assertEqual(code["kernel"]["ffma"], 0)
            self.assertEqual(code["kernel"]["ldg"]["count"], code["kernel"]["lds"]["count"])
            self.assertEqual(code["kernel"]["stg"]["count"], code["kernel"]["sts"]["count"])

    def test_a_kernel_of_ones_own_that_needs_local_memory(self):
        config = self.plant("double")
        template = self.home / "double/direct.cu"
        text = template.read_text()
        # What is written where the data say cannot be in registers.
        own = "element own[200];\n    for (int i = 0; i < N; i++)\n        own[(int)A[i] % 200] = A[i];"
        text = text.replace("int lda, int ldb)\n{", "int lda, int ldb)\n{\n    " + own, 1)
        text = text.replace("+ A[row", "+ own[(int)A[column] % 200] + A[row", 1)
        template.write_text(text)
        for report in self.inspect("--config", config, "--shape", "64x64"):
            launch = report["launches"][0]
            self.assertGreaterEqual(launch["local_bytes"], 4 * 200)
            self.assertGreater(launch["code"]["kernel"]["ldl"]["count"], 0)
            self.assertGreater(launch["code"]["kernel"]["stl"]["count"], 0)

    def test_as_a_table(self):
        got = self.run_command("inspect", "gemm", "--shape", "512x512x512", "--arch", "sm_90")
        self.assertEqual((got.code, got.err), (0, ""))
        for words in ("loop 0x", "FFMA", "LDS", "bank conflicts", "% of the FFMA peak", "limited by"):
            self.assertIn(words, got.out)


def missing():
    """What is missing; empty when kernels can be compiled and disassembled."""
    command = [support.TUNE, "inspect", "copy", "--shape", "8x8", "--preset", "naive", "--arch", "sm_90"]
    got = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=support.LIMIT)
    if got.returncode != 0 and ("libnvrtc" in got.stderr or "not compiled in" in got.stderr):
        return got.stderr.strip()
    if got.returncode != 0:
        raise SystemExit(got.stderr)
    reasons = [line for line in got.stdout.splitlines() if line.startswith("no machine code: ")]
    return reasons[0] if reasons else ""


if __name__ == "__main__":
    reason = missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(support.SKIPPED)
    support.main()

"""tune inspect: which kernel, what it takes of the device, the roofline, and disassemblers that are
absent or broken. What a real one says is in test_inspect_code.py."""

import os

import support
from support import DEVICE

LISTING = """
.text.copy:
        /*0000*/                   LDG.E.128 R4, desc[UR6][R2.64] ;
.L_x_0:
        /*0010*/                   FFMA R1, R2, R4, R6 ;
        /*0020*/                   FFMA R1, R2.reuse, R4, R7 ;
        /*0030*/              @!P0 BRA `(.L_x_0) ;
        /*0040*/                   EXIT ;
"""

PRODUCTS = """
.text.copy:
        /*0000*/                   UTMALDG.2D [UR16], [UR6], desc[UR22] ;
.L_x_0:
        /*0010*/                   HGMMA.64x64x16.F32.BF16 R24, gdesc[UR24].tnspB, R24, gsb0 ;
        /*0020*/                   WARPGROUP.DEPBAR.LE gsb0, 0x0 ;
        /*0030*/              @!P0 BRA `(.L_x_0) ;
        /*0040*/                   EXIT ;
"""


class Inspect(support.EndToEnd):
    def disassembler(self, script):
        """Puts an nvdisasm of our own before all others."""
        tools = self.home / "tools"
        tools.mkdir(exist_ok=True)
        (tools / "nvdisasm").write_text(f"#!/bin/sh\n{script}\n")
        (tools / "nvdisasm").chmod(0o755)
        self.environment["PATH"] = f"{tools}:{self.environment['PATH']}"

    def on_paper(self, *words):
        """On an architecture without a device, where there is a compiler for it."""
        got = self.run_command("inspect", *words, "--arch", "sm_90", "--json")
        if got.code != 0 and ("libnvrtc" in got.err or "not compiled in" in got.err):
            self.skipTest(got.err)
        return got

    def check(self, report):
        for launch in report["launches"]:
            self.assertGreater(launch["grid"][0], 0)
            self.assertGreater(launch["block"][0], 0)
            self.assertGreaterEqual(launch["local_bytes"], 0)
            self.assertGreaterEqual(launch["static_shared_bytes"], 0)
            if report["device"].startswith("opencl"):
                self.assertNotIn("occupancy", launch)
                self.assertNotIn("code", launch)
                continue
            self.assertGreater(launch["registers"], 0)
            occupancy = launch["occupancy"]
            self.assertGreater(occupancy["blocks_per_sm"], 0)
            self.assertLessEqual(occupancy["warps_per_sm"], occupancy["max_warps_per_sm"])
            self.assertTrue(occupancy["limited_by"])
            self.assertGreater(occupancy["waves"], 0)
            self.assertGreater(occupancy["last_wave"], 0)
            self.assertLessEqual(occupancy["last_wave"], 1)
            self.assertEqual(occupancy["from"], "resources" if report["on_paper"] else "driver")

    def test_what_an_application_would_get(self):
        words = ("transpose", "--shape", "70x37")
        report = self.ask("inspect", *words, device=DEVICE)
        explained = self.ask("explain", *words, device=DEVICE)
        for name in ("kernel", "problem", "rule", "implementation", "configuration"):
            self.assertEqual(report[name], explained[name])
        self.assertEqual(len(report["launches"]), 1)
        self.assertEqual(report["roofline"]["bytes"], 2 * 4 * 70 * 37)
        self.assertNotIn("stored_us", report["roofline"])
        self.check(report)

    def test_what_was_tuned(self):
        words = ("aat", "--shape", "30x20")
        best = self.tune_json(*words, "--budget", "3")["best"]
        report = self.ask("inspect", *words, device=DEVICE)
        self.assertEqual(report["rule"], "exact")
        self.assertEqual(report["configuration"], best["configuration"])
        roofline = report["roofline"]
        self.assertAlmostEqual(roofline["stored_us"], best["time_us"])
        self.assertEqual(roofline["flops"], 2 * 30 * 30 * 20)
        self.assertAlmostEqual(roofline["rate"], 36000 / best["time_us"] * 1e-6)
        self.assertAlmostEqual(roofline["flops_per_byte"], 36000 / (4 * 30 * 20 + 4 * 30 * 30))
        if "bound" in roofline:
            self.assertAlmostEqual(roofline["share_of_bound"], roofline["bound_us"] / best["time_us"])
        self.check(report)

    def test_a_preset_of_two_launches(self):
        words = ("gemm", "--shape", "64x64x2048", "--preset", "split-k")
        report = self.ask("inspect", *words, device=DEVICE)
        self.assertEqual(report["preset"], "split-k")
        self.assertNotIn("rule", report)
        self.assertEqual(report["implementation"], "split_k")
        functions = [launch["function"] for launch in report["launches"]]
        self.assertEqual(functions, ["gemm_register_tiled", "gemm_sum_splits"])
        self.check(report)

    def test_as_a_table(self):
        got = self.run_command("inspect", "copy", "--shape", "9x9", "--preset", "shared", device=DEVICE)
        self.assertEqual((got.code, got.err), (0, ""))
        lines = got.out.splitlines()
        self.assertIn("copy M=9,N=9;dtype=f32 on ", lines[0])
        for words in ("chosen          the preset shared", "configuration   tiles", "local memory", "grid 1x1x1"):
            self.assertIn(words, got.out)
        if DEVICE.startswith("opencl"):
            self.assertIn("no machine code: it is inspected on CUDA only", lines[-1])

    def test_on_paper(self):
        self.disassembler(f"cat << 'END'\n{LISTING}\nEND")
        got = self.on_paper("copy", "--shape", "4096x4096")
        self.assertEqual((got.code, got.err), (0, ""))
        report = got.json
        self.assertTrue(report["on_paper"])
        self.assertEqual(report["device"], "sm_90")
        self.assertEqual(report["disassembler"], str(self.home / "tools/nvdisasm"))
        self.check(report)
        code = report["launches"][0]["code"]
        self.assertEqual(code["kernel"]["instructions"], 5)
        self.assertEqual(code["kernel"]["ldg"], {"count": 1, "128": 1})
        loop = code["loop"]
        self.assertEqual((loop["begin"], loop["end"], loop["instructions"]), (0x10, 0x30, 3))
        self.assertEqual(loop["ffma"], 2)
        self.assertEqual(
            loop["register_reads"],
            {
                "reuse_flags": 1,
                "reused": 0,
                "bank_conflicts": 1,
                "cycles_per_ffma": 2.5,
                "shared_cycles_per_ffma": 2.5,
            },
        )
        self.assertAlmostEqual(code["issue_bound"], 2 / 3)
        self.assertAlmostEqual(code["register_bound_low"], 2 / 5)

    def test_products_on_tensor_cores(self):
        self.disassembler(f"cat << 'END'\n{PRODUCTS}\nEND")
        got = self.on_paper("copy", "--shape", "4096x4096")
        self.assertEqual((got.code, got.err), (0, ""))
        code = got.json["launches"][0]["code"]
        self.assertEqual(code["kernel"]["opcodes"], {"UTMALDG.2D": 1, "HGMMA.64x64x16.F32.BF16": 1})
        loop = code["loop"]
        self.assertEqual((loop["tensor"], loop["instructions"]), (1, 3))
        self.assertEqual((loop["tensor_cycles"], loop["tensor_operand_cycles"]), (32, 32))
        self.assertEqual((code["issue_bound"], code["operand_bound"]), (1, 1))
        # Of the loop's end, the branch, nothing is done meanwhile.
        self.assertAlmostEqual(code["alone_bound"], 32 / 33)
        table = self.run_command("inspect", "copy", "--shape", "64x64", "--arch", "sm_90a").out
        self.assertRegex(table, r"(?m)^    HGMMA +1 of 64x64x16.F32.BF16 +1$")
        self.assertRegex(table, r"(?m)^    UTMALDG +1 of 2D +0$")
        self.assertIn("% of the HGMMA peak: 3 instructions are issued for 32 cycles of products", table)

    def test_disassemblers_that_fail(self):
        for script, says in (
            ("echo 'nvdisasm fatal   : too old' >&2\necho more >&2\nexit 1", "exit status 1: nvdisasm fatal   : too old"),
            ("kill -9 $$", "was killed by signal 9"),
            ("echo nothing of use", "no code of the function copy"),
            (f"printf '%s' \"$(cat << 'END'\n{LISTING}\nEND\n)\" | head -c 300", "of the listing is cut off"),
        ):
            with self.subTest(says):
                self.disassembler(script)
                got = self.on_paper("copy", "--shape", "64x64")
                self.assertEqual((got.code, got.out), (1, ""), got)
                self.assertEqual(len(got.err.splitlines()), 1, got)
                self.assertIn(f"tune: {self.home}/tools/nvdisasm", got.err)
                self.assertIn(says, got.err)

    def test_no_disassembler(self):
        if any(os.access(f"/usr/local/cuda/bin/{name}", os.X_OK) for name in ("nvdisasm", "cuobjdump")):
            self.skipTest("there is a disassembler where CUDA is installed")
        (self.home / "empty").mkdir()
        for name in ("CUDA_PATH", "CUDA_HOME"):
            self.environment.pop(name, None)
        self.environment["PATH"] = str(self.home / "empty")
        got = self.on_paper("copy", "--shape", "64x64")
        self.assertEqual((got.code, got.err), (0, ""))
        self.assertIn("neither nvdisasm nor cuobjdump", got.json["no_code"])
        self.assertNotIn("code", got.json["launches"][0])
        self.check(got.json)

    def test_mistakes(self):
        gemm = ("inspect", "gemm", "--shape", "8x8x8")
        self.refused(*gemm, "--arch", "sm_9", says="--arch sm_9: expected one of sm_75, ", codes=[2])
        self.refused(*gemm, "--arch", "sm_80a", says="--arch sm_80a: expected one of sm_75, ", codes=[2])
        self.refused(*gemm, "--arch", "sm_90", says="give --arch or --device, not both", device=DEVICE, codes=[2])
        self.refused(
            *gemm, "--preset", "nimble", says='gemm has no preset "nimble"; it has naive, tiled', device=DEVICE, codes=[2]
        )
        self.refused("inspect", "gemm", says="give one --shape", device=DEVICE, codes=[2])
        self.refused(*gemm, "--budget", "3", says="unknown option --budget", codes=[2])


if __name__ == "__main__":
    support.main()

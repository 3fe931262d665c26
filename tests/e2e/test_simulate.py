"""tune simulate: strategies replayed on recorded spaces, without a device."""

import gzip
import json
import unittest

import support
from support import HERE

SHARED = HERE.parent.parent.parent / "shared" / "spaces"


class Simulate(support.EndToEnd):
    def setUp(self):
        super().setUp()
        # As on a machine with no device at all.
        self.environment["OCL_ICD_VENDORS"] = str(self.home / "nothing")
        cache = {}
        for a in range(8):
            for b in (1, 2, 4, 8, 16):
                key = f"{a},{b}"
                cache[key] = {"A": a, "B": b, "time": 1 + 0.1 * abs(a - 5) + 0.05 * abs(b - 4), "compile_time": 1000,
                              "verification_time": 0, "benchmark_time": 500}
                if a == 7:
                    cache[key]["time"] = "InvalidConfig"
        self.path = self.home / "bowl.json.gz"
        self.path.write_bytes(gzip.compress(json.dumps(
            {"device_name": "A GPU", "kernel_name": "bowl", "tune_params_keys": ["A", "B"],
             "tune_params": {"A": list(range(8)), "B": [1, 2, 4, 8, 16]}, "cache": cache}).encode()))

    def test_a_table(self):
        result = self.run_command("simulate", self.path, "--strategy", "all", "--seeds", "20", "--trials", "40")
        self.assertEqual(result.code, 0, result)
        self.assertIn("bowl on A GPU, 40 configurations, 5 failed, best 1000 us, a trial takes 1.5 s", result.out)
        self.assertIn("\npredicted: nothing: another tool's kernel\n", result.out)
        names = [line.split()[0] for line in result.out.splitlines()[1:] if line]
        for name in ("chance", "random", "exhaustive"):
            self.assertIn(name, names)
        # In order the best comes 28th.
        self.assertRegex(result.out, r"exhaustive .* 28 \(28-28\)  +(-|\d)")
        self.assertFalse(self.db.exists())

    def test_what_was_predicted(self):
        recording = HERE.parent / "recordings" / "transpose-h200.json.gz"
        result = self.run_command("simulate", recording, "--strategy", "random", "--seeds", "1", "--json")
        self.assertEqual(result.code, 0, result)
        predicted = result.json["files"][0]["predicted"]
        self.assertEqual(predicted["trials"], 1008)
        self.assertGreater(predicted["estimate"], 0.2)
        text = self.run_command("simulate", recording, "--strategy", "random", "--seeds", "1").out
        self.assertRegex(text, r"\npredicted: rank correlation 0\.\d\d by the estimate.*, over 1008 configurations\n")

    def test_a_kernel_of_ones_own_is_not_predicted(self):
        recording = HERE.parent / "recordings" / "transpose-h200.json.gz"
        text = gzip.decompress(recording.read_bytes()).decode()
        cache = json.loads(text)
        renamed = {key: "mine" if value == "transpose" else value for key, value in cache.items()}
        self.assertNotEqual(renamed, cache)
        own = self.home / "own.json.gz"
        own.write_bytes(gzip.compress(json.dumps(renamed).encode()))
        result = self.run_command("simulate", own, "--strategy", "random", "--seeds", "1", "--trials", "5")
        self.assertEqual(result.code, 0, result)
        self.assertIn('\npredicted: nothing: "mine" is no built-in kernel (--config FILE names the description of '
                      "one's own)\n", result.out)

    def test_auto_is_told_what_is_predicted(self):
        recording = HERE.parent / "recordings" / "aat-h200.json.gz"

        def trials(*words):
            result = self.run_command("simulate", recording, "--seeds", "3", "--trials", "30", "--json", *words)
            self.assertEqual(result.code, 0, result)
            if result.json["files"][0]["predicted"]["model"] is None:
                self.skipTest("no model is installed beside the program")
            return result.json["files"][0]["strategies"]

        self.assertNotEqual(trials(), trials("--prior", "off"))
        others = ("--strategy", "bayesian")
        self.assertEqual(trials(*others), trials(*others, "--prior", "off"))

    def test_json_of_two_files_and_settings(self):
        result = self.run_command("simulate", self.path, self.path, "--strategy", "exhaustive", "--strategy", "random",
                                  "--seeds", "5", "--outstanding", "4", "--json")
        self.assertEqual(result.code, 0, result)
        self.assertEqual((result.json["seeds"], result.json["trials"], result.json["outstanding"]), (5, 400, 4))
        self.assertEqual(len(result.json["files"]), 2)
        one = result.json["files"][0]
        self.assertEqual((one["configurations"], one["worked"], one["best_us"], one["trial_s"]), (40, 35, 1000, 1.5))
        exhaustive, random = one["strategies"]
        self.assertEqual(exhaustive["trials_to"]["1%"], [28, 28, 28])
        # Compilers take 1 s and are four, the device takes half a second and is one.
        self.assertEqual(exhaustive["seconds_to"]["1%"], [15, 15, 15])
        self.assertEqual(random["gap_at_end"], [0, 0, 0])
        two = self.run_command("simulate", self.path, self.path, "--seeds", "2", "--trials", "20")
        self.assertIn("2 files: geometric means of the medians", two.out)

    def test_a_time(self):
        words = ("simulate", self.path, "--strategy", "exhaustive", "--seeds", "2", "--outstanding", "4")
        result = self.run_command(*words, "--budget", "12s", "--json")
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.json["budget_s"], 12)
        exhaustive = result.json["files"][0]["strategies"][0]
        self.assertEqual(exhaustive["trials_at_end"], [22, 22, 22])
        self.assertEqual(exhaustive["searches_within"], {"10%": 0, "5%": 0, "2%": 0, "1%": 0})
        result = self.run_command(*words, "--budget", "15s")
        self.assertIn("after 15 s (worst)", result.out)
        self.assertRegex(result.out, r"exhaustive .* 100% +100% +100% +28\n")

    def test_mistakes(self):
        for words, says in ((("simulate",), "which recordings?"),
                            (("simulate", self.home / "none.gz"), "none.gz: cannot be read: No such file"),
                            (("simulate", self.path, "--strategy", "randon"), "did you mean random?"),
                            (("simulate", self.path, "--strategy", "random:elite=8"), "random has no settings"),
                            (("simulate", self.path, "--seeds", "0"), "--seeds"),
                            (("simulate", self.path, "--config", self.home / "none.json"), "none.json")):
            self.refused(*words, says=says, codes=[2])
        self.path.write_bytes(self.path.read_bytes()[:60])
        self.refused("simulate", self.path, says="bowl.json.gz", codes=[2])

    @unittest.skipUnless(SHARED.is_dir(), "no recordings by others beside this checkout")
    def test_what_kernel_tuner_wrote(self):
        for path in sorted(SHARED.glob("*.json.gz")):
            result = self.run_command("simulate", path, "--strategy", "random", "--seeds", "2", "--trials", "50")
            self.assertEqual(result.code, 0, result)
            self.assertIn("configurations", result.out)


if __name__ == "__main__":
    support.main()

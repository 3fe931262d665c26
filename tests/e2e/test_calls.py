"""Kernels that are right as they are tuned and wrong as an application may call them: with padded rows, with
odd strides, with parts of matrices that begin anywhere. None of them is stored."""

import json

import support
from support import DEVICE

# The sin, the kind of call that brings it to light, and what the message says.
SINS = {
    "dense_rows": ("padded strides", ["elements of B are wrong", "lda = 104, ldb = 104"]),
    "odd_source": ("odd strides", ["lda = 101, ldb = 101", "1 of 1000 elements of B are wrong; the first at row 1, column 2"]),
    "unaligned_source": ("the least alignment", ["ALIGNMENT = 4", "1 of 1000 elements of B are wrong"]),
    "odd_gap": ("odd strides", ["wrote between the rows of B: 1 elements (row 0, column 100)"]),
}


class Calls(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.path = self.plant("sins")
        self.words = ("--config", self.path, "--shape", "10x100", "--budget", "500s", "--strategy", "exhaustive",
                      "--cache", "warm")

    def keep(self, sins, sound):
        description = json.loads(self.path.read_text())
        sinful = description["implementations"][1]
        sinful["constraints"] = [" || ".join(f"SIN == '{sin}'" for sin in sins)]
        if not sound:
            sinful["presets"] = {"default": {"SIN": sins[0], "BLOCK": 64}}
            description["implementations"] = [sinful]
        self.path.write_text(json.dumps(description))

    def assert_found(self, sin):
        """Tuned beside a sound variant that is slower by far."""
        kind, says = SINS[sin]
        self.keep([sin], sound=True)
        report = self.tune_json(*self.words)
        self.assertEqual(report["best"]["implementation"], "sound")
        self.assertEqual((report["trials"]["ok"], report["trials"]["wrong"]), (1, 1), report)
        trial = next(t for t in self.ask("trials")["trials"] if t["implementation"] == "sinful")
        self.assertEqual((trial["status"], trial["configuration"]["SIN"]), ("wrong", sin))
        self.assertNotIn("time_us", trial)
        for words in [f"with {kind}: ", *says]:
            self.assertIn(words, trial["message"])
        self.assertEqual([row["implementation"] for row in self.ask("show")], ["sound"])
        self.assert_sound()
        return report

    def test_rows_taken_for_dense(self):
        report = self.assert_found("dense_rows")
        self.assertEqual(report["presets"]["dense-rows"]["status"], "wrong")
        # The same command knows it for wrong.
        again = self.tune_json(*self.words)
        self.assertEqual((again["trials_now"], again["trials"]), (0, report["trials"]))
        self.assertEqual(again["best"]["implementation"], "sound")

    def test_source_for_odd_strides(self):
        self.assert_found("odd_source")

    def test_source_for_unaligned_buffers(self):
        self.assert_found("unaligned_source")

    def test_gaps(self):
        self.assert_found("odd_gap")

    def test_nothing_but_sins(self):
        self.keep(["dense_rows", "odd_source"], sound=False)
        result = self.run_command(*self.words, "--quiet", device=DEVICE)
        self.assertEqual(result.code, 1, result)
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.assertIn("none of the best variants is right: with ", result.err)
        self.assertEqual(self.ask("show"), [])
        self.assert_sound()


if __name__ == "__main__":
    support.main()

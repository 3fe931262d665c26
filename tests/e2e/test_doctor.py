"""How far times of this machine can be trusted: that all of it is told, whatever it is today."""

import support
from support import DEVICE


class Doctor(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.words = ("doctor", "--config", self.plant("double"), "--shape", "20x30", "--rounds", "7")

    def test_the_diagnosis(self):
        answer = self.tune_json(*self.words)
        same = answer["same_twice"]
        self.assertEqual(same["rounds"], 7)
        self.assertTrue(same["low"] <= same["ratio"] <= same["high"], same)
        self.assertAlmostEqual(answer["noise"], max(abs(same["low"] - 1), abs(same["high"] - 1)))
        for cost in ("one_by_one", "round_trip"):
            self.assertGreater(answer["launch_us"][cost], 0)
        self.assertGreater(answer["time_us"], 0)
        self.assertGreaterEqual(answer["host"]["cores"], 1)
        self.assertTrue(answer["device_health"])
        serious = any(finding["serious"] for finding in answer["findings"])
        self.assertEqual(answer["trusted"], answer["noise"] <= 0.01 and not serious)
        self.assertEqual(answer["trusted"], answer["verdict"].startswith("results can be trusted"))
        if DEVICE == "opencl":
            self.assertEqual(answer["device_health"], {"unknown": "the backend tells nothing of it"})

    def test_for_people(self):
        result = self.tune(*self.words, "--cache", "warm", "--quiet")
        self.assertEqual(result.err, "")
        lines = result.out.splitlines()
        for line, begins in zip(lines[1:], ("the same twice", "spread", "launch", "timer", "clocks")):
            self.assertTrue(line.startswith("  " + begins), result)
        self.assertRegex(lines[-1], "^(results can be trusted|do not trust )")
        self.assertFalse(self.db.exists())

    def test_mistakes(self):
        for words, says in [
            (("transpose",), "give the --shape too"),
            (("--dtype", "f64"), "give the --shape too"),
            (("transpose", "--shape", "8x8", "--preset", "nonsense"), "nonsense"),
            (("--shape", "8x8", "--rounds", "2"), "--rounds"),
        ]:
            with self.subTest(words=words):
                self.refused("doctor", *words, says=says, device=DEVICE)


if __name__ == "__main__":
    support.main()

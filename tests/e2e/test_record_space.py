"""tune record --output: a space tried once, into a file that searches are replayed on."""

import gzip
import json

import support
from support import DEVICE


class RecordSpace(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.words = ("--config", self.plant("double"), "--shape", "37x200")
        self.file = self.home / "double.json.gz"

    def test_a_sample_is_recorded_and_replayed(self):
        result = self.run_command("record", *self.words, "--implementation", "direct", "--trials", "7", "-o", self.file,
                                  "--quiet", device=DEVICE)
        self.assertEqual((result.code, result.err), (0, ""), result)
        self.assertIn("7 configurations of 32, 0 failed", result.out)
        recording = json.loads(gzip.decompress(self.file.read_bytes()))
        self.assertEqual(recording["tune_params_keys"], ["BLOCK", "EACH", "ORDER"])
        self.assertEqual(len(recording["cache"]), 7)
        for entry in recording["cache"].values():
            self.assertGreater(entry["time"], 0)
            self.assertGreater(entry["compile_time"] + entry["benchmark_time"], 0)
            # Few digits, and in order: it packs to a fraction.
            self.assertEqual(entry["time"], float(f"{entry['time']:.4g}"))
        self.assertEqual(list(recording["cache"]), sorted(recording["cache"]))
        # Nothing is left beside it, and nothing went where applications look.
        self.assertEqual([path.name for path in self.home.glob("double.json.gz*")], ["double.json.gz"])
        self.assertFalse(self.db.exists())
        replayed = self.run_command("simulate", self.file, "--strategy", "all", "--seeds", "2")
        self.assertEqual(replayed.code, 0, replayed)
        self.assertIn("7 configurations, 0 failed", replayed.out)
        # The device is described; predictions are of kernels whose description is known.
        self.assertGreater(recording["tilewise"]["device"]["max_threads"], 0)
        self.assertIn("predicted: nothing: ", replayed.out)
        replayed = self.run_command("simulate", self.file, *self.words[:2], "--seeds", "2")
        self.assertEqual(replayed.code, 0, replayed)
        self.assertRegex(replayed.out, r"predicted: rank correlation -?[01]\.\d\d by the estimate, over 7 config")

    def test_several_devices_and_a_time(self):
        self.environment, ids = support.several_devices(self.environment)
        result = self.run_command("record", *self.words, "--implementation", "direct", "--budget", "5m", "-o",
                                  self.file, "--quiet", "--devices", ",".join(ids), device=None)
        self.assertEqual(result.code, 0, result)
        # The time would do for more than there are.
        self.assertIn("32 configurations of 32, 0 failed", result.out)
        self.assertEqual(len(json.loads(gzip.decompress(self.file.read_bytes()))["cache"]), 32)

    def test_mistakes(self):
        self.refused("record", *self.words, "-o", self.file, "--budget", "20", device=DEVICE,
                     says="--trials is a number", codes=[2])
        self.refused("record", *self.words, "-o", self.file, "--budget", "20s", "--trials", "3", device=DEVICE,
                     says="it has one of them", codes=[2])
        self.refused("record", *self.words, "-o", self.file, device=DEVICE, says="double has direct, staged", codes=[2])
        self.refused("record", *self.words, "--implementation", "dirct", "-o", self.file, device=DEVICE,
                     says="double has direct, staged", codes=[2])
        self.assertFalse(self.file.exists())


if __name__ == "__main__":
    support.main()

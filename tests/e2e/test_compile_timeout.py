"""Limits: a variant that takes the compiler past its own is recorded, and the run goes on; what a
driver compiles at the first launch does not count as the variant's own time."""

import support


class CompileTimeout(support.EndToEnd):
    def test_a_variant_that_never_compiles(self):
        words = ("--config", self.plant("slow"), "--shape", "1000", "--budget", "500s", "--strategy", "exhaustive",
                 "--compile-limit", "12s", "--cache", "warm")
        report = self.tune_json(*words)
        self.assertEqual((report["trials"]["ok"], report["trials"]["compile_timeout"]), (2, 1))
        self.assertEqual(sum(report["trials"].values()), 3)
        self.assertEqual(report["best"]["configuration"]["COMPILES"], "at_once")
        late = [t for t in self.ask("trials")["trials"] if t["status"] == "compile_timeout"]
        self.assertEqual(late[0]["configuration"], {"BLOCK": 32, "COMPILES": "for_ever"})
        self.assertEqual(late[0]["message"], "the compiler did not finish within 12 s")
        again = self.tune_json(*words)
        self.assertEqual((again["trials_now"], again["trials"]), (0, report["trials"]))
        self.assert_sound()

    def test_the_driver_may_compile_at_the_first_launch(self):
        # PoCL does, and takes longer than the trial may, unless it finds what it made before.
        self.environment["POCL_CACHE_DIR"] = str(self.home / "pocl")
        report = self.tune_json("--config", self.plant("heavy"), "--shape", "1000", "--budget", "1", "--cache", "warm",
                                "--trial-limit", "2s", "--compile-limit", "300s")
        self.assertEqual(report["trials"]["ok"], 1, report)
        self.assertEqual(report["device_workers_replaced"], 0)
        self.assert_sound()


if __name__ == "__main__":
    support.main()

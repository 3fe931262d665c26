"""Trials that are forgotten, so that they are tried again; and nothing else with them."""

import sqlite3

import support
from support import DEVICE, variants


class Forget(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.words = ("--config", self.plant("double"), "--shape", "20x30", "--cache", "warm",
                      "--fix", "BLOCK=16", "--strategy", "exhaustive")
        self.tune_json(*self.words, "--budget", "6")
        self.assertEqual(self.trial_count(), 6)

    def spoil(self, *statuses, first=1):
        """Makes failures of the trials from `first` on."""
        connection = sqlite3.connect(self.db)
        with connection:
            for number, status in enumerate(statuses, first):
                connection.execute(
                    "UPDATE trial SET status = ?, message = 'as planned', time_us = NULL, repeats = NULL, ci_low_us = NULL,"
                    " ci_high_us = NULL, screened_out = 0 WHERE id = ?", (status, number))
        connection.close()

    def everything_else(self):
        return [self.query(f"SELECT * FROM {table}") for table in ("best", "run", "problem", "device", "implementation")]

    def forget(self, *words):
        result = self.run_command("db", "forget", *words)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result.out

    def test_by_status(self):
        self.spoil("timeout", "timeout", "wrong")
        before = self.everything_else()
        self.assertEqual(self.forget("double", "--status", "crash"),
                         f"{self.db}: forgot no trials; best rows and runs stay\n")
        self.assertEqual(self.forget("double", "--status", "timeout"),
                         f"{self.db}: forgot 2 trials (2 timeout); best rows and runs stay\n")
        self.assertEqual([t["status"] for t in self.ask("trials")["trials"]], ["wrong", "ok", "ok", "ok"])
        self.spoil("crash", first=4)
        self.assertIn("forgot 2 trials (1 wrong, 1 crash)", self.forget("--status", "failed"))
        self.assertEqual(self.everything_else(), before)
        self.assert_sound()

    def test_by_run_kernel_and_problem(self):
        self.tune_json(*self.words[:2], "--shape", "20x31", *self.words[4:], "--budget", "1")
        self.assertEqual(self.trial_count(), 7)
        self.assertIn("forgot no trials", self.forget("gemm"))
        self.assertIn("forgot no trials", self.forget("double", "--cache", "cold"))
        self.assertIn("forgot 1 trial (1 ok)", self.forget("--run", "2"))
        self.assertIn("forgot no trials", self.forget(*self.words[:2], "--shape", "20x31"))
        self.assertIn("forgot no trials", self.forget(*self.words[:4], "--dtype", "f64"))
        self.assertIn("forgot 6 trials (6 ok)", self.forget(*self.words[:4], "--device", DEVICE))
        self.assertEqual(len(self.ask("show")), 2)

    def test_mistakes(self):
        for words, says in [
            ((), "which trials?"),
            (("--device", DEVICE), "which trials?"),
            (("--status", "timeot"), "expected one of ok, compile_error"),
            (("--run", "77"), "there is no run 77"),
            (("double", "--dtype", "f32"), "attributes go with a --shape"),
            (("double", "--shape", "8x8"), "--config"),
        ]:
            with self.subTest(words=words):
                self.refused("db", "forget", *words, says=says, codes=(2,))
        self.assertEqual(self.trial_count(), 6)
        nowhere = self.home / "nowhere.db"
        self.refused("db", "forget", "double", "--db", nowhere, says="does not exist")
        self.assertFalse(nowhere.exists())

    def test_retry(self):
        self.spoil("timeout", "wrong")
        failed = variants(t for t in self.ask("trials")["trials"] if t["status"] != "ok")
        best = self.ask("show")
        # As always, what is known is not tried again, failures neither.
        self.assertEqual(self.tune_json(*self.words, "--budget", "7")["trials"]["timeout"], 1)
        report = self.tune_json("retry", *self.words, "--budget", "2")
        self.assertEqual({status: n for status, n in report["forgotten"].items() if n}, {"timeout": 1, "wrong": 1})
        self.assertGreaterEqual(report["trials_now"], 2)
        self.assertEqual(report["trials"]["timeout"] + report["trials"]["wrong"], 0)
        # Those that had failed come first.
        self.assertEqual(set(variants(self.ask("trials")["trials"])[:2]), set(failed))
        self.assertEqual(self.ask("show")[0]["problem"], best[0]["problem"])
        self.assert_sound()

        table = self.tune("retry", *self.words, "--budget", "1").out
        self.assertIn("  forgot          no trials, to be tried again\n", table)

    def test_retry_some(self):
        self.spoil("timeout", "wrong")
        report = self.tune_json("retry", *self.words, "--status", "timeout", "--budget", "1")
        self.assertEqual((report["forgotten"]["timeout"], report["forgotten"]["wrong"]), (1, 0))
        self.assertEqual((report["trials"]["timeout"], report["trials"]["wrong"]), (0, 1))

    def test_an_interrupted_run_goes_on(self):
        """Its budget counts what it has tried and not forgotten."""
        self.spoil("timeout", "crash", "crash")
        connection = sqlite3.connect(self.db)
        with connection:
            connection.execute("UPDATE run SET state = 'interrupted'")
        connection.close()
        report = self.tune_json("retry", *self.words, "--budget", "6")
        self.assertTrue(report["resumed"])
        self.assertEqual((report["trials_now"], sum(report["trials"].values())), (3, 6))
        self.assertEqual(self.query("SELECT id FROM run"), [(1,)])


if __name__ == "__main__":
    support.main()

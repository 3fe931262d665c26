"""Promises of errors: what breaks one is wrong, errors are stored and shown, and stand beside times."""

import json
import sqlite3

import support
from support import DEVICE


class Promises(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.words = ("--config", self.plant("product"), "--shape", "20x30x50")

    def tune(self, *words, code=0):
        result = self.run_command(*self.words, *words, "--budget", "2", "--strategy", "exhaustive", "--quiet",
                                  "--db", self.db, device=DEVICE)
        self.assertEqual(result.code, code, result)
        return result

    def test_what_breaks_a_promise(self):
        result = self.run_command("run", *self.words, "--compute", "f32_split", "--preset", "rounded", "--json",
                                  "--quiet", device=DEVICE)
        self.assertEqual((result.code, result.json["status"]), (1, "wrong"), result)
        self.assertRegex(result.json["message"], r"^inputs uniform: the rms error is [\d.e-]+ of the sizes summed; "
                                                 r"[\d.e-]+ is allowed, and plain sums have [\d.e-]+ "
                                                 r"\(promised is no larger than plain f32's\)$")
        # The same answer keeps a weaker promise, and where nothing is promised nothing is tried.
        for word in ("bf16", "f32"):
            result = self.run_command("run", *self.words, "--compute", word, "--preset", "rounded", "--json",
                                      "--quiet", device=DEVICE)
            self.assertEqual((result.code, result.json["status"]), (0, "ok"), result)
            self.assertEqual("hard_max_error" in result.json, word == "bf16")

    def test_time_against_error(self):
        reports = self.tune("--compute", "any", "--json").json
        self.assertEqual(len(reports), 4)
        (front,) = [report for report in reports if "front" in report]
        self.assertEqual((front["kernel"], front["shape"]), ("product", "20x30x50"))
        entries = {entry["compute"]: entry for entry in front["front"]}
        self.assertEqual(set(entries), {"f32", "f32_split", "bf16"})
        for entry in entries.values():
            self.assertLessEqual(entry["hard_rms_error"], entry["hard_max_error"])
            self.assertGreater(entry["time_us"], 0)
        self.assertTrue(any(entry["on_front"] for entry in entries.values()))
        self.assertLess(entries["f32_split"]["hard_max_error"], 1e-5)
        times = [entry["time_us"] for entry in front["front"]]
        self.assertEqual(times, sorted(times))
        # Stored, shown, exported; and in the table, and on the page.
        with sqlite3.connect(self.db) as db:
            stored = db.execute("SELECT count(*) FROM trial WHERE hard_rms_error > 0").fetchone()
        self.assertGreaterEqual(stored[0], 4)
        shown = self.run_command("show", "--db", self.db, "--json", device=None).json
        self.assertEqual(len([row for row in shown if "hard_max_error" in row]), 3)
        exported = json.loads(self.run_command("db", "export", "--db", self.db, device=None).out)
        self.assertTrue(all(row["hard_rms_error"] > 0 for row in exported["best"]), exported)
        table = self.tune("--compute", "any").out
        self.assertIn("product 20x30x50 on ", table)
        self.assertRegex(table, r"\n  f32_split +[\d.]+ .?s +[\d.e-]+ +[\d.e-]+ +[\d.e-]+ +[\d.e-]+")
        page = self.home / "page.html"
        result = self.run_command("report", *self.words[:2], "--db", self.db, "-o", page, device=None)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(page.read_text().count("Time against error"), 1)

    def test_any_of_what_has_none(self):
        result = self.run_command("transpose", "--shape", "4x4", "--compute", "any", device=DEVICE)
        self.assertEqual(result.code, 2)
        self.assertIn("--compute any: transpose has no attribute compute", result.err)
        result = self.run_command("gemm", "--shape", "4x4x4", "--dtype", "f64", "--compute", "any", device=DEVICE)
        self.assertEqual(result.code, 2)
        self.assertIn("--compute any: only products of f32 may be computed in", result.err)


if __name__ == "__main__":
    support.main()

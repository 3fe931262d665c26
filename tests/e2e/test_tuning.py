"""Tuning, and what can be asked about it afterwards."""

import json
import sqlite3

import support
from support import DEVICE, STATUSES, canonical, variants


class Tuning(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.words = ("--config", self.plant("double"), "--cache", "warm")

    def test_the_report(self):
        report = self.tune_json(*self.words, "--shape", "6x10", "--budget", "6", "--strategy", "random")
        self.assertEqual(report["kernel"], "double")
        self.assertEqual(report["problem"], {"shape": "6x10", "M": 6, "N": 10, "dtype": "f32"})
        self.assertTrue(report["device"]["id"].startswith(DEVICE.split(":")[0]))
        best = report["best"]
        self.assertIn(best["implementation"], ("direct", "staged"))
        self.assertIn("BLOCK", best["configuration"])
        self.assertGreater(best["time_us"], 0)
        self.assertLessEqual(best["ci_low_us"], best["time_us"])
        self.assertGreaterEqual(best["ci_high_us"], best["time_us"])
        self.assertEqual(best["rate_unit"], "GB/s")
        # 4 bytes in and 4 out for each element.
        self.assertAlmostEqual(best["rate"], 2 * 4 * 60 / best["time_us"] * 1e-3, delta=best["rate"] * 0.01)
        self.assertEqual(best["max_rel_error"], 0)
        self.assertEqual(set(report["presets"]), {"default", "naive", "staged"})
        for preset in report["presets"].values():
            self.assertGreater(preset["time_us"], 0)
            self.assertEqual(preset["status"], "ok")
        self.assertEqual(set(report["trials"]), set(STATUSES))
        self.assertEqual(report["trials"]["ok"], 6)
        self.assertEqual(sum(report["trials"].values()), 6)
        self.assertEqual(report["trials_now"], 6)
        self.assertEqual(report["space_size"], 36)
        self.assertEqual(report["database"], str(self.db))
        self.assertGreater(report["seconds"], 0)
        self.assertFalse(report["interrupted"])
        self.assertFalse(report["resumed"])
        self.assertEqual(report["device_workers_replaced"], 0)
        self.assert_sound()
        self.check_show(report)
        self.check_trials(report)

    def check_show(self, report):
        """`tune show` has the row that the run stored."""
        rows = self.ask("show")
        self.assertEqual(len(rows), 1)
        row, best = rows[0], report["best"]
        self.assertEqual((row["kernel"], row["problem"], row["cache"]), ("double", "M=6,N=10;dtype=f32", "warm"))
        self.assertEqual(row["implementation"], best["implementation"])
        self.assertEqual(row["configuration"], best["configuration"])
        self.assertAlmostEqual(row["time_us"], best["time_us"])
        self.assertEqual(set(row["presets_us"]), set(report["presets"]))
        subject = self.words[:2]
        self.assertEqual(self.ask("show", "double", "--shape", "6x10", *subject), rows)
        self.assertEqual(self.ask("show", "--shape", "6x10", "--dtype", "f32", *subject, device=DEVICE), rows)
        self.assertEqual(self.ask("show", "--shape", "6x10", "--dtype", "f64", *subject), [])
        self.assertEqual(self.ask("show", "--shape", "6x11", *subject), [])
        self.assertEqual(self.ask("show", "--cache", "cold"), [])
        self.assertEqual(self.ask("show", "gemm"), [])
        text = self.run_command("show").out
        for part in ("double", "M=6,N=10;dtype=f32", best["implementation"], canonical(best["configuration"]).replace(" ", "")):
            self.assertIn(part, text)

    def check_trials(self, report):
        """`tune trials` has all that the run tried."""
        run = self.ask("trials")
        self.assertEqual((run["run"], run["kernel"], run["state"]), (1, "double", "done"))
        self.assertEqual((run["strategy"], run["seed"], run["budget"]), ("random", 1, 6))
        self.assertEqual(len(run["trials"]), 6)
        self.assertEqual(len(set(variants(run["trials"]))), 6)
        for trial in run["trials"]:
            self.assertEqual(trial["status"], "ok")
            self.assertGreater(trial["time_us"], 0)
        self.assertIn((report["best"]["implementation"], canonical(report["best"]["configuration"])),
                      variants(run["trials"]))
        self.assertEqual(self.ask("trials", "--run", "1"), run)
        self.assertEqual(self.ask("trials", "double"), run)
        lines = self.run_command("trials").out.splitlines()
        self.assertEqual(len(lines), 7)
        self.assertTrue(lines[0].startswith("run 1: double"), lines[0])

    def test_a_prior(self):
        """auto begins with what is predicted to be fast, says how right that was, and does without if told to."""
        words = (*self.words, "--shape", "6x200", "--budget", "8")
        prior = self.tune_json(*words, "--db", "a.db")["prior"]
        self.assertEqual(prior["source"], "estimate")
        self.assertGreater(prior["first"], 0)
        self.assertEqual(prior["trials"], 8)
        self.assertTrue(-1 <= prior["rank_correlation"] <= 1, prior)
        table = self.tune(*words, "--db", "b.db", "--quiet")
        self.assertRegex(table.out, r"predicted +by the estimate: \d+ to begin with.*; rank correlation -?[01]\.\d\d over 8 trials\n")
        for without in (("--prior", "off"), ("--strategy", "random")):
            report = self.tune_json(*words, "--db", f"{without[1]}.db", *without)
            self.assertNotIn("prior", report)
            self.assertEqual(report["trials"]["ok"], 8)
        self.refused(*words, "--prior", "perhaps", says="--prior perhaps: expected on or off", device=DEVICE)

    def test_where_the_time_went(self):
        """The parts add up to the wall time, and are kept with the best row, also in another database."""
        report = self.tune_json("--config", self.plant("double"), "--shape", "20x30", "--budget", "4")
        wall = report["wall_s"]
        parts = [wall[part] for part in ("compiling", "waiting", "verifying", "measuring", "playoff", "rest")]
        self.assertTrue(all(part >= 0 for part in parts), wall)
        self.assertAlmostEqual(sum(parts), wall["total"], places=6)
        self.assertGreater(wall["verifying"] * wall["measuring"] * wall["playoff"], 0)
        self.assertTrue(0 < wall["device_busy"] <= 1, wall)
        self.assertLessEqual(wall["total"], report["seconds"] + 1e-6)
        self.assertEqual(self.ask("show")[0]["wall_s"], wall)
        self.run_command("db", "merge", self.db, "--db", "other.db")
        self.assertEqual(self.ask("show", "--db", "other.db")[0]["wall_s"], wall)
        result = self.tune("--config", self.home / "double.json", "--shape", "20x31", "--budget", "2", "--quiet")
        self.assertRegex(result.out, r"of which +[0-9.]+ compiling, [0-9.]+ waiting, .* rest; device busy \d+%\n")

    def test_launches_that_variants_share(self):
        """The second launch knows nothing of the parameters: it is compiled for the first variant alone."""
        path = self.plant("double")
        description = json.loads(path.read_text())
        (self.home / "double" / "again.cu").write_text(
            "TW_KERNEL(double_again)\n(TW_GLOBAL float *B, int ldb)\n{\n"
            "    B[blockIdx.x * (tw_index)ldb] += 0;\n}\n")
        description["implementations"] = description["implementations"][:1]
        description["implementations"][0]["launches"].append(
            {"templates": ["double/again.cu"], "function": "double_again", "block": ["1"], "grid": ["M"],
             "pass": ["B", "ldb"]})
        path.write_text(json.dumps(description))
        report = self.tune_json("--config", path, "--shape", "20x30", "--budget", "4", "--jobs", "1")
        self.assertEqual(report["trials"]["ok"], 4, report)
        self.assertGreaterEqual(report["launches_shared"], 3)

    def test_a_finished_run_repeated_goes_on_exploring(self):
        words = (*self.words, "--shape", "6x10", "--budget", "5", "--strategy", "random")
        first = self.tune_json(*words)
        second = self.tune_json(*words)
        self.assertEqual(sum(first["trials"].values()), 5)
        self.assertEqual((second["trials_now"], sum(second["trials"].values())), (5, 10))
        self.assertFalse(second["resumed"])
        tried = variants(self.ask("trials", "--run", "1")["trials"]) + variants(self.ask("trials", "--run", "2")["trials"])
        self.assertEqual(len(set(tried)), 10)
        self.assert_sound()

    def test_a_budget_of_trials_is_kept(self):
        for budget, jobs in ((1, 1), (1, 8), (5, 3)):
            with self.subTest(budget=budget, jobs=jobs):
                db = self.home / f"{budget}-{jobs}.db"
                report = self.tune_json(*self.words, "--shape", "6x10", "--budget", budget, "--jobs", jobs, "--db", db)
                self.assertEqual(sum(report["trials"].values()), budget)
                self.assertEqual(report["presets"]["default"]["status"], "ok")

    def test_a_preset_under_way_is_not_tried_twice(self):
        path = self.words[1]
        description = json.loads(path.read_text())
        direct = description["implementations"][0]
        direct["constraints"] = ["BLOCK == 64 && EACH == 1 && ORDER == 'far'"]
        del direct["presets"]["naive"]
        description["implementations"] = [direct]
        path.write_text(json.dumps(description))
        report = self.tune_json(*self.words, "--shape", "6x10", "--budget", "300s", "--jobs", "4")
        self.assertEqual((report["space_size"], report["trials_now"]), (1, 1))

    def test_an_exhausted_space(self):
        words = (*self.words, "--shape", "6x1", "--budget", "300s", "--strategy", "exhaustive")
        first = self.tune_json(*words)
        self.assertEqual((first["space_size"], first["trials"]["ok"]), (12, 12))
        again = self.tune_json(*words)
        self.assertEqual((again["trials_now"], again["trials"]["ok"]), (0, 12))
        self.assertIsNotNone(again["best"])
        self.assertLess(again["seconds"], 100)

    def test_random_is_decided_by_the_seed(self):
        def tried(seed, name):
            words = (*self.words, "--shape", "6x10", "--budget", "8", "--strategy", "random",
                     "--seed", seed, "--db", self.home / name)
            self.tune_json(*words)
            return set(variants(self.ask("trials", "--db", self.home / name)["trials"]))

        first = tried(7, "a.db")
        self.assertEqual(first, tried(7, "b.db"))
        self.assertNotEqual(first, tried(8, "c.db"))

    def test_auto_is_the_default(self):
        report = self.tune_json(*self.words, "--shape", "6x10", "--budget", "8")
        self.assertEqual(sum(report["trials"].values()), 8)
        self.assertEqual(self.ask("trials")["strategy"], "auto")

    def test_several_shapes(self):
        (self.home / "shapes").write_text("# what we need\n\n6x1   # narrow\n6x1 dtype=f64\n\t5x1\r\n")
        reports = self.tune_json(*self.words, "--shapes", "shapes", "--shape", "7x1", "--budget", "1")
        self.assertEqual([(r["problem"]["shape"], r["problem"]["dtype"]) for r in reports],
                         [("6x1", "f32"), ("6x1", "f64"), ("5x1", "f32"), ("7x1", "f32")])
        for report in reports:
            self.assertIsNotNone(report["best"])
        self.assertEqual(len(self.ask("show")), 4)

    def test_a_list_again(self):
        """What the same search has done of a list is told and stays; all else is searched."""
        (self.home / "shapes").write_text("6x1\n6x1 dtype=f64\n")
        words = (*self.words, "--shapes", "shapes", "--budget", "2")
        first = self.tune_json(*words)
        again = self.tune_json(*words)
        self.assertEqual([report["trials_now"] for report in first], [2, 2])
        for one, other in zip(first, again):
            self.assertTrue(other["done_before"])
            self.assertEqual(other["trials_now"], 0)
            self.assertEqual(one["problem"], other["problem"])
            for name in ("implementation", "configuration", "time_us", "rate", "rate_unit"):
                self.assertEqual(one["best"][name], other["best"][name])
        self.assertEqual(self.query("SELECT count(*) FROM run"), [(2,)])
        told = self.run_command(*words, "--device", DEVICE)
        self.assertEqual(told.code, 0, told)
        self.assertRegex(told.out, r"\Adouble M=6,N=1;dtype=f32 on .*\n  done before     \S+ [mu]?s, \S+ [GM]B/s \(\w+\)\n"
                                   r"double M=6,N=1;dtype=f64 on .*\n  done before .*\n\Z")
        self.assertEqual(told.err, "tune: 2 problems were done before by this command; another --seed searches them again\n")
        # Searched on: a shape of the command line, another search, failures to be tried again, what was not done.
        for more in (("--seed", "2"), ("--budget", "3"), ("--strategy", "random"), ("--cache", "cold")):
            self.assertNotIn("done_before", self.tune_json(*words, *more)[0], more)
        self.assertNotIn("done_before", self.tune_json(*self.words, "--shape", "6x1", "--budget", "2"))
        retried = self.run_command("retry", *words, "--device", DEVICE, "--json", "--quiet").json
        self.assertNotIn("done_before", retried[0])
        (self.home / "shapes").write_text("6x1\n7x1\n6x1 dtype=f64\n")
        longer = self.tune_json(*words)
        self.assertEqual(["done_before" in report for report in longer], [True, False, True])
        # Without its row a problem is not done.
        with sqlite3.connect(self.db) as connection:
            connection.execute("DELETE FROM best WHERE problem = (SELECT id FROM problem WHERE key LIKE '%7%')")
        self.assertEqual(["done_before" in report for report in self.tune_json(*words)], [True, False, True])

    def test_cache_policies_are_kept_apart(self):
        words = (*self.words[:2], "--shape", "6x1")
        self.tune_json(*words, "--budget", "1", "--cache", "warm")
        self.assertEqual([r["cache"] for r in self.ask("show")], ["warm"])
        self.assertEqual(self.ask("apply", *words, "--cache", "warm", device=DEVICE)["rule"], "exact")
        self.assertEqual(self.ask("apply", *words, device=DEVICE)["rule"], "default")


class Applying(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.words = ("--config", self.plant("double"), "--cache", "warm", "--shape", "6x10")

    def test_before_and_after_tuning(self):
        before = self.ask("apply", *self.words, device=DEVICE)
        self.assertFalse(self.db.exists())
        self.assertEqual(before["rule"], "default")
        self.assertIn("default", before["reason"])
        self.assertEqual(before["configuration"], {"BLOCK": 64, "EACH": 1, "ORDER": "far"})
        best = self.tune_json(*self.words, "--budget", "4")["best"]
        after = self.ask("apply", *self.words, device=DEVICE)
        self.assertEqual(after["rule"], "exact")
        self.assertEqual(after["implementation"], best["implementation"])
        self.assertEqual(after["configuration"], best["configuration"])
        self.assertTrue(after["correct"])
        self.assertGreater(after["time_us"], 0)
        text = self.run_command("apply", *self.words, device=DEVICE)
        self.assertEqual((text.code, text.err), (0, ""))
        self.assertIn("exact", text.out)
        # Attributes that differ are another problem.
        other = self.ask("apply", *self.words, "--dtype", "f64", device=DEVICE)
        self.assertEqual(other["rule"], "default")

    def test_a_shape_near_a_tuned_one(self):
        # Pinned: after some winners a preset is thought to be faster for the other shape.
        pinned = ("--fix", "BLOCK=32", "--fix", "EACH=2", "--fix", "ORDER=near")
        best = self.tune_json(*self.words, *pinned, "--budget", "1")["best"]
        self.assertEqual(best["configuration"], {"BLOCK": 32, "EACH": 2, "ORDER": "near"})
        near = self.ask("apply", *self.words[:-1], "6x20", device=DEVICE)
        self.assertEqual(near["rule"], "nearest")
        self.assertEqual(near["configuration"], best["configuration"])
        explained = self.ask("explain", *self.words[:-1], "6x20", device=DEVICE)
        self.assertEqual(explained["rule"], "nearest")
        self.assertAlmostEqual(explained["distance"], 1)
        self.assertTrue(explained["device"] and explained["device_name"], explained)
        # A database that is not there holds nothing, and its name may be mistyped.
        nowhere = self.run_command("explain", *self.words[:-1], "6x20", "--db", self.home / "none.db", "--json",
                                   device=DEVICE)
        self.assertEqual(nowhere.code, 0, nowhere)
        self.assertIn("none.db is not there", nowhere.err)
        self.assertNotIn("distance", nowhere.json)
        self.assertEqual(explained["row"]["problem"], "M=6,N=10;dtype=f32")
        # It is told what that is thought to take, how sure that is, and what else there was.
        self.assertGreater(explained["predicted_us"], 0)
        self.assertGreater(explained["uncertainty"], 0)
        self.assertGreaterEqual(len(explained["runners_up"]), 1)
        for other in explained["runners_up"]:
            self.assertGreater(other["predicted_us"], 0)
        text = self.run_command("explain", *self.words[:-1], "6x20", device=DEVICE).out
        self.assertIn("predicted", text)
        self.assertIn("rather than", text)

    def test_a_template_that_has_changed(self):
        """What was measured with another template is a hint and no result."""
        self.tune_json(*self.words, "--budget", "1")
        for text, rule in (("/* a comment */\n\n", "exact"), ("struct changed { int x; };\n", "default")):
            for name in ("direct.cu", "staged.cu"):
                with open(self.home / "double" / name, "a") as template:
                    template.write(text)
            self.assertEqual(self.ask("explain", *self.words, device=DEVICE)["rule"], rule)
        after = self.ask("explain", *self.words, device=DEVICE)
        self.assertEqual(after["rule"], "default")
        self.assertIn("template", after["refused"]["reason"])
        self.assertIn("finds what is fastest", self.run_command("explain", *self.words, device=DEVICE).out)
        self.assertNotIn("fastest", self.run_command("explain", *self.words, "--quiet", device=DEVICE).out)
        applied = self.run_command("apply", *self.words, device=DEVICE)
        self.assertEqual(applied.code, 0, applied)
        self.assertIn("template", applied.out)


if __name__ == "__main__":
    support.main()

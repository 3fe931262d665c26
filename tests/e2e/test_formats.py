"""tune db, with other tools: their files are read as they wrote them, and ours come back whole."""

import json
import shutil
import sqlite3

import support
from support import DEVICE, HERE

FILES = HERE / "formats"
SUBJECT = ("--kernel", "gemm", "--shape", "64x48x32")
CACHES = ("cache-1.5.0.json", "cache-1.0.0b6.json")
RESULTS = ("t4-1.5.0.json", "t4-1.0.0b6.json")


class Interchange(support.EndToEnd):
    def db_command(self, *words, code=0, err=""):
        result = self.run_command("db", *words)
        self.assertEqual(result.code, code, result)
        self.assertEqual(result.err, err)
        return result.out

    def test_files_of_other_tools(self):
        for name in CACHES + RESULTS:
            with self.subTest(name):
                database = self.home / f"{name}.db"
                words = () if name in CACHES else ("--device", "a CPU")
                out = self.db_command("import", FILES / name, *SUBJECT, *words, "--db", database)
                self.assertIn("12 new trials", out)
                run = self.ask("trials", "--db", database)
                self.assertEqual(run["strategy"], "imported")
                self.assertEqual(run["cache"], "warm")
                self.assertEqual(run["conditions"]["imported"]["file"], name)
                self.assertEqual(run["device"], "pthread-cpu" if name in CACHES else "a CPU")
                trials = {tuple(t["configuration"].values()): t for t in run["trials"]}
                self.assertEqual({t["implementation"] for t in run["trials"]}, {"naive"})
                self.assertEqual(trials[32, 4]["status"], "compile_error")
                self.assertEqual(trials[256, 32]["status"], "resource")
                timed = [t for t in run["trials"] if t["status"] == "ok"]
                self.assertEqual(len(timed), 10)
                for trial in timed:
                    self.assertEqual(trial["repeats"], 5)
                    self.assertTrue(20 < trial["time_us"] < 200, trial)
                self.assertEqual(self.query("SELECT count(*) FROM best", db=database), [(0,)])
                self.assertIn("0 errors", self.db_command("check", "--db", database))
                self.assertIn(": imported\n", self.db_command("list", "--db", database))
                again = self.db_command("import", FILES / name, *SUBJECT, *words, "--db", database)
                self.assertIn("0 new trials", again)
                self.assert_sound(database)

    def test_what_kernel_tuner_wrote_is_the_same_in_both_formats(self):
        times = {}
        for name in ("cache-1.5.0.json", "t4-1.5.0.json"):
            database = self.home / f"{name}.db"
            self.db_command("import", FILES / name, *SUBJECT, "--device", "a CPU", "--db", database)
            times[name] = self.query("SELECT configuration, status, time_us, repeats, compile_ms, created_at"
                                     " FROM trial ORDER BY id", db=database)
        self.assertEqual(*times.values())

    def test_an_unclosed_cache(self):
        whole = FILES / "unclosed-1.5.0.json"
        out = self.db_command("import", whole, *SUBJECT, "--db", self.db)
        self.assertIn("6 new trials", out)
        cut, database = self.home / "cut.json", self.home / "cut.db"
        cut.write_bytes(whole.read_bytes()[:-40])
        out = self.db_command("import", cut, *SUBJECT, "--db", database,
                              err=f"tune: {cut}: ends within an entry, which is left out\n")
        self.assertIn("5 new trials", out)

    def test_there_and_back(self):
        self.tune("copy", "--shape", "50x40", "--cache", "warm", "--budget", "4", "--strategy", "random", "--quiet")
        made = self.ask("trials")
        for form in ("kernel-tuner", "t4"):
            with self.subTest(form):
                text = self.db_command("export", "--format", form)
                self.assertEqual(text, self.db_command("export", "--format", form, "--run", made["run"], "copy"))
                file, database = self.home / f"{form}.json", self.home / f"{form}.db"
                self.db_command("export", "--format", form, "--implementation", "tiles", "-o", file)
                self.assertEqual(file.read_text(), text)
                self.assertIn("4 new trials", self.db_command("import", file, "--db", database))
                self.assertEqual(self.db_command("export", "--format", form, "--db", database), text)
                back = self.ask("trials", "--db", database)
                for key in ("kernel", "problem", "device", "cache", "driver", "compiler"):
                    self.assertEqual(back[key], made[key])
                self.assertEqual(back["conditions"]["imported"]["measured_by"], f"Tilewise {made['tilewise']}")
                for one, other in zip(made["trials"], back["trials"], strict=True):
                    self.assertEqual(one["configuration"], other["configuration"])
                    self.assertEqual(one["status"], other["status"])
                    if "time_us" in one:
                        self.assertAlmostEqual(one["time_us"], other["time_us"], places=9)
                self.assert_sound(database)

        cache = json.loads((self.home / "kernel-tuner.json").read_text())
        self.assertEqual(cache["problem_size"], [50, 40])
        self.assertTrue((self.home / "kernel-tuner.json").read_text().rstrip().endswith("}\n}"))
        for key, entry in cache["cache"].items():
            self.assertEqual(key, ",".join(str(entry[name]) for name in cache["tune_params_keys"]))
            for name in cache["tune_params_keys"]:
                self.assertIn(entry[name], cache["tune_params"][name])
        results = json.loads((self.home / "t4.json").read_text())["results"]
        self.assertEqual([r["configuration"] for r in results], [t["configuration"] for t in made["trials"]])

    def test_what_is_imported_does_not_pass_for_measured_here(self):
        words = ("copy", "--shape", "50x40", "--cache", "warm", "--budget", "3", "--strategy", "random")
        self.tune(*words, "--quiet")
        made, file, database = self.ask("trials"), self.home / "out.json", self.home / "other.db"
        self.db_command("export", "--format", "kernel-tuner", "-o", file)
        self.db_command("import", file, "--db", database)
        result = self.run_command("explain", "copy", "--shape", "50x40", "--cache", "warm", "--db", database,
                                  device=DEVICE)
        self.assertIn("default", result.out)
        self.assertNotIn("tuned", result.out)
        self.tune(*words, "--quiet", "--db", database)
        again = self.ask("trials", "--db", database)
        self.assertEqual(again["strategy"], "random")
        # They are recorded as they come from the compilers.
        self.assertCountEqual(support.variants(again["trials"]), support.variants(made["trials"]))
        self.assertEqual(self.query("SELECT count(*) FROM trial", db=database), [(6,)])

    def test_what_is_refused_leaves_everything_as_it_was(self):
        good, bad, none = FILES / CACHES[0], self.home / "bad.json", self.home / "none.db"
        text = good.read_text()
        self.db_command("import", good, *SUBJECT, "--db", self.db)
        before = self.db_command("export", "--format", "t4", "--db", self.db)
        for says, spoilt in [
            ("bad.json:2:", text.replace("{\n", "{\n?", 1)),
            ('cache "8,4"', text.replace('"BLOCK_X": 8', '"BLOCK_X": 9', 1)),
            ('cache "8,4"', text.replace('"time": 0', '"time": -0', 1)),
            ("BLOCK", text.replace('"BLOCK_Y"\n]', '"BLOCK_Y",\n"Z"\n]')),
            ("bad.json", text[:200]),
            ("bad.json", '{"cache": ' + "[" * 100_000),
        ]:
            with self.subTest(says):
                bad.write_text(spoilt)
                for database in (self.db, none):
                    self.refused("db", "import", good, bad, *SUBJECT, "--db", database, says=["bad.json", says],
                                 codes=(2,))
        self.assertFalse(none.exists())
        self.assertEqual(self.db_command("export", "--format", "t4", "--db", self.db), before)

    def test_a_hostile_database(self):
        self.db_command("import", FILES / CACHES[0], *SUBJECT)
        hostile, escape = self.home / "hostile.db", "x\x1b]0;owned\x07\n\x1b[2Jy"
        for sql, value in [
            ("UPDATE device SET name = ?", escape),
            ("UPDATE problem SET kernel = ?", escape),
            ("UPDATE implementation SET name = ?", escape),
            ("UPDATE run SET conditions = ?", '{"imported": {"measured_by": "' + "z" * 100_000 + '"}}'),
            ("UPDATE run SET conditions = ?", "[" * 100_000),
            ("UPDATE trial SET message = ?", escape * 1000),
            ("UPDATE trial SET configuration = configuration || ?", "}"),
            ("UPDATE trial SET configuration = ? || id", "[" * 100_000),
            ("UPDATE trial SET configuration = '{\"A\": \"' || id || ? || '\"}'", "z" * 5_000_000),
            ("UPDATE trial SET time_us = ? WHERE time_us > 0", 9e999),
            ("UPDATE trial SET compile_ms = ?", 9e999),
            ("UPDATE trial SET created_at = ?", 2**62),
            ("DELETE FROM problem_dimension WHERE 1 OR ?", 1),
        ]:
            with self.subTest(sql):
                shutil.copy(self.db, hostile)
                connection = sqlite3.connect(hostile)
                connection.execute("PRAGMA ignore_check_constraints = 1")
                connection.execute(sql, (value,))
                connection.commit()
                connection.close()
                for form in ("kernel-tuner", "t4"):
                    result = self.run_command("db", "export", "--format", form, "--db", hostile)
                    self.assertIn(result.code, (0, 1, 2), result)
                    self.assertTrue((result.out + result.err).replace("\n", "").isprintable())
                    self.assertLess(len(result.err), 2000)
                    if result.code == 0:
                        json.loads(result.out, parse_constant=self.fail)

    def test_usage(self):
        cache, results = FILES / CACHES[0], FILES / RESULTS[0]
        ours = self.home / "ours.json"
        self.db_command("import", cache, *SUBJECT)
        self.db_command("export", "--format", "kernel-tuner", "-o", ours)
        exported = self.home / "best.json"
        self.db_command("export", "-o", exported)
        for says, words in [
            ("--kernel", ("import", cache)),
            ("--shape", ("import", cache, "--kernel", "gemm")),
            ("--shape", ("import", cache, *SUBJECT, "--shape", "1x1x1")),
            ("gamm", ("import", cache, "--kernel", "gamm", "--shape", "1x1x1")),
            ("--device", ("import", results, *SUBJECT)),
            ("tiled", ("import", cache, *SUBJECT, "--implementation", "tiled")),
            ("no implementation of aat", ("import", cache, "--kernel", "aat", "--shape", "8x8")),
            ("not copy", ("import", ours, "--kernel", "copy")),
            ("M=64,N=48,K=32", ("import", ours, "--shape", "1x2x3")),
            ("one kind", ("import", cache, exported, *SUBJECT)),
            ("best.json", ("import", exported, "--kernel", "gemm")),
            ("expected json, kernel-tuner or t4", ("export", "--format", "csv")),
            ("--format", ("export", "--run", "1")),
            ("no run 7", ("export", "--format", "t4", "--run", "7")),
            ("of copy", ("export", "--format", "t4", "copy")),
            ("it tried naive", ("export", "--format", "t4", "--implementation", "tiled")),
        ]:
            with self.subTest(words):
                self.refused("db", *words, says=says, codes=(2,))
        self.assertIn("kernel-tuner", self.db_command("--help"))

    def test_kernel_tuner_reads_what_we_write(self):
        try:
            import jsonschema
            from kernel_tuner import file_utils, tune_kernel, util
        except ImportError as error:
            self.skipTest(f"no Kernel Tuner here: {error}")
        cache, results = self.home / "cache.json", self.home / "t4.json"
        self.db_command("import", FILES / CACHES[0], *SUBJECT)
        self.db_command("export", "--format", "kernel-tuner", "-o", cache)
        self.db_command("export", "--format", "t4", "-o", results)
        jsonschema.validate(json.loads(results.read_text()), file_utils.output_file_schema("results")[1])
        read = util.read_cache(str(cache), open_cache=False)
        self.assertEqual(sum("__error__" in entry for entry in read["cache"].values()), 2)
        simulated, _ = tune_kernel(
            "gemm", "", tuple(read["problem_size"]), [], read["tune_params"], simulation_mode=True, lang="OpenCL",
            cache=str(cache), quiet=True, block_size_names=["BLOCK_X", "BLOCK_Y", "BLOCK_Z"])
        best = util.get_best_config(simulated, "time", False)
        self.assertEqual(best["time"], min(e["time"] for e in read["cache"].values() if "__error__" not in e))


if __name__ == "__main__":
    support.main()

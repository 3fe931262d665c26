"""One variant at a time, and searches in which parameters are held at a value."""

import json
import re
import sqlite3

import support
from support import DEVICE, variants


class Run(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.words = ("--config", self.plant("double"), "--shape", "20x30")

    def run_json(self, *words, code=0):
        result = self.run_command("run", *words, "--json", "--quiet", device=DEVICE)
        self.assertEqual(result.code, code, result)
        self.assertEqual(result.err, "", result)
        return result.json

    def test_a_preset(self):
        report = self.run_json(*self.words, "--preset", "staged")
        self.assertEqual((report["chosen"], report["implementation"]), ("preset", "staged"))
        self.assertEqual((report["status"], report["configuration"]), ("ok", {"BLOCK": 64}))
        self.assertGreater(report["time_us"], 0)
        self.assertEqual(report["max_rel_error"], 0)
        (launch,) = report["launches"]
        self.assertEqual((launch["function"], launch["block"], launch["grid"]),
                         ("double_staged", [64, 1, 1], [1, 20, 1]))
        self.assertFalse("source" in launch or "log" in launch)
        # Nothing is stored, not even a database.
        self.assertFalse(self.db.exists())

    def test_a_configuration(self):
        given = {"BLOCK": 16, "EACH": 2, "ORDER": "near"}
        report = self.run_json(*self.words, "--configuration", json.dumps(given))
        self.assertEqual((report["implementation"], report["configuration"]), ("direct", given))
        report = self.run_json(*self.words, "--configuration", json.dumps(given), "--fix", "ORDER=far")
        self.assertEqual(report["configuration"], {**given, "ORDER": "far"})
        report = self.run_json(*self.words, "--configuration", '{"BLOCK":64}', "--implementation", "staged")
        self.assertEqual(report["implementation"], "staged")

    def test_errors_on_hard_inputs(self):
        words = ("gemm", "--shape", "33x18x40", "--preset", "naive", "--attr")
        report = self.run_json(*words, "compute=f32_split")
        self.assertEqual(report["status"], "ok", report)
        self.assertGreater(report["hard_rms_error"], 0)
        self.assertLess(report["hard_rms_error"], report["hard_max_error"])
        self.assertLess(report["hard_max_error"], 1e-5)
        # Of plain f32 nothing is promised.
        self.assertNotIn("hard_rms_error", self.run_json(*words, "compute=default"))

    def test_what_is_stored(self):
        self.assertEqual(self.run_json(*self.words)["chosen"], "default")
        best = self.tune_json(*self.words, "--budget", "4")["best"]
        report = self.run_json(*self.words)
        self.assertEqual(report["chosen"], "exact")
        self.assertEqual(report["configuration"], best["configuration"])
        self.assertEqual(self.query("SELECT count(*) FROM run"), [(1,)])

    def test_source_and_log(self):
        template = self.home / "double/staged.cu"
        template.write_text(template.read_text() + "\n/* seen only in the source */\n")
        words = (*self.words, "--preset", "staged", "--source", "--log")
        (launch,) = self.run_json(*words)["launches"]
        for part in ("#define BLOCK 64", "TW_KERNEL(double_staged)", "/* seen only in the source */"):
            self.assertIn(part, launch["source"])
        self.assertIsInstance(launch["log"], str)
        table = self.tune("run", *words).out
        for part in ("  answer          right", "  time ", "of double_staged ----", launch["source"]):
            self.assertIn(part, table)

    def test_mistakes(self):
        for words, says in [
            (("--preset", "stagd"), "it has naive, default, staged"),
            (("--configuration", "{"), "expected a JSON object"),
            (("--configuration", "[1]"), "expected a JSON object"),
            (("--configuration", "{}"), "missing"),
            (("--configuration", '{"BLOCK":16,"EACH":3,"ORDER":"near"}'), "direct: configuration: key EACH"),
            (("--configuration", '{"BLOCK":16,"EACH":1,"ODER":"near"}'), 'did you mean "ORDER"?'),
            (("--configuration", '{"BLOCK":64}', "--implementation", "stged"), "it has direct, staged"),
            (("--configuration", '{"BLOCK":64}', "--preset", "staged"), "not both"),
            (("--implementation", "staged"), "--implementation goes with --configuration"),
            (("--preset", "staged", "--fix", "EACH=2"), "staged, which has no such parameter"),
            (("--preset", "staged", "--fix", "BLOK=64"), "did you mean BLOCK?"),
        ]:
            with self.subTest(words=words):
                self.refused("run", *self.words, *words, says=says, device=DEVICE, codes=(2,))
        narrow = ("run", *self.words[:2], "--shape", "20x1", "--configuration", '{"BLOCK":16,"EACH":2,"ORDER":"near"}')
        self.refused(*narrow, says='the constraint "EACH <= N" does not hold', device=DEVICE, codes=(2,))


class Faulty(support.EndToEnd):
    """Variants that fail are told of in words, and the exit status is 1."""

    def fails(self, mode, *words):
        result = self.run_command("run", "--config", self.path, "--shape", "1000", "--cache", "warm", "--quiet",
                                  "--configuration", json.dumps({"MODE": mode}), *words, device=DEVICE)
        self.assertEqual((result.code, result.err), (1, ""), result)
        return result

    def setUp(self):
        super().setUp()
        # A crash is meant here: it shall be one, and no sanitizer's report.
        self.environment["ASAN_OPTIONS"] += ":handle_segv=0:handle_sigbus=0"
        self.path = self.plant("faults")

    def test_does_not_compile(self):
        report = self.fails("no_syntax", "--json", "--log", "--source").json
        self.assertEqual(report["status"], "compile_error")
        self.assertIn("there_is_no_such_function", report["message"])
        (launch,) = report["launches"]
        # The message is one line of the log.
        self.assertIn("there_is_no_such_function", launch["log"])
        self.assertGreater(len(launch["log"].splitlines()), 1)
        self.assertIn("faults_unsound", launch["source"])
        self.assertIn("  compile_error   ", self.fails("no_syntax").out)

    def test_wrong(self):
        report = self.fails("wrong", "--json").json
        self.assertEqual(report["status"], "wrong")
        self.assertIn("B", report["message"])
        self.assertGreater(report["max_rel_error"], 0)
        self.assertNotIn("time_us", report)

    def test_crash(self):
        self.assertEqual(self.fails("wild", "--json").json["status"], "crash")

    def test_hang(self):
        report = self.fails("endless", "--json", "--trial-limit", "3s").json
        self.assertEqual((report["status"], report["message"]), ("timeout", "did not finish within 3 s"))


class Fixed(support.EndToEnd):
    """tune --fix: a search of a part of the space."""

    def setUp(self):
        super().setUp()
        self.words = ("--config", self.plant("double"), "--shape", "20x30", "--cache", "warm")

    def test_only_these_are_tried(self):
        report = self.tune_json(*self.words, "--fix", "BLOCK=16", "--fix", "EACH=2", "--budget", "50")
        self.assertEqual(report["fixed"], {"BLOCK": "16", "EACH": "2"})
        self.assertEqual((report["space_size"], report["trials_now"]), (2, 2))
        self.assertEqual((report["best"]["configuration"]["BLOCK"], report["best"]["configuration"]["EACH"]), (16, 2))
        tried = {json.loads(text)["ORDER"] for _, text in variants(self.ask("trials")["trials"])}
        self.assertEqual(tried, {"near", "far"})
        # Presets with other values are not tried, and said not to be.
        self.assertEqual({p["status"] for p in report["presets"].values()}, {"does_not_fit"})
        self.assertIn("--fix", report["presets"]["default"]["message"])
        self.assertEqual(self.ask("trials")["strategy"], "auto with BLOCK=16 EACH=2")
        self.assertEqual(self.ask("show")[0]["configuration"], report["best"]["configuration"])
        table = self.tune(*self.words, "--fix", "BLOCK=16", "--fix", "EACH=2", "--budget", "50").out
        self.assertIn("  fixed           BLOCK=16 EACH=2\n", table)
        # The order of the options makes no difference, and what is known is not tried again.
        again = self.tune_json(*self.words, "--fix", "EACH=2", "--fix", "BLOCK=16", "--budget", "50")
        self.assertEqual(again["trials_now"], 0)

    def test_a_better_result_stays(self):
        """A search of a part must not replace what a search of all has found, unless it is faster."""
        self.tune_json(*self.words, "--fix", "EACH=2", "--budget", "2")
        self.change_best("time_us * 1e-6")
        known = self.ask("show")
        report = self.tune_json(*self.words, "--fix", "EACH=2", "--budget", "3")
        self.assertTrue(report["faster_known"])
        self.assertEqual(self.ask("show"), known)
        self.assertIn("  not stored      ", self.tune(*self.words, "--fix", "EACH=2", "--budget", "4").out)
        self.assertEqual(self.ask("show"), known)

        self.change_best("time_us * 1e12")
        report = self.tune_json(*self.words, "--fix", "EACH=2", "--budget", "5")
        self.assertFalse(report["faster_known"])
        self.assertEqual(self.ask("show")[0]["time_us"], report["best"]["time_us"])

        # Without --fix what is measured last is stored, as always.
        self.change_best("time_us * 1e-6")
        report = self.tune_json(*self.words, "--budget", "3")
        self.assertIn(report["best"]["time_us"], [row["time_us"] for row in self.ask("show")])

    def test_the_shortest_budget(self):
        """It is for one variant, also where the default cannot be here."""
        words = (*self.words, "--fix", "EACH=2", "--budget", "0.000001s")
        self.assertEqual(self.tune_json(*words)["best"]["configuration"]["EACH"], 2)

    def change_best(self, time):
        connection = sqlite3.connect(self.db)
        with connection:
            connection.execute(f"UPDATE best SET ci_low_us = 0, ci_high_us = 1e300, time_us = {time}")
        connection.close()

    def test_another_run(self):
        """An interrupted run goes on only with the same pins."""
        words = (*self.words, "--strategy", "random", "--budget", "3")
        self.tune_json(*words, "--fix", "ORDER=near")
        connection = sqlite3.connect(self.db)
        with connection:
            connection.execute("UPDATE run SET state = 'interrupted'")
        connection.close()
        self.assertFalse(self.tune_json(*words)["resumed"])
        self.assertFalse(self.tune_json(*words, "--fix", "ORDER=far")["resumed"])
        self.assertTrue(self.tune_json(*words, "--fix", "ORDER=near")["resumed"])

    def test_mistakes(self):
        for words, says in [
            (("--fix", "BLOCK"), "NAME=VALUE"),
            (("--fix", "BLOK=16"), 'has no parameter "BLOK"; did you mean BLOCK?'),
            (("--fix", "BLOCK=17"), "BLOCK, which may be 16, 32, 64, 128"),
            (("--fix", "BLOCK=16", "--fix", "BLOCK=32"), "BLOCK is given twice"),
        ]:
            with self.subTest(words=words):
                self.refused(*self.words, *words, says=says, device=DEVICE, codes=(2,))
        self.assertFalse(self.db.exists())
        narrow = ("--config", self.words[1], "--shape", "20x1", "--quiet")
        result = self.run_command(*narrow, "--fix", "EACH=2", device=DEVICE)
        self.assertEqual(result.code, 1, result)
        self.assertRegex(result.err, r'^tune: no configuration of double fits this problem on \S+: of 8 configurations '
                                     r'of direct 8 break the constraint "EACH <= N"\n$')


class NothingFits(support.EndToEnd):
    def test_which_rule_and_how_many(self):
        """No configuration at all: each rule is told with how many it rules out."""
        path = self.plant("double")
        description = json.loads(path.read_text())
        direct, staged = description["implementations"]
        direct["constraints"] = ["EACH <= 2"]
        direct["launches"][0]["block"] = ["BLOCK * 1000000"]
        staged["launches"][0]["shared"] = "BLOCK * 1000000000"
        path.write_text(json.dumps(description))
        result = self.run_command("--config", path, "--shape", "20x30", "--quiet", device=DEVICE)
        self.assertEqual(result.code, 1, result)
        (line,) = result.err.splitlines()
        self.assertIn("tune: no configuration of double fits this problem on ", line)
        # Each is counted for the first that it breaks; in which order they are looked at is not said.
        counts = re.search(r"of 32 configurations of direct (.*?);", line)[1]
        self.assertEqual(sum(map(int, re.findall(r"(\d+) (?:break|exceed)", counts))), 32)
        self.assertIn("exceed the device's limit of block x", counts)
        self.assertIn("of 4 configurations of staged 4 exceed the device's limit of shared memory", line)
        report = self.run_command("--config", path, "--shape", "20x30", "--quiet", "--json", device=DEVICE).json
        self.assertIsNone(report["best"])


if __name__ == "__main__":
    support.main()

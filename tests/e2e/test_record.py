"""Recordings: what is measured on many problems for a model, and that it is measured once."""

import contextlib
import shutil
import sqlite3

import support
from support import DEVICE


def unpacked(model):
    """Its trees as lists of nodes: [value] for a leaf, else [feature, value, nodes on to the right one]."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    cuts = [" ".join(feature.get("cuts", [])).split() for feature in model["features"]]

    def node(text):
        bits = 0
        for digit in text:
            bits = bits << 6 | digits.index(digit)
        if bits >> 29:
            return [(-1 if bits >> 28 & 1 else 1) * (bits & 0xfffff) * 10.0 ** ((bits >> 20 & 0xff) - 22)]
        feature = bits >> 22
        return [feature, cuts[feature][bits >> 11 & 0x7ff], bits & 0x7ff]

    return [[node(tree[i:i + 5]) for i in range(0, len(tree), 5)] for tree in model["trees"]]


class Record(support.EndToEnd):
    def record(self, *words, listed="8x12\n9x12\n20x30\n", kernel="double"):
        shapes = self.home / "shapes.txt"
        shapes.write_text(listed)
        return self.run_command("record", "--config", self.plant(kernel), "--shapes", shapes, "--jobs", "2", *words,
                                device=DEVICE)

    def model_of_two_kinds(self):
        """The options for its kernel, and the file of a model of f32 and f64."""
        self.record("--quiet", listed="8x12\n9x12\n20x30\n12x40 dtype=f64\n16x16 dtype=f64\n")
        kernel, first = ("--config", self.plant("double")), self.home / "first.json"
        self.ask("model", "fit", *kernel, "-o", first, device=DEVICE)
        return kernel, first

    def test_presets_and_winners(self):
        best = self.tune_json("--config", self.plant("double"), "--shape", "16x16", "--budget", "4")["best"]
        rows = self.query("SELECT * FROM best")
        first = support.json.loads(self.record("--json", "--quiet").out)
        self.assertEqual((first["problems"], first["failures"], first["interrupted"]), (3, 0, False))
        self.assertGreaterEqual(first["trials"], 3)
        # Each configuration on each problem, as a verified trial; nothing is the best by it.
        trials = self.query("SELECT p.key, t.configuration, t.status FROM trial t JOIN problem p ON p.id = t.problem"
                            " JOIN run r ON r.id = t.run WHERE r.strategy = 'record'")
        self.assertEqual(len(trials), first["trials"])
        self.assertEqual({key for key, _, _ in trials}, {"M=8,N=12", "M=9,N=12", "M=20,N=30"})
        self.assertEqual({status for _, _, status in trials}, {"ok"})
        self.assertIn(best["configuration"], [support.json.loads(text) for _, text, _ in trials])
        self.assertEqual(self.query("SELECT * FROM best"), rows)
        # What is on record is not measured again.
        again = support.json.loads(self.record("--json", "--quiet").out)
        self.assertEqual((again["trials"], again["known"], again["problems"]), (0, first["trials"], 3))

    def test_parameters_of_the_launch(self):
        """Where the estimate likes others better, those are measured too, of the same binary, and once."""
        shape = "1x4x16x64\n"  # of the 16 cells that each thread of the presets marches there are 4
        first = support.json.loads(self.record("--json", "--quiet", kernel="stencil", listed=shape).out)
        depths = {"global": set(), "shared": set()}
        for text, in self.query("SELECT configuration FROM trial t JOIN implementation i"
                                " ON i.id = t.implementation WHERE i.name = 'marching'"):
            configuration = support.json.loads(text)
            depths[configuration["PLANE"]].add(configuration["DEPTH"])
        self.assertEqual(depths, {"global": {4, 16}, "shared": {4, 16}})
        self.assertEqual(first["compiled"], first["trials"] - 2)
        again = support.json.loads(self.record("--json", "--quiet", kernel="stencil", listed=shape).out)
        self.assertEqual(again["trials"], 0)

    def test_a_model(self):
        """From what was recorded to what an application gets, and to another database and back."""
        self.record("--quiet", listed="8x12\n9x12\n20x30\n12x16 dtype=f64\n16x16 dtype=f64\n")
        kernel = ("--config", self.plant("double"))
        file = self.home / "model.json"
        fitted = self.ask("model", "fit", *kernel, "-o", file, device=DEVICE)
        self.assertEqual((fitted["problems"], fitted["stale"]), (5, 0))
        # In all, and what it is worth for each kind of problem.
        self.assertEqual([(kind["attributes"], kind["model"]["problems"]) for kind in fitted["kinds"]],
                         [("", 3), ("dtype=f64", 2)])
        self.assertEqual(max(kind["model"]["worst"] for kind in fitted["kinds"]), fitted["model"]["worst"])
        self.assertIn("dtype=f64", self.run_command("model", "fit", *kernel, device=DEVICE).out)
        self.assertGreaterEqual(fitted["model"]["mean"], 1)
        # And how sure it is of each implementation, which is what a plan says of what it chooses.
        sure = support.json.loads(file.read_text())["uncertainties"]
        self.assertTrue(sure and all(0 < uncertainty < 10 for uncertainty in sure.values()), sure)
        self.assertEqual(fitted["doubling"], 0)  # of so few problems nothing is said
        self.assertIn("double on", self.run_command("model", "show", device=None).out)
        chosen = self.ask("explain", *kernel, "--shape", "12x12", "--cache", "cold", device=DEVICE)
        self.assertEqual(chosen["rule"], "predicted")
        self.assertGreater(chosen["predicted_us"], 0)
        self.assertAlmostEqual(chosen["uncertainty"], sure[chosen["implementation"]])
        checked = self.ask("model", "check", *kernel, device=DEVICE)
        self.assertEqual(checked["model"]["problems"], 5)
        # How the order of predictions agrees with what was measured, problem by problem.
        agreement = checked["rank_correlation"]
        for row in [agreement, *agreement["problems"]]:
            self.assertTrue(-1 <= row["model"] <= 1 and -1 <= row["estimate"] <= 1, row)
        self.assertTrue(all(row["trials"] >= 5 for row in agreement["problems"]))
        self.assertIn("rank correlation", self.run_command("model", "check", *kernel, device=DEVICE).out)
        # A search begins with what it predicts.
        report = self.tune_json(*kernel, "--shape", "12x12", "--cache", "cold", "--budget", "6")
        self.assertEqual(report["prior"]["source"], "model")
        other = self.home / "other.db"
        result = self.run_command("model", "import", "--config", self.plant("double"), file, "--db", other, device=None)
        self.assertEqual((result.code, result.out), (0, f"{other}: 1 model stored\n"), result)
        self.assertEqual(self.query("SELECT text FROM model", db=other), self.query("SELECT text FROM model"))
        # One that was installed predicts whatever database is meant; its results are no hints there.
        installed = self.home / "prefix"
        (installed / "share" / "tilewise").mkdir(parents=True)
        (installed / "bin").mkdir()
        shutil.copy(other, installed / "share" / "tilewise" / "tilewise.db")
        shutil.copy(support.TUNE, installed / "bin" / "tune")
        report = self.tune_json(*kernel, "--shape", "12x12", "--cache", "cold", "--budget", "6",
                                "--db", self.home / "empty.db", program=installed / "bin" / "tune")
        self.assertEqual(report["prior"]["source"], "model")
        # One that is broken is told of, and nothing of the command line is stored.
        broken = self.home / "broken.json"
        broken.write_text(file.read_text().replace('"version": 5', '"version": 7'))
        result = self.run_command("model", "import", "--config", self.plant("double"), file, broken, "--db", self.home / "third.db", device=None)
        self.assertEqual(result.code, 2)
        self.assertIn("this program reads versions up to 5", result.err)
        self.assertEqual(self.query("SELECT * FROM model", db=self.home / "third.db"), [])

    def test_a_model_is_forgotten(self):
        """By its device and cache policy, or all of a kernel's; what it was fitted to stays."""
        self.record("--quiet", listed="8x12\n9x12\n20x30\n")
        kernel, file = ("--config", self.plant("double")), self.home / "model.json"
        self.ask("model", "fit", *kernel, "-o", file, device=DEVICE)
        (name, fingerprint), = self.query("SELECT name, fingerprint FROM device")
        trials = self.query("SELECT count(*) FROM trial")

        def forget(*words, code=0, device=None):
            result = self.run_command("model", "forget", *words, device=device)
            self.assertEqual(result.code, code, result)
            return result.out if code == 0 else result.err

        for words, device in ((("double", "--cache", "warm"), None), (("double",), "another"), (("gemm",), None)):
            self.assertIn("tune model show lists what there is", forget(*words, code=2, device=device))
        self.assertIn("of which kernel?", forget(code=2))
        self.assertEqual(self.query("SELECT count(*) FROM model"), [(1,)])
        for device in (name, fingerprint, DEVICE, None):
            self.assertEqual(forget("double", device=device),
                             f"{self.db}: forgot 1 model of double; trials and best rows stay\n")
            self.assertEqual(self.query("SELECT count(*) FROM model"), [(0,)])
            result = self.run_command("model", "import", *kernel, file, device=None)
            self.assertEqual(result.code, 0, result)
        self.assertEqual(self.query("SELECT count(*) FROM trial"), trials)

    def test_a_model_of_a_kernel_that_nobody_knows(self):
        """Is not stored: the database could not be checked, nor come back from an export."""
        self.record("--quiet", listed="8x12\n9x12\n20x30\n")
        file = self.home / "model.json"
        self.ask("model", "fit", "--config", self.plant("double"), "-o", file, device=DEVICE)
        result = self.run_command("model", "import", file, "--db", self.home / "other.db", device=None)
        self.assertEqual(result.code, 2, result)
        self.assertIn("model.json: key kernel: no kernel of that name is known", result.err)
        self.assertEqual(self.query("SELECT * FROM model", db=self.home / "other.db"), [])

    def test_too_few_problems(self):
        """One says nothing of any other; nothing is stored then."""
        self.record("--quiet", listed="8x12\n")
        result = self.run_command("model", "fit", "--config", self.plant("double"), device=DEVICE)
        self.assertEqual(result.code, 2, result)
        self.assertIn("there are trials of 1 problem of double, too few", result.err)
        self.assertEqual(self.query("SELECT * FROM model"), [])
        self.record("--quiet", listed="9x12\n20x30\n24x30\n")
        said = self.run_command("model", "fit", "--config", self.plant("double"), device=DEVICE).out
        self.assertRegex(said, "of [1-4] problems? that it has not seen, which are few: this says little")

    def test_what_is_predicted_to_take_least(self):
        """Of each problem so many, by a model, or by the estimate where there is none."""
        kernel = ("--config", self.plant("double"))
        self.tune_json(*kernel, "--shape", "16x16", "--budget", "8", "--strategy", "random")
        few = support.json.loads(self.record("--quiet", "--json", "--trials", "2", listed="40x30\n48x30\n").out)
        self.assertEqual((few["trials"], few["by_model"], few["failures"]), (4, 0, 0))
        # Estimates say little of one implementation beside another: each has its turn.
        names = self.query("SELECT p.key, i.name FROM trial t JOIN problem p ON p.id = t.problem"
                           " JOIN implementation i ON i.id = t.implementation WHERE p.key <> 'M=16,N=16'")
        self.assertEqual(len(set(names)), 4)
        self.assertGreater(few["beyond"], 0)
        # What is on record takes its place: there is nothing more to measure.
        again = support.json.loads(self.record("--quiet", "--json", "--trials", "2", listed="40x30\n48x30\n").out)
        self.assertEqual((again["trials"], again["known"], again["beyond"]), (0, 4, few["beyond"]))
        # What came near the best of another problem is chosen from, though it won nowhere and is no preset.
        all_of_it = support.json.loads(self.record("--quiet", "--json", "--db", self.home / "empty.db").out)
        self.assertGreaterEqual(few["configurations"], all_of_it["configurations"])
        # A model that says that wide blocks take many times as long.
        file = self.home / "model.json"
        self.ask("model", "fit", *kernel, "-o", file, device=DEVICE)
        model = support.json.loads(file.read_text())
        block = [feature["name"] for feature in model["features"]].index("parameter.BLOCK")
        model["trees"] = [[[block, 48, 2], [-2], [2]]]
        for feature in model["features"]:
            feature.pop("cuts", None)
        file.write_text(support.json.dumps(model))
        self.assertEqual(self.run_command("model", "import", "--config", self.plant("double"), file, device=None).code, 0)
        by_model = self.record("--quiet", "--trials", "1", listed="50x30\n")
        self.assertIn("by\n                  a model on 1 problems, else by the estimate", by_model.out)
        narrow = [support.json.loads(text)["BLOCK"] for text, in self.query(
            "SELECT configuration FROM trial t JOIN problem p ON p.id = t.problem WHERE p.key = 'M=50,N=30'")]
        self.assertEqual(len(narrow), 1)
        self.assertLess(narrow[0], 48)
        # What it knows nothing of has its turn beside what it knows, all of which has one together.
        known = model["configurations"][0]["implementation"]
        model["configurations"] = [of for of in model["configurations"] if of["implementation"] == known]
        file.write_text(support.json.dumps(model))
        self.assertEqual(self.run_command("model", "import", "--config", self.plant("double"), file, device=None).code, 0)
        self.record("--quiet", "--trials", "2", listed="52x30\n")
        names = [name for name, in self.query("SELECT i.name FROM trial t JOIN problem p ON p.id = t.problem"
                                              " JOIN implementation i ON i.id = t.implementation WHERE p.key = 'M=52,N=30'")]
        self.assertEqual((len(names), len(set(names)), names.count(known)), (2, 2, 1))

    def test_what_a_model_chooses_from(self):
        """Is measured too, though it won nowhere and is no preset."""
        self.record("--quiet")
        file, other = self.home / "model.json", self.home / "other.db"
        self.ask("model", "fit", "--config", self.plant("double"), "-o", file, device=DEVICE)
        model = support.json.loads(file.read_text())
        added = support.json.loads(model["configurations"][0]["configuration"])
        known = {text for text, in self.query("SELECT configuration FROM trial")}
        added["BLOCK"] = next(size for size in (16, 32, 64, 128)
                              if support.json.dumps({**added, "BLOCK": size}, separators=(",", ":")) not in known)
        model["configurations"][0]["configuration"] = support.json.dumps(added, separators=(",", ":"))
        file.write_text(support.json.dumps(model))
        self.assertEqual(self.run_command("model", "import", "--config", self.plant("double"), file, "--db", other, device=None).code, 0)
        self.record("--quiet", "--db", other, listed="10x14\n")
        tried = [support.json.loads(text) for text, in self.query("SELECT configuration FROM trial", db=other)]
        self.assertIn(added, tried)

    def test_a_model_that_goes_on(self):
        """From one of few problems, whose trials are not there any more."""
        self.record("--quiet", listed="8x12\n9x12\n20x30\n")
        kernel = ("--config", self.plant("double"))
        first, second = self.home / "first.json", self.home / "second.json"
        self.ask("model", "fit", *kernel, "-o", first, device=DEVICE)
        # What it says of doublings folds of what it has seen do not take back.
        said = support.json.loads(first.read_text())
        first.write_text(support.json.dumps({**said, "doubling": 9.5, "uncertainties": {"staged": 0.375}}))
        other = self.home / "other.db"
        self.record("--quiet", "--db", other, listed="64x12\n12x40 dtype=f64\n16x16 dtype=f64\n")
        with contextlib.closing(sqlite3.connect(other)) as database:
            database.execute("DELETE FROM trial WHERE implementation IN"
                             " (SELECT id FROM implementation WHERE name = 'staged')")
            database.commit()
        fitted = self.ask("model", "fit", *kernel, "--db", other, "--from", first, "-o", second, device=DEVICE)
        # Of so few problems a fold may know no configuration of the one that it leaves out.
        self.assertEqual(fitted["problems"], 3)
        self.assertIn(fitted["model"]["problems"], (1, 2, 3))
        before, after = (support.json.loads(file.read_text()) for file in (first, second))
        count = len(before["trees"])
        self.assertEqual(unpacked(after)[:count], unpacked(before))
        self.assertGreater(len(after["trees"]), count)
        self.assertEqual([(f["name"], f.get("words")) for f in after["features"]][:len(before["features"])],
                         [(f["name"], f.get("words")) for f in before["features"]])
        self.assertEqual((before["doubling"], after["doubling"], fitted["doubling"]), (9.5, 9.5, 9.5))
        # How sure it is of an implementation without new trials is what it was.
        self.assertEqual(after["uncertainties"]["staged"], 0.375)
        self.assertIn("direct", after["uncertainties"])
        self.assertEqual((before["attributes"], after["attributes"]), ([""], ["", ";dtype=f64"]))
        self.assertEqual((after["problems"], after["trials"]), (6, before["trials"] + fitted["trials"]))
        # What it chose from before it still does, for the same problems, and in f64 what was recorded.
        known = {(c["implementation"], c["configuration"]): c["kinds"] for c in after["configurations"]}
        for configuration in before["configurations"]:
            self.assertIn(0, known[configuration["implementation"], configuration["configuration"]])
        self.assertIn(1, [kind for kinds in known.values() for kind in kinds])
        said = self.run_command("model", "fit", *kernel, "--db", other, "--from", first, device=DEVICE).out
        self.assertIn("model before", said)
        chosen = self.ask("explain", *kernel, "--shape", "12x12", "--db", other, "--cache", "cold", device=DEVICE)
        self.assertEqual(chosen["rule"], "predicted")
        # A kind without new trials is held to what was said of it, and counts for nothing.
        only = self.home / "only.db"
        self.record("--quiet", "--db", only, listed="12x40 dtype=f64\n16x16 dtype=f64\n64x64 dtype=f64\n")
        held = self.ask("model", "fit", *kernel, "--db", only, "--from", first, device=DEVICE)
        self.assertEqual((held["problems"], held["model"]["problems"]), (3, 3))
        self.assertEqual([kind["model"]["problems"] for kind in held["kinds"]], [0, 3])
        said = self.ask("explain", *kernel, "--shape", "9x12", "--db", only, "--cache", "cold", device=DEVICE)
        self.run_command("model", "import", "--config", self.plant("double"), first, "--db", self.home / "first.db", device=None)
        before = self.ask("explain", *kernel, "--shape", "9x12", "--db", self.home / "first.db", "--cache", "cold",
                          device=DEVICE)
        self.assertLess(abs(said["predicted_us"] / before["predicted_us"] - 1), 0.5)
        # Another kernel's, another policy's, none at all.
        for words, says in ((("transpose", "--db", other, "--from", first), "is a model of double on"),
                            ((*kernel, "--db", other, "--from", first, "--cache", "warm"), "is a model of double on"),
                            ((*kernel, "--db", other, "--from", self.home / "none.json"), "none.json")):
            result = self.run_command("model", "fit", *words, device=DEVICE)
            self.assertEqual(result.code, 2, result)
            self.assertIn(says, result.err)

    def reference_after(self, first, file, problem, time_us, code=None):
        """Of a configuration that the earlier model knows from there: where it knows it from after it went on."""
        model = support.json.loads(first.read_text())
        known = model["configurations"][0]
        known.update({"problem": problem, "time_us": time_us, **({"code": code} if code else {})})
        file.write_text(support.json.dumps(model))
        after = self.home / "after.json"
        self.ask("model", "fit", "--config", self.plant("double"), "--db", self.home / "other.db", "--from", file, "-o", after,
                 device=DEVICE)
        (found,) = [of for of in support.json.loads(after.read_text())["configurations"]
                    if (of["implementation"], of["configuration"]) == (known["implementation"], known["configuration"])]
        return found["problem"], found["time_us"]

    def test_where_what_is_known_was_good(self):
        """Small problems that were recorded since take nothing back of large ones."""
        self.record("--quiet", listed="8x12\n")
        other, first, file = self.home / "other.db", self.home / "first.json", self.home / "changed.json"
        shutil.copy(self.db, other)
        self.more_problems(self.db, range(100, 108))
        self.more_problems(other, range(200, 224))
        self.ask("model", "fit", "--config", self.plant("double"), "-o", first, device=DEVICE)
        known = support.json.loads(first.read_text())["configurations"][0]["configuration"]
        self.set_times(other, known)
        self.assertEqual(self.reference_after(first, file, "M=104,N=12", 5000), ("M=104,N=12", 5000))
        problem, time_us = self.reference_after(first, file, "M=104,N=12", 5)
        self.assertEqual(time_us, 10)
        self.assertIn(problem, [f"M={width},N=12" for width in range(200, 224)])
        # It is not known of the code of today.
        problem, time_us = self.reference_after(first, file, "M=104,N=12", 5000, code="f" * 32)
        self.assertEqual(time_us, 10)

    def test_trees_say_nothing_of_what_is_far(self):
        """From all that was recorded since, where the model knew problems: it goes on to say what it said."""
        self.record("--quiet", listed="8x12\n")
        other, first, second = self.home / "other.db", self.home / "first.json", self.home / "second.json"
        shutil.copy(self.db, other)
        self.more_problems(self.db, [*range(100, 112), *range(20000, 20012)])
        self.more_problems(other, range(150, 162))
        (fastest,), *_ = self.query("SELECT DISTINCT configuration FROM trial", db=other)
        self.set_times(self.db, fastest)
        self.set_times(other, fastest, slower=20)
        kernel = ("--config", self.plant("double"))
        self.ask("model", "fit", *kernel, "-o", first, device=DEVICE)
        self.ask("model", "fit", *kernel, "--db", other, "--from", first, "-o", second, device=DEVICE)

        def predicted(file, shape):
            path = self.home / f"{file.stem}.db"
            self.run_command("model", "import", *kernel, file, "--db", path, device=None)
            return self.ask("explain", *kernel, "--shape", shape, "--db", path, "--cache", "cold", device=DEVICE)["predicted_us"]

        self.assertGreater(predicted(second, "160x12") / predicted(first, "160x12"), 5)
        self.assertLess(predicted(second, "20006x12") / predicted(first, "20006x12"), 1.5)

    def more_problems(self, path, widths):
        """These in place of those on record, each with the trials of the first."""
        with contextlib.closing(sqlite3.connect(path)) as database:
            (first,), = database.execute("SELECT min(problem) FROM trial").fetchall()
            columns = ", ".join(name for _, name, *_ in database.execute("PRAGMA table_info(trial)")
                                if name not in ("id", "problem"))
            for width in widths:
                added = database.execute("INSERT INTO problem (kernel, key, text)"
                                         " SELECT kernel, ?, NULL FROM problem WHERE id = ?",
                                         (f"M={width},N=12", first)).lastrowid
                database.execute(f"INSERT INTO trial (problem, {columns}) SELECT ?, {columns} FROM trial"
                                 " WHERE problem = ?", (added, first))
            database.execute("DELETE FROM trial WHERE problem IN (SELECT id FROM problem WHERE text IS NOT NULL)")
            database.commit()

    def set_times(self, path, fastest, slower=1):
        """One configuration takes a tenth of what all others take; None: all take as long."""
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("UPDATE trial SET ci_low_us = NULL, ci_high_us = NULL,"
                             " time_us = ? * CASE WHEN configuration = ? THEN 10 ELSE 100 END", (slower, fastest))
            database.commit()

    def test_trees_that_say_no_more(self):
        """Are not added, where there are problems enough to say so; what is new is chosen from all the same."""
        self.record("--quiet", listed="8x12\n")
        other = self.home / "other.db"
        shutil.copy(self.db, other)
        self.more_problems(self.db, range(100, 124))
        self.more_problems(other, range(200, 224))
        one, another = [text for text, in self.query("SELECT DISTINCT configuration FROM trial", db=other)][:2]
        kernel, first, second = ("--config", self.plant("double")), self.home / "first.json", self.home / "second.json"
        self.set_times(self.db, one)
        self.assertNotIn("trees_added", self.ask("model", "fit", *kernel, "-o", first, device=DEVICE))
        before = support.json.loads(first.read_text())
        fit = ("model", "fit", *kernel, "--db", other, "--from", first)
        # Whatever is chosen takes as long.
        self.set_times(other, None)
        fitted = self.ask(*fit, "-o", second, device=DEVICE)
        self.assertEqual((fitted["problems"], fitted["trees_added"]), (24, False))
        self.assertEqual(fitted["model"], fitted["before"])
        self.assertEqual(fitted["with_trees"]["mean"], 1)
        self.assertEqual(fitted["over_before"], {"problems": 24, "time": 1, "error": 0})
        after = support.json.loads(second.read_text())
        self.assertEqual((unpacked(after), after["base"]), (unpacked(before), before["base"]))
        self.assertLess(set(before["places"]), set(after["places"]))
        said = self.run_command(*fit, device=DEVICE).out
        self.assertIn("with more trees", said)
        self.assertIn("in all          1.000 of the time", said)
        # Another is the fastest now, and only trees can say so.
        self.set_times(other, another)
        fitted = self.ask(*fit, "-o", second, device=DEVICE)
        self.assertTrue(fitted["trees_added"])
        self.assertNotIn("with_trees", fitted)
        self.assertGreater(fitted["before"]["mean"], 9)
        self.assertLess(fitted["over_before"]["time"], 0.2)
        self.assertLess(fitted["model"]["mean"], 2)
        self.assertGreater(len(support.json.loads(second.read_text())["trees"]), len(before["trees"]))

    def test_kinds_that_are_fitted_anew(self):
        """From their own trials alone; of the others an earlier model goes on to say what it says."""
        kernel, first = self.model_of_two_kinds()
        second, other = self.home / "second.json", self.home / "other.db"
        self.record("--quiet", "--db", other, listed="20x20 dtype=f64\n24x30 dtype=f64\n64x64 dtype=f64\n")
        anew = ("model", "fit", *kernel, "--db", other, "--from", first, "--anew")
        fitted = self.ask(*anew, "-o", second, device=DEVICE)
        self.assertEqual(fitted["problems"], 3)
        before, after = (support.json.loads(file.read_text()) for file in (first, second))
        self.assertEqual((before["attributes"], after["attributes"]), (["", ";dtype=f64"], ["", ";dtype=f64"]))
        self.assertNotIn("forests", before)
        kept, grown = after["forests"]
        self.assertEqual((kept["kinds"], kept["trees"], grown["kinds"]), ([0], len(before["trees"]), [1]))
        self.assertEqual(len(after["trees"]), kept["trees"] + grown["trees"])
        self.assertEqual(unpacked(after)[:kept["trees"]], unpacked(before))
        # Where what it chooses from was good: on problems of f32 as before, of f64 on those on record now.
        places = {kind: sorted(place[2:] for place in model["places"] if place[0] == str(kind))
                  for model, kind in ((before, 0), (after, 1))}
        self.assertEqual(sorted(after["places"]), sorted(f"{k} {place}" for k in (0, 1) for place in places[k]))
        self.assertTrue(set(places[1]) <= {"20 20", "24 30", "64 64"}, places)
        for configuration in after["configurations"]:
            of = {int(after["places"][place][0]) for place in configuration.get("near", [])}
            self.assertTrue(of <= set(configuration["kinds"]), configuration)
        # What it says of f32 is what it said.
        self.assertEqual((kept["base"], kept["doubling"]), (before["base"], before["doubling"]))
        self.assertEqual(grown["doubling"], fitted["doubling"])
        said = self.ask("explain", *kernel, "--shape", "30x12", "--db", other, "--cache", "cold", device=DEVICE)
        self.assertEqual(said["rule"], "predicted")
        self.assertIn("estimate alone", self.run_command(*anew, device=DEVICE).out)
        result = self.run_command("model", "fit", *kernel, "--db", other, "--anew", device=DEVICE)
        self.assertEqual(result.code, 2, result)
        self.assertIn("name it with --from FILE", result.err)
        # And once more, from a model that has several forests.
        again = self.home / "again.json"
        self.ask("model", "fit", *kernel, "--db", other, "--from", second, "--anew", "-o", again, device=DEVICE)
        self.assertEqual(support.json.loads(again.read_text())["trees"], after["trees"])
        # Or with more trees on what that leaves of other problems' trials, and f32 is what it was.
        third, more = self.home / "third.json", self.home / "more.db"
        self.record("--quiet", "--db", more, listed="18x20 dtype=f64\n28x30 dtype=f64\n60x66 dtype=f64\n")
        goes_on = ("model", "fit", *kernel, "--db", more, "--from", second)
        self.assertEqual(self.ask(*goes_on, "-o", third, device=DEVICE)["problems"], 3)
        last = support.json.loads(third.read_text())
        of_floats, of_doubles = last["forests"]
        self.assertEqual(of_floats, kept)
        self.assertEqual(of_doubles["kinds"], [1])
        self.assertGreater(of_doubles["trees"], grown["trees"])
        count = kept["trees"] + grown["trees"]
        self.assertEqual(unpacked(last)[:count], unpacked(after))
        self.assertEqual(len(last["trees"]), kept["trees"] + of_doubles["trees"])
        self.assertLess(set(after["places"]), set(last["places"]))
        self.assertIn("model before", self.run_command(*goes_on, device=DEVICE).out)
        # Where another forest says how configurations are to each other, it learns as much.
        beside = {"kinds": [1], "base": 0.5, "beside": True, "trees": 0}
        second.write_text(support.json.dumps({**after, "forests": [kept, grown, beside]}))
        self.ask(*goes_on, "-o", third, device=DEVICE)
        first_one, one, other_one = support.json.loads(third.read_text())["forests"]
        self.assertEqual((first_one, one["kinds"], one["trees"]), (kept, [1], of_doubles["trees"]))
        self.assertEqual((other_one["kinds"], other_one["trees"]), ([1], one["trees"] - grown["trees"]))
        self.assertAlmostEqual(other_one["base"] - 0.5, one["base"] - grown["base"], places=6)

    def test_kinds_that_are_left(self):
        """Trees learn of their trials, but it is the earlier model that goes on to speak of them."""
        kernel, first = self.model_of_two_kinds()
        second, other = self.home / "second.json", self.home / "other.db"
        self.record("--quiet", "--db", other, listed="20x20 dtype=f64\n24x30 dtype=f64\n33x17 dtype=f64\n"
                    "50x30 dtype=f64\n48x20\n64x64\n")
        anew = ("model", "fit", *kernel, "--db", other, "--from", first, "--anew")
        fitted = self.ask(*anew, "--leave", "defaults", "-o", second, device=DEVICE)
        self.assertEqual(fitted["problems"], 6)
        judged = {kind["attributes"]: kind["model"]["problems"] for kind in fitted["kinds"]}
        self.assertEqual(judged[""], 0)
        self.assertGreater(judged["dtype=f64"], 0)
        before, after = (support.json.loads(file.read_text()) for file in (first, second))
        kept, grown = after["forests"]
        self.assertEqual((kept["kinds"], kept["trees"], grown["kinds"]), ([0], len(before["trees"]), [1]))
        self.assertEqual(unpacked(after)[:kept["trees"]], unpacked(before))
        # Of problems of f32 only those of before say where what it chooses from was good.
        of_floats = [{place for place in model["places"] if place[0] == "0"} for model in (before, after)]
        self.assertEqual(of_floats[0], of_floats[1])
        # Trees learnt of f32's trials: without them there are fewer.
        alone = self.home / "alone.db"
        self.record("--quiet", "--db", alone, listed="20x20 dtype=f64\n24x30 dtype=f64\n33x17 dtype=f64\n"
                    "50x30 dtype=f64\n")
        self.assertGreater(fitted["trials"], self.ask("model", "fit", *kernel, "--db", alone, device=DEVICE)["trials"])
        for words, says in ((("--leave", "dtype=f23"), "no kind of problems"), (("--leave", "defaults"), "--anew"),
                            (("--leave", "defaults", "--leave", "dtype=f64"), "nothing would be fitted")):
            result = self.run_command(*(anew[:-1] if says == "--anew" else anew), *words, device=DEVICE)
            self.assertEqual(result.code, 2, result)
            self.assertIn(says, result.err)

    def test_a_device_that_is_not_here(self):
        """A model is fitted to what a database has of it."""
        self.record("--quiet", listed="8x12\n9x12\n20x30\n")
        kernel = ("--config", self.plant("double"))
        here, there = self.home / "here.json", self.home / "there.json"
        fitted = self.ask("model", "fit", *kernel, "-o", here, device=DEVICE)
        (name, fingerprint), = self.query("SELECT name, fingerprint FROM device")
        for words in (name, fingerprint):
            again = self.ask("model", "fit", *kernel, "-o", there, device=words)
            self.assertEqual((again["problems"], again["trials"]), (fitted["problems"], fitted["trials"]))
            self.assertEqual(support.json.loads(there.read_text())["device"], fingerprint)
            self.ask("model", "check", *kernel, device=words)
        database = support.sqlite3.connect(self.db)
        database.execute("INSERT INTO device SELECT id + 100, fingerprint || '2', backend, name, vendor, architecture,"
                         " compute_units, memory_bytes, '{}' FROM device")
        database.commit()
        database.close()
        for words, says in ((name, "2 devices of that name"), (fingerprint + "2", "too little is on record"),
                            ("another", "has no trials of one of that name either")):
            result = self.run_command("model", "fit", *kernel, device=words)
            self.assertEqual(result.code, 2, result)
            self.assertIn(says, result.err)

    def test_what_a_model_finds_unlikely(self):
        """It is left out of later recordings, but for what the model has never seen."""
        self.record("--quiet", listed="8x12\n9x12\n20x30\n")
        kernel = ("--config", self.plant("double"))
        file = self.home / "model.json"
        self.ask("model", "fit", *kernel, "-o", file, device=DEVICE)
        model = support.json.loads(file.read_text())
        place, of = next((i, f["words"]) for i, f in enumerate(model["features"])
                         if f["name"] == "implementation")
        # A tree that says so of all but the first implementation, and knows all that was recorded.
        model["trees"] = [[[place, 0.5, 2], [0], [9]]]
        recorded = self.query("SELECT DISTINCT i.name, t.configuration FROM trial t"
                              " JOIN implementation i ON i.id = t.implementation")
        slow = [entry for entry in recorded if entry[0] != of[0]]
        self.assertGreaterEqual(len(slow), 1)
        self.assertGreaterEqual(len(recorded) - len(slow), 1)
        model["configurations"] = [dict(model["configurations"][0], implementation=name, configuration=text)
                                   for name, text in recorded]

        def record_with(db):
            file.write_text(support.json.dumps(model))
            self.assertEqual(self.run_command("model", "import", "--config", self.plant("double"), file, "--db", db, device=None).code, 0)
            result = support.json.loads(self.record("--json", "--quiet", "--db", db, listed="12x12\n").out)
            trials = self.query("SELECT i.name, t.configuration FROM trial t"
                                " JOIN implementation i ON i.id = t.implementation", db=db)
            self.assertEqual(len(trials), result["trials"])
            return result["unlikely"], trials

        unlikely, trials = record_with(self.home / "all.db")
        self.assertEqual(unlikely, len(slow))
        self.assertGreaterEqual(len(trials), 1)
        self.assertEqual({name for name, _ in trials}, {of[0]})
        # One that it does not know is measured, whatever its tree says.
        model["configurations"] = [c for c in model["configurations"]
                                   if (c["implementation"], c["configuration"]) != slow[0]]
        unlikely, trials = record_with(self.home / "one-less.db")
        self.assertEqual(unlikely, len(slow) - 1)
        self.assertIn(slow[0], trials)

    def test_mistakes(self):
        result = self.run_command("record", "transpose")
        self.assertEqual(result.code, 2)
        self.assertIn("give --shapes FILE", result.err)
        result = self.record("--budget", "50")
        self.assertEqual(result.code, 2)
        self.assertIn("is a time", result.err)
        result = self.run_command("model", "fit")
        self.assertEqual(result.code, 2)
        self.assertIn("of which kernel?", result.err)


if __name__ == "__main__":
    support.main()

"""tune db: what is tuned here can be taken elsewhere, whole, and nothing harmful comes in."""

import json
import shutil
import sqlite3

import support
from support import DEVICE


class Exchange(support.EndToEnd):
    """Two small databases of one device, that have a problem in common."""

    def setUp(self):
        super().setUp()
        self.one, self.other = self.home / "one.db", self.home / "other.db"
        self.make_once(self.tune_both, self.one, self.other)

    def tune_both(self):
        for database, seed, shapes in [(self.one, 1, ("50x40", "40x50")), (self.other, 2, ("50x40", "9x9"))]:
            words = [word for shape in shapes for word in ("--shape", shape)]
            self.tune("copy", *words, "--cache", "warm", "--budget", "3", "--strategy", "random",
                      "--seed", str(seed), "--quiet", "--db", database)

    def db_command(self, *words, code=0):
        result = self.run_command("db", *words)
        self.assertEqual(result.code, code, result)
        self.assertEqual(result.err, "")
        return result.out

    def test_there_and_back(self):
        text = self.db_command("export", "--db", self.one)
        self.assertEqual(text, self.db_command("export", "--db", self.one, "copy"))
        document = json.loads(text)
        self.assertEqual(len(document["best"]), 2)
        row = document["best"][0]
        for key in ("configuration", "time_us", "ci_low_us", "ci_high_us", "max_rel_error", "ties",
                    "presets_us", "cache", "measured_at", "template_hash"):
            self.assertIn(key, row)
        for key in ("driver", "compiler", "tilewise", "seed", "uid"):
            self.assertIn(key, row["run"])
        self.assertNotIn("owner", text)

        out = self.home / "out.json"
        for option in ("-o", "--output"):
            self.assertEqual(self.db_command("export", "--db", self.one, option, out), "")
            self.assertEqual(out.read_text(), text)
        elsewhere = self.home / "elsewhere.db"
        self.assertIn("2 new", self.db_command("import", out, "--db", elsewhere))
        self.assertIn("0 new", self.db_command("import", out, "--db", elsewhere))
        self.assertEqual(self.db_command("export", "--db", elsewhere), text)
        self.assertIn("nothing wrong", self.db_command("check", "--db", elsewhere))
        self.assert_sound(elsewhere)
        # And it is used.
        result = self.run_command("apply", "copy", "--shape", "50x40", "--cache", "warm",
                                  "--db", elsewhere, device=DEVICE)
        self.assertEqual(result.code, 0, result)
        self.assertIn("tuned for this problem", result.out + result.err)

    def test_merging_in_any_order(self):
        a, b = self.home / "a.db", self.home / "b.db"
        self.assertIn("3 new", self.db_command("merge", self.one, self.other, "--db", a))
        self.assertIn("new", self.db_command("merge", self.other, self.one, "--db", b))
        text = self.db_command("export", "--db", a)
        self.assertEqual(len(json.loads(text)["best"]), 3)
        self.assertEqual(self.db_command("export", "--db", b), text)
        self.db_command("merge", self.other, "--db", self.one)
        self.assertEqual(self.db_command("export", "--db", self.one), text)
        self.assertIn("0 new, 0 better", self.db_command("merge", a, b, self.one, "--db", self.one))
        self.assert_sound(self.one)
        # A tune that was killed as it began has left an empty file: nothing to take, and nothing wrong.
        empty = self.home / "empty.db"
        empty.touch()
        result = self.run_command("db", "merge", empty, self.one, "--db", a)
        self.assertEqual(result.code, 0, result)
        self.assertIn("0 new, 0 better", result.out)
        self.assertIn("empty.db: is empty", result.err)
        self.assertEqual(empty.stat().st_size, 0)
        listed = self.db_command("list", "--db", self.one)
        self.assertIn("3 problems, 3 best rows", listed)
        # A run that was merged has no trials here, and is not the latest of them.
        self.assertGreater(len(self.ask("trials", "--db", self.one)["trials"]), 0)

    def test_what_is_refused_leaves_everything_as_it_was(self):
        good, bad = self.home / "good.json", self.home / "bad.json"
        self.db_command("export", "--db", self.other, "-o", good)
        text = good.read_text()
        before = self.db_command("export", "--db", self.one)
        document = json.loads(text)
        name = next(iter(document["best"][1]["configuration"]))
        for says, spoil in [
            ("bad.json:2:", lambda t: t.replace("{\n", "{\n?", 2)),
            ("newer", lambda t: t.replace('"version": 2', '"version": 99')),
            ("kernel", lambda t: t.replace('"copy"', '"c\\u001bpy"')),
            ("EVIL", lambda t: t.replace(f'"{name}":', '"EVIL":', 1)),
            ("bad.json", lambda t: t[: len(t) // 2]),
        ]:
            with self.subTest(says):
                bad.write_text(spoil(text))
                self.refused("db", "import", good, bad, "--db", self.one, says=["bad.json", says])
                self.refused("db", "import", bad, "--db", self.home / "none.db", says="bad.json")
                self.assertFalse((self.home / "none.db").exists())
        self.refused("db", "merge", self.other, self.home / "absent.db", "--db", self.one, says="absent.db")
        self.refused("db", "merge", self.other, good, "--db", self.one, says="good.json")
        self.assertEqual(self.db_command("export", "--db", self.one), before)

    def test_usage(self):
        for words in [("db", "exprot"), ("db", "merge"), ("db", "import"), ("db", "check", "x"),
                      ("db", "list", "--seed", "1"), ("db", "export", "nothing", "--db", self.one)]:
            with self.subTest(words):
                self.refused(*words, codes=(2,))
        self.refused("db", "export", "--db", self.one, "-o", self.home / "no/where.json", says="where.json")
        for verb in ("list", "check", "export", "prune"):
            self.refused("db", verb, "--db", self.home / "absent.db", says="absent.db", codes=(2,))
        self.assertFalse((self.home / "absent.db").exists())
        self.assertIn("tune db merge", self.db_command("--help"))

    def test_a_hostile_database(self):
        hostile = self.home / "hostile.db"
        escape = "x\x1b]0;owned\x07\n\x1b[2Jy"
        for sql, values in [
            ("UPDATE device SET name = ?", (escape,)),
            ("UPDATE problem SET kernel = ?", (escape,)),
            ("UPDATE best SET configuration = ?", ('{"A": "' + "z" * 5_000_000 + '"}',)),
            ("UPDATE best SET time_us = ?", (b"\0\xff",)),
            ("UPDATE best SET tie_set = ?", ("[" * 100_000,)),
            ("CREATE TRIGGER evil AFTER INSERT ON best BEGIN DELETE FROM trial; END", ()),
            ('CREATE VIEW "x\x1b[31m" AS SELECT 1', ()),
        ]:
            with self.subTest(sql):
                shutil.copy(self.one, hostile)
                connection = sqlite3.connect(hostile)
                connection.execute("PRAGMA ignore_check_constraints = 1")
                connection.execute(sql, values)
                connection.commit()
                connection.close()
                result = self.run_command("db", "check", "--db", hostile)
                self.assertEqual(result.code, 1, result.err)
                self.assertTrue((result.out + result.err).replace("\n", "").isprintable())
                self.assertLess(len(result.out), 10_000)
                for verb in ("list", "export", "prune"):
                    result = self.run_command("db", verb, "--db", hostile)
                    self.assertIn(result.code, (0, 1, 2), result.err)
                    self.assertTrue((result.out + result.err).replace("\n", "").isprintable())
                self.run_command("show", "--db", hostile)

    def test_pruning_after_a_template_changed(self):
        connection = sqlite3.connect(self.one)
        connection.execute("UPDATE implementation SET template_hash = 'before'")
        connection.execute("UPDATE trial SET source = 'before'")
        connection.execute("UPDATE best SET source = 'before'")
        connection.commit()
        connection.close()
        self.assertIn("note: copy", self.db_command("check", "--db", self.one))
        trials = self.query("SELECT count(*) FROM trial", db=self.one)[0][0]
        self.assertIn(f"dropped {trials} trials", self.db_command("prune", "--db", self.one))
        # The hints stay, for there is nothing better.
        self.assertEqual(self.query("SELECT count(*) FROM best", db=self.one), [(2,)])
        self.assertIn("dropped 0 trials", self.db_command("prune", "--db", self.one))
        self.assert_sound(self.one)


if __name__ == "__main__":
    support.main()

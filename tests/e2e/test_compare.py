"""Sets of results measured again together: which side has what, what is told, and who is left out."""

import shutil

import support

NAIVE = '{"BLOCK":16,"EACH":1,"ORDER":"near"}'


class Compare(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.config = ("--config", self.plant("double"), "--cache", "warm")

    def store(self, path, shape, block, *words):
        """A best row whose configuration nobody's noise decides."""
        self.tune_json(*self.config, "--shape", shape, "--fix", f"BLOCK={block}", "--fix", "EACH=1", "--fix", "ORDER=near",
                       "--budget", "2", "--db", path, *words)

    def compare(self, *words, code=0):
        result = self.run_command("compare", *words, *self.config, "--rounds", "7", "--quiet", "--json", device=support.DEVICE)
        self.assertEqual((result.code, result.err), (code, ""), result)
        return result.json

    def assert_consistent(self, answer):
        """What is said of the times is what they are."""
        for problem in answer["problems"]:
            measured = {s["side"]: s for s in problem["sides"] if s["measured"]}
            if not measured:
                continue
            best = min(measured.values(), key=lambda s: s["time_us"])
            self.assertEqual(measured[problem["best"]]["time_us"], best["time_us"])
            for side in measured.values():
                self.assertLessEqual(side["ci_low_us"], side["time_us"])
                self.assertGreaterEqual(side["ci_high_us"], side["time_us"])
                ratio = side["over_best"]
                self.assertTrue(ratio["low"] <= ratio["ratio"] <= ratio["high"], side)
                self.assertGreaterEqual(ratio["confidence"], 0.95)
            self.assertEqual(measured[problem["best"]]["over_best"]["ratio"], 1)
            self.assertGreaterEqual(problem["within_3_percent"], problem["within_1_percent"])

    def test_two_databases(self):
        self.store("a.db", "20x30", 16)
        self.store("b.db", "20x30", 64)
        self.store("b.db", "20x31", 64)
        before = [(self.home / name).read_bytes() for name in ("a.db", "b.db")]
        answer = self.compare("a.db", "b.db")
        self.assertEqual([(s["side"], s["word"]) for s in answer["sides"]], [("A", "a.db"), ("B", "b.db")])
        self.assertEqual([p["problem"] for p in answer["problems"]], ["M=20,N=30;dtype=f32"])
        sides = answer["problems"][0]["sides"]
        self.assertEqual([s["configuration"]["BLOCK"] for s in sides], [16, 64])
        self.assertEqual(answer["problems"][0]["rounds"], 7)
        self.assertEqual([(p["problem"], p["side"]) for p in answer["alone"]], [("M=20,N=31;dtype=f32", "B")])
        self.assertEqual(answer["sides"][0]["over_first"]["ratio"], 1)
        self.assert_consistent(answer)
        table = self.run_command("compare", "a.db", "b.db", *self.config, "--rounds", "7", device=support.DEVICE)
        self.assertEqual(table.code, 0, table)
        for words in ("A  a.db", "B  b.db", "double M=20,N=30;dtype=f32\n", "geometric mean of 1 problem",
                      "double M=20,N=31;dtype=f32: only B has a result"):
            self.assertIn(words, table.out)
        self.assertEqual(table.err, "tune: problem 1 of 2\n")
        # Nothing is stored.
        self.assertEqual([(self.home / name).read_bytes() for name in ("a.db", "b.db")], before)

    def test_many_sides(self):
        """Runs, configurations and presets; who has the same is measured once."""
        self.store("a.db", "20x30", 16)
        self.store("a.db", "20x30", 64)
        first, second = (self.query("SELECT id FROM run ORDER BY id", db=self.home / "a.db")[i][0] for i in (0, 1))
        answer = self.compare(f"a.db@{first}", f"a.db@{second}", "direct" + NAIVE, "staged", "--shape", "20x30")
        sides = answer["problems"][0]["sides"]
        self.assertEqual([s["configuration"]["BLOCK"] for s in sides], [16, 64, 16, 64])
        self.assertEqual([s["implementation"] for s in sides], ["direct", "direct", "direct", "staged"])
        self.assertEqual(sides[2]["same_as"], "A")
        self.assertEqual(sides[2]["time_us"], sides[0]["time_us"])
        self.assert_consistent(answer)
        table = self.run_command("compare", "naive", "staged", "default", *self.config, "--shape", "20x30", "--rounds", "7",
                                 "--quiet", device=support.DEVICE)
        self.assertEqual((table.code, table.err), (0, ""), table)
        self.assertIn("of 3 sides ", table.out)
        self.assertIn("the best\n", table.out)

    def test_what_is_wrong_is_left_out(self):
        """It is told, the others are compared, and the command fails."""
        faults = ("--config", self.plant("faults"), "--shape", "1000", "--cache", "warm", "--rounds", "7", "--quiet")
        words = ("default", '{"BLOCK":32}', '{"MODE":"wrong"}', '{"MODE":"no_syntax"}', "many-threads")
        result = self.run_command("compare", *words, *faults, "--json", device=support.DEVICE)
        self.assertEqual((result.code, result.err), (1, ""), result)
        sides = result.json["problems"][0]["sides"]
        self.assertEqual([s["measured"] for s in sides], [True, True, False, False, False])
        self.assertIn("elements of B are wrong", sides[2]["message"])
        self.assertIn("error", sides[3]["message"])
        self.assertIn("the device allows", sides[4]["message"])
        self.assert_consistent(result.json)
        table = self.run_command("compare", "default", '{"MODE":"wrong"}', *faults, device=support.DEVICE)
        self.assertEqual((table.code, table.err), (1, ""), table)
        self.assertIn("B  case 0: ", table.out)

    def test_results_of_other_code(self):
        """What an application would not take is no result, and why is said."""
        self.store("a.db", "20x30", 16)
        shutil.copy(self.home / "a.db", self.home / "b.db")
        template = self.home / "double/direct.cu"
        element = "A[row * lda + column]"
        template.write_text(template.read_text().replace(f"{element} + {element}", f"2 * {element}"))
        answer = self.compare("a.db", "b.db")
        self.assertEqual(answer["problems"], [])
        self.assertIn("changed", answer["alone"][0]["message"])

    def test_mistakes(self):
        self.store("a.db", "20x30", 16)
        for words, says in [
            (("a.db",), "give two sides or more"),
            (("a.db", "nope.db"), "nope.db: does not exist"),
            (("a.db", "a.db@77"), "a.db@77: run 77 has found nothing on"),
            (("default", "naive"), "default is no file; to compare presets, give the --shape"),
            (("a.db", NAIVE), "give the --shape to compare it on"),
            (("a.db", "nonsense", "--shape", "20x30"), "nonsense"),
            (("a.db", "a.db", "--dtype", "f64"), "attributes go with a --shape"),
            (("a.db", "a.db", "--rounds", "5"), "--rounds"),
            (("a.db", "a.db", "--cache", "cold"), "none of the sides has a result"),
            (("a.db",) * 27, "more than 26 sides"),
        ]:
            with self.subTest(words=words):
                config = self.config[:2] + (("--cache", "warm") if "--cache" not in words else ())
                self.refused("compare", *words, *config, says=says, device=support.DEVICE)


if __name__ == "__main__":
    support.main()

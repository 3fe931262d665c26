"""tune lint: a description checked without a device."""

import json
import pathlib
import unittest

import support
from support import HERE

CONFIGS = HERE.parent.parent / "configs"


class Lint(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.path = self.plant("double")
        # As on a machine with no device at all.
        self.environment["OCL_ICD_VENDORS"] = str(self.home / "nothing")

    def edit(self, *changes):
        text = self.path.read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        self.path.write_text(text)

    def test_a_good_one(self):
        self.edit(('"grid": ["ceil_div(N, BLOCK * EACH)", "M"]', '"grid": ["ceil_div(N, BLOCK * EACH)", "min(M, 60000)"]'))
        result = self.run_command("lint", self.path)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, r"double\.json: 0 errors, \d warnings?; \d{4,} problems and \d{5,} configurations")
        self.assertEqual(result.err, "")
        self.assertFalse(self.db.exists())

    def test_mistakes_have_a_line_each_and_an_exit_status(self):
        self.edit(('"EACH <= N"', '"EACH * 2 <= N"'), ("double/direct.cu", "double/drect.cu"))
        result = self.run_command("lint", self.path, "--quiet")
        self.assertEqual(result.code, 1, result)
        lines = result.out.splitlines()
        self.assertTrue(all(line.startswith(f"{self.path}: error: implementations.direct") for line in lines), result)
        self.assertIn("the template double/drect.cu is neither beside the description nor built in", result.out)
        self.assertIn('presets.default: must be valid for every problem on every device, and is not: '
                      'the constraint "EACH * 2 <= N" does not hold (M=1,N=1', result.out)

    def test_json(self):
        self.edit(('"EACH <= N"', '"EACH * 2 <= N"'))
        result = self.run_command("lint", self.path, "--json")
        self.assertEqual(result.code, 1, result)
        found = result.json
        self.assertEqual((found["kernel"], found["file"]), ("double", str(self.path)))
        self.assertEqual(found["errors"] + found["warnings"], len(found["findings"]))
        first = found["findings"][0]
        self.assertEqual(first["severity"], "error")
        self.assertEqual(first["where"], "implementations.direct.presets.default")
        self.assertIn("N=1;", first["problem"])
        self.assertGreater(first["times"], 1)
        self.assertEqual(sorted({finding["severity"] for finding in found["findings"]}, reverse=True)[-1], "error")

    def test_what_cannot_be_read(self):
        self.refused("lint", says="lint what?", codes=[2])
        self.refused("lint", "nowhere.json", says="nowhere.json: cannot be read", codes=[2])
        self.path.write_text("[")
        self.refused("lint", self.path, says="double.json:1:", codes=[2])

    @unittest.skipUnless(CONFIGS.exists(), "a build that was carried here has no sources")
    def test_what_is_built_in(self):
        files = sorted(CONFIGS.glob("*.json"))
        self.assertGreater(len(files), 3)
        result = self.run_command("lint", "--json", *files)
        self.assertEqual(result.code, 0, result)
        reports = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([pathlib.Path(report["file"]) for report in reports], files)
        self.assertTrue(all(report["errors"] == 0 and report["problems"] > 1000 for report in reports))


if __name__ == "__main__":
    support.main()

"""Mistakes on the command line and in the files it names: one clear line each, and no damage."""

import json
import os

import support
from support import DEVICE

HUGE = 2147483647


class CommandLine(support.EndToEnd):
    def test_unknown_names_come_with_the_nearest(self):
        shape = ("--shape", "8x8x8")
        for words, says in [
            (("gem", *shape), 'unknown kernel "gem"; did you mean gemm?'),
            (("transpsoe", "--shape", "8x8"), "did you mean transpose?"),
            (("qqqqqqqqqqqqqqqq", *shape), "there are "),
            (("../gemm", *shape), "unknown kernel"),
            (("device",), "did you mean devices?"),
            (("shwo",), "did you mean show?"),
            (("appyl", "gemm", *shape), '"appyl" is no subcommand; did you mean apply?'),
            (("lnt", "my.json"), '"lnt" is no subcommand; did you mean lint?'),
            (("frobnicate",), '"frobnicate" is neither a subcommand nor a kernel'),
            (("kernels",), '"kernels" is neither a subcommand nor a kernel'),
            (("presets", "gemm"), '"presets" is neither a subcommand nor a kernel'),
            (("doctor", "--budget", "3"), "unknown option --budget; see --help"),
            (("report", "-o"), "-o: needs a value"),
            (("show", "-o"), "unknown option -o"),
            (("show", "--db"), "--db: needs a value"),
            (("gemm", "lint", *shape), 'unexpected "lint"'),
            (("--shpe", "8x8x8"), "did you mean --shape?"),
            ((*shape, "--budegt", "3"), "did you mean --budget?"),
            ((*shape, "--zzzzzzzzzzzz", "3"), "--zzzzzzzzzzzz; see --help"),
            ((*shape, "-b", "3"), "-b"),
            ((*shape, "--strategy", "genetics"), "did you mean genetic?"),
            ((*shape, "--strategy", "evolution-of-some-kind"), "there are auto, vnd, bayesian"),
            ((*shape, "--attr", "dtpe=f64"), "did you mean dtype?"),
            ((*shape, "--dtype", "f31"), 'no dtype "f31"; there are f32, f64'),
            ((*shape, "--trans", "nx"), 'no trans "nx"; there are nn, nt, tn, tt'),
            ((*shape, "--device", "cuda:99"), 'no device "cuda:99"'),
            ((*shape, "--device", "openc"), 'no device "openc"'),
            (("show", "gemm", "--run", "3"), "unknown option --run"),
            (("apply", *shape, "--strategy", "random"), "--strategy"),
        ]:
            with self.subTest(words=words):
                self.refused(*words, says=says)
        self.assertFalse(self.db.exists())

    def test_values_that_make_no_sense(self):
        for words, says in [
            (("--budget", "0"), "--budget 0"),
            (("--budget", "0s"), "--budget 0s"),
            (("--budget", "-5"), "--budget -5"),
            (("--budget", "-5s"), "--budget -5s"),
            (("--budget", "3.5"), "--budget 3.5"),
            (("--budget", "soon"), "--budget soon"),
            (("--budget", ""), "--budget"),
            (("--budget", "nans"), "--budget nans"),
            (("--budget", "1e99h"), "--budget 1e99h"),
            (("--budget", "99999999999999999999"), "--budget 9999"),
            (("--seed", "-1"), "--seed -1"),
            (("--seed", "4294967296"), "--seed 4294967296"),
            (("--seed", "0x10"), "--seed 0x10"),
            (("--jobs", "0"), "--jobs 0"),
            (("--jobs", "513"), "--jobs 513"),
            (("--cache", "hot"), "--cache hot: expected cold or warm"),
            (("--trial-limit", "0s"), "--trial-limit 0s"),
            (("--compile-limit", "inf"), "--compile-limit inf"),
            (("--attr", "dtype"), "NAME=WORD"),
            (("--attr", "=f64"), "NAME=WORD"),
            (("--attr", "bias=row", "--attr", "bias=column"), "bias=row and bias=column: an attribute has one word"),
            (("--dtype", "f64", "--attr", "dtype=f32"), "dtype=f64 and dtype=f32"),
            (("--json=yes",), "takes no value"),
            (("--budget",), "needs a value"),
            (("extra", "words"), 'unexpected "words"'),
        ]:
            with self.subTest(words=words):
                self.refused("--shape", "8x8x8", *words, says=says, codes=(2,))
        self.assertFalse(self.db.exists())

    def test_what_is_missing_is_asked_for(self):
        self.refused("gemm", says="--shape")
        self.refused("--budget", "5s", says="--shape")
        self.refused("apply", says="--shape")
        self.refused("show", "--dtype", "f64", says="--shape")
        self.refused("trials", "--run", "0", says="--run 0")

    def test_shapes(self):
        for shape, says in [
            ("0x64x64", "M must be from 1 to 2147483647"),
            ("64x64x0", "K must be from 1 to 2147483647"),
            ("2147483648x1x1", "M must be from 1 to 2147483647"),
            ("1x99999999999999999999999x1", "N must be from 1 to 2147483647"),
            ("-1x64x64", "M must be a positive whole number"),
            ("64x-64x64", "N must be a positive whole number"),
            ("64x+64x64", "N must be a positive whole number"),
            ("6.4x64x64", "64x64"),
            ("64xx64", "N must be a positive whole number"),
            ("64x64", "wants 3 sizes, MxNxK"),
            ("64", "wants 3 sizes, MxNxK"),
            ("64x64x64x64", "wants 3 sizes, MxNxK"),
            ("64x64x64 ", 'unexpected " "'),
            ("64X64X64", "MxNxK"),
            ("64,64,64", "MxNxK"),
            ("x", "MxNxK"),
            ("", "MxNxK"),
            ("M64xN64xK64", "MxNxK"),
        ]:
            with self.subTest(shape=shape):
                self.refused("gemm", "--shape", shape, says=says, codes=(2,))
                self.refused("apply", "gemm", "--shape", shape, says=says, codes=(2,))
        self.refused("transpose", "--shape", "8x8x8", says="wants 2 sizes, MxN")
        self.refused("--shape", "8x8", "--shape", "8x8x8", says="wants 2 sizes")
        self.assertFalse(self.db.exists())

    def test_sizes_beyond_the_device(self):
        for shape in ("400000x400000x400000", f"{HUGE}x{HUGE}x{HUGE}"):
            with self.subTest(shape=shape):
                self.refused("--shape", shape, "--quiet", device=DEVICE)
                self.refused("apply", "--shape", shape, device=DEVICE)
        self.refused("--shape", "400000x400000x4", "--quiet", says="smaller shape", device=DEVICE)
        self.assert_sound()
        self.assertEqual(self.trial_count(), 0)


class ShapeFiles(support.EndToEnd):
    def given(self, text, *words, **options):
        path = self.home / "shapes.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.refused("--shapes", path, "--budget", "1", *words, **options)
        self.assertFalse(self.db.exists())

    def test_files_that_cannot_be_read(self):
        self.refused("--shapes", "nowhere.txt", says="nowhere.txt: cannot be read")
        self.refused("--shapes", self.home, says="cannot be read")

    def test_files_without_shapes(self):
        self.given("", says="has no shapes")
        self.given("# only\n\n   # comments\n", says="has no shapes")

    def test_a_bad_line_is_named(self):
        self.given("8x8x8\n8x8x8 dtype\n", says=["shapes.txt:2", "NAME=WORD"])
        self.given("# sizes\n\n8x8x8 =f32", says="shapes.txt:3")
        self.given("8x8x8\n8x0x8\n", says=["shapes.txt:2", "8x0x8"])
        self.given("8x8x8\n8x8x8 dtype=f31\n", says=["shapes.txt:2", "f31"])
        self.given("8x8x8\n8x8\n", says=["shapes.txt:2", "3 sizes"])
        self.given(b"8x8x8\n\0\xff\xfe\n", says="shapes.txt:2")


class Descriptions(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.path = self.plant("double")
        self.text = self.path.read_text()

    def given(self, text, *words, shape="8x8", **options):
        self.path.write_text(text)
        self.refused("--config", self.path, "--shape", shape, *words, **options)
        self.assertFalse(self.db.exists())

    def changed(self, change, **options):
        description = json.loads(self.text)
        change(description)
        self.given(json.dumps(description), **options)

    def test_files_that_cannot_be_read(self):
        self.refused("--config", "nowhere.json", "--shape", "8x8", says="nowhere.json: cannot be read")
        (self.home / "empty").mkdir()
        self.refused("--config", self.home / "empty", "--shape", "8x8", says="has no descriptions")
        self.refused("gemm", "--config", self.path, "--shape", "8x8", says="describes the kernel double")

    def test_malformed_json_is_placed(self):
        lines = self.text.split("\n")
        lines[3] = lines[3].replace(":", "")
        bad = lines[3].index("{")
        self.given("\n".join(lines), says=f"double.json:4:{bad + 1}: not valid JSON")
        self.given("", says="double.json:1:1")
        self.given("{", says="double.json:1:")
        self.given(self.text + "}", says=f"double.json:{self.text.count(chr(10)) + 1}:1")
        self.given("[" * 100000, says="double.json:1:")
        self.given("null", says="double.json")
        self.given("[]", says="double.json")

    def test_contradictions_name_file_and_key(self):
        text = self.text
        direct = "implementations[0]"
        for old, new, says in [
            ('"kernel": "double",', '"kernel": "double", "kernel": "double",', '"kernel" is given twice'),
            ('"summary": "B', '"sumary": "B', 'did you mean "summary"?'),
            ('"work": { "flops": "0", "bytes"', '"work": { "flop": "0", "bytes"', "key work"),
            ('"ORDER": "near" }', '"ORDER": "far-out" }', "presets.naive.ORDER: is not among"),
            ('"BLOCK": 16, "EACH": 1, "ORDER": "near"', '"BLOCK": 17, "EACH": 1, "ORDER": "near"',
             f"key {direct}.presets.naive.BLOCK: is not among"),
            ('"BLOCK": 16, "EACH": 1,', '"EACH": 1,', "presets.naive.BLOCK: missing"),
            ('"staged": { "BLOCK": 64 }', '"naive": { "BLOCK": 64 }', "the preset naive is in two"),
            ('"default": { "BLOCK"', '"standard": { "BLOCK"', 'the preset "default"'),
            ('"EACH": [1, 2, 4, 8]', '"EACH": [1, 2, 2, 8]', "EACH[2]: given twice"),
            ('"EACH": [1, 2, 4, 8]', '"EACH": []', "EACH: needs at least one value"),
            ('"EACH": [1, 2, 4, 8]', '"EACH": [1, "two"]', "cannot be mixed"),
            ('"EACH": [1, 2, 4, 8]', '"EACH": [1.5]', "whole number"),
            ('"EACH": [1, 2, 4, 8]', '"M": [1, 2, 4, 8]', "the name M is taken"),
            ('"access": "in"', '"access": "inn"', "arguments[0].access"),
            ('"kind": "stride", "default": "N"', '"kind": "strid", "default": "N"', "arguments[2].kind"),
            ('"f32": 1e-7', '"f12": 1e-7', "tolerance.f12"),
            ('"name": "staged"', '"name": "direct"', "the name direct is taken"),
            ('"pass": ["A", "B", "M", "N", "lda", "ldb"] }\n      ],\n      "presets": { "staged"',
             '"pass": ["A", "C"] }\n      ],\n      "presets": { "staged"', '"C" is no argument'),
        ]:
            with self.subTest(says=says):
                self.assertIn(old, text)
                self.given(text.replace(old, new, 1), says=["double.json: key " if "key" not in says
                           and "kernel" not in says and "summary" not in says else "double.json", says])

    def test_expressions_name_the_column(self):
        for old, new, says in [
            ('"EACH <= N"', '"EACH <= NN"', ["constraints[0]", "NN", "column 9"]),
            ('"EACH <= N"', '"EACH <= "', ["constraints[0]", "column 9"]),
            ('"EACH <= N"', '"EACH <= (N"', ["constraints[0]", "column 11"]),
            ('"EACH <= N"', '"EACH =< N"', ["constraints[0]", "column 6"]),
            ('"EACH <= N"', '"EACH <= max(N)"', ["constraints[0]", "column "]),
            ('"EACH <= N"', '"ORDER == \'nearby\'"', ["constraints[0]", "nearby"]),
            ('"EACH <= N"', f'"{"(" * 100000}"', ["constraints[0]"]),
        ]:
            with self.subTest(new=new[:40]):
                self.assertIn(old, self.text)
                self.given(self.text.replace(old, new, 1), says=["double.json", *says])

    def test_expressions_that_cannot_be_evaluated(self):
        change = ('"default": "N" },\n    { "name": "ldb"', '"default": "N / (N - 8)" },\n    { "name": "ldb"')
        self.assertIn(change[0], self.text)
        self.path.write_text(self.text.replace(*change, 1))
        self.refused("--config", self.path, "--shape", "8x8", "--quiet", says="lda", device=DEVICE)
        self.path.write_text(self.text.replace('"2*ESIZE*M*N"', '"M*N*M*N*M*N*M*N"', 1))
        self.refused("--config", self.path, "--shape", f"{HUGE}x{HUGE}", "--quiet", says="bytes", device=DEVICE)

    def test_rules_that_cannot_be_evaluated(self):
        for old, new, says in [
            ('"EACH <= N"', '"EACH <= N", "BLOCK % (EACH - 4) < 99"',
             'double: M=8,N=8;dtype=f32: direct: the constraint "BLOCK % (EACH - 4) < 99" divides by zero with '),
            ('"EACH <= N"', '"EACH <= N", "ORDER * 2 < 9"', "column 1 of"),
            # An implementation that is good stays good without what another one lacks.
            ('"EACH <= N"', '"EACH * 9 <= N"',
             'double.json: the preset default must be valid for every problem, and is not for M=8,N=8;dtype=f32 '
             '(tune lint tries many): direct does not allow it: the constraint "EACH * 9 <= N" does not hold'),
        ]:
            with self.subTest(new=new):
                self.assertIn(old, self.text)
                self.path.write_text(self.text.replace(old, new, 1))
                self.refused("--config", self.path, "--shape", "8x8", "--quiet", says=says, device=DEVICE)

    def test_kernels_that_the_description_has_wrong(self):
        direct = '"function": "double_direct"'
        passed = '"pass": ["A", "B", "M", "N", "lda", "ldb"] }\n      ],\n      "presets": {\n        "naive"'
        for old, new, says in [
            (direct, '"function": "double_drect"',
             'double.json: direct: the templates have no kernel "double_drect", the launch\'s "function"; '
             'did you mean double_direct?'),
            (passed, passed.replace('"lda", ', ""),
             'the kernel double_direct has 6 parameters, and "pass" gives it 5: A, B, M, N, ldb'),
            (passed, passed.replace('"A", "B"', '"B", "N"'),
             'parameter 2 of the kernel double_direct does not take what "pass" gives it, N, a value of 4 bytes'),
            ('"shared": "BLOCK * ESIZE"', '"shared": "BLOCK * 2"',
             'double.json: staged: TW_SHARED of the kernel double_staged does not take the '),
        ]:
            with self.subTest(new=new):
                self.assertIn(old, self.text)
                self.path.write_text(self.text.replace(old, new, 1))
                self.refused("--config", self.path, "--shape", "8x8", "--quiet", says=says, device=DEVICE)

    def test_missing_templates(self):
        (self.home / "double/direct.cu").unlink()
        self.refused("--config", self.path, "--shape", "8x8", "--quiet",
                     says=["double.json", "double/direct.cu"], device=DEVICE)
        (self.home / "double/direct.cu").mkdir()
        self.refused("--config", self.path, "--shape", "8x8", "--quiet",
                     says="double/direct.cu", device=DEVICE)
        os.rmdir(self.home / "double/direct.cu")
        self.plant("double")
        (self.home / "double/reference.cu").unlink()
        self.refused("--config", self.path, "--shape", "8x8", "--quiet",
                     says="double/reference.cu", device=DEVICE)
        self.assert_sound()

    def test_a_reference_that_does_not_compile(self):
        reference = self.home / "double/reference.cu"
        reference.write_text(reference.read_text().replace("2.0 *", "twice"))
        self.refused("--config", self.path, "--shape", "8x8", "--quiet",
                     says=["double.json", "double/reference.cu", "12"], device=DEVICE)
        self.assertEqual(self.trial_count(), 0)
        self.refused("apply", "--config", self.path, "--shape", "8x8",
                     says=["double.json", "double/reference.cu", "12"], device=DEVICE)


if __name__ == "__main__":
    support.main()

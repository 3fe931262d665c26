"""tune new: what it writes works as it stands."""

import support
from support import DEVICE


class New(support.EndToEnd):
    def files(self):
        return sorted(str(path.relative_to(self.home)) for path in self.home.rglob("*")
                      if path.is_file() and path.suffix in (".json", ".cu"))

    def test_what_it_writes_can_be_tuned_at_once(self):
        result = self.run_command("new", "my_kernel")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertEqual(self.files(), ["my_kernel.json", "my_kernel/my_kernel.cu", "my_kernel/reference.cu"])
        self.assertIn("tune --config my_kernel.json --shape", result.out)
        for name in self.files():
            text = (self.home / name).read_text()
            self.assertNotIn("@", text)
            self.assertIn("comment" if name.endswith(".json") else "/*", text)
        lint = self.run_command("lint", "my_kernel.json")
        self.assertEqual((lint.code, lint.err), (0, ""))
        self.assertIn("0 errors, 0 warnings", lint.out)
        words = ("--config", "my_kernel.json", "--shape", "9x300")
        report = self.tune_json(*words, "--budget", 5, "--strategy", "random", "--cache", "warm")
        self.assertEqual(report["kernel"], "my_kernel")
        self.assertEqual(report["trials"]["ok"], 5, report["trials"])
        applied = self.ask("apply", *words, "--cache", "warm", device=DEVICE)
        self.assertEqual(applied["rule"], "exact")
        self.assertTrue(applied["correct"])

    def test_in_a_directory_and_for_doubles(self):
        result = self.run_command("new", "k", "-o", "deep")
        self.assertEqual(result.code, 0, result)
        self.assertEqual(self.files(), ["deep/k.json", "deep/k/k.cu", "deep/k/reference.cu"])
        self.assertIn("--config deep/k.json", result.out)
        report = self.tune_json("--config", "deep/k.json", "--shape", "5x64", "--dtype", "f64", "--budget", 2)
        self.assertEqual(report["trials"]["ok"], 2, report["trials"])

    def test_nothing_is_written_over(self):
        self.run_command("new", "k")
        before = {name: (self.home / name).read_text() for name in self.files()}
        self.refused("new", "k", says="k/reference.cu is there already; nothing was written")
        self.assertEqual({name: (self.home / name).read_text() for name in self.files()}, before)

    def test_all_or_nothing(self):
        (self.home / "mine.json").write_text("mine")
        self.refused("new", "mine", says="mine.json is there already")
        self.assertEqual(self.files(), ["mine.json"])
        self.assertFalse((self.home / "mine").exists())
        self.assertEqual((self.home / "mine.json").read_text(), "mine")
        (self.home / "file").write_text("")
        self.refused("new", "k", "-o", "file", says="file/: cannot be made a directory")
        self.refused("new", "file", says="file: cannot be made a directory: File exists")
        self.refused("new", "k", "-o", "a/b", says="a/b/: cannot be made a directory: No such file")

    def test_names_that_cannot_be(self):
        self.refused("new", says="tune new my_kernel")
        self.refused("new", "gemm", says="gemm is a built-in kernel")
        for name in ("9lives", "a-b", "../up", "x" * 48):
            self.refused("new", name, says="cannot be a kernel's name")
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    support.main()

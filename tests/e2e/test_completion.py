"""What shells complete: kernels, devices, presets, options, from what the program says of itself."""

import pathlib
import shutil
import subprocess
import unittest

import support
from support import DEVICE, HERE, TUNE

MPI = pathlib.Path(TUNE).with_name("tune-mpi")
SCRIPTS = HERE.parent.parent / "tuner/completion"

# Sources the completion, pretends that a line was typed, and prints the replies.
BASH = """source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _tune; printf '%s\\n' "${COMPREPLY[@]}" """
# What zsh's completion would add, without a terminal.
ZSH = """compadd() { shift; print -l -- "$@" }; _files() { print files }
words=("${(@s: :)2}") CURRENT=${#words}; source "$1" """
FISH = """source $argv[1]; complete --do-complete $argv[2]"""


class Completion(support.EndToEnd):
    def complete(self, *words):
        result = self.run_command("complete", *words)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result.out.split()

    def shell(self, *words):
        home = self.home / "bin"
        home.mkdir(exist_ok=True)
        if not (home / "tune").exists():
            (home / "tune").symlink_to(TUNE)
            (home / "tune-mpi").symlink_to(MPI)
        environment = self.environment | {"PATH": f"{home}:{self.environment['PATH']}"}
        done = subprocess.run(words, env=environment, cwd=self.home, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split("\n")[:-1]

    def test_what_may_stand(self):
        commands = self.complete("")
        for word in ("devices", "report", "db", "gemm", "transpose", "--version"):
            self.assertIn(word, commands)
        for hidden in ("compile-worker", "device-worker", "complete"):
            self.assertNotIn(hidden, commands)
        self.assertEqual(self.complete("dev"), ["devices"])
        self.assertEqual(self.complete("db", "me"), ["merge"])
        self.assertEqual(self.complete("help", "me"), [])
        self.assertEqual(self.complete("help", "dev"), ["devices"])
        self.assertEqual(self.complete("help", "devices", ""), [])
        self.assertEqual(self.complete("explain", "gem"), [k for k in commands if k.startswith("gem")])
        self.assertGreaterEqual(set(self.complete("--strategy", "")), {"random", "exhaustive"})
        self.assertEqual(self.complete("aat", "--cache", "w"), ["warm"])
        self.assertEqual(self.complete("transpose", "--dtype", "u"), ["u8", "u16"])
        self.assertIn("trans=tn", self.complete("gemm", "--attr", ""))
        words = ["f32", "tf32", "f32_split", "bf16x6", "bf16x3", "tf32x3"]
        self.assertEqual(self.complete("gemm", "--compute", ""), [*words, "any"])
        self.assertEqual(self.complete("explain", "gemm", "--compute", ""), words)
        self.assertEqual(self.complete("transpose", "--compute", ""), [])
        self.assertIn("BK=16", self.complete("gemm", "--fix", "BK="))
        self.assertIn("split-k", self.complete("run", "gemm", "--shape", "8x8x8", "--preset", "s"))
        self.assertNotIn("split-k", self.complete("run", "transpose", "--preset", ""))
        self.assertIn("crash", self.complete("retry", "--status", ""))
        self.assertTrue(any(device.startswith(f"{DEVICE}:") for device in self.complete("--device", "")))
        self.assertEqual(set(self.complete("--devices", "")), {"all", *self.complete("--device", "")})
        self.assertEqual(set(self.complete("trials", "-")), {"--run", "--db", "--json", "--help"})
        self.assertIn("--budget", self.complete("gemm", "--shape", "8x8x8", "--"))

    def test_kernels_of_ones_own(self):
        config = self.plant("double")
        self.assertEqual(self.complete("--config", config, "--preset", ""), ["naive", "default", "staged"])
        self.assertEqual(self.complete("--config", config, "--fix", "ORDER="), ["ORDER=near", "ORDER=far"])
        self.assertEqual(self.complete("--config", self.home / "none.json", "--preset", ""), [])

    def test_where_a_file_may_stand(self):
        for words in (("--db", ""), ("lint", ""), ("report", "-o", ""), ("db", "merge", "x")):
            self.assertEqual(self.complete(*words), [])

    def test_every_option_is_told(self):
        """Each word that begins with two dashes in a help text is an option that the command takes."""
        for command in self.complete(""):
            if command in ("help", "new", "cache", "db", "devices") or command.startswith("-"):
                continue
            for option in self.complete(command, "--"):
                said = self.run_command(command, option).err
                self.assertNotIn("unknown option", said)

    @unittest.skipUnless(MPI.exists(), "no tune-mpi was built")
    def test_the_other_program(self):
        def replies(*words):
            done = subprocess.run([MPI, "complete", *words], env=self.environment, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout.split()
        self.assertEqual(replies("gem"), self.complete("explain", "gem"))
        self.assertIn("--lost-after", replies("--"))
        self.assertNotIn("--prior", replies("--"))
        self.assertEqual(replies("gemm", "--cache", "w"), ["warm"])
        self.assertEqual(replies("--shapes", ""), [])
        told = subprocess.run([MPI, "--version"], capture_output=True, text=True)
        self.assertRegex(told.stdout, r"^tune-mpi [0-9.]+\n  MPI +\S.*\n$")
        if SCRIPTS.exists() and shutil.which("bash"):
            self.assertEqual(self.shell("bash", "-c", BASH, "bash", str(SCRIPTS / "tune.bash"), "tune-mpi --lost"),
                             ["--lost-after"])

    @unittest.skipUnless(SCRIPTS.exists() and shutil.which("bash"), "no bash, or no sources")
    def test_in_bash(self):
        def replies(line):
            return self.shell("bash", "-c", BASH, "bash", str(SCRIPTS / "tune.bash"), line)
        self.assertEqual(replies("tune dev"), ["devices"])
        self.assertEqual(replies("tune db ex"), ["export"])
        self.assertIn("gemm", replies("tune explain "))
        # Bash has words end at ":" and "=": the reply is what stands behind.
        self.assertIn("0", replies(f"tune --device {DEVICE}:"))
        self.assertIn("f64", replies("tune transpose --attr dtype="))
        self.assertEqual(replies("tune --db "), [""])

    @unittest.skipUnless(SCRIPTS.exists() and shutil.which("zsh"), "no zsh (Debian: zsh), or no sources")
    def test_in_zsh(self):
        def replies(line):
            return self.shell("zsh", "-f", "-c", ZSH, "zsh", str(SCRIPTS / "_tune"), line)
        self.assertEqual(replies("tune dev"), ["devices"])
        self.assertIn("gemm", replies("tune explain "))
        self.assertEqual(replies("tune --db "), ["files"])

    @unittest.skipUnless(SCRIPTS.exists() and shutil.which("fish"), "no fish (Debian: fish), or no sources")
    def test_in_fish(self):
        def replies(line):
            return self.shell("fish", "--no-config", "-c", FISH, str(SCRIPTS / "tune.fish"), line)
        self.assertEqual(replies("tune dev"), ["devices"])
        self.assertIn("gemm", replies("tune explain "))
        (self.home / "some.db").write_text("")
        self.assertEqual(replies("tune --db so"), ["some.db"])


if __name__ == "__main__":
    support.main()

"""Progress: on standard error only, plain lines in a pipe, one line that is rewritten on a terminal."""

import fcntl
import json
import os
import pty
import re
import select
import sqlite3
import struct
import subprocess
import termios
import time
import unittest

import support
from support import DEVICE

LINE = re.compile(
    r"(preparing|searching|playoff): \d+ trials? in \d+ s, best (none yet|[\d.e+]+ [mu]?s \([\d.e+-]+ ([GM]B|[GT]FLOP)/s\)), \d+ failed"
    r"(, \d+ (s|min) left)?"
)


class Progress(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.words = ("--config", self.plant("double"), "--shape", "20x30", "--budget", "6")
        self.environment |= {"TERM": "xterm", "NO_COLOR": "1"}

    def test_in_a_pipe(self):
        result = self.tune(*self.words)
        self.assertNotIn("\r", result.err)
        self.assertNotIn("\033", result.err)
        lines = result.err.splitlines()
        self.assertGreaterEqual(len(lines), 1)
        for line in lines:
            self.assertRegex(line, rf"^{LINE.pattern}$")
        self.assertTrue(result.out.startswith("double M=20,N=30;dtype=f32 on "), result.out)
        for line in result.out.splitlines():
            self.assertNotRegex(line, LINE)
        # The table is made for reading.
        for part in ("  best    ", "  time    ", "  rate    ", "  preset  ", "default", "naive", "  trials  ",
                     "  seconds ", f"  database        {self.db}"):
            self.assertIn(part, result.out)

    def test_quiet(self):
        self.assertEqual(self.tune(*self.words, "--quiet", "--cache", "warm").err, "")

    @unittest.skipIf(DEVICE == "cuda", "the default device is the GPU")
    def test_no_cuda_is_no_news(self):
        """A machine without CUDA is told so when it asks; one whose CUDA does not work, always."""
        words = (*self.words[:-1], "1", "--cache", "warm")
        reason = re.search(r"^cuda: (.*)", self.run_command("devices").out, re.MULTILINE)
        for more, remarks in (((), 0), (("--verbose",), 1), (("--verbose", "--quiet"), 0)):
            result = self.run_command(*words, *more)
            self.assertEqual(result.code, 0, result)
            said = [line for line in result.err.splitlines() if line.startswith("tune: ")]
            self.assertEqual(len(said), remarks, result)
            if reason is not None and remarks > 0:
                self.assertIn(f"no CUDA: {reason[1]}; using opencl:", said[0])
        if reason is None:
            return  # built without CUDA
        subprocess.run(["cc", "-shared", "-x", "c", "-", "-o", self.home / "libcuda.so.1"],
                       input="int cuNothing;", text=True, check=True)
        self.environment["LD_LIBRARY_PATH"] = str(self.home)
        for command in (words, ("apply", *words[:-4], "--cache", "warm")):
            result = self.run_command(*command)
            self.assertEqual(result.code, 0, result)
            self.assertRegex(result.err, r"(?m)^tune: no CUDA: libcuda.so.1 has no cu\w+: .*; using opencl:0 \(")

    def test_presets_that_cannot_be_are_counted(self):
        words = ("--config", self.plant("faults"), "--shape", "1000", "--budget", "1", "--cache", "warm", "--quiet")
        table = self.tune(*words).out
        self.assertIn("    2 more cannot be used here; --verbose says why\n", table)
        self.assertNotIn("not here", table)
        table = self.tune(*words, "--verbose", "--db", "other.db").out
        for name in ("many-threads", "much-shared"):
            self.assertRegex(table, rf"(?m)^    {name} +not here: .+")
        self.assertNotIn("cannot be used here", table)

    def on_terminal(self, *words, on_text=None, columns=80, device=DEVICE):
        """Runs with a terminal as all three streams; returns the status and all that was shown."""
        main, terminal = pty.openpty()
        self.addCleanup(os.close, main)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        # Ctrl-C would throw away what is shown and not read yet, the end of a line among it.
        modes = termios.tcgetattr(terminal)
        modes[3] |= termios.NOFLSH
        termios.tcsetattr(terminal, termios.TCSANOW, modes)

        def take_terminal():
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

        process = subprocess.Popen(self.command(*words, device=device), stdin=terminal, stdout=terminal, stderr=terminal,
                                   env=self.environment, cwd=self.home, start_new_session=True,
                                   preexec_fn=take_terminal)
        self.addCleanup(self.clear, process)
        os.close(terminal)
        shown = b""
        deadline = time.monotonic() + support.LIMIT
        while time.monotonic() < deadline:
            if not select.select([main], [], [], 1)[0]:
                continue
            try:
                part = os.read(main, 65536)
            except OSError:  # the other end has been closed
                break
            shown += part
            if on_text is not None and on_text(shown):
                os.write(main, b"\x03")
                on_text = None
        shown = shown.decode()
        if self.sanitized:
            shown = re.sub(support.CHATTER.pattern.lstrip("^"), "", shown)
        return process.wait(timeout=support.LIMIT), shown

    def check_rewritten(self, shown, table, columns):
        """Progress is rewritten in place; the table begins on a clean line."""
        progress, found, after = shown.partition(table)
        self.assertTrue(found, shown)
        self.assertTrue(progress.endswith("\r\033[K"), repr(progress[-200:]))
        progress = progress.replace("^C", "")
        self.assertNotIn("\n", progress)
        pieces = [piece for piece in progress.split("\r") if piece not in ("", "\033[K")]
        self.assertGreater(len(pieces), 1)
        bars = 0
        for piece in pieces:
            self.assertTrue(piece.endswith("\033[K"), repr(piece))
            # With a bar before the line, where there is room for one, and no wider than the terminal.
            bar, line = re.fullmatch(r"(\[=*>? *\] )?(.*)", piece[:-3]).groups(default="")
            self.assertLess(len(bar + line), columns)
            # What matters least is left out for it.
            self.assertRegex(line, rf"^{LINE.pattern}$" if columns > 100 else r"^(preparing|searching|playoff): \d+ trials?")
            bars += bar != ""
        self.assertGreater(bars, 0, progress)
        self.assertNotIn("\033", after)

    def test_on_a_terminal(self):
        # Which phases show is up to the device: a fast one has searched before the first line. With a budget of time
        # there is a bar from the first line on.
        for columns in (160, 80, 60):
            code, shown = self.on_terminal(*self.words[:-1], "2s", "--db", f"{columns}.db", columns=columns)
            self.assertEqual(code, 0, shown)
            self.check_rewritten(shown, "double M=20,N=30;dtype=f32 on", columns)
            # The table that follows fits as well, but for what has no place to be broken at.
            table = shown[shown.index("double M=20") :].splitlines()
            long = [line for line in table if len(line) > columns and " " in line[18:].strip()]
            self.assertEqual(long, [])
            self.assertIn("  of which        ", "\n".join(table))

    def test_colour(self):
        self.environment.pop("NO_COLOR")
        words = ("show", "--db", "some.db")
        _, shown = self.on_terminal(*self.words, "--db", "some.db", columns=160)
        table = shown.rpartition("\r\033[K")[2]
        self.assertRegex(table, r"\033\[1mdouble\033\[0m \033\[1mM=20,N=30;dtype=f32\033\[0m on ")
        self.assertRegex(table, r"  time            \033\[32m[\d.]+ [mu]?s\033\[0m \(95% interval")
        plain = self.run_command(*words).out
        self.assertNotIn("\033", plain)
        coloured = self.on_terminal(*words, device=None, columns=200)[1]
        self.assertIn("\033[32m", coloured)
        self.assertEqual(re.sub(r"\033\[\d*m", "", coloured).replace("\r", ""), plain)
        for name, value in (("NO_COLOR", "yes"), ("TERM", "dumb")):
            self.environment[name] = value
            self.assertEqual(self.on_terminal(*words, device=None, columns=200)[1].replace("\r", ""), plain)
            self.environment |= {"NO_COLOR": "", "TERM": "xterm"}

    def test_columns_fit(self):
        self.tune(*self.words, "--quiet")
        connection = sqlite3.connect(self.db)
        with connection:
            connection.execute("UPDATE trial SET status = 'wrong', message = 'it is \u00e9 ' || hex(zeroblob(90)),"
                               " time_us = NULL, repeats = NULL, ci_low_us = NULL, ci_high_us = NULL, screened_out = 0"
                               " WHERE id = 3")
            connection.execute("UPDATE best SET configuration = ?", (json.dumps({c * 9: 1 for c in "ABCDEFG"}),))
        connection.close()
        shown = self.on_terminal("trials", device=None, columns=50)[1]
        self.assertTrue(all(len(line) <= 50 for line in shown.splitlines()), shown)
        lines = [line for line in shown.splitlines() if re.match(r"ok |wrong ", line)]
        self.assertEqual(len(lines), 6)
        self.assertRegex(shown, r"wrong +it is \u00e9 0+\.\.\.\r\n")
        shown = self.on_terminal("show", device=None, columns=50)[1]
        self.assertTrue(all(len(line) <= 50 for line in shown.splitlines()), shown)
        configuration = shown[shown.index("\n", shown.index("run 1")) :].splitlines()[1:]
        self.assertGreater(len(configuration), 2)
        plain, shown = self.run_command("devices").out, self.on_terminal("devices", device=None, columns=50)[1]
        self.assertTrue(all(len(line) <= 50 for line in shown.splitlines()), shown)
        self.assertEqual("".join(shown.split()), "".join(plain.split()))
        self.assertIn(self.query("SELECT configuration FROM best")[0][0].replace(" ", ""),
                      "".join(configuration).replace(" ", ""))

    def test_ctrl_c_on_a_terminal(self):
        # A run that a GPU does not finish before the key is pressed.
        words = ("--shape", "300x200x100", "--budget", "120s")
        code, shown = self.on_terminal(*words, on_text=lambda text: b"searching: 1" in text, columns=160)
        self.assertEqual(code, 130, shown)
        self.check_rewritten(shown, "gemm M=300,N=200,K=100;dtype=f32,trans=nn on ", 160)
        self.assertIn("the same command goes on from here", shown)


if __name__ == "__main__":
    support.main()

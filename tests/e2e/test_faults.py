"""Kernels that misbehave, each in a way of its own: the run records it and goes on."""

import json
import os
import signal
import time

import support
from support import DEVICE, session_processes, wait_until

# The mode, the status it is recorded with, and what its message says.
MODES = {
    "no_syntax": ("compile_error", ["faults/unsound.cu", "5", "there_is_no_such_function"]),
    "endless": ("timeout", ["did not finish within 10 s"]),
    "wild": ("crash", []),
    "outside": ("wrong", ["wrote outside its buffers"]),
    "to_input": ("wrong", ["wrote to its input A"]),
    "wrong": ("wrong", ["row 0, column ", ": expected ", ", got ", "B has an error of", "is allowed"]),
    "not_a_number": ("wrong", ["1000 elements of B are wrong"]),
    "forgetful": ("wrong", ["1 of 1000 elements of B are wrong or were not written", "column 999", "got nothing"]),
}


class Faults(support.EndToEnd):
    def setUp(self):
        super().setUp()
        # A crash is meant here: it shall be one, and no sanitizer's report.
        self.environment["ASAN_OPTIONS"] += ":handle_segv=0:handle_sigbus=0"
        self.path = self.plant("faults")
        self.words = ("--config", self.path, "--shape", "1000", "--budget", "500s", "--strategy", "exhaustive",
                      "--trial-limit", "10s", "--cache", "warm")

    def keep(self, *names):
        """Leaves these implementations in the description; the first preset of each stays."""
        description = json.loads(self.path.read_text())
        description["implementations"] = [i for i in description["implementations"] if i["name"] in names]
        self.path.write_text(json.dumps(description))
        return description

    def test_every_kind(self):
        report = self.tune_json(*self.words)
        self.assertEqual(report["best"]["implementation"], "sound")
        self.assertEqual(report["trials"], {"ok": 3, "compile_error": 1, "compile_timeout": 0, "launch_error": 0,
                                            "resource": 0, "wrong": 5, "timeout": 1, "crash": 1})
        # What no device has room for is not even tried.
        self.assertEqual(report["space_size"], 11)
        presets = {name: preset["status"] for name, preset in report["presets"].items()}
        self.assertEqual(presets, {"default": "ok", "wild": "crash", "many-threads": "does_not_fit",
                                   "much-shared": "does_not_fit"})
        self.assertIn("1048576", report["presets"]["many-threads"]["message"])
        self.assertIn("shared memory", report["presets"]["much-shared"]["message"])
        # The endless one and the wild one each took a worker along.
        self.assertGreaterEqual(report["device_workers_replaced"], 2)
        self.check_trials()
        self.assert_sound()

        # The same command tries none of them again.
        again = self.tune_json(*self.words)
        self.assertEqual((again["trials_now"], again["trials"]), (0, report["trials"]))
        self.assertEqual(again["device_workers_replaced"], 0)
        self.assertEqual(again["best"]["implementation"], "sound")
        self.assertEqual(self.ask("apply", *self.words[:4], "--cache", "warm", device=DEVICE)["rule"], "exact")
        self.assert_sound()

    def check_trials(self):
        trials = self.ask("trials")["trials"]
        self.assertEqual(len(trials), 11)
        unsound = {t["configuration"]["MODE"]: t for t in trials if t["implementation"] == "unsound"}
        self.assertEqual(set(unsound), set(MODES))
        for mode, (status, says) in MODES.items():
            with self.subTest(mode):
                self.assertEqual(unsound[mode]["status"], status)
                self.assertNotEqual(unsound[mode]["message"], "")
                self.assertNotIn("\n", unsound[mode]["message"])
                for words in says:
                    self.assertIn(words, unsound[mode]["message"])
                self.assertNotIn("time_us", unsound[mode])
        for trial in trials:
            if trial["implementation"] == "sound":
                self.assertEqual(trial["status"], "ok")

    def test_nothing_but_faults(self):
        description = self.keep("unsound")
        unsound = description["implementations"][0]
        unsound["constraints"] = ["MODE == 'wrong' || MODE == 'no_syntax'"]
        unsound["presets"] = {"default": {"MODE": "wrong"}}
        self.path.write_text(json.dumps(description))
        result = self.run_command(*self.words, "--quiet", "--json", device=DEVICE)
        self.assertEqual(result.code, 1, result)
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.assertTrue(result.err.startswith("tune: none of 2 trials worked"), result)
        self.assertIsNone(result.json["best"])
        # An application would get the default, and hears that it is wrong.
        self.refused("apply", *self.words[:4], "--quiet", says="B has an error of", device=DEVICE, codes=(1,))
        self.assertEqual(self.ask("show"), [])
        self.assert_sound()

    def test_nothing_that_fits(self):
        description = self.keep("too_large")
        description["implementations"][0]["presets"] = {"default": {"THREADS": 1048576, "SHARED": 256}}
        self.path.write_text(json.dumps(description))
        result = self.run_command(*self.words, "--quiet", device=DEVICE)
        self.assertEqual(result.code, 1, result)
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.assertTrue(result.err.startswith("tune: no configuration of faults fits"), result)
        self.assert_sound()

    def start_what_never_ends(self):
        description = self.keep("sound", "unsound")
        sound, unsound = description["implementations"]
        sound["constraints"] = ["BLOCK == 64"]
        unsound["constraints"] = ["MODE == 'endless'"]
        unsound["presets"] = {}
        self.path.write_text(json.dumps(description))
        words = [word if word != "10s" else "500s" for word in self.words]
        # One compiler: the default is through before the endless one comes.
        running = self.start(*words, "--quiet", "--jobs", "1")
        wait_until(lambda: self.trial_count() == 1, what="the first trial")
        time.sleep(5)
        self.assertIsNone(running.poll())
        return running

    def test_ctrl_c_while_a_kernel_never_ends(self):
        running = self.start_what_never_ends()
        stopped_at = time.monotonic()
        os.killpg(running.pid, signal.SIGINT)
        result = self.finish(running)
        self.assertEqual(result.code, 130, result)
        self.assertLess(time.monotonic() - stopped_at, 100)
        self.assertEqual(session_processes(running.pid), [])
        self.assert_sound()

    def test_kill_while_a_kernel_never_ends(self):
        running = self.start_what_never_ends()
        running.kill()
        running.wait()
        wait_until(lambda: not session_processes(running.pid), what="the workers to end")
        self.assert_sound()


if __name__ == "__main__":
    support.main()

#!/usr/bin/env python3
"""Search strategies of Kernel Tuner and of tune, replayed on the same recordings, side by side.

    python3 -m venv venv && venv/bin/pip install kernel-tuner
    venv/bin/python tools/compare-strategies.py --tune build/release/bin/tune FILE.json.gz...

A file is a Kernel Tuner cache, packed with gzip or not. Kernel Tuner replays it in its simulation mode: its space is
the configurations that the file lists, and trials are distinct configurations, as for tune simulate. For each
strategy the median number of trials to within 10, 5, 2 and 1% of the best is printed, and how far from the best it is
after 100 trials and at the end, over the seeds; "-" where more than half of the seeds never come so near. Kernel
Tuner's lines also go to the standard error as they are done: a file takes a minute or two for each seed.
"""

import argparse
import contextlib
import gzip
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

TARGETS = (0.10, 0.05, 0.02, 0.01)
EARLY = 100


def read(path):
    """The cache, with failures under "__error__" too, where this version of Kernel Tuner looks."""
    opener = gzip.open if path.read_bytes()[:2] == b"\x1f\x8b" else open
    with opener(path, "rt") as file:
        cache = json.load(file)
    for entry in cache["cache"].values():
        if isinstance(entry.get("time"), str):
            entry["__error__"] = entry["time"]
        for part in ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"):
            entry.setdefault(part, 0)
        entry.setdefault("times", [entry["time"]])
        entry.setdefault("timestamp", "2024-01-01 00:00:00+00:00")
    cache.setdefault("problem_size", 1)
    return cache


def time_of(entry):
    time = entry.get("time")
    return time if isinstance(time, (int, float)) and "__error__" not in entry else math.inf


class Listed:
    """Kernel Tuner on the configurations that a file lists."""

    def __init__(self, path, folder):
        self.cache = read(path)
        self.keys = self.cache["tune_params_keys"]
        entries = list(self.cache["cache"].values())
        values = {key: {json.dumps(entry[key]): entry[key] for entry in entries} for key in self.keys}
        self.parameters = {key: sorted(values[key].values(), key=lambda v: (isinstance(v, str), v)) for key in self.keys}
        self.listed = [tuple(entry[key] for key in self.keys) for entry in entries]
        # Kernel Tuner looks for results under their values, and for these header members.
        self.cache.update(tune_params=self.parameters, objective="time",
                          cache={",".join(str(entry[key]) for key in self.keys): entry for entry in entries})
        self.best = min(time_of(entry) for entry in entries)
        self.path = pathlib.Path(folder) / "cache.json"
        self.path.write_text(json.dumps(self.cache))

    def search(self, strategy, trials, seed):
        """The times of the distinct configurations that one search tries, in order."""
        import kernel_tuner
        import kernel_tuner.searchspace
        import numpy

        random.seed(seed)
        numpy.random.seed(seed)
        tried = {}

        class Seen(dict):
            """Kernel Tuner's cache, which sees what is looked up."""

            def __getitem__(self, key):
                value = super().__getitem__(key)
                tried.setdefault(key, time_of(value))
                return value

        # Its way to say what a space is would have it evaluate each point of the whole product.
        searchspace = kernel_tuner.searchspace.Searchspace
        build = "_Searchspace__build_searchspace"
        originals = kernel_tuner.util.process_cache, getattr(searchspace, build)
        number = {point: i for i, point in enumerate(self.listed)}
        setattr(searchspace, build, lambda *_: (list(number), dict(number), len(number)))
        kernel_tuner.util.process_cache = lambda *words, **named: Seen(originals[0](*words, **named))
        try:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), \
                    contextlib.redirect_stderr(nowhere):
                kernel_tuner.tune_kernel(
                    self.cache.get("kernel_name", "kernel"), "__global__ void kernel() {}", self.cache["problem_size"],
                    [], dict(self.parameters), lang="CUDA", cache=str(self.path), simulation_mode=True,
                    strategy=strategy, strategy_options={"max_fevals": trials}, iterations=32, quiet=True)
        finally:
            kernel_tuner.util.process_cache = originals[0]
            setattr(searchspace, build, originals[1])
        return list(tried.values())[:trials]


def median(values):
    """As tune has it: the lower of the two in the middle."""
    return sorted(values)[(len(values) - 1) // 2]


def theirs(path, strategies, seeds, trials):
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        space = Listed(path, folder)
        for strategy in strategies:
            reached, early, late, problem = {target: [] for target in TARGETS}, [], [], None
            for seed in range(1, seeds + 1):
                try:
                    times = space.search(strategy, trials, seed)
                except Exception as error:  # what a strategy of theirs makes of a space is not ours to judge
                    problem = f"{type(error).__name__}: {error}".splitlines()[0][:80]
                    break
                for target in TARGETS:
                    near = [i for i, time in enumerate(times, 1) if time <= space.best * (1 + target)]
                    reached[target].append(near[0] if near else math.inf)
                early.append(min(times[:EARLY], default=math.inf) / space.best - 1)
                late.append(min(times, default=math.inf) / space.best - 1)
            rows[strategy] = problem or ([median(reached[t]) for t in TARGETS], median(early), median(late), max(late))
            print(line(strategy, rows[strategy]), file=sys.stderr, flush=True)
    return rows


def ours(tune, path, strategies, seeds, trials):
    words = [word for strategy in strategies for word in ("--strategy", strategy)]
    out = subprocess.run([tune, "simulate", path, *words, "--seeds", str(seeds), "--trials", str(trials), "--json"],
                         check=True, stdout=subprocess.PIPE).stdout
    rows = {}
    for row in json.loads(out)["files"][0]["strategies"]:
        none = lambda value: math.inf if value is None else value
        rows[row["strategy"]] = ([none(row["trials_to"][f"{round(t * 100)}%"][1]) for t in TARGETS],
                                 none(row["gap_after_100"][1]), none(row["gap_at_end"][1]),
                                 none(row["worst_gap_at_end"]))
    return rows


def line(name, row):
    if isinstance(row, str):
        return f"  {name:<32}  {row}"
    reached, early, late, worst = row
    cells = "".join(f"{'-' if math.isinf(value) else value:>8}" for value in reached)
    return f"  {name:<32}{cells}{early:>12.2%}{late:>10.2%}{worst:>10.2%}"


def show(title, rows):
    print(f"{title:<34}" + "".join(f"{f'to {t:.0%}':>8}" for t in TARGETS) + f"{'after ' + str(EARLY):>12}"
          + f"{'at end':>10}{'worst':>10}")
    for name, row in rows.items():
        print(line(name, row))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--tune", required=True, help="the program tune")
    parser.add_argument("--strategy", action="append", help="of tune; may be repeated; default: all")
    parser.add_argument("--theirs", default="adaptive_tabu_greywolf,hybrid_vndx,genetic_algorithm,diff_evo,"
                        "simulated_annealing,dual_annealing,firefly_algorithm,pso,mls,greedy_mls,greedy_ils,"
                        "ordered_greedy_mls,basinhopping,bayes_opt,minimize,random_sample",
                        help="strategies of Kernel Tuner, with commas; empty: none")
    parser.add_argument("--seeds", type=int, default=13, help="of Kernel Tuner's strategies")
    parser.add_argument("--our-seeds", type=int, default=100)
    parser.add_argument("--trials", type=int, default=400)
    options = parser.parse_args()
    strategies = [name for name in options.theirs.split(",") if name]
    if strategies:
        try:
            import kernel_tuner  # noqa: F401
        except ImportError:
            parser.error("Kernel Tuner is not installed for this Python: pip install kernel-tuner")
    for path in options.files:
        print(f"\n{path.name}, {options.trials} trials")
        if strategies:
            show(f"Kernel Tuner, {options.seeds} seeds", theirs(path, strategies, options.seeds, options.trials))
        show(f"tune, {options.our_seeds} seeds",
             ours(options.tune, path, options.strategy or ["all"], options.our_seeds, options.trials))


if __name__ == "__main__":
    main()

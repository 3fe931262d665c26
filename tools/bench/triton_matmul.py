#!/usr/bin/env python3
"""Triton's autotuned matrix product beside bench's contenders, for the same shapes.

    tools/bench/triton_matmul.py --shapes tools/bench/shapes/tensor.txt --dtype bf16 --trans nt
    tools/bench/triton_matmul.py --shape 4096x4096x1024 --dtype f16 --beside results.json --json

The kernel is the one that people begin with: tiles in a grouped order, a loop over K with masks, and
`triton.autotune` over a list of configurations. It is measured by bench's rules: buffers rotate and together
exceed twice the L2 cache, or the cache is filled with something else before each batch; a time is that of a
batch over its calls, a figure the median of the rounds with its interval; rounds alternate with torch.matmul
(cuBLAS), which ties these figures to bench's, where it is `cuBLAS gemm`. Triton's launches take the host
longer than small kernels run, so that batches are CUDA graphs, behind a kernel that waits until they are
queued.

--beside takes what `bench --json` wrote and adds its times for the same problems.
"""

import argparse
import json
import math
import sys

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as error:
    sys.exit(f"triton_matmul.py: {error.name} is not installed; this needs PyTorch and Triton")

SEED = 1
BATCH_SECONDS, MAX_CALLS = 4.5e-3, 250
MIN_SETS, MAX_SETS = 5, 256
ENOUGH_SECONDS, LEAST_ROUNDS, MOST_ROUNDS = 50e-3, 11, 101
CONFIDENCE = 0.95
WAIT_CYCLES = 2_000_000  # about a millisecond: longer than queueing a graph takes
CHECKED_ROWS = 256
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16}

# BM, BN, BK, stages, warps. What takes more shared memory than there is, Triton leaves out.
CONFIGURATIONS = [
    (256, 128, 64, 3, 8), (256, 128, 64, 4, 8), (128, 256, 64, 3, 8), (128, 256, 64, 4, 8), (128, 128, 64, 3, 8),
    (128, 128, 64, 4, 8), (128, 128, 64, 3, 4), (128, 128, 64, 4, 4), (128, 128, 32, 4, 4), (256, 64, 64, 4, 4),
    (64, 256, 64, 4, 4), (64, 256, 32, 4, 4), (128, 64, 64, 4, 4), (128, 64, 32, 4, 4), (64, 128, 64, 4, 4),
    (64, 128, 32, 4, 4), (64, 64, 64, 4, 4), (64, 64, 128, 3, 4), (128, 32, 64, 4, 4), (32, 128, 64, 4, 4),
    (64, 32, 32, 5, 2), (32, 64, 32, 5, 2), (32, 64, 128, 4, 4), (16, 64, 128, 4, 4), (16, 128, 64, 5, 4),
]


def configurations():
    return [triton.Config({"BM": bm, "BN": bn, "BK": bk, "GROUP": 8}, num_stages=stages, num_warps=warps)
            for bm, bn, bk, stages, warps in CONFIGURATIONS]


@triton.autotune(configs=configurations(), key=["M", "N", "K", "a_row", "b_row"])
@triton.jit
def multiply(a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row,
             BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    # GROUP rows of tiles at a time, column by column, so that neighbours share operands in the L2 cache.
    block = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    a_group = GROUP * tl.cdiv(N, BN)
    first = block // a_group * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m = first + block % a_group % height
    tile_n = block % a_group // height

    # Rows and columns past the end are others once more, whose results are not stored.
    m = (tile_m * BM + tl.arange(0, BM)) % M
    n = (tile_n * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    left = a + m[:, None] * a_row + k[None, :] * a_column
    right = b + k[:, None] * b_row + n[None, :] * b_column
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(tl.cdiv(K, BK)):
        remaining = K - step * BK
        x = tl.load(left, mask=k[None, :] < remaining, other=0.0)
        y = tl.load(right, mask=k[:, None] < remaining, other=0.0)
        total = tl.dot(x, y, total)
        left += BK * a_column
        right += BK * b_row

    m = tile_m * BM + tl.arange(0, BM)
    n = tile_n * BN + tl.arange(0, BN)
    tl.store(c + m[:, None] * c_row + n[None, :], total.to(c.dtype.element_ty),
             mask=(m[:, None] < M) & (n[None, :] < N))


def triton_product(a, b, c):
    (m, k), n = a.shape, b.shape[1]
    multiply[lambda tile: (triton.cdiv(m, tile["BM"]) * triton.cdiv(n, tile["BN"]),)](
        a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0))


def torch_product(a, b, c):
    torch.matmul(a, b, out=c)


CONTENDERS = {"triton": triton_product, "torch.matmul": torch_product}


class Problem:
    """A product, and its sets of buffers with the same data in each."""

    def __init__(self, sizes, dtype, trans):
        self.m, self.n, self.k = sizes
        self.key = f"M={self.m},N={self.n},K={self.k};dtype={dtype},trans={trans}"
        self.flops = 2.0 * self.m * self.n * self.k
        kind = TYPES[dtype]
        self.limit = 1e-2 + 8 * torch.finfo(kind).eps  # as bench has it
        cache = torch.cuda.get_device_properties(0).L2_cache_size
        one = kind.itemsize * (self.m * self.k + self.k * self.n + self.m * self.n)
        count = min(max(2 * cache // one + 1, MIN_SETS), MAX_SETS, max(1, torch.cuda.mem_get_info()[0] // 2 // one))
        random = torch.Generator("cuda").manual_seed(SEED)

        def uniform(rows, columns, turned):
            stored = (columns, rows) if turned else (rows, columns)
            return (2 * torch.rand(stored, generator=random, device="cuda") - 1).to(kind)

        a, b = uniform(self.m, self.k, trans[0] == "t"), uniform(self.k, self.n, trans[1] == "t")
        self.sets = []
        for _ in range(count):
            left, right = a.clone(), b.clone()
            self.sets.append((left.T if trans[0] == "t" else left, right.T if trans[1] == "t" else right,
                              torch.empty((self.m, self.n), dtype=kind, device="cuda")))
        self.flush = torch.empty(2 * cache, dtype=torch.int8, device="cuda") if count * one <= 2 * cache else None

    def errors(self, call):
        """The largest and the RMS error of the first rows against double, over the answer's RMS."""
        a, b, c = self.sets[0]
        c.fill_(math.nan)
        call(a, b, c)
        right = a[:CHECKED_ROWS].double() @ b.double()
        difference = c[:CHECKED_ROWS].double() - right
        scale = right.square().mean().sqrt()
        return (difference.abs().max() / scale).item(), (difference.square().mean().sqrt() / scale).item()


class Player:
    """A contender at a problem: its batch as a graph."""

    def __init__(self, problem, call):
        self.problem, self.times = problem, []
        self.errors = problem.errors(call)
        self.calls = 1
        for _ in range(2):  # the first pays for loading
            self.capture(call)
            seconds = self.time()
        most = min(MAX_CALLS, len(problem.sets)) if problem.flush is not None else MAX_CALLS
        self.calls = max(1, min(math.ceil(BATCH_SECONDS / seconds), most))
        self.capture(call)
        self.batch_seconds = self.time() * self.calls

    def capture(self, call):
        sets = self.problem.sets
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for i in range(self.calls):
                call(*sets[i % len(sets)])

    def time(self):
        """Seconds of one call."""
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        if self.problem.flush is not None:
            self.problem.flush.zero_()
        torch.cuda.synchronize()
        torch.cuda._sleep(WAIT_CYCLES)
        start.record()
        self.graph.replay()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3 / self.calls

    def summary(self):
        """Median, and its interval from ranks: it misses the median as often as a coin falls so unevenly."""
        times, count = sorted(self.times), len(self.times)
        rank, missed = 0, 2 * 0.5**count
        while 2 * (rank + 1) < count and missed + 2 * math.comb(count, rank + 1) * 0.5**count <= 1 - CONFIDENCE:
            rank += 1
            missed += 2 * math.comb(count, rank) * 0.5**count
        median = (times[(count - 1) // 2] + times[count // 2]) / 2
        return {"median_us": 1e6 * median, "low_us": 1e6 * times[rank], "high_us": 1e6 * times[-1 - rank],
                "calls": self.calls, "rate": self.problem.flops / median * 1e-12,
                "max_error": self.errors[0], "rms_error": self.errors[1],
                "wrong": not self.errors[0] < self.problem.limit}


def compare(sizes, dtype, trans, rounds):
    problem = Problem(sizes, dtype, trans)
    players = {name: Player(problem, call) for name, call in CONTENDERS.items()}
    if rounds is None:
        least = min(player.batch_seconds for player in players.values())
        rounds = max(LEAST_ROUNDS, min(math.ceil(ENOUGH_SECONDS / least), MOST_ROUNDS))
    order = list(players.values())
    for r in range(rounds):
        for i in range(len(order)):
            player = order[(r + i) % len(order)]
            player.times.append(player.time())
    report = {"problem": problem.key, "rounds": rounds, "buffer_sets": len(problem.sets),
              "configuration": str(multiply.best_config)}
    report.update({name: player.summary() for name, player in players.items()})
    report["ratio"] = report["torch.matmul"]["median_us"] / report["triton"]["median_us"]
    return report


def read_shapes(path):
    """[(sizes, attributes)] of the lines that are gemm's, as bench reads them."""
    shapes = []
    with open(path) as file:
        for line in file:
            words = line.split("#")[0].split()
            kernel = words.pop(0) if words and words[0][0].isalpha() else "gemm"
            if words and kernel == "gemm":
                shapes.append((sizes_of(words[0]), dict(word.split("=") for word in words[1:])))
    return shapes


def sizes_of(word):
    sizes = word.split("x")
    if len(sizes) != 3 or not all(size.isdecimal() and int(size) > 0 for size in sizes):
        raise argparse.ArgumentTypeError(f"{word}: gemm wants 3 sizes, as in 4096x4096x1024")
    return tuple(map(int, sizes))


def read_bench(path):
    """{problem: {contender: its times}} of what `bench --json` wrote."""
    with open(path) as file:
        try:
            problems = json.load(file)["problems"]
            return {p["problem"]: {c["name"]: c for c in p["contenders"] if c["timed"]} for p in problems}
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}: is not what bench --json writes") from None


def print_table(reports, file):
    beside = any("bench" in report for report in reports)
    print(f"{torch.cuda.get_device_name(0)}, Triton {triton.__version__}, PyTorch {torch.__version__}; medians in us, "
          "caches cold; torch/triton: above 1, Triton is faster", file=file)
    print(f"{'':46} {'triton':>9} {'torch':>9} {'TFLOP/s':>8} {'torch/triton':>12} {'rms error':>10}"
          + (f" {'tilewise':>9} {'cuBLAS':>9} {'triton/tilewise':>15}" if beside else ""), file=file)
    for report in reports:
        ours, other = report["triton"], report["torch.matmul"]
        line = (f"{report['problem']:46} {ours['median_us']:9.2f} {other['median_us']:9.2f} {ours['rate']:8.1f} "
                f"{report['ratio']:12.3f} {ours['rms_error']:10.3g}")
        if "bench" in report:
            times = [report["bench"].get(name) for name in ("tilewise", "cuBLAS gemm")]
            line += "".join(f" {time['median_us']:9.2f}" if time else f" {'-':>9}" for time in times)
            if times[0]:
                line += f" {ours['median_us'] / times[0]['median_us']:15.3f}"
        print(line + (" WRONG" if ours["wrong"] else ""), file=file)
    mean = math.exp(sum(math.log(report["ratio"]) for report in reports) / len(reports))
    print(f"torch/triton: geometric mean {mean:.3f} of {len(reports)}", file=file)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"triton_matmul.py: {message}; see --help\n")


def take_options():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", action="append", type=sizes_of, default=[], metavar="MxNxK")
    parser.add_argument("--shapes", metavar="FILE", help="a problem a line, as bench reads them")
    parser.add_argument("--dtype", choices=TYPES, default="bf16")
    parser.add_argument("--trans", choices=["nn", "nt", "tn", "tt"], default="nn")
    parser.add_argument("--rounds", type=int, choices=range(LEAST_ROUNDS, MOST_ROUNDS + 1),
                        metavar=f"{LEAST_ROUNDS}..{MOST_ROUNDS}", help="default: as many as the times need")
    parser.add_argument("--beside", metavar="FILE", help="what bench --json wrote")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("-o", "--output", metavar="FILE")
    options = parser.parse_args()
    try:
        options.wanted = [(sizes, {}) for sizes in options.shape]
        options.wanted += read_shapes(options.shapes) if options.shapes else []
        options.stored = read_bench(options.beside) if options.beside else {}
    except (OSError, ValueError, argparse.ArgumentTypeError) as error:
        parser.error(str(error))
    if not options.wanted:
        parser.error("which shape? give --shape 4096x4096x1024 or --shapes FILE")
    for _, attributes in options.wanted:
        if attributes.get("dtype", options.dtype) not in TYPES:
            parser.error(f"dtype {attributes['dtype']}: this compares {' and '.join(TYPES)}")
    return options


def main():
    options = take_options()
    if not torch.cuda.is_available():
        sys.exit("triton_matmul.py: there is no GPU that PyTorch can use")
    reports = []
    for sizes, attributes in options.wanted:
        report = compare(sizes, attributes.get("dtype", options.dtype), attributes.get("trans", options.trans),
                         options.rounds)
        if report["problem"] in options.stored:
            report["bench"] = options.stored[report["problem"]]
        reports.append(report)
        torch.cuda.empty_cache()
    with open(options.output, "w") if options.output else sys.stdout as file:
        if options.json:
            json.dump({"device": torch.cuda.get_device_name(0), "triton": triton.__version__,
                       "torch": torch.__version__, "problems": reports}, file, indent=2)
            print(file=file)
        else:
            print_table(reports, file)
    sys.exit(any(report["triton"]["wrong"] for report in reports))


if __name__ == "__main__":
    main()

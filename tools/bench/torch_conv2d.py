#!/usr/bin/env python3
"""PyTorch's conv2d beside bench's contenders, for the same layers: the fastest plan that cuDNN proposes to it.

    tools/bench/torch_conv2d.py --shapes tools/bench/shapes/resnet50.txt --attr layout=nhwc --attr dtype=bf16
    tools/bench/torch_conv2d.py --shapes tools/bench/shapes/vgg16.txt --beside results.json --json

With torch.backends.cudnn.benchmark PyTorch measures every plan that cuDNN's graph interface proposes for a layer,
and keeps the fastest; f32 is computed without tf32 unless compute=tf32 asks for it. Measured by bench's rules:
buffers rotate and together exceed twice the L2 cache, a time is that of a batch over its calls, captured as a CUDA
graph, a figure the median of the rounds with its interval.

--beside takes what `bench --json` wrote and adds its times for the same problems.
"""

import argparse
import json
import math
import sys

try:
    import torch
except ImportError as error:
    sys.exit(f"torch_conv2d.py: {error.name} is not installed; this needs PyTorch")

SEED = 1
BATCH_SECONDS, MAX_CALLS = 4.5e-3, 250
MIN_SETS, MAX_SETS = 5, 256
LEAST_ROUNDS = 11
CONFIDENCE = 0.95
WAIT_CYCLES = 2_000_000  # about a millisecond: longer than queueing a graph takes
TYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}
NAMES = ("IMAGES", "CHANNELS", "IN_H", "IN_W", "FILTERS", "R", "S")
NUMBERS = {"stride_h": 1, "stride_w": 1, "pad_h": 0, "pad_w": 0, "dilation_h": 1, "dilation_w": 1, "groups": 1}
WORDS = {"dtype": ("f32", tuple(TYPES)), "layout": ("nchw", ("nchw", "nhwc")),
         "compute": ("default", ("default", "tf32", "direct"))}


class Layer:
    """A convolution, and its sets of buffers with the same data in each."""

    def __init__(self, sizes, attributes):
        n, c, h, w, k, r, s = sizes
        words = {name: attributes.get(name, default) for name, (default, _) in WORDS.items()}
        self.numbers = {name: int(attributes.get(name, default)) for name, default in NUMBERS.items()}
        self.key = dict(zip(NAMES, sizes)), {**words, **self.numbers}
        self.text = "x".join(map(str, sizes)) + " " + " ".join(
            f"{name}={value}" for name, value in attributes.items())
        self.tf32 = words["compute"] == "tf32"
        kind = TYPES[words["dtype"]]
        memory = torch.channels_last if words["layout"] == "nhwc" else torch.contiguous_format
        random = torch.Generator("cuda").manual_seed(SEED)

        def uniform(*shape):
            numbers = 2 * torch.rand(shape, generator=random, device="cuda") - 1
            return numbers.to(kind).to(memory_format=memory)

        image, filters = uniform(n, c, h, w), uniform(k, c // self.numbers["groups"], r, s)
        with torch.no_grad():
            result = self.convolve(image, filters)
        self.flops = 2.0 * result.numel() * filters[0].numel()
        cache = torch.cuda.get_device_properties(0).L2_cache_size
        one = kind.itemsize * (image.numel() + filters.numel() + result.numel())
        free = torch.cuda.mem_get_info()[0]
        count = min(max(2 * cache // one + 1, MIN_SETS), MAX_SETS, max(1, free // 2 // one))
        self.sets = [(image.clone(), filters.clone()) for _ in range(count)]

    def convolve(self, image, filters):
        of = self.numbers
        torch.backends.cudnn.allow_tf32 = self.tf32
        return torch.nn.functional.conv2d(
            image, filters, None, (of["stride_h"], of["stride_w"]), (of["pad_h"], of["pad_w"]),
            (of["dilation_h"], of["dilation_w"]), of["groups"])

    def rms_error(self):
        """Of the first image against double, over the answer's RMS."""
        image, filters = self.sets[0]
        got = self.convolve(image, filters)[:1].double()
        right = self.convolve(image[:1].double(), filters.double())
        return ((got - right).square().mean() / right.square().mean()).sqrt().item()

    def capture(self, calls):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for i in range(calls):
                self.convolve(*self.sets[i % len(self.sets)])
        return graph


def seconds_of(graph, calls):
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    torch.cuda._sleep(WAIT_CYCLES)
    start.record()
    graph.replay()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e-3 / calls


def interval(times):
    """Median, and its interval from ranks: it misses the median as often as a coin falls so unevenly."""
    times, count = sorted(times), len(times)
    rank, missed = 0, 2 * 0.5**count
    while 2 * (rank + 1) < count and missed + 2 * math.comb(count, rank + 1) * 0.5**count <= 1 - CONFIDENCE:
        rank += 1
        missed += 2 * math.comb(count, rank) * 0.5**count
    return (times[(count - 1) // 2] + times[count // 2]) / 2, times[rank], times[-1 - rank]


def measure(layer, rounds):
    error = layer.rms_error()  # has PyTorch choose among the engines
    once = layer.capture(1)
    seconds_of(once, 1)
    calls = max(1, min(math.ceil(BATCH_SECONDS / seconds_of(once, 1)), MAX_CALLS))
    graph = layer.capture(calls)
    seconds_of(graph, calls)
    median, low, high = interval([seconds_of(graph, calls) for _ in range(rounds)])
    return {"median_us": 1e6 * median, "low_us": 1e6 * low, "high_us": 1e6 * high, "calls": calls,
            "rate": layer.flops / median * 1e-12, "rms_error": error, "buffer_sets": len(layer.sets)}


def key_of(text):
    """What `bench --json` says of a problem, in the form of Layer.key."""
    sizes, _, attributes = text.partition(";")
    given = dict(word.split("=") for word in attributes.split(",") if word)
    words = {name: given.get(name, default) for name, (default, _) in WORDS.items()}
    numbers = {name: int(given.get(name, default)) for name, default in NUMBERS.items()}
    return {name: int(size) for name, size in (word.split("=") for word in sizes.split(","))}, {**words, **numbers}


def read_bench(path):
    with open(path) as file:
        try:
            return [(key_of(p["problem"]), {c["name"]: c["median_us"] for c in p["contenders"] if c["timed"]})
                    for p in json.load(file)["problems"] if p["kernel"] == "conv2d"]
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}: is not what bench --json writes") from None


def sizes_of(word):
    sizes = word.split("x")
    if len(sizes) != len(NAMES) or not all(size.isdecimal() and int(size) > 0 for size in sizes):
        raise argparse.ArgumentTypeError(f"{word}: a convolution has 7 sizes, as in 32x64x56x56x64x3x3")
    return tuple(map(int, sizes))


def attribute_of(word):
    name, _, value = word.partition("=")
    if name in WORDS and value in WORDS[name][1] or name in NUMBERS and value.isdecimal():
        return name, value
    raise argparse.ArgumentTypeError(f"{word}: there are {', '.join((*WORDS, *NUMBERS))}, as in layout=nhwc")


def read_shapes(path):
    with open(path) as file:
        lines = [line.split("#")[0].split() for line in file]
    return [(sizes_of(words[1]), dict(map(attribute_of, words[2:]))) for words in lines
            if words and words[0] == "conv2d"]


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"torch_conv2d.py: {message}; see --help\n")


def take_options():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", action="append", type=sizes_of, default=[], metavar="NxCxHxWxKxRxS")
    parser.add_argument("--shapes", metavar="FILE", help="a problem a line, as bench reads them")
    parser.add_argument("--attr", action="append", type=attribute_of, default=[], metavar="NAME=WORD")
    parser.add_argument("--rounds", type=int, default=LEAST_ROUNDS)
    parser.add_argument("--beside", metavar="FILE", help="what bench --json wrote")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("-o", "--output", metavar="FILE")
    options = parser.parse_args()
    try:
        options.wanted = [(sizes, {}) for sizes in options.shape]
        options.wanted += read_shapes(options.shapes) if options.shapes else []
        options.stored = read_bench(options.beside) if options.beside else []
    except (OSError, ValueError, argparse.ArgumentTypeError) as error:
        parser.error(str(error))
    if not options.wanted:
        parser.error("which layer? give --shape 32x64x56x56x64x3x3 or --shapes FILE")
    if options.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds {options.rounds}: at least {LEAST_ROUNDS}")
    return options


def print_table(reports, file):
    print(f"{torch.cuda.get_device_name(0)}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}; "
          "medians in us, caches cold; torch/tilewise: above 1, tilewise is faster", file=file)
    print(f"{'':72} {'torch':>9} {'TFLOP/s':>8} {'rms error':>10} {'tilewise':>9} {'cuDNN':>9} {'torch/tilewise':>14}",
          file=file)
    for report in reports:
        beside = report.get("bench", {})
        line = f"{report['problem']:72} {report['median_us']:9.2f} {report['rate']:8.1f} {report['rms_error']:10.3g}"
        for name in ("tilewise", "cuDNN best"):
            line += f" {beside[name]:9.2f}" if name in beside else f" {'-':>9}"
        print(line + (f" {report['ratio']:14.3f}" if "ratio" in report else ""), file=file)
    ratios = [report["ratio"] for report in reports if "ratio" in report]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"torch/tilewise: geometric mean {mean:.3f} of {len(ratios)}, least {min(ratios):.3f}", file=file)


def main():
    options = take_options()
    if not torch.cuda.is_available():
        sys.exit("torch_conv2d.py: there is no GPU that PyTorch can use")
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.benchmark_limit = 0  # all plans
    reports = []
    with torch.no_grad():
        for sizes, attributes in options.wanted:
            layer = Layer(sizes, {**attributes, **dict(options.attr)})
            report = {"problem": layer.text, **measure(layer, options.rounds)}
            report["bench"] = next((times for key, times in options.stored if key == layer.key), {})
            if "tilewise" in report["bench"]:
                report["ratio"] = report["median_us"] / report["bench"]["tilewise"]
            reports.append(report)
            del layer
            torch.cuda.empty_cache()
    with open(options.output, "w") if options.output else sys.stdout as file:
        if options.json:
            json.dump({"device": torch.cuda.get_device_name(0), "torch": torch.__version__,
                       "cudnn": torch.backends.cudnn.version(), "problems": reports}, file, indent=2)
            print(file=file)
        else:
            print_table(reports, file)


if __name__ == "__main__":
    main()

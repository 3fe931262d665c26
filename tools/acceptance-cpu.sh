#!/usr/bin/env bash
# What the CPU path promises: a minute of tuning makes a matrix product at least five times as fast as
# the naive kernel, and `tune apply` reproduces it. Takes the program to try, or builds one.
set -euo pipefail
cd "$(dirname "$0")/.."
tune=${1:-}
if [ -z "$tune" ]; then
    tools/setup.sh
    [ -f build/release/CMakeCache.txt ] || cmake --preset release -G Ninja > /dev/null
    cmake --build build/release --target tune --parallel | tail -n 1
    tune=build/release/bin/tune
fi
db=$(mktemp -d)/tuned.db
trap 'rm -rf "$(dirname "$db")"' EXIT
words=(gemm --shape 512x512x512 --device opencl --db "$db")

"$tune" "${words[@]}" --budget 60s
"$tune" apply "${words[@]}"
show=$("$tune" show --db "$db" --json)
apply=$("$tune" apply "${words[@]}" --json)
python3 - "$show" "$apply" << 'END'
import json, sys

best, applied = json.loads(sys.argv[1])[0], json.loads(sys.argv[2])
ratio = best["presets_us"]["naive"] / best["time_us"]
again = applied["time_us"] / best["time_us"]
same = applied["rule"] == "exact" and applied["configuration"] == best["configuration"]
print(f"{ratio:.1f} times as fast as naive (5 are promised)")
print(f"apply: {'the same' if same else 'ANOTHER'} configuration, {again:.2f} times the stored time")
sys.exit(0 if ratio >= 5 and same and again < 1.5 else 1)
END

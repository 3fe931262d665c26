#!/usr/bin/env bash
# A first look, from a fresh checkout on: builds tune, tunes a matrix product for a minute on the best
# device here, and runs what an application would now get. Words given go to `tune`, as in
# tools/try.sh --device opencl.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh
if [ ! -f build/release/CMakeCache.txt ]; then
    cmake --preset release -G Ninja > /dev/null
fi
cmake --build build/release --target tune --parallel | tail -n 1
tune=build/release/bin/tune

# The default device is listed first. A CPU gets a shape at which its minute goes to variants, and not to
# waiting for the slow ones that show what tuning brings.
shape=4096x4096x1024
if "$tune" devices --json | grep -m 1 '"cpu"' | grep -q true; then
    shape=256x256x256
fi
echo "\$ tune --shape $shape --budget 60s $*"
"$tune" --shape "$shape" --budget 60s "$@"
echo "\$ tune apply --shape $shape $*"
"$tune" apply --shape "$shape" "$@"

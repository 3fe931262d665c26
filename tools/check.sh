#!/usr/bin/env bash
# Everything that must pass, from a fresh checkout on: the set-up, the formatting, two builds with all
# their tests, a short run of the fuzz targets, and the builds that leave a backend out. Ends with the tests' summaries.
set -euo pipefail
cd "$(dirname "$0")/.."
began=$SECONDS
failures=()
summary=()
export CTEST_OUTPUT_ON_FAILURE=1

# Runs a step, with its name before and its time after. What comes later runs even if it fails.
step() {
    local name=$1 start=$SECONDS verdict=passed status=0
    shift
    echo "== $name"
    # Not in an `if`, which would turn `set -e` off inside.
    set +e
    (
        set -e
        "$@"
    )
    status=$?
    set -e
    if [ "$status" != 0 ]; then
        verdict=FAILED
        failures+=("$name")
    fi
    summary+=("$(printf '%-28s %-6s %5d s' "$name" "$verdict" $((SECONDS - start)))")
    echo "== ${summary[-1]}"
}

formatting() {
    find db runtime tuner tests tools -name '*.[ch]' -print0 |
        xargs -0 clang-format --dry-run -Werror
}

# Configures and builds build/NAME; further words go to CMake.
build() {
    local name=$1
    shift
    [ -f "build/$name/CMakeCache.txt" ] || set -- -G Ninja "$@"
    if [ "$name" = release ] || [ "$name" = asan ] || [ "$name" = fuzz ]; then
        # What PoCL compiled for one build's tests it need not compile for another's.
        set -- --preset "$name" "-DTILEWISE_POCL_CACHE=$PWD/build/pocl" "$@"
    else
        set -- -S . -B "build/$name" "$@"
    fi
    mkdir -p build
    cmake "$@" > build/configure.log 2>&1 || {
        cat build/configure.log
        return 1
    }
    grep -E 'backend|left out' build/configure.log || true
    cmake --build "build/$name" --parallel | tail -n 40
}

# One more at a time than there are cores: some wait for processes that they start or stop.
tests() {
    ctest --test-dir "build/$1" --parallel "$(($(nproc) + 1))" "${@:2}" 2>&1 | tee "build/$1/check.log"
}

# For the fuzz targets, for bench to compare with, for tune-mpi, and for packages.
tools/setup.sh clang libclang-rt-dev libopenblas0-pthread libopenmpi-dev openmpi-bin dpkg-dev file
step "formatting" formatting
step "build without CUDA" build without-cuda -DTILEWISE_CUDA=OFF -DTILEWISE_TESTS=OFF
step "build without OpenCL" build without-opencl -DTILEWISE_OPENCL=OFF -DTILEWISE_TESTS=OFF
step "build release" build release
step "build asan" build asan
step "build fuzz targets" build fuzz
step "tests, release" tests release
# The end-to-end tests and NVRTC, which run in the release build, would take the sanitizers too long.
step "tests, asan" tests asan -LE "e2e|nvrtc"
step "fuzz targets, a short run" tests fuzz

echo
printf '%s\n' "${summary[@]}"
printf '%-28s %-6s %5d s\n' "in all" "" $((SECONDS - began))
for name in release asan fuzz; do
    echo "$name: $(grep -E 'tests passed|No tests' "build/$name/check.log" || echo 'no summary')"
done
if [ ${#failures[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failures[@]}"
    exit 1
fi

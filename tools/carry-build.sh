#!/usr/bin/env bash
# Makes a build that can be carried to a machine that builds nothing: the stripped programs and
# benchmarks, the test programs, the libraries they need, the shapes to compare at, and the end-to-end
# tests. tools/run-cuda-tests.sh runs those there.
#
#     tools/carry-build.sh [BUILD_DIR [TARGET_DIR]]      default: build/release build/carry
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
target=${2:-build/carry}

rm -rf "${target:?}"/{bin,tests,lib,e2e,shapes,python}
mkdir -p "$target/bin" "$target/tests" "$target/lib"
for program in "$build"/bin/*; do
    strip -o "$target/bin/$(basename "$program")" "$program"
done
for program in "$build"/tests/test_*; do
    if [ -f "$program" ] && [ -x "$program" ]; then
        strip -o "$target/tests/$(basename "$program")" "$program"
    fi
done
cp -R tests/e2e "$target/e2e"
cp -R tools/bench/shapes "$target/shapes"
[ ! -e "$build/python" ] || cp -RL "$build/python" "$target/python"
find "$target/e2e" -name __pycache__ -prune -exec rm -rf {} +
# All but the C library's own, which every machine has.
for program in "$target"/bin/* "$target"/tests/*; do
    ldd "$program"
done | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
    while read -r library; do
        cp -L "$library" "$target/lib/"
    done

kilobytes=$(du -sk "$target" | cut -f 1)
echo "$target: $((kilobytes / 1024)) MB"
if [ "$kilobytes" -gt $((240 * 1024)) ]; then
    echo "more than 240 MB; is $build a sanitized build?" >&2
    exit 1
fi

#!/usr/bin/env bash
# Runs the tests that need a GPU from a build made elsewhere (see tools/carry-build.sh), without
# CMake, CTest or a compiler.
#
#     tools/run-cuda-tests.sh BUILD_DIR [NAME ...]      names as printed; default: all
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?which build directory?}" && pwd)
shift
limit=1800 # seconds for one test
e2e=$build/e2e
[ -d "$e2e" ] || e2e=$here/tests/e2e
[ ! -d "$build/lib" ] || export LD_LIBRARY_PATH="$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export TILEWISE_TUNE=$build/bin/tune TILEWISE_DEVICE=cuda PYTHONDONTWRITEBYTECODE=1

passed=0
skipped=0
failed=()

wanted() {
    local name=$1 one
    shift
    [ $# -gt 0 ] || return 0
    for one; do
        [ "$one" != "$name" ] || return 0
    done
    return 1
}

# Runs a test by name; 77 is its way to say that there is nothing to test here.
run() {
    local name=$1 start=$SECONDS status=0
    shift
    echo "== $name"
    if [ "$1" = run_pieces ]; then
        "$@" || status=$?
    else
        timeout --kill-after=10 "$limit" "$@" || status=$?
    fi
    case $status in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    124 | 137) echo "$name: stopped after $limit s" ;;
    *) echo "$name: exit status $status" ;;
    esac
    [ "$status" = 0 ] || [ "$status" = 77 ] || failed+=("$name")
    echo "== $name: $((SECONDS - start)) s"
}

# Tries a kernel in as many pieces side by side as there are cores, up to 16: NVRTC is what takes long.
run_pieces() {
    local kernel=$1 pieces piece log status=0
    local -a started=()
    pieces=$(nproc)
    [ "$pieces" -le 16 ] || pieces=16
    log=$(mktemp -d)
    for piece in $(seq "$pieces"); do
        timeout --kill-after=10 "$limit" "$build/tests/test_kernels" cuda "$kernel" 1 '*' "$piece/$pieces" \
            > "$log/$piece" 2>&1 &
        started+=($!)
    done
    for piece in "${!started[@]}"; do
        wait "${started[$piece]}" || status=$?
        cat "$log/$((piece + 1))"
    done
    rm -r "$log"
    return "$status"
}

"$TILEWISE_TUNE" devices
# The contract programs, which take a backend's name, and what tests the first device there is.
for program in "$build"/tests/test_{backends,launches,tensor_launches,dialect,elements,strides,library*,verify}; do
    name=$(basename "$program")
    [ -x "$program" ] || continue
    wanted "$name" "$@" || continue
    case $name in
    test_library_opencl) ;; # of another backend
    test_verify) run "$name" "$program" ;;
    *) run "$name" "$program" cuda ;;
    esac
done
for description in "$here"/configs/*.json; do
    kernel=$(basename "$description" .json)
    wanted "kernels_$kernel" "$@" || continue
    run "kernels_$kernel" run_pieces "$kernel"
done
for test in "$e2e"/test_*.py; do
    name=$(basename "$test" .py)
    name=e2e_${name#test_}
    wanted "$name" "$@" || continue
    run "$name" python3 "$test"
done

echo "$passed passed, ${#failed[@]} failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failed[@]}"
    exit 1
fi
[ "$passed" -gt 0 ] || exit 1

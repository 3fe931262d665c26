#!/usr/bin/env bash
# Installs what building and testing need, on Debian and its kin, and packages named as arguments. Says
# nothing when all is there.
set -euo pipefail

packages=(
    build-essential cmake ninja-build   # to build
    libsqlite3-dev libcjson-dev libxxhash-dev zlib1g-dev opencl-headers libpython3-dev
    libcmocka-dev python3 python3-numpy pkgconf clang-format # to test
    ocl-icd-libopencl1 pocl-opencl-icd  # to run: the CPU as an OpenCL device
    "$@"
)

# Elsewhere the packages have other names; the build says what it does not find.
command -v apt-get > /dev/null || exit 0

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2> /dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo > /dev/null; then
        echo "setup: root has to install ${missing[*]}; there is no sudo here" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! {
    "${as_root[@]}" apt-get update -q &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -q --yes --no-install-recommends "${missing[@]}"
} > "$log" 2>&1; then
    cat "$log" >&2
    echo "setup: apt-get failed" >&2
    exit 1
fi

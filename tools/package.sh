#!/usr/bin/env bash
# Makes Debian packages of the program, the library, its development files and the Python package, in build/packages.
#
#     tools/package.sh [CMAKE OPTIONS]
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh dpkg-dev file
[ -f build/package/CMakeCache.txt ] || set -- -G Ninja "$@"
# Configured for where it will be: paths in CMake's and pkg-config's files come from there.
cmake -S . -B build/package -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DTILEWISE_TESTS=OFF \
    -DTILEWISE_PYTHON_DIR=lib/python3/dist-packages "$@" |
    grep -E 'backend|left out'
cmake --build build/package --parallel | tail -n 1
rm -rf build/packages
# What CPack installs is for the package's user, whoever makes it.
(umask 022 && cpack --config build/package/CPackConfig.cmake -G DEB -B build/packages > build/package/cpack.log) || {
    cat build/package/cpack.log >&2
    exit 1
}
rm -rf build/packages/_CPack_Packages
ls -l build/packages

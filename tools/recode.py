#!/usr/bin/env python3
"""Brings up to date what is written down of the built-in kernels, after one of them was changed on purpose:

    tools/recode.py [BUILD]

The rows of runtime/variant/legacy_codes.inc say by which code of today results of old databases go on: wrong rows
would lose them. The hashes in tests/unit/test_flat_forms.c hold flat forms to what they were. BUILD is build/release
unless given; it is built first, and `git diff` then shows what the change touched: a kernel that was not meant to
change must not be there.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODES = ROOT / "runtime/variant/legacy_codes.inc"
FLAT_FORMS = ROOT / "tests/unit/test_flat_forms.c"
ROW = r'\{"(\w+)", "(\w+)", "(\w+)",\s*"\w+", "\w+"\}'


def build(folder, target):
    subprocess.run(["cmake", "--build", folder, "--target", target], check=True, stdout=subprocess.DEVNULL)


def recode(folder):
    build(folder, "legacy_codes")
    lines = subprocess.run([folder / "tools/legacy_codes"], check=True, capture_output=True, text=True).stdout
    codes = {(kernel, name): both for kernel, name, *both in map(str.split, lines.splitlines())}

    def row(match):
        kernel, name, old = match.groups()
        return '{"%s", "%s", "%s",\n     "%s", "%s"}' % (kernel, name, old, *codes[kernel, name])

    CODES.write_text(re.sub(ROW, row, CODES.read_text()))


def rehash(folder):
    """test_flat_forms prints the rows that are not as they should be."""
    build(folder, "test_flat_forms")
    result = subprocess.run([folder / "tests/test_flat_forms"], capture_output=True, text=True)
    text = FLAT_FORMS.read_text()
    rows = re.findall(r'\{"(\w+)", "(\w+)", "([0-9a-f]{32})"\}', result.stdout + result.stderr)
    if result.returncode != 0 and not rows:
        sys.exit("recode.py: test_flat_forms fails, and for no hash; see what it says")
    for kernel, name, found in rows:
        text = re.sub(r'\{"%s", "%s", "\w+"\}' % (kernel, name), '{"%s", "%s", "%s"}' % (kernel, name, found), text)
    FLAT_FORMS.write_text(text)


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release").resolve()
    if not (folder / "CMakeCache.txt").exists():
        sys.exit(f"recode.py: {folder}: is no build; make one with cmake --preset release")
    recode(folder)
    rehash(folder)


if __name__ == "__main__":
    main()

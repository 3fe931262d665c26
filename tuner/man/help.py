"""Writes a manual page for every subcommand of tune, from what it says of itself with --help.

    help.py TUNE DIRECTORY VERSION                          writes DIRECTORY/tune-NAME.1
    help.py PROGRAM DIRECTORY VERSION NAME SUMMARY          likewise of a program of its own, tune-NAME

A help text is: lines of synopsis up to the first empty one; paragraphs; and lists, alone or right below a paragraph,
whose lines begin with two spaces, a term of up to 20 characters and what is said of it, which further lines may go on
with. Lines that begin with six spaces and a term are entries of a list below the entry.
"""

import pathlib
import re
import subprocess
import sys

from manual import escaped, filled, top

TEXT = 23  # the column in which what is said of an option begins
ENTRY = re.compile(r"  (?P<term>\S.*)")
BELOW = re.compile(r" {6}\S")


def synopsis(lines):
    out = [".SH SYNOPSIS", ".nf"]
    for line in lines:
        command, _, remark = line.partition("    ")
        out.append(r"\&" + escaped(command) + (f"    {escaped(remark.strip())}" if remark else ""))
    return out + [".fi"]


def entry(lines):
    """A term and what is said of it; or a term alone, as in "--db, --config: as for tune"."""
    below = next((i for i, line in enumerate(lines) if BELOW.match(line)), len(lines))
    lines, more = lines[:below], lines[below:]
    first = lines[0].strip()
    term, gap, rest = first.partition("  ")
    if not gap and lines[0][TEXT - 1 : TEXT] == " ":  # a term as long as there is room
        term, rest = lines[0][:TEXT].strip(), lines[0][TEXT:]
    elif not gap:
        term, _, rest = " ".join(" ".join(lines).split()).partition(": ")
        lines = lines[:1]
    said = [rest, *lines[1:]]
    out = [".TP", rf"\fB{escaped(term)}\fR", *filled(" ".join(said))]
    return out + [".RS", *lists([line[4:] for line in more]), ".RE"] if more else out


def lists(lines):
    """A block of lines with entries; an entry goes on where lines are indented further."""
    out, current = [], []
    for line in lines + [""]:
        if current and (not line or ENTRY.match(line) and not line.startswith("    ")
                        and not current[-1].rstrip().endswith(",")):
            out += entry(current)
            current = []
        if line:
            current.append(line)
    return out


def page(name, summary, help_text, version):
    blocks = [block.splitlines() for block in help_text.strip("\n").split("\n\n")]
    out = top(f"tune-{name}", "1", summary, version) + synopsis(blocks[0]) + [".SH DESCRIPTION"]
    for block in blocks[1:]:
        listed = next((i for i, line in enumerate(block) if ENTRY.match(line)), len(block))
        if listed > 0:
            out += [".PP", *filled(" ".join(block[:listed]))]
        out += lists(block[listed:])
    return "\n".join(out + [".SH SEE ALSO", escaped("tune(1), tilewise(3)")]) + "\n"


def said(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout


def write(directory, name, summary, help_text, version):
    (pathlib.Path(directory) / f"tune-{name}.1").write_text(page(name, summary, help_text, version), encoding="utf-8")


def main(tune, directory, version, name=None, summary=None):
    if name is not None:
        write(directory, name, summary, said(tune, "--help"), version)
        return
    for line in said(tune, "help").splitlines():
        match = re.fullmatch(r"tune ([a-z]+) +(\S.*)", line)
        if match:
            write(directory, match[1], match[2], said(tune, match[1], "--help"), version)


if __name__ == "__main__":
    main(*sys.argv[1:])

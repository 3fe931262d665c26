"""Writes a manual page from the header that is its source, so that both say the same.

    header.py HEADER NAME SECTION SUMMARY VERSION > NAME.SECTION

A header beside it that it includes in quotes is part of it, and stands in the page where it is included.

Knows what the header is made of: comments that begin a line, of paragraphs, of code (indented) and of titles
(`---- Title ----`, or a paragraph that begins with CAPITALS and a full stop), and declarations, whose comment
stands before them and follows them in the page. Comments within a declaration stay in it. What is there for the
compiler alone (guards, C++, visibility) is left out.
"""

import pathlib
import re
import sys

import manual

TITLE = re.compile(r"-{4} (?P<title>.+?) -{4,}(?:\n|$)")
CAPITALS = re.compile(r"(?P<title>[A-Z]{4,})(?:\.\s+|$)")


def whole(path):
    """The header's text, with that of its own parts in place of their includes."""
    return re.sub(r'^#include "(.*)"$', lambda part: whole(path.with_name(part[1])), path.read_text(encoding="utf-8"),
                  flags=re.M)


def for_readers(lines):
    """The lines without includes, guards, and what only C++ sees."""
    hidden = [] # whether what we are in is left out, an entry a condition
    indent = 0 # of a declaration whose first line lost a word
    for line in lines:
        word = line.split(None, 1)[0] if line.startswith("#") else ""
        if word in ("#if", "#ifdef", "#ifndef"):
            hidden.append("__cplusplus" in line)
        elif word == "#else":
            hidden[-1] = not hidden[-1]
        elif word == "#endif":
            hidden.pop()
        elif not any(hidden) and word not in ("#include", "#error") and not re.match(r"#define (TW_API|TILEWISE_\w*H)\b", line):
            indent = len("TW_API ") if line.startswith("TW_API ") else indent if line.startswith(" ") else 0
            line = line.removeprefix("TW_API ") if indent and not line.startswith(" ") else line[indent:]
            yield re.sub(r" +\\$", r" \\", line)


def items(lines):
    """Pairs of a comment's lines and of those of the declarations that it is about; either may be empty."""
    comment, code, inside = [], [], False
    for line in lines:
        if not inside and (not line.strip() or line.startswith("/*")):
            if comment or code:
                yield comment, code
            comment, code = [], []
        if inside or line.startswith("/*"):
            comment.append(line)
            inside = "*/" not in line
        elif line.strip():
            code.append(line)
    if comment or code:
        yield comment, code


def words_of(comment):
    """A comment's text without its marks."""
    text = "\n".join(comment)
    text = text[text.index("/*") + 2 : text.index("*/")]
    return "\n".join(re.sub(r"^ \* ?", "", line) for line in text.split("\n")).strip()


def paragraphs(text):
    """Text as requests for troff; titles become sections."""
    out = []
    title = TITLE.match(text)
    if title:
        out.append(f".SH {manual.inline(title['title'].upper())}")
        text = text[title.end() :]
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines = paragraph.split("\n")
        if all(line.startswith("    ") for line in lines):
            out += manual.code([line[4:] for line in lines])
            continue
        capitals = CAPITALS.match(paragraph)
        if capitals:
            out.append(f".SH {capitals['title']}")
            paragraph = paragraph[capitals.end() :]
        if paragraph.strip():
            out += [".PP", *manual.filled(paragraph)]
    return out


def page(header, name, section, summary, version):
    out = manual.top(name, section, summary, version)
    out += [".SH SYNOPSIS", *manual.code([f"#include <{name}.h>", "",
                                          f"cc program.c $(pkg-config --cflags --libs {name})"])]
    first = True
    for comment, code in items(for_readers(header.splitlines())):
        text = words_of(comment) if comment else ""
        if first: # what the header is, which the name says too, and its first title
            text = re.sub(r"^(.+?\n)\s*\n[A-Z]+\n", r"", text)
            out.append(".SH DESCRIPTION")
            first = False
        out += manual.code(code) if code else []
        out += paragraphs(text) if text else []
    return "\n".join(out + manual.bottom(name, section)) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(whole(pathlib.Path(sys.argv[1])), *sys.argv[2:]))

"""Writes a manual page from the Markdown that is its source, so that both say the same.

    manual.py MARKDOWN NAME SECTION SUMMARY VERSION > NAME.SECTION

Knows what the manuals use of Markdown: headings, paragraphs, code (fenced or indented), tables, lists, and in
text `code`, **bold** and [links](target). A table becomes a list, a row an entry, because its lines are longer
than a terminal's. What it does not know is an error. The page ends where the text has the comment
<!-- end of the manual page -->.
"""

import re
import sys
import textwrap

END = "<!-- end of the manual page -->"
PAGES = {"configs/README.md": "tilewise-description(5)", "templates/README.md": "tilewise-dialect(7)"}
SEE_ALSO = ["tune(1)", "tilewise(3)", "tilewise-description(5)", "tilewise-dialect(7)"]

INLINE = re.compile(r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)|\*\*(?P<bold>.+?)\*\*|\[(?P<text>[^]]+)\]\((?P<target>[^)]+)\)")
LIST = re.compile(r"(?P<mark>-|\d+\.) +")


def escaped(text):
    """Text that troff takes as it is; minus signs can be copied and searched for."""
    for character, name in (("\\", r"\e"), ("-", r"\-"), ("^", r"\(ha"), ("~", r"\(ti"), ("`", r"\(ga")):
        text = text.replace(character, name)
    return text


def inline(text):
    """A text's code and bold in bold, its links as the page or the words they stand for."""
    out, last = [], 0
    for match in INLINE.finditer(text):
        out.append(escaped(text[last : match.start()]))
        if match["code"] or match["bold"]:
            words = escaped(match["code"]) if match["code"] else inline(match["bold"])
            out.append(rf"\fB{words}\fR")
        else:
            page = next((PAGES[path] for path in PAGES if match["target"].endswith(path)), None)
            out.append(escaped(page or match["text"].strip("`")))
        last = match.end()
    out.append(escaped(text[last:]))
    return "".join(out)


def filled(text):
    """Lines of running text, none of which looks like a request."""
    lines = textwrap.wrap(inline(" ".join(text.split())), 100, break_long_words=False, break_on_hyphens=False)
    return [r"\&" + line if line[0] in ".'" else line for line in lines]


def code(lines):
    return [".PP", ".RS 4", ".nf", *(r"\&" + escaped(line) for line in lines), ".fi", ".RE"]


def table(lines):
    rows = [[cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]
            for line in lines]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows) or set("".join(rows[1])) - set(":-"):
        raise SystemExit(f"manual.py: no table: {lines[0]}")
    out = []
    for row in rows[2:]:
        out += [".TP", " ".join(filled(row[0]))] # a tag is one line
        for i, cell in enumerate(row[1:], 1):
            label = f"{rows[0][i]}: " if len(row) > 2 else ""
            out += ([".br"] if i > 1 else []) + filled(label + (cell or "-"))
    return out


def blocks(lines):
    """Pairs of a kind and its lines."""
    i = 0
    while i < len(lines):
        start, line = i, lines[i]
        i += 1
        if not line.strip():
            continue
        if line.startswith("```"):
            while lines[i] != "```":
                i += 1
            yield "code", lines[start + 1 : i]
            i += 1
        elif line.startswith("    "):
            while i < len(lines) and (lines[i].startswith("    ") or not lines[i].strip()):
                i += 1
            yield "code", "\n".join(text[4:] for text in lines[start:i]).rstrip().split("\n")
        elif line.startswith("#"):
            yield "heading", [line]
        elif line.startswith("|"):
            while i < len(lines) and lines[i].startswith("|"):
                i += 1
            yield "table", lines[start:i]
        elif line[0] in ">!<*+_=" and not line.startswith("**"):
            raise SystemExit(f"manual.py: unknown Markdown: {line}")
        else:
            kind = "item" if LIST.match(line) else "text"
            while i < len(lines) and lines[i].strip() and not re.match(r"[#|]|```", lines[i]):
                if LIST.match(lines[i]) and kind == "item":
                    break
                i += 1
            yield kind, lines[start:i]


def top(name, section, summary, version):
    return [f'.TH {name.upper()} {section} "" "tilewise {version}" Tilewise', ".nh", ".ad l",
            ".SH NAME", rf"{escaped(name)} \- {escaped(summary)}"]


def bottom(name, section):
    return [".SH SEE ALSO", escaped(", ".join(page for page in SEE_ALSO if page != f"{name}({section})"))]


def page(markdown, name, section, summary, version):
    out = top(name, section, summary, version)
    for kind, lines in blocks(markdown.split(END)[0].splitlines()):
        if kind == "heading":
            level, _, title = lines[0].partition(" ")
            if len(level) == 1:
                out.append(".SH DESCRIPTION")
            else:
                out.append(f".SH {inline(title.upper())}" if len(level) == 2 else f".SS {inline(title)}")
        elif kind == "code":
            out += code(lines)
        elif kind == "table":
            out += table(lines)
        elif kind == "item":
            mark = LIST.match(lines[0])
            bullet = r"\(bu" if mark["mark"] == "-" else mark["mark"]
            out += [f'.IP "{bullet}" 4', *filled(" ".join(lines)[mark.end() :])]
        else:
            out += [".PP", *filled(" ".join(lines))]
    return "\n".join(out + bottom(name, section)) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(page(file.read(), *sys.argv[2:]))

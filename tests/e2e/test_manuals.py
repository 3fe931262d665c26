"""The manual pages of descriptions, dialect and library: what is installed says what their sources say."""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import support
from support import HERE, TUNE

ROOT = HERE.parent.parent
BUILD = pathlib.Path(TUNE).parent.parent
GENERATOR = ROOT / "tuner/man/manual.py"
HEADER = ROOT / "runtime/tilewise.h"
PAGES = {"man5/tilewise-description.5": "configs/README.md", "man7/tilewise-dialect.7": "templates/README.md"}
REQUESTS = {".TH", ".nh", ".ad", ".SH", ".SS", ".PP", ".RS", ".RE", ".nf", ".fi", ".TP", ".IP", ".br"}


def generator(name="manual"):
    if str(GENERATOR.parent) not in sys.path:
        sys.path.insert(0, str(GENERATOR.parent)) # one imports the other
    spec = importlib.util.spec_from_file_location(name, GENERATOR.with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(roff):
    """The page's words, without troff's marks."""
    text = re.sub(r"\\f[BR]|\\&", "", roff)
    for name, character in ((r"\-", "-"), (r"\(ha", "^"), (r"\(ti", "~"), (r"\(ga", "`"), (r"\e", "\\")):
        text = text.replace(name, character)
    return text


@unittest.skipUnless(GENERATOR.exists(), "a build that was carried here has no sources")
class Manuals(unittest.TestCase):
    def page(self, markdown):
        return generator().page(markdown, "name", "7", "summary", "1.0")

    def check(self, page, markdown):
        """Nothing is lost, and nothing of Markdown is left."""
        said = " ".join(plain(page).split())
        for line in markdown.splitlines():
            if line.startswith("## "):
                self.assertIn(f"\n.SH {line[3:].upper()}\n", plain(page))
        for code in re.findall(r"^```\w*\n(.*?)^```", markdown, re.M | re.S) + re.findall(r"^    .*", markdown, re.M):
            self.assertIn(" ".join(code.split()), said)
        prose = re.sub(r"^```.*?^```|^#.*?$", "", markdown, flags=re.M | re.S)
        words = re.sub(r"\[[^]]*\]\([^)]*\)|[`*|#]|^\d+\.|^-|---", " ", prose, flags=re.M).split()
        self.assertEqual([word for word in words if word not in said], [])
        for mark in ("**", "](", "```", "| --- |"):
            self.assertNotIn(mark, plain(page))
        self.check_roff(page)

    def check_roff(self, page):
        for line in page.splitlines():
            if line.startswith((".", "'")):
                self.assertIn(line.split()[0], REQUESTS)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8"], input=page, text=True, capture_output=True)
            self.assertEqual(done.stderr, "")

    def check_library(self, page):
        """All that a program can call is there, with all that is said of it, and nothing of the compiler's."""
        header = generator("header").whole(HEADER)
        said = " ".join(plain(page).split())
        functions = re.findall(r"^TW_API ([^;{]*?\btw_\w+\([^;]*;)", header, re.M)
        self.assertGreater(len(functions), 20)
        for declared in functions + re.findall(r"^typedef (?:struct|enum) \w+ \{$.*?^\} \w+;", header, re.M | re.S):
            self.assertIn(" ".join(declared.split()), said)
        comments = re.findall(r"^/\*(.*?)\*/", "/*" + header.split("INTRODUCTION", 1)[1], re.M | re.S)
        words = re.sub(r"^ \*|`|-{4,}", " ", "\n".join(comments), flags=re.M).split()
        self.assertGreater(len(words), 1000)
        lower = said.lower() # titles are in capitals, and have no full stop
        self.assertEqual([word for word in words if word.lower().rstrip(".") not in lower], [])
        for word in ("TW_API", "__cplusplus", 'extern "C"', "#endif", "TILEWISE_H", "/* ----"):
            self.assertNotIn(word, plain(page))
        for title in ("SHAPES", "UNITS", "DEVICES", "OWNERSHIP", "THREADS", "ERRORS", "VERSIONS", "OPENING", "DEVICE MEMORY", "SEE ALSO"):
            self.assertIn(f"\n.SH {title}\n", page)
        self.check_roff(page)

    @unittest.skipUnless((BUILD / "cmake_install.cmake").exists() and shutil.which("cmake"), "nothing to install")
    def test_they_are_installed(self):
        with tempfile.TemporaryDirectory(prefix="tilewise-manuals-") as prefix:
            subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
            for page, source in PAGES.items():
                markdown = (ROOT / source).read_text().split("<!-- end of the manual page -->")[0]
                self.check((pathlib.Path(prefix) / "share/man" / page).read_text(), markdown)
            self.check_library((pathlib.Path(prefix) / "share/man/man3/tilewise.3").read_text())
            self.assertIn("tilewise\\-dialect", (pathlib.Path(prefix) / "share/man/man1/tune.1").read_text())

    @unittest.skipUnless((BUILD / "man/tune-show.1").exists(), "a build without manual pages")
    def test_subcommands(self):
        """Each has a page, which says what --help says."""
        listed = subprocess.run([TUNE, "help"], capture_output=True, text=True).stdout
        names = re.findall(r"^tune ([a-z]+) ", listed, re.M)
        self.assertGreater(len(names), 10)
        self.assertNotIn("help", names)
        for name in names:
            page = (BUILD / f"man/tune-{name}.1").read_text()
            help_text = subprocess.run([TUNE, name, "--help"], capture_output=True, text=True).stdout
            said = " ".join(plain(page).split())
            self.assertEqual([word for word in help_text.replace(": ", " ").replace("`", "").split() if word.rstrip(":") not in said], [])
            for option in re.findall(r"^  (-[-\w, ]*\S)", help_text, re.M):
                self.assertIn(option.split()[0].rstrip(","), re.sub(r"[^\w-]", " ", said).split())
            self.check_roff(page)

    def test_a_help_text(self):
        page = generator("help").page("x", "does it", "tune x [A]\n\nDoes it\n-- all.\n\n  --one N              said of\n"
                                      "                       one\n  --configuration JSON its word\n"
                                      "  --a, --b,\n  --c: as for y\n  --d E, --f G|H  both\n", "1")
        self.assertIn(".SH SYNOPSIS\n.nf\n\\&tune x [A]\n.fi\n.SH DESCRIPTION\n.PP\nDoes it \\-\\- all.\n", page)
        for term, said in (("--one N", "said of one"), ("--configuration JSON", "its word"),
                           ("--a, --b, --c", "as for y"), ("--d E, --f G|H", "both")):
            self.assertIn(f".TP\n\\fB{term}\\fR\n{said}\n".replace("-", r"\-"), page)

    def test_lists_below_text_and_below_entries(self):
        page = generator("help").page("x", "does it", "tune x\n\nWays:\n  first  one way\n      long   how long,\n"
                                      "                       at most\n      wide   how wide\n  other  another\n", "1")
        self.assertIn(".PP\nWays:\n.TP\n\\fBfirst\\fR\none way\n.RS\n.TP\n\\fBlong\\fR\nhow long, at most\n"
                      ".TP\n\\fBwide\\fR\nhow wide\n.RE\n.TP\n\\fBother\\fR\nanother\n", page)

    def test_text(self):
        page = self.page("# Title\n\n.so it `a-b` **c\nd** and [the other](../configs/README.md), [x](y).\n")
        self.assertIn("\n.SH DESCRIPTION\n.PP\n", page)
        self.assertIn("\n\\&.so it \\fBa\\-b\\fR \\fBc d\\fR and tilewise\\-description(5), x.\n", page)

    def test_code_tables_and_lists(self):
        page = self.page("```c\n.x \\n\n\n```\n    'y\n\n| a | b | c |\n| --- | --- | --- |\n"
                         "| `1 \\| 2` | two | |\n\n- one\n  more\n- two\n\n1. first\n")
        self.assertIn(".nf\n\\&.x \\en\n\\&\n.fi\n", page)
        self.assertIn(".nf\n\\&'y\n.fi\n", page)
        self.assertIn(".TP\n\\fB1 | 2\\fR\nb: two\n.br\nc: \\-\n", page)
        self.assertIn('.IP "\\(bu" 4\none more\n.IP "\\(bu" 4\ntwo\n.IP "1." 4\nfirst\n', page)

    def test_a_header(self):
        page = generator("header").page(
            "/* thing: does it.\n *\n * INTRODUCTION\n *\n * More of `it`:\n *\n *     code();\n *\n * ERRORS. None.\n */\n"
            "#ifndef THING_H\n#include <x.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
            "/* ---- First part ------\n *\n * About it. */\n\n/* What it is. */\nTW_API int f(int a,\n             int b);\n"
            "TW_API int g(void); /* beside */\n\nenum { ONE }; \n\n#ifdef __cplusplus\n#define INIT []\n#else\n"
            "#define INIT   \\\n    {}\n#endif\n#endif\n", "thing", "3", "does it", "1.0")
        self.assertIn("\n.SH DESCRIPTION\n.PP\nMore of \\fBit\\fR:\n.PP\n.RS 4\n.nf\n\\&code();\n.fi\n.RE\n.SH ERRORS\n.PP\nNone.\n"
                      ".SH FIRST PART\n.PP\nAbout it.\n", page)
        self.assertIn(".nf\n\\&int f(int a,\n\\&      int b);\n\\&int g(void); /* beside */\n.fi\n.RE\n.PP\nWhat it is.\n", page)
        self.assertIn("\\&#define INIT \\e\n\\&    {}\n", page)
        self.assertNotIn("[]", page)

    def test_what_it_does_not_know(self):
        for text in ("> quoted\n", "![picture](x.png)\n", "| a |\n| b |\n", "| a | b |\n| --- |\n"):
            with self.assertRaises(SystemExit):
                self.page(text)


if __name__ == "__main__":
    support.main()

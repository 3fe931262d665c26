"""The manual pages of descriptions and dialect: what is installed says what their Markdown says."""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import support
from support import HERE, TUNE

ROOT = HERE.parent.parent
BUILD = pathlib.Path(TUNE).parent.parent
GENERATOR = ROOT / "tuner/man/manual.py"
PAGES = {"man5/tilewise-description.5": "configs/README.md", "man7/tilewise-dialect.7": "templates/README.md"}
REQUESTS = {".TH", ".nh", ".ad", ".SH", ".SS", ".PP", ".RS", ".RE", ".nf", ".fi", ".TP", ".IP", ".br"}


def generator():
    spec = importlib.util.spec_from_file_location("manual", GENERATOR)
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
        for line in page.splitlines():
            if line.startswith((".", "'")):
                self.assertIn(line.split()[0], REQUESTS)
        for mark in ("**", "](", "```", "| --- |"):
            self.assertNotIn(mark, plain(page))
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8"], input=page, text=True, capture_output=True)
            self.assertEqual(done.stderr, "")

    @unittest.skipUnless((BUILD / "cmake_install.cmake").exists() and shutil.which("cmake"), "nothing to install")
    def test_they_are_installed(self):
        with tempfile.TemporaryDirectory(prefix="tilewise-manuals-") as prefix:
            subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
            for page, source in PAGES.items():
                markdown = (ROOT / source).read_text().split("<!-- end of the manual page -->")[0]
                self.check((pathlib.Path(prefix) / "share/man" / page).read_text(), markdown)
            self.assertIn("tilewise\\-dialect", (pathlib.Path(prefix) / "share/man/man1/tune.1").read_text())

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

    def test_what_it_does_not_know(self):
        for text in ("> quoted\n", "![picture](x.png)\n", "| a |\n| b |\n", "| a | b |\n| --- |\n"):
            with self.assertRaises(SystemExit):
                self.page(text)


if __name__ == "__main__":
    support.main()

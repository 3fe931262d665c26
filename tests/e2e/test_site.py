"""The documentation as a site: every page is there, every link leads somewhere, nothing comes from elsewhere."""

import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import support
from support import HERE

ROOT = HERE.parent.parent
SCRIPT = ROOT / "tools/site.py"


class Links(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.links, self.loaded, self.names = [], [], set()
        self.feed(page.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names.add(attributes.get("id"))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag in ("script", "link", "img") and (attributes.get("src") or attributes.get("href")):
            self.loaded.append(attributes.get("src") or attributes["href"])


@unittest.skipUnless(SCRIPT.exists(), "a build that was carried here has no sources")
class Site(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mkdocs"), "no MkDocs here (Debian: mkdocs)")
    def test_links(self):
        out = pathlib.Path(tempfile.mkdtemp(prefix="tilewise-site-"))
        self.addCleanup(shutil.rmtree, out, ignore_errors=True)
        done = subprocess.run([sys.executable, "-B", SCRIPT, out], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        pages = {page: Links(page) for page in out.rglob("*.html") if page.name not in ("404.html", "search.html")}
        self.assertGreater(len(pages), 12)
        for page, found in pages.items():
            for link in found.links + found.loaded:
                address = urllib.parse.urlparse(link)
                if address.scheme in ("http", "https"):
                    self.assertNotIn(link, found.loaded)
                    continue
                target = (page.parent / urllib.parse.unquote(address.path)).resolve() if address.path else page
                self.assertTrue(target.is_file(), f"{page.relative_to(out)} -> {link}")
                if address.fragment and target in pages:
                    self.assertIn(address.fragment, pages[target].names, f"{page.relative_to(out)} -> {link}")
        self.assertIn("Load kernels in an application", (out / "docs/tutorials/load-kernels.html").read_text())

    def test_notes(self):
        """Each is found by its subject."""
        notes = ROOT / "docs/notes"
        listed = re.findall(r"\]\(([^)]+)\)", (notes / "README.md").read_text())
        self.assertEqual(sorted(listed), sorted(p.name for p in notes.glob("*.md") if p.name != "README.md"))

    def test_mistakes(self):
        """What is removed before a site is written is never something else; MkDocs is not asked."""
        with tempfile.TemporaryDirectory() as place:
            mine = pathlib.Path(place) / "mine"
            mine.write_text("")
            for words, code, says in ((["--help"], 0, "Builds the documentation"), (["--halp"], 1, "site: one directory"),
                                      ([place], 1, f"{place} has something else than a site in it")):
                done = subprocess.run([sys.executable, "-B", SCRIPT, *words], capture_output=True, text=True)
                self.assertEqual(done.returncode, code, done)
                self.assertIn(says, done.stdout + done.stderr)
                self.assertTrue(mine.exists())

    def test_what_markdown_links_to_is_there(self):
        """Also without MkDocs."""
        for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "configs/README.md",
                     ROOT / "templates/README.md"]:
            for link in re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", page.read_text()):
                self.assertTrue((page.parent / link).exists(), f"{page.relative_to(ROOT)} -> {link}")


if __name__ == "__main__":
    support.main()

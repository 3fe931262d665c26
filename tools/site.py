#!/usr/bin/env python3
"""Builds the documentation as a site of HTML pages, from the repository's Markdown, with MkDocs (Debian: mkdocs).

    tools/site.py [DIRECTORY]      default: build/site
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "configs/README.md", "templates/README.md",
         "db/tuned/README.md", "runtime/README.md", "tuner/README.md", "tools/bench/README.md",
         *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]
# MkDocs leaves a folder of this name out.
RENAMED = {"templates": "dialect"}
LINK = re.compile(r"\]\((?!\w+:|#)([^)#]+)(#[^)]*)?\)")


def place(name):
    """Where a page is on the site."""
    first, slash, rest = name.partition("/")
    return RENAMED.get(first, first) + slash + rest


def title(path):
    return next(line[2:].strip() for line in path.read_text().splitlines() if line.startswith("# "))


def list_folder(folder, to):
    """A page for a folder that has none of its own, with its pages and files; returns its path."""
    page = to / folder / "README.md"
    if not page.exists():
        names = sorted(p for p in (ROOT / folder).iterdir() if p.is_file() and p.name != "README.md")
        page.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"- [{title(p) if p.suffix == '.md' else p.name}]({p.name})" for p in names]
        page.write_text("\n".join([f"# {folder}", "", *lines, ""]))
        for path in names:
            if path.suffix != ".md":
                shutil.copy(path, page.parent)
    return page


def add_page(name, to):
    """Copies a page and the files it links to; a link to a folder becomes one to the folder's page."""
    source = ROOT / name

    def follow(match):
        target = (source.parent / match[1]).resolve()
        relative = target.relative_to(ROOT)
        if target.is_dir():
            list_folder(relative, to)
            return f"]({os.path.join(match[1], 'README.md')})"
        if str(relative) in PAGES:
            there = os.path.relpath(to / place(str(relative)), (to / place(name)).parent)
            return f"]({there}{match[2] or ''})"
        (to / relative).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(target, to / relative)
        return match[0]

    (to / place(name)).parent.mkdir(parents=True, exist_ok=True)
    (to / place(name)).write_text(LINK.sub(follow, source.read_text()))


def main(*words):
    if "--help" in words:
        print(__doc__.strip())
        return
    if len(words) > 1 or any(word.startswith("-") for word in words):
        sys.exit("site: one directory to write to is all that it takes; see --help")
    out = pathlib.Path(*(words or [ROOT / "build/site"])).absolute()
    # What is in it already is removed.
    if out.is_dir() and any(out.iterdir()) and not (out / "sitemap.xml").exists():
        sys.exit(f"site: {out} has something else than a site in it; name another directory")
    if shutil.which("mkdocs") is None:
        sys.exit("site: there is no mkdocs; apt-get install mkdocs, or pip install mkdocs")
    pages = ROOT / "build/site-pages"
    shutil.rmtree(pages, ignore_errors=True)
    for name in PAGES:
        add_page(name, pages)
    # On a phone a table scrolls, and not the page.
    (pages / "site.css").write_text("table { display: block; overflow-x: auto }\n")
    done = subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--clean", "--config-file",
                           ROOT / "tools/site.yml", "--site-dir", out])
    sys.exit(done.returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])

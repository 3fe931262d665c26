"""The page about a database: what is on it, that nothing in a database becomes markup, and how it looks."""

import html.parser
import json
import pathlib
import re
import sqlite3
import unittest

import browser
import support

EXAMPLE = support.HERE.parent.parent / "docs/example-report.html"
HOSTILE = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">'\"&amp;"
VOID = {"meta", "wbr", "br", "img", "link", "input"}
FAILURES = {"compile_error": "line 3: error: expected expression", "wrong": "row 4, column 7: expected 1, got 2",
            "timeout": "took longer than 2 s", "crash": "the device worker died"}


class Page(html.parser.HTMLParser):
    """A page's elements: (tag, attributes, text right in it)."""

    def __init__(self, path):
        super().__init__()
        self.source = path.read_text()
        self.elements, self.open, self.unclosed = [], [], []
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag, attributes):
        element = [tag, dict(attributes), ""]
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.elements.append([tag, dict(attributes), ""])

    def handle_endtag(self, tag):
        # Cells and rows may go unclosed.
        while self.open and self.open[-1][0] != tag and self.open[-1][0] in ("td", "th", "tr"):
            self.open.pop()
        if not self.open or self.open[-1][0] != tag:
            self.unclosed.append(tag)
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.open[-1][2] += data

    def all(self, tag, kind=None):
        return [e for e in self.elements
                if e[0] == tag and (kind is None or kind in (e[1].get("class") or "").split())]

    def texts(self, tag):
        return [e[2] for e in self.all(tag)]

    @property
    def words(self):
        return " ".join(e[2] for e in self.elements if e[0] not in ("style",))


class Report(support.EndToEnd):
    """A run of a few trials, to which many more are added by hand: pictures need them, and time does not."""

    tuned = None  # the database after the run

    def setUp(self):
        super().setUp()
        self.config = self.plant("double")
        if Report.tuned is None:
            self.tune("--config", self.config, "--shape", "20x30", "--budget", "4", "--cache", "warm", "--quiet")
            # What is drawn is not to depend on what was measured.
            for table in ("trial", "best"):
                self.change(f"UPDATE {table} SET time_us = 90 + rowid, ci_low_us = 80, ci_high_us = 100")
            Report.tuned = self.db.read_bytes()
        self.db.parent.mkdir(parents=True, exist_ok=True)
        self.db.write_bytes(Report.tuned)
        self.out = self.home / "report.html"

    def change(self, sql, *values):
        connection = sqlite3.connect(self.db)
        with connection:
            connection.execute(sql, values)
        connection.close()

    def add_trial(self, configuration, time_us=None, status="ok", message=None, second=1):
        self.change(
            "INSERT OR REPLACE INTO trial (run, problem, device, implementation, cache_policy, configuration, status,"
            " message, time_us, repeats, ci_low_us, ci_high_us, screened_out, created_at)"
            " SELECT run.id, run.problem, run.device, best.implementation, run.cache_policy, ?1, ?2, ?3, ?4,"
            " CASE WHEN ?4 IS NULL THEN NULL ELSE 9 END, ?4 * 0.99, ?4 * 1.01, 0, run.started_at + ?5"
            " FROM run JOIN best ON best.run = run.id",
            json.dumps(configuration, sort_keys=True, separators=(",", ":")), status, message, time_us, second)

    def add_trials(self):
        """BLOCK and EACH each bring something, and more together; a few fail."""
        names = set(json.loads(self.query("SELECT configuration FROM best")[0][0]))
        second = 0
        for block in (16, 32, 64, 128):
            for each in (1, 2, 4, 8):
                for order in ("near", "far"):
                    second += 1
                    configuration = {"BLOCK": block, "EACH": each, "ORDER": order}
                    time = 100 - block / 4 - 4 * each + (40 if block * each > 256 else 0) + (order == "far")
                    self.add_trial({k: v for k, v in configuration.items() if k in names} if len(names) == 3
                                   else {"BLOCK": block, "X": each, "Y": order}, time, second=second // 4)
        for number, (status, message) in enumerate(FAILURES.items()):
            self.add_trial({"BLOCK": 1000 + number, "EACH": 1, "ORDER": "near"}, None, status, message, 9)
        self.change("UPDATE run SET elapsed_s = 20")

    def report(self, *words):
        result = self.run_command("report", "-o", self.out, "--config", self.config, *words)
        self.assertEqual((result.code, result.out), (0, ""), result)
        page = Page(self.out)
        self.assert_harmless(page)
        return page

    def assert_harmless(self, page):
        """Well-formed, and nothing in it that runs or is fetched."""
        self.assertEqual(page.unclosed, [])
        self.assertEqual([e[0] for e in page.open if e[0] not in ("td", "th", "tr")], [])
        for tag in ("script", "img", "iframe", "object", "link", "base", "form"):
            self.assertEqual(page.all(tag), [], tag)
        for tag, attributes, _ in page.elements:
            for name, value in attributes.items():
                self.assertFalse(name.startswith("on") or name in ("src", "style", "srcdoc"), (tag, name))
                if name == "href":
                    self.assertTrue(value.startswith("#"), value)
        self.assertNotRegex(page.source, r"https?://")
        self.assertNotIn("url(", page.source)
        policy = [e[1]["content"] for e in page.all("meta") if e[1].get("http-equiv") == "Content-Security-Policy"]
        self.assertEqual(policy, ["default-src 'none'; style-src 'unsafe-inline'"])

    def test_what_a_run_shows(self):
        self.change("UPDATE best SET implementation = (SELECT id FROM implementation WHERE name = 'direct'),"
                    " configuration = '{\"BLOCK\":64,\"EACH\":4,\"ORDER\":\"near\"}',"
                    " tie_set = '[{\"implementation\":\"direct\",\"configuration\":{\"BLOCK\":64,\"EACH\":4,"
                    "\"ORDER\":\"far\"},\"time_us\":69}]', time_us = 68, ci_low_us = 67, ci_high_us = 70,"
                    " baselines = '{\"naive\":680,\"default\":136,\"odd one\":90}'")
        self.add_trials()
        page = self.report()
        for heading in ("The winner and what ties with it", "How the search went",
                        "What the device allows, and the steps to the winner",
                        "What each parameter brought, in direct", "Pairs that depend on each other",
                        "What came of the trials", "The winner's machine code",
                        "What shapes that were not tuned would get"):
            self.assertIn(heading, page.texts("h2") + page.texts("h3"))
        timed = self.query("SELECT count(*) FROM trial WHERE status = 'ok'")[0][0]
        tried = self.query("SELECT count(*) FROM trial")[0][0]
        # A dot for every trial in both pictures of the search, and a mark for every failure.
        drawings = re.findall(r"<svg .*?</svg>", page.source, re.DOTALL)
        searches = [d for d in drawings if f"Times of {tried} trials" in d]
        self.assertEqual(len(searches), 2)
        for drawing in searches:
            self.assertEqual(drawing.count("<circle"), timed)
            self.assertEqual(drawing.count('class="failed"'), len(FAILURES))
            self.assertEqual(drawing.count('class="best"'), 1)
        # The parameters, the most important first, and the pair that was planted before any other.
        self.assertEqual([t for t in page.texts("b") if t in ("BLOCK", "EACH", "ORDER")][:5],
                         ["BLOCK", "EACH", "ORDER", "BLOCK", "EACH"])
        self.assertEqual(page.source.count('class="cell"'), 16)
        # Every cause with its message, and the ladder beside the winner.
        for message in FAILURES.values():
            self.assertIn(message, page.words)
        for text in ("10.00x", "odd one", "2.00x", "1 compile_error"):
            self.assertIn(text, page.words)
        self.assertIn("M=40,N=60", page.words)  # twice as large was not tuned

    def test_nothing_stored_becomes_markup(self):
        self.add_trials()
        self.add_trial({HOSTILE: HOSTILE}, None, "wrong", HOSTILE)
        for sql in ("UPDATE problem SET kernel = ?1, key = ?1, text = ?1", "UPDATE device SET name = ?1",
                    "UPDATE implementation SET name = ?1, kernel = ?1", "UPDATE run SET strategy = ?1,"
                    " budget_kind = ?1, driver = ?1, compiler = ?1, tilewise_version = ?1",
                    "UPDATE best SET rate_unit = ?1"):
            self.change(sql, HOSTILE)
        self.change("UPDATE best SET configuration = ?1, baselines = ?2, tie_set = ?3",
                    json.dumps({HOSTILE: HOSTILE}), json.dumps({HOSTILE: 5}),
                    json.dumps([{"implementation": HOSTILE, "configuration": {HOSTILE: 1}, "time_us": 5}]))
        page = self.report()
        self.assertGreater(page.words.count(HOSTILE), 10)
        if not browser.ABSENT:
            with browser.Browser() as chromium:
                chromium.open(self.out)
                self.assertEqual(chromium.ask("document.title"), "Tilewise report")
                self.assertEqual(chromium.ask("document.querySelectorAll('script,img').length"), 0)

    def test_odd_databases(self):
        """Nothing of it need make sense."""
        self.add_trials()
        self.change("UPDATE trial SET configuration = '[1' || id WHERE id % 3 = 0")
        self.change("UPDATE trial SET created_at = 1e15 * (id % 5)")
        self.change("UPDATE best SET baselines = '[[', tie_set = '{\"a\":[1,{}]}', configuration = 'x'")
        self.change("UPDATE device SET properties = '{}', architecture = NULL")
        self.change("UPDATE run SET started_at = -1e17, elapsed_s = 1e300")
        # But for the name of a folder, which is drawn at random.
        self.assertNotIn("nan", self.report().source.replace(str(self.home), "").lower())
        self.change("DELETE FROM best")
        self.assertIn("Nothing worked so far.", self.report().words)

    def bench(self, count=3, **changes):
        problems = [{"kernel": "gemm", "problem": f"M={64 * (i + 1)},N=64,K=64;dtype=f32", "tuned": i != 1, "rule": "nearest",
                     "vendor": "cuBLAS", "ratio": 0.8 + 0.3 * i,
                     "contenders": [{"name": "tilewise", "role": "ours", "timed": True, "median_us": 10.0},
                                    {"name": "cuBLAS", "role": "vendor", "timed": True, "median_us": 8 + 3.0 * i,
                                     "ratio": 0.8 + 0.3 * i, "ratio_low": 0.79 + 0.3 * i, "ratio_high": 0.81 + 0.3 * i}]}
                    for i in range(count)]
        path = self.home / "bench.json"
        path.write_text(json.dumps({"device": {"name": "a <b>GPU</b>"}, "cache": "cold", "problems": problems, **changes}))
        return path

    def test_beside_the_vendor(self):
        page = self.report("--bench", self.bench())
        self.assertIn("Against the vendor's libraries", page.texts("h2"))
        self.assertIn("a <b>GPU</b>", page.words)
        self.assertIn("3 problems: 1.072 times as fast in the geometric mean, 0.800 at the least", page.words)
        self.assertEqual(len([e for e in page.all("circle", "slow")]), 1)
        words = ("report", "-o", self.out, "--bench")
        self.refused(*words, self.bench(problems=[]), says="bench.json: has no problem", codes=(2,))
        self.refused(*words, self.bench(problems=7), says="is not what bench writes", codes=(2,))
        self.refused(*words, self.home / "no.json", says="no.json", codes=(2,))

    @unittest.skipUnless(EXAMPLE.exists(), "a build that was carried here has no documentation")
    def test_the_example(self):
        """What is in the documentation is a page as today's, of a GPU."""
        page = Page(EXAMPLE)
        self.assertEqual((page.open, page.unclosed), ([], []))
        for heading in ("Against the vendor's libraries", "How the search went", "Pairs that depend on each other",
                        "What the device allows, and the steps to the winner", "The winner's machine code",
                        "What shapes that were not tuned would get"):
            self.assertIn(heading, page.texts("h2") + page.texts("h3"))
        self.assertIn("On NVIDIA H200, cold cache.", page.words)
        self.assertEqual(page.all("script"), [])
        ours = re.search(r"<style>.*?</style>", self.report().source, re.DOTALL)[0]
        self.assertEqual(re.search(r"<style>.*?</style>", page.source, re.DOTALL)[0], ours,
                         "make docs/example-report.html again: pages look otherwise now")

    def test_times_that_leave_no_room(self):
        """What takes a hundred times as long as the best does not press all else together."""
        self.add_trials()
        for slowest in (None, 9000):
            if slowest is not None:
                self.add_trial({"BLOCK": 7, "EACH": 1, "ORDER": "near"}, slowest, second=9)
            page = self.report()
            begin = page.source.index("Time of each trial")
            picture = page.source[begin : page.source.index("</svg>", begin)]
            self.assertRegex(picture, r">\d+ us<")
            self.assertNotRegex(picture, r">\d+ ms<")
            self.assertEqual("At the upper edge: 1 that took longer." in page.words, slowest is not None)

    def test_what_it_is_about(self):
        self.tune("--config", self.config, "--shape", "30x40", "--budget", "1", "--cache", "warm", "--quiet")
        page = self.report()
        self.assertIn("All problems", page.texts("h2"))
        self.assertEqual(len(page.all("section", "subject")), 2)
        page = self.report("--run", "2")
        self.assertEqual(len(page.all("section", "subject")), 1)
        self.assertIn("M=30,N=40", page.words)
        self.assertEqual(len(self.report("double").all("section", "subject")), 2)
        self.assertIn("M=9,N=9", self.report("double", "--shape", "9x9").words)
        before = self.out.read_text()
        for words, says in ((("--run", "7"), "there is no run 7"), (("--kernel", "gemm"), "nothing is stored of this kernel"),
                            (("--dtype", "f32"), "attributes go with a --shape")):
            self.refused("report", "-o", self.out, *words, says=says)
        self.assertEqual(self.out.read_text(), before)
        self.refused("report", says="give -o FILE", codes=(2,))
        self.refused("report", "--quiet", "-o", self.home / "no/where.html", says="no/where.html: cannot be written", codes=(2,))
        self.refused("report", "-o", self.out, "--db", self.home / "none.db", says="none.db", codes=(2,))

    @unittest.skipIf(browser.ABSENT, browser.ABSENT)
    def test_in_a_browser(self):
        self.change("UPDATE best SET implementation = (SELECT id FROM implementation WHERE name = 'direct'),"
                    " configuration = '{\"BLOCK\":64,\"EACH\":4,\"ORDER\":\"near\"}'")
        self.add_trials()
        self.report("--bench", self.bench())
        overflowing = ("[...document.querySelectorAll('body *')].filter(e=>!e.closest('.wide,svg')&&"
                       "e.getBoundingClientRect().right>innerWidth+1).map(e=>e.outerHTML.slice(0,80))")
        small = ("[...document.querySelectorAll('svg text')].filter(e=>e.getBoundingClientRect().height<8)"
                 ".map(e=>e.outerHTML.slice(0,80))")
        # Words that leave their picture are cut off by the window's edge on a phone.
        cut = ("[...document.querySelectorAll('svg text')].filter(e=>{const b=e.getBoundingClientRect(),"
               "s=e.closest('svg').getBoundingClientRect();return b.left<0||b.right>s.right+1})"
               ".map(e=>e.outerHTML.slice(0,80))")
        papers, wide = {}, "document.documentElement.scrollWidth"
        with browser.Browser() as chromium:
            for name, options in {"light": {}, "dark": {"scheme": "dark"}, "phone": {"width": 360},
                                  "paper": {"scheme": "dark", "media": "print", "width": 700}}.items():
                with self.subTest(name):
                    chromium.open(self.out, **options)
                    self.assertEqual(chromium.requests(), [])
                    errors = [e for e in chromium.events if e.get("method") == "Log.entryAdded"]
                    self.assertEqual(errors, [])
                    self.assertEqual(chromium.ask(overflowing), [])
                    self.assertEqual(chromium.ask(small), [])
                    self.assertEqual(chromium.ask(cut), [])
                    self.assertGreaterEqual(chromium.ask("document.querySelectorAll('svg').length"), 8)
                    picture = chromium.picture("figure svg[aria-label^=Times]")
                    colours = picture.colours()
                    paper = max(colours, key=colours.get)
                    papers[name] = sum(paper)
                    # The line of the best so far, from side to side in ink, and dots in a colour.
                    own = chromium.ask("getComputedStyle(document.querySelector('.best')).stroke")
                    ink = tuple(int(n) for n in re.findall(r"\d+", own)[:3])
                    self.assertGreater(colours.get(ink, 0), picture.width / 4)
                    coloured = sum(n for (r, g, b), n in colours.items() if b - r > 60)
                    self.assertGreater(coloured, 50)
            # What is 182 mm wide, A4 less its margins, in pixels; nobody can scroll it.
            for page in filter(pathlib.Path.exists, (self.out, EXAMPLE)):
                chromium.open(page, width=360)
                self.assertEqual(chromium.ask(cut), [], page)
                chromium.open(page, media="print", width=688)
                self.assertLessEqual(chromium.ask(wide), 688, page)
        self.assertGreater(papers["light"], 600)
        self.assertLess(papers["dark"], 150)
        self.assertGreater(papers["phone"], 600)
        self.assertEqual(papers["paper"], 765)


if __name__ == "__main__":
    support.main()

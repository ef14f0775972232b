import json
import re
import subprocess
import sys
from base64 import b64decode
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

import incrowd as ic
from builders import tracks
from incrowd.measure._summary import summary
from incrowd.progress import listening
from incrowd.report.page import bibliography, papers_of
from incrowd.show import Bars, Section, Table

ROOT = Path(__file__).resolve().parents[2]
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Tags(HTMLParser):
    """Checks that every tag is closed and collects what a browser would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        self.fetched += [value for name, value in attrs if name in ("src", "href", "xlink:href", "action") and value]

    def handle_startendtag(self, tag, attrs):
        self.fetched += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def page(tmp_path):
    traces = tracks(*([(60 * i, 100.0 * u, 50.0 * i) for i in range(u + 1)] for u in range(8)), order="time")
    ledger = traces.ledger.add("clean", read=36, kept=30, dropped={"<stray> & co": 6})
    return ic.report.write(tmp_path / "report.html", summary(traces, min_people=2, cells=3), ledger).read_text()


def test_the_page_is_well_formed_and_loads_nothing(page):
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert all(target.startswith(("#", "data:")) for target in tags.fetched)
    assert "url(http" not in page and "@import" not in page and "<script" not in page


def test_figures_have_text_alternatives(page):
    assert page.count("<svg") == page.count('role="img"') == 4
    assert all(len(alt) > 20 for alt in re.findall(r'role="img" aria-label="([^"]*)"', page))


def test_text_is_escaped(page):
    assert "<stray>" not in page and "&lt;stray&gt; &amp; co" in page


def test_the_numbers_behind_are_valid_json(page):
    summary, ledger = (
        json.loads(unescape(re.sub("<.*?>", "", block)))
        for block in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    )
    assert summary["users"] == 8 and ledger[-1]["kept"] == 30


def test_the_same_numbers_can_be_saved(page):
    saved = json.loads(
        b64decode(re.search('download="report.json" href="data:application/json;base64,([^"]*)"', page)[1])
    )
    assert [part["question"] for part in saved["sections"]] == [
        "What is in the data?",
        "What happened to every record?",
    ]
    assert saved["sections"][0]["data"]["users"] == 8 and saved["sections"][1]["number"] == "30"


def test_contents_answer_every_question(page):
    contents = re.search("<nav.*?</nav>", page, re.DOTALL)[0]
    assert contents.count("<tr>") == 2 and "8 people left 36 records" in contents and 'href="#q2"' in contents


def test_numbers_lead_into_the_json(page):
    cell = re.search('<td class="digits"><a href="#(data2-[0-9]+)">36</a>', page)[1]
    assert f'<b id="{cell}">36</b>' in page


def test_digits_words_and_sentences_are_set_apart(tmp_path):
    rows = [("a", "k=2", "1,200", "-", "x" * 31), ("b", "3", "0.5 to 0.7", "nan", "")]
    grid = Table(("", "setting", "n", "share", "why"), rows, "Said [song2014].")
    page = ic.report.write(tmp_path / "r.html", Section("Q?", "A.", tables=[grid])).read_text()
    assert re.findall('<th scope="col" class="(.*?)">', page) == ["words", "digits", "digits", "long"]
    assert "<thead><tr><td></td>" in page  # a heading without words is none
    assert page.count("\N{EN DASH}</td>") == 2 and 'Said [<a href="#song2014">song2014</a>].</p>' in page
    assert "<nav" not in page  # one answer needs no contents


def test_figures_may_shrink_until_their_smallest_text_would_be_too_small(tmp_path, monkeypatch):
    figure = (
        '<svg width="360pt" height="10pt"><g id="a"/><use xlink:href="#a"/><text style="font-size: 6px">x</text></svg>'
    )
    monkeypatch.setattr("incrowd.report.draw.svg", lambda _: figure)
    panels = [Bars("n", ("a",), {"": (1,)}, "records", "c")] * 2
    page = ic.report.write(tmp_path / "r.html", Section("Q?", "A.", panels=panels)).read_text()
    assert page.count("min-width:540px;max-width:540px") == 2  # 9 px of 6 pt
    assert 'id="data1-figure1-a"' in page and '"#data1-figure2-a"' in page


def test_markdown_holds_the_same_sections(tmp_path):
    ledger = ic.Ledger().add("read", read=2, kept=1, dropped={"stray": 1})
    page = ic.report.write(tmp_path / "r.md", ledger, title="Trips").read_text()
    assert page.startswith("# Trips\n") and "## What happened to every record?" in page
    assert "2 records came in, 1 was dropped" in page and "| read | 2 | 1 |" in page


def test_the_map_has_a_scale_and_hides_small_cells(page):
    assert re.search(r"[\d.]+ km, north is up", page) and "fewer than 2 people are blank" in page


def test_same_results_same_bytes(tmp_path):
    ledger = ic.Ledger().add("read", read=2, kept=1, dropped={"stray": 1})
    one, two = (ic.report.write(tmp_path / name, ledger).read_bytes() for name in ("a.html", "b.html"))
    assert one == two


def test_existing_files_are_kept(tmp_path):
    target = tmp_path / "report.html"
    target.write_text("mine")
    with pytest.raises(ic.ParameterError, match="exists"):
        ic.report.write(target, ic.Ledger().add("read", read=1, kept=1))
    assert target.read_text() == "mine"
    ic.report.write(target, Section("Why?", "Because."), force=True)
    assert "Because." in target.read_text()


def test_unknown_results_and_none_are_refused(tmp_path):
    with pytest.raises(ic.ParameterError, match="a dict cannot be shown"):
        ic.report.write(tmp_path / "report.html", {})
    with pytest.raises(ic.ParameterError, match="at least one result"):
        ic.report.write(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_a_map_without_a_full_cell_says_so(tmp_path):
    found = summary(tracks([(0, 0.0)], [(0, 900.0)], order="time"), min_people=5)
    assert "0 cells are shown" in ic.report.write(tmp_path / "report.html", found).read_text()


FRESH = """
import sys
from pathlib import Path
import incrowd as ic
traces = ic.Traces.from_arrays([1, 1, 2, 2], [0, 60, 0, 60], x=[0, 900, 0, 950], y=[0, 0, 0, 0])
visits = ic.Visits.from_arrays([1, 1, 2], cell=[0, 1, 0], slot=[0, 1, 0])
release = ic.anonymize.W4M(k=2, delta_m=1000, trash=0)(traces, seed=1)
results = [
    ic.Ledger().add("read", read=1, kept=1),
    ic.measure.summary(traces, min_people=1),
    ic.measure.uniqueness(visits, points=1),
    ic.measure.displacement(release, traces),
]
for number, result in enumerate(results):
    ic.report.write(Path(sys.argv[1]) / f"{number}.html", result)
"""


def test_a_fresh_process_writes_pages_of_every_step(tmp_path):
    """Other tests may have loaded what a page by itself does not."""
    ran = subprocess.run([sys.executable, "-c", FRESH, tmp_path], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert len(list(tmp_path.glob("*.html"))) == 4


def test_drawing_tells_how_far_it_is(tmp_path):
    told = []
    with listening(lambda *words: told.append(words)):
        ic.report.write(tmp_path / "r.html", *[ic.Ledger().add("read", read=3, kept=3)] * 2)
    assert told == [("drawing", done, 2) for done in range(3)]


@pytest.mark.parametrize("name", ["page.pdf", "page.docx", "page"])
def test_a_page_is_not_written_under_the_name_of_something_else(tmp_path, name):
    with pytest.raises(ic.ParameterError, match=r"choose a name that ends in \.html or \.md"):
        ic.report.write(tmp_path / name, ic.Ledger())
    assert list(tmp_path.iterdir()) == []


def test_every_entry_of_the_bibliography_can_be_listed():
    keys = re.findall(r"^@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text(), re.MULTILINE)
    assert list(bibliography()) == keys
    for paper in bibliography().values():
        assert (
            not set("{}\\$") & set(paper.text) and paper.key[-4:] in paper.text and paper.short.endswith(paper.key[-4:])
        )


def test_names_and_places_are_written_out():
    known = bibliography()
    assert known["gramaglia2015"].short == "Gramaglia and Fiore 2015"
    assert known["abul2010"].text.endswith("Information Systems, 35(8), 884–910, 2010.")


def test_sections_lead_to_their_papers(tmp_path):
    shown = Section(
        "Q?", "A.", method=["As [song2014, Eq. 1] and [nobody1999] say."], references=["tan2017", "song2014"]
    )
    assert papers_of(shown) == ["tan2017", "song2014"]
    page = ic.report.write(tmp_path / "r.html", shown).read_text()
    assert 'As [<a href="#song2014">song2014</a>, Eq. 1] and [nobody1999] say.' in page
    assert page.index('<li id="tan2017"') < page.index('<li id="song2014"') and page.count("<li ") == 2


def test_unknown_papers_are_refused(tmp_path):
    with pytest.raises(ic.ParameterError, match="nobody1999"):
        ic.report.write(tmp_path / "r.html", Section("Q?", "A.", references=["nobody1999"]))

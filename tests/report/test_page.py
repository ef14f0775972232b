import json
import re
from html.parser import HTMLParser

import pytest

import incrowd as ic
from builders import tracks
from incrowd.measure.summary import summary
from incrowd.report.section import Section

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
    blocks = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)
    first = json.loads(blocks[0].replace("&#34;", '"').replace("&lt;", "<").replace("&amp;", "&").replace("&gt;", ">"))
    assert first["users"] == 8


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
    with pytest.raises(ic.ParameterError, match="cannot show dict"):
        ic.report.write(tmp_path / "report.html", {})
    with pytest.raises(ic.ParameterError, match="at least one result"):
        ic.report.write(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_a_map_without_a_full_cell_says_so(tmp_path):
    found = summary(tracks([(0, 0.0)], [(0, 900.0)], order="time"), min_people=5)
    assert "0 cells are shown" in ic.report.write(tmp_path / "report.html", found).read_text()

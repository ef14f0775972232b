"""Pages that somebody signs or decides by, in a real browser: light, dark, wide, narrow and on paper."""

from dataclasses import replace

import pytest

import incrowd as ic
from browser import COLLISIONS, OUTSIDE
from incrowd.assess.side_by_side import SideBySide
from incrowd.report.overview import about_release, overview

pytestmark = pytest.mark.web
MOST_SHEETS = 4
NAMES = ("failing", "passing", "missing", "override", "compare", "releases", "recover", "explained")


@pytest.fixture(scope="session")
def city():
    return ic.read.synthetic_city(users=60, towers=12, days=3, seed=2)


@pytest.fixture(scope="session")
def pages(city, tmp_path_factory):
    """Releases that fail, pass or lack answers, side by side, methods compared, recovery, and data with a release."""
    folder = tmp_path_factory.mktemp("pages")
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    prints = ic.discretize.fingerprints(city.traces)
    cut = ic.anonymize.Cut(window_h=6)(visits)
    made = {
        "failing": (visits, cut),
        "passing": (prints, ic.anonymize.Glove(k=11)(prints)),
        "missing": (visits, cut.data),  # nothing says who is who
    }
    assessments = {
        name: ic.assess.assess(data, release=release, budget_s=120, seed=0, advise=False)
        for name, (data, release) in made.items()
    }
    assert [name for name, one in assessments.items() if one.passed] == ["passing"]
    assert assessments["failing"].above and assessments["missing"].open
    allowed = {"override": "the board wants it", "shopping": ("the limit of lookup is 90 %",)}
    assessments["override"] = replace(assessments["passing"], **allowed)
    for name, assessment in assessments.items():
        ic.report.write(folder / f"{name}.html", *assessment.sections(), title="Privacy assessment")
    releases = {name: made[name][1] for name in ("failing", "passing")}
    chosen = {name: assessments[name] for name in releases}
    sides = SideBySide(question="Which can be published?", assessments=chosen, releases=releases, about={})
    ic.report.write(folder / "releases.html", sides, *(one.section() for one in releases.values()), title="A city")
    comparison = ic.assess.compare(prints, methods=("cut", "glove"))
    ic.report.write(folder / "compare.html", comparison, title="Which method loses least detail?")
    filled = ic.discretize.filled(ic.discretize.grid(city.traces, cell_m=2000, slot_min=60, keep="vote"))
    recovered = ic.attack.recover(ic.discretize.counts(filled))
    ic.report.write(folder / "recover.html", ic.attack.recovery_score(recovered, filled), recovered, title="Recovery")
    ic.anonymize.publish(cut, folder / "cut", original=visits, link=folder / "link.csv")
    parts = overview(city.traces, visits, points=(1, 2, 3, 4, 5), seed=0)
    parts += about_release(folder / "cut", visits, visits, link=folder / "link.csv")
    ic.report.write(folder / "explained.html", *parts, visits.ledger)
    return folder


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("dark", [False, True])
def test_every_screen(tab, pages, name, width, dark):
    tab.open(pages / f"{name}.html", width, dark=dark)
    tab.picture(f"{name}-{width}{'-dark' if dark else ''}")
    assert tab.violations() == []
    assert tab.ask("document.documentElement.scrollWidth") <= width and tab.ask(OUTSIDE) == []
    assert tab.ask(COLLISIONS) == []
    assert tab.complaints == [] and all(address.startswith(("file:", "data:")) for address in tab.requested)


@pytest.mark.parametrize("name", NAMES)
def test_paper(tab, pages, name):
    tab.open(pages / f"{name}.html")
    sheets = tab.paper(name)
    assert 1 <= len(sheets) <= MOST_SHEETS and all(sheet.strip() for sheet in sheets)
    assert tab.stranded(sheets) == []


def test_the_verdict_the_numbers_and_the_command_are_on_the_first_screen(tab, pages):
    tab.open(pages / "failing.html")
    bottom = "selector => document.querySelector(selector).getBoundingClientRect().bottom"
    for part in ("h1", ".decide > li:nth-child(4)", ".cmd"):
        assert tab.page.evaluate(bottom, part) <= 900, part


@pytest.mark.parametrize(
    ("right", "wrong", "rule"),
    [
        ("--soft: #4f5d6b", "--soft: #c9d2db", "color-contrast"),
        ("<label>Name<input", "Name<label></label><input", "label"),
        ('<html lang="en">', "<html>", "html-has-lang"),
    ],
)
def test_a_fault_would_be_found(tab, pages, tmp_path, right, wrong, rule):
    text = (pages / "failing.html").read_text()
    assert right in text
    (tmp_path / "bad.html").write_text(text.replace(right, wrong))
    tab.open(tmp_path / "bad.html")
    assert any(fault.startswith(rule) for fault in tab.violations())


def test_a_stranded_heading_would_be_found(tab, pages, tmp_path):
    text = (pages / "failing.html").read_text().replace("</h2>", '</h2><p style="break-after: page"></p>')
    (tmp_path / "bad.html").write_text(text)
    tab.open(tmp_path / "bad.html")
    assert tab.stranded(tab.paper("stranded"))


def test_labels_that_run_together_would_be_found(tab, pages, tmp_path):
    text = (pages / "failing.html").read_text().replace('text-anchor="end">', ">").replace('x="100%" y=', 'x="15%" y=')
    (tmp_path / "bad.html").write_text(text)
    tab.open(tmp_path / "bad.html")
    assert tab.ask(COLLISIONS)

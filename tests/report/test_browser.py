"""The report in a real browser: opened from disk, on a wide and a narrow screen, and on paper."""

import json

import numpy as np
import pytest

import incrowd as ic
from browser import OUTSIDE
from incrowd.show import Section, section_of

pytestmark = pytest.mark.web
WIDTHS = (1280, 400)
LETTERS_PX = """
() => [...document.querySelectorAll("figure svg text")]
  .filter(t => t.textContent.trim() && t.checkVisibility()).map(t => {
  const m = (t.querySelector("tspan") || t).getScreenCTM();
  return parseFloat(getComputedStyle(t.querySelector("tspan") || t).fontSize) * Math.hypot(m.a, m.b); })
"""
SMALLEST_PX = """
() => Math.min(...[...document.querySelectorAll('p, td, th, li, figcaption')]
  .map(e => parseFloat(getComputedStyle(e).fontSize)))
"""


@pytest.fixture(scope="module")
def results():
    city = ic.read.synthetic_city(users=40, towers=20, days=2, seed=0)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    risks = [ic.measure.uniqueness(visits, points=m, short=s) for m in (1, 2, 3) for s in ("drop", "all")]
    release = ic.anonymize.Cut(window_h=6)(visits)
    sweep = ic.measure.sweep(city.traces, blocks=(5, 10, 40), minutes=(60, 240), points=(2, 4, 6), samples=100)
    gaps = ic.measure.kgap(city.fingerprints())
    plan = ic.assess.plan(visits, windows_h=(2, 6, 12), points=2)
    verdict = ic.audit.check(release, original=visits)
    return ic.measure.summary(city.traces), risks, sweep, gaps, plan, release, verdict, release.ledger


@pytest.fixture(scope="module")
def page(results, tmp_path_factory):
    return ic.report.write(tmp_path_factory.mktemp("report") / "report.html", *results)


@pytest.mark.parametrize("width", WIDTHS)
def test_it_opens_from_disk_in_silence(tab, page, width):
    tab.open(page, width)
    assert tab.ask("document.querySelectorAll('main > section.asked').length") == 9  # eight answers and the papers
    assert tab.requested[0] == page.as_uri() and all(address.startswith("data:") for address in tab.requested[1:])
    assert tab.complaints == []


def test_the_silence_would_be_broken(tab, page, tmp_path):
    """What the test above relies on: a page that asks and fails is noticed."""
    loud = tmp_path / "loud.html"
    loud.write_text(page.read_text().replace("</body>", "<img src='https://example.org/x.png'></body>"))
    tab.open(loud)
    assert tab.complaints


@pytest.mark.parametrize("width", WIDTHS)
def test_everything_fits_and_can_be_read(tab, page, width):
    tab.open(page, width)
    assert tab.ask("document.documentElement.scrollWidth") <= width
    assert tab.ask(OUTSIDE) == []
    letters = tab.ask(LETTERS_PX)
    assert len(letters) > 100 and min(letters) >= 8.9
    assert tab.ask(SMALLEST_PX) >= 12


def test_screen_readers_hear_every_figure(tab, page, results):
    tab.open(page)
    heard = tab.ask("[...document.querySelectorAll('[role=img]')].map(e => e.ariaLabel)")
    assert heard == [panel.alt for result in results for panel in section_of(result).panels]
    assert all(len(alt) > 40 for alt in heard)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_in_the_way_of_anybody(tab, page, width, dark):
    tab.open(page, width, dark=dark)
    assert tab.violations() == []


def test_links_lead_somewhere_and_names_are_unique(tab, page):
    tab.open(page)
    lost = "[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.querySelector(a.hash)).length"
    twice = "(ids => ids.length - new Set(ids).size)([...document.querySelectorAll('[id]')].map(e => e.id))"
    assert tab.ask(lost) == 0 and tab.ask(twice) == 0


def test_a_number_opens_the_json_behind_it(tab, page, results):
    tab.open(page)
    numbers = {"#q1": results[0].users, "#q2": results[1][4].value, "#q8": results[-1].steps[-1].kept}
    for place, number in numbers.items():
        tab.ask(f"document.querySelector('{place} .number a').click()")
        tab.page.wait_for_function(f"document.querySelector('{place} .data').open")
        assert tab.ask("document.querySelector(':target').offsetHeight") > 0
        assert json.loads(tab.ask("document.querySelector(':target').textContent")) == number


def test_all_numbers_can_be_saved_without_a_network(tab, page, tmp_path):
    tab.open(page)
    with tab.page.expect_download() as download:
        tab.ask("document.querySelector('a[download]').click()")
    download.value.save_as(tmp_path / "report.json")
    saved = json.loads((tmp_path / "report.json").read_text())
    assert [part["question"] for part in saved["sections"]][-1] == "What happened to every record?"
    assert saved["sections"][0]["data"]["users"] == 40


def test_details_are_printed_if_they_are_unfolded(tab, page):
    tab.open(page)
    hidden = "[...document.querySelectorAll('details:not(.data) p')].map(e => e.checkVisibility())"
    tab.page.emulate_media(media="print")
    assert not any(tab.ask(hidden))
    tab.ask("document.querySelectorAll('details').forEach(e => e.open = true)")
    shown = tab.ask(hidden)
    assert len(shown) > 8 and all(shown)
    assert tab.ask("Math.max(...[...document.querySelectorAll('.data pre')].map(e => e.offsetHeight))") == 0


def test_hostile_text_stays_text(tab, tmp_path):
    bad = "</pre></script><script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    part = Section(bad, bad, bad, bad, method=[bad], data={bad: bad, "n": np.arange(3)})
    tab.open(ic.report.write(tmp_path / "bad.html", part, part, title=bad))
    assert tab.ask("document.title") == bad and tab.ask("document.querySelectorAll('script, img').length") == 0

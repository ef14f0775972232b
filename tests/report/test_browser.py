"""The report in a real browser: opened from disk, on a wide and a narrow screen, and on paper."""

import json
import re
import zlib

import numpy as np
import pytest

import incrowd as ic
from browser import chromium
from incrowd.show import Section, section_of

WIDTHS = (1280, 400)
OUTSIDE = """
[...document.querySelectorAll("body *")].filter(e => !e.parentElement.closest(".scroll, svg, pre, details:not([open])")
  && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 200))
"""
LETTERS_PX = """
[...document.querySelectorAll("svg text")].filter(t => t.textContent.trim()).map(t => {
  const m = (t.querySelector("tspan") || t).getScreenCTM();
  return parseFloat(getComputedStyle(t.querySelector("tspan") || t).fontSize) * Math.hypot(m.a, m.b); })
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


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def browser(tab):
    """The same tab without its past."""
    tab.events.clear()
    return tab


@pytest.mark.parametrize("width", WIDTHS)
def test_it_opens_from_disk_in_silence(browser, page, width):
    browser.open(page, width)
    assert browser.ask("document.querySelectorAll('main > section').length") == 8
    asked = browser.requested()
    assert asked[0] == page.as_uri() and all(address.startswith("data:") for address in asked[1:])
    assert browser.complaints() == []


def test_the_silence_would_be_broken(browser, page, tmp_path):
    """What the test above relies on: a page that asks and fails is noticed."""
    loud = tmp_path / "loud.html"
    loud.write_text(page.read_text().replace("</body>", "<img src='https://example.org/x.png'></body>"))
    browser.open(loud)
    assert browser.complaints()


@pytest.mark.parametrize("width", WIDTHS)
def test_everything_fits_and_can_be_read(browser, page, width):
    browser.open(page, width)
    assert browser.ask("document.documentElement.scrollWidth") <= width
    assert browser.ask(OUTSIDE) == []
    letters = browser.ask(LETTERS_PX)
    assert len(letters) > 100 and min(letters) >= 8.9
    assert browser.ask("Math.min(...[...document.querySelectorAll('p, td, th, li, figcaption')]"
                       ".map(e => parseFloat(getComputedStyle(e).fontSize)))") >= 12  # fmt: skip


def test_screen_readers_hear_every_figure(browser, page, results):
    browser.open(page)
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    images = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") in ("img", "image")]
    assert images == [panel.alt for result in results for panel in section_of(result).panels]
    assert all(len(alt) > 40 for alt in images)


def test_links_lead_somewhere_and_names_are_unique(browser, page):
    browser.open(page)
    lost = "[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.querySelector(a.hash)).length"
    twice = "(ids => ids.length - new Set(ids).size)([...document.querySelectorAll('[id]')].map(e => e.id))"
    assert browser.ask(lost) == 0 and browser.ask(twice) == 0


def test_a_number_opens_the_json_behind_it(browser, page, results):
    browser.open(page)
    numbers = {"#q1": results[0].users, "#q2": results[1][4].value, "#q8": results[-1].steps[-1].kept}
    for place, number in numbers.items():
        browser.ask(f"document.querySelector('{place} .number a').click()")
        assert browser.ask(f"document.querySelector('{place} .data').open") is True
        assert browser.ask("document.querySelector(':target').offsetHeight") > 0
        assert json.loads(browser.ask("document.querySelector(':target').textContent")) == number


def test_all_numbers_can_be_saved_without_a_network(browser, page, tmp_path):
    browser.open(page)
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path), eventsEnabled=True)
    browser.ask("document.querySelector('a[download]').click()")
    while browser.wait("Browser.downloadProgress")["state"] != "completed":
        pass
    saved = json.loads((tmp_path / "report.json").read_text())
    assert [part["question"] for part in saved["sections"]][-1] == "What happened to every record?"
    assert saved["sections"][0]["data"]["users"] == 40


def test_it_prints_on_several_pages_and_none_is_blank(browser, page):
    browser.open(page)
    letters = printed(browser.pdf())
    assert 3 <= len(letters) <= 25 and min(letters) > 10


def test_paper_shows_methods_and_not_the_json(browser, page):
    browser.open(page)
    browser.ask("document.querySelectorAll('details').forEach(e => e.open = false)")
    browser.call("Emulation.setEmulatedMedia", media="print")
    try:
        seen = browser.ask("[...document.querySelectorAll('details:not(.data) p')].map(e => e.checkVisibility())")
        assert len(seen) > 8 and all(seen)
        assert browser.ask("Math.max(...[...document.querySelectorAll('pre')].map(e => e.offsetHeight))") == 0
    finally:
        browser.call("Emulation.setEmulatedMedia", media="")


def test_hostile_text_stays_text(browser, tmp_path):
    bad = "</pre></script><script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    shown = Section(bad, bad, bad, bad, method=[bad], data={bad: bad, "n": np.arange(3)})
    browser.open(ic.report.write(tmp_path / "bad.html", shown, shown, title=bad))
    assert browser.ask("document.title") == bad and browser.ask("document.querySelectorAll('script, img').length") == 0


def printed(pdf: bytes) -> list[int]:
    """How many strokes of text each page has, from the content streams that its pages name."""
    objects = dict(re.findall(rb"\n(\d+) 0 obj\n(.*?)\nendobj", pdf, re.DOTALL))
    pages = [body for body in objects.values() if re.search(rb"/Type /Page\b", body)]
    streams = [objects[re.search(rb"/Contents (\d+) 0 R", body)[1]].partition(b"stream\n")[2] for body in pages]
    return [len(re.findall(rb"T[jJ]\b", zlib.decompressobj().decompress(stream))) for stream in streams]

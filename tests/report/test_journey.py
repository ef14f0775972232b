"""The short journey of every change: a page that is signed opens in a browser, in the dark, on a phone, on paper."""

import pytest

import incrowd as ic
from browser import OUTSIDE


@pytest.mark.web
def test_a_page_is_opened_read_and_printed(tab, tmp_path):
    city = ic.read.synthetic_city(users=40, towers=10, days=2, seed=0)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    assessment = ic.assess.assess(visits, budget_s=30, seed=0, advise=False)
    page = ic.report.write(tmp_path / "page.html", *assessment.sections(), title="Privacy assessment")
    for width, dark in ((1280, False), (400, True)):
        tab.open(page, width, dark=dark)
        assert tab.violations() == [] and tab.ask(OUTSIDE) == []
    tab.open(page)
    tab.page.click("text=Every test in detail")
    assert tab.ask("document.querySelector('#q1').checkVisibility()")
    tab.page.click("text=Every test in detail")
    sheets = tab.paper("journey")
    assert len(sheets) <= 4 and tab.stranded(sheets) == []
    assert tab.complaints == [] and all(address.startswith(("file:", "data:")) for address in tab.requested)

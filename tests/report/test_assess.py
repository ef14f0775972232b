"""The first section of an assessment: what is judged leads to its JSON, and fits a phone."""

import re

import pytest

import incrowd as ic
from browser import chromium
from incrowd.report.assess import HEAD, parts
from incrowd.report.behind import Behind
from incrowd.report.section import Section, section


@pytest.fixture(scope="module")
def found():
    city = ic.read.synthetic_city(users=20, towers=8, days=2, seed=2)
    return ic.assess.assess(city.traces, towers=city.towers)


def test_every_judged_number_leads_to_its_value(found, tmp_path):
    grid = section(found).tables[0]
    asked = [place for place, one in enumerate(found.answers) if one.value is not None]
    assert [place for place in grid.at.values() if place[2] == "value"] == [("answers", one, "value") for one in asked]
    behind = Behind(found, "d")
    for (row, column), place in grid.at.items():
        name = re.search('href="#([^"]*)"', behind.number(grid.rows[row][column], place))[1]
        told = re.search(f'<b id="{name}">(.*?)</b>', behind.json())[1]
        assert float(told) == getattr(found.answers[place[1]], place[2])
    page = ic.report.write(tmp_path / "page.html", *parts(found)).read_text()
    cells = re.findall(r'<td class="\w+"><a href="#data1-\d+">', page)
    assert len(cells) >= len(asked)
    assert re.search(r'<td class="number"><b><a href="#data', page)


def test_nothing_important_is_wide(found):
    verdicts, attackers, notes = section(found).tables[:3]
    assert verdicts.head == HEAD == ("question", "verdict", "number", "limit")
    assert all(len("".join(row[1:])) <= 26 for row in verdicts.rows)
    assert [row[1] for row in attackers.rows] == [f"{one.attacker}." for one in found.answers if one.value is not None]
    assert all("(" in row[1] for row in notes.rows if row[0] == "Do counts give people away?")


def test_the_verdicts_fit_a_phone(found, tmp_path):
    page = ic.report.write(tmp_path / "page.html", *parts(found))
    with chromium(tmp_path / "profile") as browser:
        browser.open(page, 400)
        box = "document.querySelector('main .scroll:has(> table)')"
        assert browser.ask(f"{box}.scrollWidth") <= browser.ask(f"{box}.clientWidth")


def test_counts_stand_beside_the_best_guess(found):
    shown = [part if isinstance(part, Section) else section(part) for part in parts(found)]
    score = next(part for part in shown if part.question == "How much of it is true?")
    assert "The best guess from the same counts, 'everyone static', has" in score.answer and "chance" in score.data


def test_not_applicable_is_no_number():
    assert Behind({}, "d").cell("n/a") == "–"

"""The first section of an assessment: what is judged leads to its JSON, and fits a phone."""

import re

import numpy as np
import pytest

import incrowd as ic
from browser import chromium
from incrowd.report.assess import HEAD, parts
from incrowd.report.glove import quantiles
from incrowd.report.json_links import Behind
from incrowd.report.page import _kinds
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


@pytest.fixture(scope="module")
def released():
    city = ic.read.synthetic_city(users=20, towers=8, days=2, seed=2)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    return ic.assess.assess(visits, release=ic.anonymize.Cut(window_h=6)(visits))


def test_a_release_and_what_was_before_it_have_a_table_each(released):
    shown = section(released)
    release, before = shown.tables[:2]
    assert release.caption.startswith("The release. ") and before.caption.startswith("Before: the data as they are.")
    assert {row[0] for row in release.rows} == {
        one.asks for one in released.answers if one.group == "release" and one.value is not None
    }
    assert "ABOVE" in {row[1] for row in release.rows} and "(above)" in {row[1] for row in before.rows}
    assert "ABOVE" not in {row[1] for row in before.rows}
    assert shown.number == str(len(released.above)) == "2"
    assert shown.answer.startswith("Does not pass: 2 above. The release: 2 of 3 ")
    for grid in (release, before):
        for (row, _), (_, place, _) in grid.at.items():
            assert grid.rows[row][0] == released.answers[place].asks
    asked = [part.question for part in parts(released) if isinstance(part, Section)]
    assert "Before: How easily are people singled out?" in asked and "Who is alone in the release?" in asked


def test_a_section_is_headed_by_the_number_that_is_judged(found, released):
    for data, question in ((found, "How easily are people singled out?"), (released, "Who is alone in the release?")):
        name, people = ("singling_out", "people") if data is found else ("release_alone", "published trajectories")
        answer = next(one for one in data.answers if one.name == name)
        head = next(part for part in parts(data) if isinstance(part, Section) and part.question == question)
        assert head.number == answer.number.partition(" (")[0] and head.number_of == "singled out by 4 points"
        assert f"of {answer.numbers['curve'][0]['population']:,} {people}" in head.answer
        index, field = head.number_at
        assert getattr(head.data[index], field) == answer.value


def test_words_for_what_is_no_number(found):
    shown = [part if isinstance(part, Section) else section(part) for part in parts(found)]
    recovered = next(part for part in shown if part.question == "What can be recovered from the published counts?")
    assert "Every link of two slots is proven cheapest (gap below 1 mm)." in recovered.answer
    assert quantiles([("ratio", np.array([1.0, np.inf]))], "").rows[0][-1] == "infinite"


def test_what_is_missing_is_in_the_headline(tmp_path):
    traces = ic.read.synthetic_city(users=20, towers=8, days=2, seed=2).traces
    prints = ic.discretize.fingerprints(traces)
    hidden = ic.anonymize.Glove(k=2)(prints)
    folder = ic.anonymize.publish(hidden, tmp_path / "release", link=tmp_path / "link.csv", original=prints)
    shut = section(ic.assess.assess(traces, release=folder))
    assert shut.number == "1" and shut.number_of == "above their thresholds or missing"
    assert shut.answer.startswith("Does not pass: 1 missing. ")
    assert ("Is the release linked back?", "NO ANSWER", "-", "0.1") in shut.tables[0].rows
    passing = ic.assess.assess(traces, release=folder, link=tmp_path / "link.csv")
    assert section(passing).number == "0" and section(passing).answer.startswith("Passes. ")
    shown = [part if isinstance(part, Section) else section(part) for part in parts(passing)]
    boxes = next(part for part in shown if part.question == "Is the release linked back?")
    assert boxes.number == "0.0%" and "8 random samples" in boxes.answer and "a guess within the crowd" in boxes.answer
    behind = Behind(boxes.data, "d")
    grid = boxes.tables[0]
    assert len(grid.at) == 5 and all(behind.number(grid.rows[row][1], at) for (row, _), at in grid.at.items())


def test_numbers_of_all_tables_stand_to_the_right(released):
    for grid in section(released).tables[:2]:
        assert _kinds(grid)[HEAD.index("number")] == "digits"


def test_a_published_value_that_is_inferred_has_a_section_of_its_own():
    ill = {"ill": ["a", "a", "b", "b"]}
    visits = ic.Visits.from_arrays([1, 2, 3, 4], [0, 0, 1, 1], [0] * 4, slot_min=60, start=0, attributes=ill)
    release = ic.Release.from_arrays(visits, members=[[0], [1], [2], [3]])
    shown = [
        one for one in parts(ic.assess.assess(visits, release=release, sensitive="ill")) if isinstance(one, Section)
    ]
    told = next(one for one in shown if one.question == "Does the release tell the value?")
    assert told.number == "100.0%" and "of 4 published trajectories with a confidence" in told.answer
    assert any(one.question == "Before: Whose ill is inferred?" for one in shown)


def test_options_are_not_broken_and_wide_tables_have_a_shadow(found, tmp_path):
    page = ic.report.write(tmp_path / "page.html", *parts(found))
    assert '<span class="option">(--sensitive)</span>' in page.read_text()
    with chromium(tmp_path / "profile") as browser:
        browser.open(page, 400)
        shadow = "getComputedStyle(document.querySelector('main .scroll')).backgroundAttachment"
        assert browser.ask(shadow) == "local, scroll"

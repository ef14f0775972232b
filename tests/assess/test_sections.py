"""The sections of an assessment: what is judged leads to its JSON, and fits a phone."""

import re

import pytest

import incrowd as ic
from browser import chromium
from incrowd.assess.assessment import HEAD
from incrowd.report.json_links import Behind
from incrowd.report.page import _kinds


@pytest.fixture(scope="module")
def found():
    city = ic.read.synthetic_city(users=20, towers=8, days=2, seed=2)
    return ic.assess.assess(city.traces, towers=city.towers)


def test_every_judged_number_leads_to_its_value(found, tmp_path):
    table = found.section().tables[0]
    asked = [place for place, one in enumerate(found.answers) if one.value is not None]
    assert [place for place in table.at.values() if place[2] == "value"] == [("answers", one, "value") for one in asked]
    behind = Behind(found, "d")
    for (row, column), place in table.at.items():
        name = re.search('href="#([^"]*)"', behind.number(table.rows[row][column], place))[1]
        value = re.search(f'<b id="{name}">(.*?)</b>', behind.json())[1]
        assert float(value) == getattr(found.answers[place[1]], place[2])
    page = ic.report.write(tmp_path / "page.html", *found.sections()).read_text()
    cells = re.findall(r'<td class="\w+"><a href="#data1-\d+">', page)
    assert len(cells) >= len(asked)
    assert re.search(r'<td class="number"><b><a href="#data', page)


def test_the_table_says_how_many_people_and_limits_in_percent(found):
    rows = {row[0]: dict(zip(HEAD, row, strict=True)) for row in found.section().tables[0].rows}
    single = rows["How many people are identified by a single visit?"]
    assert re.fullmatch(r"\d+\.\d %", single["result"]) and re.fullmatch(r"\d+ of 20 people", single["how many"])
    assert single["limit"] == "5 %" and single["verdict"] in ("ABOVE", "within")
    assert rows[found.answer("blurring").asks]["limit"] == "-"


def test_nothing_important_is_wide(found):
    verdicts, details = found.section().tables[:2]
    assert verdicts.head == HEAD == ("question", "verdict", "result", "limit", "how many")
    answered = [one for one in found.answers if one.value is not None]
    assert [row[0] for row in details.rows] == [one.name for one in answered]
    assert all(
        row[1].startswith(f"{one.asks} {one.attacker}.") for row, one in zip(details.rows, answered, strict=True)
    )


def test_the_verdicts_fit_a_phone(found, tmp_path):
    page = ic.report.write(tmp_path / "page.html", *found.sections())
    with chromium(tmp_path / "profile") as browser:
        browser.open(page, 400)
        box = "document.querySelector('main .scroll:has(> table)')"
        first = f"[...{box}.querySelectorAll('th')].slice(0, 4).reduce((sum, th) => sum + th.offsetWidth, 0)"
        assert browser.ask(first) <= browser.ask(f"{box}.clientWidth")  # how many people is a swipe away


def test_counts_stand_beside_the_best_guess(found):
    note = found.answer("counts").note
    assert re.match(r"[\d.]+ % of positions reconstructed correctly \([\d.]+ % by assuming that nobody moves\)", note)


def test_not_applicable_is_no_number():
    assert Behind({}, "d").cell("n/a") == "–"


@pytest.fixture(scope="module")
def released():
    city = ic.read.synthetic_city(users=20, towers=8, days=2, seed=2)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    return ic.assess.assess(visits, release=ic.anonymize.Cut(window_h=6)(visits))


def test_a_release_and_the_original_data_have_a_table_each(released):
    part = released.section()
    release, before = part.tables[:2]
    assert release.caption.startswith("The release. ") and before.caption.startswith("The original data. Values in ")
    assert {row[0] for row in release.rows} == {
        one.asks for one in released.answers if one.group == "release" and one.value is not None
    }
    assert "ABOVE" in {row[1] for row in release.rows} and "(above)" in {row[1] for row in before.rows}
    assert "ABOVE" not in {row[1] for row in before.rows}
    assert part.number == str(len(released.above)) == "2"
    assert part.answer.startswith("Do not publish: 2 of 3 tests exceed your limits. Worst: Can published records ")
    for table in (release, before):
        for (row, _), (_, place, _) in table.at.items():
            assert table.rows[row][0] == released.answers[place].asks


def test_a_section_has_the_question_of_its_test_and_the_number_that_is_judged(found, released):
    asks = "How many people are identified by 4 known visits?"
    published = "How many published trajectories are identified by 4 known visits?"
    for data, question, name in ((found, asks, "identified"), (released, published, "release_identified")):
        answer = data.answer(name)
        part = next(one for one in data.sections() if one.question == question)
        assert part.number == answer.share and part.method[0] == f"{answer.attacker}."
        people = "published trajectories" if data is released else "people"
        assert part.answer.startswith(f"{answer.share} of {people} (")
        index, field = part.number_at
        assert getattr(part.data[index], field) == answer.value
    assert f"{asks} (original data)" in [one.question for one in released.sections()]


def test_every_answer_has_a_section_under_its_question(found):
    asked = [one.question for one in found.sections()]
    assert asked[0] == "Does any test exceed your limits?" and asked[-1] == "What happened to every record?"
    answered = [one.asks for one in found.answers if one.value is not None]
    assert [question for question in asked if question in answered] == answered


def test_what_is_missing_is_in_the_headline(tmp_path):
    traces = ic.read.synthetic_city(users=20, towers=8, days=2, seed=2).traces
    prints = ic.discretize.fingerprints(traces)
    hidden = ic.anonymize.Glove(k=2)(prints)
    folder = ic.anonymize.publish(hidden, tmp_path / "release", link=tmp_path / "link.csv", original=prints)
    shut = ic.assess.assess(traces, release=folder).section()
    assert shut.number == "1" and shut.number_of == "tests above your limits or missing"
    assert shut.answer.startswith("Do not publish: 1 test is missing. No answer: matched (no link file was given")
    assert ("Can published records be matched to known people?", "NO ANSWER", "-", "10 %", "-") in shut.tables[0].rows
    passing = ic.assess.assess(traces, release=folder, link=tmp_path / "link.csv")
    assert passing.section().number == "0"
    assert passing.section().answer.startswith("Nothing above your limits: 2 tests, none missing. ")
    boxes = next(part for part in passing.sections() if part.question.startswith("Can published records"))
    assert boxes.number == "0.0 %" and "8 random samples" in boxes.answer and "a guess within the crowd" in boxes.answer
    behind = Behind(boxes.data, "d")
    table = boxes.tables[0]
    assert len(table.at) == 5 and all(behind.number(table.rows[row][1], at) for (row, _), at in table.at.items())


def test_numbers_of_all_tables_stand_to_the_right(released):
    for table in released.section().tables[:2]:
        assert _kinds(table)[HEAD.index("result")] == "digits"


def test_a_published_value_that_is_inferred_has_a_section_of_its_own():
    ill = {"ill": ["a", "a", "b", "b"]}
    visits = ic.Visits.from_arrays([1, 2, 3, 4], [0, 0, 1, 1], [0] * 4, slot_min=60, start=0, attributes=ill)
    release = ic.Release.from_arrays(visits, members=[[0], [1], [2], [3]])
    parts = ic.assess.assess(visits, release=release, sensitive="ill").sections()
    part = next(one for one in parts if one.question == "Can a sensitive attribute be inferred from the release?")
    assert part.number == "100.0 %" and "The value of 100.0 % of published trajectories (4 of 4)" in part.answer
    assert any(one.question == "Can a sensitive attribute be inferred? (original data)" for one in parts)


def test_options_are_not_broken_and_wide_tables_have_a_shadow(found, tmp_path):
    page = ic.report.write(tmp_path / "page.html", *found.sections())
    assert '<span class="option">(--sensitive)</span>' in page.read_text()
    with chromium(tmp_path / "profile") as browser:
        browser.open(page, 400)
        shadow = "getComputedStyle(document.querySelector('main .scroll')).backgroundAttachment"
        assert browser.ask(shadow) == "local, scroll"


def test_the_page_in_markdown_has_the_same_sections(found, tmp_path):
    page = ic.report.write(tmp_path / "page.md", *found.sections()).read_text()
    for part in found.sections():
        assert f"## {part.question}\n\n{part.answer}\n" in page

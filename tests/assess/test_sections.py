"""The sections of an assessment: what is judged leads to its JSON, and fits a phone."""

import re

import pytest

import incrowd as ic
from incrowd.assess.assessment_section import HEAD
from incrowd.report.json_links import Behind
from incrowd.report.page import _kinds


@pytest.fixture(scope="module")
def found():
    city = ic.read.synthetic_city(users=20, towers=8, days=2, seed=2)
    return ic.assess.assess(city.traces, towers=city.towers, advise=False)


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


def test_the_table_says_how_many_people_and_limits_in_words(found):
    rows = {row[0]: dict(zip(HEAD, row, strict=True)) for row in found.section().tables[0].rows}
    single = rows["How many people are identified by a single visit?"]
    assert re.fullmatch(r"\d+\.\d %", single["result"]) and re.fullmatch(r"[\d.]+ of 20 people", single["how many"])
    assert single["limit"] == "9.1 %" and single["verdict"] == "ABOVE"
    assert rows[found.answer("blurring").asks]["limit"] == "-"


def test_every_limit_that_was_used_has_its_source(found):
    table = found.section().tables[-1]
    assert table.head == ("limit", "value", "source")
    limits = {name: (value, source) for name, value, source in table.rows}
    assert set(limits) == {"lookup", "identified", "single_visit", "later", "home_work", "worst"}
    assert limits["worst"] == ("1 %", "a convention of this tool") and "medicines regulators" in limits["later"][1]


def test_nothing_important_is_wide(found):
    verdicts, details = found.section().tables[:2]
    assert verdicts.head == HEAD == ("question", "verdict", "result", "limit", "how many")
    answered = [one for one in found.answers if one.value is not None]
    assert [row[0] for row in details.rows] == [one.name for one in answered]
    assert all(
        row[1].startswith(f"{one.asks} {one.attacker}.") for row, one in zip(details.rows, answered, strict=True)
    )


@pytest.mark.web
def test_the_verdicts_fit_a_phone(found, tab, tmp_path):
    tab.open(ic.report.write(tmp_path / "page.html", *found.sections()), 400)
    box = "document.querySelector('main .scroll:has(> table)')"
    first = f"[...{box}.querySelectorAll('th')].slice(0, 4).reduce((sum, th) => sum + th.offsetWidth, 0)"
    assert tab.ask(first) <= tab.ask(f"{box}.clientWidth")  # how many people is a swipe away


def test_details_have_chance_interval_and_every_judged_number(found):
    details = dict(found.section().tables[1].rows)
    assert "chance 5.0 %" in details["lookup"] and "95 % interval " in details["lookup"]
    assert "people guessed rightly half of the time or more 100.0 %" in details["lookup"]
    assert "95 % interval " not in details["home_work"]  # of everybody


def test_not_applicable_is_no_number():
    assert Behind({}, "d").cell("n/a") == "–"


@pytest.fixture(scope="module")
def released():
    city = ic.read.synthetic_city(users=20, towers=8, days=2, seed=2)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    return ic.assess.assess(visits, release=ic.anonymize.Cut(window_h=6)(visits), advise=False)


def test_a_release_has_one_table_and_the_data_are_not_in_it(released):
    part = released.section()
    table = part.tables[0]
    assert table.caption == "The release. Higher is riskier."
    assert [row[0] for row in table.rows] == [one.asks for one in released.answers if one.value is not None]
    assert {row[1] for row in table.rows} == {"ABOVE", "within", "no limit"}
    assert part.number == str(len(released.above)) == "5"
    assert part.answer.startswith("Do not publish: 5 of 6 tests exceed your limits. Worst: ")
    for (row, _), (_, place, _) in table.at.items():
        assert table.rows[row][0] == released.answers[place].asks


def test_a_section_has_the_question_of_its_test_and_the_number_that_is_judged(found, released):
    for data, people in ((found, "people"), (released, "published trajectories")):
        answer = data.answer("identified")
        part = next(one for one in data.sections() if one.question == answer.asks)
        assert (part.number, part.number_of) == (answer.share, answer.people)
        assert answer.people.endswith(f" {people}")
        assert part.method[0] == f"{answer.attacker}."
        index, field = part.number_at
        assert getattr(part.data[index], field) == answer.numbers["curve"][answer.numbers["judged"]][field]


def test_every_answer_has_a_section_under_its_question(found):
    asked = [one.question for one in found.sections()]
    assert asked[0] == "Does any test exceed your limits?" and asked[-1] == "What happened to every record?"
    answered = [one.asks for one in found.answers if one.value is not None]
    assert [question for question in asked if question in answered] == answered


def test_what_is_missing_is_in_the_headline(tmp_path):
    traces = ic.read.synthetic_city(users=20, towers=8, days=2, seed=2).traces
    prints = ic.discretize.fingerprints(traces)
    hidden = ic.anonymize.Glove(k=11)(prints)
    folder = ic.anonymize.publish(hidden, tmp_path / "release", link=tmp_path / "link.csv", original=prints)
    shut = ic.assess.assess(traces, release=folder, advise=False).section()
    assert shut.number == "5" and shut.number_of == "tests above your limits or missing"
    assert shut.answer.startswith(
        "Do not publish: 5 tests are missing. No answer: lookup, identified, single_visit, lat"
    )
    asks = "How often is a person guessed rightly from 4 known records?"
    assert (asks, "NO ANSWER", "-", "-", "-") in shut.tables[0].rows
    passing = ic.assess.assess(traces, release=folder, link=tmp_path / "link.csv", advise=False)
    assert passing.section().number == "0"
    assert passing.section().answer.startswith("Nothing above your limits: 4 tests, none missing.")
    boxes = next(part for part in passing.sections() if part.question == asks)
    assert boxes.number == "5.0 %" == passing.answer("lookup").share


def test_an_override_is_the_first_line():
    visits = ic.Visits.from_arrays([1, 2], [0, 0], [0, 0])
    part = ic.assess.assess(visits, limits={"lookup": 0.6}, override="a drill", advise=False).section()
    assert part.answer.startswith("Override: a drill (the limit of lookup is 60 %). Do not publish: ")


def test_numbers_of_the_table_stand_to_the_right(released):
    assert _kinds(released.section().tables[0])[HEAD.index("result")] == "digits"


def test_a_value_that_is_inferred_has_a_section_of_its_own():
    ill = {"ill": ["a", "a", "b", "b"]}
    visits = ic.Visits.from_arrays([1, 2, 3, 4], [0, 0, 1, 1], [0] * 4, slot_min=60, start=0, attributes=ill)
    parts = ic.assess.assess(visits, sensitive="ill", advise=False).sections()
    part = next(one for one in parts if one.question == "Can a sensitive attribute be inferred?")
    assert (
        part.number == "100.0 %" and "guesses the value rightly for 100.0 % of 4 people, and for 50.0 %" in part.answer
    )


@pytest.mark.web
def test_options_are_not_broken_and_wide_tables_have_a_shadow(found, tab, tmp_path):
    page = ic.report.write(tmp_path / "page.html", *found.sections())
    assert '<span class="option">(--sensitive)</span>' in page.read_text()
    tab.open(page, 400)
    shadow = "getComputedStyle(document.querySelector('main .scroll')).backgroundAttachment"
    assert tab.ask(shadow) == "local, scroll"


def test_the_page_in_markdown_has_the_same_sections(found, tmp_path):
    page = ic.report.write(tmp_path / "page.md", *found.sections()).read_text()
    for part in found.sections():
        assert f"## {part.question}\n\n{part.answer}\n" in page


def test_the_page_has_the_map_of_the_data(found):
    city = ic.read.synthetic_city(users=20, towers=8, days=2, seed=2)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    part = next(part for part in found.sections() if part.panel("risk-map"))
    assert part.question == "Where are people identified by a single visit?"
    assert part.answer == ic.measure.risk_map(visits).section().answer
    cut = ic.anonymize.Cut(window_h=6)(visits)
    judged = ic.assess.assess(visits, release=cut, budget_s=1, advise=False)
    part = next(part for part in judged.sections() if part.panel("risk-map"))
    assert part.question == "Where did one visit identify people before the release?"
    assert part.method[0] == "The map shows the data that the release was made from, not the release."

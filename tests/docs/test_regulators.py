"""The page on regulators names every test, and every published rule with its source."""

import re

from incrowd.anonymize._counts import RULES
from incrowd.assess.limits import DEFAULTS, NAMES, REGULATORS
from incrowd.assess.questions import QUESTIONS
from pages import ROOT

PAGE = (ROOT / "docs" / "regulators.md").read_text(encoding="utf-8")


def rows(heading):
    """The table below a heading: first cell -> the others."""
    part = PAGE.split(f"## {heading}")[1].split("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")
    ]
    return {first.strip("`"): rest for first, *rest in cells[2:]}


def test_every_test_is_on_the_page_and_no_other():
    named = set(re.findall(r"`(\w+)`", PAGE)) - {"assess", "cut", "anonymize", "glove", "lkc", "w4m", "11", "15", "20"}
    assert named == set(NAMES)


def test_tests_stand_beside_the_question_that_they_are_about():
    table = rows("Article 29 Working Party, opinion 05/2014")
    for about in ("singling out", "linkability", "inference"):
        beside = next(cells[0] for question, cells in table.items() if question.startswith(about))
        ours = {question.name for question in QUESTIONS if question.about == about}
        assert ours <= set(re.findall(r"`(\w+)`", beside)), about


def test_every_rule_has_its_source():
    table = rows("Rules of statistical offices and authorities")
    assert {rule: cells[-1] for rule, cells in table.items()} == {rule: preset.source for rule, preset in RULES.items()}


def test_limits_are_those_of_the_code():
    told = PAGE.split("## Where our limits come from")[1].split("have the limit 1 in 11")[0]
    assert set(re.findall(r"`(\w+)`", told)) == {name for name in NAMES if DEFAULTS[name].source == REGULATORS}

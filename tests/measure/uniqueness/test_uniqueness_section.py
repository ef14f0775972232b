"""How uniqueness is presented."""

import numpy as np
import pytest

import incrowd as ic
from builders import crowd
from incrowd.plain import percent, span
from incrowd.show import section_of

PEOPLE = crowd("0:1 1:1 2:2 3:2 | 0:1 1:1 2:2 3:3 | 0:1 1:2 2:2 | 0:1 1:1")


def timed() -> ic.Visits:
    return ic.Visits.from_arrays(
        np.repeat(PEOPLE.users, np.diff(PEOPLE.offsets)), PEOPLE.cell, PEOPLE.slot, slot_min=60
    )


def test_one_result_is_a_sentence_with_its_number_and_interval():
    risk = ic.measure.uniqueness(PEOPLE, points=2, repeats=50, seed=1)
    shown = section_of(risk)
    assert shown.number == percent(risk.value)
    assert span(risk.interval) in shown.answer and "of 4 people are identified on average" in shown.answer
    assert [panel.name for panel in shown.panels] == ["crowd-sizes"]


def test_exact_results_claim_no_interval():
    shown = section_of(ic.measure.uniqueness(PEOPLE, points=2, exact=True))
    assert "interval" not in shown.answer and "Nothing was drawn." in shown.method[1]
    assert shown.tables[0].rows[0][-3:] == ("-", "4", "0") and "every choice" in shown.options


def test_left_out_people_are_mentioned_only_if_there_are_any():
    assert "left out" in section_of(ic.measure.uniqueness(PEOPLE, points=3)).answer
    assert "left out" not in section_of(ic.measure.uniqueness(PEOPLE, points=2)).answer
    assert "left out" not in section_of(ic.measure.uniqueness(PEOPLE, points=3, knowledge="top")).answer


def test_no_target_has_no_answer():
    shown = section_of(ic.measure.uniqueness(timed(), points=2, knowledge="close", closeness_min=6000))
    assert shown.number == "-" and "close in time" in shown.answer


def test_lines_differ_in_what_their_names_say():
    risks = [
        ic.measure.uniqueness(PEOPLE, points=m, short=short, label=label)
        for label in ("fine", "coarse")
        for short in ("drop", "all")
        for m in (1, 2, 3)
    ]
    shown = section_of(risks)
    lines = shown.panel("uniqueness").lines
    assert [line.label for line in lines] == ["fine, drop = coarse, drop", "fine, all = coarse, all"]  # same people
    assert all(line.x == [1, 2, 3] for line in lines)
    assert lines[1].y == [risk.value for risk in risks[3:6]]
    assert all("n = " in panel.caption and "drop" in panel.caption for panel in shown.panels)
    assert shown.tables[0].head[:3] == ("of", "visits", "short") or "short" in shown.tables[0].head


def test_closeness_is_drawn_against_hours():
    risks = [
        ic.measure.uniqueness(timed(), points=2, knowledge="close", closeness_min=minutes) for minutes in (60, 120, 180)
    ]
    panel = section_of(risks).panel("closeness")
    assert "closeness" in panel.caption and "drop" in panel.caption and panel.lines[0].x == [60, 120, 180]


def test_exposure_and_cut_say_who_is_left():
    shown = section_of(ic.measure.exposure(PEOPLE))
    assert shown.number == "75.0 %" and ("never identified", "1", "25.00 %") in shown.tables[0].rows
    assert shown.answer.startswith("75.0 % (3 of 4 people) made a visit that nobody else made")
    cut = ic.measure.cut_risk(PEOPLE, ic.discretize.windows(PEOPLE, windows=2, slots=4), points=2, exact=True)
    rows = section_of(cut).tables[0].rows
    assert [row[1:4] for row in rows if row[1] == "pieces"] == [
        ("pieces", "drop", "50.00 %"),
        ("pieces", "all", "42.86 %"),
        ("pieces", "zero", "42.86 %"),
    ]


def test_other_lists_are_refused():
    with pytest.raises(ic.ParameterError, match="a list cannot be shown"):
        section_of([1, 2])

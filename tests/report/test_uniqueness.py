"""What the report says about singling out."""

import numpy as np
import pytest

import incrowd as ic
from builders import crowd
from incrowd.report.section import section

PEOPLE = crowd("0:1 1:1 2:2 3:2 | 0:1 1:1 2:2 3:3 | 0:1 1:2 2:2 | 0:1 1:1")


def timed() -> ic.Visits:
    return ic.Visits.from_arrays(
        np.repeat(PEOPLE.users, np.diff(PEOPLE.offsets)), PEOPLE.cell, PEOPLE.slot, slot_min=60
    )


def test_one_result_is_a_sentence_with_its_number_and_interval():
    risk = ic.measure.uniqueness(PEOPLE, points=2, repeats=50, seed=1)
    shown = section(risk)
    assert shown.number == f"{risk.value:.1%}"
    assert f"{risk.interval[0]:.1%} to {risk.interval[1]:.1%}" in shown.answer and "4 people" in shown.answer
    assert len(shown.drawings) == 1  # crowd sizes


def test_exact_results_claim_no_interval():
    shown = section(ic.measure.uniqueness(PEOPLE, points=2, exact=True))
    assert "interval" not in shown.answer and "Nothing was drawn." in shown.method[1]
    assert shown.tables[0].rows[0][-4:] == ("-", "4", "0", "every choice")


def test_left_out_people_are_told_only_where_there_are_any():
    assert "left out" in section(ic.measure.uniqueness(PEOPLE, points=3)).answer
    assert "left out" not in section(ic.measure.uniqueness(PEOPLE, points=2)).answer
    assert "left out" not in section(ic.measure.uniqueness(PEOPLE, points=3, knowledge="top")).answer


def test_no_target_has_no_answer():
    shown = section(ic.measure.uniqueness(timed(), points=2, knowledge="close", closeness_min=6000))
    assert shown.number == "-" and "close in time" in shown.answer


def test_lines_are_told_apart_by_what_differs():
    from incrowd.report.uniqueness import _lines

    risks = [
        ic.measure.uniqueness(PEOPLE, points=m, short=short, label=label)
        for label in ("fine", "coarse")
        for short in ("drop", "all")
        for m in (1, 2, 3)
    ]
    lines = _lines(risks, "points")
    assert [name for name, _ in lines] == ["fine, drop", "fine, all", "coarse, drop", "coarse, all"]
    assert all([r.points for r in line] == [1, 2, 3] for _, line in lines)
    shown = section(risks)
    assert all("n = " in d.caption and "drop" in d.caption for d in shown.drawings)
    assert {row[-6] for row in shown.tables[0].rows} >= {"drop", "all"} or "short" in shown.tables[0].head


def test_closeness_is_drawn_against_hours():
    risks = [
        ic.measure.uniqueness(timed(), points=2, knowledge="close", closeness_min=minutes) for minutes in (60, 120, 180)
    ]
    captions = [drawing.caption for drawing in section(risks).drawings]
    assert any("closeness" in caption and "drop" in caption for caption in captions)


def test_exposure_and_cut_say_who_is_left():
    shown = section(ic.measure.exposure(PEOPLE))
    assert shown.number == "75.0%" and ("never alone", "25.00%") in shown.tables[0].rows
    cut = ic.measure.cut_risk(PEOPLE, ic.discretize.windows(PEOPLE, windows=2, slots=4), points=2, exact=True)
    rows = section(cut).tables[0].rows
    assert [(row[0], row[1], row[2]) for row in rows if row[0] == "pieces"] == [
        ("pieces", "drop", "50.0%"),
        ("pieces", "all", "42.9%"),
        ("pieces", "zero", "42.9%"),
    ]


def test_other_lists_are_refused():
    with pytest.raises(ic.ParameterError, match="lists of uniqueness"):
        section([1, 2])

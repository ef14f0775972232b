import json
from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from builders import crowd
from incrowd.anonymize import Cut
from incrowd.assess._plan import plan
from incrowd.assess.planned import Plan, PlannedCut
from incrowd.attack.relink import relink
from incrowd.discretize import windows
from incrowd.measure import cut_risk, uniqueness
from incrowd.plain import to_json
from incrowd.show import section_of as section


def hours(text):
    return replace(crowd(text), slot_min=60)


STILL = "0:1 1:1 2:1 3:1 | 0:2 1:2 2:2 3:2 | 0:3 1:3 2:3 3:3"


def test_people_who_stay_are_found_whatever_the_window():
    found = plan(hours(STILL), windows_h=(1, 2), points=2)
    assert [cut.name for cut in found.cuts] == ["1 h", "2 h", "whole"]
    assert [cut.rejoined for cut in found.cuts] == [1, 1, None]
    assert [cut.restored for cut in found.cuts] == [3, 3, 3]
    assert [cut.chance for cut in found.cuts[:2]] == pytest.approx([1 / 3, 1 / 3])
    assert found.best is None and found.verdict.startswith("Cutting does not protect: 2 visits")
    assert [cut.moves_kept for cut in found.cuts] == [None, None, None]  # nobody moves


def test_moves_within_a_window_are_kept():
    """Moves of the first: 0-1, 1-2, 2-3; of the second: 1-2. Two-hour windows keep 0-1 and 2-3."""
    visits = hours("0:1 1:2 2:3 3:4 | 0:1 1:1 2:3 3:3")
    found = plan(visits, windows_h=(1, 2), points=1)
    assert [cut.moves_kept for cut in found.cuts] == [0, 0.5, 1]


def test_numbers_are_those_of_the_attack_and_of_the_measure():
    city = ic.read.synthetic_city(users=40, towers=12, days=2)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    found = plan(visits, windows_h=(6, 24, 1000, 0.5), points=2, seed=7)
    assert [cut.window_h for cut in found.cuts] == [6, 24, None]
    for cut in found.cuts[:2]:
        score = relink(Cut(window_h=cut.window_h)(visits, pseudonym_seed=7), points=2, seed=7).score
        assert (cut.relinked, cut.rejoined) == (score.known_before["rejoined"].value, score.share)
        risk = cut_risk(visits, windows(visits, window_h=cut.window_h), points=2, seed=7)
        assert cut.singled_out == pytest.approx(risk.fixed_knowledge["drop"].value, abs=1e-12)
        assert cut.singled_out <= cut.relinked and 0 < cut.moves_kept < 1
    assert found.cuts[-1].relinked == uniqueness(visits, points=2, seed=7).value
    again = plan(visits, windows_h=(24, 6), points=2, seed=7)
    assert again.cuts == found.cuts


def row(window_h, singled_out, relinked):
    return PlannedCut(window_h, 9, singled_out, relinked, 8, 0.5, 0.5, 0.1, 1, 0.5)


def planned(*cuts, target=0.1):
    return Plan(4, target, "piece", 1, 0, 10, 10, 100, cuts)


def test_the_longest_window_that_meets_the_target():
    found = planned(row(1, 0.01, 0.02), row(2, 0.2, 0.2), row(3, 0.05, 0.1), row(6, 0.09, 0.3), row(None, 0.9, 0.9))
    assert found.best.window_h == 3 and found.deceptive == (found.cuts[3],)
    assert "longest window that meets the target is 3 h" in found.verdict and "10.0 % of people" in found.verdict
    assert "Windows of 6 h only seem to be enough" in found.verdict


def test_plain_words_when_cutting_does_not_protect_or_is_not_needed():
    undone = planned(row(1, 0.05, 0.4), row(None, 0.9, 0.9))
    assert undone.best is None and undone.verdict.startswith("Cutting does not protect")
    assert "40.0 %" in undone.verdict and "Windows of 1 h only seem" in undone.verdict
    assert planned(row(1, 0, 0), row(None, 0.1, 0.1)).verdict.startswith("Nothing needs to be cut")
    unknown = planned(row(1, None, None), row(None, None, None))
    assert unknown.best is None and unknown.verdict.startswith("Nothing was measured: nobody has 4 visits")
    assert section(unknown).number == "not measured"


def test_the_longest_of_equally_bad_windows_is_named():
    found = planned(row(1, 0.9, 0.9), row(2, 0.4, 0.4), row(6, 0.4, 0.4), row(None, 0.9, 0.9))
    assert "even with the best window (6 h)" in found.verdict
    assert "even with the best window (2 h)" in planned(row(2, 1, 1), row(None, 1, 1)).verdict


def test_json_and_repr():
    found = plan(hours(STILL), windows_h=(1,), points=2)
    told = json.loads(to_json(found))
    assert told["longest_window"] is None and told["cuts"][0]["window_h"] == 1 and told["target"] == 0.1
    assert repr(found) == "Plan(longest window=none, target=0.1, points=2, users=3)"


def test_refusals():
    visits = hours(STILL)
    for wrong in (
        {"target": 1.1},
        {"target": "x"},
        {"slots": 0},
        {"windows_h": (0,)},
        {"windows_h": (9,)},
        {"points": 0},
        {"seed": -1},
        {"memory": "x"},
    ):
        with pytest.raises(ic.ParameterError):
            plan(visits, **wrong)
    with pytest.raises(ic.DataError, match="slot_min"):
        plan(crowd(STILL))


def test_moves_across_users_do_not_count():
    from incrowd.assess._plan import _moves

    assert _moves(np.array([0, 2, 2, 4]), np.array([1, 1, 2, 3])) == 1


def test_a_plan_prints_its_verdict_and_has_a_row_for_each_window():
    visits = ic.Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1], slot_min=60)
    made = ic.assess.plan(visits, windows_h=[1], points=2, target=1)
    assert str(made).splitlines() == [made.verdict, "(2 known visits, target 100 %; 2 people, 4 visits; seed 0)"]
    part = section(made)
    assert [row[:2] for row in part.tables[0].rows] == [("1 h", "4"), ("whole", "2")]
    assert (
        part.number == "whole" and section(ic.assess.plan(visits, windows_h=[1], points=2, target=0)).number == "none"
    )
    assert made.to_arrow().column("window_h").to_pylist() == [1, None]


def test_the_figure_has_what_is_known_against_the_window():
    panel = section(planned(row(1, 0.05, 0.1), row(None, 0.5, 0.5))).panel("plan")
    assert panel.ticks == ["1 h", "whole"] and panel.levels == {"target 10 %": 0.1}
    lines = {line.label: (list(line.x), list(line.y)) for line in panel.lines}
    assert lines["identified"] == ([0, 1], [0.05, 0.5]) and lines["after joining"] == ([0, 1], [0.1, 0.5])


def test_people_drawn_are_named_and_reproducible():
    city = ic.read.synthetic_city(users=40, towers=12, days=2)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    found = plan(visits, windows_h=[6], points=2, people=15, seed=3)
    assert (found.users, found.of_users) == (15, 40)
    assert found.who == "15 of 40 people, drawn at random"
    assert found.to_dict() == plan(visits, windows_h=[6], points=2, people=15, seed=3).to_dict()
    assert found.cuts[0].singled_out > plan(visits, windows_h=[6], points=2, seed=3).cuts[0].singled_out
    assert plan(visits, windows_h=[6], points=2, people=99).who == "40 people"
    with pytest.raises(ic.ParameterError, match="people must be a whole number"):
        plan(visits, windows_h=[6], people=0)


def test_a_small_target_is_not_called_0():
    found = planned(row(1, 0.01, 0.003), row(None, 0.9, 0.9), target=0.004)
    assert "the target is at most 0.4 %" in found.verdict and section(found).number == "1 h"


def test_one_point_is_one_point():
    one = replace(planned(row(1, 0.9, 0.9), row(None, 0.9, 0.9)), points=1)
    assert "1 visit known before the cut identifies" in one.verdict
    none = replace(planned(row(1, None, None), row(None, None, None)), points=1)
    assert "nobody has 1 visit;" in none.verdict


def test_a_start_after_the_data_is_named():
    with pytest.raises(ic.ParameterError, match="start_slot is after the last slot"):
        plan(hours(STILL), start_slot=70)

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import incrowd as ic
from builders import crowd
from incrowd.anonymize import Cut
from incrowd.assess._plan import plan
from incrowd.assess.compare.risk import chains
from incrowd.assess.planned import Plan, PlannedCut, RightGuess
from incrowd.attack import lookup
from incrowd.attack.relink import relink
from incrowd.plain import to_json
from incrowd.show import section_of as section


def hours(text):
    return replace(crowd(text), slot_min=60)


STILL = "0:1 1:1 2:1 3:1 | 0:2 1:2 2:2 3:2 | 0:3 1:3 2:3 3:3"


def test_people_who_stay_are_found_whatever_the_window():
    found = plan(hours(STILL), windows_h=(1, 2), points=2, target=0.5)
    assert [cut.name for cut in found.cuts] == ["1 h", "2 h", "whole"]
    assert [cut.rejoined for cut in found.cuts] == [1, 1, None]
    assert [cut.restored for cut in found.cuts] == [3, 3, 3]
    assert [cut.chance for cut in found.cuts[:2]] == pytest.approx([1 / 3, 1 / 3])
    assert found.best is None and found.verdict.startswith("Cutting does not protect: an attacker who knew 2 visits")
    assert [cut.moves_kept for cut in found.cuts] == [None, None, None]  # nobody moves


def test_moves_within_a_window_are_kept():
    """Moves of the first: 0-1, 1-2, 2-3; of the second: 1-2. Two-hour windows keep 0-1 and 2-3."""
    visits = hours("0:1 1:2 2:3 3:4 | 0:1 1:1 2:3 3:3")
    found = plan(visits, windows_h=(1, 2), points=1, target=0.5)
    assert [cut.moves_kept for cut in found.cuts] == [0, 0.5, 1]


def test_numbers_are_those_of_the_lookups_of_pieces_and_of_both_joins():
    city = ic.read.synthetic_city(users=40, towers=12, days=2)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    found = plan(visits, windows_h=(6, 24, 1000, 0.5), points=2, seed=7)
    assert [cut.window_h for cut in found.cuts] == [6, 24, None]
    for cut in found.cuts[:2]:
        release = Cut(window_h=cut.window_h)(visits, pseudonym_seed=7)
        joined = [relink(release, score=score, points=2, seed=7) for score in ("gain", "evidence")]
        assert cut.rejoined == max(one.score.share for one in joined)
        assert cut.rejoined == next(one.score.share for one in joined if one.by == cut.by)
        looks = [lookup(one, visits, records=2, seed=7) for one in (release, *chains(release, joined))]
        crowd = np.min([look.crowd for look in looks], axis=0)
        assert cut.guess == looks[0].value and cut.joined == pytest.approx((1 / crowd).mean())
        assert cut.joined >= max(look.value for look in looks)  # each person's best
        assert cut.after.guess <= cut.after.high <= 1 and 0 < cut.moves_kept < 1
    assert cut.joined > cut.guess  # joined days say more than days
    assert found.cuts[-1].joined == lookup(visits, visits, records=2, seed=7).value
    again = plan(visits, windows_h=(24, 6), points=2, seed=7)
    assert again.cuts == found.cuts


def test_a_guess_in_twos_is_no_safety_though_nobody_is_alone():
    """Everybody has a twin: nobody is identified, and half of all guesses are right."""
    twins = hours(" | ".join(f"0:{i // 2} 1:{i // 2} 2:{i // 2}" for i in range(40)))
    found = plan(twins, windows_h=(1,), points=2)
    assert all(cut.after.alone == 0 and cut.joined == 0.5 for cut in found.cuts) and found.best is None
    assert "guesses rightly in 50.0 % of cases" in found.verdict


def test_crowds_of_eleven_meet_one_in_eleven_exactly():
    elevens = hours(" | ".join(f"0:{i // 11} 1:{i // 11}" for i in range(33)))
    found = plan(elevens, windows_h=(1,), points=2)
    assert found.cuts[-1].after.high == Fraction(1, 11) and found.verdict.startswith("Nothing needs to be cut")
    assert plan(elevens, windows_h=(1,), points=2, target=1 / 12).best is None


def test_too_few_people_are_named_before_anything_is_cut():
    with pytest.raises(ic.DataError, match="no release of 3 people keeps right guesses at 1/11; at least 11 people"):
        plan(hours(STILL), windows_h=(1,))


def guessed(share):
    return RightGuess(share / 2, Fraction(str(share)), Fraction(str(share)), Fraction(0))


def row(window_h, before, after):
    return PlannedCut(window_h, 9, guessed(before), guessed(after), "gain", 8, 0.5, 0.5, 0.1, 1, 0.5)


def planned(*cuts, target=0.1):
    return Plan(4, target, "piece", 1, 0, 10, 10, 100, cuts)


def test_the_longest_window_that_meets_the_target():
    found = planned(row(1, 0.01, 0.02), row(2, 0.2, 0.2), row(3, 0.05, 0.1), row(6, 0.09, 0.3), row(None, 0.9, 0.9))
    assert found.best.window_h == 3 and found.deceptive == (found.cuts[3],)
    assert (
        "longest window that meets the target is 3 h" in found.verdict
        and "in 10.0 % of cases (up to 10.0 %)" in found.verdict
    )
    assert "Windows of 6 h only seem to be enough" in found.verdict


def test_plain_words_when_cutting_does_not_protect_or_is_not_needed():
    undone = planned(row(1, 0.05, 0.4), row(None, 0.9, 0.9))
    assert undone.best is None and undone.verdict.startswith("Cutting does not protect")
    assert "40.0 %" in undone.verdict and "Windows of 1 h only seem" in undone.verdict
    assert planned(row(1, 0, 0), row(None, 0.1, 0.1)).verdict.startswith("Nothing needs to be cut")
    halves = replace(row(1, 0.01, 0.01), after=RightGuess(0, Fraction(1, 100), Fraction(1, 50), Fraction(2, 100)))
    few = planned(halves, row(None, 0.9, 0.9))
    assert few.best is None and "(up to 2.0 %; up to 2.0 % of people with 1/2 or more)" in few.verdict


def test_the_longest_of_equally_bad_windows_is_named():
    found = planned(row(1, 0.9, 0.9), row(2, 0.4, 0.4), row(6, 0.4, 0.4), row(None, 0.9, 0.9))
    assert "even with the best window (6 h)" in found.verdict
    assert "even with the best window (2 h)" in planned(row(2, 1, 1), row(None, 1, 1)).verdict


def test_json_and_repr():
    found = plan(hours(STILL), windows_h=(1,), points=2, target=0.5)
    told = json.loads(to_json(found))
    assert told["longest_window"] is None and told["cuts"][0]["after"]["high"] == 1 and told["target"] == 0.5
    assert repr(found) == "Plan(longest window=none, target=0.5, points=2, users=3)"


def test_refusals():
    visits = hours(STILL)
    for wrong in (
        {"target": 1.1},
        {"target": 0},
        {"target": "x"},
        {"slots": 0},
        {"windows_h": (0,)},
        {"windows_h": (9,)},
        {"points": 0},
        {"seed": -1},
        {"memory": "x"},
    ):
        with pytest.raises(ic.ParameterError):
            plan(visits, **{"target": 0.5, **wrong})
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
    assert part.number == "none" and "with 1/2 or more" in part.tables[0].head  # everybody is guessed surely
    assert made.to_arrow().column("window_h").to_pylist() == [1, None]


def test_the_figure_has_what_is_known_against_the_window():
    panel = section(planned(row(1, 0.05, 0.1), row(None, 0.5, 0.5))).panel("plan")
    assert panel.ticks == ["1 h", "whole"] and panel.levels == {"target 10 %": 0.1}
    lines = {line.label: (list(line.x), list(line.y)) for line in panel.lines}
    assert lines["guessed rightly"] == ([0, 1], [0.05, 0.5]) and lines["after joining"] == ([0, 1], [0.1, 0.5])


def test_people_drawn_are_named_and_reproducible():
    city = ic.read.synthetic_city(users=40, towers=12, days=2)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    found = plan(visits, windows_h=[6], points=2, people=15, seed=3)
    assert (found.users, found.of_users) == (15, 40)
    assert found.who == "15 of 40 people, drawn at random"
    assert found.to_dict() == plan(visits, windows_h=[6], points=2, people=15, seed=3).to_dict()
    assert found.cuts[0].guess > plan(visits, windows_h=[6], points=2, seed=3).cuts[0].guess
    assert plan(visits, windows_h=[6], points=2, people=99).who == "40 people"
    with pytest.raises(ic.ParameterError, match="people must be a whole number"):
        plan(visits, windows_h=[6], people=0)


def test_a_small_target_is_not_called_0():
    found = planned(row(1, 0.01, 0.003), row(None, 0.9, 0.9), target=0.004)
    assert "the target is at most 0.4 %" in found.verdict and section(found).number == "1 h"


def test_one_point_is_one_point():
    one = replace(planned(row(1, 0.9, 0.9), row(None, 0.9, 0.9)), points=1)
    assert "an attacker who knew 1 visit before the cut guesses" in one.verdict


def test_a_start_after_the_data_is_named():
    with pytest.raises(ic.ParameterError, match="start_slot is after the last slot"):
        plan(hours(STILL), start_slot=70, target=0.5)

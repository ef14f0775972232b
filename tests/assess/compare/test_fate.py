"""What a release still says of its original, by hand."""

import numpy as np
import pytest

import incrowd as ic
from boxes import prints
from incrowd.anonymize import LKC, W4M, Cut, Generalize, Glove
from incrowd.assess.compare.fate import fate, visible
from incrowd.assess.compare.settings import MethodInputs, untouched

FOUR = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")


def numbers(release, data):
    return fate(release, data, visible(release)).numbers(data)


def test_the_original_has_lost_nothing():
    told = numbers(untouched(FOUR), FOUR)
    assert told["loss"] == told["position_m"] == told["time_min"] == 0 and told["kept"] == told["steps"] == 1


def test_glove_moves_samples_to_the_centres_of_their_boxes():
    # Centres: the first two 20 min off, the others 500 m and 190 min.
    told = numbers(Glove(k=2)(FOUR), FOUR)
    assert (told["position_m"], told["time_min"], told["kept"]) == (250, 105, 1)
    assert told["loss"] == pytest.approx((2 * 20 / 960 + 2 * (500 / 40_000 + 190 / 960)) / 4)


def test_a_sample_that_is_gone_counts_as_one():
    told = numbers(Glove(k=2, max_extent_min=360)(FOUR), FOUR)
    assert (told["kept"], told["position_m"], told["time_min"]) == (0.5, 0, 20)
    assert told["loss"] == pytest.approx((2 * 20 / 960 + 2) / 4)
    gone = numbers(Glove(k=5)(FOUR), FOUR)
    assert (gone["loss"], gone["kept"], gone["position_m"]) == (1, 0, None)


def test_a_far_sample_is_no_worse_than_none():
    far = prints("0,0,0 | 90000,0,9000")
    assert numbers(Glove(k=2)(far), far)["loss"] == 1


def test_squares_are_as_coarse_as_they_are():
    one = prints("0,0,0 | 0,0,0")
    told = numbers(Generalize(cell_m=1000, slot_min=60)(MethodInputs(one, 100, 60).points), one)
    assert told["position_m"] == pytest.approx(np.hypot(450, 450)) and told["time_min"] == pytest.approx(29.5)
    assert told["loss"] == pytest.approx(np.hypot(450, 450) / 40_000 + 29.5 / 960)


def test_cutting_loses_steps():
    # Of three steps the cut at six hours breaks one; nothing else is lost but the centre of the hour.
    one = prints("50,100,0,100,0,60; 50,100,0,100,60,60; 50,100,0,100,360,60; 50,100,0,100,420,60")
    told = numbers(Cut(window_h=6)(MethodInputs(one, 100, 60).visits), one)
    assert told["steps"] == pytest.approx(2 / 3) and told["kept"] == 1
    assert told["loss"] == pytest.approx(1 - (1 - told["coarse"]) * 2 / 3)


def test_suppressed_visits_are_gone_and_break_no_step():
    data = prints("0,0,0; 0,0,60; 0,0,120 | 0,0,0; 0,0,120 | 9000,0,60")
    told = numbers(LKC(l=1, k=2)(MethodInputs(data, 100, 60).voted), data)
    assert told["kept"] == pytest.approx(4 / 6) and told["steps"] == 1


def test_moved_points_as_displacement_counts_them():
    city = ic.read.synthetic_city(users=40, towers=12, days=2, profile="cdr").fingerprints()
    points = MethodInputs(city, 500, 60).points
    release = W4M(k=2)(points, seed=3)
    told, known = numbers(release, city), ic.measure.displacement(release, points)
    assert told["position_m"] == pytest.approx(known.mean["pos_center"])
    assert told["time_min"] == pytest.approx(known.mean["time_center"])
    assert told["kept"] == pytest.approx(1 - (known.deleted_with_users + known.dropped_samples) / city.records)
    assert told["made_up"] == pytest.approx(known.repeated_samples / known.published_samples) and told["made_up"] > 0
    assert told["loss"] == pytest.approx(1 - (1 - told["coarse"]) * (1 - told["made_up"]))


def test_squares_agree_with_a_plain_lookup():
    city = ic.read.synthetic_city(users=25, towers=12, days=2, profile="cdr", seed=2).fingerprints()
    source = MethodInputs(city, 700, 45)
    release = LKC(l=1, k=2)(source.voted)
    row = fate(release, city, visible(release)).row
    data, visits = release.data, source.visits
    held = {
        (int(release.members[u][0]), *(data.xy[data.cell[v]].tolist()), int(data.slot[v]))
        for u in range(len(data))
        for v in range(data.offsets[u], data.offsets[u + 1])
    }
    assert visits.start == data.start
    for s in range(city.records):
        place = [(int(v) + 50) // 700 * 700 + 350.0 for v in (city.x[s], city.y[s])]
        assert (row[s] >= 0) == ((int(city.owner[s]), *place, int(city.t[s]) // 45) in held)


def test_moved_points_in_the_order_of_their_middles():
    # The long sample begins first and has the later middle; twins are published as they are.
    twins = prints("0,100,0,100,0,1000; 100000,100,0,100,1,1 | 0,100,0,100,0,1000; 100000,100,0,100,1,1")
    told = numbers(W4M(k=2, trash=0)(MethodInputs(twins, 500, 60).points), twins)
    assert told["loss"] == told["position_m"] == told["time_min"] == 0 and told["kept"] == 1

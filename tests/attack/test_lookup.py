"""Known records looked up in a release, at its own precision."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd, tracks
from incrowd.anonymize import LKC, W4M, Cut, Generalize, Glove
from incrowd.attack import lookup
from incrowd.attack.lookup.holders import BoxHolder, ReleasedRows


def test_a_guess_among_the_people_who_share_the_known_visits():
    """0 and 1 share their visits, 2 shares one of two with them, 3 is alone."""
    visits = crowd("0:1 1:1 | 0:1 1:1 | 0:1 1:2 | 0:9")
    result = lookup(visits, visits, records=2)
    assert result.per_person.tolist() == [0.5, 0.5, 1, 1] and result.crowd.tolist() == [2, 2, 1, 1]
    assert (result.exact, result.exact_cap, result.worst) == (Fraction(3, 4), Fraction(3, 4), 1)
    one = lookup(visits, visits, records=1, seed=3)
    assert set(one.crowd.tolist()[:3]) <= {1, 2, 3} and one.value <= one.cap


def test_a_cut_release_is_looked_up_window_by_window():
    """All four visits at once are in no piece; within a window everybody is alone."""
    visits = crowd("0:1 1:2 6:1 7:2 | 0:3 1:4 6:3 7:4 | 0:1 1:4 6:5 7:6")
    release = Cut(windows=2)(visits, pseudonym_seed=1)
    assert lookup(release, visits).per_person.tolist() == [1, 1, 1]
    alike = crowd("0:1 6:1 | 0:1 6:2 | 0:1 6:2")
    found = lookup(Cut(windows=2)(alike, pseudonym_seed=1), alike)
    assert found.crowd.tolist() == [1, 2, 2]  # 0 is alone in the second window, the others are never


def test_suppressed_records_are_left_out_and_counted():
    visits = crowd("0:1 1:1 | 0:1 1:2 | 0:1 1:3")
    release = LKC(l=2, k=3, min_support=1)(visits, pseudonym_seed=0)
    found = lookup(release, visits, records=2)
    assert found.crowd.tolist() == [3, 3, 3] and found.value == pytest.approx(1 / 3) and found.worst == 0
    some = lookup(release, visits, records=1, seed=1)
    assert some.none_left == int((some.crowd == 0).sum()) and (some.crowd[some.crowd > 0] == 3).all()


def test_a_generalized_release_is_looked_up_at_its_own_grain():
    traces = tracks([(0, 10), (7200, 3010)], [(60, 400), (7300, 3900)], [(0, 10), (7200, 9010)])
    release = Generalize(cell_m=1000, slot_min=60)(traces, pseudonym_seed=0)
    assert lookup(release, traces).crowd.tolist() == [2, 2, 1]
    fine = ic.discretize.grid(traces, cell_m=100, slot_min=1, start=0)
    assert lookup(release, fine).crowd.tolist() == [2, 2, 1]


def prints(count, **how):
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(count), 3)
    x, t = rng.integers(0, 30, len(user)) * 100 + user % 2 * 50_000, rng.integers(0, 600, len(user))
    return ic.Fingerprints.from_arrays(user, x=x, y=x * 0, t=t, **how)


@pytest.mark.parametrize("k", [2, 11])
def test_a_group_of_k_gives_one_in_k_at_most_exactly(k):
    original = prints(22)
    release = Glove(k=k)(original, pseudonym_seed=0)
    found = lookup(release, original, records=3)
    assert (found.crowd >= k).all() and found.none_left == found.absent == 0
    assert found.exact <= found.exact_cap <= Fraction(1, k)
    if k == 11:
        assert found.exact_cap == Fraction(1, 11)


def test_boxes_that_contain_the_record():
    """Records of 100 m and 1 min; a box that ends inside one does not hold it."""
    original = ic.Fingerprints.from_arrays(["a", "b", "c"], x=[0, 100, 500], y=[0, 0, 0], t=[5, 6, 7])
    boxes = ic.Fingerprints.from_arrays(
        ["p", "q", "r"], x=[0, 0, 450], y=[0, 0, 0], t=[0, 6, 0], dx=[200, 200, 149], dt=[10, 1, 10]
    )
    release = ic.Release.from_arrays(boxes, members=[[0], [1], [2]])
    found = lookup(release, original)
    # a is in p alone; b is in p and q; c is cut off by its own box
    assert found.crowd.tolist() == [1, 2, 0] and found.none_left == 1 and found.worst == pytest.approx(2 / 3)


@pytest.mark.parametrize("seed", range(6))
def test_rows_with_a_box_around_a_sample_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)

    def drawn(rows, count, wide, long):
        places = [rng.integers(-900, 900, count) for _ in "xy"]
        sides = {name: rng.integers(1, top, count) for name, top in (("dx", wide), ("dy", wide), ("dt", long))}
        return ic.Fingerprints.from_arrays(
            rng.integers(0, rows, count), *places, rng.integers(-60, 600, count), **sides
        )

    samples, boxes = drawn(20, 100, 200, 5), drawn(30, 200, 2000, (2, 90, 900)[seed % 3])
    holder = BoxHolder.over(boxes, samples)
    axes = [("x", "dx"), ("y", "dy"), ("t", "dt")]
    for i, held in enumerate(holder.rows(holder.known)):
        around = np.ones(boxes.records, np.bool_)
        for low, wide in axes:
            begin, end = getattr(boxes, low), getattr(boxes, low) + getattr(boxes, wide)
            at = getattr(samples, low)[i]
            around &= (begin <= at) & (at + getattr(samples, wide)[i] <= end)
        assert held.tolist() == sorted(set(boxes.owner[around].tolist()))


@pytest.mark.parametrize("twice", [False, True])
def test_people_behind_rows_count_once(twice):
    members = [[0, 1], [2], [1, 3] if twice else [3]]
    data = ic.Fingerprints.from_arrays([0, 1, 2], [0, 0, 0], [0, 0, 0], [0, 1, 2], crowd=[2, 3, 1])
    rows = ReleasedRows.of(ic.Release.from_arrays(data, members=members), prints(4), None)
    assert [rows.people(np.array(some)) for some in ([0], [1], [0, 1], [0, 2])] == [2, 3, 5, 3]


def test_everybody_shifted_is_found_within_the_shift():
    """At the resolution nobody is where the attacker looks; within 300 m everybody is."""
    rng = np.random.default_rng(1)
    user, t = np.repeat(np.arange(20), 5), np.tile(np.arange(5) * 600, 20)
    x, y = rng.integers(0, 100_000, (2, 100)).astype(float)
    original = ic.Traces.from_arrays(user, t, x=x, y=y)
    shifted = ic.Traces.from_arrays(user, t, x=x + 300, y=y)
    release = ic.Release.from_arrays(shifted, members=[[u] for u in range(20)])
    found = lookup(release, original)
    assert found.value == 1 and found.within[1][0] == pytest.approx(300)
    assert found.within[0] == (pytest.approx(0.5**0.5), 300)
    assert lookup(release, original, within_m=10).value == 0
    assert lookup(release, original, within_m=301).value == 1
    assert lookup(original, original).value == 1


def test_rounded_points_are_found_at_the_resolution():
    """Rounded to 0.1 m, a corner of the square is 0.07 m from its centre: nobody is missed, no movement is needed."""
    rng = np.random.default_rng(4)
    user, t = np.repeat(np.arange(30), 4), np.tile(np.arange(4) * 600, 30)
    x, y = rng.random((2, 120)) * 100
    original = ic.Traces.from_arrays(user, t, x=x, y=y)
    release = ic.Release.from_arrays(
        ic.Traces.from_arrays(user, t, x=np.round(x, 1), y=np.round(y, 1)), members=[[u] for u in range(30)]
    )
    found = lookup(release, original)
    assert found.value == 1 and found.within[0] == (pytest.approx(0.1 * 0.5**0.5), 300)
    assert (
        lookup(release, original, within_m=0.1 * 0.5**0.5).value == 1 > lookup(release, original, within_m=0.05).value
    )


def test_points_of_a_row_are_those_of_its_own_time():
    """b of the first piece was moved away; c, of the second, being near the first, does not stand in for it."""
    original = tracks([(0, 0), (100, 500), (213, 0)])
    pieces = tracks([(0, 0), (204, 0), (205, 90_000)], [(220, 70_000), (300, 70_000)])
    release = ic.Release.from_arrays(pieces, members=[[0], [0]])
    assert lookup(release, original, within_m=1, within_s=10).value == 0


def test_a_pivot_published_literally_is_found():
    rng = np.random.default_rng(2)
    user, t = np.repeat(np.arange(12), 6), np.tile(np.arange(6) * 600, 12)
    steps = rng.normal(0, 300, (2, 12, 6)).cumsum(axis=2) + rng.normal(0, 2000, (2, 12, 1))
    traces = ic.Traces.from_arrays(user, t, x=steps[0].ravel(), y=steps[1].ravel())
    release = W4M(k=2, delta_m=500, trash=0.2)(traces, pseudonym_seed=0)
    fine = lookup(release, traces, within_m=0.01, within_s=1)
    assert fine.worst > 0 and lookup(release, traces).value >= fine.value


def test_a_folder_needs_its_link(tmp_path):
    visits = crowd("0:1 1:1 | 0:1 1:1 | 0:1 1:2 | 0:9")
    release = Cut(windows=1)(visits)
    ic.anonymize.publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=visits)
    with pytest.raises(ic.DataError, match="give the link file"):
        lookup(tmp_path / "release", visits)
    found = lookup(tmp_path / "release", visits, link=tmp_path / "link.csv", records=2)
    assert found.crowd.tolist() == lookup(release, visits, records=2).crowd.tolist() == [2, 2, 1, 1]


def test_who_lost_every_record_is_absent_from_a_release_in_memory_as_from_its_folder(tmp_path):
    visits = crowd("0:1 1:2 | 0:1 1:2 | 0:5 | 0:1 1:6")
    release = LKC(l=2, k=2)(visits)
    ic.anonymize.publish(release, tmp_path / "out", link=tmp_path / "link.csv", original=visits)
    found = [lookup(release, visits), lookup(tmp_path / "out", visits, link=tmp_path / "link.csv")]
    assert [(one.people, one.absent, one.exact, one.exact_cap) for one in found] == [
        (3, 1, Fraction(4, 9), Fraction(4, 9))
    ] * 2


def test_who_is_not_in_the_release_is_counted_apart():
    visits = crowd("0:1 | 0:1 | 0:2")
    release = ic.Release.from_arrays(crowd("0:1 | 0:2"), members=[[0], [2]])
    found = lookup(release, visits)
    assert (found.people, found.absent, found.value) == (2, 1, 1) and np.isnan(found.per_person[1])
    with pytest.raises(ic.DataError, match="publishes no record"):
        none = np.zeros(0, int)
        lookup(replace(visits, users=none, offsets=np.zeros(1, int), cell=none, slot=none), visits)
    with pytest.raises(ic.ParameterError, match="within_m is about points"):
        lookup(visits, visits, within_m=5)
    for wrong in ({"within_m": 0}, {"within_s": -1}, {"within_m": float("nan")}, {"records": 0}):
        with pytest.raises(ic.ParameterError, match="must be"):
            lookup(tracks([(0, 0)]), tracks([(0, 0)]), **wrong)
    with pytest.raises(ic.DataError, match="has none"):
        lookup(
            ic.Release(ic.Counts.from_arrays([[1]], [[0, 0]]), ic.data.Groups.nobody()),
            visits,
        )


people = st.lists(
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=4), min_size=1, max_size=6
)


@settings(deadline=None, max_examples=60)
@given(people, st.integers(1, 4), st.integers(0, 5))
def test_no_lookup_beats_the_cap_and_all_records_reach_it(sets, records, seed):
    rows = [(u, cell, slot) for u, part in enumerate(sets) for slot, cell in part]
    visits = ic.Visits.from_arrays(*np.array(rows).T)
    found = lookup(visits, visits, records=records, seed=seed)
    assert found.exact <= found.exact_cap and (found.crowd >= found.caps).all()
    whole = [sum(mine <= other for other in sets) for mine in sets]
    assert found.caps.tolist() == whole == lookup(visits, visits, records=4).crowd.tolist()


def test_it_prints_and_names_nobody():
    visits = ic.Visits.from_arrays(["Ann Example", "Bob"], [777_777, 5], [0, 0])
    text = str(lookup(visits, visits)) + repr(lookup(visits, visits)) + str(lookup(visits, visits).to_dict())
    assert "100.0 % (2 of 2 people)" in text and "Ann" not in text and "777" not in text

"""The one attacker of a comparison, by hand and against the definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxes import crowds as random_crowds
from boxes import prints
from incrowd.anonymize import Cut, Glove
from incrowd.assess.compare.attacker import agreement, by_time, crowds, known_samples
from incrowd.assess.compare.settings import MethodInputs, untouched
from incrowd.assess.compare.views import boxes_of, visible

FOUR = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")
ALL_OF_ONE = np.array([[0], [1], [2], [3]])


def test_samples_as_they_are_are_shared_by_twins_only():
    three = prints("0,0,0; 0,0,10 | 0,0,0; 0,0,10 | 0,0,0; 900,0,10")
    known = known_samples(three, points=2, seed=0)
    found = crowds(visible(untouched(three)), three, known)
    assert found.size.tolist() == [2, 2, 1] and found.complete.all()
    told = found.numbers(2)
    assert told["singled_out"] == told["below_k"] == pytest.approx(1 / 3)
    assert (told["crowd_least"], told["crowd_median"], told["found"]) == (1, 2, 1)
    assert found.numbers(3)["below_k"] == 1


def test_boxes_of_two_groups():
    # The groups publish x 0 to 100 in minutes 0 to 41, and x 0 to 1100 in minutes 20 to 401: user 1 is in both.
    found = crowds(visible(Glove(k=2)(FOUR)), FOUR, ALL_OF_ONE)
    assert found.size.tolist() == [2, 4, 2, 2]


def test_of_the_pieces_of_a_cut_trajectory_the_worst_counts():
    # Both are at x 0 in the first window, and apart in the second: the first piece hides two, the second nobody.
    two = prints("0,0,0; 0,0,420 | 0,0,0; 5000,0,420")
    source = MethodInputs(two, 100, 60)
    found = crowds(visible(Cut(window_h=6)(source.visits)), two, np.array([[0, 1], [2, 3]]))
    assert found.size.tolist() == [1, 1] and not found.complete.any()
    first = crowds(visible(Cut(window_h=6)(source.visits)), two, np.array([[0, 0], [2, 2]]))
    assert first.size.tolist() == [2, 2] and first.complete.all()


def test_pieces_of_one_person_are_one_person():
    two = prints("0,0,0; 0,0,420 | 9000,0,0")
    whole = Cut(window_h=6)(MethodInputs(two, 100, 60).visits)
    everywhere = replace(visible(whole), low=np.full((3, 3), -1e7), high=np.full((3, 3), 1e7))
    assert crowds(everywhere, two, np.array([[0], [2]])).size.tolist() == [2, 2]


def test_nobody_is_found_in_nothing():
    two = prints("0,0,0 | 9000,0,0")
    found = crowds(visible(Glove(k=3)(two)), two, np.array([[0], [1]]))
    told = found.numbers(2)
    assert found.size.tolist() == [0, 0] and told["crowd_least"] is None and told["below_k"] == 0


def test_known_samples_are_distinct_own_ones():
    some = prints("0,0,0; 0,0,1; 0,0,2; 0,0,3; 0,0,4 | 0,0,0; 0,0,1 | 0,0,9")
    known = known_samples(some, points=3, seed=1)
    assert len(set(known[0].tolist())) == 3 and (known[0] < 5).all()
    assert set(known[1].tolist()) == {5, 6} and known[2].tolist() == [7, 7, 7]
    assert (known == known_samples(some, points=3, seed=1)).all()
    drawn = np.concatenate([known_samples(some, points=1, seed=s)[0] for s in range(60)])
    assert set(drawn.tolist()) == {0, 1, 2, 3, 4}


@given(random_crowds(most_users=6, most_samples=4, least_users=2), st.integers(2, 3), st.integers(0, 9))
@settings(deadline=None, max_examples=40)
def test_crowds_are_as_the_definition_reads(data, k, seed):
    release = Glove(k=k)(data)
    known = known_samples(data, points=3, seed=seed)
    found = crowds(visible(release), data, known)
    assert found.size.tolist() == [_slowly(release, data, u, known[u]) for u in range(len(data))]
    assert not ((found.size > 0) & (found.size < k)).any()  # what GLOVE promises


def _slowly(release, data, user, known):
    """The smallest crowd over sets of known samples that some group holds and that cannot be enlarged."""
    held = []
    for row in range(len(release.data)):
        inside = frozenset(
            i for i, s in enumerate(known) if any(_in(release.data, b, data, s) for b in _rows(release, row))
        )
        held.append(inside)
    sizes = []
    for one in set(held):
        people = {int(u) for row, other in enumerate(held) if other == one for u in release.members[row]}
        if user in people and not any(one < other for other in held):
            sizes.append(len(people))
    return min(sizes, default=0)


def _rows(release, row):
    return range(release.data.offsets[row], release.data.offsets[row + 1])


def _in(boxes, b, data, s):
    return all(
        2 * int(getattr(boxes, a)[b])
        <= 2 * int(getattr(data, a)[s]) + int(getattr(data, f"d{a}")[s])
        < 2 * int(getattr(boxes, a)[b]) + 2 * int(getattr(boxes, f"d{a}")[b])
        for a in "xyt"
    )


def test_long_boxes_are_not_copied_for_every_few_hours():
    years = prints("0,100,0,100,0,5256000 | 0,100,0,100,1000,5256000 | 0,0,7")
    what = visible(untouched(years))
    assert len(by_time(what).box) <= 4 * len(what.row)
    found = crowds(what, years, np.array([[0], [1], [2]]))
    assert found.size.tolist() == [2, 2, 2]


@given(random_crowds(most_users=5, most_samples=4, sizes=True))
@settings(deadline=None, max_examples=30)
def test_the_buckets_change_no_answer(data):
    what = visible(untouched(data))
    at = ((np.add(*boxes_of(data))) / 2)[:, None, :]
    found = agreement(what, by_time(what), at, len(data))
    plain = [
        [
            int(any(((what.low[b] <= point) & (point < what.high[b])).all() for b in np.flatnonzero(what.row == row)))
            for row in range(len(data))
        ]
        for point in at[:, 0]
    ]
    assert found.tolist() == plain

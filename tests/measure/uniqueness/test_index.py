from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from builders import crowd
from incrowd.measure import crowd_sizes
from incrowd.measure.uniqueness.index import Axis, Index, same_slot

FAR = 2**62


@pytest.mark.parametrize(
    ("cells", "slots"),
    [
        ([0, 1, 2], [0, 1, 2]),  # numbered by place
        ([-5, 10**6, 3], [10**6, 0, -7]),  # numbered by sorting
        ([-FAR, FAR, 3], [FAR, -FAR, 0]),  # axes by rank: the ranges multiply beyond 64 bits
    ],
)
def test_any_integers_are_numbered_alike(cells, slots, kernels):
    rng = np.random.default_rng(0)
    user, c, s = rng.integers(0, 9, 60), rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    visits = ic.Visits.from_arrays(user, cell=np.array(cells)[c], slot=np.array(slots)[s])
    pairs = {(u, cells[a], slots[b]) for u, a, b in zip(user, c, s, strict=True)}
    known = [[(cell, slot)] for cell in [*cells, 4] for slot in [*slots, 5]]
    wanted = [sum((u, *point) in pairs for u in range(9)) for (point,) in known]
    assert crowd_sizes(visits, known).tolist() == wanted


def test_long_lists_are_kept_as_bitsets():
    user = np.repeat(np.arange(200), 2)
    visits = ic.Visits.from_arrays(user, cell=np.tile([0, 1], 200), slot=np.where(np.arange(400) % 2, user, 0))
    index = Index.build(visits)
    assert index.words.shape == (1, 4)
    assert crowd_sizes(visits, [[(0, 0)], [(0, 0), (1, 7)]]).tolist() == [200, 1]


def test_axis_finds_only_what_is_on_it():
    for values in ([3, 5, 9], [-9, -5, 3], [-FAR, 0, FAR]):
        axis = Axis.over(np.array(values))
        assert (axis.find(np.array(values)) == axis.number(np.array(values))).all()
        assert axis.find(np.array([-(2**63), 2**63 - 1])).tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("people", "beside"),
    [("0:1 1:1", 0), ("5:1 | 5:2", 0), ("0:1 0:2 0:3 1:1", 2), ("5:1 | 5:1 | 5:2 5:3 | 6:1 7:1 7:2", 2)],
)
def test_visits_in_one_slot_are_counted_within_users(people, beside):
    visits = crowd(people)
    assert same_slot(visits) == same_slot(visits) == beside
    empty = replace(
        visits, users=np.arange(len(visits) + 3), offsets=np.append(0, np.append(visits.offsets, [visits.records] * 2))
    )
    assert same_slot(empty) == beside

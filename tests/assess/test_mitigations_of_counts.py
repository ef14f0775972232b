"""Counts as a custodian might publish them."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.assess._mitigations import Ways, count_loss, exact_counts

LINE = [[1000 * cell, 0] for cell in range(4)]


def visits(rows, slot_min=360, xy=LINE):
    user, slot = np.indices(np.shape(rows)).reshape(2, -1)
    return ic.Visits.from_arrays(user, np.ravel(rows), slot, xy=xy, slot_min=slot_min, start=0)


PEOPLE = visits([[0, 0, 1, 0], [0, 1, 1, 0], [3, 3, 3, 3]])


def published(mitigation, strength, **more):
    ways = Ways(PEOPLE, more.get("regions"), more.get("resampled"), seed=0)
    way = ways.publish(mitigation, strength)
    return way, count_loss(way.read_as, ways.exact)


def test_exact_counts_lose_nothing():
    way, loss = published("none", 0)
    assert loss == 0 and way.truth is PEOPLE
    assert way.counts.n.tolist() == [[2, 0, 0, 1], [1, 1, 0, 1], [0, 2, 0, 1], [2, 0, 0, 1]]


def test_suppressing_everything_loses_everything():
    assert published("suppress", 3)[1] == 1
    assert published("suppress", 2)[1] == 6 / 12  # of twelve people in all slots the six who are alone
    assert published("suppress", 1)[1] == 0


def test_noise_may_lose_more_than_nothing_would():
    assert published("noise", 0.1)[1] > 1
    assert published("noise", 50)[1] == 0


def test_moved_points_are_scored_against_where_people_were():
    way, loss = published("move", 1.0)
    assert way.truth is PEOPLE and 0 < loss <= 2 and (way.counts.n.sum(axis=1) == 3).all()


def test_people_of_a_region_are_spread_over_its_cells():
    way, loss = published("space", 2000)
    assert way.counts.n.tolist() == [[2, 1]] * 4 and way.truth.cell.tolist() == [0] * 8 + [1] * 4
    assert way.read_as.tolist() == [[1, 1, 0.5, 0.5]] * 4
    assert loss == pytest.approx((2 + 0 + 2 + 2 + 4 * 1) / 12)
    given, same = published("regions", 2, regions=["x", "x", "a", "a"])
    assert given.counts.n.tolist() == [[1, 2]] * 4 and same == loss


def test_a_long_slot_counts_for_the_slots_inside():
    longer = visits([[0, 0], [0, 1], [3, 3]], slot_min=720)
    way, loss = published("time", 720, resampled={720: longer})
    assert way.read_as.tolist() == [[2, 0, 0, 1], [2, 0, 0, 1], [1, 1, 0, 1], [1, 1, 0, 1]]
    assert loss == pytest.approx((2 + 2 + 2) / 12)


@pytest.mark.parametrize(
    ("other", "minutes", "message"),
    [
        (visits([[0, 0]] * 3, slot_min=720), 1440, "slots of 1440 min"),
        (visits([[0, 0]] * 3, slot_min=720, xy=[[0, 0]]), 720, "other cells"),
        (visits([[0, 0]] * 2, slot_min=720), 720, "other people or days"),
        (visits([[0, 0, 0, 0]] * 3, slot_min=720), 720, "other people or days"),
    ],
)
def test_longer_slots_of_other_data_are_refused(other, minutes, message):
    with pytest.raises(ic.DataError, match=message):
        Ways(PEOPLE, None, {minutes: other}, seed=0)


def test_gaps_are_refused():
    with pytest.raises(ic.DataError, match="not everybody is in one cell in every slot"):
        exact_counts(ic.Visits.from_arrays([1, 1], [0, 1], [0, 2], xy=LINE, slot_min=360))

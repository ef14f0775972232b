from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd
from incrowd.anonymize import Cut

PEOPLE = st.lists(
    st.sets(st.tuples(st.integers(0, 23), st.integers(0, 3)), min_size=1, max_size=12), min_size=1, max_size=6
)


def visits_of(people: list[set[tuple[int, int]]], **more) -> ic.Visits:
    rows = [(user, slot, cell) for user, points in enumerate(people) for slot, cell in points]
    user, slot, cell = np.array(rows).T
    return ic.Visits.from_arrays(user, cell, slot, **more)


def pieces(visits: ic.Visits) -> Counter:
    return Counter(
        frozenset(zip(visits.slot[a:b].tolist(), visits.cell[a:b].tolist(), strict=True))
        for a, b in zip(visits.offsets[:-1], visits.offsets[1:], strict=True)
    )


@settings(deadline=None)
@given(PEOPLE, st.integers(1, 24), st.integers(0, 3))
def test_the_pieces_are_those_of_a_plain_cut(people, width, seed):
    release = Cut(window_h=width, slots=24)(visits_of(people, slot_min=60), pseudonym_seed=seed)
    plain = Counter(
        frozenset(p for p in points if p[0] // width == window)
        for points in people
        for window in {slot // width for slot, _ in points}
    )
    assert pieces(release.data) == plain
    assert release.data.records == sum(map(len, people))
    assert sorted(release.data.users.tolist()) == list(range(sum(plain.values())))


@settings(deadline=None)
@given(PEOPLE)
def test_members_point_at_the_owner(people):
    release = Cut(windows=3, window_h=None, slots=24)(visits_of(people))
    for row, (member,) in enumerate(release.members):
        a, b = release.data.offsets[row : row + 2]
        piece = set(zip(release.data.slot[a:b].tolist(), release.data.cell[a:b].tolist(), strict=True))
        assert piece <= people[member]


def test_pseudonyms_come_from_the_system_unless_seeded():
    visits = visits_of([{(slot, user % 4) for slot in range(24)} for user in range(40)], slot_min=60)
    owners = [Cut()(visits, pseudonym_seed=seed).members.positions.tolist() for seed in (None, None, 1, 1, 2)]
    assert owners[2] == owners[3]
    assert len({tuple(o) for o in owners}) == 4


def test_order_says_nothing_about_the_owner():
    visits = visits_of([{(slot, 0) for slot in range(24)} for _ in range(500)], slot_min=60)
    owner = Cut(window_h=6)(visits).members.positions
    correlation = np.corrcoef(np.arange(len(owner)), owner)[0, 1]
    assert abs(correlation) < 5 / np.sqrt(len(owner))


def test_attributes_stay_behind():
    visits = ic.Visits.from_arrays([1, 2], [0, 0], [0, 1], slot_min=60, attributes={"job": ["baker", "judge"]})
    release = Cut()(visits)
    assert dict(release.data.attributes) == {}
    assert release.provenance["dropped_attributes"] == ["job"]


def test_the_input_is_left_alone_and_the_ledger_closes():
    visits = crowd("0:1 7:2 | 0:1")
    before = visits.slot.copy(), visits.users.copy()
    release = Cut(windows=2, window_h=None)(visits)
    assert (visits.slot == before[0]).all() and (visits.users == before[1]).all()
    assert release.ledger.steps[-1].kept == release.data.records


def test_a_width_in_hours_needs_a_clock():
    with pytest.raises(ic.IncrowdError, match="slot_min"):
        Cut(window_h=6)(crowd("0:1"))

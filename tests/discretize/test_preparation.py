"""Records -> a tower for everybody in every slot -> counts, held against the definitions read slowly."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import tracks
from incrowd.anonymize.count_steps import to_regions

LINE = [(0, 0), (1000, 0), (2000, 0), (3000, 0)]
SLOT = 1800


def filled(records, towers, slots):
    """Who is where, user by user and slot by slot."""
    made = ic.discretize.towers(tracks(*records), towers, slot_min=30, fill="interpolate", start=0, slots=slots)
    return made, made.cell.reshape(len(made), slots)


def test_gaps_are_filled_by_the_tower_nearest_to_the_way():
    _, cells = filled([[(0, 1000), (3 * SLOT, 3000)]], LINE, 4)
    assert cells.tolist() == [[1, 2, 2, 3]]
    _, cells = filled([[(0, 0), (2 * SLOT, 1000)], [(0, 1000), (2 * SLOT, 0)]], LINE[:2], 3)
    assert cells.tolist() == [[0, 0, 1], [1, 0, 0]]


towers = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6).map(
    lambda places: [(1000.0 * x, 1000.0 * y) for x, y in places]  # towers at one place and equal distances abound
)
records = st.lists(
    st.lists(st.tuples(st.integers(-SLOT, 14 * SLOT), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=8),
    min_size=1,
    max_size=4,
).map(lambda users: [[(t, 500.0 * x, 500.0 * y) for t, x, y in sorted(user, key=lambda r: r[0])] for user in users])


@settings(deadline=None, max_examples=150)
@given(records=records, towers=towers)
def test_everybody_is_where_the_definition_says(records, towers):
    slots = 12
    expected = [row for user in records if (row := slowly(user, towers, slots)) is not None]
    if not expected:
        with pytest.raises(ic.DataError, match="no record is left"):
            filled(records, towers, slots)
        return
    made, cells = filled(records, towers, slots)
    assert cells.tolist() == expected
    gaps = ic.discretize.towers(tracks(*records), towers, slot_min=30, start=0, slots=slots)
    after = ic.discretize.filled(gaps).cell.reshape(len(expected), -1)
    assert after[:, :slots].tolist() == expected and after.shape[1] == 48
    counts = ic.discretize.counts(made)
    assert counts.n.shape == (48, len(towers)) and not counts.n[slots:].any()
    for slot in range(slots):
        assert counts.n[slot].tolist() == [sum(row[slot] == m for row in expected) for m in range(len(towers))]
    assert (counts.n[:slots].sum(axis=1) == len(expected)).all()


def slowly(user, towers, slots):
    """One tower per slot; None without a record inside the period."""
    seen = [[] for _ in range(slots)]
    for t, x, y in user:
        if 0 <= t // SLOT < slots:
            seen[t // SLOT].append(nearest(x, y, towers))
    known = {}
    for slot, places in enumerate(seen):
        if places:
            most = max(Counter(places).values())
            known[slot] = min(p for p in places if places.count(p) == most)
    return [at(slot, known, towers) for slot in range(slots)] if known else None


def nearest(x, y, towers):
    distance = [np.hypot(x - a, y - b) for a, b in towers]
    return next(i for i, d in enumerate(distance) if d <= min(distance) + 1e-6)


def at(slot, known, towers):
    before, after = [s for s in known if s <= slot], [s for s in known if s >= slot]
    if not before or not after:
        return known[min(known)] if not before else known[max(known)]
    a, b = max(before), min(after)
    if known[a] == known[b]:
        return known[a]
    share = (slot - a) / (b - a)
    (xa, ya), (xb, yb) = towers[known[a]], towers[known[b]]
    return nearest(xa + (xb - xa) * share, ya + (yb - ya) * share, towers)


def test_coarser_time_looks_at_the_records_again():
    # Half hours: tower 0 twice, tower 1 once with three records. The three half hours together: tower 1 has most.
    user = [(0, 0), (SLOT, 0), *[(2 * SLOT + i, 1000) for i in range(3)]]
    fine = ic.discretize.towers(tracks(user), LINE, slot_min=30, fill="interpolate")
    coarse = ic.discretize.towers(tracks(user), LINE, slot_min=90, fill="interpolate")
    assert fine.cell[:3].tolist() == [0, 0, 1] and coarse.cell[0] == 1
    assert len(coarse.cell) == 16 and len(fine.cell) == 48


def test_filling_leaves_whole_trajectories_alone_and_refuses_two_cells_at_once():
    made = ic.discretize.towers(tracks([(0, 0)]), LINE, slot_min=30, fill="interpolate")
    assert ic.discretize.filled(made) is made
    two = ic.Visits.from_arrays([1, 1], [0, 1], [0, 0], xy=LINE, slot_min=30)
    with pytest.raises(ic.DataError, match="two cells in one slot"):
        ic.discretize.filled(two)
    with pytest.raises(ic.DataError, match="no xy or no slot_min"):
        ic.discretize.filled(ic.Visits.from_arrays([1], [0], [0]))
    with pytest.raises(ic.DataError, match="below 0"):
        ic.discretize.filled(ic.Visits.from_arrays([1], [0], [-1], xy=LINE, slot_min=30))


def test_midnight_is_no_border():
    user = [(46 * SLOT, 0), (50 * SLOT, 3000)]
    made = ic.discretize.towers(tracks(user), LINE, slot_min=30, fill="interpolate", start=0)
    assert made.cell[46:51].tolist() == [0, 1, 1, 2, 3]  # 1500 m is as near to 1 as to 2


def test_coarser_space_maps_towers_to_regions():
    made, _ = filled([[(0, 0), (3 * SLOT, 3000)], [(0, 3000)]], LINE, 4)
    regions = to_regions(made, region=[1, 1, 0, 0])
    assert regions.cell.tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
    assert regions.xy.tolist() == [[2500, 0], [500, 0]]
    assert ic.discretize.counts(regions).n[:4].tolist() == [[1, 1], [1, 1], [2, 0], [2, 0]]

"""set, vote and vote_first, against the words of their definition."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.discretize.collect import represent

# (user, slot, cell) records in time order within a user
RECORDS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3)), max_size=30).map(
    lambda rows: sorted(rows, key=lambda r: r[:2])
)


def columns(rows):
    return np.array(rows, np.int64).reshape(-1, 3).T


def rows_of(chosen):
    return list(zip(chosen.code.tolist(), chosen.slot.tolist(), chosen.cell.tolist(), strict=True))


def by_definition(rows, keep):
    if keep == "set":
        return sorted(set(rows))
    kept = []
    for user, slot in sorted({r[:2] for r in rows}):
        cells = [r[2] for r in rows if r[:2] == (user, slot)]
        count = Counter(cells)
        tie = (lambda cell: cell) if keep == "vote" else cells.index
        kept.append((user, slot, min(count, key=lambda cell: (-count[cell], tie(cell)))))
    return kept


@settings(deadline=None, max_examples=100)
@given(rows=RECORDS, keep=st.sampled_from(["set", "vote", "vote_first"]), far=st.booleans())
def test_every_representation_is_its_definition(rows, keep, far):
    # cells too far apart for one packed integer take the other road
    code, slot, cell = columns(rows)
    stretch = 2**59 if far else 1
    chosen = represent(code, slot, cell * stretch, keep)
    assert [(u, s, c // stretch) for u, s, c in rows_of(chosen)] == by_definition(rows, keep)
    assert len(rows) == len(chosen.code) + chosen.same + chosen.minority


@settings(deadline=None, max_examples=50)
@given(rows=RECORDS)
def test_the_vote_is_one_of_the_set(rows):
    every = set(rows_of(represent(*columns(rows), "set")))
    for keep in ("vote", "vote_first"):
        assert set(rows_of(represent(*columns(rows), keep))) <= every


@pytest.mark.parametrize(("keep", "cell"), [("vote", 1), ("vote_first", 7)])
def test_a_tie_goes_to_the_smallest_cell_or_the_earliest_record(keep, cell):
    chosen = represent(*columns([(0, 0, 7), (0, 0, 1), (0, 0, 1), (0, 0, 7)]), keep)
    assert rows_of(chosen) == [(0, 0, cell)]
    assert (chosen.same, chosen.minority) == (1, 2)


def test_most_records_win_against_an_earlier_one():
    assert rows_of(represent(*columns([(0, 0, 1), (0, 0, 7), (0, 0, 7)]), "vote_first")) == [(0, 0, 7)]

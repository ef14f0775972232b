from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.data import load

BOX = ("x", "dx", "y", "dy", "t", "dt")
CANONICAL = ("t", "dt", "x", "dx", "y", "dy")
low, length = st.integers(-3, 3) | st.integers(-(2**52), 2**52), st.integers(1, 3)
rows = st.lists(st.tuples(st.integers(0, 2), low, length, low, length, low, length), min_size=1)


@settings(deadline=None)
@given(rows, st.randoms())
def test_samples_are_distinct_and_canonical_whatever_the_order_of_rows(rows, random):
    def made(rows):
        who, *box = zip(*rows, strict=True)
        prints = ic.Fingerprints.from_arrays(who, **dict(zip(BOX, box, strict=True)))
        keys = list(zip(*(getattr(prints, name).tolist() for name in CANONICAL), strict=True))
        return prints, {u: keys[a:b] for u, (a, b) in zip(prints.users.tolist(), pairwise(prints.offsets), strict=True)}

    prints, samples = made(rows)
    for u, got in samples.items():
        mine = {tuple(dict(zip(BOX, box, strict=True))[name] for name in CANONICAL) for v, *box in rows if v == u}
        assert got == sorted(mine)
    assert prints.ledger.steps[0].dropped == {"repeated sample": len(rows) - prints.records}
    random.shuffle(rows)
    assert made(rows)[1] == samples


def test_scalars_stand_for_all():
    prints = ic.Fingerprints.from_arrays(["a", "b"], [0, 1], [0, 1], [5, 6], dx=200, dt=[1, 2], crowd=[3, 4], start=0)
    assert prints.dx.tolist() == [200, 200]
    assert prints.dy.tolist() == [100, 100]
    assert prints.dt.tolist() == [1, 2]
    assert repr(prints) == "Fingerprints(users=2, records=2, people=7)"
    assert prints.to_arrow()["crowd"].to_pylist() == prints.to_polars()["crowd"].to_list() == [3, 4]
    assert prints.to_pandas()["t"].tolist() == [5, 6]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"x": [0]}, "differ in length"),
        ({"x": [0, 0.5]}, "x is not a whole number at row 1"),
        ({"t": [0, np.nan]}, "t is missing or infinite at row 1"),
        ({"y": [0, 2**63]}, "y overflows"),
        ({"y": [0, 2**53]}, "too large for any map"),
        ({"dx": 0}, "dx is below 1 at row 0"),
        ({"dt": [1, -1]}, "dt is below 1 at row 1"),
        ({"dy": 2**53}, "too large for any map"),
        ({"dx": None}, "dx is missing"),
        ({"dx": 1.5}, "dx is not a whole number"),
        ({"x": [[0], [1, 2]]}, "equal length"),
        ({"crowd": 0}, "at least 1"),
        ({"crowd": [1, 2, 3]}, "at least 1"),
        ({"start": np.inf}, "start is missing or infinite"),
        ({"attributes": {"dx": [1, 2]}}, "rename it"),
    ],
)
def test_refusals(arguments, what):
    given_all = {"user": [1, 2], "x": [0, 1], "y": [0, 1], "t": [0, 1], **arguments}
    with pytest.raises(ic.DataError, match=what):
        ic.Fingerprints.from_arrays(**given_all)


def test_no_sample_is_refused():
    with pytest.raises(ic.DataError, match="no record"):
        ic.Fingerprints.from_arrays([], [], [], [])


def test_the_callers_arrays_are_neither_shared_nor_changed():
    given_arrays = {name: np.array([1, 2]) for name in ("user", *BOX, "crowd")}
    prints = ic.Fingerprints.from_arrays(**given_arrays)
    for column in given_arrays.values():
        assert column.flags.writeable
        column[:] = 9
    for name in (*BOX, "crowd", "users", "offsets"):
        column = getattr(prints, name)
        assert 9 not in column
        assert not column.flags.writeable


def test_equal_boxes_collapse_unless_they_are_wanted(tmp_path):
    rows = {"x": [0, 0, 0], "y": [0, 0, 0], "t": [5, 5, 7]}
    assert ic.Fingerprints.from_arrays([1, 1, 1], **rows).records == 2
    kept = ic.Fingerprints.from_arrays([1, 1, 1], **rows, collapse=False)
    assert kept.t.tolist() == [5, 5, 7] and kept.ledger.steps[0].dropped == {"repeated sample": 0}
    assert load(kept.save(tmp_path / "kept.parquet")).t.tolist() == [5, 5, 7]

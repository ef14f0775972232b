import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.data import Groups


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=1), min_size=1))
def test_groups_hold_sorted_distinct_members(members):
    groups = Groups.from_lists(members)
    expected = [sorted(set(group)) for group in members]
    assert [group.tolist() for group in groups] == expected
    assert len(groups) == len(members)
    assert groups[-1].tolist() == expected[-1]
    assert [group.tolist() for group in groups[1:]] == expected[1:]
    assert not groups.positions.flags.writeable
    assert repr(groups) == f"Groups(pseudonyms={len(members)}, members={sum(map(len, expected))})"
    with pytest.raises(IndexError):
        groups[len(members)]


@pytest.mark.parametrize("members", [[[0], []], [[0], [-1]], [[0], [0.5]], [[0]], [[0], [1], [2]], [["a"], ["b"]]])
def test_pseudonyms_without_proper_members_are_refused(members):
    visits = ic.Visits.from_arrays(["p", "q"], [0, 1], [0, 0])
    with pytest.raises(ic.DataError):
        ic.Release.from_arrays(visits, members)


def test_a_release_shows_its_data_and_hides_its_members(tmp_path):
    visits = ic.Visits.from_arrays(["p9", "p2"], [0, 1], [0, 0], slot_min=30, start=0)
    release = ic.Release.from_arrays(visits, [[41], [7, 5]], params={"k": 2}, provenance={"secret": [41]})
    assert repr(release) == "Release(Visits, rows=2, pseudonyms=2, people=3)"
    assert release.to_arrow().column_names == ["user", "cell", "slot"]
    assert b"ledger" not in release.to_arrow().schema.metadata[b"incrowd"]
    written = release.save(tmp_path / "release.parquet").read_bytes()
    assert b"secret" not in written
    assert b"provenance" not in written
    np.testing.assert_array_equal(release.members[1], [5, 7])

"""Containment in space and time against the definition, sample by sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.audit.checks import contain
from incrowd.audit.checks.compared import Space
from incrowd.audit.checks.contain import compare_boxes, compare_rows
from incrowd.data import Groups

BOX = st.tuples(st.integers(0, 1), *[st.integers(0, 4), st.integers(1, 3)] * 3)


def space(rows):
    owner, t, dt, x, dx, y, dy = np.array(rows, np.int64).T
    return Space(owner, (t, x, y), (t + dt, x + dx, y + dy))


def holds(box, sample):
    return all(
        b <= s and s + ds <= b + db
        for b, db, s, ds in zip(box[1::2], box[2::2], sample[1::2], sample[2::2], strict=True)
    )


def moments(sample):
    """A long sample may be held by several boxes, one after the other: unit by unit of its time."""
    who, t, dt, *place = sample
    return [(who, at, 1, *place) for at in range(t, t + dt)]


@settings(deadline=None, max_examples=100)
@given(st.lists(BOX, min_size=1, max_size=6), st.lists(BOX, min_size=1, max_size=12), st.integers(1, 5))
def test_boxes_are_compared_as_defined(boxes, samples, chunk):
    boxes, samples = sorted(boxes), sorted(samples)
    members = Groups.from_lists([[0, 1], [1]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contain, "_CHUNK", chunk)
        found = compare_boxes(space(boxes), space(samples), members)
    pairs = [(row, box, who) for row, box in enumerate(boxes) for who in members[box[0]]]
    missing = [row for row, box, who in pairs if not any(s[0] == who and holds(box, s) for s in samples)]
    assert (found.pairs, found.missing, found.first) == (len(pairs), len(missing), missing[0] if missing else -1)
    covered = sorted(
        all(any(s[0] in members[b[0]] and holds(b, moment) for b in boxes) for moment in moments(s)) for s in samples
    )
    assert sorted(found.covered.tolist()) == covered


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9),
    st.sets(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9),
    st.sampled_from([1, 10**9, 2**61]),
)
def test_rows_are_compared_as_defined(published, original, wide):
    original = sorted(original)
    code, *shown = (np.array(c) for c in zip(*published, strict=True))
    person, *own = (np.array(c) for c in zip(*original, strict=True))
    members = Groups.from_lists([[2], [0, 1], [1]])
    scaled = [[c * wide for c in columns] for columns in (shown, own)]
    offsets = np.searchsorted(person, np.arange(4))
    found = compare_rows(scaled[0], code, scaled[1], offsets, members)
    missing = [row for row, (j, a, b) in enumerate(published) for who in members[j] if (who, a, b) not in original]
    assert (found.missing, found.first) == (len(missing), missing[0] if missing else -1)
    covered = [
        any(who in members[j] and (a, b) == rest for j, a, b in published)
        for who, *rest in [(w, a, b) for w, a, b in original]
        for rest in [tuple(rest)]
    ]
    assert found.covered.tolist() == covered

"""Is every box of GLOVE as small as it can be: the hull of what it generalises?"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Ints
from incrowd.audit.checks.compared import Compared, Silence
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import Boxes, Published
from incrowd.audit.verdict import Check, idle, judged, unasked, uncheckable
from incrowd.data import Fingerprints, Groups

TIGHT = "tightness"
LOST = ("sample of a discarded fingerprint", "sample beyond the largest extent")  # by the ledger of GLOVE
AXES = (("t", "dt"), ("x", "dx"), ("y", "dy"))
RESHAPED = ("union", "split")
FAR = np.iinfo(np.int64).max
Sides = Mapping[str, NDArray[Any]]


def tightness(release: Published, original: Original | None, comparison: Compared | Silence | str) -> Check:
    """Every face of a box touches a sample of a member within the box [gramaglia2015, Eqs. 12-13].

    A box looser than the hull of its samples has a face that none touches, unless a sample of another box happens to
    reach it; where the release itself knows which box generalises which sample, that is held against it too. Pieces
    of a split have faces where samples of members have theirs, but not always within the piece. Reshaped boxes of a
    pseudonym are apart in time.
    """
    overlaps = _overlaps(release)
    if overlaps:
        return judged(TIGHT, overlaps, "")
    if release.noun != "Fingerprints":
        return idle(TIGHT, "only boxes have faces.")
    if isinstance(comparison, Silence):
        return unasked(TIGHT, comparison)
    if isinstance(comparison, str):
        return uncheckable(TIGHT, comparison)
    if release.is_plain:
        return idle(TIGHT, "boxes of a plain table are not promised to be hulls.")
    if not isinstance(original, Fingerprints) or comparison.touched is None or release.members is None:
        return idle(TIGHT, "points have no faces; give the fingerprints the release was made from.")
    split = release.parameters.get("reshape") == "split"
    tight = _on_faces(release, original, release.members) if split else comparison.touched
    faults = [] if tight.all() else [_fault(tight, "boxes", "have a face that no sample of a member touches")]
    if release.boxes is not None:
        faults += _untrue(release, original, release.members, release.boxes, split=split)
    known = ", and each is the hull of the samples it generalises" if release.boxes is not None else ""
    where = "lies on one of a sample" if split else "touches a sample"
    return judged(TIGHT, faults, f"every face of {release.rows:,} boxes {where} of a member{known}.")


def _overlaps(release: Published) -> list[str]:
    """Boxes of a pseudonym that share some time, where they are said to be reshaped: then no two do."""
    if release.noun != "Fingerprints" or release.parameters.get("reshape") not in RESHAPED:
        return []
    code, t, dt = release.table.code, release.table.numbers["t"], release.table.numbers["dt"]
    order = np.lexsort((t, code))
    code, t, end = code[order], t[order], (t + dt)[order]
    apart = np.ones(release.rows, np.bool_)
    apart[order[1:]] = (code[1:] != code[:-1]) | (t[1:] >= end[:-1])
    return [] if apart.all() else [_fault(apart, "boxes", "begin before another of their pseudonym ends")]


def _fault(good: Flags, what: str, why: str) -> str:
    return f"{int((~good).sum())} of {len(good):,} {what} {why}, first at row {int(np.argmin(good))}"


def _untrue(release: Published, original: Fingerprints, members: Groups, boxes: Boxes, *, split: bool) -> list[str]:
    """What the release knows of its boxes and is not so."""
    if len(boxes.box) != original.records or not np.isin(boxes.group, np.arange(len(release))).all():
        return ["what the release knows of its boxes does not fit the original"]
    sides, code = release.table.numbers, release.table.code
    before = _hulls(boxes.sides, boxes.group, boxes.box, original, members)
    after = _pieces(sides, code, boxes) if split else _hulls(sides, code, boxes.row, original, members)
    faults = _uncounted(release, boxes)
    if not before.all():
        faults.append(_fault(before, "boxes before reshaping", "are not the hull of the samples they generalise"))
    if not after.all():
        what = "are not pieces of those boxes" if split else "are not the hull of the samples they generalise"
        faults.append(_fault(after, "published boxes", what))
    return faults


def _uncounted(release: Published, boxes: Boxes) -> list[str]:
    """Samples that are said to be in no box, where they are not as many as the ledger drops."""
    steps = [step for step in release.ledger if step.get("step") == "glove"]
    if not steps:
        return []
    lost = sum(steps[-1].get("dropped", {}).get(reason, 0) for reason in LOST)
    gone = sorted({int((rows < 0).sum()) for rows in (boxes.box, boxes.row)} - {lost})
    return [f"{n:,} samples are in no box, and the ledger drops {lost:,}" for n in gone]


def _hulls(box: Sides, pseudonym: Ints, row: Ints, original: Fingerprints, members: Groups) -> Flags:
    """Which boxes are the hull of the samples that are said to be in them, all of members."""
    good = np.ones(len(pseudonym), np.bool_)
    if row.max(initial=-1) >= len(good):
        return ~good
    sample = np.flatnonzero(row >= 0)
    box_of = row[sample]
    good[box_of[~_are_members(pseudonym[box_of], original.owner[sample], members)]] = False
    for name, length in AXES:
        start = getattr(original, name)[sample]
        low, high = np.full(len(good), FAR), np.full(len(good), -FAR)
        np.minimum.at(low, box_of, start)
        np.maximum.at(high, box_of, start + getattr(original, length)[sample])
        good &= (low == box[name]) & (high == box[name] + box[length])
    return good


def _are_members(pseudonym: Ints, person: Ints, members: Groups) -> Flags:
    """Whether each person is behind the pseudonym beside it."""
    size = int(max(person.max(initial=0), members.positions.max(initial=0))) + 1
    return np.isin(pseudonym * size + person, members.owner * size + members.positions)


def _pieces(sides: Sides, code: Ints, boxes: Boxes) -> Flags:
    """Which pieces are apart from the others in time and the hull, in space, of boxes that last all their time."""
    good = np.ones(len(code), np.bool_)
    for mine, its in _runs(code, boxes.group):
        piece = {name: values[mine, None] for name, values in sides.items() if name in boxes.sides}
        box = {name: values[its] for name, values in boxes.sides.items()}
        ends, end = piece["t"] + piece["dt"], box["t"] + box["dt"]
        meets = (box["t"] < ends) & (piece["t"] < end)
        fine = (meets == ((box["t"] <= piece["t"]) & (ends <= end))).all(axis=1) & meets.any(axis=1)
        for name, length in AXES[1:]:
            low, high = np.where(meets, box[name], FAR), np.where(meets, box[name] + box[length], -FAR)
            fine &= (low.min(axis=1) == piece[name][:, 0]) & (high.max(axis=1) == (piece[name] + piece[length])[:, 0])
        twice = (piece["t"] < ends.T) & (ends > piece["t"].T)
        good[mine] = fine & (twice.sum(axis=1) == 1)
    return good


def _runs(code: Ints, group: Ints) -> Iterator[tuple[Ints, Ints]]:
    """The rows of both that belong to one pseudonym, for each in the first."""
    order, other = np.argsort(code, kind="stable"), np.argsort(group, kind="stable")
    pseudonyms, first = np.unique(code[order], return_index=True)
    starts, ends = (np.searchsorted(group[other], pseudonyms, side) for side in ("left", "right"))
    for rows, start, end in zip(np.split(order, first[1:]), starts.tolist(), ends.tolist(), strict=True):
        yield rows, other[start:end]


def _on_faces(release: Published, original: Fingerprints, members: Groups) -> Flags:
    """Which boxes have every face in a plane with the same face of a sample of a member; in time with either end."""
    sizes = np.diff(original.offsets)[members.positions]
    code = np.repeat(members.owner, sizes)
    ends = np.append(0, np.cumsum(sizes))[:-1]
    sample = np.repeat(original.offsets[members.positions] - ends, sizes) + np.arange(len(code))
    good = np.ones(release.rows, np.bool_)
    box = release.table.numbers
    for name, length in AXES:
        low, high = getattr(original, name)[sample], (getattr(original, name) + getattr(original, length))[sample]
        own = (np.concatenate([low, high]),) * 2 if name == "t" else (low, high)
        for here, there in zip((box[name], box[name] + box[length]), own, strict=True):
            good &= _among(release.table.code, here, np.resize(code, len(there)), there)
    return good


def _among(code: Ints, value: NDArray[Any], codes: Ints, values: Ints) -> Flags:
    """Whether each (code, value) is among others."""
    rank = np.unique(np.concatenate([value, values]), return_inverse=True)[1]
    size = len(rank) + 1
    return np.isin(code * size + rank[: len(value)], codes * size + rank[len(value) :])

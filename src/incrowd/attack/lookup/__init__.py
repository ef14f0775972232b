"""A release and its original -> how often an attacker who knows a few records of somebody finds that person."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Ints, frozen
from incrowd.attack.lookup.holders import (
    BoxHolder,
    Holder,
    PointHolder,
    ReleasedRows,
    VisitHolder,
    points_of,
    resolution,
    spans_of,
)
from incrowd.attack.lookup.result import Lookup
from incrowd.data import Fingerprints, Groups, Release, Traces, Visits
from incrowd.errors import ParameterError, check_positive, check_seed, check_whole, public
from incrowd.progress import track
from incrowd.threads import machine

QUANTILE = 0.95  # of the movement of points that an attacker allows for
SOME_ROWS = 100  # from which all others are forecast


@public
def lookup(
    release: Release | Visits | Fingerprints | Traces | str | Path,
    original: Visits | Fingerprints | Traces,
    *,
    link: str | Path | None = None,
    records: int = 4,
    within_m: float | None = None,
    within_s: float | None = None,
    seed: int = 0,
) -> Lookup:
    """How often an attacker who knows a few records of a person guesses right who it is in a release.

    The attacker knows records as precisely as the release shows them: a cell and slot, a point, or a place and time
    that a box contains. Rows that hold all known records of one row (window, piece) are candidates, and a guess is
    right with 1/(people behind the candidates); of several rows of a person the best one counts. Known records that
    no row of the person holds are left out, except for points, which a method may have moved: there a second lookup
    allows for the movement, and the better one counts.

    Args:
        release: What is published: a release, its folder, or the data as they are.
        original: The data that the release was made from.
        link: Link file that says who is behind each row; not needed for a release in memory.
        records: How many random records of each person are known; all of them for a person who has fewer.
        within_m: For points, metres within which a point is the known one. [default: the last published digit, and in
            a second lookup the movement: what the release claims and what the link shows]
        within_s: For points, seconds within which a point is the known one. [default: as within_m]
        seed: Seed of the records drawn.

    Returns:
        `value` is the mean over people in the release, `worst` the share guessed right with 1/2 or more, `cap` what
        an attacker gets who knows everything published.

    >>> visits = Visits.from_arrays(["a", "a", "b", "c"], cell=[1, 2, 1, 1], slot=[0, 1, 0, 0])
    >>> lookup(visits, visits).per_person.tolist()
    [1.0, 0.3333333333333333, 0.3333333333333333]
    """
    began = time.perf_counter()
    check_whole(records=records)
    check_seed(seed=seed)
    within = {name: value for name, value in (("within_m", within_m), ("within_s", within_s)) if value is not None}
    check_positive(**within)
    published = ReleasedRows.of(release, original, link)
    if within and not isinstance(published.data, Traces):
        raise ParameterError(
            f"{next(iter(within))} is about points, and this release publishes {type(published.data).__name__}; leave "
            "it out."
        )
    holders = list(holders_of(published, original, within_m, within_s))
    drawn = drawn_records(holders[0].spans, int(records), seed)
    sizes = np.zeros((len(holders), len(original)), np.int64)
    left = np.zeros_like(sizes)
    for number, holder in enumerate(holders):
        sizes[number], left[number] = _people_behind(published, holder, drawn)
    people = fewest(sizes)
    there = np.diff(published.rows.offsets) > 0
    caps = _caps(published, holders[0])
    reaches = [(holder.within_m, holder.within_s) for holder in holders if isinstance(holder, PointHolder)]
    return Lookup(
        noun=type(published.data).__name__,
        records=int(records),
        seed=int(seed),
        people=int(there.sum()),
        absent=int((~there).sum()),
        none_left=int((there & (left.max(axis=0) == 0)).sum()),
        rows=len(published.data),
        within=tuple(reaches),
        seconds=time.perf_counter() - began,
        machine=machine(),
        crowd=frozen(np.where(there, people, -1)),
        caps=frozen(np.where(there, caps, -1)),
    )


def caps_of(release: Release, original: Visits | Fingerprints | Traces) -> Ints:
    """For each person of the original the fewest people behind the rows that hold all that is published of it.

    No attacker who looks records up guesses among fewer; 0 for people who are not in the release.

    Args:
        release: What is published, with its members.
        original: The data that the release was made from.
    """
    return _caps(*held_rows(release, original))


def held_rows(release: Release, original: Visits | Fingerprints | Traces) -> tuple[ReleasedRows, Holder]:
    """The published rows with the people behind them, and what says which of them hold a record."""
    published = ReleasedRows.of(release, original, None)
    return published, next(iter(holders_of(published, original)))


def drawn_records(spans: Ints, records: int, seed: int) -> Groups:
    """Some random records of each person."""
    rng = np.random.default_rng(seed)
    chosen = [a + np.sort(rng.choice(b - a, min(records, b - a), replace=False)) for a, b in spans.tolist()]
    return Groups(np.cumsum([0, *map(len, chosen)], dtype=np.int64), np.concatenate([np.zeros(0, np.int64), *chosen]))


def holders_of(
    published: ReleasedRows, original: Any, within_m: float | None = None, within_s: float | None = None
) -> Iterator[Holder]:
    """One lookup, or for points two."""
    data = published.data
    if isinstance(data, Visits):
        yield VisitHolder.over(data, original)
        return
    if isinstance(data, Fingerprints):
        yield BoxHolder.over(data, original)
        return
    ours, theirs = points_of(data, original)
    fine = resolution(data)
    both = ours, spans_of(original), theirs, data.owner
    yield PointHolder(*both, within_m or fine[0], within_s or fine[1])
    if within_m is None and within_s is None:
        far = tuple(max(pair) for pair in zip(_movement(published, original, ours, theirs), fine, strict=True))
        if far != fine:  # points that did not move were looked up already
            yield PointHolder(*both, *far)


def _movement(published: ReleasedRows, original: Any, ours: Any, theirs: Any) -> tuple[float, float]:
    """How far points are moved in space and time: what is claimed, and 95 % of what the link shows."""
    metres, seconds = [np.zeros(0)], [np.zeros(0)]
    for person, rows in enumerate(published.rows):
        own = ours[original.offsets[person] : original.offsets[person + 1]]
        for row in rows.tolist():
            points = theirs[published.data.offsets[row] : published.data.offsets[row + 1]]
            after = np.clip(np.searchsorted(points[:, 2], own[:, 2]), 1, max(len(points) - 1, 1))
            pair = np.stack([after - 1, np.minimum(after, len(points) - 1)])
            apart = np.abs(points[pair, 2] - own[:, 2])
            near = pair[apart.argmin(axis=0), np.arange(len(own))]
            metres.append(np.hypot(*(points[near, :2] - own[:, :2]).T))
            seconds.append(apart.min(axis=0))
    far_m, far_s = (float(np.quantile(np.concatenate(values), QUANTILE)) for values in (metres, seconds))
    return max(far_m, float(published.claims.get("delta_m") or 0)), far_s


def _people_behind(published: ReleasedRows, holder: Holder, drawn: Groups) -> tuple[Ints, Ints]:
    """For each person the fewest people behind the candidates of a group of known records, 0 if there are none.

    The second number says how many known records are held by a row of the person.
    """
    least, left = np.zeros(len(drawn), np.int64), np.zeros(len(drawn), np.int64)
    for person, groups, held in candidates(published, holder, drawn):
        left[person] = held
        least[person] = min((published.people(rows) for rows in groups), default=0)
    return least, left


def candidates(published: ReleasedRows, holder: Holder, drawn: Groups) -> Iterator[tuple[int, list[Ints], int]]:
    """For each person in the release the rows that hold all known records of one of its rows, for each of its rows.

    The last number says how many known records are held by a row of the person.
    """
    for person in track(range(len(drawn)), "looking people up", len(drawn)):
        mine = published.rows[person]
        if not len(mine):
            continue
        known = holder.known[drawn[person]]
        held = holder.rows(known)
        groups = [[rows for rows in held if _has(rows, row)] for row in mine.tolist()]
        left = max(map(len, groups))
        if isinstance(holder, PointHolder):
            # Points may have been moved: of those of a row's own time the attacker misses none.
            nearest = _row_in_time(published.data, mine, known)
            timely = [[held[i] for i in np.flatnonzero(nearest == number)] for number in range(len(mine))]
            groups = [
                group if all(_has(rows, row) for rows in group) else []
                for row, group in zip(mine.tolist(), timely, strict=True)
            ]
        yield person, [_common(group) for group in groups if group], left


def _row_in_time(data: Traces, rows: Ints, points: Any) -> Ints:
    """Which of some rows of a person is nearest in time to each point."""
    spans = np.array([[data.t[data.offsets[row]], data.t[data.offsets[row + 1] - 1]] for row in rows.tolist()])
    t = points[:, 2][:, None]
    outside: Ints = np.maximum(np.maximum(spans[:, 0] - t, t - spans[:, 1]), 0)
    nearest: Ints = outside.argmin(axis=1)
    return nearest


def _has(rows: Ints, row: int) -> bool:
    at = int(np.searchsorted(rows, row))
    return at < len(rows) and int(rows[at]) == row


def _common(lists: list[Ints]) -> Ints:
    """What is on all of some sorted lists."""
    first, *others = sorted(lists, key=len)
    for other in others:
        at = np.minimum(np.searchsorted(other, first), len(other) - 1)
        first = first[other[at] == first]
    return first


def _caps(published: ReleasedRows, holder: Holder) -> Ints:
    """For each person the fewest people behind the rows that hold everything published of one of its rows."""
    size = np.array([_behind_row(published, holder, row) for row in range(len(published.data))], np.int64)
    caps = np.zeros(len(published.rows), np.int64)
    for person, rows in enumerate(published.rows):
        caps[person] = size[rows].min(initial=np.iinfo(np.int64).max) if len(rows) else 0
    return caps


def _behind_row(published: ReleasedRows, holder: Holder, row: int) -> int:
    candidates, _ = _holding_all(published.data, holder, row)
    return published.people(candidates if len(candidates) else np.array([row]))


def _holding_all(data: Any, holder: Holder, row: int) -> tuple[Ints, int]:
    """The rows that hold everything published of one, and how many of its records say so; none of an empty row."""
    low, high = data.offsets[row : row + 2].tolist()
    candidates = np.zeros(0, np.int64)
    for record in range(low, high):
        held = holder.rows(holder.published[record : record + 1])[0]
        candidates = held if record == low else _common([candidates, held])
        if len(candidates) == 1:
            return candidates, record + 1 - low
    return candidates, high - low


def records_for_caps(data: Any, holder: Holder) -> float:
    """About how many published records are looked up for the caps, by some of the rows."""
    some = np.unique(np.linspace(0, len(data) - 1, SOME_ROWS).astype(np.int64))
    return float(np.mean([_holding_all(data, holder, row)[1] for row in some.tolist()]) * len(data))


def fewest(sizes: Ints) -> Ints:
    """The smallest of the crowds that are above 0, 0 where none is."""
    large = np.iinfo(np.int64).max
    least = np.where(sizes > 0, sizes, large).min(axis=0)
    return np.where(least == large, 0, least)

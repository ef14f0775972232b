"""Is every published box true for every member, and what became of every original record?"""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice, product
from math import isqrt
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, distinct_rows, row_order
from incrowd.audit.checks.accounts import SWAPPED, since_original, swapped
from incrowd.audit.checks.contain import Compared, Space, compare_boxes, compare_rows, in_time
from incrowd.audit.reading.origin import DISCRETIZING, Original
from incrowd.audit.reading.published import ROUNDED_M, Published, exact, is_count
from incrowd.audit.reading.stated import ZONE, stated_zone
from incrowd.audit.verdict import Check, failed, idle, judged
from incrowd.data import Fingerprints, Groups, Traces, Visits

TRUTH = "truthfulness"
SPLIT = (
    "it is said to be split in time, by which a piece may lose the sample of a member while all pieces together hold "
    "it (see coverage); publish it unsplit, or reshaped by union, for boxes that are true one by one"
)
SLACK_M = 0.002  # cells.csv rounds to a millimetre, and another version of a projection may differ by less
_EFFORT = 20_000_000  # records, all tries together, in search of a grain
_LARGEST = 100_000  # divisor looked for
_CALENDAR = (-62_100_000_000, 253_370_000_000)  # seconds a datetime in any zone can hold
_DAY_S = 86_400
_QUARTER_S = 900  # no wall clock of our time jumps between two quarters of an hour


class Contradiction(str):
    """Why a release cannot be compared: it says something that is not so of the original."""

    __slots__ = ()


def compare(release: Published, original: Original | None) -> Compared | str:
    """How the release relates to its original, or why that cannot be told."""
    if original is None:
        return "no original is given."
    if release.members is None:
        return "who stands behind a pseudonym is not known; give the link file."
    if not release.rows:
        none, nothing = np.zeros(0, np.bool_), np.zeros(original.records, np.bool_)
        return Compared(0, 0, -1, 0, none, nothing, original.owner, np.ones(original.records, np.int64))
    if release.noun == "Traces" and "delta_m" in release.claims:
        return "(k, delta)-anonymity moves and fabricates points, so that no row is promised to be true."
    if release.noun == "Visits" and isinstance(original, Visits):
        return _visits(release, original, release.members)
    if release.noun == "Fingerprints" and isinstance(original, Fingerprints):
        return _fingerprints(release, original, release.members)
    if release.noun in ("Visits", "Fingerprints") and isinstance(original, Traces):
        return _traces(release, original, release.members)
    return f"published {release.noun} cannot be compared with original {type(original).__name__}."


def truthfulness(release: Published, comparison: Compared | str) -> Check:
    """Every published box holds a sample of every member, so that no row is fabricated [gramaglia2015, Sec. 2.2]."""
    if isinstance(comparison, str):
        return failed(TRUTH, comparison) if isinstance(comparison, Contradiction) else idle(TRUTH, comparison)
    faults = []
    if comparison.orphans:
        faults.append(f"{comparison.orphans} rows have nobody behind their pseudonym ({release.untold})")
    if comparison.missing:
        faults.append(
            f"{comparison.missing} of {comparison.pairs:,} pairs of row and member hold no sample of the member, "
            f"first at row {comparison.first}"
        )
        if release.parameters.get("reshape") == "split":
            faults.append(SPLIT)
        if comparison.missing <= swapped(since_original(release.ledger, comparison)):
            faults.append(SWAPPED)
    return judged(TRUTH, faults, f"all {comparison.pairs:,} pairs of row and member hold a sample of the member.")


def _visits(release: Published, original: Visits, members: Groups) -> Compared | str:
    if differ := _differing(release, original):
        return differ
    mine = [original.slot, original.cell]
    published = [_whole(release.table.numbers[name], own) for name, own in zip(("slot", "cell"), mine, strict=True)]
    return compare_rows(published, release.table.code, mine, original.owner, members)


def _differing(release: Published, original: Visits | Fingerprints) -> Contradiction | None:
    """What both state, and the release otherwise than the original."""
    stated = {**release.clock, **release.plane}
    both = [
        (name, stated[name], mine)
        for name in ("slot_min", "start", "crs", "cell_m")
        if None not in (stated.get(name), mine := getattr(original, name, None))
    ]
    differ = [name for name, here, there in both if here != there]
    # Whoever says when a clock begins and names no zone means UTC.
    if "start" in {name for name, *_ in both} and stated_zone(stated) != stated_zone({ZONE: original.time_zone}):
        differ.append(ZONE)
    if isinstance(original, Visits) and release.cells is not None and original.xy is not None:
        cell = np.unique(_whole(release.table.numbers["cell"], original.cell))
        cell = cell[(cell >= 0) & (cell < len(original.xy))]
        if (np.abs(centres_at(*release.cells, cell) - original.xy[cell]) > ROUNDED_M).any():
            differ.append("place of its cells")
    return (
        Contradiction(f"the release states another {', another '.join(differ)} than the original.") if differ else None
    )


def _whole(values: NDArray[Any], own: Ints) -> Ints:
    """Fractions become a number that the original does not have."""
    if values.dtype.kind != "f":
        return values
    return np.where(values == np.floor(values), values, own.min() - 1).astype(np.int64)


def _fingerprints(release: Published, original: Fingerprints, members: Groups) -> Compared | str:
    if differ := _differing(release, original):
        return differ
    sample = {name: getattr(original, name) for name in ("t", "dt", "x", "dx", "y", "dy")}
    return compare_boxes(_space(release.table.code, release.table.numbers), _space(original.owner, sample), members)


def _traces(release: Published, original: Traces, members: Groups) -> Compared | str:
    crs, start = release.plane.get("crs"), release.clock.get("start")
    if (crs is None) != original.planar:
        return "the release and the original are not in the same plane."
    if start is None:
        return "the release does not say when its clock begins."
    boxes = _boxes_s(release)
    if isinstance(boxes, str):
        return boxes
    where = _projected(original, crs)
    if isinstance(where, str):
        return where
    before, begin = _wall(np.array([start - 1, start]), release).tolist()
    # A clock that jumps over midnight when slots begin is taken to show it.
    since = _wall(original.t, release) - (before + 1 if before + 1 < begin and (before + 1) % _DAY_S == 0 else begin)
    strict = original.planar and all((side == np.floor(side)).all() for side in (*boxes.low[1:], *boxes.high[1:]))
    above = [np.nextafter(side, np.inf) for side in where] if strict else where  # a box ends before its upper face
    points = in_time(Space(original.owner, (since, *where), (since + 1, *above)))
    comparison = compare_boxes(boxes, points, members, 0.0 if strict else SLACK_M)
    if comparison.covered.all():
        return comparison
    return comparison._replace(lost=_together(points, ~comparison.covered, *_grain(release, points)))


def _grain(release: Published, points: Space) -> tuple[int, float]:
    """Seconds and metres within which records of a person fall together, the coarsest that may have been.

    Too coarse a grain leaves fewer sets of records than the discretizing step kept; without a better one each record
    is for itself.
    """
    counts = [step.get("kept") for step in release.ledger if step.get("step") in DISCRETIZING]
    least, every = max(filter(is_count, counts), default=len(points.owner) + 1), np.ones(len(points.owner), np.bool_)
    tried = islice(_grains(release), max(_EFFORT // len(every), 1))
    return next((grain for grain in tried if len(_together(points, every, *grain)) >= least), (1, 0.0))


def _grains(release: Published) -> Iterator[tuple[int, float]]:
    """The grain of visits; sides of boxes are whole numbers of samples, so that those of a sample divide them all."""
    numbers = release.table.numbers
    if release.noun == "Visits":
        return iter([(release.clock["slot_min"] * 60, release.plane["cell_m"])])
    time, space = (np.concatenate([numbers[name] for name in names]) for names in (("t", "dt"), ("x", "dx", "y", "dy")))
    if space.dtype.kind == "f" or time.dtype.kind == "f":
        return iter(())
    slots, cells = (_divisors(max(int(np.gcd.reduce(sides)), 1)) for sides in (time, space))
    coarse_first = sorted(product(slots, cells), key=lambda grain: -grain[0] * grain[1] ** 2)
    return ((slot * 60, float(cell)) for slot, cell in coarse_first)


def _divisors(n: int) -> list[int]:
    small = [i for i in range(1, min(isqrt(n), _LARGEST) + 1) if n % i == 0]
    return sorted({*small, *(n // i for i in small)})


def _together(points: Space, chosen: NDArray[np.bool_], slot_s: int, cell_m: float) -> Ints:
    """How many of some points each person has in a cell and slot, where any; cells are counted from 0."""
    t, x, y = (column[chosen] for column in points.low)
    cells = (exact(np.floor(side / cell_m) if cell_m else side) for side in (x, y))
    keys: list[Ints] = [points.owner[chosen], exact(t // slot_s), *cells]
    order = row_order(*keys)
    first = distinct_rows(*(keys if order is None else [key[order] for key in keys]))
    return np.diff(np.flatnonzero(first), append=len(first))


def _space(owner: Ints, box: dict[str, NDArray[Any]]) -> Space:
    low = (box["t"], box["x"], box["y"])
    return Space(owner, low, (box["t"] + box["dt"], box["x"] + box["dx"], box["y"] + box["dy"]))


def _boxes_s(release: Published) -> Space | str:
    """Published boxes with times in seconds after the start."""
    numbers = release.table.numbers
    if release.noun == "Fingerprints":
        minutes = {name: numbers[name] * 60 for name in ("t", "dt")}
        return _space(release.table.code, {**numbers, **minutes})
    cell_m, slot_min = release.plane.get("cell_m"), release.clock.get("slot_min")
    if release.cells is None or cell_m is None or slot_min is None:
        return "cells are not squares of a stated place, side and slot width."
    centre = centres_at(*release.cells, numbers["cell"]) - cell_m / 2
    side = np.full(release.rows, float(cell_m))
    width = np.full(release.rows, slot_min * 60)
    t = numbers["slot"] * (slot_min * 60)
    return _space(
        release.table.code, {"t": t, "dt": width, "x": centre[:, 0], "y": centre[:, 1], "dx": side, "dy": side}
    )


def centres_at(ids: Ints, centres: Floats, cell: NDArray[Any]) -> Floats:
    """The centre of each row's cell; not a number where it has none, so that no point lies in it."""
    if not len(ids):
        return np.full((len(cell), 2), np.nan)
    order = np.argsort(ids, kind="stable")  # of a cell listed twice, always the same
    at = order[np.minimum(np.searchsorted(ids, cell, sorter=order), len(ids) - 1)]
    return np.where((ids[at] == cell)[:, None], centres[at], np.nan)


def _projected(original: Traces, crs: str | None) -> tuple[Floats, Floats] | str:
    if crs is None:
        return original.coordinates
    import pyproj

    try:
        x, y = pyproj.Proj(crs)(*original.coordinates)
    except pyproj.exceptions.CRSError:
        return Contradiction("the plane of the release is not a PROJ string, and the original is in degrees.")
    return x, y


def _wall(t: Ints, release: Published) -> Ints:
    """What the wall clock of the release shows, in seconds; slots follow it where a time zone was given."""
    name = release.clock.get("time_zone")
    if name is None:
        return t
    zone, (quarters, at) = ZoneInfo(name), np.unique(t // _QUARTER_S, return_inverse=True)
    moments = np.clip(quarters * _QUARTER_S, *_CALENDAR).tolist()
    leads = [datetime.fromtimestamp(moment, zone).utcoffset() for moment in moments]
    ahead = np.array([round(lead.total_seconds()) if lead else 0 for lead in leads])
    wall: Ints = t + ahead[at]
    return wall

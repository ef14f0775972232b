"""Is every published box true for every member, and what became of every original record?"""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, distinct_rows, row_order
from incrowd.audit.contain import Compared, Space, compare_boxes, compare_rows, in_time
from incrowd.audit.origin import Original
from incrowd.audit.published import Published, exact
from incrowd.audit.verdict import Check, idle, judged
from incrowd.data import Fingerprints, Groups, Traces, Visits

TRUTH = "truthfulness"
SPLIT = (
    "it is said to be split in time, by which a piece may lose the sample of a member while all pieces together hold "
    "it (see coverage); publish it unsplit, or reshaped by union, for boxes that are true one by one"
)
SLACK_M = 0.002  # cells.csv rounds to a millimetre
_QUARTER_S = 900  # no wall clock of our time jumps between two quarters of an hour


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


def truthfulness(release: Published, found: Compared | str) -> Check:
    """Every published box holds a sample of every member, so that no row is fabricated [gramaglia2015, Sec. 2.2]."""
    if isinstance(found, str):
        return idle(TRUTH, found)
    faults = []
    if found.orphans:
        faults.append(f"{found.orphans} rows have nobody behind their pseudonym ({release.untold})")
    if found.missing:
        faults.append(
            f"{found.missing} of {found.pairs:,} pairs of row and member hold no sample of the member, "
            f"first at row {found.first}"
        )
        if release.parameters.get("reshape") == "split":
            faults.append(SPLIT)
    return judged(TRUTH, faults, f"all {found.pairs:,} pairs of row and member hold a sample of the member.")


def _visits(release: Published, original: Visits, members: Groups) -> Compared | str:
    for name in ("slot_min", "start"):
        if _differ(release.clock.get(name), getattr(original, name)):
            return f"the release and the original have another {name}."
    mine = [original.slot, original.cell]
    shown = [_whole(release.table.numbers[name], own) for name, own in zip(("slot", "cell"), mine, strict=True)]
    return compare_rows(shown, release.table.code, mine, original.owner, members)


def _whole(values: NDArray[Any], own: Ints) -> Ints:
    """Fractions become a number that the original does not have."""
    if values.dtype.kind != "f":
        return values
    return np.where(values == np.floor(values), values, own.min() - 1).astype(np.int64)


def _fingerprints(release: Published, original: Fingerprints, members: Groups) -> Compared | str:
    if _differ(release.clock.get("start"), original.start) or _differ(release.plane.get("crs"), original.crs):
        return "the release and the original count time or metres from another point."
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
    since = _wall(original.t, release) - int(_wall(np.array([start]), release)[0])
    points = in_time(Space(original.owner, (since, *where), (since + 1, *where)))
    found = compare_boxes(boxes, points, members, SLACK_M)
    return found._replace(lost=_together(points, ~found.covered, *_grain(release)))


def _grain(release: Published) -> tuple[int, float]:
    """Seconds and metres within which records of a person fall together before anything else is done to them.

    Sides of boxes are whole numbers of samples, so that those of a sample divide them all.
    """
    numbers = release.table.numbers
    if release.noun == "Visits":
        return release.clock["slot_min"] * 60, release.plane["cell_m"]
    time, space = (np.concatenate([numbers[name] for name in names]) for names in (("t", "dt"), ("x", "dx", "y", "dy")))
    if space.dtype.kind == "f" or time.dtype.kind == "f":
        return 1, 0.0
    return max(int(np.gcd.reduce(time)), 1) * 60, float(max(np.gcd.reduce(space), 1))


def _together(points: Space, some: NDArray[np.bool_], slot_s: int, cell_m: float) -> Ints:
    """How many of some points each person has in a cell and slot, where any; cells are counted from 0."""
    t, x, y = (column[some] for column in points.low)
    cells = (exact(np.floor(side / cell_m) if cell_m else side) for side in (x, y))
    keys: list[Ints] = [points.owner[some], exact(t // slot_s), *cells]
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
        return "the plane of the release is not a PROJ string."
    return x, y


def _wall(t: Ints, release: Published) -> Ints:
    """What the wall clock of the release shows, in seconds; slots follow it where a time zone was given."""
    name = release.clock.get("time_zone")
    if name is None:
        return t
    zone, low = ZoneInfo(name), int(t.min()) // _QUARTER_S
    quarters = range(low, int(t.max()) // _QUARTER_S + 1)
    leads = [datetime.fromtimestamp(q * _QUARTER_S, zone).utcoffset() for q in quarters]
    ahead = np.array([round(lead.total_seconds()) if lead else 0 for lead in leads])
    shown: Ints = t + ahead[t // _QUARTER_S - low]
    return shown


def _differ(said: Any, mine: Any) -> bool:
    return said is not None and mine is not None and said != mine

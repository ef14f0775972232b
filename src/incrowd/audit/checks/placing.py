"""Published and original data in one plane and on one clock, or why that cannot be."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.audit.checks.compared import APART, Space, packed
from incrowd.audit.checks.contain import in_time
from incrowd.audit.reading.published import ROUNDED_M, Published
from incrowd.audit.reading.stated import ZONE, stated_zone
from incrowd.clock import CALENDAR, DAY_S
from incrowd.data import Fingerprints, Traces, Visits

SLACK_M = 0.002  # cells.csv rounds to a millimetre, and another version of a projection may differ by less
_QUARTER_S = 900  # no wall clock of our time jumps between two quarters of an hour


def placed(release: Published, original: Traces) -> tuple[Space, Space, float] | str:
    """Published boxes or squares, and the points of the original, in metres and seconds of the release."""
    crs, start = release.plane.get("crs"), release.clock.get("start")
    if (crs is None) != original.planar:
        return APART
    if start is None:
        return "the release does not say when its clock begins."
    boxes = boxes_s(release)
    if isinstance(boxes, str):
        return boxes
    where = _projected(original, crs)
    if isinstance(where, str):
        return where
    before, begin = _wall(np.array([start - 1, start]), release).tolist()
    # A clock that jumps over midnight when slots begin is taken to show it.
    since = _wall(original.t, release) - (before + 1 if before + 1 < begin and (before + 1) % DAY_S == 0 else begin)
    strict = original.planar and all((side == np.floor(side)).all() for side in (*boxes.low[1:], *boxes.high[1:]))
    above = [np.nextafter(side, np.inf) for side in where] if strict else where  # a box ends before its upper face
    points = in_time(Space(original.owner, (since, *where), (since + 1, *above)))
    return boxes, points, 0.0 if strict else SLACK_M


def space_of(release: Published, original: Fingerprints | Traces) -> tuple[Space, Space, Ints | None, float] | str:
    """Published boxes and original samples in one space, the run of each box if split, and how far faces may be off."""
    if isinstance(original, Fingerprints):
        if differ := differing(release, original):
            return differ
        sample = {name: getattr(original, name) for name in ("t", "dt", "x", "dx", "y", "dy")}
        boxes = boxes_of(release.table.code, release.table.numbers)
        return boxes, boxes_of(original.owner, sample), runs_of(release), 0.0
    ground = placed(release, original)
    if isinstance(ground, str):
        return ground
    boxes, points, slack = ground
    return boxes, points, runs_of(release), slack


def mapped(release: Published, original: Traces) -> tuple[tuple[Ints, Ints, Ints] | str, int]:
    """Person, cell and slot of each original record on the grid of the release, -1 for a cell that is not published.

    The second number counts records so near to the side of a cell that rounding may put them on either.
    """
    ground = placed(release, original)
    if isinstance(ground, str):
        return ground, 0
    if release.cells is None or not len(release.cells[0]):
        return "cells have no stated place.", 0
    _, points, slack = ground
    cell_m, slot_s = release.plane["cell_m"], release.clock["slot_min"] * 60
    ids, centres = release.cells
    corner = centres[0] - cell_m / 2
    at = [(side - low) / cell_m for side, low in zip(points.low[1:], corner, strict=True)]
    doubtful = sum(int((np.abs(side - np.round(side)) * cell_m <= 2 * slack).sum()) for side in at)
    own = [np.floor(side).astype(np.int64) for side in at]
    theirs = [np.floor((side - low) / cell_m).astype(np.int64) for side, low in zip(centres.T, corner, strict=True)]
    mine, known = packed(own, theirs)
    order = np.argsort(known, kind="stable")
    place = order[np.minimum(np.searchsorted(known, mine, sorter=order), len(known) - 1)]
    cell = np.where(known[place] == mine, ids[place], ids.min() - 1)
    return (points.owner, cell, np.floor_divide(points.low[0], slot_s)), doubtful


def runs_of(release: Published) -> Ints | None:
    """The number of the maximal run of boxes that touch in time, for each row, if boxes are split in time; else None.

    A split piece may lose the sample of a member, while the run it belongs to holds one of every member.
    """
    if release.noun != "Fingerprints" or release.parameters.get("reshape") != "split":
        return None
    code, t, dt = release.table.code, release.table.numbers["t"], release.table.numbers["dt"]
    order = np.lexsort((t, code))
    end = np.append(-1, (t + dt)[order])[:-1]
    fresh = np.append(True, code[order][1:] != code[order][:-1]) | (t[order] != end)
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(fresh) - 1
    return number


def boxes_s(release: Published) -> Space | str:
    """Published boxes with times in seconds after the start."""
    numbers = release.table.numbers
    if release.noun == "Fingerprints":
        minutes = {name: numbers[name] * 60 for name in ("t", "dt")}
        return boxes_of(release.table.code, {**numbers, **minutes})
    cell_m, slot_min = release.plane.get("cell_m"), release.clock.get("slot_min")
    if release.cells is None or cell_m is None or slot_min is None:
        return "cells are not squares of a stated place, side and slot width."
    centre = centres_at(*release.cells, numbers["cell"]) - cell_m / 2
    side = np.full(release.rows, float(cell_m))
    width = np.full(release.rows, slot_min * 60)
    t = numbers["slot"].astype(np.int64) * (slot_min * 60)
    return boxes_of(
        release.table.code, {"t": t, "dt": width, "x": centre[:, 0], "y": centre[:, 1], "dx": side, "dy": side}
    )


def boxes_of(owner: Ints, box: dict[str, NDArray[Any]]) -> Space:
    """Boxes by their lower corner and their sides."""
    low = (box["t"], box["x"], box["y"])
    return Space(owner, low, (box["t"] + box["dt"], box["x"] + box["dx"], box["y"] + box["dy"]))


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
        return "the plane of the release is not a PROJ string, and the original is in degrees."
    return x, y


def _wall(t: Ints, release: Published) -> Ints:
    """What the wall clock of the release shows, in seconds; slots follow it where a time zone was given."""
    name = release.clock.get("time_zone")
    if name is None:
        return t
    zone, (quarters, at) = ZoneInfo(name), np.unique(t // _QUARTER_S, return_inverse=True)
    moments = np.clip(quarters * _QUARTER_S, *CALENDAR).tolist()
    leads = [datetime.fromtimestamp(moment, zone).utcoffset() for moment in moments]
    ahead = np.array([round(lead.total_seconds()) if lead else 0 for lead in leads])
    wall: Ints = t + ahead[at]
    return wall


def differing(release: Published, original: Visits | Fingerprints) -> str | None:
    """What the release states otherwise than the original, or leaves out."""
    stated = {**release.clock, **release.plane}
    clocked = not isinstance(original, Visits) or original.slot_min is not None  # a plain table of visits has no clock
    names = [name for name in ("slot_min", "start", "crs", "cell_m") if hasattr(original, name)]
    plain = release.is_plain  # a table of another tool states nothing
    differ = [
        name
        for name in names
        if not plain and stated.get(name) != getattr(original, name) and (clocked or name != "slot_min")
    ]
    if not plain and stated_zone(stated) != stated_zone({ZONE: original.time_zone}):
        differ.append(ZONE)
    if isinstance(original, Visits) and not plain and (release.cells is None) != (original.xy is None):
        differ.append("statement of where its cells are")
    if isinstance(original, Visits) and release.cells is not None and original.xy is not None:
        cell = np.unique(whole(release.table.numbers["cell"], original.cell))
        cell = cell[(cell >= 0) & (cell < len(original.xy))]
        if not (np.abs(centres_at(*release.cells, cell) - original.xy[cell]) <= ROUNDED_M).all():
            differ.append("place of its cells")
    return f"the release states another {', another '.join(differ)} than the original." if differ else None


def whole(values: NDArray[Any], own: Ints) -> Ints:
    """Fractions become a number that the original does not have."""
    if values.dtype.kind != "f":
        return values
    return np.where(values == np.floor(values), values, own.min() - 1).astype(np.int64)

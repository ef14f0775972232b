"""Visits -> features by view: places, places by quarter of the day, by hour of the week, moments."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, distinct_rows
from incrowd.attack.link.alignment import Near
from incrowd.clock import DAY_MIN, HOUR_MIN, MONDAY_S
from incrowd.data import Visits
from incrowd.discretize.slots import wall_start
from incrowd.errors import ParameterError

View = Literal["places", "rhythm", "week", "moments"]
VIEWS: tuple[View, ...] = ("places", "rhythm", "week", "moments")
CLOCKED = ("rhythm", "week")  # views that need to know when a slot begins
QUARTER_MIN, WEEK_H = 360, 168
BLOCKS = {"places": 1, "rhythm": DAY_MIN // QUARTER_MIN, "week": WEEK_H}


class FeatureRows(NamedTuple):
    """One row for each person and feature, by person, then feature."""

    owner: Ints
    feature: Ints
    value: Floats  # slots of that person with the feature, or their share

    def at(self, which: NDArray[Any]) -> "FeatureRows":
        """Some of the rows."""
        return FeatureRows(self.owner[which], self.feature[which], self.value[which])


class Tally(NamedTuple):
    """Both sides by feature, and how common each feature is among all visits of both."""

    known: FeatureRows
    target: FeatureRows
    share: Floats  # [feature] of all visits
    spread: Floats  # [feature] share of its cell times share of its block


def has_clock(*sides: Visits) -> bool:
    """Whether every side says when its slots begin."""
    return all(side.start is not None and side.slot_min is not None for side in sides)


def on_cells(target: Visits, near: Near | None, known: Visits) -> Visits:
    """The target with the cell ids of the known; a cell that the known does not have gets an id of its own."""
    if near is None:
        return target
    first, size = near.starts[:-1], np.diff(near.starts)
    own = int(known.cell.max()) + 1 + np.arange(len(size))
    cells = np.where(size > 0, near.cell[np.minimum(first, max(len(near.cell) - 1, 0))], own) if len(near.cell) else own
    cell, slot, offsets = Visits.grouped(target.owner, cells[target.cell], target.slot, len(target))
    return replace(target, cell=cell, slot=slot, offsets=offsets, xy=None)


def tallied(known: Visits, target: Visits, view: View) -> Tally:
    """Count the slots of each person with each feature; both sides have the same cells and the clock of the known."""
    code = np.unique(np.concatenate([known.cell, target.cell]), return_inverse=True)[1]
    blocks = BLOCKS[view]
    block = [_block(known, side.slot, view) for side in (known, target)]
    packed = code * blocks + np.concatenate(block)
    names, feature = np.unique(packed, return_inverse=True)
    share = np.bincount(feature) / len(feature)
    of_cell = np.bincount(code) / len(code)
    of_block = np.bincount(np.concatenate(block), minlength=blocks) / len(code)
    parts = feature[: known.records], feature[known.records :]
    ours, theirs = (_counted(side.owner, part, len(names)) for side, part in zip((known, target), parts, strict=True))
    return Tally(ours, theirs, share, of_cell[names // blocks] * of_block[names % blocks])


def _block(known: Visits, slot: Ints, view: View) -> Ints:
    """Which block of the day or the week each slot begins in, by the wall clock of the known side."""
    if view == "places":
        return np.zeros(len(slot), np.int64)
    minutes = (wall_start(known) - MONDAY_S) // 60 + slot * (known.slot_min or 1)
    return minutes % DAY_MIN // QUARTER_MIN if view == "rhythm" else minutes // HOUR_MIN % WEEK_H


def _counted(owner: Ints, feature: Ints, features: int) -> FeatureRows:
    packed = np.sort(owner * features + feature)
    first = np.flatnonzero(distinct_rows(packed))
    count = np.diff(first, append=len(packed)).astype(np.float64)
    return FeatureRows(*np.divmod(packed[first], features), count)


def check_views(given: Iterable[View]) -> tuple[View, ...]:
    """Refuse a view that does not exist, none at all, or one named twice."""
    views: tuple[View, ...] = () if isinstance(given, str) else tuple(given)
    unknown = [view for view in views if view not in VIEWS]
    if unknown or not views or len(set(views)) != len(views):
        raise ParameterError(
            f"views must name one or more of {', '.join(VIEWS)}, each once, in a tuple, got {given!r}."
        )
    return views

"""Two sides as given -> visits on the same cells and clock of the people who have any, and who is who."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints, offsets_of
from incrowd.attack.link.pairs import PairScores
from incrowd.attack.people import Link, Side, Truth, counterparts, opened, read_link
from incrowd.columns import ints
from incrowd.data import Fingerprints, Groups, Release, Visits
from incrowd.discretize.slots import wall_start
from incrowd.errors import DataError


@dataclass(frozen=True, eq=False)
class Sides:
    """What linking compares.

    Args:
        known: Visits of the known people who have any.
        target: Visits of the candidates who have any.
        rows: Positions of these known people.
        columns: Positions of these candidates.
        people: How many there are on each side, with visits or not.
        true: For each of these known people the candidates who are the same person, numbered as in `columns`.
        told: Whether it is known who is who.
        unnamed: Candidates that the link file does not name.
        crowd: How many people each candidate stands for.
    """

    known: Visits
    target: Visits
    rows: Ints
    columns: Ints
    people: tuple[int, int]
    true: Groups
    told: bool
    unnamed: int
    crowd: Ints

    @classmethod
    def of(cls, known: Side, target: Side, truth: Truth | Iterable[Any]) -> "Sides":
        """Open both sides, and find out who is who."""
        sides = opened(known), opened(target)
        a, b = (side.data if isinstance(side, Release) else side for side in sides)
        a, b = as_visits(a, b), as_visits(b, a)
        for side in (a, b):
            if not isinstance(side, Visits) or not side.records:
                raise DataError("linking compares visits of at least one person; discretize both sides alike first.")
        if None not in (a.cell_m, b.cell_m) and a.cell_m != b.cell_m:
            raise DataError("the two differ in cell_m, so no cell is the same; discretize both with the same cells.")
        who = _truth(truth, target)
        partners = counterparts(*sides, who)
        rows, columns = (np.flatnonzero(np.diff(side.offsets) > 0) for side in (a, b))
        true = Groups.nobody(len(rows)) if partners is None else _among(partners, rows, columns, len(b))
        unnamed = who.unnamed(b) if isinstance(who, Link) else 0
        crowd = crowd_of(sides[1], len(b))[columns]
        people = len(a), len(b)
        return cls(_only(a, rows), _only(b, columns), rows, columns, people, true, partners is not None, unnamed, crowd)

    def check_single(self) -> None:
        """Refuse sides on which one-to-one has no meaning."""
        twice = np.unique(self.true.positions, return_counts=True)[1].max(initial=0) > 1
        if (self.crowd > 1).any() or twice or np.diff(self.true.offsets).max(initial=0) > 1:
            raise DataError(
                "one_to_one needs one row for each person, and here a person has several rows or a row stands for "
                "several people; leave it out."
            )

    def worth(self, pairs: PairScores | None = None) -> Floats:
        """For each known person what naming one of its true rows is worth: the mean of 1/crowd over them.

        Args:
            pairs: Scores by which only the best of the true rows counts, if their crowds differ.
        """
        worth, offsets = 1 / self.crowd[self.true.positions], self.true.offsets
        owner = self.true.owner
        level = np.ones(len(owner))
        first = worth[np.minimum(offsets[owner], max(len(worth) - 1, 0))]
        if pairs is not None:
            for i in np.unique(owner[worth != first]):
                scores = pairs.of(np.array([i]))[0, self.true[i]]
                level[offsets[i] : offsets[i + 1]] = scores == scores.max()
        total, many = (np.bincount(owner, part, minlength=len(offsets) - 1) for part in (worth * level, level))
        return total / np.maximum(many, 1)


def as_visits(side: Any, other: Any) -> Any:
    """Boxes as one visit each: the cell of the centre on the other side's grid, the slot of the beginning."""
    if not isinstance(side, Fingerprints):
        return side
    if not isinstance(other, Visits) or other.xy is None:
        raise DataError("boxes are put on the cells of the other side, which must be visits with cell centres (xy).")
    if None not in (side.crs, other.crs) and side.crs != other.crs:
        raise DataError("boxes and cells are counted from different origins; discretize both with the same origin.")
    centre = np.stack([side.x + side.dx / 2, side.y + side.dy / 2], axis=1)
    minute, width = side.t, other.slot_min or 1
    if None not in (side.start, other.start):
        minute = side.t + (wall_start(replace(other, start=side.start, slot_min=1)) - wall_start(other)) // 60
    cell, slot, offsets = Visits.grouped(side.owner, _cells(centre, other), minute // width, len(side))
    return replace(other, users=side.users, offsets=offsets, cell=cell, slot=slot, attributes={}, ledger=side.ledger)


def _cells(centre: Floats, grid: Visits) -> Ints:
    """The cell of each place: the square it lies in, or else the nearest; a square nobody visits gets its own id."""
    from scipy.spatial import KDTree

    xy = np.asarray(grid.xy, np.float64)
    real = np.flatnonzero(~np.isnan(xy).any(axis=1))
    tree = KDTree(xy[real])
    if grid.cell_m is None:
        nearest: Ints = real[tree.query(centre)[1]]
        return nearest
    apart, near = tree.query(centre, p=np.inf)
    anchor = xy[real[0]] - grid.cell_m / 2
    squares = np.floor((centre - anchor) / grid.cell_m)
    own = len(xy) + np.unique(squares, axis=0, return_inverse=True)[1].ravel()
    return np.where(apart <= grid.cell_m / 2, real[near], own)


def on_grid(visits: Visits, grid: Visits) -> Visits:
    """The same visits in the cells and slots of coarser ones."""
    slot = visits.slot
    if grid.slot_min is not None and visits.slot_min is not None:
        begin = slot * visits.slot_min
        if None not in (visits.start, grid.start):
            begin = begin + (wall_start(visits) - wall_start(grid)) // 60
        slot = begin // grid.slot_min
    cells = _cells(np.asarray(visits.xy, np.float64), grid)
    cell, slot, offsets = Visits.grouped(visits.owner, cells[visits.cell], slot, len(visits))
    return replace(visits, cell=cell, slot=slot, offsets=offsets, xy=grid.xy, slot_min=grid.slot_min, start=grid.start)


def crowd_of(side: Any, rows: int) -> Ints:
    """How many people stand behind each row."""
    crowd = np.ones(rows, np.int64)
    table = side.data if isinstance(side, Release) else side
    if isinstance(table, Fingerprints):
        crowd = np.maximum(crowd, table.crowd)
    if isinstance(side, Release):
        crowd = np.maximum(crowd, np.diff(side.members.offsets))
    return crowd


def _only(visits: Visits, people: Ints) -> Visits:
    """Without the people who have no visit."""
    if len(people) == len(visits):
        return visits
    offsets = np.append(visits.offsets[people], visits.offsets[-1])
    return replace(visits, users=visits.users[people], offsets=offsets, attributes={})


def _among(partners: Groups, rows: Ints, columns: Ints, targets: int) -> Groups:
    """The same for the people who have visits, numbered among them."""
    if len(rows) == len(partners) and len(columns) == targets:
        return partners
    number = np.full(targets, -1, np.int64)
    number[columns] = np.arange(len(columns))
    owner = partners.owner
    place = np.full(len(partners), -1, np.int64)
    place[rows] = np.arange(len(rows))
    real = (place[owner] >= 0) & (number[partners.positions] >= 0)
    return Groups(offsets_of(place[owner[real]], len(rows)), number[partners.positions[real]])


def _truth(given: Truth | Iterable[Any], target: Side) -> Link | list[list[int]] | None:
    """The link file of the target, or lists of positions; a number alone is a list of one, -1 of none."""
    if given is None or isinstance(given, (str, Path)):
        return None if given is None else read_link(given, target)
    try:
        rows: list[list[Any]] = [([] if row == -1 else [row]) if isinstance(row, Real) else list(row) for row in given]
        return [ints(row, "truth").tolist() for row in rows]
    except TypeError:
        raise DataError("truth must hold a position in the target, or a list of them, per known trace.") from None

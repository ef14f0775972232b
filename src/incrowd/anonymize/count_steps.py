"""Single steps that change counts, or the visits before they are counted; `anonymize.counts` combines them."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from incrowd.anonymize.base import generator
from incrowd.arrays import Flags, Floats, Ints, offsets_of, row_order
from incrowd.columns import as_array
from incrowd.data import Counts, Visits
from incrowd.data.counts import MOST_PEOPLE
from incrowd.errors import DataError, ParameterError, check_positive, check_share, check_whole, public

TOP = 2  # home and work, as a rule
LEAST_EPSILON = 1e-8  # noise stays below MOST_PEOPLE
TIE_M = 6  # decimals of a metre up to which distances tie


@public
def noise_counts(counts: Counts, *, epsilon: float, seed: int | None = None) -> Counts:
    """Counts with two-sided geometric noise added to each, zeros included: P(k) ~ exp(-epsilon |k|).

    Guarantee: epsilon-differential privacy of one count; a person who is in T counts has T * epsilon, which over a week
    of half hours is no guarantee for a person: at epsilon 1, `attack.membership` finds out who is in 80 hours of counts
    of 100 people with an AUC of 0.98, where 0.5 is chance. `DPCounts` protects a person.

    Args:
        counts: The true counts.
        epsilon: How strong the noise is; smaller is noisier, and infinity adds nothing.
        seed: Seed of the noise, for tests; anyone who knows it can subtract the noise. [default: the operating system's
            entropy]

    >>> noise_counts(Counts.from_arrays([[5, 0]], xy=[[0, 0], [1, 0]]), epsilon=float("inf")).n.tolist()
    [[5, 0]]
    """
    if epsilon != np.inf:
        check_positive(epsilon=epsilon)
        if epsilon < LEAST_EPSILON:
            raise ParameterError(f"epsilon must be at least {LEAST_EPSILON:g}, got {epsilon:g}.")
    stop = -np.expm1(-epsilon)  # two waiting times for an event this likely differ by the noise wanted
    waits = generator(seed).geometric(stop, (2, *counts.shape))
    return _changed(counts, "noise", counts.n + waits[0] - waits[1])


@public
def suppress_small(counts: Counts, *, k: int) -> Counts:
    """Counts with those below k published as 0; k=1 changes no exact count.

    Guarantee: none (heuristic): a published count stands for k people or more, but differences between slots show.

    Args:
        counts: The true counts.
        k: The smallest count that is published.

    >>> suppress_small(Counts.from_arrays([[5, 4]], xy=[[0, 0], [1, 0]]), k=5).n.tolist()
    [[5, 0]]
    """
    check_whole(k=k)
    return _changed(counts, "suppress", np.where(counts.n < k, 0, counts.n))


@public
def round_counts(counts: Counts, *, to: int) -> Counts:
    """Counts rounded to the nearest multiple of `to`, halves upwards; to=1 changes no exact count.

    Guarantee: none (heuristic).

    Args:
        counts: The true counts.
        to: The step.

    >>> round_counts(Counts.from_arrays([[5, 4, 15]], xy=[[0, 0], [1, 0], [2, 0]]), to=10).n.tolist()
    [[10, 0, 20]]
    """
    check_whole(to=to)
    if to > MOST_PEOPLE:
        raise ParameterError(f"to must be at most {MOST_PEOPLE:,}, got {to:,}.")
    return _changed(counts, "round", (np.floor_divide(2 * counts.n + to, 2 * to) * to).astype(np.int64))


@public
def perturb_points(visits: Visits, *, share: float, seed: int | None = None, nearest: int = 10) -> Visits:
    """Visits in which points at a person's two most visited cells are moved, with some probability, to a cell nearby.

    Ties for most visited and for nearest go to the lowest id. An idea of [xu2017, Sec. 6.1].
    Guarantee: none (heuristic).

    Args:
        visits: Visits with the places of their cells (`xy`).
        share: Probability that such a point is moved.
        seed: Seed of the moves. [default: the operating system's entropy]
        nearest: How many of the nearest cells a point may be moved to.

    >>> here = Visits.from_arrays([7, 8], cell=[0, 1], slot=[0, 0], xy=[[0, 0], [9, 0]])
    >>> perturb_points(here, share=1, seed=0).cell.tolist()
    [1, 0]
    """
    check_share(share=share)
    check_whole(nearest=nearest)
    xy, rng = _centres(visits), generator(seed)
    rows = np.flatnonzero(at_top(visits, len(xy)) & (rng.random(visits.records) < share))
    cell = visits.cell.copy()
    moved = 0
    if len(rows) and len(xy) > 1:
        from_cells, which = np.unique(cell[rows], return_inverse=True)
        nearest = min(nearest, len(xy) - 1)
        around = _around(xy, from_cells, nearest, min(2 * nearest + 2, len(xy)))
        cell[rows] = around[which, rng.integers(0, around.shape[1], len(rows))]
        moved = len(rows)
    return _regrouped(visits, "perturb", cell, xy, {"points moved": moved})


@public
def to_regions(visits: Visits, *, region: ArrayLike | None = None, cell_m: float | None = None) -> Visits:
    """The same visits to regions instead of cells [xu2017, Sec. 5.3]; a region lies at the centroid of its cells.

    Guarantee: none (heuristic): reconstructed regions are less unique, and easier to reconstruct.

    Args:
        visits: Visits with the places of their cells (`xy`).
        region: One label for each cell, such as its district.
        cell_m: Side of the squares whose cells make a region, instead of labels.

    >>> towns = Visits.from_arrays([7, 8], cell=[0, 2], slot=[0, 0], xy=[[0, 0], [4, 0], [900, 0]])
    >>> to_regions(towns, region=["a", "a", "b"]).xy.tolist()
    [[2.0, 0.0], [900.0, 0.0]]
    """
    if (region is None) == (cell_m is None):
        raise ParameterError("give either region, one label per cell, or cell_m, the side of a square.")
    xy = _centres(visits)
    number = squares(xy, cell_m) if cell_m is not None else _numbered(region, len(xy))
    size = np.bincount(number)
    centroid = np.stack([np.bincount(number, axis) / size for axis in xy.T], axis=1)
    return _regrouped(replace(visits, cell_m=None), "regions", number[visits.cell], centroid, {})


def squares(xy: Floats, cell_m: float) -> Ints:
    """Which square of a grid each place lies in, numbered from 0."""
    check_positive(cell_m=cell_m)
    return np.unique(np.floor(xy / cell_m), axis=0, return_inverse=True)[1].ravel()


def _changed(counts: Counts, step: str, n: NDArray[Any]) -> Counts:
    ledger = counts.ledger.add(step, read=n.size, kept=n.size, notes={"counts changed": (n != counts.n).sum()})
    return replace(counts, n=n, ledger=ledger)


def _centres(visits: Visits) -> Floats:
    if visits.xy is None:
        raise DataError(
            "these visits do not say where their cells are; make them by incrowd.discretize, or pass xy "
            "(--antennas FILE)."
        )
    return visits.xy


def at_top(visits: Visits, cells: int) -> Flags:
    """Which visits are to one of the two cells their user visits most."""
    distinct, which, slots = np.unique(visits.owner * cells + visits.cell, return_inverse=True, return_counts=True)
    user = distinct // cells
    order = row_order(user, -slots, distinct)
    ranked = np.arange(len(user)) if order is None else order
    rank = np.arange(len(user)) - offsets_of(user, len(visits))[user]
    top = np.zeros(len(user), np.bool_)
    top[ranked[rank < TOP]] = True
    return top[which]


def _around(xy: Floats, cells: Ints, nearest: int, most: int) -> Ints:
    """The nearest other cells of some cells, [cells, nearest], among the `most` nearest unless those end in a tie."""
    from scipy.spatial import cKDTree

    distance, near = cKDTree(xy).query(xy[cells], k=most)
    metres = np.round(distance, TIE_M)
    others = np.where(near == cells[:, None], np.inf, metres)
    order = np.lexsort((near, others))[:, :nearest]
    chosen: Ints = np.take_along_axis(near, order, axis=1).astype(np.int64)
    tied = np.take_along_axis(others, order, axis=1)[:, -1] >= metres[:, -1]
    if most < len(xy) and tied.any():
        chosen[tied] = _around(xy, cells[tied], nearest, min(2 * most, len(xy)))
    return chosen


def _numbered(region: ArrayLike | None, cells: int) -> Ints:
    labels = as_array(region if region is not None else (), "region")
    if labels.shape != (cells,):
        raise DataError(f"region must hold one label for each of the {cells} cells.")
    return np.unique(labels, return_inverse=True)[1]


def _regrouped(visits: Visits, step: str, cell: Ints, xy: Floats, notes: dict[str, int]) -> Visits:
    """Visits with other cells; of those that fell together one is kept."""
    cell, slot, offsets = Visits.grouped(visits.owner, cell, visits.slot, len(visits))
    ledger = visits.ledger.add(
        step,
        read=visits.records,
        kept=len(cell),
        dropped={"same cell and slot": visits.records - len(cell)},
        notes=notes,
        users=(len(visits), len(visits)),
    )
    return replace(visits, cell=cell, slot=slot, offsets=offsets, xy=xy, ledger=ledger)

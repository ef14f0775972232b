"""Datasets that fit in one line of a test."""

import numpy as np

import incrowd as ic

HAND = "0:1 1:1 2:2 3:2 | 0:1 1:1 2:2 3:3 | 0:1 1:2 2:2 | 0:1 1:1"  # A to D of docs/examples.md


def crowd(text: str) -> ic.Visits:
    """One user per bar, one visit per word: "slot:cell", or "cell" alone at slot 0.

    >>> crowd("0:1 1:1 | 0:1")
    Visits(users=2, records=3)
    """
    rows = [(user, *_visit(word)) for user, part in enumerate(text.split("|")) for word in part.split()]
    user, slot, cell = np.array(rows).T
    return ic.Visits.from_arrays(user, cell=cell, slot=slot)


def _visit(word: str) -> tuple[int, int]:
    slot, _, cell = word.rpartition(":")
    return int(slot or 0), int(cell)


def tracks(*users: list[tuple[float, ...]], order: str = "log") -> ic.Traces:
    """One list of (t, x) or (t, x, y) records per user, metres on a plane."""
    rows = [(u, r[0], r[1], r[2] if len(r) > 2 else 0.0) for u, part in enumerate(users) for r in part]
    user, t, x, y = map(np.array, zip(*rows, strict=True))
    return ic.Traces.from_arrays(user, t, x=x.astype(float), y=y.astype(float), order=order)


def visits_of(sets, **kwargs) -> ic.Visits:
    """One set of (slot, cell) per user."""
    rows = [(u, cell, slot) for u, part in enumerate(sets) for slot, cell in part]
    user, cell, slot = np.array(rows).T
    return ic.Visits.from_arrays(user, cell=cell, slot=slot, **kwargs)


def counts(*rows) -> ic.Counts:
    """One row per slot, one number per cell; cells are 100 m apart."""
    return ic.Counts.from_arrays(rows, xy=[[100 * cell, 0] for cell in range(len(rows[0]))])

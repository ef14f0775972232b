"""Do pseudonyms that look like an original label also hold what that person did?"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from incrowd.arrays import Ints
from incrowd.audit.contain import Compared, compare_rows
from incrowd.audit.origin import Original
from incrowd.audit.published import Published, exact
from incrowd.audit.truth import compare
from incrowd.data import Groups, Traces

OTHERS = 99  # people that each pair is compared with
_PAIRS, _ROWS = 400, 24  # pairs, and rows of each, that are looked at: enough to tell from chance


class Fit(NamedTuple):
    """How many of the pairs fit better than all others, and how many chance would let."""

    found: int
    expected: float
    first: int  # pseudonym of the first, -1 for none


def fit(release: Published, original: Original, pseudonym: Ints, person: Ints) -> Fit | None:
    """Compare the rows of each pseudonym with its person and with others drawn at random.

    Where pseudonyms are random, the person of a pair is as good as any other, so that it is strictly the best of 1 + n
    with a chance of at most 1 / (1 + n). None where the release cannot be compared with the original.
    """
    others = min(OTHERS, len(original) - 1)
    if not len(pseudonym) or others < 1:
        return Fit(0, 0.0, -1)
    some = np.unique(np.linspace(0, len(pseudonym) - 1, _PAIRS).astype(np.int64))
    pseudonym, person = pseudonym[some], person[some]
    steps = np.random.default_rng(0).integers(1, len(original), (len(some), others))
    people = np.column_stack([person, (person[:, None] + steps) % len(original)])
    rows = _rows_of(release, pseudonym)
    found = _held(release, original, np.repeat(rows, 1 + others, axis=0).reshape(len(some), 1 + others, -1), people)
    if found is None:
        return None
    best = found[:, 0] > found[:, 1:].max(axis=1)
    return Fit(int(best.sum()), len(best) / (1 + others), int(pseudonym[np.argmax(best)]) if best.any() else -1)


def _rows_of(release: Published, pseudonym: Ints) -> Ints:
    """Rows of each pseudonym spread over all it has; some twice where it has few."""
    order = np.argsort(release.table.code, kind="stable")
    start = np.searchsorted(release.table.code[order], pseudonym)
    size = np.searchsorted(release.table.code[order], pseudonym, "right") - start
    rows: Ints = order[start[:, None] + np.linspace(0, size - 1, _ROWS).astype(np.int64).T]
    return rows


def _held(release: Published, original: Original, rows: Ints, people: Ints) -> Ints | None:
    """How many of its rows each candidate has: [pair, candidate]."""
    code = np.repeat(np.arange(people.size), rows.shape[-1])
    flat = rows.ravel()
    numbers = {name: column[flat] for name, column in release.table.numbers.items()}
    table = release.table._replace(users=np.arange(people.size), code=code, numbers=numbers)
    members = Groups(np.arange(people.size + 1), people.ravel().copy())
    found = _compared(replace(release, table=table, members=members), original, members)
    return None if isinstance(found, str) else found.held.reshape(rows.shape).sum(axis=2)


def _compared(release: Published, original: Original, members: Groups) -> Compared | str:
    """As for truthfulness; traces are compared point by point, which no truthful method would publish."""
    if not (release.noun == "Traces" and isinstance(original, Traces)):
        return compare(release, original)
    names = ("t", "x", "y") if original.planar else ("t", "lon", "lat")
    if not set(names) <= release.table.numbers.keys():
        return "the release and the original are not in the same plane."
    shown = [exact(release.table.numbers[name].astype(np.float64)) for name in names]
    mine = [exact(np.asarray(column, np.float64)) for column in (original.t, *original.coordinates)]
    return compare_rows(shown, release.table.code, mine, original.owner, members)

"""Do pseudonyms or the order of rows tell where a person stood in the original?"""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, Labels
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, failed, idle, judged, passed

PSEUDONYMS, ROWS, SORTED = "pseudonym order", "row order", "rows by pseudonym"
ALPHA = 1e-6
FEWEST = 50


def pseudonym_order(release: Published, original: Original | None) -> Check:
    """The rank of a pseudonym is independent of the original order."""
    return _independent(PSEUDONYMS, _rank(release.users), release, original)


def row_order(release: Published, original: Original | None) -> Check:
    """The place of a pseudonym in the file is independent of the original order."""
    return _independent(ROWS, np.arange(len(release), dtype=np.float64), release, original)


def rows_by_pseudonym(release: Published) -> Check:
    """Rows ascend by pseudonym, then time, so that the order of the file says nothing."""
    if release.file is not None and release.manifest is None:
        return idle(SORTED, "a plain table promises no order.")
    rank, time = _rank(release.users)[release.table.code], release.time
    back = (rank[1:] < rank[:-1]) | ((rank[1:] == rank[:-1]) & (time[1:] < time[:-1]))
    where = f"first at row {int(np.argmax(back)) + 1}" if back.any() else ""
    faults = [f"{int(back.sum())} rows are out of order, {where}"] if back.any() else []
    return judged(SORTED, faults, f"{release.rows:,} rows ascend by pseudonym, then time.")


def _independent(name: str, place: Floats, release: Published, original: Original | None) -> Check:
    """Spearman's rho against three original orders; under random pseudonyms its variance is 1/(n-1), ties or not."""
    if release.members is None:
        return idle(name, "who stands behind a pseudonym is not known; give the original and the link file.")
    known = np.diff(release.members.offsets) > 0
    n = int(known.sum())
    if n < FEWEST:
        return idle(name, f"{n} pseudonyms are too few to tell order from chance (at least {FEWEST}).")
    first = release.members.positions[release.members.offsets[:-1][known]]
    orders = {"position in the original": _rank(first), "first published time": _first_time(release)[known]}
    if original is not None:
        orders["order of the original labels"] = _rank(original.users[first])
    limit = NormalDist().inv_cdf(1 - ALPHA / 2 / len(orders))
    scores = {what: _z(place[known], rank) for what, rank in orders.items()}
    what, worst = max(scores.items(), key=lambda item: abs(item[1]))
    evidence = f"|z| = {abs(worst):.1f} with the {what}, {n:,} pseudonyms; the limit is {limit:.1f}"
    return failed(name, f"{evidence} (alpha {ALPHA:g}).") if abs(worst) > limit else passed(name, f"{evidence}.")


def _first_time(release: Published) -> Floats:
    first = np.full(len(release), np.inf)
    np.minimum.at(first, release.table.code, release.time)
    return _rank(first)


def _rank(values: Labels | Ints | Floats) -> Floats:
    """Ranks from 0, the mean rank for ties."""
    _, inverse, count = np.unique(values, return_inverse=True, return_counts=True)
    mean: NDArray[np.float64] = np.cumsum(count) - (count + 1) / 2
    return mean[inverse]


def _z(a: Floats, b: Floats) -> float:
    a, b = _rank(a) - (len(a) - 1) / 2, _rank(b) - (len(b) - 1) / 2
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread * float(np.sqrt(len(a) - 1)) if spread else 0.0

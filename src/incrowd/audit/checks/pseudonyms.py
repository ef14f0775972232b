"""Are pseudonyms mere ranks, and do they or the order of rows depend on where a person stood in the original?"""

import hashlib
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, Labels
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import ROWS_AT_ONCE, Published, ascend, exact
from incrowd.audit.verdict import Check, failed, idle, judged, passed, unasked
from incrowd.plain import several

RANKS, SORTED = "pseudonyms", "rows by pseudonym"
ORDER = {
    "Visits": ("slot", "cell"),
    "Fingerprints": ("t", "dt", "x", "dx", "y", "dy"),
    "Traces": ("t",),
    "Counts": ("slot", "cell"),
}
SPARSE = 100  # more bare pseudonyms than this for each with a row are room to hide numbers in
PSEUDONYMS, ROWS = "pseudonym order", "row order"
ALPHA = 1e-6
FEWEST = 50
MOST = 50_000  # pseudonyms whose labels are hashed
ATTRIBUTES, HASHES = 8, ("md5", "sha1", "sha256", "sha512", "blake2b")
SURELY = 2.33  # standard deviations that 0.99 of a normal distribution exceed


def ranks(release: Published) -> Check:
    """Pseudonyms are whole numbers from 0 to n - 1; those without a row are as many as the manifest counts as bare."""
    if release.noun == "Counts":
        return idle(RANKS, "counts have no pseudonyms.")
    if release.manifest is None:
        return idle(RANKS, "only a release folder has numbered pseudonyms.")
    total, users = len(release) + release.bare, release.users
    if users.dtype.kind != "i":
        return judged(RANKS, [f"{several(len(users), 'pseudonym')} are text, not numbers from 0 to n - 1"], "")
    outside = (users < 0) | (users >= total)
    faults = []
    if outside.any():
        faults.append(
            f"{int(outside.sum()):,} of {several(len(users), 'pseudonym')} are not numbers from 0 to {total - 1:,}, "
            f"the first at position {int(np.argmax(outside))}"
        )
    if release.bare > SPARSE * len(users):
        faults.append(f"only {len(users):,} of {total:,} pseudonyms have a row")
    return judged(RANKS, faults, f"{several(len(users), 'pseudonym')} from 0 to {total - 1:,}, {release.bare} bare.")


def rows_by_pseudonym(release: Published) -> Check:
    """Rows ascend by pseudonym, then time, then the rest, so that their order says nothing; none comes twice."""
    if release.is_plain:
        return idle(SORTED, "a plain table promises no order.")
    out, twice, first = 0, 0, -1
    names = ORDER[release.noun]
    place = _place(release)
    for start in range(0, max(release.rows - 1, 0), ROWS_AT_ONCE):
        at = slice(start, start + ROWS_AT_ONCE + 1)
        keys = [place[release.table.code[at]], *(exact(release.table.numbers[name][at]) for name in names)]
        less, equal = ascend(keys)
        if less.any() and first < 0:
            first = start + int(np.argmax(less)) + 1
        out, twice = out + int(less.sum()), twice + (int(equal.sum()) if release.noun != "Traces" else 0)
    faults = [f"{several(out, 'row is', 'rows are')} out of order, first at row {first}"] if out else []
    if twice and release.manifest is not None:
        faults.append(f"{several(twice, 'row is', 'rows are')} there twice")
    return judged(SORTED, faults, f"{several(release.rows, 'row ascends', 'rows ascend')} by pseudonym, then time.")


def _place(release: Published) -> Ints:
    """The rank of each pseudonym; texts in their own order."""
    if not len(release):
        return np.zeros(1, np.int64)
    place = np.empty(len(release), np.int64)
    place[np.argsort(release.users, kind="stable")] = np.arange(len(release))
    return place


def pseudonym_order(release: Published, original: Original | None) -> Check:
    """The rank of a pseudonym is independent of the original order."""
    return _independent(PSEUDONYMS, _rank(release.users), release, original)


def row_order(release: Published, original: Original | None) -> Check:
    """The place of a pseudonym in the file is independent of the original order."""
    return _independent(ROWS, np.arange(len(release), dtype=np.float64), release, original)


def _independent(name: str, place: Floats, release: Published, original: Original | None) -> Check:
    """Spearman's rho against original orders; under random pseudonyms its variance is 1/(n-1), ties or not."""
    if release.noun == "Counts":
        return idle(name, "counts have no pseudonyms.")
    if release.members is None:
        return unasked(name, "who stands behind a pseudonym is not known; give the original and the link file.")
    known = np.diff(release.members.offsets) > 0
    n = int(known.sum())
    if n < FEWEST:
        return passed(name, f"{n} pseudonyms are too few to find anything (at least {FEWEST} are needed).")
    first = release.members.positions[release.members.offsets[:-1][known]]
    orders = {"position in the original": _rank(first), "first published time": _first_time(release)[known]}
    if original is not None:
        orders["order of the original labels"] = _rank(original.users[first])
    scores = {what: _z(place[known], rank) for what, rank in orders.items()}
    step = n // MOST + 1
    for what, rank in _hidden_orders(original, first[::step]) if original is not None else ():
        scores[what] = _z(place[known][::step], rank)
    limit = NormalDist().inv_cdf(1 - ALPHA / 2 / len(scores))
    what, worst = max(scores.items(), key=lambda item: abs(item[1]))
    smallest = (limit + SURELY) / np.sqrt(n - 1)
    evidence = f"|z| = {abs(worst):.1f} with the {what}, {n:,} pseudonyms; the limit is {limit:.1f}, which a rank "
    evidence += f"correlation of {min(smallest, 1):.2f} exceeds with probability 0.99"
    return failed(name, f"{evidence} (alpha {ALPHA:g}).") if abs(worst) > limit else passed(name, f"{evidence}.")


def _hidden_orders(original: Original, people: Ints) -> Iterator[tuple[str, Floats]]:
    """Orders that only the publisher would know of: by an attribute, or by a hash of the label."""
    for number, values in enumerate(list(original.attributes.values())[:ATTRIBUTES]):
        yield f"attribute {number} of the original", _rank(np.array([str(values[p]) for p in people.tolist()]))
    labels = [str(label).encode() for label in original.users[people].tolist()]
    for algorithm in HASHES:
        digests = [hashlib.new(algorithm, label, usedforsecurity=False).hexdigest()[:16] for label in labels]
        yield f"{algorithm} of the original labels", _rank(np.array(digests))


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

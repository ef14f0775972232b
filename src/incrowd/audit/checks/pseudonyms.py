"""Are pseudonyms mere ranks, does each hold what the release says, and do they and the order of rows say nothing?"""

import hashlib
from collections.abc import Iterator
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, Labels
from incrowd.audit.checks.columns import BLOCK
from incrowd.audit.checks.identity import poisson_tail
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import ROWS_AT_ONCE, Published, ascend, exact
from incrowd.audit.verdict import ALPHA, Check, failed, idle, judged, passed, unasked, uncheckable
from incrowd.data import Groups
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
CUT, APART = "cutting", "pieces of a person"
FEWEST = 50
MOST = 50_000  # pseudonyms whose labels are hashed
ATTRIBUTES, HASHES = 8, ("md5", "sha1", "sha256", "sha512", "blake2b")
SURELY = 2.33  # standard deviations that 0.99 of a normal distribution exceed
_PAIRS = 2_000_000
_CUTS = ("window_h", "windows")


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


def cutting(release: Published) -> Check:
    """All rows of a pseudonym lie in one window of the stated cut, and a person has one pseudonym per window."""
    stated = [release.parameters.get(name) for name in _CUTS]
    if release.noun != "Visits" or (release.method != "Cut" and stated == [None, None]):
        return idle(CUT, "no cut is stated.")
    window = _window(release, _ends(release.table.code, release.table.numbers["slot"], len(release)))
    if isinstance(window, str):
        return uncheckable(CUT, window)
    first, last = window
    uncut = first != last
    faults = []
    if uncut.any():
        where = f"the first at position {int(np.argmax(uncut))}"
        faults.append(f"{several(int(uncut.sum()), 'pseudonym spans', 'pseudonyms span')} several windows, {where}")
    if release.members is not None and not faults:
        faults += _twice(release.members, first)
    return judged(CUT, faults, f"each of {several(len(release), 'pseudonym')} lies in one window.")


def _ends(code: Ints, slot: NDArray[Any], pseudonyms: int) -> Ints:
    """The first and the last slot of each pseudonym, by blocks of rows, which may be many."""
    ends = np.stack([np.full(pseudonyms, np.iinfo(np.int64).max), np.full(pseudonyms, np.iinfo(np.int64).min)])
    for begin in range(0, len(code), BLOCK):
        part = slice(begin, begin + BLOCK)
        values = slot[part].astype(np.int64)
        np.minimum.at(ends[0], code[part], values)
        np.maximum.at(ends[1], code[part], values)
    return np.where(ends[0] > ends[1], 0, ends)  # of a pseudonym without a row


def _window(release: Published, slot: Ints) -> Ints | str:
    """The window of each slot, in exact integers; a border belongs to the later window."""
    given = release.parameters
    start, slots = given.get("start_slot", 0), given.get("slots")
    width_h, windows, slot_min = given.get("window_h"), given.get("windows"), release.clock.get("slot_min")
    if (
        type(start) is not int
        or (width_h is None) == (windows is None)
        or release.table.numbers["slot"].dtype.kind == "f"
    ):
        return "the windows of the cut are not stated."
    try:
        if windows is not None:
            width = Fraction(int(slots if slots is not None else int(slot.max()) + 1 - start), int(windows))
        else:
            width = Fraction(str(width_h)) * 60 / int(slot_min or 0)
    except (ValueError, TypeError, ZeroDivisionError):
        return "the width of a window is not stated."
    if width <= 0 or max(width.denominator * (int(np.abs(slot).max()) + abs(start) + 1), width.numerator) >= 2**62:
        return "the windows are too fine or too wide."
    number: Ints = (slot - start) * width.denominator // width.numerator
    return number


def _twice(members: Groups, window: Ints) -> list[str]:
    """People who have two pseudonyms in one window."""
    code = members.owner
    keys = np.stack([members.positions, window[code]])
    distinct = np.unique(keys, axis=1).shape[1]
    extra = keys.shape[1] - distinct
    return [f"{several(extra, 'piece shares', 'pieces share')} person and window with another one"] if extra else []


def independence(release: Published) -> Check:
    """Over all pairs of pieces of one person no difference of pseudonyms is too common, and none is too near or far."""
    if release.noun != "Visits":
        return idle(APART, "only visits are cut into pieces.")
    if release.members is None:
        return unasked(APART, "who stands behind a pseudonym is not known; give the original and the link file.")
    pairs = _pairs(release, release.members)
    if len(pairs) == 0:
        return idle(APART, "no person has several pseudonyms.")
    n = int(release.users.max()) + 1 if release.users.dtype.kind == "i" else len(release)
    if len(release) < FEWEST or len(pairs) < FEWEST:
        return passed(APART, f"{several(len(pairs), 'pair')} of pieces are too few to find anything.")
    apart = np.abs(pairs[:, 1] - pairs[:, 0])
    values, count = np.unique(apart, return_counts=True)
    expected = len(apart) * 2 * (n - values) / (n * (n - 1.0))
    # All pairs of a person with many pieces share these, so that counts spread more than Poisson's.
    chance = np.array([poisson_tail(int(c), max(float(e), 0.0)) for c, e in zip(count, expected, strict=True)])
    limit = next(c for c in range(1, 10_000) if poisson_tail(c, 2 * len(apart) / n) < ALPHA / n)
    faults = []
    if (chance < ALPHA / n).any():
        faults.append(f"one difference of pseudonyms is shared by {int(count[np.argmin(chance)])} pairs of pieces")
    near = _mean_z(apart, n, _pieces(release.members))
    if abs(near) > NormalDist().inv_cdf(1 - ALPHA / 2):
        how = "near to" if near < 0 else "far from"
        faults.append(f"pseudonyms of one person are too {how} each other (|z| = {abs(near):.1f})")
    even, expected_even = _evenly_spaced(release, release.members, n)
    if poisson_tail(even, expected_even) < ALPHA:
        faults.append(f"{several(even, 'person has', 'people have')} pseudonyms at equal distances")
    power = f"a difference shared by {limit + 10} pairs is found with probability 0.99"
    return judged(APART, faults, f"{several(len(apart), 'pair')} of pieces differ as by chance; {power}.")


def _in_time(release: Published, members: Groups) -> tuple[Ints, Ints]:
    """Person and pseudonym of each piece, by person and time."""
    first = np.full(len(release), np.iinfo(np.int64).max)
    for begin in range(0, release.rows, BLOCK):
        part = slice(begin, begin + BLOCK)
        np.minimum.at(first, release.table.code[part], release.time[part].astype(np.int64))
    code = members.owner
    order = np.lexsort((first[code], members.positions))
    numbered = release.users if release.users.dtype.kind == "i" else np.arange(len(release))
    return members.positions[order], numbered[code[order]]


def _pairs(release: Published, members: Groups) -> Ints:
    """Pseudonyms of two pieces of one person, neighbours in time first, as many as can be looked at."""
    person, label = _in_time(release, members)
    pairs: list[Ints] = []
    total = 0
    for step in range(1, int(np.bincount(person).max(initial=1))):
        same = person[step:] == person[:-step]
        pairs.append(np.stack([label[:-step][same], label[step:][same]], axis=1))
        total += len(pairs[-1])
        if total > _PAIRS:
            break
    return np.concatenate([np.zeros((0, 2), np.int64), *pairs]).astype(np.int64)


def _evenly_spaced(release: Published, members: Groups, n: int) -> tuple[int, float]:
    """Runs of three pieces of a person whose pseudonyms are at equal distances, and how many chance makes."""
    person, label = _in_time(release, members)
    three = person[2:] == person[:-2]
    bent = (label[2:] - 2 * label[1:-1] + label[:-2])[three] % n
    return int((bent == 0).sum()), float(three.sum()) / n


def _pieces(members: Groups) -> Ints:
    count: Any = np.bincount(members.positions)
    return np.asarray(count[count > 1], np.int64)


def _mean_z(apart: Ints, n: int, pieces: Ints) -> float:
    """How many standard deviations the mean difference is off (n + 1) / 3; pairs of one person count as its pieces."""
    mean, spread = (n + 1) / 3, float(np.sqrt((n * n - 1) / 18.0))
    independent = max(float((pieces // 2).sum()), 1.0)
    average: Floats = apart.mean()
    return float((average - mean) / (spread / np.sqrt(independent)))

"""Was every trajectory cut where the release says, and do the pseudonyms of one person's pieces say nothing?"""

from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, owners
from incrowd.audit.checks.columns import BLOCK
from incrowd.audit.checks.identity import ALPHA, poisson_tail
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, failed, idle, judged, passed, unasked
from incrowd.data import Groups
from incrowd.plain import several

CUT, APART = "cutting", "pieces of a person"
FEWEST = 50
_PAIRS = 2_000_000
_CUTS = ("window_h", "windows")


def cutting(release: Published) -> Check:
    """All rows of a pseudonym lie in one window of the stated cut, and a person has one pseudonym per window."""
    stated = [release.parameters.get(name) for name in _CUTS]
    if release.noun != "Visits" or (release.method != "Cut" and stated == [None, None]):
        return idle(CUT, "no cut is stated.")
    window = _window(release, _ends(release.table.code, release.table.numbers["slot"], len(release)))
    if isinstance(window, str):
        return failed(CUT, f"cannot be checked, because {window}")
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
    code = owners(members.offsets)
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
    code = owners(members.offsets)
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

"""Algorithm 1 without its matrix: the same merges in the same order, from a few nearest per fingerprint."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from incrowd.anonymize.glove.checkpoint import Saved
from incrowd.anonymize.glove.herd import Herd, NearestLists
from incrowd.arrays import Ints
from incrowd.progress import tell

BLOCK = 256  # rows scanned between two words of progress
AHEAD = 8  # used-up lists renewed together: those that will be asked for next
AGAIN = 0.3  # of the pairs, looked at again for k = 2, when the nearest are gone
LATER = 0.72  # of the users, looked at on average by each fingerprint that is made and not finished yet


def hide(herd: Herd, leftover: str, saved: Saved) -> Ints:
    """Merge until nobody is left who hides fewer than k people; what was done [gramaglia2015, Alg. 1]."""
    two = herd.k == 2
    lists = NearestLists(herd, below=not two)
    if two:
        herd.retire(saved.load(lists))
    else:
        for lo, hi in saved.load(lists).tolist():
            herd.join(lo, hi)
    label, expected = f"hiding fingerprints among {herd.k}", expected_pairs(len(herd.active), herd.k)
    for _ in _match(herd, lists) if two else _merge(herd, lists):
        done = float(lists.work[0])
        tell(label, done, max(done, expected))
        saved.keep(herd, lists)
    saved.keep(herd, lists, now=True)
    if two:
        _join_in_order(herd)
    herd.settle(leftover)
    tell(label, max(lists.work[0], expected), max(lists.work[0], expected))
    return lists.work


def expected_pairs(active: int, k: int) -> float:
    """How many pairs of fingerprints a run will look at, about."""
    return sum(pairs_by_scan(active, k))


def pairs_by_scan(active: int, k: int) -> tuple[float, float]:
    """Pairs that the first lists look at, on all cores, and those that new fingerprints look at, one by one.

    Of about n merges n / k begin a group and n / k finish one, so that n (1 - 2 / k) new fingerprints look for
    their nearest. Shares are from 500 to 10,000 users and k = 2, 3, 5 and 10, where they vary by a tenth.
    """
    if k == 2:
        return (1 + AGAIN) * active**2, 0.0
    return active**2 / 2, LATER * (1 - 2 / k) * active**2


def _merge(herd: Herd, lists: NearestLists) -> Iterator[None]:
    """The closest pair again and again; a list is renewed when its row comes up and its nearest are gone."""
    yield from _renew(lists)
    while len(herd.active) > 1:
        row, other = lists.pick()
        if other < 0:
            lists.scan(lists.used_up()[:AHEAD])
            continue
        slot = herd.join(other, int(herd.prints.ident[row]))
        if slot is not None:
            lists.start(slot)
        yield


def _match(herd: Herd, lists: NearestLists) -> Iterator[None]:
    """For k = 2 nothing merged is merged again: whoever are nearest to each other are a pair, in any order."""
    while len(herd.active) > 1:
        yield from _renew(lists)
        near = np.full(herd.users, -1)
        near[herd.active] = lists.nearest()
        lo = herd.active[(near[near[herd.active]] == herd.active) & (herd.active < near[herd.active])]
        herd.retire(np.column_stack([lo, near[lo]]))
        yield


def _renew(lists: NearestLists) -> Iterator[None]:
    """Scan all lists that are used up, block by block; in random order the halves of a block cost alike."""
    rows = np.random.default_rng(0).permutation(lists.used_up())
    for at in range(0, len(rows), BLOCK):
        lists.scan(rows[at : at + BLOCK])
        yield


def _join_in_order(herd: Herd) -> None:
    """Merge matched pairs by (stretch, lo, hi), as the greedy would have."""
    from incrowd.kernels.cpu.glove.nearest import stretches

    pairs = herd.matched
    over, under = stretches(herd.prints, pairs)
    exact = [Fraction(a, b) for a, b in zip(over.tolist(), under.tolist(), strict=True)]
    for _, lo, hi in sorted(zip(exact, *pairs.T.tolist(), strict=True)):
        herd.slot[[lo, hi]] = lo, hi
        herd.join(lo, hi)

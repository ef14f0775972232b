"""Algorithm 1 without its matrix: the same merges in the same order, from a few nearest of every fingerprint.

A run is kept in a file, so that it survives being killed.
"""

import os
import time
import zipfile
import zlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.data.files import PRIVATE, whole_file
from incrowd.errors import DataError, check_file
from incrowd.kernels.types import UNLIMITED, full
from incrowd.measure.glove.stretch import CornerTable
from incrowd.progress import tell

TAKE = 4  # nearest that are kept of each fingerprint
BLOCK = 256  # rows scanned between two words of progress
AHEAD = 8  # used-up lists renewed together: those that will be asked for next
AGAIN = 0.3  # of the pairs, looked at again for k = 2, when the nearest are gone
LATER = 0.72  # of the users, looked at on average by each fingerprint that is made and not finished yet
# What numpy raises at a file that is empty, cut short, or something else.
UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, NotImplementedError, zipfile.BadZipFile, zlib.error)


class Herd:
    """Fingerprint u begins in slot u; a merged one takes the slot of the smaller id."""

    def __init__(self, laid: CornerTable, k: int, *, uncapped: bool, limits: tuple[int, int] | None) -> None:
        from incrowd.kernels.cpu.glove.prints import prints_of

        samples = len(laid.corners)
        self.k, self.users, self.full = k, len(laid.people), full(laid.scale)
        # A merge appends fewer samples than it retires, so all together append fewer than there are.
        self.prints = prints_of(laid.corners, laid.offsets, laid.people, laid.scale, room=samples)
        self.parent: NDArray[np.int32] = np.empty(2 * samples, np.int32)
        self.parent[:samples] = -1
        self.uncapped = uncapped
        self.limits = np.array(limits or (UNLIMITED, UNLIMITED))
        self.slot = np.append(np.arange(self.users), np.full(self.users, -1))  # of each living id
        self.active = np.flatnonzero(laid.people < k)  # slots by rising id
        self.finished = np.flatnonzero(laid.people >= k)
        self.merges: list[tuple[int, int, int, int]] = []  # lo, hi, numerator, denominator
        self.matched = np.zeros((0, 2), np.int64)

    def retire(self, pairs: Ints) -> None:
        """Take pairs of users out that are to be merged later."""
        self.slot[pairs.ravel()] = -1
        self.active = self.active[self.slot[self.active] >= 0]
        self.matched = np.concatenate([self.matched, pairs])

    def join(self, lo: int, hi: int) -> int | None:
        """Merge two living ids; the slot of the new one where it may be merged again."""
        from incrowd.kernels.cpu.glove.merge import join

        p, a, b = self.prints, self.slot[lo], self.slot[hi]
        under = int((p.people[a] + p.people[b]) * max(p.size[a], p.size[b]))
        over, left = join(p, a, b, self.uncapped, self.limits, self.parent)
        new = self.users + len(self.merges)
        self.merges.append((lo, hi, over, under))
        self.slot[[lo, hi]] = -1
        self.active = self.active[(self.active != a) & (self.active != b)]
        self.finished = self.finished[(self.finished != a) & (self.finished != b)]
        if left == 0:
            return None
        self.slot[new], p.ident[a] = a, new
        if p.people[a] >= self.k:
            self.finished = np.append(self.finished, a)
            return None
        self.active = np.append(self.active, a)
        return int(a)

    def settle(self, leftover: str) -> None:
        """Merge a fingerprint that was left alone with the nearest finished group, or let it go."""
        from incrowd.kernels.cpu.glove.nearest import nearest

        if not len(self.active) or leftover != "merge" or not len(self.finished):
            return
        p = self.prints
        who, *_ = nearest(p, self.active, self.finished[np.argsort(p.ident[self.finished])], 1, False)
        ids = sorted(p.ident[[self.active[0], who[0, 0]]].tolist())
        self.join(*ids)

    def groups(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Corners of all finished groups by id, their offsets, the row that covers each original sample (or -1),
        and the group of each user (or -1).
        """
        from incrowd.kernels.cpu.glove.merge import resolve
        from incrowd.kernels.cpu.glove.prints import gather

        p = self.prints
        slots = self.finished[np.argsort(p.ident[self.finished])]
        row = np.full(p.used[0], -1)
        corners = gather(p, slots, row)
        resolve(self.parent, row)
        group = np.full(self.users + len(self.merges), -1)
        group[p.ident[slots]] = np.arange(len(slots))
        for m in range(len(self.merges) - 1, -1, -1):
            group[list(self.merges[m][:2])] = group[self.users + m]
        offsets = np.append(0, np.cumsum(p.size[slots]))
        return corners, offsets, row[: len(self.parent) // 2], group[: self.users]


class NearestLists:
    """For each slot its nearest ids as of its last scan, nearest first.

    Deaths keep a list exact: those left of it are the nearest of those left. A list with nobody alive still bounds
    from below what a new scan can find. With `below` a fingerprint looks at smaller ids only, so that a new one,
    whose id is the largest, changes no list.
    """

    def __init__(self, herd: Herd, *, below: bool) -> None:
        self.herd, self.below = herd, below
        self.ids = np.full((herd.users, TAKE), -1)
        self.over = np.zeros((herd.users, TAKE), np.int64)  # a bound of 0: not scanned yet
        self.under = np.ones((herd.users, TAKE), np.int64)
        self.whole = np.zeros(herd.users, np.bool_)  # the list holds everybody there was
        self.work = np.zeros(5, np.int64)

    def scan(self, rows: Ints) -> None:
        """Look up the nearest active ones of some slots."""
        from incrowd.kernels.cpu.glove.nearest import nearest

        p = self.herd.prints
        # A list is scanned again when all in it are dead. Whoever lives now lived then (with `below` and for k = 2
        # nobody new is asked) and was not in it, hence is no nearer than its last.
        least = np.column_stack([self.over[rows, -1], self.under[rows, -1]])
        who, over, under, work = nearest(p, rows, self.herd.active, TAKE, self.below, least)
        self.ids[rows] = np.where(who < 0, -1, p.ident[who])
        self.over[rows], self.under[rows] = over, under
        self.whole[rows] = (who < 0).any(axis=1)
        self.work += work.sum(axis=0)

    def start(self, slot: int) -> None:
        """Scan for a new fingerprint; what its slot held before bounds nothing."""
        self.over[slot], self.under[slot] = 0, 1
        self.scan(np.array([slot]))

    def pick(self) -> tuple[int, int]:
        """The slot with the smallest (stretch, lo, hi) and its nearest id; -1 where it must be scanned first."""
        from incrowd.kernels.cpu.glove.merge import pick

        herd = self.herd
        least = herd.prints.ident[herd.active[0]]
        row, other = pick(herd.active, herd.slot, self.ids, self.over, self.under, self.whole, least)
        return row, other

    def nearest(self) -> Ints:
        """The nearest living id of each active slot, or -1."""
        from incrowd.kernels.cpu.glove.merge import heads

        ids: Ints = heads(self.herd.active, self.herd.slot, self.ids)
        return ids

    def used_up(self) -> Ints:
        """Active slots to be scanned again, those with the smallest bounds first."""
        rows = self.herd.active[self.nearest() < 0]
        rows = rows[~self.whole[rows]]
        return rows[np.argsort(self.over[rows, -1] / self.under[rows, -1], kind="stable")]


def no_checkpoint(path: Path) -> DataError:
    """A file that holds something else than a run."""
    return DataError(f"{path.name} is not a checkpoint of GLOVE; give another file.")


class Saved:
    """The file a run is kept in, whole or not at all; without a path nothing is kept."""

    def __init__(self, path: Path | None, key: str, every_s: float) -> None:
        self.path, self.key, self.every_s = path, key, every_s
        self.last = time.monotonic()

    def load(self, lists: Any) -> Ints:
        """Fill the lists as they were; the merges until then, in order."""
        if self.path is None or not self.path.exists():
            return np.zeros((0, 2), np.int64)
        check_file(self.path)
        try:
            with self.path.open("rb") as file, np.load(file) as state:
                if str(state["key"]) != self.key:
                    raise DataError(
                        f"{self.path.name} is the checkpoint of other data or parameters; give another file."
                    )
                for name in ("ids", "over", "under", "whole", "work"):
                    getattr(lists, name)[...] = state[name]
                pairs: Ints = state["pairs"]
                return pairs
        except UNREADABLE as error:
            raise no_checkpoint(self.path) from error

    @property
    def due(self) -> bool:
        """Whether there is a file and the last time is long ago."""
        return self.path is not None and time.monotonic() - self.last >= self.every_s

    def keep(self, herd: Any, lists: Any, *, now: bool = False) -> None:
        """Write the file, unless the last time is not long ago."""
        if self.path is None or not (now or self.due):
            return
        merged = np.array([merge[:2] for merge in herd.merges], np.int64).reshape(-1, 2)
        pairs = herd.matched if herd.k == 2 else merged
        state = {name: getattr(lists, name) for name in ("ids", "over", "under", "whole", "work")}
        with whole_file(self.path, force=True) as part:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
            with os.fdopen(descriptor, "wb") as file:
                np.savez(file, key=np.array(self.key), pairs=pairs, **state)
                file.flush()
                os.fsync(file.fileno())
        self.last = time.monotonic()


def hide(herd: Herd, leftover: str, saved: Saved) -> Ints:
    """Merge until nobody is left who hides fewer than k people; what was done [gramaglia2015, Alg. 1]."""
    two = herd.k == 2
    lists = NearestLists(herd, below=not two)
    if two:
        herd.retire(saved.load(lists))
    else:
        for lo, hi in saved.load(lists).tolist():
            herd.join(lo, hi)
    label, expected = f"hiding fingerprints among {herd.k}", sum(pairs_by_scan(len(herd.active), herd.k))
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

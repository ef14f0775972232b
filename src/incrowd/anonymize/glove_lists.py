"""The few nearest of every fingerprint, kept exact while others disappear."""

import numpy as np

from incrowd.anonymize.glove_herd import Herd
from incrowd.arrays import Ints

TAKE = 4


class Lists:
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
        from incrowd.kernels.cpu.neighbours import nearest

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
        from incrowd.kernels.cpu.lists import pick

        herd = self.herd
        least = herd.prints.ident[herd.active[0]]
        row, other = pick(herd.active, herd.slot, self.ids, self.over, self.under, self.whole, least)
        return row, other

    def nearest(self) -> Ints:
        """The nearest living id of each active slot, or -1."""
        from incrowd.kernels.cpu.lists import heads

        found: Ints = heads(self.herd.active, self.herd.slot, self.ids)
        return found

    def used_up(self) -> Ints:
        """Active slots to be scanned again, those with the smallest bounds first."""
        rows = self.herd.active[self.nearest() < 0]
        rows = rows[~self.whole[rows]]
        return rows[np.argsort(self.over[rows, -1] / self.under[rows, -1], kind="stable")]

"""Algorithm 1 on the GPU: rounds of mutual nearest for k = 2, else a loop of merges that the GPU drives itself."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.gpu.glove.nearest import BLOCK, Crowd, search
from incrowd.kernels.gpu.glove.prints import ACTIVE, DEAD, IDENT, SIZE, STATE, Prints
from incrowd.kernels.gpu.source import (
    AHEAD,
    CHART_BYTES,
    CHARTERS,
    ENTRY_BYTES,
    KEY_BYTES,
    PICKERS,
    SEEDS,
    STATES,
    TAKE,
    THREADS,
    WARPS,
    launch,
)

STEPS = 256  # queued before the host looks, at most
BLOCKS_EACH = 3  # of a search, on each multiprocessor
MERGES, LIVING, DONE, USED, STEP = 0, 1, 2, 3, 6  # places in the state
INFINITE = 0x7FF0000000000000  # as the bits of a float
SPARE = AHEAD  # slots for what is tried
COLUMNS = ("ids", "over", "under", "whole")  # of lists
HERD = np.dtype([("lists", np.uint64, 7), ("count", np.int64), ("places", np.uint64, 12), ("numbers", np.int64, 6)])


class NearestSlots:
    """The few nearest of every slot, as in anonymize.glove.herd, on the GPU."""

    def __init__(self, p: Prints) -> None:
        import cupy

        self.ids = cupy.full((p.slots, TAKE), -1, np.int32)
        self.over = cupy.zeros((p.slots, TAKE), np.int64)
        self.under = cupy.ones((p.slots, TAKE), np.int64)
        self.whole = cupy.zeros(p.slots, np.uint8)
        self.work = cupy.zeros(5, np.uint64)

    def scan(self, p: Prints, rows: Any, crowd: Crowd, *, below: bool) -> Iterator[None]:
        """Look up the nearest of some slots, block by block."""
        import cupy

        for at in range(0, len(rows), BLOCK):
            block = rows[at : at + BLOCK]
            who, over, under = search(p, block, crowd, TAKE, below=below, work=self.work)
            self.ids[block] = cupy.where(who < 0, -1, p.outline[who, IDENT])
            self.over[block], self.under[block] = over, under
            self.whole[block] = (who < 0).any(axis=1)
            yield

    def kept(self, slots: Any, places: Ints, count: int) -> SimpleNamespace:
        """The lists of some slots at places among so many, in the memory of the host; the others are empty."""
        lists = empty_lists(count)
        for name in COLUMNS:
            getattr(lists, name)[places] = getattr(self, name)[slots].get()
        lists.work = self.work.get().astype(np.int64)
        return lists

    def restore(self, lists: SimpleNamespace, slots: Any, places: Ints) -> None:
        """What `kept` had."""
        import cupy

        for name in COLUMNS:
            column = getattr(self, name)
            column[slots] = cupy.asarray(getattr(lists, name)[places].astype(column.dtype))
        self.work[...] = cupy.asarray(lists.work.astype(np.uint64))


def empty_lists(count: int) -> SimpleNamespace:
    """Lists that nobody has filled yet, as a checkpoint has them."""
    return SimpleNamespace(
        ids=np.full((count, TAKE), -1),
        over=np.zeros((count, TAKE), np.int64),
        under=np.ones((count, TAKE), np.int64),
        whole=np.zeros(count, np.bool_),
        work=np.zeros(5, np.int64),
    )


def matched(p: Prints, lists: NearestSlots, gone: Ints) -> Iterator[tuple[Ints, Ints] | None]:
    """For k = 2: pairs of slots (lo, hi) with numerator and denominator, in no order; None while searching."""
    import cupy

    alive = (p.where[:, STATE] == ACTIVE).astype(np.int32)
    alive[cupy.asarray(gone)] = 0
    crowd = Crowd(p, cupy.flatnonzero(alive), p.rank())
    near = cupy.full(p.slots, -1, np.int32)
    while (count := len(crowd.slots)) > 1:
        rows = _used_up(p, lists, crowd, alive, near)
        if len(rows):
            for _ in lists.scan(p, rows, crowd, below=False):
                cupy.cuda.get_current_stream().synchronize()
                yield None
            _used_up(p, lists, crowd, alive, near)
        pairs, made = cupy.empty((count, 2), np.int32), cupy.zeros(1, np.int32)
        stretch = cupy.empty((count, 2), np.int64)
        given = (crowd.slots, np.int64(count), lists.ids, lists.over, lists.under, near, alive, pairs, stretch, made)
        launch(p.wide, "mates", -(-count // THREADS), given)
        pairs_made = int(made[0])
        yield pairs[:pairs_made].get().astype(np.int64), stretch[:pairs_made].get()
        crowd.keep(alive[crowd.slots] > 0)


def _used_up(p: Prints, lists: NearestSlots, crowd: Crowd, alive: Any, near: Any) -> Any:
    """Give each slot its nearest living one; those whose lists hold none any more."""
    import cupy

    renew = cupy.empty(len(crowd.slots), np.uint8)
    given = (crowd.slots, np.int64(len(renew)), lists.ids, lists.whole, alive, near, renew)
    launch(p.wide, "heads", -(-len(renew) // THREADS), given)
    return crowd.slots[renew > 0]


class Loop:
    """The state of a run for k > 2; all of it stays on the GPU until nobody is left to merge."""

    def __init__(
        self,
        p: Prints,
        lists: NearestSlots,
        k: int,
        limits: tuple[int, int],
        merges: list[tuple[int, int, int, int]],
        *,
        uncapped: bool,
    ) -> None:
        import cupy

        self.p, self.lists = p, lists
        users = p.slots - SPARE
        self.crowd = Crowd(p, cupy.flatnonzero(p.where[:, STATE] == ACTIVE), p.rank())
        # A search has a block at least, also where as many as there may be run side by side.
        self.blocks = max(AHEAD, BLOCKS_EACH * cupy.cuda.Device().attributes["MultiProcessorCount"])
        self.slot_of = cupy.full(2 * users, -1, np.int32)
        living = cupy.flatnonzero(p.where[:, STATE] != DEAD)
        self.slot_of[p.outline[living, IDENT]] = living.astype(np.int32)
        self.merges = cupy.empty((users, 4), np.int64)
        if merges:
            self.merges[: len(merges)] = cupy.asarray(np.array(merges, np.int64))
        self.state = cupy.zeros(STATES, np.int64)
        self.state[MERGES], self.state[LIVING], self.state[USED] = len(merges), len(self.crowd.slots), p.used
        scratch_each = 18 * p.longest
        places = (
            self.merges,
            cupy.zeros(3 * PICKERS * KEY_BYTES, np.uint8),
            cupy.zeros(1 + AHEAD, np.uint32),
            cupy.empty(self.blocks * TAKE * ENTRY_BYTES, np.uint8),
            cupy.zeros(AHEAD, np.int32),
            cupy.full(AHEAD, INFINITE, np.uint64),
            cupy.empty(AHEAD * SEEDS, np.float64),
            self.state,
            cupy.empty(AHEAD * scratch_each, np.int32),
            cupy.empty(AHEAD * CHART_BYTES, np.uint8),
            cupy.arange(users, p.slots, dtype=np.int32),
            lists.work,
        )
        self.kept = places  # the handle holds addresses alone
        self.handle = np.zeros((), HERD)
        self.handle["places"] = [place.data.ptr for place in places]
        self.handle["numbers"] = [users, k, *limits, uncapped, scratch_each]

    def run(self) -> Iterator[int]:
        """Merge to the end; how many are still to be hidden, from time to time."""
        import cupy

        rows = self._unknown()
        if len(self.crowd.slots) > 1:
            for _ in self.lists.scan(self.p, rows, self.crowd, below=True):
                cupy.cuda.get_current_stream().synchronize()
                yield len(self.crowd.slots)
        while len(self.crowd.slots) > 1:
            self._queue()
            state = self.state.get()
            yield int(state[LIVING])
            if state[DONE]:
                break
            slots = self.crowd.slots
            self.crowd.keep((slots >= 0) & (self.p.where[slots, STATE] == ACTIVE))
        self.p.used = int(self.state[USED])
        self._forget()

    def made(self) -> list[tuple[int, int, int, int]]:
        """The merges so far: lo, hi, numerator, denominator."""
        return list(map(tuple, self.merges[: int(self.state[MERGES])].get().tolist()))

    def _unknown(self) -> Any:
        """Those whose nearest nobody has looked up; who was looked up has a bound."""
        return self.crowd.slots[self.lists.over[self.crowd.slots, TAKE - 1] == 0]

    def _forget(self) -> None:
        """Whoever is left alone may have been part of a merge that was tried and left no trace but here."""
        import cupy

        for slot in self.p.living(ACTIVE).tolist():
            first, size = int(self.p.where[slot, 0]), int(self.p.outline[slot, SIZE])
            self.p.parent[first : first + size] = cupy.int32(-1)

    def _queue(self) -> None:
        lists, crowd = self.lists, self.crowd
        columns = (lists.ids, lists.over, lists.under, lists.whole, self.slot_of, crowd.slots, crowd.position)
        self.handle["lists"] = [column.data.ptr for column in columns]
        self.handle["count"] = len(crowd.slots)
        for _ in range(min(STEPS, 2 * len(crowd.slots))):
            self.p.launch("pick", PICKERS, self.handle)
            self.p.launch("join_tried", AHEAD, self.handle, threads=512)
            self.p.launch("seed", (SEEDS // WARPS + CHARTERS, AHEAD), self.handle)
            self.p.launch("scan_some", self.blocks, self.handle)
            self.p.launch("commit", 1, self.handle, threads=32)

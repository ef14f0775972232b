"""The nearest fingerprints and the stretch of pairs, on the GPU; the twin of kernels.cpu.neighbours."""

from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.errors import ParameterError
from incrowd.kernels.gpu.glove.prints import ACTIVE, Prints
from incrowd.kernels.gpu.source import ENTRY_BYTES, WARPS

MOST_TAKE = 128
BLOCK = 1 << 14  # rows between two words of progress


class Crowd:
    """The candidates of a search along the curve, and where each slot is among them."""

    def __init__(self, prints: Prints, slots: Any, rank: Any) -> None:
        import cupy

        self.slots = slots[cupy.argsort(rank[slots])].astype(np.int32)
        self.position = cupy.full(prints.slots, -1, np.int32)
        self.position[self.slots] = cupy.arange(len(self.slots), dtype=np.int32)

    def keep(self, flags: Any) -> None:
        """Only those flagged stay."""
        import cupy

        self.slots = self.slots[flags]
        self.position[...] = -1
        self.position[self.slots] = cupy.arange(len(self.slots), dtype=np.int32)


def search(
    p: Prints, rows: Any, crowd: Crowd, take: int, *, below: bool, work: Any, state: int = ACTIVE
) -> tuple[Any, Any, Any]:
    """Slots, numerators and denominators of the nearest of each row, left on the GPU."""
    import cupy

    check_take(take)
    who = cupy.empty((len(rows), take), np.int32)
    over, under = cupy.empty((len(rows), take), np.int64), cupy.empty((len(rows), take), np.int64)
    numbers = (np.int32(len(crowd.slots)), crowd.position, np.int32(take), np.int32(below), np.int32(state))
    shared = WARPS * take * ENTRY_BYTES
    p.launch("scan_rows", len(rows), rows, crowd.slots, *numbers, who, over, under, work, shared=shared)
    return who, over, under


def check_take(take: int) -> None:
    """Refuse lists longer than a block can hold."""
    if take > MOST_TAKE:
        raise ParameterError(f"the GPU finds up to {MOST_TAKE} nearest, and {take} are asked for; pass device='cpu'.")


def nearest(
    p: Prints,
    rows: Ints,
    candidates: Ints,
    take: int,
    below: bool,
    least: Ints | None = None,  # noqa: ARG001
    *,
    state: int = ACTIVE,
) -> tuple[Ints, Ints, Ints, Ints]:
    """The `take` nearest candidates of each row, nearest first: slots (or -1), numerators, denominators, work done.

    Ties go to the smaller id. `below` asks only those with an id below the row's, `state` those in that state.
    `least` ends a search on the CPU early; here all candidates are looked at side by side.
    """
    import cupy

    rank = p.rank()
    crowd = Crowd(p, cupy.asarray(candidates), rank)
    work = cupy.zeros(5, np.uint64)
    queries = cupy.asarray(rows.astype(np.int32))
    order = cupy.argsort(rank[queries])  # rows side by side on the curve read the same candidates
    nearest_of = search(p, queries[order], crowd, take, below=below, work=work, state=state)
    back = cupy.argsort(order)
    who, over, under = (part[back].get().astype(np.int64) for part in nearest_of)
    return who, over, under, work.get().astype(np.int64)[None]


def stretches(p: Prints, pairs: Ints) -> tuple[Ints, Ints]:
    """Numerator and denominator of the stretch of each pair of slots."""
    import cupy

    over, under = cupy.empty(len(pairs), np.int64), cupy.empty(len(pairs), np.int64)
    slots = cupy.asarray(np.ascontiguousarray(pairs, np.int32))
    p.launch("pair_stretches", -(-len(pairs) // WARPS), slots, np.int64(len(pairs)), over, under)
    return over.get(), under.get()

"""Fingerprints into one another, on the GPU; the twin of kernels.cpu.merging."""

from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.gpu.glove.prints import FINISHED, IDENT, LOAD_BYTES, SIZE, STATE, Prints, chunks
from incrowd.kernels.gpu.glove.stretch import two
from incrowd.kernels.gpu.source import THREADS, launch
from incrowd.kernels.types import UNLIMITED, Scale

SCRATCH = 9  # numbers for each sample of both, where the shorter goes into the longer
FIRST = 1


def join(
    p: Prints, pairs: Ints, idents: Ints, *, uncapped: bool, limits: tuple[int, int], k: int, force: int = 0
) -> tuple[Ints, Ints]:
    """Merge slot hi into slot lo, all pairs at once; numerators of their stretches, and the samples that are left."""
    import cupy

    scratch_each = 2 * SCRATCH if force else SCRATCH
    sizes = p.outline[:, SIZE].get().astype(np.int64)
    both = sizes[pairs].sum(axis=1)
    over, left = np.empty(len(pairs), np.int64), np.empty(len(pairs), np.int64)
    for begin, end in chunks(both, LOAD_BYTES):
        block = pairs[begin:end]
        shorter = sizes[block].min(axis=1)
        at = p.used + np.cumsum(shorter) - shorter
        scratch_at = scratch_each * (np.cumsum(both[begin:end]) - both[begin:end])
        scratch = cupy.empty(scratch_each * int(both[begin:end].sum()), np.int32)
        result = cupy.empty(end - begin, np.int64), cupy.empty(end - begin, np.int32)
        numbers = (np.int64(limits[0]), np.int64(limits[1]), np.int32(uncapped), np.int32(force), np.int32(k))
        given = (block.astype(np.int32), at, scratch_at, idents[begin:end].astype(np.int32))
        p.launch(
            "join_pairs",
            end - begin,
            *(cupy.asarray(np.ascontiguousarray(g)) for g in given),
            *numbers,
            scratch,
            *result,
        )
        p.used += int(shorter.sum())
        over[begin:end], left[begin:end] = (part.get() for part in result)
    return over, left


def merge(longer: Ints, shorter: Ints, n_l: int, n_s: int, scale: Scale, uncapped: bool) -> tuple[Ints, Ints, Ints]:
    """Merged corners in canonical order, and the row each sample of both went to."""
    p, _ = two(longer, shorter, n_l, n_s, scale, room=len(shorter))
    options: dict[str, Any] = {"uncapped": uncapped, "limits": (UNLIMITED, UNLIMITED), "k": 1, "force": FIRST}
    join(p, np.array([[0, 1]]), np.array([2]), **options)
    corners, *_ = gathered(p)
    parents = p.parent.get()[: p.samples].astype(np.int64) - p.samples
    return corners.astype(np.int64), parents[: len(longer)], parents[len(longer) :]


def gathered(p: Prints) -> tuple[Any, Ints, Ints, Ints]:
    """Corners of all finished slots by id, their offsets, their ids, and the row that covers each original, or -1."""
    import cupy

    slots = cupy.flatnonzero(p.where[:, STATE] == FINISHED).astype(np.int32)
    slots = slots[cupy.argsort(p.outline[slots, IDENT])]
    offsets = np.append(0, np.cumsum(p.outline[slots, SIZE].get().astype(np.int64)))
    rows = cupy.empty((int(offsets[-1]), 6), np.int32)
    row = cupy.full(len(p.parent), -1, np.int32)
    p.launch("gather", len(slots), slots, cupy.asarray(offsets), rows, row)
    covered = cupy.empty(p.samples, np.int32)
    numbers = (p.parent, row, covered, np.int64(p.samples))
    launch(p.wide, "resolve", -(-p.samples // THREADS), numbers)
    return rows.get(), offsets, p.outline[slots, IDENT].get().astype(np.int64), covered.get().astype(np.int64)

"""The stretch of two fingerprints and its samples, on the GPU; the twin of kernels.cpu.stretching."""

from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.kernels.gpu.glove.prints import PEOPLE, SIZE, Prints, chunks, prints_of
from incrowd.kernels.types import Scale

SHARE_BYTES = 120  # of a sample: targets, shares, their quotients and their order
FORCED = 1


def shares(p: Prints, pairs: Any, sizes: Any, force: int = 0) -> tuple[Any, Any, Any, Any, Any]:
    """For pairs of slots: numerators, whether the first is summed over, offsets, and space and time of its samples."""
    import cupy

    slots = cupy.asarray(np.ascontiguousarray(pairs, np.int32))
    ends = cupy.asarray(sizes)[slots]
    rows = ends[:, 0] if force else ends.max(axis=1)
    at = cupy.append(cupy.zeros(1, np.int64), cupy.cumsum(rows, dtype=np.int64))
    scratch_at = cupy.append(cupy.zeros(1, np.int64), cupy.cumsum(ends.sum(axis=1), dtype=np.int64))
    over, first = cupy.empty(len(slots), np.int64), cupy.empty(len(slots), np.int32)
    space, time = cupy.empty(int(at[-1]), np.int64), cupy.empty(int(at[-1]), np.int64)
    scratch = cupy.empty(int(scratch_at[-1]), np.int32)
    p.launch("pair_shares", len(slots), slots, at, scratch_at, np.int32(force), scratch, over, first, space, time)
    return over, first, at, space, time


def stretch(a: Ints, b: Ints, n_a: int, n_b: int, scale: Scale) -> tuple[int, bool]:
    """Numerator of the fingerprint stretch, and whether it is a that is summed over."""
    p, sizes = two(a, b, n_a, n_b, scale)
    over, first, *_ = shares(p, np.array([[0, 1]]), sizes)
    return int(over[0]), bool(first[0])


def sample_parts(a: Ints, b: Ints, n_a: int, n_b: int, scale: Scale) -> tuple[Ints, Ints]:
    """Space and time shares of each sample of a at its closest sample of b."""
    p, sizes = two(a, b, n_a, n_b, scale)
    *_, space, time = shares(p, np.array([[0, 1]]), sizes, FORCED)
    return space.get(), time.get()


def two(a: Ints, b: Ints, n_a: int, n_b: int, scale: Scale, room: int = 0) -> tuple[Prints, Ints]:
    """Two fingerprints in slots 0 and 1, and their sizes."""
    sizes = np.array([len(a), len(b)])
    offsets = np.append(0, np.cumsum(sizes))
    corners = np.concatenate([a, b]).astype(np.int32)
    numbers = Scale(*(int(n) for n in scale))
    return prints_of(corners, offsets, np.array([n_a, n_b]), numbers, room, 2 * (n_a + n_b)), sizes


def ordered_shares(p: Prints, near: Ints, places: Any, full: int) -> tuple[Floats, Ints, Ints]:
    """Of the sample stretches of each user to those near: chosen ones in order of size, and their sums.

    `places` gives the ranks to take from so many samples, [ranks, users]. The first result is [3, ranks, users], for
    the whole stretch and its parts in space and in time; the second the numerators of the parts, added up for each
    of those near, [2, users, near]; the third how many samples there are of each.
    """
    import cupy

    sizes, people = (p.outline[:, column].get().astype(np.int64) for column in (SIZE, PEOPLE))
    per_user = np.maximum(sizes[:, None], sizes[near]).sum(axis=1)
    chosen, sums = [], np.empty((2, *near.shape), np.int64)
    for begin, end in chunks(per_user, SHARE_BYTES):
        mine = np.repeat(np.arange(begin, end), near.shape[1])
        pairs = np.sort(np.column_stack([mine, near[begin:end].ravel()]))  # of two equal ones the smaller id is longer
        _, _, at, space, time = shares(p, pairs, sizes)
        whole = cupy.asarray(people[pairs].sum(axis=1) * full)[_owner(at)]
        parts = ((space + time) / whole, space / whole, time / whole)
        first = np.cumsum(per_user[begin:end]) - per_user[begin:end]
        ends = cupy.asarray(np.append(first, len(space)))
        ranks = cupy.asarray(places(per_user[begin:end]) + first)
        chosen.append([_in_order(part, _owner(ends))[ranks].get() for part in parts])
        sums[:, begin:end] = [_sums(part, at).get().reshape(end - begin, -1) for part in (space, time)]
    return np.concatenate(chosen, axis=2), sums, per_user


def _owner(ends: Any) -> Any:
    """Which run each element is in, by where the runs begin and the last ends."""
    import cupy

    return cupy.searchsorted(ends, cupy.arange(int(ends[-1])), side="right") - 1


def _sums(values: Any, ends: Any) -> Any:
    """Whole numbers of each run added up; they wrap around on the way and back again."""
    import cupy

    return cupy.diff(cupy.append(cupy.zeros(1, np.int64), cupy.cumsum(values))[ends])


def _in_order(values: Any, owner: Any) -> Any:
    import cupy

    return values[cupy.lexsort(cupy.stack([values, owner.astype(np.float64)]))]

"""Fingerprints laid out in the memory of the GPU; the twin of kernels.cpu.prints."""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.kernels.gpu.device import NoRoom, check_room, free_bytes
from incrowd.kernels.gpu.source import MOST_LONGER, SIDE, launch
from incrowd.kernels.types import Scale, full

FINEST_SHIFT = 3  # bins of 8 minutes
SKETCH_SHARE = 4  # the sketches of silence take at most one part in so many of what is free
SAMPLE_BYTES = 44  # sample, rectangle, uses and parent
SLOT_BYTES = 400  # outline, lists, merges and sorting
WORD_BYTES = 16  # of longer bins are read at once
EDGE = 1 << 30  # beyond every coordinate
SAMPLED = 1 << 18  # samples that say where the regions are
LOAD_BYTES = 36  # corners and scratch of a sample while it is laid out, or merged
BACK_BYTES = 36  # of a sample, while results are gathered: its box, two rows and the one that covers it
CHUNK = 1 << 22  # samples laid out or merged at once, at most; the way to the card is as wide, and taking it takes time
MOST_SAMPLES = (1 << 31) - 1
SIZE, PEOPLE, IDENT = 6, 7, 8  # columns of an outline
STATE = 2  # column of `where`
DEAD, ACTIVE, FINISHED = 0, 1, 2
NARROW = 1 << 30  # costs below fit 32 bits, twice
HANDLE = np.dtype([("columns", np.uint64, 10), ("numbers", np.int64, 8)])


class Prints:
    """One slot per fingerprint; its samples and rectangles lie in columns that only grow."""

    def __init__(
        self, sizes: Ints, spans: tuple[int, int, int], scale: Scale, room: int, most_people: int, spare: int
    ) -> None:
        import cupy

        self.slots, self.samples = len(sizes) + spare, int(sizes.sum())
        self.longest = int(sizes.max())
        self.wide = _is_wide(spans, scale, 2 * most_people)
        self.scale = scale
        total = self.samples + room
        if total > MOST_SAMPLES:
            raise NoRoom(f"the GPU counts up to {MOST_SAMPLES:,} samples, and {total:,} are needed")
        shift, needed = _plan(self.slots, self.samples, total, spans[0])
        check_room(needed, self.slots)
        bins = (spans[0] >> shift) + 1
        longer, longer_shift = _longer(spans[0], shift)
        self.outline = cupy.zeros((self.slots, 16), np.int32)
        self.where = cupy.zeros((self.slots, 4), np.int32)
        self.sample = cupy.empty((total, 4), np.int32)
        self.rect = cupy.empty((total, 4), np.int32)
        self.uses = cupy.empty((total, 2), np.int32)
        self.silence = cupy.empty((self.slots, bins), np.uint16)
        self.parent = cupy.full(total, -1, np.int32)
        self.hours = cupy.empty((self.slots, 2, longer), np.uint8)
        self.region = cupy.tile(cupy.array([-EDGE, EDGE], np.int32), (SIDE**2, 2))  # until they are known
        self.edges = cupy.zeros((1 + SIDE, SIDE), np.int32)
        self.used = self.samples
        columns = (self.outline, self.where, self.sample, self.rect, self.uses, self.silence, self.parent)
        # An array of one element goes to a kernel by value.
        self.handle = np.zeros((), HANDLE)
        self.handle["columns"] = [column.data.ptr for column in (*columns, self.hours, self.region, self.edges)]
        self.handle["numbers"] = [bins, shift, *scale, longer, longer_shift]

    def launch(self, kernel: str, blocks: int | tuple[int, ...], *args: Any, **options: Any) -> None:
        """Queue a kernel on these fingerprints."""
        launch(self.wide, kernel, blocks, (self.handle, *args), **options)

    def finish(self, slots: Ints) -> None:
        """Those who need no further merge."""
        import cupy

        self.where[cupy.asarray(slots), STATE] = FINISHED

    def living(self, state: int) -> Ints:
        """Slots in a state."""
        import cupy

        rows: Ints = cupy.flatnonzero(self.where[:, STATE] == state).get()
        return rows

    def rank(self) -> Any:
        """The place of each slot on a curve through where people live, so that neighbours there are likely near."""
        import cupy

        corner = self.outline[:, 12:16:2].astype(np.int64)
        corner -= corner.min(axis=0)
        cell = corner * 32767 // max(int(corner.max()), 1)
        key = _spread(cell[:, 0]) | (_spread(cell[:, 1]) << 1)
        order = cupy.argsort(key * (1 << 31) + cupy.arange(self.slots))
        rank = cupy.empty(self.slots, np.int64)
        rank[order] = cupy.arange(self.slots)
        return rank


def prints_of(
    corners: Any, offsets: Ints, people: Ints, scale: Scale, room: int = 0, most_people: int = 0, spare: int = 0
) -> Prints:
    """Fingerprint u in slot u, with room for some more samples and slots; groups may grow to `most_people`."""
    import cupy

    most_people = max(most_people, int(people.max()))
    if most_people > MOST_SAMPLES // 2:
        raise NoRoom("the GPU counts crowds in 32 bits, and these are larger")
    spans = tuple(int(n) for n in corners[:, 1::2].max(axis=0))
    prints = Prints(np.diff(offsets), (spans[0], spans[1], spans[2]), scale, room, most_people, spare)
    prints.edges[...] = cupy.asarray(edges_of(corners[:: max(1, len(corners) // SAMPLED), 2:6:2]))
    ends, crowd = cupy.asarray(offsets), cupy.asarray(people.astype(np.int32))
    for begin, end in chunks(np.diff(offsets)):
        rows = cupy.asarray(np.ascontiguousarray(corners[offsets[begin] : offsets[end]], np.int32))
        scratch = cupy.empty(3 * len(rows), np.int32)
        prints.launch("fill", end - begin, rows, ends, crowd, scratch, np.int32(begin), threads=128)
    boxes = cupy.tile(cupy.array([EDGE, -EDGE], np.int32), (SIDE**2, 2))
    prints.launch("bound_regions", prints.slots, boxes, threads=32)
    prints.region[...] = cupy.where(boxes[:, :1] > boxes[:, 1:2], 0, boxes)
    return prints


def edges_of(places: Ints) -> NDArray[np.int32]:
    """Where strips begin along x, then where the regions of each begin along y: about as many places are in each.

    Any edges serve, because the box of a region is that of what lies in it.
    """
    distinct = np.unique(places[:, 0].astype(np.int64) << 32 | places[:, 1])
    x, y = distinct >> 32, distinct & 0xFFFFFFFF
    edges = np.zeros((1 + SIDE, SIDE), np.int32)
    begin = np.arange(SIDE + 1) * len(distinct) // SIDE
    edges[0] = x[begin[:-1]]
    for strip, (low, high) in enumerate(itertools.pairwise(begin), 1):
        if low < high:
            edges[strip] = np.sort(y[low:high])[np.arange(SIDE) * (high - low) // SIDE]
    return edges


def chunks(sizes: Ints, bytes_each: int = LOAD_BYTES) -> list[tuple[int, int]]:
    """First and last of runs whose sizes add up to what fits; a single one may be larger."""
    most = min(CHUNK, free_bytes() // (2 * bytes_each))
    ends = np.cumsum(sizes)
    runs, begin = [], 0
    while begin < len(sizes):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + most, "right")))
        runs.append((begin, end))
        begin = end
    return runs


def _plan(slots: int, samples: int, total: int, minutes: int) -> tuple[int, int]:
    """How coarse the sketches must be, and the bytes that all of it takes."""
    shift = FINEST_SHIFT
    while shift < 30 and ((minutes >> shift) + 1) * slots * 2 > free_bytes() // SKETCH_SHARE:
        shift += 1
    sketch = (((minutes >> shift) + 1) + _longer(minutes, shift)[0]) * slots * 2
    passing = max(min(samples, CHUNK) * LOAD_BYTES, samples * BACK_BYTES)
    return shift, sketch + slots * SLOT_BYTES + total * SAMPLE_BYTES + passing


def _longer(minutes: int, shift: int) -> tuple[int, int]:
    """How many longer bins there are, filled up to whole words, and how long they are: eight of the others or more."""
    shift += 3
    while (minutes >> shift) >= MOST_LONGER:
        shift += 1
    return -(-((minutes >> shift) + 1) // WORD_BYTES) * WORD_BYTES, shift


def _is_wide(spans: tuple[int, int, int], scale: Scale, people: int) -> bool:
    """Whether the cost of one sample, without caps, can exceed what 32 bits hold."""
    t, x, y = spans
    return people * max(2 * (scale.space * (x + y) + scale.time * t), full(scale)) >= NARROW


def _spread(bits: Any) -> Any:
    """Bits, at most sixteen, with a gap after each."""
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        bits = (bits | (bits << shift)) & mask
    return bits

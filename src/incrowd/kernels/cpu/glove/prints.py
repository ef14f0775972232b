"""Fingerprints laid out for search: samples by start, distinct rectangles by use, a sketch of when each is where."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.types import Scale

Short = NDArray[np.int32]
Bytes = NDArray[np.uint8]

SIDES = 6  # of a box: t, t end, x, x end, y, y end
GROUPS = 4  # of the places of a fingerprint: the three most used, and all others
MINUTES = 2  # unit of a sketch, in which a byte holds the cap
SIDE = 45  # strips of regions, and regions in a strip
SKETCH_BYTES = 512 << 20
FINEST_SHIFT = 3  # bins of 8 minutes
COARSE_SHIFT = 6  # longer bins of 64, or of two bins if these are longer
MOST_BINS = 1 << 16
EDGE = 1 << 30  # beyond every coordinate


class Prints(NamedTuple):
    """One slot per living fingerprint; its samples and rectangles lie in columns that only grow."""

    scale: Ints  # space, space cap, time, time cap
    ident: Ints  # the id of the fingerprint in a slot: the user, or the number of its merge
    people: Ints
    first: Ints  # its samples are first : first + size
    size: Ints
    start: Short
    end: Short
    reach: Short  # the latest end up to here
    place: Short  # which of its rectangles
    places_first: Ints
    places: Ints
    rectangle: Short  # rows x, x end, y, y end
    uses: Short  # samples at a rectangle
    region: NDArray[np.uint16]  # in which a rectangle lies; 0 is everywhere
    regions: Short  # rows x, x end, y, y end of each, and the smallest width and height in it
    hull: Short  # t, t end, x, x end, y, y end
    brief: Ints  # shortest and longest sample
    quiet: NDArray[np.uint8]  # [slot, bin, group]: from the bin to the nearest sample at these places, capped
    coarse: NDArray[np.uint8]  # the same of longer bins, the least in each
    calm: Bytes  # [slot, longer bin]: the same to the nearest sample anywhere
    hours: Bytes  # [slot, longer bin]: samples that begin and end in it, up to 255
    chart: NDArray[np.uint8]  # [region, slot]: from the region to the nearest rectangle of a slot, capped, in steps
    shift: Ints  # a bin is 2**shift minutes, of each of both
    runs: Ints  # samples one after the other at one place in one longer bin, of each slot; the first is at `first`
    run: Short  # rows place, first and last bin, samples
    used: Ints  # samples, rectangles written so far


def allocate(sizes: Ints, minutes: int, scale: Scale, room: int) -> Prints:
    """Columns for these fingerprints and `room` more samples; untouched columns cost no memory."""
    slots, samples = len(sizes), int(sizes.sum()) + room
    shift = FINEST_SHIFT
    while ((minutes >> shift) + 1) * max(GROUPS * slots, SKETCH_BYTES // MOST_BINS) > SKETCH_BYTES:
        shift += 1
    longer = max(shift + 1, COARSE_SHIFT)

    def column(*shape: int) -> Short:
        return np.empty(shape, np.int32)

    return Prints(
        scale=np.array(scale, np.int64),
        ident=np.arange(slots),
        people=np.ones(slots, np.int64),
        first=np.zeros(slots, np.int64),
        size=np.zeros(slots, np.int64),
        start=column(samples),
        end=column(samples),
        reach=column(samples),
        place=column(samples),
        places_first=np.zeros(slots, np.int64),
        places=np.zeros(slots, np.int64),
        rectangle=column(4, samples),
        uses=column(samples),
        region=np.zeros(samples, np.uint16),
        regions=column(6, 0),
        hull=column(slots, 6),
        brief=np.zeros((slots, 2), np.int64),
        quiet=np.empty((slots, (minutes >> shift) + 1, GROUPS), np.uint8),
        coarse=np.empty((slots, (minutes >> longer) + 1, GROUPS), np.uint8),
        calm=np.empty((slots, (minutes >> longer) + 1), np.uint8),
        hours=np.empty((slots, (minutes >> longer) + 1), np.uint8),
        chart=np.empty((0, slots), np.uint8),
        shift=np.array([shift, longer]),
        runs=np.zeros(slots, np.int64),
        run=column(4, samples),
        used=np.zeros(2, np.int64),
    )


def prints_of(corners: Short, offsets: Ints, people: Ints, scale: Scale, room: int = 0) -> Prints:
    """Fingerprint u in slot u, with room for some more samples."""
    prints = allocate(np.diff(offsets), int(corners[:, 1].max()), scale, room)
    prints.people[:] = people
    fill(prints, corners, offsets)
    regions = divide(prints)
    prints = prints._replace(regions=regions, chart=np.empty((regions.shape[1], len(people)), np.uint8))
    draw_all(prints)
    return prints


def divide(p: Prints) -> Short:
    """Give every rectangle a region: one of its own if there are few different ones, else some neighbours share it."""
    distinct, which = np.unique(p.rectangle[:, : p.used[1]].T, axis=0, return_inverse=True)
    count = len(distinct)
    strip = np.arange(count) // -(-count // SIDE)
    order = np.lexsort((distinct[:, 2], strip))
    begin = np.arange(0, count, -(-count // SIDE**2))
    rank = np.empty(count, np.uint16)
    rank[order] = 1 + np.repeat(np.arange(len(begin)), np.diff(np.append(begin, count)))
    p.region[: p.used[1]] = rank[which.ravel()]
    x, x_end, y, y_end = distinct[order].T
    low, high = np.minimum.reduceat, np.maximum.reduceat
    hulls = [low(x, begin), high(x_end, begin), low(y, begin), high(y_end, begin)]
    widths = [low(x_end - x, begin), low(y_end - y, begin)]
    anywhere = np.array([[-EDGE, EDGE, -EDGE, EDGE, 0, 0]], np.int32)
    return np.ascontiguousarray(np.concatenate([anywhere, np.column_stack(hulls + widths)]).T)


@compiled
def fill(p: Prints, corners: Short, offsets: Ints) -> None:
    """Lay out one fingerprint per slot."""
    for slot in range(len(offsets) - 1):
        put(p, slot, corners[offsets[slot] : offsets[slot + 1]])


@helper
def put(p: Prints, slot: int, corners: Short) -> None:
    """Append a fingerprint and let the slot own it."""
    at, size = p.used[0], len(corners)
    p.first[slot], p.size[slot] = at, size
    p.places_first[slot] = p.used[1]
    reach = corners[0, 1]
    for i in range(size):
        reach = max(reach, corners[i, 1])
        p.start[at + i], p.end[at + i], p.reach[at + i] = corners[i, 0], corners[i, 1], reach
    p.places[slot] = _places(p, at, p.used[1], corners)
    p.used[0] += size
    p.used[1] += p.places[slot]
    p.runs[slot] = _runs(p, at, size)
    _count(p, slot)
    _outline(p, slot, corners)


@compiled
def draw_all(p: Prints) -> None:
    """Chart every slot."""
    for slot in range(len(p.first)):
        draw(p, slot)


@helper
def step_of(p: Prints) -> int:
    """The unit of a chart, in which a byte holds the cap."""
    return int(p.scale[1]) // 0xFF + 1


@helper
def draw(p: Prints, slot: int) -> None:
    """Chart how far each region is from the rectangles of a slot, once there are regions.

    Boxes that do not overlap are stretched by the gap between them and at least by the narrower of the two.
    """
    first, cap, step = p.places_first[slot], np.int32(p.scale[1]), np.int32(step_of(p))
    least = np.empty(p.chart.shape[0], np.int32)
    for r in range(len(least)):
        least[r] = cap
    x0, x1, y0, y1, wide, high = p.regions[0], p.regions[1], p.regions[2], p.regions[3], p.regions[4], p.regions[5]
    for k in range(first, first + p.places[slot]):
        left, right, down, up = p.rectangle[0, k], p.rectangle[1, k], p.rectangle[2, k], p.rectangle[3, k]
        for r in range(len(least)):
            x = max(x0[r] - right, left - x1[r])
            y = max(y0[r] - up, down - y1[r])
            x = x + min(wide[r], right - left) if x >= 0 else 0
            y = y + min(high[r], up - down) if y >= 0 else 0
            least[r] = min(least[r], x + y)
    for r in range(len(least)):
        p.chart[r, slot] = least[r] // step


@helper
def _places(p: Prints, at: int, base: int, corners: Short) -> int:
    """Number the distinct rectangles, most used first; how many there are."""
    places, last = 0, 0
    for i in range(len(corners)):
        k = last if places and _same(p.rectangle, base + last, corners[i]) else 0
        while k < places and not _same(p.rectangle, base + k, corners[i]):
            k += 1
        if k == places:
            for side in range(4):
                p.rectangle[side, base + k] = corners[i, 2 + side]
            p.uses[base + k] = 0
            places += 1
        p.uses[base + k] += 1
        p.place[at + i] = last = k
    rank = _put_most_used_first(p.rectangle[:, base : base + places], p.uses[base : base + places])
    for i in range(len(corners)):
        p.place[at + i] = rank[p.place[at + i]]
    return places


@helper
def _put_most_used_first(rectangle: Short, uses: Short) -> Ints:
    """Sort rectangles by falling use, stably; the new place of each."""
    order, rank = np.empty(len(uses), np.int64), np.empty(len(uses), np.int64)
    for k in range(len(uses)):
        at = k
        while at > 0 and uses[order[at - 1]] < uses[k]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = k
    old, old_uses = rectangle.copy(), uses.copy()
    for k in range(len(uses)):
        rank[order[k]] = k
        uses[k] = old_uses[order[k]]
        for side in range(4):
            rectangle[side, k] = old[side, order[k]]
    return rank


@helper
def _runs(p: Prints, at: int, size: int) -> int:
    """Count samples one after the other that a coarse bound takes together; how many runs there are."""
    made, shift = 0, p.shift[1]
    for i in range(at, at + size):
        place, low, high = p.place[i], p.start[i] >> shift, (p.end[i] - 1) >> shift
        last = at + made - 1
        if made and p.run[0, last] == place and p.run[1, last] == low and p.run[2, last] == high:
            p.run[3, last] += 1
            continue
        p.run[0, at + made], p.run[1, at + made], p.run[2, at + made], p.run[3, at + made] = place, low, high, 1
        made += 1
    return made


@helper
def _count(p: Prints, slot: int) -> None:
    """Count the samples of each longer bin; those in several are left out."""
    p.hours[slot] = 0
    for i in range(p.first[slot], p.first[slot] + p.runs[slot]):
        low = p.run[1, i]
        if p.run[2, i] == low:
            p.hours[slot, low] = min(0xFF, p.hours[slot, low] + p.run[3, i])


@helper
def _same(rectangle: Short, at: int, corner: Short) -> bool:
    equal = True
    for side in range(4):
        equal &= rectangle[side, at] == corner[2 + side]
    return equal


@helper
def _outline(p: Prints, slot: int, corners: Short) -> None:
    copy(corners, 0, p.hull, slot)
    p.brief[slot, 0] = p.brief[slot, 1] = corners[0, 1] - corners[0, 0]
    for i in range(1, len(corners)):
        for low in range(0, SIDES, 2):
            p.hull[slot, low] = min(p.hull[slot, low], corners[i, low])
            p.hull[slot, low + 1] = max(p.hull[slot, low + 1], corners[i, low + 1])
        length = corners[i, 1] - corners[i, 0]
        p.brief[slot, 0] = min(p.brief[slot, 0], length)
        p.brief[slot, 1] = max(p.brief[slot, 1], length)
    _listen(p, slot)


@helper
def _listen(p: Prints, slot: int) -> None:
    """Minutes between each bin and the nearest sample of each group; a bound for every sample inside the bin."""
    shift, cap, bins = p.shift[0], p.scale[3], p.quiet.shape[1]
    first, stop = p.first[slot], p.first[slot] + p.size[slot]
    at, quiet = first, p.quiet[slot]
    reach = np.empty(GROUPS, np.int64)
    reach[:] = -cap - 1
    for k in range(bins):
        while at < stop and p.start[at] < (k + 1) << shift:
            g = min(p.place[at], GROUPS - 1)
            reach[g] = max(reach[g], p.end[at])
            at += 1
        for g in range(GROUPS):
            quiet[k, g] = min(cap, max(0, (k << shift) - reach[g])) // MINUTES
    at -= 1
    reach[:] = ((bins + 1) << shift) + cap
    for k in range(bins - 1, -1, -1):
        while at >= first and p.start[at] >= (k + 1) << shift:
            reach[min(p.place[at], GROUPS - 1)] = p.start[at]
            at -= 1
        for g in range(GROUPS):
            quiet[k, g] = min(np.int64(quiet[k, g]), (reach[g] - ((k + 1) << shift)) // MINUTES)
    coarse, longer = p.coarse[slot], p.shift[1] - shift
    coarse[:] = 0xFF
    for k in range(bins):
        for g in range(GROUPS):
            coarse[k >> longer, g] = min(coarse[k >> longer, g], quiet[k, g])
    for k in range(len(coarse)):
        p.calm[slot, k] = min(coarse[k, 0], coarse[k, 1], coarse[k, 2], coarse[k, 3])


@helper
def copy(rows: Short, row: int, into: Short, at: int) -> None:
    """One box to another table."""
    for side in range(SIDES):
        into[at, side] = rows[row, side]


@helper
def corners(p: Prints, slot: int) -> Short:
    """The samples of a slot, one row (t, t end, x, x end, y, y end) each."""
    rows = np.empty((p.size[slot], SIDES), np.int32)
    _write_corners(p, slot, rows, 0)
    return rows


@helper
def _write_corners(p: Prints, slot: int, rows: Short, at: int) -> None:
    for i in range(p.size[slot]):
        sample = p.first[slot] + i
        rows[at + i, 0], rows[at + i, 1] = p.start[sample], p.end[sample]
        for side in range(4):
            rows[at + i, 2 + side] = p.rectangle[side, p.places_first[slot] + p.place[sample]]


def gather(p: Prints, slots: Ints, row: Ints) -> Short:
    """The samples of some slots one after the other; `row[s]` becomes the place of sample s among them."""
    rows = np.empty((p.size[slots].sum(), SIDES), np.int32)
    _gather(p, slots, row, rows)
    return rows


@compiled
def _gather(p: Prints, slots: Ints, row: Ints, rows: Short) -> None:
    at = 0
    for slot in slots:
        _write_corners(p, slot, rows, at)
        for i in range(p.size[slot]):
            row[p.first[slot] + i] = at + i
        at += p.size[slot]

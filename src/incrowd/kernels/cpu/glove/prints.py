"""Fingerprints laid out for search: samples by start, distinct rectangles by use, a sketch of when each is where."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.cpu.glove.chart import Bytes, Short, divide, draw
from incrowd.kernels.types import Scale

GROUPS = 4  # of the places of a fingerprint: the three most used, and all others
MINUTES = 2  # unit of a sketch, in which a byte holds the cap
SKETCH_BYTES = 512 << 20
FINEST_SHIFT = 3  # bins of 8 minutes
COARSE_SHIFT = 6  # longer bins of 64, or of two bins if these are longer
MOST_BINS = 1 << 16


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
    quiet: Bytes  # [slot, bin, group]: from the bin to the nearest sample at these places, capped
    coarse: Bytes  # the same of longer bins, the least in each
    calm: Bytes  # [slot, longer bin]: the same to the nearest sample anywhere
    hours: Bytes  # [slot, longer bin]: samples that begin and end in it, up to 255
    chart: Bytes  # [region, slot]: from the region to the nearest rectangle of a slot, capped, in steps
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
    places = prints.used[1]
    prints.region[:places], regions = divide(prints.rectangle[:, :places])
    prints = prints._replace(regions=regions, chart=np.empty((regions.shape[1], len(people)), np.uint8))
    draw_all(prints)
    return prints


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
    _draw(p, slot)


@compiled
def draw_all(p: Prints) -> None:
    """Chart every slot."""
    for slot in range(len(p.size)):
        _draw(p, slot)


@helper
def _draw(p: Prints, slot: int) -> None:
    first = p.places_first[slot]
    draw(p.chart, slot, p.regions, p.rectangle, first, first + p.places[slot], p.scale[1])


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
    _most_used_first(p, at, len(corners), base, places)
    return places


@helper
def _most_used_first(p: Prints, at: int, size: int, base: int, places: int) -> None:
    """Reorder the rectangles of a fingerprint by use, stably: one after the other goes before those used less."""
    order, uses, rectangle = np.arange(places), p.uses[base : base + places].copy(), np.empty((4, places), np.int32)
    for k in range(places):
        to = k
        while to > 0 and uses[order[to - 1]] < uses[k]:
            order[to] = order[to - 1]
            to -= 1
        order[to] = k
        for side in range(4):
            rectangle[side, k] = p.rectangle[side, base + k]
    rank = np.empty(places, np.int32)
    for to in range(places):
        rank[order[to]] = to
        p.uses[base + to] = uses[order[to]]
        for side in range(4):
            p.rectangle[side, base + to] = rectangle[side, order[to]]
    for i in range(at, at + size):
        p.place[i] = rank[p.place[i]]


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
    copy(p.hull, slot, corners[0])
    p.brief[slot, 0] = p.brief[slot, 1] = corners[0, 1] - corners[0, 0]
    for i in range(1, len(corners)):
        for low in range(0, 6, 2):
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
def copy(corners: Short, at: int, sample: Short) -> None:
    """Write a sample into a row; a loop compiles in a tenth of the time of an assignment of arrays."""
    for side in range(6):
        corners[at, side] = sample[side]


@helper
def corners(p: Prints, slot: int) -> Short:
    """The samples of a slot, one row (t, t end, x, x end, y, y end) each."""
    rows = np.empty((p.size[slot], 6), np.int32)
    for i in range(p.size[slot]):
        sample = p.first[slot] + i
        rows[i, 0], rows[i, 1] = p.start[sample], p.end[sample]
        for side in range(4):
            rows[i, 2 + side] = p.rectangle[side, p.places_first[slot] + p.place[sample]]
    return rows


@compiled
def gather(p: Prints, slots: Ints, row: Ints) -> Short:
    """The samples of some slots one after the other; `row[s]` becomes the place of sample s among them."""
    total = 0
    for slot in slots:
        total += p.size[slot]
    rows, at = np.empty((total, 6), np.int32), 0
    for slot in slots:
        own = corners(p, slot)
        for i in range(len(own)):
            copy(rows, at + i, own[i])
            row[p.first[slot] + i] = at + i
        at += len(own)
    return rows

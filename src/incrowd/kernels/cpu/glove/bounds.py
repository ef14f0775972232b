"""Bounds between hulls and samples: how far apart the places of two fingerprints are, and when each is near its own.

All are per person, so that they hold for any number of people: a stretch is at least the bound times the people.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.kernels.cpu import helper
from incrowd.kernels.cpu.glove.chart import Bytes, Short
from incrowd.kernels.cpu.glove.prints import GROUPS, MINUTES, Prints
from incrowd.kernels.cpu.glove.stretch import apart

NEVER = 1 << 62
NONE = -1
LONG_BINS = 64
FAR = 0xFFFF
LANES = 16  # places of one person that are compared at once


class PlaceTable(NamedTuple):
    """From every region to the places of one fingerprint, which is compared with many: at least so far, capped."""

    far: NDArray[np.uint16]  # [region, place], its places padded to whole lanes
    lead: NDArray[np.uint16]  # [region, group of places]
    least: NDArray[np.uint16]  # the smallest of a row
    uses: Ints  # samples at each place, 0 where padded


class Scratch(NamedTuple):
    """What the bounds of one pair are written to."""

    group: NDArray[np.uint16]  # [group of places of the other, place]: how far it is
    cost: Short  # [place, group of places of the other]
    floor: Short  # the smallest of a row
    part: Short  # the bound of each sample
    low: Ints  # the exact cost in space of each place
    spread: Short  # of each slot, how far the places of a fingerprint are from it


def scratch_of(p: Prints) -> Scratch:
    """Room for the longest fingerprint of all."""
    places = LANES * (p.places.max() // LANES + 1)
    return Scratch(
        group=np.empty((GROUPS, places), np.uint16),
        cost=np.empty((places, GROUPS), np.int32),
        floor=np.empty(places, np.int32),
        part=np.zeros(p.size.max(), np.int32),
        low=np.empty(places, np.int64),
        spread=np.empty(len(p.size), np.int32),
    )


@helper
def table_of(p: Prints, a: int) -> PlaceTable:
    """Boxes that do not overlap are stretched by the gap between them and at least by the narrower of the two."""
    first, places, regions = p.places_first[a], p.places[a], p.regions.shape[1]
    width = LANES * ((places - 1) // LANES + 1)
    far, lead = np.empty((regions, width), np.uint16), np.empty((regions, GROUPS), np.uint16)
    least, uses = np.empty(regions, np.uint16), np.empty(width, np.int64)
    far[:], lead[:] = FAR, FAR
    for k in range(width):
        uses[k] = p.uses[first + k] if k < places else 0
    own = p.rectangle[:, first : first + places].copy()
    cap = p.scale[1]
    for r in range(regions):
        x0, x1, y0, y1, wide, high = p.regions[:, r]
        row = far[r]
        for k in range(places):
            x = max(x0 - own[1, k], own[0, k] - x1)
            y = max(y0 - own[3, k], own[2, k] - y1)
            x = x + min(wide, own[1, k] - own[0, k]) if x >= 0 else 0
            y = y + min(high, own[3, k] - own[2, k]) if y >= 0 else 0
            row[k] = min(x + y, cap)
        for k in range(places):
            g = min(k, GROUPS - 1)
            lead[r, g] = min(lead[r, g], row[k])
        least[r] = min(lead[r, 0], lead[r, 1], lead[r, 2], lead[r, 3])
    return PlaceTable(far, lead, least, uses)


@helper
def costs_from(p: Prints, b: int, table: PlaceTable, s: Scratch) -> int:
    """Costs of the places of the table's fingerprint by groups of places of b; the sum over its samples."""
    group, cost, floor, uses, width, weight = s.group, s.cost, s.floor, table.uses, len(table.uses), p.scale[0]
    first, places = p.places_first[b], p.places[b]
    for g in range(GROUPS):
        for k in range(width):
            group[g, k] = FAR
    for m in range(places):
        row, into = table.far[p.region[first + m]], group[min(m, GROUPS - 1)]
        for c in range(0, width, LANES):
            for k in range(c, c + LANES):
                into[k] = min(into[k], row[k])
    total = 0
    for k in range(width):
        near = min(group[0, k], group[1, k], group[2, k], group[3, k])
        floor[k] = weight * near
        total += weight * uses[k] * near
        for g in range(GROUPS):
            cost[k, g] = weight * group[g, k]
    return total


@helper
def costs_to(p: Prints, b: int, table: PlaceTable, s: Scratch) -> int:
    """The same the other way: of the places of b by groups of places of the table's fingerprint."""
    first, uses, region, lead, least, weight = p.places_first[b], p.uses, p.region, table.lead, table.least, p.scale[0]
    cost, floor = s.cost, s.floor
    total = 0
    for m in range(p.places[b]):
        r = region[first + m]
        floor[m] = weight * least[r]
        total += int(np.int64(uses[first + m]) * np.int64(floor[m]))
        for g in range(GROUPS):
            cost[m, g] = weight * lead[r, g]
    return total


@helper
def costs_between(p: Prints, a: int, b: int, limit: int, s: Scratch) -> int:
    """Costs of the places of a by groups of places of b, from the rectangles, for places without a region; the sum."""
    n_a, n_b = p.people[a], p.people[b]
    n, r = n_a + n_b, p.rectangle
    total = 0
    for k in range(p.places[a]):
        i = p.places_first[a] + k
        for g in range(GROUPS):
            s.cost[k, g] = p.scale[0] * FAR
        for m in range(p.places[b]):
            j = p.places_first[b] + m
            x = apart(r[0, i], r[1, i], r[0, j], r[1, j], n_a, n_b)
            space = x + apart(r[2, i], r[3, i], r[2, j], r[3, j], n_a, n_b)
            g = min(m, GROUPS - 1)
            s.cost[k, g] = min(s.cost[k, g], p.scale[0] * min(space // n, p.scale[1]))
        s.floor[k] = min(s.cost[k, 0], s.cost[k, 1], s.cost[k, 2], s.cost[k, 3])
        total += np.int64(p.uses[i]) * s.floor[k]
        if total > limit:
            break
    return total


@helper
def _cheapest(cost: Short, quiet: Bytes, k: int, part: int, unit: int) -> np.int32:
    """The smallest cost of a place over the groups of places of another, in a bin."""
    first = min(np.int32(cost[k, 0] + unit * quiet[part, 0]), np.int32(cost[k, 1] + unit * quiet[part, 1]))
    last = min(np.int32(cost[k, 2] + unit * quiet[part, 2]), np.int32(cost[k, 3] + unit * quiet[part, 3]))
    return min(first, last)


@helper
def run_bound(p: Prints, a: int, b: int, total: int, limit: int, s: Scratch) -> int:
    """The bound in space, raised run by run by when b was last, or is next, at each group of its places."""
    run, coarse, cost, floor, unit = p.run, p.coarse[b], s.cost, s.floor, np.int32(MINUTES * p.scale[2])
    for i in range(p.first[a], p.first[a] + p.runs[a]):
        k, low, high = np.uint64(run[0, i]), np.uint64(run[1, i]), np.uint64(run[2, i])
        best = _cheapest(cost, coarse, k, low, unit)
        if high > low:
            if high - low > LONG_BINS:
                continue
            for part in range(low + 1, high + 1):
                best = min(best, _cheapest(cost, coarse, k, part, unit))
        total += int(np.int64(run[3, i]) * np.int64(best - floor[k]))
        if total > limit:
            break
    return total


@helper
def joint_bound(p: Prints, a: int, b: int, total: int, limit: int, s: Scratch) -> int:
    """The bound in space, raised sample by sample by when b was last, or is next, at each group of its places.

    `s.part` keeps what each sample adds.
    """
    n_a, n_b, shift = p.people[a], p.people[b], p.shift[0]
    n, cap, minute, unit = n_a + n_b, p.scale[3], p.scale[2], np.int32(MINUTES * p.scale[2])
    shortest, longest = p.brief[b]
    first, starts, ends, places = p.first[a], p.start, p.end, p.place
    quiet, cost, floor, adds = p.quiet[b], s.cost, s.floor, s.part
    for i in range(p.size[a]):
        start, end, k = starts[first + i], ends[first + i], np.uint64(places[first + i])
        length = end - start
        differ = n_b * max(0, length - longest) + n_a * max(0, shortest - length)
        if differ > 0:
            differ = differ // n
        low, high = np.uint64(start >> shift), np.uint64((end - 1) >> shift)
        best = np.int64(floor[k])
        if high - low <= LONG_BINS:
            least = _cheapest(cost, quiet, k, low, unit)
            for part in range(low + 1, high + 1):
                least = min(least, _cheapest(cost, quiet, k, part, unit))
            best = np.int64(least)
        best = min(best + minute * differ, floor[k] + minute * cap)
        adds[i] = best
        total += best - floor[k]
        if total > limit:
            break
    return total


@helper
def hulls_apart(p: Prints, a: int, b: int) -> tuple[int, int]:
    """No sample of one is closer to any of the other than their hulls, in space and in time; per person and sample."""
    t = max(0, p.hull[b, 0] - p.hull[a, 1], p.hull[a, 0] - p.hull[b, 1])
    x = max(0, p.hull[b, 2] - p.hull[a, 3], p.hull[a, 2] - p.hull[b, 3])
    y = max(0, p.hull[b, 4] - p.hull[a, 5], p.hull[a, 4] - p.hull[b, 5])
    return p.scale[0] * min(x + y, p.scale[1]), p.scale[2] * min(t, p.scale[3])

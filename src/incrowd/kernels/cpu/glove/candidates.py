"""Bounds of one fingerprint against many candidates, each dearer than the last and only where that one was too low.

A bound is a score, per person and sample: no candidate is nearer than its score.
"""

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu import helper
from incrowd.kernels.cpu.glove.bounds import (
    NEVER,
    PlaceTable,
    Scratch,
    costs_between,
    costs_from,
    costs_to,
    hulls_apart,
    run_bound,
)
from incrowd.kernels.cpu.glove.chart import Bytes, Short, step_of
from incrowd.kernels.cpu.glove.prints import MINUTES, Prints

AT_ONCE = 4096  # slots whose sums stay in the nearest cache
MOST = (1 << 31) - 1  # of a sum


@helper
def spread(p: Prints, a: int, total: Short) -> None:
    """For every slot, how far the samples of a are from its closest rectangles, all together."""
    first, stop, uses, region, chart = p.places_first[a], p.places_first[a] + p.places[a], p.uses, p.region, p.chart
    step, most = step_of(p.scale[1]), MOST // p.scale[1] // p.places[a]
    for start in range(0, len(total), AT_ONCE):
        part = total[start : start + AT_ONCE]
        part[:] = 0
        for k in range(first, stop):
            # Fewer samples than there are make a lower bound that fits.
            weight, row = np.int32(step * min(uses[k], most)), chart[region[k], start : start + AT_ONCE]
            for slot in range(len(part)):
                part[slot] += weight * np.int32(row[slot])


@helper
def by_places(p: Prints, a: int, candidates: Ints, score: Floats, table: PlaceTable, s: Scratch) -> None:
    """The bound of the places of both, which are summed over the longer; of hulls where one has no regions."""
    size, first, places, uses, region = p.size, p.places_first, p.places, p.uses, p.region
    least, spreads, weight, own = table.least, s.spread, p.scale[0], p.size[a]
    known = region[first[a]] > 0
    spread(p, a, spreads)
    for c in range(len(candidates)):
        b = candidates[c]
        there = back = NEVER
        if own >= size[b]:
            there = weight * np.int64(spreads[b]) if known else costs_from(p, b, table, s)
        if own <= size[b]:
            back = 0
            for m in range(first[b], first[b] + places[b]):
                back += int(np.int64(uses[m]) * np.int64(least[region[m]]))
            back *= weight
        score[c] = min(there, back) / max(own, size[b]) if a != b else np.inf
        if not known or region[first[b]] == 0:
            score[c] = max(score[c], float(hulls_apart(p, a, b)[0]))


@helper
def hours_apart(hours: Bytes, a: int, calm: Bytes, b: int) -> np.int32:
    """From the samples of a to when b is next anywhere, all together, in the unit of a sketch."""
    total = np.int32(0)
    for k in range(hours.shape[1]):
        total += np.int32(hours[a, k]) * np.int32(calm[b, k])
    return total


@helper
def by_hours(p: Prints, a: int, candidates: Ints, score: Floats, most: float, seeds: Ints) -> None:
    """Raise the scores that are not above `most` by the hours of both, which are summed over the longer.

    With room for seeds it notes those with the smallest scores instead, the smallest first, and leaves the scores.
    """
    size, hours, calm, unit, own = p.size, p.hours, p.calm, MINUTES * p.scale[2], p.size[a]
    rank = np.empty(len(seeds))
    rank[:] = np.inf
    for c in range(len(candidates)):
        if score[c] > most or score[c] == np.inf:
            continue
        b = candidates[c]
        longer = max(own, size[b])
        there = hours_apart(hours, a, calm, b) if own == longer else NEVER
        back = hours_apart(hours, b, calm, a) if size[b] == longer else NEVER
        bound = score[c] + unit * min(there, back) / longer
        if len(seeds) == 0:
            score[c] = bound
        elif bound < rank[-1]:
            k = len(seeds) - 1
            while k > 0 and bound < rank[k - 1]:
                seeds[k], rank[k] = seeds[k - 1], rank[k - 1]
                k -= 1
            seeds[k], rank[k] = c, bound
            most = rank[-1]


@helper
def by_runs(p: Prints, a: int, candidates: Ints, score: Floats, most: float, table: PlaceTable, s: Scratch) -> None:
    """Raise the scores that are not above `most` by when each was near which group of places of the other."""
    size, first, region = p.size, p.places_first, p.region
    known = region[first[a]] > 0
    for c in range(len(candidates)):
        if score[c] > most or score[c] == np.inf:
            continue
        b = candidates[c]
        longer = max(size[a], size[b])
        limit = NEVER if most == np.inf else int(most * longer) + 1
        both = known and region[first[b]] > 0
        there = back = NEVER
        if size[a] == longer:
            there = costs_from(p, b, table, s) if both else costs_between(p, a, b, limit, s)
            if there <= limit:
                there = run_bound(p, a, b, there, limit, s)
        if size[b] == longer:
            back = costs_to(p, b, table, s) if both else costs_between(p, b, a, limit, s)
            if back <= limit:
                back = run_bound(p, b, a, back, limit, s)
        score[c] = max(score[c], min(there, back) / longer)

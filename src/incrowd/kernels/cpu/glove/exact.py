"""The exact stretch of two fingerprints, from bounds that are made exact sample by sample until it is too far."""

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.cpu import helper
from incrowd.kernels.cpu.glove.bounds import NEVER, NONE, Scratch
from incrowd.kernels.cpu.glove.prints import Prints
from incrowd.kernels.cpu.glove.stretch import apart

# What was done: pairs asked for, left after places, hours and runs, left after the joint bound, finished; sample
# comparisons.
PAIRS, NEAR, CLOSE, EXACT, COMPARED = range(5)


@helper
def nearest_places(p: Prints, a: int, b: int, limit: int, low: Ints) -> int:
    """The closest rectangle of b to each of a, the most used first."""
    n_a, n_b = p.people[a], p.people[b]
    n = n_a + n_b
    first, last = p.places_first[b], p.places_first[b] + p.places[b]
    left, right = p.rectangle[0, first:last], p.rectangle[1, first:last]
    down, up = p.rectangle[2, first:last], p.rectangle[3, first:last]
    total: int = 0
    for k in range(p.places_first[a], p.places_first[a] + p.places[a]):
        x0, x1, y0, y1 = p.rectangle[0, k], p.rectangle[1, k], p.rectangle[2, k], p.rectangle[3, k]
        own = n_a * (x1 - x0 + y1 - y0)
        best = own + p.scale[1] * n
        for j in range(len(left)):
            union = max(x1, right[j]) - min(x0, left[j]) + max(y1, up[j]) - min(y0, down[j])
            best = min(best, n * union - n_b * (right[j] - left[j] + up[j] - down[j]))
        floor = p.scale[0] * (best - own)
        low[k - p.places_first[a]] = floor
        total += p.uses[k] * floor
        if total > limit:
            break
    return total


@helper
def refined(p: Prints, a: int, b: int, bound: int, limit: int, s: Scratch, work: Ints) -> int:
    """Numerator of the stretch of the samples of a to b, from a bound that is made exact sample by sample; or -1."""
    low, part = s.low, s.part
    if nearest_places(p, a, b, limit, low) > limit:
        return NONE  # and `low` is not filled
    n_a, n_b = p.people[a], p.people[b]
    n = n_a + n_b
    starts, ends, reach, place, r = p.start, p.end, p.reach, p.place, p.rectangle
    space_unit, time_unit, space_cap, time_cap = p.scale[0], p.scale[2], p.scale[1] * n, p.scale[3] * n
    begin, stop, mine, theirs = p.first[b], p.first[b] + p.size[b], p.places_first[a], p.places_first[b]
    after = begin
    compared = 0
    for i in range(p.first[a], p.first[a] + p.size[a]):
        start, end, k = np.int64(starts[i]), np.int64(ends[i]), mine + place[i]
        floor = low[place[i]]
        while after < stop and starts[after] <= start:
            after += 1
        best = floor + time_unit * time_cap  # all beyond the cap in time: the closest in space decides
        left, right = after - 1, after
        while True:
            behind = ahead = NEVER
            if left >= begin:
                behind = n_a * (start - starts[left]) + n_b * max(0, end - reach[left])
            if right < stop:
                ahead = n_a * max(0, starts[right] + 1 - end) + n_b * (starts[right] - start)
            if floor + time_unit * min(behind, ahead, time_cap) >= best:
                break
            if behind <= ahead:
                j = left
                left -= 1
            else:
                j = right
                right += 1
            compared += 1
            tau = time_unit * apart(start, end, starts[j], ends[j], n_a, n_b)
            if floor + tau < best:
                m = theirs + place[j]
                space = apart(r[0, k], r[1, k], r[0, m], r[1, m], n_a, n_b)
                space += apart(r[2, k], r[3, k], r[2, m], r[3, m], n_a, n_b)
                best = min(best, space_unit * min(space, space_cap) + tau)
        bound += best - n * part[i - p.first[a]]
        if bound > limit:
            work[COMPARED] += compared
            return NONE
    work[EXACT] += 1
    work[COMPARED] += compared
    return bound

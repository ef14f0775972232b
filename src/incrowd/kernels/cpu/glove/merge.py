"""Two fingerprints into one, which pair is next, and boxes that overlap in time into boxes that do not, compiled."""

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.cpu.glove.bounds import NEVER, NONE
from incrowd.kernels.cpu.glove.chart import Short
from incrowd.kernels.cpu.glove.nearest import compare
from incrowd.kernels.cpu.glove.prints import Prints, copy, corners, put
from incrowd.kernels.cpu.glove.stretch import closest, stretch
from incrowd.kernels.types import Scale


@helper
def merge(longer: Ints, shorter: Ints, n_l: int, n_s: int, scale: Scale, uncapped: bool) -> tuple[Ints, Ints, Ints]:
    """Merged corners in canonical order, and the row each sample of both went to."""
    target = np.empty(len(longer), np.int64)
    place = np.empty(len(shorter), np.int64)
    place[:] = NONE
    for i in range(len(longer)):
        target[i] = closest(longer[i], shorter, n_l, n_s, scale, uncapped)[0]
        place[target[i]] = 0
    boxes, pointed = np.empty_like(shorter), 0
    for j in range(len(shorter)):
        if place[j] == 0:
            copy(boxes, pointed, shorter[j])
            place[j] = pointed
            pointed += 1
    boxes = boxes[:pointed]
    for i in range(len(longer)):
        target[i] = place[target[i]]
        _widen(boxes[target[i]], longer[i])
    grown = boxes.copy()
    for j in range(len(shorter)):
        if place[j] < 0:
            place[j] = closest(shorter[j], boxes, n_s, n_l + n_s, scale, uncapped)[0]
            _widen(grown[place[j]], shorter[j])
    made: tuple[Ints, Ints, Ints] = _in_order(grown, target, place)
    return made


@helper
def _widen(box: Ints, sample: Ints) -> None:
    for low in range(0, 6, 2):
        box[low] = min(box[low], sample[low])
        box[low + 1] = max(box[low + 1], sample[low + 1])


@helper
def _in_order(boxes: Ints, to_l: Ints, to_s: Ints) -> tuple[Ints, Ints, Ints]:
    """Sort rows lexicographically, stably, one after the other, as most are in order; to where samples went."""
    order, rank, rows = np.arange(len(boxes)), np.empty(len(boxes), np.int64), np.empty_like(boxes)
    for i in range(len(boxes)):
        at = i
        while at > 0 and _before(boxes[i], boxes[order[at - 1]]):
            order[at] = order[at - 1]
            at -= 1
        order[at] = i
    for row in range(len(order)):
        rank[order[row]] = row
        copy(rows, row, boxes[order[row]])
    for targets in (to_l, to_s):
        for i in range(len(targets)):
            targets[i] = rank[targets[i]]
    return rows, to_l, to_s


@helper
def _before(box: Ints, other: Ints) -> bool:
    """Whether a box comes before another: by its first number that differs."""
    for side in range(6):
        if box[side] != other[side]:
            return bool(box[side] < other[side])
    return False


@compiled
def join(p: Prints, a: int, b: int, uncapped: bool, limits: Ints, parent: Short) -> tuple[int, int]:
    """Merge slot b into slot a, whose id is the smaller; numerator of their stretch, and the samples that are left.

    `parent[s]` becomes the merged sample that covers sample s, or -1 where it was beyond the limits (space, time).
    """
    one, two = corners(p, a), corners(p, b)
    total, first = stretch(one, two, p.people[a], p.people[b], p.scale)
    n_a, n_b = p.people[a], p.people[b]
    if first:
        boxes, to_a, to_b = merge(one, two, n_a, n_b, p.scale, uncapped)
    else:
        boxes, to_b, to_a = merge(two, one, n_b, n_a, p.scale, uncapped)
    place, left = np.empty(len(boxes), np.int64), 0
    place[:] = NONE
    for i in range(len(boxes)):
        if not beyond(boxes[i], limits[0], limits[1]):
            copy(boxes, left, boxes[i])
            place[i] = p.used[0] + left
            left += 1
    for i in range(len(one)):
        parent[p.first[a] + i] = place[to_a[i]]
    for i in range(len(two)):
        parent[p.first[b] + i] = place[to_b[i]]
    parent[p.used[0] : p.used[0] + left] = -1
    if left:
        put(p, a, boxes[:left])
    p.people[a] = n_a + n_b
    return total, left


@helper
def beyond(box: Ints, most_space: int, most_time: int) -> bool:
    """Whether a box is wider than the one limit or longer than the other."""
    return bool(max(box[3] - box[2], box[5] - box[4]) > most_space or box[1] - box[0] > most_time)


@compiled
def resolve(parent: Short, row: Ints) -> None:
    """Give every sample the row of the merged sample that covers it; parents come after their children."""
    for s in range(len(row) - 1, -1, -1):
        if parent[s] >= 0:
            row[s] = row[parent[s]]


@helper
def union(corners: Ints) -> Ints:
    """Boxes whose half-open intervals overlap, directly or through others, become their hull; rows are in order."""
    pieces = np.empty_like(corners)
    made = 0
    for box in corners:
        if made and box[0] < pieces[made - 1, 1]:
            _widen(pieces[made - 1], box)
        else:
            copy(pieces, made, box)
            made += 1
    return pieces[:made].copy()


@helper
def split(corners: Ints) -> Ints:
    """Time is cut at every start and end; each covered piece gets the hull rectangle of the boxes that cover it."""
    cuts = np.unique(corners[:, :2].copy().ravel())
    pieces = np.empty((len(cuts), 6), corners.dtype)
    made = past = 0
    for cut in range(len(cuts) - 1):
        low, high = cuts[cut], cuts[cut + 1]
        covered = False
        while past < len(corners) and corners[past, 1] <= low:
            past += 1
        for i in range(past, len(corners)):
            if corners[i, 0] > low:
                break
            if corners[i, 1] > low:
                if covered:
                    _widen(pieces[made], corners[i])
                else:
                    copy(pieces, made, corners[i])
                covered = True
        if covered:
            pieces[made, 0], pieces[made, 1] = low, high
            made += 1
    return pieces[:made].copy()


@compiled
def reshape(corners: Ints, offsets: Ints, pieces_only: bool) -> tuple[Ints, Ints]:
    """Union (or split) the boxes of each group; the new rows and where each group begins."""
    ends = np.zeros(len(offsets), np.int64)
    parts = np.empty((2 * len(corners), 6), corners.dtype)
    for g in range(len(offsets) - 1):
        rows = corners[offsets[g] : offsets[g + 1]]
        made = split(rows) if pieces_only else union(rows)
        ends[g + 1] = ends[g] + len(made)
        for i in range(len(made)):
            copy(parts, ends[g] + i, made[i])
    return parts[: ends[-1]].copy(), ends


@helper
def head(row: int, ids: Ints, slot: Ints) -> int:
    """The place of the nearest living id in the list of a row, or the length of the list."""
    take: int = ids.shape[1]
    for at in range(take):
        if ids[row, at] < 0:
            return take
        if slot[ids[row, at]] >= 0:
            return at
    return take


@compiled
def pick(active: Ints, slot: Ints, ids: Ints, over: Ints, under: Ints, whole: Ints, least: int) -> tuple[int, int]:
    """The row with the smallest (stretch, lo, hi), and its nearest living id; -1 where it must be scanned first.

    Rows come by rising id, so that the first of equals has the smaller one. A list with nobody alive bounds its row
    by its last entry: whoever is as near has a larger id than that, and one of at least `least`, the smallest of all.
    A list that held everybody has nobody left to find.
    """
    take = ids.shape[1]
    chosen, other, lo, best_over, best_under = NONE, NONE, NONE, NEVER, 1
    for row in active:
        at = head(row, ids, slot)
        if at == take and whole[row]:
            continue
        head_id = NONE if at == take else ids[row, at]
        bound = max(least, ids[row, take - 1] + 1) if at == take else head_id
        place = min(at, take - 1)
        sign = -1 if chosen == NONE else compare(over[row, place], under[row, place], best_over, best_under)
        if sign < 0 or (sign == 0 and bound < lo):
            chosen, other, lo, best_over, best_under = row, head_id, bound, over[row, place], under[row, place]
    return chosen, other


@compiled
def heads(active: Ints, slot: Ints, ids: Ints) -> Ints:
    """The nearest living id of each active row; -1 where its list is used up."""
    first = np.empty(len(active), np.int64)
    first[:] = NONE
    for k in range(len(active)):
        at = head(active[k], ids, slot)
        if at < ids.shape[1]:
            first[k] = ids[active[k], at]
    return first

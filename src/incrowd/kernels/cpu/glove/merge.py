"""Two fingerprints into one, compiled."""

import numpy as np
from numba import njit

from incrowd.arrays import Ints
from incrowd.kernels.cpu.glove.prints import Prints, Short, corners, put
from incrowd.kernels.cpu.glove.stretch import closest, stretch
from incrowd.kernels.types import Scale


@njit(cache=True)
def merge(longer: Ints, shorter: Ints, n_l: int, n_s: int, scale: Scale, uncapped: bool) -> tuple[Ints, Ints, Ints]:
    """Merged corners in canonical order, and the row each sample of both went to."""
    target = np.empty(len(longer), np.int64)
    place = np.full(len(shorter), -1)
    for i in range(len(longer)):
        target[i] = closest(longer[i], shorter, n_l, n_s, scale, uncapped)[0]
        place[target[i]] = 0
    pointed = np.flatnonzero(place == 0)
    place[pointed] = np.arange(len(pointed))
    boxes = shorter[pointed].copy()
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


@njit(cache=True)
def _widen(box: Ints, sample: Ints) -> None:
    for low in range(0, 6, 2):
        box[low] = min(box[low], sample[low])
        box[low + 1] = max(box[low + 1], sample[low + 1])


@njit(cache=True)
def _in_order(boxes: Ints, to_l: Ints, to_s: Ints) -> tuple[Ints, Ints, Ints]:
    """Sort rows lexicographically, stably: by the last column first."""
    order = np.arange(len(boxes))
    for column in range(5, -1, -1):
        order = order[np.argsort(boxes[order, column], kind="mergesort")]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return boxes[order], rank[to_l], rank[to_s]


@njit(cache=True)
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
    place = np.full(len(boxes), -1)
    left = 0
    for i in range(len(boxes)):
        if not beyond(boxes[i], limits[0], limits[1]):
            boxes[left] = boxes[i]
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


@njit(cache=True)
def beyond(box: Ints, most_space: int, most_time: int) -> bool:
    """Whether a box is wider than the one limit or longer than the other."""
    return bool(max(box[3] - box[2], box[5] - box[4]) > most_space or box[1] - box[0] > most_time)


@njit(cache=True)
def resolve(parent: Short, row: Ints) -> None:
    """Give every sample the row of the merged sample that covers it; parents come after their children."""
    for s in range(len(row) - 1, -1, -1):
        if parent[s] >= 0:
            row[s] = row[parent[s]]

"""Two fingerprints into one, compiled."""

import numpy as np
from numba import njit

from incrowd.arrays import Ints
from incrowd.kernels.cpu.stretching import closest
from incrowd.kernels.reference.stretching import Scale


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
    return _in_order(grown, target, place)


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

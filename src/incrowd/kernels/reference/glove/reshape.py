"""Boxes that overlap in time -> boxes that do not, as the definitions read."""

from itertools import pairwise

import numpy as np

from incrowd.arrays import Ints


def union(corners: Ints) -> Ints:
    """Boxes whose half-open intervals overlap, directly or through others, become a hull [gramaglia2015, Sec. 6.2]."""
    pieces: list[Ints] = []
    for box in corners[np.lexsort(corners.T[::-1])]:
        if pieces and box[0] < pieces[-1][1]:
            pieces[-1] = _hull(np.array([pieces[-1], box]))
        else:
            pieces.append(box.copy())
    return np.array(pieces)


def split(corners: Ints) -> Ints:
    """Time is cut at every start and end; each covered piece gets the hull rectangle of the boxes that cover it."""
    cuts = np.unique(corners[:, :2])
    pieces = []
    for low, high in pairwise(cuts):
        covering = corners[(corners[:, 0] <= low) & (corners[:, 1] >= high)]
        if len(covering):
            pieces.append([low, high, *_hull(covering)[2:]])
    return np.array(pieces)


def _hull(rows: Ints) -> Ints:
    hull: Ints = np.where(np.arange(6) % 2 == 0, rows.min(axis=0), rows.max(axis=0))
    return hull

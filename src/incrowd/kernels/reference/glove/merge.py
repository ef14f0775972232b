"""GLOVE as Algorithm 1 reads: all pairs, the smallest stretch first, until all are hidden; then overlaps in time."""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.reference.glove.stretch import closest, stretch
from incrowd.kernels.types import Scale, full


@dataclass
class Group:
    """A fingerprint, the people and positions it hides, and the original (user, index) pairs behind each sample."""

    ident: int
    people: int
    members: list[int]
    corners: Ints
    origin: list[list[tuple[int, int]]]


@dataclass
class MergedGroups:
    """What the greedy leaves: groups by creation, users without a group, and the merges (lo, hi, new, stretch)."""

    groups: list[Group] = field(default_factory=list)
    discarded: list[int] = field(default_factory=list)
    merges: list[tuple[int, int, int, Fraction]] = field(default_factory=list)


def merge(longer: Ints, shorter: Ints, n_l: int, n_s: int, scale: Scale, uncapped: bool) -> tuple[Ints, Ints, Ints]:
    """Merged corners in canonical order, and the row each sample of both went to [gramaglia2015, Sec. 6.2]."""
    target = np.array([closest(i, shorter, n_l, n_s, scale, uncapped) for i in longer])
    pointed = np.unique(target)
    boxes = [_hull([shorter[j], *longer[target == j]]) for j in pointed]
    to_l = np.searchsorted(pointed, target)
    to_s = np.empty(len(shorter), np.int64)
    for j, sample in enumerate(shorter):
        matched = j in pointed
        to_s[j] = (
            np.searchsorted(pointed, j)
            if matched
            else closest(sample, np.array(boxes), n_s, n_l + n_s, scale, uncapped)
        )
    grown = np.array([_hull([box, *shorter[to_s == j]]) for j, box in enumerate(boxes)])
    order = np.lexsort(grown.T[::-1])
    place = np.argsort(order)
    return grown[order], place[to_l], place[to_s]


def _hull(samples: Ints | list[Ints]) -> Ints:
    rows = np.array(samples)
    low, high = rows.min(axis=0), rows.max(axis=0)
    hull: Ints = np.where(np.arange(6) % 2 == 0, low, high)
    return hull


def greedy(
    fingerprints: list[Ints],
    people: list[int],
    k: int,
    scale: Scale,
    *,
    leftover: str = "merge",
    uncapped: bool = False,
    limits: tuple[int, int] | None = None,
) -> MergedGroups:
    """Merge the closest two until no two hide fewer than k people [gramaglia2015, Alg. 1].

    `limits` (space, time) drops samples beyond them after each merge.
    """
    result = MergedGroups()
    active: list[Group] = []
    done: list[Group] = []
    for u, corners in enumerate(fingerprints):
        group = Group(u, people[u], [u], corners, [[(u, i)] for i in range(len(corners))])
        (active if people[u] < k else done).append(group)

    def join(a: Group, b: Group) -> None:
        for groups in (active, done):
            groups[:] = [g for g in groups if g is not a and g is not b]
        new = _joined(a, b, len(fingerprints) + len(result.merges), scale, uncapped, limits)
        result.merges.append((a.ident, b.ident, new.ident, distance(a, b, scale)))
        if len(new.corners) == 0:
            result.discarded.extend(new.members)
        else:
            (active if new.people < k else done).append(new)

    while len(active) > 1:
        active.sort(key=lambda g: g.ident)
        pairs = ((distance(a, b, scale), a.ident, b.ident, a, b) for i, a in enumerate(active) for b in active[i + 1 :])
        join(*min(pairs, key=lambda p: p[:3])[3:])
    for last in active:
        if leftover == "merge" and done:
            ordered = [(last, g) if last.ident < g.ident else (g, last) for g in done]
            join(*min(ordered, key=lambda p: (distance(p[0], p[1], scale), p[0].ident, p[1].ident)))
        else:
            result.discarded.extend(last.members)
    result.groups = sorted(done, key=lambda g: g.ident)
    result.discarded.sort()
    return result


def distance(a: Group, b: Group, scale: Scale) -> Fraction:
    """The fingerprint stretch as an exact number."""
    total, _ = stretch(a.corners, b.corners, a.people, b.people, scale)
    return Fraction(total, (a.people + b.people) * max(len(a.corners), len(b.corners)) * full(scale))


def _joined(a: Group, b: Group, ident: int, scale: Scale, uncapped: bool, limits: tuple[int, int] | None) -> Group:
    _, first = stretch(a.corners, b.corners, a.people, b.people, scale)
    longer, shorter = (a, b) if first else (b, a)
    corners, to_l, to_s = merge(longer.corners, shorter.corners, longer.people, shorter.people, scale, uncapped)
    origin: list[list[tuple[int, int]]] = [[] for _ in corners]
    for group, to in ((longer, to_l), (shorter, to_s)):
        for pairs, row in zip(group.origin, to.tolist(), strict=True):
            origin[row] += pairs
    kept = [i for i, box in enumerate(corners) if limits is None or not beyond(box, *limits)]
    members = sorted(a.members + b.members)
    return Group(ident, a.people + b.people, members, corners[kept], [sorted(origin[i]) for i in kept])


def beyond(box: Ints, most_space: int, most_time: int) -> bool:
    """Whether a box is wider than the one limit or longer than the other [gramaglia2015, Sec. 7.1]."""
    return bool(max(box[3] - box[2], box[5] - box[4]) > most_space or box[1] - box[0] > most_time)


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

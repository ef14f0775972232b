"""Fingerprints too many to compare at once -> shards of users who live and move alike."""

import numpy as np

from incrowd.arrays import Floats, Ints, owners
from incrowd.measure.glove.stretch import CornerTable

KM20 = 20_000  # the distance at which space costs all it can


def shards(laid: CornerTable, most: int) -> list[Ints]:
    """Positions in shards of at most so many users and about half as many at least, by a k-d split.

    Users are halved at the median of what spreads them most: home x, home y (the most used cell, in units of the
    spatial cap) or activity (samples, as a logarithm).
    """
    return split(features(homes(laid), np.diff(laid.offsets), laid.unit_m), most)


def split(features: Floats, most: int) -> list[Ints]:
    """The same from what spreads the users."""
    done, waiting = [], [np.arange(len(features))]
    while waiting:
        users = waiting.pop()
        if len(users) <= most:
            done.append(np.sort(users))
            continue
        spread = np.quantile(features[users], 0.9, axis=0) - np.quantile(features[users], 0.1, axis=0)
        order = users[np.argsort(features[users, spread.argmax()], kind="stable")]
        waiting += [order[len(order) // 2 :], order[: len(order) // 2]]
    return done


def subset(laid: CornerTable, users: Ints) -> tuple[CornerTable, Ints]:
    """The layout of some users, and the original row of each of their samples."""
    sizes = np.diff(laid.offsets)[users]
    offsets = np.append(0, np.cumsum(sizes))
    rows = np.repeat(laid.offsets[users] - offsets[:-1], sizes) + np.arange(offsets[-1])
    return CornerTable(laid.corners[rows], offsets, laid.people[users], laid.scale, laid.unit_m, laid.origin), rows


def homes(laid: CornerTable) -> Ints:
    """The most used cell of each user, (x, y) in units of the layout; of several the most south-western."""
    owner = owners(laid.offsets)
    cells = np.column_stack([owner, laid.corners[:, 2], laid.corners[:, 4]])
    place, count = np.unique(cells, axis=0, return_counts=True)
    # Users in order, each user's most used cell first.
    order = np.lexsort((-count, place[:, 0]))
    first = order[np.searchsorted(place[order, 0], np.arange(len(laid.people)))]
    home: Ints = place[first, 1:]
    return home


def features(home: Ints, samples: Ints, unit_m: int) -> Floats:
    """What spreads the users: home x and y in units of the spatial cap, and samples as a logarithm."""
    return np.column_stack([home * unit_m / KM20, np.log(samples)])

"""Fingerprints -> Traces of the centres of their boxes, so that a method of points can be given them."""

from dataclasses import replace

import numpy as np

from incrowd.arrays import Ints
from incrowd.data import Fingerprints, Traces
from incrowd.errors import DataError


def points_of(prints: Fingerprints) -> Traces:
    """One point per sample: the centre of its box in metres, and the middle of its time in seconds after `start`.

    Points are in the order of these middles, which `sample_of` relates to that of the samples.

    >>> points = points_of(Fingerprints.from_arrays([7, 7], x=[0, 300], y=[0, 0], t=[0, 2]))
    >>> points.x.tolist(), points.t.tolist()
    ([50.0, 350.0], [30, 150])
    """
    if prints.crowd.max(initial=1) > 1:
        raise DataError("a fingerprint stands for several people; give fingerprints of one person each.")
    middle = _middle(prints)
    place = (prints.x + prints.dx / 2, prints.y + prints.dy / 2)
    points = Traces.from_codes(prints.users, prints.owner, middle, *place, planar=True, order="time")
    return replace(points, attributes=prints.attributes, ledger=prints.ledger)


def sample_of(prints: Fingerprints) -> Ints:
    """The sample behind each point; a long sample that begins first may have the later middle.

    >>> sample_of(Fingerprints.from_arrays([7, 7], x=[0, 300], y=[0, 0], t=[0, 2], dt=[60, 1])).tolist()
    [1, 0]
    """
    return np.lexsort((_middle(prints), prints.owner))


def _middle(prints: Fingerprints) -> Ints:
    middle: Ints = (prints.start or 0) + 60 * prints.t + 30 * prints.dt
    return middle

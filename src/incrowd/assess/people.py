"""Some of the people, or some of their samples."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import drawn
from incrowd.data import Fingerprints
from incrowd.data.fingerprints import BOX


def some_people(prints: Fingerprints, *, people: int, seed: int) -> Fingerprints:
    """So many people drawn at random, in their order; all where there are no more.

    >>> three = Fingerprints.from_arrays([1, 2, 3], x=[0, 0, 0], y=[0, 0, 0], t=[0, 1, 2])
    >>> some_people(three, people=2, seed=0)
    Fingerprints(users=2, records=2, people=2)
    """
    if len(prints) <= people:
        return prints
    return some_samples(prints, drawn(len(prints), people, seed)[prints.owner])


def some_samples(prints: Fingerprints, keep: NDArray[np.bool_]) -> Fingerprints:
    """The samples kept, of the people who have one."""
    left, code = np.unique(prints.owner[keep], return_inverse=True)
    box = {name: getattr(prints, name)[keep] for name in BOX}
    made = Fingerprints.from_codes(prints.users[left], code, box, people=prints.crowd[left], read=len(code))
    return replace(made, start=prints.start, crs=prints.crs)

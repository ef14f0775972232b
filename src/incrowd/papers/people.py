"""Some of the people in visits, with a ledger that says why the others left."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import drawn, offsets_of
from incrowd.data import Visits
from incrowd.data.table import kept_attributes

DRAW = "quick"  # the step of the ledger in which a draw leaves people out


def some_people(visits: Visits, *, users: int, seed: int) -> Visits:
    """So many people drawn at random, in their order; all where there are no more."""
    return people(visits, drawn(len(visits), users, seed), DRAW, "user not drawn")


def people(visits: Visits, chosen: NDArray[np.bool_], step: str, why: str) -> Visits:
    """The people chosen, with a ledger that says why the others left."""
    keep = chosen[visits.owner]
    code = np.cumsum(chosen)[visits.owner[keep]] - 1
    users = int(chosen.sum())
    ledger = visits.ledger.add(
        step,
        read=visits.records,
        kept=int(keep.sum()),
        dropped={why: int((~keep).sum())},
        users=(len(visits), users),
    )
    return replace(
        visits,
        users=visits.users[chosen],
        offsets=offsets_of(code, users),
        cell=visits.cell[keep],
        slot=visits.slot[keep],
        attributes=kept_attributes(visits.attributes, np.flatnonzero(chosen)),
        ledger=ledger,
    )

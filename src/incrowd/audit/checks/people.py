"""Does the release count no more people than there are, and does the link name them right?"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, owners
from incrowd.audit.checks.compared import Compared, packed
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import Published, exact
from incrowd.audit.verdict import Check, idle, judged, unasked
from incrowd.data import Fingerprints, Groups, Traces
from incrowd.plain import several

PEOPLE, LINK = "people", "link"
CHANCE, FEW = 0.005, 3  # share of places at which another person was by chance, and how many of one pseudonym


def people(release: Published, original: Original | None) -> Check:
    """The crowds, or the trajectories, are no more people than the original has."""
    if release.noun in ("Visits", "Counts"):
        return idle(PEOPLE, "a person may have several rows of visits or counts.")
    if original is None:
        return unasked(PEOPLE, "no original is given.")
    most = int(original.crowd.sum()) if isinstance(original, Fingerprints) else len(original)
    stated = sum(release.crowd.tolist())
    faults = [f"{stated:,} people are stated, the original has {most:,}"] if stated > most else []
    return judged(PEOPLE, faults, f"{stated:,} people of {most:,} in the original.")


def linked(release: Published, original: Original | None, comparison: Compared | str) -> Check:
    """Every pair of the link fits: rows of the pseudonym are the person's own, or moved points lie near them.

    Visits and boxes are compared pair by pair; of moved points those that stayed in their place must be the person's.
    """
    if release.noun == "Counts":
        return idle(LINK, "counts have no pseudonyms.")
    if original is None or release.members is None:
        return unasked(LINK, "the original and the link file are needed to compare them pair by pair.")
    faults = [*release.link_faults, *([release.untold] if release.untold else [])]
    if release.held_out & set(release.members.positions.tolist()):
        faults.append("somebody who was held out is behind a pseudonym")
    if isinstance(comparison, Compared):
        bad = len(np.unique(release.table.code[~comparison.held]))
        faults += [f"{several(bad, 'pseudonym does', 'pseudonyms do')} not fit the people of the link"] if bad else []
    elif release.noun == "Traces" and isinstance(original, Traces):
        faults += _moved(release, original, release.members)
    else:
        faults.append(f"pairs cannot be compared, because {comparison.rstrip('.')}")
    pairs = len(release.members.positions)
    return judged(LINK, faults, f"{several(pairs, 'pair')} of pseudonym and person, each compared with the original.")


def _moved(release: Published, original: Traces, members: Groups) -> list[str]:
    """A published place at which somebody of the original was is one of the person behind the pseudonym.

    Points that are not moved stay where they were, the whole trajectory in the middle of a cluster among them.
    """
    names = ("x", "y") if original.planar else ("lon", "lat")
    if not set(names) <= release.table.numbers.keys():
        return ["the release and the original are not in the same plane"]
    twice = len(members.positions) - len(np.unique(members.positions))
    faults = [f"{several(twice, 'person is', 'people are')} behind several trajectories"] if twice else []
    places = own_places(release, original, members)
    literal, wrong = places.literal, places.literal & ~places.own
    strange = np.bincount(release.table.code, wrong, len(release))
    own = np.bincount(release.table.code, literal & ~wrong, len(release))
    bad = int(((strange > own) & (strange >= FEW)).sum())
    if bad or wrong.sum() > CHANCE * literal.sum():
        bad = bad or len(np.unique(release.table.code[wrong]))
        faults.append(
            f"{several(bad, 'pseudonym shows', 'pseudonyms show')} places of other people than the link names"
        )
    return faults


class Places(NamedTuple):
    """The place of each published row as a number; whether somebody was there, and whether its own person was."""

    place: Ints
    literal: NDArray[np.bool_]
    own: NDArray[np.bool_]


def own_places(release: Published, original: Traces, members: Groups) -> Places:
    """Which published points lie exactly where a record of the original does, and whose that is."""
    names = ("x", "y") if original.planar else ("lon", "lat")
    person = np.full(len(release), -1)
    person[owners(members.offsets)] = members.positions
    here = [exact(np.asarray(release.table.numbers[name], np.float64)) for name in names]
    place, known = packed_places(here, [exact(np.asarray(column)) for column in original.coordinates])
    mine, theirs = packed([place, person[release.table.code]], [known, original.owner])
    return Places(place, np.isin(place, known), np.isin(mine, theirs))


def packed_places(left: list[Ints], right: list[Ints]) -> tuple[Ints, Ints]:
    """Places of two tables as one number each, equal if both coordinates are."""
    ranks = [np.unique(np.concatenate(pair), return_inverse=True)[1] for pair in zip(left, right, strict=True)]
    size = len(left[0])
    return packed([rank[:size] for rank in ranks], [rank[size:] for rank in ranks])

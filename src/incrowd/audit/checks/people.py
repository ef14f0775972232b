"""Does the release count no more people than there are, does the link name them right, and are attributes theirs?"""

from typing import Any, NamedTuple

import numpy as np

from incrowd.arrays import Flags, Ints
from incrowd.audit.checks.compared import Compared, packed
from incrowd.audit.checks.lkc import name_of, noted_absent
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import Published, exact, part_of
from incrowd.audit.verdict import Check, failed, idle, judged, unasked, uncheckable
from incrowd.data import Fingerprints, Groups, Traces
from incrowd.plain import several

PEOPLE, LINK = "people", "link"
CHANCE, FEW = 0.005, 3  # share of places at which another person was by chance, and how many of one pseudonym
ATTRIBUTES = "attributes"


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
    literal: Flags
    own: Flags


def own_places(release: Published, original: Traces, members: Groups) -> Places:
    """Which published points lie exactly where a record of the original does, and whose that is."""
    names = ("x", "y") if original.planar else ("lon", "lat")
    person = np.full(len(release), -1)
    person[members.owner] = members.positions
    here = [exact(np.asarray(release.table.numbers[name], np.float64)) for name in names]
    place, known = packed_places(here, [exact(np.asarray(column)) for column in original.coordinates])
    mine, theirs = packed([place, person[release.table.code]], [known, original.owner])
    return Places(place, np.isin(place, known), np.isin(mine, theirs))


def packed_places(left: list[Ints], right: list[Ints]) -> tuple[Ints, Ints]:
    """Places of two tables as one number each, equal if both coordinates are."""
    ranks = [np.unique(np.concatenate(pair), return_inverse=True)[1] for pair in zip(left, right, strict=True)]
    size = len(left[0])
    return packed([rank[:size] for rank in ranks], [rank[size:] for rank in ranks])


def attributes(release: Published, original: Original | None, sensitive: str | None) -> Check:
    """Every published attribute has, for each pseudonym, the value of each person behind it in the original."""
    names = release.table.extras.column_names
    if unsaid := _unsaid(release, original):
        return failed(ATTRIBUTES, f"{several(unsaid, 'attribute')} of the original are neither published nor left out.")
    if sensitive is not None and sensitive not in names:
        return failed(ATTRIBUTES, "the sensitive attribute is not a column of the published table.")
    if not names:
        return idle(ATTRIBUTES, "no attribute is published.")
    if original is None:
        return unasked(ATTRIBUTES, "no original is given.")
    missing = [at for at, name in enumerate(names) if name not in original.attributes]
    if missing and sensitive is not None and names.index(sensitive) in missing:
        return uncheckable(ATTRIBUTES, "the original does not have the sensitive attribute.")
    if lost := _absent(release, original):
        return failed(ATTRIBUTES, lost)
    if release.members is None:
        return unasked(ATTRIBUTES, "who stands behind a pseudonym is not known; give the link file.")
    faults = []
    for at, name in enumerate(names):
        wrong = 0 if at in missing else _differing(release, name, original.attributes[name])
        if wrong:
            faults.append(f"extra column {at} differs from the original for {several(wrong, 'pseudonym')}")
    beside = f"; {several(len(missing), 'column is', 'columns are')} not in the original" if missing else ""
    return judged(ATTRIBUTES, faults, f"{several(len(names) - len(missing), 'column')} as in the original{beside}.")


def _unsaid(release: Published, original: Original | None) -> int:
    """Attributes of the original that the manifest calls neither published nor left out; methods keep their own."""
    if (
        original is None
        or release.manifest is None
        or release.method is None
        or type(original).__name__ != release.noun
    ):
        return 0
    gone = part_of(release.manifest, "suppressed").get("attributes")
    named = {*release.table.extras.column_names, *(name for name in gone or [] if isinstance(name, str))}
    return len(original.attributes.keys() - named)


def _absent(release: Published, original: Original) -> str:
    """Whether as many of the claimed sensitive values are on nobody as the ledger notes; why not, if not."""
    name, values = release.claims.get("sensitive"), release.claims.get("values") or []
    if name is None or name not in original.attributes or not release.ledger:
        return ""
    carried = set[str]().union(*(_names(value) for value in original.attributes[name].tolist()))
    absent = len({name_of(value) for value in values} - carried)
    noted = noted_absent(release)
    return (
        "" if absent == noted else f"{absent} sensitive values are on nobody of the original, the ledger notes {noted}."
    )


def _differing(release: Published, name: str, own: Any) -> int:
    """Pseudonyms that show another value than somebody behind them has."""
    first = np.zeros(len(release), np.int64)
    first[release.table.code[::-1]] = np.arange(release.rows)[::-1]
    values = release.table.extras[name].take(first).to_pylist()
    members = release.members
    if members is None:
        return 0
    return sum(
        any(_names(own[person]) != _names(value) for person in members[user].tolist())
        for user, value in enumerate(values)
    )


def _names(value: Any) -> frozenset[str]:
    several_values = value if isinstance(value, (list, frozenset, set, tuple)) else [value]
    return frozenset(name_of(v) for v in several_values if v is not None and v == v)

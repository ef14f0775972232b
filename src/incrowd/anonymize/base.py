"""What every anonymizer does alike: fresh pseudonyms, rows in their order, a Release."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal, Protocol

import numpy as np

from incrowd.arrays import Ints
from incrowd.data import Groups, Release, Visits
from incrowd.data.table import kept_attributes
from incrowd.errors import check_seed


@dataclass(frozen=True)
class Wanted:
    """What the strengths of a method in a comparison depend on."""

    k: int
    points: int  # the attacker knows
    slot_min: int


@dataclass(frozen=True)
class Strength:
    """A method with its parameters, as a comparison tries it."""

    words: str
    run: "Anonymizer"
    takes: Literal["prints", "points", "visits", "voted"]  # samples, their centres, cells per slot, one cell per slot
    reach_m: float | None = None  # how far a published point may be moved and still agree with a known one
    note: str = ""  # what a reader has to know before taking the numbers for a promise


class Anonymizer(Protocol):
    """A frozen dataclass of parameters, called with the data."""

    @staticmethod
    def strengths(wanted: Wanted) -> Iterator[Strength]:
        """The few strengths at which a comparison tries it."""
        ...

    def __call__(self, data: Any, *, seed: int = 0, pseudonym_seed: int | None = None) -> Release:
        """Publish `data` under fresh pseudonyms; `seed` decides every other random choice."""
        ...


def release_visits(
    method: Anonymizer,
    visits: Visits,
    owner: Ints,
    pseudonym_seed: int | None,
    *,
    keep: Collection[str] = (),
    provenance: Mapping[str, Any] = MappingProxyType({}),
    **promise: Any,
) -> Release:
    """Visits under pseudonyms in random order; `owner[u]` is the original behind user u, `keep` the attributes to show.

    A pseudonym is the rank of a random number, so that neither it nor the row order says anything.
    """
    order = random_order(len(visits), pseudonym_seed)
    length = np.diff(visits.offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    rows = np.repeat(visits.offsets[:-1][order] - offsets[:-1], length)
    rows += np.arange(len(rows))
    attributes = {name: visits.attributes[name] for name in keep}
    dropped = [name for name in visits.attributes if name not in attributes]
    data = replace(
        visits,
        users=np.arange(len(visits)),
        offsets=offsets,
        cell=visits.cell[rows],
        slot=visits.slot[rows],
        attributes=kept_attributes(attributes, order),
    )
    return Release(
        data,
        Groups(np.arange(len(visits) + 1), owner[order]),
        params={**parameters(method), "pseudonym_seed_given": pseudonym_seed is not None},
        guarantee=guarantee(method),
        ledger=visits.ledger,
        provenance={"dropped_attributes": dropped, **provenance},
        **promise,
    )


def random_order(size: int, seed: int | None) -> Ints:
    """A uniformly random order; from the operating system unless a seed is given, which makes it reproducible."""
    if seed is not None:
        check_seed(pseudonym_seed=seed)
        return np.random.default_rng(seed).permutation(size)
    # Equal keys, whose order could leak, happen once in 10**5 releases of 16 million rows, and then to two rows.
    return np.argsort(np.frombuffer(os.urandom(8 * size), np.uint64))


def parameters(method: Anonymizer) -> dict[str, Any]:
    """The method's name and fields."""
    return {"method": type(method).__name__, **{f.name: getattr(method, f.name) for f in fields(method)}}  # type: ignore[arg-type]


def guarantee(method: Anonymizer) -> str:
    """The line of the docstring that states the guarantee."""
    match = re.search(r"Guarantee: (.+?)(?:\n\s*\n|\Z)", type(method).__doc__ or "", re.DOTALL)
    return " ".join(match[1].split()) if match else "none stated"

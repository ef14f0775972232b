"""What every anonymizer does alike: fresh pseudonyms, rows in their order, a Release; people who are held out."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from incrowd.arrays import Ints, rows_of
from incrowd.data import Groups, Release, UserTable, Visits
from incrowd.data.table import kept_attributes, some_rows
from incrowd.errors import DataError, ParameterError, check_kind, check_seed, check_share, public
from incrowd.estimate import Estimate

MOST = 0.5  # share of people that may be held out
T = TypeVar("T", bound=UserTable)


@dataclass(frozen=True)
class Wanted:
    """What the strengths of a method in a comparison depend on.

    Args:
        k: People who must share what is published.
        points: Visits of a person that the attacker knows.
        slot_min: Width of a time slot.
    """

    k: int
    points: int
    slot_min: int


@dataclass(frozen=True)
class Strength:
    """A method with its parameters, as a comparison tries it.

    Args:
        words: The parameters in a few words.
        run: The method.
        takes: What it is given: samples, their centres, several cells per slot, or one cell per slot.
        reach_m: How far a published point may be moved and still agree with a known one.
        note: What a reader has to know before taking the numbers for a guarantee.
    """

    words: str
    run: "Anonymizer"
    takes: Literal["prints", "points", "visits", "voted"]
    reach_m: float | None = None
    note: str = ""


class Anonymizer:
    """A method: a frozen dataclass of parameters, called with the data.

    `incrowd anonymize NAME` is made from it: options from the fields and from the further keywords of `__call__`, help
    from `Args:`, `Example:` and `Guarantee:` of its docstring, and what is read from the annotation of `data`.
    """

    PUBLISHES: ClassVar[type[UserTable]] = Visits  # the noun of its releases
    SEEDED: ClassVar[bool] = False  # whether `seed` decides anything; pseudonyms have a seed of their own

    def __call__(self, data: Any, *, seed: int | None = 0, pseudonym_seed: int | None = None) -> Release:
        """Publish the data under fresh pseudonyms.

        Args:
            data: What is to be published.
            seed: Seed of every random choice but the pseudonyms; None for the operating system's entropy.
            pseudonym_seed: Seed of the pseudonyms, for tests; an audit fails a release that was made with one.
        """
        raise NotImplementedError

    @staticmethod
    def strengths(wanted: Wanted) -> Iterator[Strength]:
        """The few strengths at which a comparison tries it."""
        del wanted
        return iter(())

    def check(self, **keywords: Any) -> None:
        """Refuse further keywords of the call that cannot work, before anything is read."""

    def estimate(self, data: Any) -> Estimate:
        """About how long a run takes, and how much memory."""
        raise NotImplementedError

    def losses(self, release: Release, data: Any) -> list[str]:
        """What the release lost, in sentences, beyond what it says itself."""
        del release, data
        return []

    def clean_up(self, release: Release, **keywords: Any) -> None:
        """Remove what a run kept aside, once its release is on disk; keywords are those of the call."""


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

    A pseudonym is the rank of a random number, hence neither it nor the row order says anything.
    """
    order = random_order(len(visits), pseudonym_seed)
    offsets, rows = rows_of(visits.offsets, order)
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
        guarantee=guarantee(type(method)),
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


def generator(seed: int | None) -> np.random.Generator:
    """Random numbers of a seed; of the operating system's entropy if it is None."""
    if seed is not None:
        check_seed(seed=seed)
    return np.random.default_rng(seed)


def parameters(method: Anonymizer) -> dict[str, Any]:
    """The method's name and fields."""
    return {"method": type(method).__name__, **{f.name: getattr(method, f.name) for f in fields(method)}}  # type: ignore[arg-type]


def guarantee(method: type[Anonymizer]) -> str:
    """The paragraph of the docstring that states the guarantee."""
    match = re.search(r"Guarantee: (.+?)(?:\n\s*\n|\Z)", method.__doc__ or "", re.DOTALL)
    return " ".join(match[1].split()) if match else "none stated"


@public
def hold_out(data: T, share: float, *, pseudonym_seed: int | None = None) -> tuple[T, T]:
    """The people to publish, and those held out at random, who are in no release; publish lists them in the link file.

    Args:
        data: Traces, visits or fingerprints, before a method is called with them.
        share: Share of people to hold out, above 0 and at most 0.5; at least one person is.
        pseudonym_seed: Seed of the draw, for tests; whoever knows it knows who is held out. [default: the operating
            system's entropy]

    >>> from incrowd import Visits
    >>> hold_out(Visits.from_arrays([1, 2, 3], cell=[5, 5, 5], slot=[0, 0, 0]), 0.1)
    (Visits(users=2, records=2), Visits(users=1, records=1))
    """
    check_kind("hold_out", data, UserTable)
    check_hold_out(share)
    people = max(int(share * len(data) + 0.5), 1)
    if people >= len(data):
        raise DataError(f"nobody of {len(data):,} would be left to publish; give more people, or hold nobody out.")
    out = np.zeros(len(data), np.bool_)
    out[random_order(len(data), pseudonym_seed)[:people]] = True
    rows = out[data.owner]
    return some_rows(data, ~rows, "hold out", "held out"), some_rows(data, rows, "hold out", "published")


def check_hold_out(share: float) -> None:
    """Refuse a share of people that cannot be held out."""
    check_share(share=share)
    if not 0 < share <= MOST:
        raise ParameterError(f"the share of people held out must be above 0 and at most {MOST}, got {share!r}.")

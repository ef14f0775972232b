"""Cell keys: counts changed by a fixed table, in the same way whenever the same people are counted together."""

import os
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from incrowd.anonymize.base import Anonymizer, guarantee, parameters
from incrowd.arrays import Ints
from incrowd.data import Counts, Groups, Release, UserTable, Visits
from incrowd.discretize._counts import counts
from incrowd.errors import DataError, ParameterError, check_choice, check_seed, public

Table = Literal["10-5"]
TABLES: tuple[Table, ...] = ("10-5",)
KEYS = 256  # different record keys and cell keys
LARGEST, CYCLE = 750, 250  # counts above the largest use the last rows of the table in turn


def p_table(name: Table = "10-5") -> Ints:
    """What is added to a count by its cell key: [count 0 to 750, key 0 to 255].

    "10-5" publishes no count below 10 and rounds the others to multiples of 5, whatever the key; it is the table that
    the UK Office for National Statistics ships with its package cell-key-perturbation.

    Args:
        name: Which table.

    >>> (np.arange(16) + p_table()[:16, 0]).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 10, 10, 15, 15, 15]
    """
    check_choice("table", name, TABLES)
    count = np.arange(LARGEST + 1)
    change = np.where(count < 10, -count, np.array([0, -1, -2, 2, 1])[count % 5])
    return np.repeat(change[:, None], KEYS, axis=1)


def perturbed(n: Ints, keys: Ints, table: Ints, threshold: int) -> Ints:
    """Counts after a table of changes; what is then below the threshold is published as 0.

    Args:
        n: True counts.
        keys: For each count the sum of the record keys of the people in it.
        table: Changes by count and cell key.
        threshold: The least count published.
    """
    changed: Ints = n + table[row_of(n), keys % table.shape[1]]
    return np.where(changed < threshold, 0, changed)


def row_of(n: Ints) -> Ints:
    """The row of a table of changes for each count."""
    return np.where(n <= LARGEST, n, (n - 1) % CYCLE + LARGEST - CYCLE + 1)


@public
@dataclass(frozen=True)
class CellKey(Anonymizer):
    """Publish counts changed by cell keys: everybody has a random key, and the keys in a count decide its change.

    The same people counted together are always changed alike, so differences between tables do not reveal a person by
    repetition.

    Args:
        table: The table of changes: "10-5" leaves counts below 10 out and rounds the others to multiples of 5.
        threshold: Counts below this after the change are published as 0.

    Guarantee: none (heuristic): small counts are left out and the others are inexact by the stated table; an attacker
    who compares many slots may still tell whether somebody is among the people counted.

    >>> visits = Visits.from_arrays(range(12), [0] * 12, [0] * 12, xy=[[0, 0]], slot_min=720)
    >>> CellKey()(visits).data.n.tolist()
    [[10], [0]]
    """

    PUBLISHES: ClassVar[type[UserTable]] = Counts  # type: ignore[assignment]

    table: Table = "10-5"
    threshold: int = 10

    def __post_init__(self) -> None:
        check_choice("table", self.table, TABLES)
        check_seed(threshold=self.threshold)

    @public
    def __call__(self, data: Visits, *, seed: int | None = None, pseudonym_seed: int | None = None) -> Release:
        """The changed counts as a release; record keys come from the operating system.

        Args:
            data: The visits to count.
            seed: Must be None, because whoever knows the seed knows the keys.
            pseudonym_seed: Must be None, because counts have no pseudonyms.
        """
        refuse_seed(seed, pseudonym_seed)
        keys = np.frombuffer(os.urandom(len(data)), np.uint8).astype(np.int64)
        changed = self.changed(data, keys)
        return Release(
            changed,
            Groups.nobody(),
            params=parameters(self),
            guarantee=guarantee(type(self)),
            ledger=changed.ledger,
        )

    def changed(self, visits: Visits, keys: Ints) -> Counts:
        """The counts of visits, changed by the record key of each person.

        Args:
            visits: The visits to count.
            keys: The record key of each person.
        """
        exact = counts(visits)
        if len(keys) != len(visits):
            raise DataError(f"there are {len(keys):,} record keys for {len(visits):,} people; give one for each.")
        at = visits.slot * exact.shape[1] + visits.cell
        sums = np.bincount(at, weights=keys[visits.owner], minlength=exact.n.size).astype(np.int64)
        n = perturbed(exact.n, sums.reshape(exact.shape), p_table(self.table), int(self.threshold))
        notes = {"counts changed": (n != exact.n).sum()}
        ledger = exact.ledger.add("cell_key", read=n.size, kept=n.size, notes=notes)
        return replace(exact, n=n, ledger=ledger)


def refuse_seed(*seeds: int | None) -> None:
    """Refuse a seed where randomness is the protection."""
    if any(seed is not None for seed in seeds):
        raise ParameterError(
            "seed must be None, because anyone who knows it can subtract the noise; randomness comes from the "
            "operating system."
        )

"""Release: what an anonymizer publishes, beside what it must keep to itself."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, offsets_of, owners, rows_of
from incrowd.columns import ints
from incrowd.data.fingerprints import BOX, Fingerprints
from incrowd.data.release_section import release_record, release_section
from incrowd.data.table import Frame, UserTable
from incrowd.errors import DataError, ParameterError, public
from incrowd.ledger import Ledger
from incrowd.show import Result, Section


class Groups(Sequence[Ints]):
    """Sorted positions of the original users behind each pseudonym, kept flat."""

    def __init__(self, offsets: Ints, positions: Ints) -> None:
        self.offsets, self.positions = offsets, positions
        for array in (offsets, positions):
            array.flags.writeable = False

    @classmethod
    def from_lists(cls, members: Iterable[Iterable[int]]) -> "Groups":
        """Check and flatten one list of positions per pseudonym."""
        sets = [np.unique(ints(list(group), "members")) for group in members]
        if any(group.size == 0 or group[0] < 0 for group in sets):
            raise DataError(
                "a pseudonym has no member, or one at a negative position; give at least one position of 0 or more."
            )
        sizes = np.array([0, *(group.size for group in sets)])
        return cls(np.cumsum(sizes).astype(np.int64), np.concatenate([np.zeros(0, np.int64), *sets]))

    @classmethod
    def of_pairs(cls, row: Ints, position: Ints, rows: int) -> "Groups":
        """The positions behind each of so many rows, from pairs in any order.

        >>> [group.tolist() for group in Groups.of_pairs(np.array([1, 0, 1]), np.array([7, 4, 5]), 2)]
        [[4], [5, 7]]
        """
        order = np.lexsort((position, row))
        return cls(offsets_of(row[order], rows), position[order])

    @classmethod
    def nobody(cls, rows: int = 0) -> "Groups":
        """No position behind any row; counts have no rows at all."""
        return cls(np.zeros(rows + 1, np.int64), np.zeros(0, np.int64))

    @classmethod
    def themselves(cls, people: int) -> "Groups":
        """Everybody behind a row of their own."""
        return cls(np.arange(people + 1), np.arange(people))

    @property
    def owner(self) -> Ints:
        """The row that each position is behind."""
        return owners(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        if not -len(self) <= row < len(self):
            raise IndexError(row)
        row %= len(self)
        return self.positions[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[Ints]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return f"Groups(pseudonyms={len(self):,}, members={len(self.positions):,})"


@dataclass(frozen=True, eq=False, repr=False)
class Release(Frame, Result):
    """Published data under fresh pseudonyms; `members` and `provenance` are private and only written on request."""

    MADE_BY: ClassVar[str] = "ic.anonymize.Glove(...)(fingerprints)"
    _repr_html_ = Result._repr_html_  # its section, not that of a table

    data: UserTable | Any  # or Counts, which has no users and no members
    members: Groups
    params: Mapping[str, Any] = field(default_factory=dict)  # "method" and what it was given
    guarantee: str = "none stated"
    claims: Mapping[str, Any] = field(default_factory=dict)  # the guarantee for a machine: k, l, c, delta_m
    ledger: Ledger = field(default_factory=Ledger)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    @public
    def from_arrays(
        cls,
        data: UserTable | Any,
        members: Iterable[Iterable[int]],
        *,
        params: Mapping[str, Any] | None = None,
        guarantee: str = "none stated",
        claims: Mapping[str, Any] | None = None,
        ledger: Ledger | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> "Release":
        """A release of data whose users are pseudonyms, with the people behind each.

        Args:
            data: What is published.
            members: For each user of `data`, the positions of the original users behind it; empty for Counts.
            params: "method" and the options it was given.
            guarantee: What is guaranteed, in words.
            claims: The guarantee as numbers, such as k, l, c or delta_m.
            ledger: What happened to every record.
            provenance: What the method needs to score it; private, and never written.

        >>> from incrowd import Visits
        >>> Release.from_arrays(Visits.from_arrays(["p9", "p2"], [0, 1], [0, 0]), members=[[1], [0]])
        Release(Visits, rows=2, pseudonyms=2, people=2)
        """
        groups = members if isinstance(members, Groups) else Groups.from_lists(members)
        pseudonyms = len(data) if isinstance(data, UserTable) else 0
        if len(groups) != pseudonyms:
            raise DataError(f"members has {len(groups)} lists for {pseudonyms} pseudonyms; give one list for each.")
        statements = (dict(params or {}), guarantee, dict(claims or {}))
        return cls(data, groups, *statements, ledger or Ledger(), dict(provenance or {}))

    def __repr__(self) -> str:
        data, people = self.data, len(np.unique(self.members.positions))
        if not isinstance(data, UserTable):
            return f"Release({data!r})"
        sizes = f"rows={data.records:,}, pseudonyms={len(data):,}, people={people:,}"
        return f"Release({type(data).__name__}, {sizes})"

    def section(self) -> Section:
        """What was published, how much of the original is in it, and what is guaranteed."""
        return release_section(self)

    def to_dict(self) -> dict[str, Any]:
        """What may be shown of it, for JSON."""
        return release_record(self)

    def columns(self) -> dict[str, NDArray[Any]]:
        """The published table."""
        return self.data.columns()

    @property
    def suppressed(self) -> list[tuple[int, int]]:
        """The (cell, slot) pairs that were suppressed everywhere, in order."""
        return self._from_provenance("suppressed")  # type: ignore[no-any-return]

    def _from_provenance(self, name: str) -> Any:
        if name not in self.provenance:
            raise ParameterError(f"{self.params.get('method', 'this method')} makes releases without {name!r}.")
        return self.provenance[name]

    @property
    def META(self) -> tuple[str, ...]:  # type: ignore[override]  # noqa: N802
        """What describes the published table."""
        return self.data.META

    @property
    def merges(self) -> list[tuple[int, int, int, float]]:
        """Merges (lo, hi, new, stretch) in order; users are 0 to n - 1, and each merge makes the next id."""
        return [(lo, hi, new, float(stretch)) for lo, hi, new, stretch in self.provenance.get("merges", [])]

    @public
    def expanded(self, *, pseudonym_seed: int | None = None) -> "Release":
        """The same release with one pseudonym per person instead of one per crowd.

        Args:
            pseudonym_seed: Seed of the order of pseudonyms, for tests alone. [default: the operating system's entropy]
        """
        data = self.data
        if not isinstance(data, Fingerprints):
            raise DataError("only a release of fingerprints has crowds to expand.")
        copies = np.random.default_rng(pseudonym_seed).permutation(np.repeat(np.arange(len(data)), data.crowd))
        offsets, rows = rows_of(data.offsets, copies)
        columns = {name: getattr(data, name)[rows] for name in BOX}
        people = np.ones(len(copies), np.int64)
        flat = replace(data, users=np.arange(len(copies)), offsets=offsets, crowd=people, **columns)
        starts, places = rows_of(self.members.offsets, copies)
        made, users = {"copy for each person": flat.records - data.records}, (len(data), len(flat))
        return replace(
            self,
            data=flat,
            members=Groups(starts, self.members.positions[places]),
            params={**self.params, "pseudonym_seed_given": pseudonym_seed is not None},
            ledger=self.ledger.add("expanded", read=data.records, kept=flat.records, created=made, users=users),
            provenance={name: self.provenance[name] for name in ("merges", "people") if name in self.provenance},
        )

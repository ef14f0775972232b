"""What every noun with users shares: rows by user, attributes, draws of people, and the way to frames and files."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Ints, Labels, drawn, owners, tally
from incrowd.columns import per_user, seconds
from incrowd.errors import DataError, MissingExtra, public
from incrowd.ledger import Ledger
from incrowd.plain import plain
from incrowd.show import in_pandas

if TYPE_CHECKING:
    import pandas as pd  # noqa: TID251
    import polars as pl  # noqa: TID251
    import pyarrow as pa

Attributes = Mapping[str, NDArray[Any]]  # name -> one value per user

# The columns of the nouns; attributes travel from noun to noun, so none may have such a name.
COLUMNS = frozenset(("user", "t", "lon", "lat", "x", "y", "cell", "slot", "dx", "dy", "dt", "crowd"))
DRAWN = "drawn"  # the step of the ledger in which a draw leaves people out


class Frame:
    """A noun that can be written as one flat table."""

    META: ClassVar[tuple[str, ...]] = ()  # fields that describe the whole table rather than a row
    ledger: Ledger

    def columns(self) -> dict[str, NDArray[Any]]:
        """The flat table, column by column."""
        raise NotImplementedError

    def to_arrow(self) -> "pa.Table":
        """The flat table; what describes it as a whole is in the schema's metadata."""
        from incrowd.data.files import to_arrow

        return to_arrow(self)

    def to_pandas(self) -> "pd.DataFrame":
        """The flat table as a pandas frame."""
        return in_pandas(self.to_arrow())

    def to_polars(self) -> "pl.DataFrame":
        """The flat table as a polars frame."""
        try:
            import polars as pl  # noqa: TID251
        except ModuleNotFoundError as error:
            raise MissingExtra("to_polars needs polars; install it with: pip install polars.") from error
        frame = pl.from_arrow(self.to_arrow())
        assert isinstance(frame, pl.DataFrame)
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Its noun, its sizes, what describes it as a whole, and its ledger as plain values; nothing about one person.

        >>> from incrowd.data import Visits
        >>> about = Visits.from_arrays([7, 8], cell=[0, 1], slot=[3, 3], slot_min=60).to_dict()
        >>> about["noun"], about["records"], about["slot_min"]
        ('Visits', 2, 60)
        """
        described = {name: getattr(self, name) for name in self.META}
        if hasattr(self, "attributes"):
            described["attributes"] = list(self.attributes)
        about: dict[str, Any] = plain({"noun": type(self).__name__, **self.sizes(), **described})
        return {**about, "ledger": self.ledger.to_dict()}

    def sizes(self) -> dict[str, int]:
        """How many there are of each, by name."""
        raise NotImplementedError

    @public
    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """The path of a Parquet or CSV file, written whole or not at all; `incrowd.read.saved` reads the Parquet back.

        Args:
            path: The file, which ends in .parquet or .csv.
            force: Overwrite an existing file.
        """
        from incrowd.data.files import save

        return save(self, Path(path), force=force)

    def _repr_html_(self) -> str:
        """For a notebook: the sizes, and what happened to every record."""
        return f"<p><code>{escape(repr(self))}</code></p>{self.ledger._repr_html_()}"

    def __getstate__(self) -> dict[str, Any]:
        """For pickling, which read-only mappings do not know."""
        return {k: dict(v) if isinstance(v, MappingProxyType) else v for k, v in self.__dict__.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "attributes" in state:
            self.__dict__["attributes"] = MappingProxyType(state["attributes"])
        self._freeze()

    def _freeze(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False


@dataclass(frozen=True, eq=False, repr=False)
class UserTable(Frame):
    """Rows of many users; user u, at position u of `users`, owns rows offsets[u]:offsets[u+1]."""

    ROWS: ClassVar[tuple[str, ...]] = ()  # fields with a value per row, if they are not None
    PEOPLE: ClassVar[tuple[str, ...]] = ("users",)  # fields with a value per user

    users: Labels
    offsets: Ints

    def __post_init__(self) -> None:
        self._freeze()

    def __len__(self) -> int:
        return len(self.users)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={size:,}" for name, size in self.sizes().items())
        return f"{type(self).__name__}({sizes})"

    def sizes(self) -> dict[str, int]:
        """People and rows."""
        return {"users": len(self), "records": self.records}

    @property
    def records(self) -> int:
        """Number of rows."""
        return int(self.offsets[-1])

    @property
    def owner(self) -> Ints:
        """The position of the user behind each row."""
        return owners(self.offsets)

    def where(self, keep: Flags, ledger: Ledger) -> Self:
        """Some of the rows; users left with none leave."""
        count = tally(keep, self.offsets)
        stay = count > 0
        left: dict[str, Any] = {name: getattr(self, name)[stay] for name in self.PEOPLE}
        left["attributes"] = kept_attributes(self.attributes, stay)  # type: ignore[attr-defined]
        offsets = np.concatenate([[0], np.cumsum(count[stay])]).astype(np.int64)
        return replace(self, offsets=offsets, **left, **self._rows(keep), ledger=ledger)  # type: ignore[call-arg]

    def only(self, keep: Flags) -> Self:
        """Some of the rows, of the same users; those left with none keep their position.

        >>> from incrowd.data import Visits
        >>> Visits.from_arrays([1, 2, 2], cell=[0, 0, 0], slot=[0, 1, 2]).only(np.array([0, 0, 1]) > 0)
        Visits(users=2, records=1)
        """
        offsets = np.append(0, np.cumsum(tally(keep, self.offsets)))
        return replace(self, offsets=offsets, **self._rows(keep))

    def _rows(self, keep: Flags) -> dict[str, Any]:
        return {name: value[keep] for name in self.ROWS if (value := getattr(self, name)) is not None}

    def user_columns(self, attributes: Attributes) -> dict[str, NDArray[Any]]:
        """The label and the attributes of the user behind each row."""
        owner = self.owner
        return {"user": self.users[owner], **{name: value[owner] for name, value in attributes.items()}}


def attributes_of(given: Mapping[str, Any] | None, users: int) -> Attributes:
    """Attributes checked: one value per user each, read-only."""
    named = {str(name): values for name, values in (given or {}).items()}
    for name in sorted(COLUMNS & named.keys()):
        raise DataError(f"attribute {name!r} has the name of a column; rename it.")
    return MappingProxyType({name: per_user(values, name, users) for name, values in named.items()})


def kept_attributes(attributes: Attributes, kept: NDArray[Any]) -> Attributes:
    """The attributes of some of the users."""
    return MappingProxyType({name: value[kept] for name, value in attributes.items()})


def start_of(start: int | None) -> int | None:
    """A checked UTC second, or None."""
    return None if start is None else int(seconds([start], "start")[0])


def started(name: str, *, read: int, kept: int, users: int, **counts: Mapping[str, int]) -> Ledger:
    """The first page of a ledger."""
    return Ledger().add(name, read=read, kept=kept, users=(users, users), **counts)


T = TypeVar("T", bound=UserTable)


def some_people(table: T, *, people: int, seed: int) -> T:
    """So many people drawn at random, in their order; all if there are no more.

    >>> from incrowd.data import Visits
    >>> some_people(Visits.from_arrays([1, 2, 3], cell=[0, 0, 0], slot=[0, 1, 2]), people=2, seed=0)
    Visits(users=2, records=2)
    """
    if len(table) <= people:
        return table
    return some_rows(table, drawn(len(table), people, seed)[table.owner], DRAWN, "person not drawn")


def some_rows(table: T, keep: Flags, step: str, why: str) -> T:
    """The rows kept, of the people who have one; why the others left is in the ledger.

    >>> from incrowd.data import Visits
    >>> some_rows(Visits.from_arrays([1, 2, 2], cell=[0, 0, 0], slot=[0, 1, 2]), np.array([0, 1, 0]) > 0, "odd", "even")
    Visits(users=1, records=1)
    """
    left = table.where(keep, table.ledger)
    gone, people = {why: table.records - left.records}, (len(table), len(left))
    ledger = table.ledger.add(step, read=table.records, kept=left.records, dropped=gone, users=people)
    return replace(left, ledger=ledger)  # type: ignore[call-arg]

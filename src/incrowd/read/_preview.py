"""What each column of a source holds, in counts alone: no value, no identifier, no first or last one is shown."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from incrowd.errors import DataError, public
from incrowd.plain import several
from incrowd.read.arrow import is_text, stream_of
from incrowd.read.files import find_files, format_of, head_of, unpacked, unreadable
from incrowd.read.layouts import ALIASES, layout_of, listed, nearest, plain
from incrowd.read.sources.local import local
from incrowd.show import Result, Section, Table

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 100_000  # that a preview looks at
Role = Literal["user", "t", "lon", "lat", "cell", "identifier", "other"]
NAMED: tuple[Role, ...] = ("user", "t", "lon", "lat", "cell")
WORDS: Mapping[Role, str] = {
    "user": "person",
    "t": "time",
    "lon": "longitude",
    "lat": "latitude",
    "cell": "antenna",
    "identifier": "looks like an identifier: leave out",
    "other": "sensitive, harmless or left out",
}


@dataclass(frozen=True)
class PreviewColumn:
    """What one column holds.

    Args:
        name: Its name.
        kind: Numbers, text, times or something else.
        different: How many different values it has.
        blank: How many rows have none.
        alone: Values that belong to one person only; None if no column names people.
        role: What it is most likely for.
    """

    name: str
    kind: str
    different: int
    blank: int
    alone: int | None
    role: Role

    @property
    def words(self) -> str:
        """What it holds, in counts."""
        parts = [f"{self.kind}, {several(self.different, 'different value')}"]
        if self.role in ("other", "identifier") and self.alone is not None:
            parts.append(f"{self.alone:,} of them {'belongs' if self.alone == 1 else 'belong'} to one person only")
        if self.blank:
            parts.append(f"{several(self.blank, 'row is', 'rows are')} blank")
        return "; ".join(parts)


@dataclass(frozen=True)
class Preview(Result):
    """What the columns of a source hold.

    Args:
        rows: Rows that were looked at.
        whole: Whether these are all.
        columns_: Of every column, in the order of the source.
    """

    rows: int
    whole: bool
    columns_: tuple[PreviewColumn, ...]

    def section(self) -> Section:
        """A line for each column."""
        which = several(self.rows, "row") if self.whole else f"the first {several(self.rows, 'row')}"
        return Section(
            question="What does each column hold?",
            answer=f"{several(len(self.columns_), 'column')}, from {which}. Values are not shown.",
            tables=[
                Table(
                    ("column", "what it holds", "most likely"),
                    [(one.name, one.words, WORDS[one.role]) for one in self.columns_],
                )
            ],
            data=self,
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each column of the source."""
        names = ("name", "kind", "different", "blank", "alone", "role")
        return {name: [getattr(one, name) for one in self.columns_] for name in names}


@public
def preview(source: Any, *, table: str | None = None, query: str | None = None) -> Preview:
    """What each column of a source holds, in counts alone, from its first 100,000 rows.

    Args:
        source: A path, a folder or glob, whose first file is looked at, an address of a database, or a data frame.
        table: Table of a database, or sheet of a workbook. [default: the only one]
        query: SELECT statement for a database, instead of a table.

    >>> import pyarrow as pa
    >>> seen = preview(pa.table({"uid": ["a", "b", "b"], "colour": ["red", "red", "blue"]}))
    >>> [(one.name, one.different, one.alone, one.role) for one in seen.columns_]
    [('uid', 2, 2, 'user'), ('colour', 2, 1, 'other')]
    """
    with local(source, table, query) as files:
        batches = _batches(files) if isinstance(files, (str, Path, list, tuple)) else iter(stream_of(files))
        rows, whole = _first(batches)
    if len(set(rows.column_names)) < rows.num_columns:
        raise DataError("two columns have the same name; rename one of them.")
    roles = _roles(rows.column_names)
    people = next((name for name, role in roles.items() if role == "user"), None)
    return Preview(rows.num_rows, whole, tuple(_column(rows, name, roles[name], people) for name in rows.column_names))


def _batches(source: Any) -> "Iterator[pa.RecordBatch]":
    """The rows of the first file."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    shape = layout_of(None)
    file = find_files(source, shape)[0]
    kind = format_of(file, shape)
    if kind == "gpx":
        raise DataError("GPX files have no columns to choose: the user is the name of the file.")
    try:
        if kind == "parquet":
            yield from parquet.ParquetFile(file).iter_batches(ROWS)
            return
        head = head_of(file, shape, header=True)
        if head is None:
            raise DataError(f"{file.name} is empty; choose another file.")
        if not listed(head.fields).startswith("has: "):
            raise DataError(f"{file.name} {listed(head.fields)} and no names of columns; add a header.")
        reading = csv.ReadOptions(skip_rows=head.line, column_names=list(head.fields))
        yield from csv.open_csv(unpacked(file), reading, csv.ParseOptions(delimiter=head.delimiter))
    except (OSError, pa.ArrowException) as error:
        raise unreadable(file.name) from error


def _first(batches: "Iterator[pa.RecordBatch]") -> "tuple[pa.Table, bool]":
    import pyarrow as pa

    taken: list[Any] = []
    for batch in batches:
        taken.append(batch)
        if sum(one.num_rows for one in taken) > ROWS:
            return pa.Table.from_batches(taken).slice(0, ROWS), False
    if not taken:
        raise DataError("there is no row in it; choose another source.")
    return pa.Table.from_batches(taken), True


def _roles(names: list[str]) -> dict[str, Role]:
    """By common names; a column that could name people, when another does, looks like an identifier."""
    roles: dict[str, Role] = dict.fromkeys(names, "other")
    by_name = {plain(name): name for name in reversed(names)}
    for role in NAMED:
        known = next((by_name[alias] for alias in ALIASES[role] if alias in by_name), None)
        likely = known or (nearest(role, names) if role != "cell" else None)
        if likely is not None and roles[likely] == "other":
            roles[likely] = role
    return roles


def _column(rows: "pa.Table", name: str, role: Role, people: str | None) -> PreviewColumn:
    import pyarrow as pa
    from pyarrow import compute

    column = rows[name]
    if pa.types.is_nested(column.type):
        return PreviewColumn(name, "nested values", 0, column.null_count, None, role)
    different = int(compute.count_distinct(column).as_py())
    alone = None
    if people is not None:
        both = pa.table({"value": column, "person": rows[people]}).group_by("value")
        owners = both.aggregate([("person", "count_distinct")])["person_count_distinct"]
        alone = int(compute.sum(compute.equal(owners, 1)).as_py() or 0)
    named = plain(name) in ALIASES["user"]
    mostly_alone = alone is not None and different > 10 and alone > 0.9 * different and _is_label(column.type)
    if role == "other" and (named or mostly_alone):
        role = "identifier"
    return PreviewColumn(name, _kind(column.type), different, column.null_count, alone, role)


def _is_label(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return not pa.types.is_floating(kind) and not pa.types.is_temporal(kind)


def _kind(kind: "pa.DataType") -> str:
    import pyarrow as pa

    if pa.types.is_temporal(kind):
        return "times"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    return "text" if is_text(kind) else "values"

"""How a command reads its sources: the options that all of them share."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incrowd.cli.options import Command, arguments_of, box_of, gathers, options_of, unmarked
from incrowd.cli.outputs import refuse_own_input
from incrowd.cli.screen import progress_bar
from incrowd.data.release_folder import MANIFEST, table_in
from incrowd.errors import ParameterError
from incrowd.read.sources.local import check_unused, is_copied, local

FarTowers = Annotated[bool, typer.Option("--far-towers", help="Go on though most records are far from every tower.")]
Towers = Annotated[
    Path | None, typer.Option(help=unmarked("Table of towers with lon and lat. [default: a grid of --cell-m]"))
]
Origin = Annotated[
    str | None,
    typer.Option(
        metavar="LON,LAT",
        help=unmarked(
            "Where squares are counted from. [default: the whole degrees of the median longitude and latitude]"
        ),
    ),
]
Order = Literal["time", "log"]


@dataclass(frozen=True)
class ReadingOptions:
    """How to read the sources.

    Args:
        column: ROLE=NAME: which column is user, t, lon or lat, x and y in metres, cell (an antenna id), or the slot of
            visits; a name or, in files without a header, a position counted from 0; repeatable.
        layout: A known layout, such as geolife or tdrive.
        time_zone: Zone of times without an offset, of slots, and of all days and hours printed, such as
            Europe/Amsterdam. [default: UTC]
        time_format: How times are written, such as '%d/%m/%Y %H:%M:%S'. [default: ISO 8601]
        decimal: Decimal sign of numbers in text files. [default: as detected]
        antennas: Table of the places of cells, for records or visits that name a cell: id, lon, lat or x, y.
        antenna_at: Which place to take of an antenna or cell that its table lists at two.
        attribute: Keep this column as an attribute of the person; repeatable.
        bad_rows: Set unreadable rows aside in this file and go on.
        table: Table of a database, or sheet of a workbook. [default: the only one]
        query: SELECT statement for a database, instead of a table.
    """

    column: Sequence[str] = ()
    layout: str | None = None
    time_zone: str | None = None
    time_format: str | None = None
    decimal: Literal[".", ","] | None = None
    antennas: Path | None = None
    antenna_at: Literal["first", "last"] = "first"
    attribute: Sequence[str] = ()
    bad_rows: Path | None = None
    table: str | None = None
    query: str | None = None

    def refuse(self, why: str, *options: str) -> None:
        """Refuse options that would be ignored."""
        given = next((name for name in options if getattr(self, name)), None)
        if given is not None:
            raise ParameterError(f"{why}; leave --{given.replace('_', '-')} out.")

    def arguments(self) -> dict[str, Any]:
        """As the keywords of `incrowd.read.table` and of the discretizers."""
        return {
            "columns": _pairs(self.column),
            "layout": self.layout,
            "time_zone": self.time_zone,
            "time_format": self.time_format,
            "decimal": self.decimal,
            "antennas": self.antennas,
            "antenna_at": self.antenna_at,
            "attributes": tuple(self.attribute),
            "bad_rows": self.bad_rows,
            "table": self.table,
            "query": self.query,
        }


SOURCES = ("sources", "data", "known", "target", "before", "original")


@contextmanager
def _local(sources: Any, table: str | None, query: str | None) -> Iterator[Any]:
    """The files of what was given, in the same shape."""
    with local(sources, table, query) as files:
        yield [str(files)] if isinstance(sources, list) and isinstance(files, (str, Path)) else files


def _pairs(texts: Sequence[str]) -> dict[str, str | int] | None:
    split = [text.partition("=") for text in texts]
    if not all(role and name for role, _, name in split):
        raise ParameterError("--column takes ROLE=NAME or ROLE=POSITION, such as --column lat=breedte.")
    return {role: int(name) if name.isdecimal() else name for role, _, name in split} or None


def _listed(name: str, metavar: str) -> tuple[Any, Any]:
    return Annotated[list[str], typer.Option(metavar=metavar, help=arguments_of(ReadingOptions)[name])], []


READING = options_of(ReadingOptions, column=_listed("column", "ROLE=NAME"), attribute=_listed("attribute", "NAME"))


def reads(command: Command) -> Command:
    """Give a command the options of reading, gathered in its argument `reading`; its inputs stay what they are.

    What is not a file is copied first, so a command sees files alone, unless it runs on Spark.
    """
    own = inspect.signature(command).parameters  # a paper has a table of its own, and is given a query
    options = {name: option for name, option in READING.items() if name not in own}
    gathered = gathers("reading", options, ReadingOptions, last=True)(command)

    @wraps(gathered)
    def wrapper(**given: Any) -> None:
        refuse_own_input(given)
        table = given["table"] if "table" in options else None
        inputs = [name for name in SOURCES if isinstance(given.get(name), (str, list)) and is_copied(given[name])]
        if given.get("engine") == "spark":
            inputs = []  # executors read them where they are
        elif not inputs:
            check_unused(table, given["query"])
        with ExitStack() as stack:
            for name in inputs:
                with progress_bar():
                    given[name] = stack.enter_context(_local(given[name], table, given["query"]))
            gathered(**given)

    return wrapper


@dataclass(frozen=True)
class Boxing:
    """The box that decides the size of cells.

    Args:
        box: Box to divide: west, south, east and north in degrees, or in metres for x and y; records outside are
            dropped. [default: that of the data, without strays]
        keep_zero: Keep records at (0, 0), which are dropped otherwise.
    """

    box: str | None = None
    keep_zero: bool = False

    def arguments(self) -> dict[str, Any]:
        """As keywords of the steps whose cells follow from a box, where they were given."""
        return ({"box": box_of(self.box)} if self.box is not None else {}) | (
            {"keep_zero": True} if self.keep_zero else {}
        )


boxes = gathers("boxing", options_of(Boxing), Boxing, last=True)


def one_or_many(sources: list[str]) -> str | list[str]:
    """A single source keeps its meaning as a folder or glob; the folder of a release is the table in it."""
    if len(sources) != 1:
        return sources
    table = table_in(sources[0]) if (Path(sources[0]) / MANIFEST).is_file() else None
    return sources[0] if table is None else str(table)

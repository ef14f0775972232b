"""How a command reads its sources, never over what it writes: the options that all of them share."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incrowd.cli.options import Command, arguments_of, box_of, gathers, options_of, takes, unmarked
from incrowd.cli.screen import progress_bar
from incrowd.data.release_folder import MANIFEST, table_in
from incrowd.errors import DataError, ParameterError
from incrowd.read.sources.local import check_unused, is_copied, local

Origin = Annotated[
    str | None,
    typer.Option(
        metavar="LON,LAT",
        help=unmarked(
            "Where squares are counted from. [default: the whole degrees of the median longitude and latitude]"
        ),
    ),
]


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
        how = {**vars(self), "column": _pairs(self.column), "attribute": tuple(self.attribute)}
        return {f"{name}s" if name in ("column", "attribute") else name: value for name, value in how.items()}


COPIED = ("sources", "data", "known", "target", "before", "original")
WRITTEN = (
    "output",
    "report",
    "recovered",
    "bad_rows",
    "checkpoint",
    "keep_link",
    "cells",
    "attest_file",
    "evidence",
    "map",
    "figures",
)
READ_WITH = {"cells": "truth"}  # read by commands that take the other option too, else written
SOURCES = ("sources", "data", "known", "before")
FILES = ("after", "real", "release", "towers", "antennas", "zones", "regions", "truth", "link", "cells", "outline")


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


def refuse_own_input(given: Mapping[str, Any]) -> None:
    """Refuse an output that exists and is an input too, by another name or in a folder or glob as well.

    `given` are the arguments of a command by name; two outputs of one name are refused, too.
    """
    named = {name: given.get(name) for name in WRITTEN if READ_WITH.get(name) not in given}
    _refuse_same({name: Path(path) for name, path in named.items() if path is not None})
    there = {name: Path(path) for name, path in named.items() if path is not None and Path(path).exists()}
    if not there:
        return
    inputs = [path for path in _inputs(given, set(named)) if path.exists()]
    read = {_identity(path) for path in inputs}
    for name, path in there.items():
        if _identity(path) in read or ("sources" in given and _replaces(path, inputs)):
            raise ParameterError(f"{_option(name)} {path.name} would overwrite its own input; choose another name.")


def _refuse_same(outputs: Mapping[str, Path]) -> None:
    seen: dict[Path, str] = {}
    for name, path in outputs.items():
        first = seen.setdefault(path.resolve(), name)
        if first != name:
            raise ParameterError(f"{_option(name)} and {_option(first)} name the same file; choose two.")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _inputs(given: Mapping[str, Any], written: set[str]) -> Iterator[Path]:
    for name in (*SOURCES, *(["target"] if "known" in given else [])):  # elsewhere a target is a number
        listed = given.get(name) or []
        for one in [listed] if isinstance(listed, str) else listed:
            yield Path(one)
            yield from _meant(one, given.get("layout"))
    for name in set(FILES) - written:
        if given.get(name) is not None:
            path = Path(given[name])
            yield path
            # A page kept beside the data of a release is no input.
            yield from (file for file in path.glob("*") if file.suffix != ".html")


def _meant(source: str, layout: str | None) -> list[Path]:
    """The files of a folder or glob; none where reading itself will say what is wrong."""
    from incrowd.read.files import find_files
    from incrowd.read.layouts import layout_of

    try:
        return find_files(source, layout_of(layout))
    except DataError:
        return []


def _replaces(folder: Path, inputs: list[Path]) -> bool:
    """Whether a folder that is written whole holds an input."""
    return folder.is_dir() and any(folder.resolve() in path.resolve().parents for path in inputs)


def _identity(path: Path) -> tuple[int, int]:
    """Equal for all names of one file."""
    status = path.stat()
    return status.st_dev, status.st_ino


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
        inputs = [name for name in COPIED if isinstance(given.get(name), (str, list)) and is_copied(given[name])]
        if given.get("engine") == "spark" or "source" in given:
            inputs = []  # executors read them where they are, and init writes down what was given
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


@dataclass(frozen=True)
class Engine:
    """Where the work is done: on this machine, or on Spark, which gives the same answers (docs/howto/spark.md).

    Args:
        engine: Where the work is done: on this machine, or on Spark, where a source is a Parquet path or a table name.
        master: Address of the Spark cluster, such as spark://HOST:7077, yarn or local[4]. [default: as spark-submit
            says, or this machine]
    """

    engine: Literal["local", "spark"] = "local"
    master: str | None = None

    def __post_init__(self) -> None:
        if self.master is not None and not self.on_spark:
            raise ParameterError("--master has no use without --engine spark; pass both, or leave it out.")

    @property
    def on_spark(self) -> bool:
        """Whether Spark does the work."""
        return self.engine == "spark"

    def refuse(self, **options: Any) -> None:
        """Refuse options of a command that Spark does not take."""
        given = next((name for name, value in options.items() if value), None)
        if self.on_spark and given is not None:
            raise ParameterError(f"--{given.replace('_', '-')} has no use with --engine spark; leave one of them out.")


with_engine = takes(Engine, "engine", into=Engine)


def one_or_many(sources: list[str]) -> str | list[str]:
    """A single source keeps its meaning as a folder or glob; the folder of a release is the table in it."""
    if len(sources) != 1:
        return sources
    table = table_in(sources[0]) if (Path(sources[0]) / MANIFEST).is_file() else None
    return sources[0] if table is None else str(table)

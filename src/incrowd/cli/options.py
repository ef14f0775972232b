"""Options that several commands share, written once."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incrowd.cli.overwrite import refuse_own_input
from incrowd.data.release_folder import MANIFEST, table_in
from incrowd.errors import ParameterError

Command = Callable[..., None]
Sources = Annotated[
    list[str],
    typer.Argument(metavar="SOURCE...", help="Files, folders or globs: CSV, TSV, Parquet, GPX, PLT; .gz and .zst too."),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write: .parquet or .csv.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing output.")]
Json = Annotated[bool, typer.Option("--json", help="Print the whole record as JSON and nothing else.")]
Seed = Annotated[int, typer.Option(help="Seed of every random choice, so that a number can be re-run.")]
TimeZone = Annotated[
    str | None,
    typer.Option(
        help="Zone of naive times, of slots and of all days and hours shown, such as Europe/Amsterdam; default UTC."
    ),
]
Towers = Annotated[Path | None, typer.Option(help="Table of towers with lon and lat; a grid of --cell-m without it.")]

FarTowers = Annotated[bool, typer.Option("--far-towers", help="Go on though most records are far from every tower.")]

Origin = Annotated[
    str | None,
    typer.Option(
        metavar="LON,LAT",
        help="Where squares are counted from: the whole degrees of the median longitude and latitude without it.",
    ),
]

READING: dict[str, tuple[Any, Any]] = {
    "column": (
        Annotated[
            list[str],
            typer.Option(
                metavar="ROLE=NAME",
                help="Which column is user, t, lon or lat, x and y in metres, cell (an antenna id), or the slot of "
                "visits: its name or, in files without a header, its position counted from 0; repeatable.",
            ),
        ],
        [],
    ),
    "layout": (Annotated[str | None, typer.Option(help="A known layout, such as geolife or tdrive.")], None),
    "time_zone": (TimeZone, None),
    "time_format": (
        Annotated[
            str | None, typer.Option(help="How times are written, such as '%d/%m/%Y %H:%M:%S'; ISO 8601 without it.")
        ],
        None,
    ),
    "decimal": (
        Annotated[
            Literal[".", ","] | None,
            typer.Option(help="Decimal sign of numbers in text files; detected if not given."),
        ],
        None,
    ),
    "antennas": (
        Annotated[
            Path | None,
            typer.Option(
                help="Table of the places of cells, for records or visits that name one: id, lon, lat or x, y."
            ),
        ],
        None,
    ),
    "antenna_at": (
        Annotated[
            Literal["first", "last"],
            typer.Option(help="Which place to take of an antenna or cell that its table lists at two."),
        ],
        "first",
    ),
    "attribute": (
        Annotated[list[str], typer.Option(metavar="NAME", help="Keep this column, per user; repeatable.")],
        [],
    ),
    "bad_rows": (
        Annotated[Path | None, typer.Option(help="Set unreadable rows aside in this file and go on.")],
        None,
    ),
}


@dataclass(frozen=True)
class ReadingOptions:
    """How to read the sources: the options of READING, gathered."""

    column: list[str]
    layout: str | None
    time_zone: str | None
    time_format: str | None
    decimal: str | None
    antennas: Path | None
    antenna_at: str
    attribute: list[str]
    bad_rows: Path | None

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
        }


def _pairs(texts: list[str]) -> dict[str, str | int] | None:
    split = [text.partition("=") for text in texts]
    if not all(role and name for role, _, name in split):
        raise ParameterError("--column takes ROLE=NAME or ROLE=POSITION, such as --column lat=breedte.")
    return {role: int(name) if name.isdecimal() else name for role, _, name in split} or None


def reads(command: Command) -> Command:
    """Give a command the options of reading, gathered in its argument `reading`; its inputs stay what they are."""
    gathered = gathers("reading", READING, ReadingOptions)(command)

    @wraps(gathered)
    def wrapper(**given: Any) -> None:
        refuse_own_input(given)
        gathered(**given)

    return wrapper


def gathers(
    argument: str, options: dict[str, tuple[Any, Any]], into: Callable[..., Any], *, in_place: bool = False
) -> Callable[[Command], Command]:
    """Give a command options it shares with others, gathered in one of its arguments.

    Help lists them after its own, or in the place of that argument.
    """

    def decorator(command: Command) -> Command:
        @wraps(command)
        def wrapper(**given: Any) -> None:
            command(**{argument: into(**{name: given.pop(name) for name in options})}, **given)

        parameters = inspect.signature(command).parameters
        own = [p for name, p in parameters.items() if name != argument]
        shared = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
            for name, (kind, default) in options.items()
        ]
        keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
        at = list(parameters).index(argument) if in_place else len(keyword)
        listed = [*keyword[:at], *shared, *keyword[at:]]
        wrapper.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in listed} | {"return": None}
        return wrapper

    return decorator


BOXING: dict[str, tuple[Any, Any]] = {
    "box": (
        Annotated[
            str | None,
            typer.Option(
                metavar="W,S,E,N",
                help="Box to divide: west, south, east and north in degrees, or in metres for x and y; records outside "
                "leave. [default: that of the data, without strays]",
            ),
        ],
        None,
    ),
    "keep_zero": (
        Annotated[bool, typer.Option("--keep-zero", help="Keep records at (0, 0); they leave if not.")],
        False,
    ),
}


@dataclass(frozen=True)
class Boxing:
    """The box that decides the size of cells: the options of BOXING, gathered."""

    box: str | None
    keep_zero: bool

    def arguments(self) -> dict[str, Any]:
        """As keywords of the steps whose cells follow from a box, where they were given."""
        return ({"box": box_of(self.box)} if self.box is not None else {}) | (
            {"keep_zero": True} if self.keep_zero else {}
        )


boxes = gathers("boxing", BOXING, Boxing)


def box_of(text: str) -> tuple[float, float, float, float]:
    """A box as a person writes it.

    >>> box_of("-122.6,37.6,-122.3,37.9")
    (-122.6, 37.6, -122.3, 37.9)
    """
    try:
        west, south, east, north = map(float, text.split(","))
    except ValueError:
        raise ParameterError("--box takes west,south,east,north, such as --box -122.6,37.6,-122.3,37.9.") from None
    if not all(map(isfinite, (west, south, east, north))) or west > east or south > north:
        raise ParameterError("--box takes west,south,east,north with west <= east and south <= north.")
    return west, south, east, north


Order = Literal["time", "log"]


def one_or_many(sources: list[str]) -> str | list[str]:
    """A single source keeps its meaning as a folder or glob; the folder of a release is the table in it."""
    if len(sources) != 1:
        return sources
    table = table_in(sources[0]) if (Path(sources[0]) / MANIFEST).is_file() else None
    return sources[0] if table is None else str(table)


def lon_lat(text: str | None) -> tuple[float, float] | None:
    """A place as a person writes it: -122,37.5.

    >>> lon_lat("-122,37.5")
    (-122.0, 37.5)
    """
    if text is None:
        return None
    try:
        lon, lat = map(float, text.split(","))
    except ValueError:
        raise ParameterError("--origin takes LON,LAT in degrees, such as -122,37.") from None
    return lon, lat


def numbers(text: str, option: str = "--points") -> list[int]:
    """Numbers as a person writes them: 4, 1-5, 2,4,8.

    >>> numbers("1-3,8")
    [1, 2, 3, 8]
    """
    values: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        ends = [end for end in ((low, high) if dash else (low,)) if end.isascii() and end.isdigit() and len(end) < 5]
        if len(ends) != (2 if dash else 1) or int(ends[0]) > int(ends[-1]):
            raise ParameterError(f"{option} takes numbers below 10,000 such as 4, 1-5 or 2,4,8.")
        values += range(int(ends[0]), int(ends[-1]) + 1)
    return values

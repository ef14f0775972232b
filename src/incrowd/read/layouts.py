"""What a file looks like: which column is the user, the time and the place; presets of well-known datasets."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypedDict, TypeVar

from incrowd.errors import DataError, ParameterError

Column = str | int | tuple[str | int, ...]  # a name, a position, or several columns read as one text
Format = Literal["text", "parquet", "gpx"]
Decimal = Literal[".", ","]
AntennaAt = Literal["first", "last"]
F = TypeVar("F", bound=Callable[..., Any])


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Most telling name first: if a file has several, the earlier one is taken.
ALIASES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "user": _names(
            "user uid user_id userid person_id person subscriber_id imsi msisdn device_id deviceid device vehicle_id "
            "taxi_id bike_id mmsi pseudonym traj_id trajectory_id id"
        ),
        "t": _names(
            "t timestamp datetime date_time time utc_time utc utctimestamp basedatetime base_date_time ts epoch "
            "unix_time recorded_at tracked_at created_at checkin_time call_start call_time event_time start_time date"
        ),
        "lon": ("lon", "lng", "long", "longitude", "x"),
        "lat": ("lat", "latitude", "y"),
        "cell": _names(
            "cell_id cellid cell antenna_id antenna site_id site tower_id tower cgi ecgi lac_ci bts_id bts "
            "base_station_id base_station enodeb_id station_id station location_id"
        ),
    }
)
# Words in names of columns that suggest what they hold; they advise, and decide nothing.
_HINTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "user": _names("who customer client rider passenger driver phone sim account card member name"),
        "t": _names("when moment stamp day hour start begin local tijd zeit heure hora"),
        "lon": _names("longitud lengte laenge easting"),
        "lat": _names("latitud breedte breite northing"),
        "cell": _names("mast node zone place location"),
        "slot": _names("period interval window timeslot bin"),
    }
)
DEGREES = ("user", "t", "lon", "lat")
METRES = ("user", "t", "x", "y")
ANTENNAS = ("user", "t", "cell")  # records that say at which antenna they were made
PLACES = ("lon", "lat", "x", "y")

# What a column may be called, and what a date, a time, a decimal or an identifier looks like.
_NAME = re.compile(r"[^\W\d][\w .-]{0,40}")
_VALUE = re.compile(r"\d[.:-]\d|\d{5}")


@dataclass(frozen=True)
class Layout:
    """How to read files that do not describe themselves; columns given by position mean that there is no header."""

    about: str
    columns: Mapping[str, Column] = field(default_factory=dict)
    kind: Format | None = None  # None: from the name of each file
    files: str = "*"  # which files of a folder
    user_from: str | None = None  # regular expression on the path; its group is the user of the whole file
    delimiter: str | None = None  # None: from the header
    quote: str = '"'
    skip: int = 0  # lines before the data or the header
    encoding: str = "utf-8"
    time_format: str | None = None  # strptime; None: ISO 8601 or numbers

    def __post_init__(self) -> None:
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ParameterError(f"delimiter must be one character, or None, got {self.delimiter!r}.")
        if len(self.quote) > 1:
            raise ParameterError(f"quote must be one character, or empty, got {self.quote!r}.")


_CHECKINS = Layout(
    "check-ins of the SNAP collection: user, time, latitude, longitude, location id, tab-separated",
    MappingProxyType({"user": 0, "t": 1, "lat": 2, "lon": 3, "location": 4}),
    kind="text",
    files="*totalCheckins.txt*",
    delimiter="\t",
    quote="",
)

LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "geolife": Layout(
            "GeoLife 1.3: one .plt file per trajectory in Data/<user>/Trajectory",
            MappingProxyType({"lat": 0, "lon": 1, "altitude_ft": 3, "t": (5, 6)}),
            kind="text",
            files="*.plt",
            user_from=r"([^/]+)/Trajectory/[^/]+$",
            delimiter=",",
            quote="",
            skip=6,
        ),
        "tdrive": Layout(
            "T-Drive: one .txt file per taxi: id, time, longitude, latitude (Beijing time; pass time_zone)",
            MappingProxyType({"user": 0, "t": 1, "lon": 2, "lat": 3}),
            kind="text",
            files="*.txt",
            delimiter=",",
            quote="",
        ),
        "cabspotting": Layout(
            "Cabspotting: one new_<cab>.txt per taxi: latitude, longitude, occupied, epoch seconds",
            MappingProxyType({"lat": 0, "lon": 1, "occupied": 2, "t": 3}),
            kind="text",
            files="new_*.txt",
            user_from=r"new_([^/]+)\.txt[^/]*$",
            delimiter=" ",
            quote="",
        ),
        "gowalla": _CHECKINS,
        "brightkite": _CHECKINS,
        "foursquare": Layout(
            "Foursquare TSMC2014: tab-separated check-ins in Latin-1, times in UTC",
            MappingProxyType({"user": 0, "venue": 1, "category": 3, "lat": 4, "lon": 5, "t": 7}),
            kind="text",
            files="dataset_TSMC2014_*.txt*",
            delimiter="\t",
            quote="",
            encoding="latin-1",
            time_format="%a %b %d %H:%M:%S %z %Y",
        ),
        "gpx": Layout("GPX: the points of each file; the user is the name of the file", kind="gpx", files="*.gpx*"),
        "geoparquet": Layout("GeoParquet: points in WGS 84, with user and time columns", kind="parquet"),
    }
)


def layout_of(given: str | Layout | None) -> Layout:
    """A layout by name, as given, or the one that lets files speak for themselves."""
    if isinstance(given, Layout):
        return given
    if given is None:
        return Layout("files that name their columns")
    if given not in LAYOUTS:
        raise ParameterError(f"unknown layout {given!r}; choose from {', '.join(LAYOUTS)}.")
    return LAYOUTS[given]


class Reading(TypedDict, total=False):
    """How to read a source that is not Traces yet.

    Args:
        columns: Which column is user, t, lon and lat, x and y in metres, or cell: a name, a position counted from 0
            in a file without a header, or several columns that are read as one text. [default: by common names]
        layout: A layout such as "geolife" (see `incrowd.read.LAYOUTS`), or a `Layout`. [default: as the files say]
        attributes: Columns that are kept as attributes of the person.
        bad_rows: A file for the rows that cannot be read. [default: the first such row is an error]
        antennas: A table of the places of cells, for records that name a cell: id, lon, lat or x, y in metres.
        time_format: How times are written, as for strptime, such as "%d/%m/%Y %H:%M:%S". [default: ISO 8601, or numbers
            since 1970]
        decimal: The decimal sign of numbers in text. [default: as detected]
        antenna_at: Which place is used of an antenna that its table lists at two places.
        table: Table of a database, or sheet of a workbook. [default: the only one]
        query: SELECT statement for a database, instead of a table.
        memory_mb: About how much memory reading may take; a larger source is first sorted into a temporary file (28
            bytes per record, in TMPDIR). [default: 1,024 MB]
    """

    columns: Mapping[str, Column] | None
    layout: str | Layout | None
    attributes: Sequence[str]
    bad_rows: str | Path | None
    antennas: Any
    time_format: str | None
    decimal: Decimal | None
    antenna_at: AntennaAt
    table: str | None
    query: str | None
    memory_mb: int


def with_reading(call: F) -> F:
    """The same call, with the options of `Reading` that it takes explained at the end of the Args in its docstring."""
    taken = inspect.signature(call).parameters
    entries = re.findall(r"^ {8}(\w+)(:.*(?:\n {12}.*)*)", Reading.__doc__ or "", re.MULTILINE)
    lines = [f"        {name}{words}" for name, words in entries if name in taken or "reading" in taken]
    before, example, after = (call.__doc__ or "").partition("\n\n    >>>")
    call.__doc__ = "\n".join([before.rstrip(), *lines]) + example + after
    return call


def wanted_columns(columns: Mapping[str, Column] | None) -> dict[str, Column]:
    """The columns a caller names, under the names we use."""
    given = dict(columns or {})
    known = {*DEGREES, *METRES, *ANTENNAS}
    if strange := sorted(str(name) for name in given if name not in known):
        raise ParameterError(f"unknown column {strange[0]!r}; columns can name {', '.join(sorted(known))}.")
    if ("x" in given) != ("y" in given) or {"x", "lon"} <= set(given) or {"y", "lat"} <= set(given):
        raise ParameterError("columns must name lon and lat (degrees), or both x and y (metres).")
    return given


def find_columns(
    header: Sequence[str], wanted: Mapping[str, Column], needed: Sequence[str], file: str
) -> dict[str, tuple[int, ...]]:
    """The positions of the needed columns in a header, by the names given or by alias."""
    by_name: dict[str, list[int]] = {}
    for position, name in enumerate(header):
        by_name.setdefault(plain(name), []).append(position)
    positions = {}
    for noun in needed:
        names = wanted.get(noun) if noun in wanted else _alias(noun, by_name)
        if names is None:
            raise _missing(noun, noun, header, file, cell=_alias("cell", by_name))
        parts = names if isinstance(names, tuple) else (names,)
        positions[noun] = tuple(_position(noun, part, header, by_name, file) for part in parts)
    return positions


def _alias(noun: str, by_name: Mapping[str, list[int]]) -> Column | None:
    names = next((alias for alias in ALIASES.get(noun, (noun,)) if alias in by_name), None)
    return ("date", "time") if names == "time" and "date" in by_name else names


def _position(noun: str, name: str | int, header: Sequence[str], by_name: Mapping[str, list[int]], file: str) -> int:
    if isinstance(name, int):
        if not 0 <= name < len(header):
            raise DataError(f"column {name} is missing in {file} (it has {len(header)}); count columns from 0.")
        return name
    exact = [i for i, other in enumerate(header) if other == name]
    places = exact or by_name.get(plain(name), [])
    if not places:
        raise _missing(noun, name, header, file)
    if len(places) > 1:
        raise DataError(f"column {name!r} appears {len(places)} times in the header of {file}; rename all but one.")
    return places[0]


def listed(header: Sequence[str]) -> str:
    """The names of columns, for a message; only their number if they may be the values of a record.

    >>> listed(["uid", "time"]), listed(["alice", "2024-01-01"]), listed(["alice 12:30"])
    ('has: uid, time', 'has 2 fields in its first line', 'has 1 field in its first line')
    """
    # A record can pass for a single name if its fields are not separated.
    if len(header) > 1 and all(_NAME.fullmatch(field) and not _VALUE.search(field) for field in header):
        return f"has: {', '.join(header)}"
    return f"has {len(header)} field{'s' * (len(header) != 1)} in its first line"


def _missing(noun: str, name: str, header: Sequence[str], file: str, cell: Column | None = None) -> DataError:
    """The sentence for a noun, or the name given for it, that is in no column."""
    columns = listed(header)
    what = f"column {name!r}" if noun == name else f"column {name!r}, given for {noun},"
    if noun in PLACES and cell is not None:
        advice = f"the place of each {cell!r} is in a table of antennas: pass antennas=TABLE (--antennas FILE)"
    elif noun == "t" and cell is not None and "slot" in map(plain, header):
        advice = "these are visits: read them with incrowd.read.visits, or give one file to a command that takes visits"
    elif columns.startswith("has: "):
        advice = column_advice(noun, header)
    elif any("\n" in field for field in header):
        advice = "close the quote in its header"
    elif len(header) == 1:
        advice = "separate fields by a comma, semicolon, tab or |, or give a Layout with its delimiter"
    else:
        advice = f"{column_advice(noun, ())}, or give every position, counted from 0, if the file has no header"
    return DataError(f"{what} is missing in {file} ({columns}); {advice}.")


def column_advice(noun: str, header: Sequence[str]) -> str:
    """How to say which column is meant, with the most likely one.

    >>> column_advice("t", ["uid", "local_time"])
    "pass columns={'t': NAME} (--column t=NAME), for example --column t=local_time"
    """
    near = nearest(noun, header)
    if noun not in {*DEGREES, *METRES, *ANTENNAS, "slot", "n", "hour", "date"}:
        return "check the name of the attribute" + (f", did you mean {near}" if near else "")
    example = f", for example --column {noun}={near}" if near else ""
    return f"pass columns={{'{noun}': NAME}} (--column {noun}=NAME){example}"


def nearest(noun: str, header: Sequence[str]) -> str | None:
    """The column whose name is most like a noun: by a word in it, or by its letters."""
    names = {plain(name): name for name in header}
    known = (*ALIASES.get(noun, (noun,)), *_HINTS.get(noun, ()))
    by_word = (name for name in names if not set(name.split("_")).isdisjoint(known))
    by_letters = (match for alias in known for match in get_close_matches(alias, names, n=1, cutoff=0.75))
    near = next(by_word, None) or next(by_letters, None)
    return None if near is None else names[near]


def plain(name: str) -> str:
    """A column name as it is compared: case, blanks and dashes aside."""
    return re.sub(r"[\s\-.]+", "_", name.strip().lower())

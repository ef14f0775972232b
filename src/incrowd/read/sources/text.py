"""CSV, TSV and their kin -> scans: the first rows tell numbers from text; GPX files -> scans, each of one user."""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import IO, TYPE_CHECKING, Any
from xml.parsers import expat

from incrowd.errors import DataError, IncrowdWarning, ParameterError
from incrowd.read.bad import BadRow
from incrowd.read.files import (
    Head,
    from_path,
    has_quote,
    has_underscore,
    head_of,
    hive_keys,
    holds_text,
    one_byte,
    split,
    unpacked,
    unreadable,
)
from incrowd.read.layouts import PLACES
from incrowd.read.sources.quotes import FEW_LINES, Grammar, Quotes, quotes_of, rows_of, without
from incrowd.read.sources.scan import (
    Field,
    Positions,
    Request,
    Scan,
    Sort,
    digits,
    find,
    handle,
    make,
    quoted,
    sql_list,
)

if TYPE_CHECKING:
    import pyarrow as pa

_TYPES: dict[Sort, str] = {"whole": "BIGINT", "real": "DOUBLE"}
_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
Pair = tuple[Path, Head]
_POINTS = ("trkpt", "rtept", "wpt")
_STEM = r"([^/]+?)(?i:\.gpx)?\.[^./]+$"
_NOTE = "GPX waypoints and route points without a time, left out"


def text_scans(files: Sequence[Path], request: Request) -> Iterator[Scan]:
    """One scan per run of files with the same header, and with the same decimal sign."""
    heads = [(file, head_of(file, request.layout, header=request.header)) for file in files]
    there = [(file, head) for file, head in heads if head is not None]
    if not there:
        raise DataError(f"{files[0]} is empty; check the path or the export.")

    def alike(pair: Pair) -> object:
        return pair[1].shape, tuple(hive_keys(pair[0])), _decimal(*pair, request)

    for _, group in groupby(there, key=alike):
        yield _scan(list(group), request)


def _decimal(file: Path, head: Head, request: Request) -> str:
    """The decimal sign as given, or that of the sampled coordinates where fields are not separated by commas."""
    if request.decimal or head.delimiter == ",":
        return request.decimal or "."
    if not any(_COMMA.fullmatch(value) for row in head.rows for value in row):
        return "."
    positions, _ = find([file], head.fields, request, request.nouns)
    places = [at[0] for noun, at in positions.items() if noun in PLACES]
    return "," if any(_COMMA.fullmatch(row[at]) for row in head.rows for at in places) else "."


def _scan(pairs: list[Pair], request: Request) -> Scan:
    files, head = [file for file, _ in pairs], pairs[0][1]
    decimal = _decimal(*pairs[0], request)
    positions, constants = find(files, head.fields, request, request.nouns)
    header = head.fields if request.header else _with_roles(head.fields, positions)
    fields = {}
    types = dict.fromkeys(range(len(header)), "VARCHAR")
    # The engine skips an underscore between digits: if there is one, numbers are read as text first.
    careful = decimal == "," or any(has_underscore(file) for file in files)
    for noun, places in positions.items():
        known = noun in request.nouns and not (noun == "t" and request.layout.time_format)
        sort = _sort(noun, places, head, decimal) if known else "text"
        sql = [f"c{place}" for place in places]
        if sort in _TYPES and careful:
            sql[0] = digits(sql[0], decimal)
        elif sort in _TYPES:
            types[places[0]] = _TYPES[sort]
        fields[noun] = tuple(Field(one, sort, header[place]) for one, place in zip(sql, places, strict=True))
    aside, copies = _resumed(pairs, positions, decimal, request)
    read = [Path(handle(copies[file])) if file in copies else file for file in files]
    origin = f"read_csv({sql_list(read)}, {_options(head, request, types)})"
    more = {"aside": aside, "copies": copies, "decimal": decimal}
    return make(request, files, origin, fields, constants, unit="line", header=header, delimiter=head.delimiter, **more)


def _resumed(
    pairs: Sequence[Pair], positions: Positions, decimal: str, request: Request
) -> tuple[tuple[BadRow, ...], Mapping[Path, IO[bytes]]]:
    """Lines with stray quotes, which are refused or set aside, and copies without them of the files that have any."""
    layout = request.layout
    aside: list[BadRow] = []
    copies = {}
    for file, head in pairs:
        quote = layout.quote.encode() if one_byte(layout.encoding) else b""
        if request.set_aside and not one_byte(layout.encoding) and holds_text(file, layout.quote, layout.encoding):
            raise DataError(
                f"{file} is {layout.encoding} text with quotes, in which bad rows cannot be set aside; "
                "convert the file to UTF-8 first."
            )
        if not has_quote(file, quote):
            continue
        grammar = Grammar(head.delimiter.encode(), quote, _Alone(head, positions, decimal, request))
        quotes = quotes_of(file, grammar, layout.skip, resume=request.set_aside)
        if request.header and head.line in quotes.aside:
            raise DataError(f"a quote in the header of {file} (line {head.line}) does not close; close it.")
        stray = rows_of(file, quotes.aside, layout.encoding)
        if stray and not request.set_aside:
            raise stray[0].error()
        _warn(file, quotes, aside=request.set_aside)
        if stray:
            aside += stray
            copies[file] = without(file, quotes.aside)
    return tuple(aside), copies


def _warn(file: Path, quotes: Quotes, *, aside: bool) -> None:
    if quotes.long:
        at, lines = quotes.longest
        fields = f"{quotes.long:,} field{'s' * (quotes.long != 1)} of more than {FEW_LINES}"
        advice = "" if aside else "; if a quote is missing or too many there, pass bad_rows=PATH (--bad-rows FILE)"
        sentence = f"the quoted field that begins at line {at} of {file} spans {lines:,} lines ({fields}){advice}."
        warnings.warn(sentence, IncrowdWarning, stacklevel=2)


class _Alone:
    """Whether a line is a record by itself: every field is there, coordinates are numbers and a time has a digit."""

    def __init__(self, head: Head, positions: Positions, decimal: str, request: Request) -> None:
        self.layout, self.delimiter, self.width, self.decimal = (
            request.layout,
            head.delimiter,
            len(head.fields),
            decimal,
        )
        self.numbers = [at[0] for noun, at in positions.items() if noun in PLACES]
        self.times = list(positions.get("t", ()))

    def __call__(self, line: bytes) -> bool:
        values = split(line.decode(self.layout.encoding, "replace"), self.delimiter, self.layout)
        if len(values) != self.width or not all(re.search(r"\d", values[at]) for at in self.times):
            return False
        return all(_number(values[at], self.decimal) is not None for at in self.numbers)


def _with_roles(positions: Sequence[str], places_of: Positions) -> tuple[str, ...]:
    """Columns known by position, each with what it is read as."""
    roles = {place: noun for noun, places in places_of.items() for place in places}
    return tuple(f"{at} ({roles[int(at)]})" if int(at) in roles else at for at in positions)


def _options(head: Head, request: Request, types: dict[int, str]) -> str:
    layout = request.layout
    options = {
        "auto_detect": "false",
        "columns": "{" + ", ".join(f"'c{place}': '{kind}'" for place, kind in types.items()) + "}",
        "delim": quoted(head.delimiter),
        "quote": quoted(layout.quote),
        "escape": quoted(layout.quote),
        "header": str(request.header).lower(),
        "skip": str(layout.skip),
        "encoding": quoted(layout.encoding),
        "compression": quoted(head.compression),
        "strict_mode": "true",
        "store_rejects": str(request.set_aside).lower(),
    }
    return ", ".join(f"{name}={value}" for name, value in options.items())


def _sort(noun: str, places: tuple[int, ...], head: Head, decimal: str) -> Sort:
    if noun not in ("user", "t"):
        return "text" if noun == "cell" else "real"
    sample = [row[places[0]] for row in head.rows if row[places[0]]]
    if noun == "user":
        return "digits" if sample and all(map(is_number_label, sample)) else "text"
    numbers = [abs(number) for value in sample if (number := _number(value, decimal)) is not None]
    if len(places) > 1 or 2 * len(numbers) <= len(sample):
        return "text"
    # A float keeps the fraction of a second, a whole number every digit of a nanosecond.
    return "whole" if median(numbers) >= 1e14 else "real"


def is_number_label(value: str) -> bool:
    """Whether a label is a whole number as we would write it, within 64 bits."""
    return len(value) < 19 and value.isascii() and value.isdigit() and str(int(value)) == value


def _number(value: str, decimal: str) -> float | None:
    """A finite number; None if the value is not one."""
    if decimal == "," and "." in value:
        return None
    try:
        number = float(value.replace(decimal, "."))
    except ValueError:
        return None
    return number if abs(number) < float("inf") and "_" not in value else None


def gpx_scans(files: Sequence[Path], request: Request) -> Iterator[Scan]:
    """One scan per file; its user is the name of the file unless the layout says otherwise."""
    if request.antennas is not None:
        raise ParameterError("GPX has the place of every point; leave antennas out.")
    if request.layout.time_format is not None:
        raise ParameterError("GPX writes its times in one way; leave time_format out.")
    if request.decimal == ",":
        raise ParameterError("GPX writes numbers with a decimal point; leave decimal out.")
    fields = {noun: (Field(noun, "text", noun),) for noun in ("t", "lon", "lat")}
    for file in files:
        user = {"user": (from_path(file, request.layout.user_from or _STEM),)}
        points = _points(file)
        # A place marked or planned, without a time, is not a record of a person.
        records = [point for point in points if point["tag"] == "trkpt" or "t" in point]
        more = {"frame": _table(records).to_reader(), "notes": {_NOTE: len(points) - len(records)}}
        yield make(request, [file], "frame", fields, user, unit="line", numbered="line", **more)


def _table(points: list[dict[str, Any]]) -> "pa.Table":
    import pyarrow as pa

    kinds = {"lon": pa.string(), "lat": pa.string(), "t": pa.string(), "line": pa.int64()}
    return pa.table({name: pa.array([p.get(name) for p in points], kind) for name, kind in kinds.items()})


def _points(file: Path) -> list[dict[str, Any]]:
    """Longitude, latitude and time of each point as text, and the line it starts on."""
    points: list[dict[str, Any]] = []
    inside: list[str] = []
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        # Entities are how a small file becomes a large one; GPX has no use for them.
        raise DataError(f"{file} declares a document type or entities; remove them from the file.")

    def start(name: str, values: dict[str, str]) -> None:
        tag = name.rpartition(":")[2]
        inside.append(tag)
        if tag in _POINTS:
            place = {"lon": values.get("lon"), "lat": values.get("lat")}
            points.append({"tag": tag, **place, "line": parser.CurrentLineNumber})

    def text(data: str) -> None:
        if inside[-1] == "time" and len(inside) > 1 and inside[-2] in _POINTS:
            points[-1]["t"] = points[-1].get("t", "") + data.strip()

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: inside.pop()
    parser.CharacterDataHandler = text
    try:
        with unpacked(file) as stream:
            parser.ParseFile(stream)
    except OSError as error:
        raise unreadable(file) from error
    except expat.ExpatError as error:
        raise DataError(f"{file} is not well-formed XML at line {error.lineno}; export it again.") from None
    return points

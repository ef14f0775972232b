"""GPX files -> scans of their points; each file is one user."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from incrowd.errors import DataError, ParameterError
from incrowd.read.files import from_path, unpacked, unreadable
from incrowd.read.sources.scan import Field, Request, Scan, make

if TYPE_CHECKING:
    import pyarrow as pa

_POINTS = ("trkpt", "rtept", "wpt")
_STEM = r"([^/]+?)(?i:\.gpx)?\.[^./]+$"
_NOTE = "GPX waypoints and route points without a time, left out"


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

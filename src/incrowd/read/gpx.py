"""GPX files -> scans of their points; each file is one user."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from incrowd.errors import DataError
from incrowd.read.columns import Field
from incrowd.read.files import from_path
from incrowd.read.scans import Request, Scan, make

if TYPE_CHECKING:
    import pyarrow as pa

_POINTS = ("trkpt", "rtept", "wpt")
_STEM = r"([^/]+)\.[^./]+$"


def gpx_scans(files: Sequence[Path], request: Request) -> Iterator[Scan]:
    """One scan per file; its user is the name of the file unless the layout says otherwise."""
    fields = {noun: (Field(noun, "text", noun),) for noun in ("t", "lon", "lat")}
    for file in files:
        user = {"user": (from_path(file, request.layout.user_from or _STEM),)}
        frame = _points(file).to_reader()
        yield make(request, [file], "frame", fields, user, unit="line", numbered="line", frame=frame)


def _points(file: Path) -> "pa.Table":
    """Longitude, latitude and time of each point as text, and the line it starts on."""
    import pyarrow as pa

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
            points.append({"lon": values.get("lon"), "lat": values.get("lat"), "line": parser.CurrentLineNumber})

    def text(data: str) -> None:
        if inside[-1] == "time" and len(inside) > 1 and inside[-2] in _POINTS:
            points[-1]["t"] = points[-1].get("t", "") + data.strip()

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: inside.pop()
    parser.CharacterDataHandler = text
    try:
        with file.open("rb") as stream:
            parser.ParseFile(stream)
    except expat.ExpatError as error:
        raise DataError(f"{file} is not well-formed XML at line {error.lineno}; export it again.") from None
    kinds = {"lon": pa.string(), "lat": pa.string(), "t": pa.string(), "line": pa.int64()}
    return pa.table({name: pa.array([p.get(name) for p in points], kind) for name, kind in kinds.items()})

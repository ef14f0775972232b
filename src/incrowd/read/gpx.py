"""GPX files -> an Arrow stream of their timed points."""

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


def gpx_scan(files: Sequence[Path], request: Request) -> Scan:
    """All files as one stream; each is one user, named by its file unless the layout says otherwise."""
    import pyarrow as pa

    texts = [(noun, pa.string()) for noun in ("lon", "lat", "t")]
    schema = pa.schema([*texts, ("line", pa.int64()), ("file_index", pa.uint64())])
    fields = {noun: (Field(noun, "text", noun),) for noun in ("t", "lon", "lat")}
    labels = tuple(from_path(file, request.layout.user_from or _STEM) for file in files)
    stream = pa.RecordBatchReader.from_batches(schema, (_batch(n, file, schema) for n, file in enumerate(files)))
    return make(request, files, "frame", fields, {"user": labels}, unit="line", numbered="line", frame=stream)


def _batch(number: int, file: Path, schema: "pa.Schema") -> "pa.RecordBatch":
    import pyarrow as pa

    rows = list(_points(file))
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    arrays = [pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=False)]
    return pa.record_batch([*arrays, pa.array([number] * len(rows), pa.uint64())], schema=schema)


def _points(file: Path) -> Iterator[tuple[str | None, str | None, str | None, int]]:
    """Longitude, latitude and time of each point as text, and the line it starts on."""
    rows: list[list[Any]] = []
    inside: list[str] = []
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        # Entities are how a small file becomes a large one; GPX has no use for them.
        raise DataError(f"{file} declares a document type or entities; remove them from the file.")

    def start(name: str, values: dict[str, str]) -> None:
        tag = name.rpartition(":")[2]
        inside.append(tag)
        if tag in _POINTS:
            rows.append([values.get("lon"), values.get("lat"), None, parser.CurrentLineNumber])

    def text(data: str) -> None:
        if inside[-1] == "time" and len(inside) > 1 and inside[-2] in _POINTS:
            rows[-1][2] = (rows[-1][2] or "") + data.strip()

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: inside.pop()
    parser.CharacterDataHandler = text
    try:
        with file.open("rb") as stream:
            parser.ParseFile(stream)
    except expat.ExpatError as error:
        raise DataError(f"{file} is not well-formed XML at line {error.lineno}; export it again.") from None
    yield from map(tuple, rows)

"""Parquet files and data frames -> scans; GeoParquet points and files of our own are recognised."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Floats
from incrowd.data.files import noted, undescribed
from incrowd.errors import DataError, ParameterError
from incrowd.read.arrow import missing, stream_of, values
from incrowd.read.files import hive_keys, unreadable
from incrowd.read.layouts import DEGREES, METRES, PLACES
from incrowd.read.sources.scan import Field, Request, Scan, Sort, find, make, sql_list

if TYPE_CHECKING:
    import pyarrow as pa

EXTENSION = b"ARROW:extension:name"
_DEGREE_SYSTEMS = (("OGC", "CRS84"), ("EPSG", "4326"))


def parquet_scans(files: Sequence[Path], request: Request) -> Iterator[Scan]:
    """One scan per run of files with the same schema."""
    schemas = [(file, schema_of(file)) for file in files]
    # Schemas are equal whatever they say about the file as a whole, such as metres or degrees: compare that too.
    for _, group in groupby(schemas, key=lambda pair: (pair[1], pair[1].metadata, tuple(hive_keys(pair[0])))):
        pairs = list(group)
        same = [file for file, _ in pairs]
        yield scan_of(same, f"read_parquet({sql_list(same)}, hive_partitioning=false)", pairs[0][1], request)


def frame_scan(frame: Any, request: Request) -> Scan:
    """A data frame of any library that supports Arrow."""
    if not hasattr(frame, "__arrow_c_stream__"):
        what = type(frame).__name__
        raise DataError(f"cannot read a {what}; give a path, a list of paths, or a data frame that supports Arrow.")
    stream = stream_of(frame)
    return replace(scan_of([], "frame", stream.schema, request), frame=stream)


def points(wkb: "pa.Array") -> tuple[Floats, Floats]:
    """Longitude and latitude of well-known binary points; not a number if there is no point."""
    import pyarrow as pa
    import pyarrow.compute as pc

    size = np.where(missing(wkb), 0, values(pc.binary_length(wkb), np.int32))
    starts = np.frombuffer(wkb.buffers()[1], np.int32)[wkb.offset : wkb.offset + len(wkb)]
    data = np.frombuffer(wkb.buffers()[2] or pa.py_buffer(b""), np.uint8)
    there = size >= 21
    rows = data[starts[there, None] + np.arange(21)]
    xy = np.full((len(wkb), 2), np.nan)
    for first, order in ((0, ">"), (1, "<")):  # the first byte is the byte order
        kind = np.ascontiguousarray(rows[:, 1:5]).view(f"{order}u4")[:, 0]
        # Flat, or with height in either dialect.
        point = (rows[:, 0] == first) & np.isin(kind, (1, 1001, 0x80000001))
        xy[np.flatnonzero(there)[point]] = np.ascontiguousarray(rows[point, 5:]).view(f"{order}f8")
    return xy[:, 0], xy[:, 1]


def rows_of(file: Path) -> int:
    """Records of a Parquet file, from its footer."""
    return int(_footer(file).num_rows)


def schema_of(file: Path) -> "pa.Schema":
    """The columns of a Parquet file, from its footer."""
    return _footer(file).schema.to_arrow_schema()


def _footer(file: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_metadata(file)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(file) from error


def scan_of(files: list[Path], origin: str, schema: "pa.Schema", request: Request) -> Scan:
    """The scan of files, or of a frame, with these columns."""
    place = str(files[0]) if files else "the data frame"
    saved = noted(schema.metadata, place)
    if saved:
        request = _as_saved(saved, schema, request, place)
    elsewhere = request.antennas is not None or {"lon", "x"} & set(request.columns)
    point = {} if elsewhere else _point(schema, place)
    nouns = ("user", "t") if point else request.nouns
    positions, constants = find(files, schema.names, request, nouns)
    fields = {noun: tuple(_field(schema, place) for place in places) for noun, places in positions.items()}
    text = any(fields[noun][0].sort == "text" for noun in PLACES if noun in fields)
    decimal = "," if request.decimal == "," and text else "."
    return make(request, files, origin, {**fields, **point}, constants, saved=saved, decimal=decimal)


def _field(schema: "pa.Schema", place: int) -> Field:
    column = schema.field(place)
    return Field(identifier(column.name), sort_of(column.type), column.name, str(column.type))


def sort_of(kind: "pa.DataType") -> Sort:
    """What a column of this Arrow type holds, as far as reading goes."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return sort_of(kind.value_type)
    if types.is_timestamp(kind):
        return "instant" if kind.tz else "stamp"
    tests: dict[Sort, Any] = {
        "text": (types.is_string, types.is_large_string, types.is_string_view),
        "whole": (types.is_integer,),
        "real": (types.is_floating, types.is_decimal),
        "date": (types.is_date,),
        "list": (types.is_list, types.is_large_list),
    }
    return next((name for name, checks in tests.items() if any(check(kind) for check in checks)), "other")


def identifier(name: str) -> str:
    """A SQL name."""
    return '"' + name.replace('"', '""') + '"'


def _as_saved(saved: Mapping[str, Any], schema: "pa.Schema", request: Request, place: str) -> Request:
    if saved["noun"] != "Traces":
        raise DataError(
            f"{place} holds {saved['noun']}, not Traces; give the trajectories it was made from, or load it in Python "
            "with incrowd.read.saved."
        )
    if not {"planar", "ordered"} <= saved.keys():
        raise undescribed(place)
    if request.columns or request.antennas is not None or request.layout.time_format or request.decimal:
        raise ParameterError(
            f"{place} was saved by incrowd, which describes its columns; leave columns, layout, time_format, decimal "
            "and antennas out."
        )
    nouns = METRES if saved["planar"] else DEGREES
    others = tuple(name for name in schema.names if name not in nouns)
    return replace(request, columns={noun: noun for noun in nouns}, attributes=others)


def _point(schema: "pa.Schema", place: str) -> dict[str, tuple[Field, ...]]:
    """The coordinates of GeoParquet or GeoArrow, where this is one."""
    tagged = [field for field in schema if (field.metadata or {}).get(EXTENSION, b"").startswith(b"geoarrow.")]
    if b"geo" not in (schema.metadata or {}) and not tagged:
        return {}
    try:
        name, encoding, about = _geoarrow(tagged[0]) if tagged else _geoparquet(schema)
        system = (about.get("crs") or {}).get("id", {}) if "crs" in about else None
        schema.field(name)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise DataError(
            f"{place} has 'geo' metadata that are not GeoParquet's; pass columns with the names of lon and lat."
        ) from None
    if system is not None and (system.get("authority"), str(system.get("code"))) not in _DEGREE_SYSTEMS:
        raise DataError(f"column {name!r} of {place} is not in WGS 84 degrees; transform it first.")
    if encoding == "point":
        return {
            noun: (Field(f"{identifier(name)}.{axis}", "real", name),) for noun, axis in (("lon", "x"), ("lat", "y"))
        }
    return {"point": (Field(identifier(name), "other", name),)}


def _geoparquet(schema: "pa.Schema") -> tuple[str, str, dict[str, Any]]:
    geo = json.loads(schema.metadata[b"geo"])
    column = geo["columns"][geo["primary_column"]]
    return geo["primary_column"], column["encoding"], column


def _geoarrow(field: "pa.Field") -> tuple[str, str, dict[str, Any]]:
    encoding = field.metadata[EXTENSION].decode().removeprefix("geoarrow.")
    return field.name, encoding, json.loads(field.metadata.get(b"ARROW:extension:metadata") or b"{}")

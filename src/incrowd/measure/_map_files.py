"""A map of risk -> GeoJSON and GeoParquet: the cells that are not blank, as squares or points."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Floats
from incrowd.data.files import refuse_existing, whole_file
from incrowd.errors import DataError, ParameterError
from incrowd.plain import to_json

if TYPE_CHECKING:
    from incrowd.measure._risk_map import RiskMap

SUFFIXES = (".geojson", ".json", ".parquet")
CORNERS = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) / 2  # counter-clockwise and closed, as RFC 7946 asks
DIGITS = 7  # of degrees: a centimetre, so that neighbours share their corners
POINT, POLYGON = 1, 3  # of WKB
VALUES = ("cell", "people", "identified", "share")


def check_map(path: Path, *, force: bool) -> None:
    """Say before any work that a map cannot be written there."""
    if path.suffix.lower() not in SUFFIXES:
        raise ParameterError(f"cannot tell the format of {path.name}; end its name in .geojson, .json or .parquet.")
    refuse_existing(path, force=force)


def save_map(result: "RiskMap", path: Path, *, force: bool) -> Path:
    """The path, written whole or not at all."""
    check_map(path, force=force)
    with whole_file(path, force=force) as part:
        if path.suffix.lower() == ".parquet":
            _write_geoparquet(result, part)
        else:
            part.write_text(to_json(geojson(result)), encoding="utf-8")
    return path


def geojson(result: "RiskMap") -> dict[str, Any]:
    """A FeatureCollection (RFC 7946), which is in degrees always."""
    if result.crs is None:
        raise DataError(
            "these cells are in metres of an unknown plane, which GeoJSON cannot hold; write .parquet, or give "
            "trajectories in degrees."
        )
    shapes = _degrees(_shapes(result), result.crs)
    squares = result.cell_m is not None
    kind = "Polygon" if squares else "Point"
    places = [[shape] for shape in shapes.tolist()] if squares else shapes[:, 0].tolist()
    rows = zip(*(getattr(result, name).tolist() for name in VALUES), strict=True)
    features = [
        {
            "type": "Feature",
            "geometry": {"type": kind, "coordinates": place},
            "properties": dict(zip(VALUES, row, strict=True)),
        }
        for place, row in zip(places, rows, strict=True)
    ]
    return {"type": "FeatureCollection", "features": features}


def _shapes(result: "RiskMap") -> Floats:
    """The corners of each cell in metres, or its centre alone if it is no square: [cells, corners, 2]."""
    centres: Floats = np.stack([result.x, result.y], axis=1)[:, None, :]
    return centres if result.cell_m is None else centres + CORNERS * result.cell_m


def _degrees(shapes: Floats, crs: str) -> Floats:
    """In longitude and latitude; a square across the 180th meridian goes on beyond it, instead of around the Earth."""
    import pyproj

    try:
        inverse = pyproj.Transformer.from_crs(crs, "OGC:CRS84", always_xy=True)
    except pyproj.exceptions.CRSError as error:
        raise DataError("the plane of these cells cannot be converted into degrees; discretize them again.") from error
    lon, lat = inverse.transform(shapes[..., 0], shapes[..., 1])
    first = lon[:, :1]
    lon = first + (lon - first + 180) % 360 - 180
    return np.round(np.stack([lon, lat], axis=-1), DIGITS)


def _write_geoparquet(result: "RiskMap", path: Path) -> None:
    """GeoParquet 1.0: WKB in degrees, or in metres with no reference system if the plane is not known."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    shapes = _shapes(result)
    if result.crs is not None:
        shapes = _degrees(shapes, result.crs)
    about: dict[str, Any] = {
        "encoding": "WKB",
        "geometry_types": ["Point" if result.cell_m is None else "Polygon"],
        "orientation": "counterclockwise",
    }
    if len(shapes):
        about["bbox"] = [*shapes.min(axis=(0, 1)).tolist(), *shapes.max(axis=(0, 1)).tolist()]
    if result.crs is None:
        about["crs"] = None  # unknown; without this key it would be degrees
    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": about}}
    columns = {name: pa.array(getattr(result, name)) for name in VALUES}
    table = pa.table({**columns, "geometry": pa.array(_wkb(shapes), pa.binary())})
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), path, compression="zstd")


def _wkb(shapes: Floats) -> list[bytes]:
    """Well-known binary, little endian: one ring each, or one point."""
    corners = shapes.shape[1]
    counts = [] if corners == 1 else [("rings", "<u4"), ("points", "<u4")]
    rows = np.zeros(len(shapes), [("order", "u1"), ("kind", "<u4"), *counts, ("at", "<f8", (corners, 2))])
    rows["order"], rows["kind"], rows["at"] = 1, POINT if corners == 1 else POLYGON, shapes
    if corners > 1:
        rows["rings"], rows["points"] = 1, corners
    return [row.tobytes() for row in rows]

"""Columns of a batch -> numpy, and where they hold what no record may hold."""

from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Floats
from incrowd.read import bad
from incrowd.read.buffers import Mask, floats, missing, to_arrow, truth, values
from incrowd.read.sources.scan import Scan
from incrowd.read.users import TextLabels

if TYPE_CHECKING:
    import pyarrow as pa

Check = tuple[str, str, Mask]  # column, reason, where


def users_of(raw: "pa.RecordBatch", scan: Scan) -> tuple["pa.Array", list[Check]]:
    """The user of each record, and what is wrong with it."""
    user = constant(raw, scan, "user") if "user" in scan.constants else raw["user"]
    absent = missing(user)
    if "digits" in raw.schema.names and user.null_count:
        digits = raw["digits"]
        if (values(digits, np.uint8)[absent & ~missing(digits)] > 0).any():
            raise TextLabels
    return user, [("user", bad.USER, absent), *_nulls(user)]


def _nulls(user: "pa.Array") -> list[Check]:
    """Where a label holds a null character, which numpy and many formats drop: two users would become one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(user.type) or not len(user):
        return []
    starts = np.frombuffer(user.buffers()[1], np.int32)[[user.offset, user.offset + len(user)]]
    characters = np.frombuffer(user.buffers()[2] or b"", np.uint8)[slice(*starts)]
    if characters.min(initial=1) > 0:
        return []
    return [("user", bad.NULL, truth(pc.match_substring(user, "\0").fill_null(False)))]


def constant(raw: "pa.RecordBatch", scan: Scan, noun: str) -> "pa.Array":
    """What the path of its file says of each record."""
    import pyarrow as pa

    known = pa.array(scan.constants[noun])
    return known.take(raw["file_index"] if len(scan.files) > 1 else to_arrow(np.zeros(raw.num_rows, np.int64)))


def places_of(raw: "pa.RecordBatch", scan: Scan) -> tuple[Floats, Floats, list[Check]]:
    """Both coordinates of each record, and what is wrong with them."""
    if scan.request.antennas is not None:
        first, second = scan.request.antennas.places(raw["cell"])
        absent = missing(raw["cell"])
        return first, second, [("cell", bad.CELL, absent), ("cell", bad.ANTENNA, np.isnan(first) & ~absent)]
    if "point" in raw.schema.names:
        from incrowd.read.sources.arrow import points

        lon, lat = points(raw["point"])
        return lon, lat, [("point", bad.POINT, np.isnan(lon)), *_degrees(lon, lat)]
    names = ("x", "y") if scan.request.planar else ("lon", "lat")
    first, second = (floats(raw[name]) for name in names)
    if scan.request.planar:
        return first, second, [(n, bad.METRE, ~np.isfinite(v)) for n, v in zip(names, (first, second), strict=True)]
    return first, second, _degrees(first, second)


def _degrees(lon: Floats, lat: Floats) -> list[Check]:
    checks = []
    for noun, column, limit, reason in (("lat", lat, 90, bad.LAT), ("lon", lon, 180, bad.LON)):
        outside = ~(np.abs(column) <= limit)
        # A missing number fails the same comparison; telling them apart is needed only then.
        if outside.any():
            none = np.isnan(column)
            checks += [(noun, bad.NUMBER, none), (noun, reason, outside & ~none)]
    return checks

"""Columns of a batch -> numpy, and where they hold what no record may hold."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.read import bad
from incrowd.read.scans import Scan
from incrowd.read.users import TextLabels

if TYPE_CHECKING:
    import pyarrow as pa

Mask = NDArray[np.bool_]
Check = tuple[str, str, Mask]  # column, reason, where


def users_of(raw: "pa.RecordBatch", scan: Scan) -> tuple["pa.Array", Mask]:
    """The user of each record, and where there is none."""
    if "user" in scan.constants:
        user = constant(raw, scan, "user")
        return user, np.zeros(len(user), np.bool_)
    user = raw["user"]
    missing = null_mask(user)
    if "digits" in raw.schema.names and user.null_count:
        digits = raw["digits"].fill_null(0).to_numpy()
        if digits[missing].any():
            raise TextLabels
    return user, missing


def constant(raw: "pa.RecordBatch", scan: Scan, noun: str) -> "pa.Array":
    """What the path of its file says of each record."""
    import pyarrow as pa

    values = pa.array(scan.constants[noun])
    files = raw["file_index"] if len(scan.files) > 1 else pa.array(np.zeros(raw.num_rows, np.int64))
    return values.take(files)


def places_of(raw: "pa.RecordBatch", scan: Scan) -> tuple[Floats, Floats, list[Check]]:
    """Both coordinates of each record, and what is wrong with them."""
    if "point" in raw.schema.names:
        from incrowd.read.arrow import points

        lon, lat = points(raw["point"])
        return lon, lat, [("point", bad.POINT, np.isnan(lon)), *_degrees(lon, lat)]
    names = ("x", "y") if scan.request.planar else ("lon", "lat")
    first, second = (raw[name].to_numpy(zero_copy_only=False) for name in names)
    if scan.request.planar:
        return first, second, [(n, bad.METRE, ~np.isfinite(v)) for n, v in zip(names, (first, second), strict=True)]
    return first, second, _degrees(first, second)


def _degrees(lon: Floats, lat: Floats) -> list[Check]:
    checks = []
    for noun, values, limit, reason in (("lat", lat, 90, bad.LAT), ("lon", lon, 180, bad.LON)):
        outside = ~(np.abs(values) <= limit)
        # A missing number fails the same comparison; telling them apart is needed only then.
        if outside.any():
            none = np.isnan(values)
            checks += [(noun, bad.NUMBER, none), (noun, reason, outside & ~none)]
    return checks


def whole(column: "pa.Array") -> Ints:
    """Whole numbers, 0 where missing."""
    import pyarrow as pa

    filled: Ints = column.cast(pa.int64()).fill_null(0).to_numpy()
    return filled


def null_mask(column: "pa.Array") -> Mask:
    """True where a value is missing."""
    if not column.null_count:
        return np.zeros(len(column), np.bool_)
    mask: Mask = column.is_null().to_numpy(zero_copy_only=False)
    return mask

"""Whatever a caller has -> checked numpy columns, without loss, or the row that cannot be."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from incrowd.arrays import Flags, Floats, Ints, Labels, frozen
from incrowd.errors import DataError
from incrowd.plain import several

_INT64 = np.iinfo(np.int64)
_NULL = "user holds a null character, which many file formats drop,"
_REPAIR = "drop or repair these rows first"
_YEARS = (-62_167_219_200, 253_402_300_799)  # from the first second of the year 0 to the last of 9999


def as_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """Numpy's view of anything; rows of unequal length and masked values are refused."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        # The cause is left out: it may quote a value.
        raise DataError(f"{name} is not a regular table of values; give rows of equal length.") from None
    if isinstance(values, np.ma.MaskedArray):
        refuse(np.ma.getmaskarray(values).ravel(), f"{name} is missing", _REPAIR)
    return array


def _column(values: ArrayLike, name: str) -> NDArray[Any]:
    """A one-dimensional array; pyarrow, pandas and polars columns arrive through numpy's protocol."""
    array = as_array(values, name)
    if array.ndim != 1:
        raise DataError(f"{name} has {array.ndim} dimensions; pass one value per record.")
    return array


def refuse(bad: Flags, what: str, advice: str) -> None:
    """Say at which row, counted from 0 after any header, a column cannot be used."""
    rows = np.flatnonzero(bad)
    if rows.size:
        raise DataError(f"{what} at row {rows[0]} ({several(rows.size, 'such row')}); {advice}.")


def ints(values: ArrayLike, name: str) -> Ints:
    """Convert to int64 without loss, or say which row cannot be."""
    array = _column(values, name)
    if array.dtype.kind == "O":
        array = _from_objects(array, name)
    if array.dtype.kind == "f":
        refuse(~np.isfinite(array), f"{name} is missing or infinite", _REPAIR)
        # 2**63 is the first float that int64 cannot hold; its neighbour below is an integer that fits.
        outside = (array < -(2.0**63)) | (array >= 2.0**63)
        refuse(outside, f"{name} overflows 64-bit integers", "check its unit")
        refuse(array != np.floor(array), f"{name} is not a whole number", "round it first")
    elif array.dtype.kind == "u":
        refuse(array > np.uint64(_INT64.max), f"{name} overflows 64-bit integers", "check its unit")
    elif array.dtype.kind not in "ib" and array.size:
        raise DataError(f"{name} holds {array.dtype} values; pass whole numbers.")
    return array.astype(np.int64, copy=False)


def _from_objects(array: NDArray[Any], name: str) -> NDArray[Any]:
    missing = np.fromiter(map(_is_missing, array), np.bool_, array.size)
    refuse(missing, f"{name} is missing", _REPAIR)
    numbers = (int, float, np.integer, np.floating)
    refuse(
        np.fromiter((not isinstance(v, numbers) for v in array), np.bool_, array.size),
        f"{name} is not a number",
        "convert it first",
    )
    huge = np.fromiter((not -(2**63) <= v < 2**63 for v in array), np.bool_, array.size)
    refuse(huge, f"{name} overflows 64-bit integers", "check its unit")
    whole = all(isinstance(v, (int, np.integer)) for v in array)
    return array.astype(np.int64 if whole else np.float64)


def _is_missing(value: Any) -> bool:
    not_a_number = isinstance(value, (float, np.floating)) and value != value
    return value is None or not_a_number or type(value).__name__ in ("NAType", "NaTType")  # the last two: pandas


def floats(values: ArrayLike, name: str) -> Floats:
    """Convert to finite float64 without loss, or say which row cannot be."""
    array = _column(values, name)
    if array.dtype.kind == "O":
        array = _from_objects(array, name)
    if array.dtype.kind in "iu" or array.dtype == np.longdouble:
        with np.errstate(invalid="ignore"):  # 2**63 as a float is one more than the largest integer
            inexact = array.astype(np.float64).astype(array.dtype) != array
        refuse(inexact, f"{name} has more digits than a 64-bit float", "check its unit")
    elif array.dtype.kind not in "fb" and array.size:
        raise DataError(f"{name} holds {array.dtype} values; pass numbers.")
    result: Floats = array.astype(np.float64, copy=False)
    refuse(~np.isfinite(result), f"{name} is missing or infinite", _REPAIR)
    return result


def seconds(values: ArrayLike, name: str = "t") -> Ints:
    """Convert to whole UTC seconds; datetimes are taken when nothing finer than a second is lost.

    >>> seconds([datetime(1970, 1, 1, 0, 1), datetime(1970, 1, 1, 0, 2, tzinfo=UTC)]).tolist()
    [60, 120]
    """
    array = _column(values, name)
    if array.dtype.kind == "O" and all(isinstance(value, datetime) for value in array):
        array = np.array([_in_utc(value) for value in array], "datetime64[us]")
    if array.dtype.kind == "M":
        refuse(np.isnat(array), f"{name} is missing", _REPAIR)
        whole = array.astype("datetime64[s]")
        refuse(whole.astype(array.dtype) != array, f"{name} is finer than a second", "round it first")
        array = whole.astype(np.int64)
    result = ints(array, name)
    far = (result < _YEARS[0]) | (result > _YEARS[1])
    refuse(far, f"{name} is outside the years 0 to 9999", "give seconds since 1970, not milliseconds")
    return result


def _in_utc(moment: datetime) -> datetime | None:
    """A moment as numpy takes it; None for the one that is missing, which differs from itself."""
    if moment != moment:
        return None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def degrees(lon: ArrayLike, lat: ArrayLike) -> tuple[Floats, Floats]:
    """Check WGS 84 coordinates."""
    lon, lat = floats(lon, "lon"), floats(lat, "lat")
    swapped = "check that lon and lat are not swapped"
    refuse(np.abs(lat) > 90, "latitude outside [-90, 90]", swapped)
    refuse(np.abs(lon) > 180, "longitude outside [-180, 180]", f"{swapped}, nor counted from 0 to 360")
    return lon, lat


def same_length(**columns: NDArray[Any]) -> int:
    """The common length of some columns; unequal lengths and no rows at all are refused."""
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise DataError(f"columns differ in length ({listed}); give one value per record in each.")
    size = next(iter(sizes.values()))
    if size == 0:
        raise DataError("the data hold no record; give at least one.")
    return size


def labels(values: ArrayLike) -> Labels:
    """User labels as int64 or str; anything else, and missing ones, are refused."""
    array = _column(values, "user")
    if array.dtype.kind in "fiub":
        return ints(array, "user")
    if array.dtype.kind == "T":
        array = array.astype(object)
    if array.dtype.kind == "O" and all(isinstance(v, (int, np.integer)) for v in array):
        return ints(array, "user")
    # A list of mixed kinds would have become text on the way in, and 1 would meet "1".
    given = values if isinstance(values, (list, tuple)) else array if array.dtype.kind == "O" else ()
    strange = np.fromiter((not isinstance(v, str) for v in given), np.bool_, len(given))
    refuse(strange, "user is neither all text nor all whole numbers", "use one kind of label")
    nulls = np.fromiter(("\0" in v for v in given), np.bool_, len(given))
    refuse(nulls, _NULL, "strip it first")
    if array.dtype.kind not in "UO":
        raise DataError(f"user holds {array.dtype} values; pass text or whole numbers.")
    return array.astype(np.str_, copy=False)


def first_seen(values: Labels) -> tuple[Labels, Ints]:
    """Distinct labels in order of first appearance, and the position of each value among them."""
    distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    _refuse_nulls(distinct[order], first[order])
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    return distinct[order], position[inverse].astype(np.int64, copy=False)


def _refuse_nulls(distinct: Labels, first: Ints) -> None:
    if distinct.dtype.kind == "U" and len(distinct):
        characters = distinct.view(np.uint32).reshape(len(distinct), -1)
        # numpy pads labels with nulls: one is meant where a character follows it.
        inside = (characters[:, :-1] == 0) & (characters[:, 1:] != 0)
        if inside.any():
            raise DataError(f"{_NULL} at row {first[inside.any(axis=1)][0]}; strip it first.")


def owned(array: NDArray[Any], given: object) -> NDArray[Any]:
    """A copy if the array may still be the caller's own, because later edits must not reach us."""
    mine = isinstance(given, (list, tuple)) or not np.may_share_memory(array, np.asarray(given))
    return array if mine else array.copy()


def per_user(values: Iterable[Any], name: str, users: int) -> NDArray[Any]:
    """One attribute value per user, as an object column; if one value is a set, all are, except None."""
    listed = list(values)
    if len(listed) != users:
        raise DataError(f"attribute {name!r} has {len(listed)} values for {users} users; give one per user.")
    sets = (set, frozenset, list, tuple, np.ndarray)
    if any(isinstance(v, sets) for v in listed):
        listed = [None if v is None else frozenset(v if isinstance(v, sets) else [v]) for v in listed]
    column = np.empty(users, object)
    column[:] = listed
    return frozen(column)

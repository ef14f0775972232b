"""Traces: where every user was, second by second, as recorded."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from incrowd.arrays import Codes, Flags, Floats, Ints, Labels, owners, row_order, rows_by_code
from incrowd.columns import degrees, first_seen, floats, labels, owned, same_length, seconds
from incrowd.data.table import Attributes, UserTable, attributes_of, started
from incrowd.errors import DataError, check_choice, public
from incrowd.ledger import Ledger

Order = Literal["time", "log"]
AT_ZERO = "at (0, 0)"  # in ledgers
ZERO_DEGREES = 0.001  # both coordinates below this: the (0, 0) that is written for no place


@dataclass(frozen=True, eq=False, repr=False)
class Traces(UserTable):
    """Points of many users, in degrees or in metres; in time order, or as logged (`ordered=False`)."""

    MADE_BY: ClassVar[str] = "ic.read.table(...)"
    META: ClassVar[tuple[str, ...]] = ("ordered", "planar")
    ROWS: ClassVar[tuple[str, ...]] = ("t", "lon", "lat", "x", "y")

    t: Ints  # seconds since 1970-01-01 UTC
    lon: Floats | None = None  # degrees, WGS 84
    lat: Floats | None = None
    x: Floats | None = None  # metres, any plane
    y: Floats | None = None
    attributes: Attributes = field(default_factory=dict)
    ordered: bool = True
    ledger: Ledger = field(default_factory=Ledger)

    @classmethod
    @public
    def from_arrays(
        cls,
        user: ArrayLike,
        t: ArrayLike,
        lon: ArrayLike | None = None,
        lat: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        y: ArrayLike | None = None,
        attributes: Mapping[str, Any] | None = None,
        order: Order = "time",
    ) -> "Traces":
        """Traces from one row per record, in any order; give degrees (lon, lat) or metres (x, y).

        Args:
            user: The label of the user of each row.
            t: The UTC second of each row, or datetimes.
            lon: Longitude in degrees (WGS 84).
            lat: Latitude in degrees (WGS 84).
            x: Metres in any plane, instead of lon.
            y: Metres in the same plane, instead of lat.
            attributes: One value per user, by name, in the order of first appearance.
            order: "time" sorts the records of each user by time; "log" keeps the given order, for `clean.order`.

        >>> Traces.from_arrays(["a", "b", "a"], [60, 0, 0], lon=[5, 5, 6], lat=[52, 52, 52])
        Traces(users=2, records=3)
        """
        check_choice("order", order, ("time", "log"))
        first, second, planar = _coordinates(lon, lat, x, y)
        label, time = labels(user), seconds(t)
        same_length(user=label, t=time, **dict(zip("xy" if planar else ("lon", "lat"), (first, second), strict=True)))
        users, code = first_seen(label)
        columns = (owned(time, t), owned(first, x if planar else lon), owned(second, y if planar else lat))
        traces = cls.from_codes(users, code, *columns, planar=planar, order=order)
        return replace(traces, attributes=attributes_of(attributes, len(users)))

    @classmethod
    def from_codes(
        cls, users: Labels, code: Codes, t: Ints, first: Floats, second: Floats, *, planar: bool, order: Order
    ) -> "Traces":
        """Group checked columns by user; `code` is the position in `users` of the user of each row."""
        size = len(code)
        by_user, offsets = rows_by_code(code, len(users))
        del code
        # One column at a time: a caller who drops its own columns never has two copies of all of them.
        if by_user is not None:
            t = t[by_user]
            first = first[by_user]
            second = second[by_user]
            del by_user
        disorder = _disorder(t, offsets)
        if order == "time" and disorder:
            by_time = row_order(owners(offsets), t)
            t = t[by_time]
            first = first[by_time]
            second = second[by_time]
        what = "put in time order" if order == "time" else "left out of order"
        ledger = started("given", read=size, kept=size, users=len(users), notes={what: disorder})
        ordered = order == "time" or not disorder
        if planar:
            return cls(users, offsets, t, x=first, y=second, ordered=ordered, ledger=ledger)
        return cls(users, offsets, t, lon=first, lat=second, ordered=ordered, ledger=ledger)

    @property
    def planar(self) -> bool:
        """Whether coordinates are metres (x, y) rather than degrees (lon, lat)."""
        return self.x is not None

    @property
    def coordinates(self) -> tuple[Floats, Floats]:
        """(x, y) or (lon, lat)."""
        first, second = (self.x, self.y) if self.planar else (self.lon, self.lat)
        assert first is not None and second is not None
        return first, second

    @property
    def at_zero(self) -> Flags:
        """Which records are at (0, 0), within 0.001 degrees: places that a device never filled in."""
        if self.planar:
            return np.zeros(self.records, np.bool_)
        return at_zero(*self.coordinates)

    def columns(self) -> dict[str, NDArray[Any]]:
        """One row per point: user, t, lon and lat (or x and y), attributes."""
        names = ("x", "y") if self.planar else ("lon", "lat")
        user = self.user_columns(self.attributes)
        return {
            "user": user.pop("user"),
            "t": self.t,
            **dict(zip(names, self.coordinates, strict=True)),
            **user,
        }


def at_zero(lon: Floats, lat: Floats) -> Flags:
    """Which places are (0, 0), within 0.001 degrees.

    >>> at_zero(np.array([0.0, 5.0]), np.array([-0.0005, 0.0])).tolist()
    [True, False]
    """
    there: Flags = (np.abs(lon) < ZERO_DEGREES) & (np.abs(lat) < ZERO_DEGREES)
    return there


def _disorder(t: Ints, offsets: Ints) -> int:
    """Points with a later time of the same user just before them."""
    earlier = t[1:] < t[:-1]
    starts = offsets[(offsets > 0) & (offsets < len(t))]
    earlier[starts - 1] = False
    return int(earlier.sum())


def _coordinates(
    lon: ArrayLike | None, lat: ArrayLike | None, x: ArrayLike | None, y: ArrayLike | None
) -> tuple[Floats, Floats, bool]:
    if lon is not None and lat is not None and x is None and y is None:
        return *degrees(lon, lat), False
    if x is not None and y is not None and lon is None and lat is None:
        return floats(x, "x"), floats(y, "y"), True
    raise DataError("coordinates are incomplete; give lon and lat (degrees), or x and y (metres).")

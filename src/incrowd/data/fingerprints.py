"""Fingerprints: each user as a set of space-time boxes, the unit of GLOVE."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from incrowd.arrays import Ints, Labels, distinct_rows, offsets_of, row_order
from incrowd.columns import as_array, first_seen, ints, labels, same_length
from incrowd.data.table import Attributes, UserTable, attributes_of, start_of, started
from incrowd.errors import DataError, public
from incrowd.ledger import Ledger
from incrowd.plain import several

BOX = ("x", "dx", "y", "dy", "t", "dt")
CANONICAL = ("t", "dt", "x", "dx", "y", "dy")  # the order of samples within a fingerprint


@dataclass(frozen=True, eq=False, repr=False)
class Fingerprints(UserTable):
    """Half-open boxes [x,x+dx) x [y,y+dy) x [t,t+dt) in metres and minutes, in canonical order."""

    MADE_BY: ClassVar[str] = "ic.discretize.fingerprints(...)"
    META: ClassVar[tuple[str, ...]] = ("start", "crs", "time_zone")
    ROWS: ClassVar[tuple[str, ...]] = BOX
    PEOPLE: ClassVar[tuple[str, ...]] = ("users", "crowd")

    x: Ints
    dx: Ints
    y: Ints
    dy: Ints
    t: Ints  # minutes after `start`
    dt: Ints
    crowd: Ints  # people hidden in each user
    start: int | None = None  # UTC second of minute 0
    crs: str | None = None
    attributes: Attributes = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    time_zone: str | None = None  # whose wall clock the minutes follow; None for UTC

    @classmethod
    @public
    def from_arrays(
        cls,
        user: ArrayLike,
        x: ArrayLike,
        y: ArrayLike,
        t: ArrayLike,
        *,
        dx: ArrayLike = 100,
        dy: ArrayLike = 100,
        dt: ArrayLike = 1,
        crowd: ArrayLike = 1,
        start: int | None = None,
        attributes: Mapping[str, Any] | None = None,
        collapse: bool = True,
    ) -> "Fingerprints":
        """Fingerprints from one row per box, in any order; equal boxes of a user become one [gramaglia2015, Sec. 4.1].

        Args:
            user: The label of the user of each row.
            x: West side of each box in metres.
            y: South side of each box in metres.
            t: Begin of each box in minutes after `start`.
            dx: Width of the boxes in metres, one number or one per row.
            dy: Height of the boxes in metres, one number or one per row.
            dt: Length of the boxes in minutes, one number or one per row.
            crowd: People hidden in each user, one number or one per user in the order of first appearance.
            start: UTC second of minute 0.
            attributes: One value per user, by name, in the order of first appearance.
            collapse: Make equal boxes of a user one; what GLOVE publishes may hold equal boxes on purpose.

        >>> Fingerprints.from_arrays(["a", "a", "b"], x=[0, 0, 100], y=[0, 0, 0], t=[5, 5, 6])
        Fingerprints(users=2, records=2, people=2)
        """
        label = labels(user)
        given = {"x": x, "dx": dx, "y": y, "dy": dy, "t": t, "dt": dt}
        box = {name: ints(_spread(values, name, len(label)), name) for name, values in given.items()}
        size = same_length(user=label, **box)
        for low, length in (("x", "dx"), ("y", "dy"), ("t", "dt")):
            _check_interval(low, box[low], length, box[length])
        users, code = first_seen(label)
        people = ints(_spread(crowd, "crowd", len(users)), "crowd")
        if len(people) != len(users) or people.min() < 1:
            raise DataError(f"crowd must be one number of at least 1 per user ({len(users)} users).")
        more = {"start": start_of(start), "attributes": attributes, "collapse": collapse}
        return cls.from_codes(users, code, box, people=people, read=size, **more)  # type: ignore[arg-type]

    @classmethod
    def from_codes(
        cls,
        users: Labels,
        code: Ints,
        box: Mapping[str, Ints],
        *,
        people: Ints,
        start: int | None = None,
        crs: str | None = None,
        read: int,
        attributes: Mapping[str, Any] | None = None,
        collapse: bool = True,
    ) -> "Fingerprints":
        """Group checked boxes by user, in canonical order."""
        keys = [code, *(box[name] for name in CANONICAL)]
        order = row_order(*keys)
        if order is not None:
            keys = [key[order] for key in keys]
        keep = distinct_rows(*keys) if collapse else slice(None)
        code, *columns = (key[keep] for key in keys)
        sample: dict[str, Any] = dict(zip(CANONICAL, columns, strict=True))
        dropped = {"repeated sample": read - len(code)}
        ledger = started("given", read=read, kept=len(code), users=len(users), dropped=dropped)
        return cls(
            users,
            offsets_of(code, len(users)),
            **sample,
            crowd=people,
            start=start,
            crs=crs,
            attributes=attributes_of(attributes, len(users)),
            ledger=ledger,
        )

    def sizes(self) -> dict[str, int]:
        """Pseudonyms, boxes, and the people hidden in them."""
        return {**super().sizes(), "people": sum(self.crowd.tolist())}

    def columns(self) -> dict[str, NDArray[Any]]:
        """One row per sample: user, box, the crowd of its user, attributes."""
        user = self.user_columns(self.attributes)
        boxes = {name: getattr(self, name) for name in BOX}
        return {"user": user.pop("user"), **boxes, "crowd": self.crowd[self.owner], **user}


def _spread(values: ArrayLike, name: str, size: int) -> NDArray[Any]:
    """A scalar stands for every row; the result never is the caller's own array."""
    array = as_array(values, name)
    return np.full(size, array) if array.ndim == 0 else array.copy()


def _check_interval(low_name: str, low: Ints, length_name: str, length: Ints) -> None:
    bad = np.flatnonzero(length < 1)
    if bad.size:
        raise DataError(
            f"{length_name} is below 1 at row {bad[0]} ({several(bad.size, 'such row')}); give boxes of at least 1."
        )
    if np.abs(low.astype(np.float64)).max() > 2**52 or length.max() > 2**52:
        raise DataError(f"{low_name} or {length_name} is too large for any map or calendar; check its unit.")

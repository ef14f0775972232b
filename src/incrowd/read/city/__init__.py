"""A synthetic city: a made-up dataset of any size, with the truth about its people."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, distinct_rows, frozen, offsets_of, owners
from incrowd.clock import DAY_MIN
from incrowd.data import Fingerprints, Traces
from incrowd.errors import ParameterError, check_choice, public
from incrowd.ledger import Ledger
from incrowd.progress import track
from incrowd.read.city.people import (
    CELL_M,
    HOME,
    PROFILES,
    SLOTS,
    WORK,
    Ground,
    Profile,
    ProfileName,
    lay_out,
    live,
    settle,
)
from incrowd.read.city.records import damage, drive, log

START = 1_704_067_200  # Monday 2024-01-01 00:00 UTC
MIDDLE = (5, 52)  # longitude and latitude
CRS = f"+proj=laea +lat_0={MIDDLE[1]} +lon_0={MIDDLE[0]} +datum=WGS84 +units=m +no_defs"
MOST_DIRT = 0.2
CHUNK_CELLS = 1 << 20  # people times time steps simulated at once
NONE = -1

Part = tuple[Ints, Ints, Ints, Ints, NDArray[Any]]  # home, work, records per user; second, tower or position


@dataclass(frozen=True, eq=False, repr=False)
class City:
    """Records of made-up people; user u owns rows offsets[u]:offsets[u+1] of `t` and of `tower` or `gps`."""

    profile: str
    seed: int
    days: int
    dirt: float
    xy: Floats  # towers in metres, in the plane `crs`
    home: Ints  # the tower each user lives at
    work: Ints  # and works at, or -1
    offsets: Ints
    t: Ints  # UTC seconds
    tower: NDArray[np.int32] | None  # of each record; None for taxis
    gps: NDArray[np.float32] | None  # metres, for taxis
    crs: str = CRS

    def __post_init__(self) -> None:
        for array in (self.xy, self.home, self.work, self.offsets, self.t, self.tower, self.gps):
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"City(profile={self.profile!r}, users={len(self.home):,}, towers={len(self.xy):,}, days={self.days}, "
            f"records={len(self.t):,}, seed={self.seed})"
        )

    @cached_property
    def towers(self) -> Floats:
        """(lon, lat) of the towers in degrees, six decimals, [towers, 2]."""
        return frozen(_degrees(self.xy).T)

    @cached_property
    def traces(self) -> Traces:
        """The records in degrees: in time order, or as logged if there is dirt."""
        lon, lat = _degrees(self.gps) if self.gps is not None else (axis[self.tower] for axis in self.towers.T)
        users = len(self.home)
        ledger = _made(len(self.t), users)
        clean = Traces(np.arange(users), self.offsets, self.t, lon=lon, lat=lat, ledger=ledger)
        if not self.dirt:
            return clean
        return damage(clean, dirt=self.dirt, rng=np.random.default_rng([self.seed, 1]))

    def fingerprints(self) -> Fingerprints:
        """The records before any damage as 100 m and 1 min samples of the plane, without projecting them.

        >>> synthetic_city(users=3, towers=4, days=1, profile="cdr").fingerprints()  # doctest: +ELLIPSIS
        Fingerprints(users=3, records=..., people=3)
        """
        xy = np.floor((self.xy if self.gps is None else self.gps) / CELL_M).astype(np.int64)
        low = xy.min(axis=0)
        wide, high = (xy.max(axis=0) - low + 1).tolist()
        cell = (xy[:, 0] - low[0]) * high + (xy[:, 1] - low[1])
        minutes, cells = self.days * DAY_MIN, wide * high
        # One number that sorts like (user, t, x, y): the canonical order of boxes of one size.
        key = (owners(self.offsets) * minutes + (self.t - START) // 60) * cells
        key += cell if self.tower is None else cell[self.tower]
        key.sort()
        key = key[distinct_rows(key)]
        row, cell = np.divmod(key, cells)
        user, minute = np.divmod(row, minutes)
        column, line = np.divmod(cell, high)
        return self._boxes(user, (column + low[0]) * CELL_M, (line + low[1]) * CELL_M, minute)

    def _boxes(self, user: Ints, x: Ints, y: Ints, t: Ints) -> Fingerprints:
        users, size = len(self.home), len(t)
        side, minute = np.full(size, CELL_M), np.ones(size, np.int64)
        repeated = {"repeated sample": len(self.t) - size}
        ledger = _made(len(self.t), users).add(
            "fingerprints", read=len(self.t), kept=size, dropped=repeated, users=(users, users)
        )
        return Fingerprints(
            np.arange(users),
            offsets_of(user, users),
            x=x,
            dx=side,
            y=y,
            dy=side.copy(),
            t=t,
            dt=minute,
            crowd=np.ones(users, np.int64),
            start=START,
            crs=self.crs,
            ledger=ledger,
        )


@public
def synthetic_city(
    users: int = 1000,
    towers: int = 200,
    days: int | None = 7,
    profile: ProfileName = "operator",
    seed: int = 0,
    *,
    dirt: float = 0.0,
) -> City:
    """Records of people who live, work and move in a city that does not exist; the same arguments give the same city.

    Args:
        users: Number of people.
        towers: Number of towers.
        days: Days of records; None takes the usual length of the profile.
        profile: "operator" and "application" keep the statistics of [xu2017, Sec. 3.2 and 4.2], people of their "-calm"
            variants hardly move, "cdr" are the sparse calls of a country of several cities, "taxi" is GPS of vehicles.
        seed: Seed of every random choice.
        dirt: Share of records that are damaged as in real logs, at most 0.2.

    >>> synthetic_city(users=20, towers=10, days=1)  # doctest: +ELLIPSIS
    City(profile='operator', users=20, towers=10, days=1, records=..., seed=0)
    """
    check_choice("profile", profile, tuple(PROFILES))
    kind = PROFILES[profile]
    days = kind.days if days is None else days
    _check(users=users, towers=towers, days=days, seed=seed, dirt=dirt)
    chunk = max(1, CHUNK_CELLS // (days * (DAY_MIN if kind.taxi else SLOTS)))
    sizes = [min(chunk, users - first) for first in range(0, users, chunk)]
    first, *others = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(1 + len(sizes)))
    ground = lay_out(kind, towers, first)
    simulate = _taxis if kind.taxi else _people
    chunks = track(list(zip(sizes, others, strict=True)), "simulating the city")
    parts = [simulate(kind, ground, size, days, rng) for size, rng in chunks]
    home, work, count, second, place = (np.concatenate(column) for column in zip(*parts, strict=True))
    second += START
    offsets = np.concatenate([[0], np.cumsum(count)])
    tower, gps = (None, place) if kind.taxi else (place, None)
    return City(profile, seed, days, dirt, ground.xy, home, work, offsets, second, tower, gps)


def _people(kind: Profile, ground: Ground, size: int, days: int, rng: np.random.Generator) -> Part:
    people = settle(kind, ground, size, days, rng)
    work = np.where(people.works, people.places[:, WORK], NONE)
    return people.places[:, HOME], work, *log(kind, ground, people, live(kind, people, days, rng), rng)


def _taxis(kind: Profile, ground: Ground, size: int, days: int, rng: np.random.Generator) -> Part:
    home = rng.choice(len(ground.xy), size, p=ground.homes)
    return home, np.full(size, NONE), *drive(kind, ground, home, days, rng)


def _check(dirt: float, seed: int, **sizes: int) -> None:
    for name, value in sizes.items():
        if not isinstance(value, (int, np.integer)) or value < 1:
            raise ParameterError(f"{name} must be a whole number of at least 1, got {value}.")
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ParameterError(f"seed must be a whole number of at least 0, got {seed}.")
    if not 0 <= dirt <= MOST_DIRT:
        raise ParameterError(f"dirt must be in [0, {MOST_DIRT}], got {dirt}.")


def _degrees(xy: NDArray[Any]) -> Floats:
    """Longitude and latitude, [2, points], of metres [points, 2]."""
    import pyproj

    x, y = np.ascontiguousarray(xy.T, np.float64)
    return np.round(np.array(pyproj.Proj(CRS)(x, y, inverse=True)), 6)


def _made(records: int, users: int) -> Ledger:
    created = {"simulated record": records}
    return Ledger().add("synthetic city", read=0, kept=records, created=created, users=(users, users))

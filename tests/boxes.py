"""Fingerprints that fit in one line of a test, and random ones that tie, saturate and overlap."""

import numpy as np
from hypothesis import strategies as st

import incrowd as ic
from incrowd.arrays import owners
from incrowd.kernels.types import CELLS, METRES

SCALES = {"cells": CELLS, "metres": METRES}


def prints(text: str, crowd=1) -> ic.Fingerprints:
    """One user per bar, one sample per semicolon: "x,y,t", or a box "x,dx,y,dy,t,dt".

    >>> prints("0,0,0; 0,0,30 | 0,0,10")
    Fingerprints(users=2, records=3, people=2)
    """
    rows = [(user, *_box(word)) for user, part in enumerate(text.split("|")) for word in part.split(";")]
    user, x, dx, y, dy, t, dt = np.array(rows).T
    return ic.Fingerprints.from_arrays(user, x, y, t, dx=dx, dy=dy, dt=dt, crowd=crowd)


def _box(word: str) -> tuple[int, ...]:
    numbers = [int(n) for n in word.split(",")]
    return tuple(numbers) if len(numbers) == 6 else (numbers[0], 100, numbers[1], 100, numbers[2], 1)


def boxes(data: ic.Fingerprints, row: int = 0) -> list[tuple[int, ...]]:
    """The boxes (x, dx, y, dy, t, dt) of one user or group."""
    rows = slice(data.offsets[row], data.offsets[row + 1])
    return list(zip(*(getattr(data, name)[rows].tolist() for name in ("x", "dx", "y", "dy", "t", "dt")), strict=True))


@st.composite
def crowds(draw, most_users=9, most_samples=5, least_users=1, crowd=False, sizes=False):
    """Users on few coordinates, near and far, so that ties, equal users and capped distances are common."""
    unit = draw(st.sampled_from([100, 1, 37]))
    place = st.sampled_from([0, 1, 2, 5, 40, 199, 200, 205, 10_000]).map(lambda n: n * (100 if unit == 100 else unit))
    minute = st.sampled_from([0, 1, 2, 12, 30, 100, 479, 480, 481, 2000, 20_000])
    side = st.sampled_from([1, 3, 50]).map(lambda n: n * unit) if sizes else st.just(unit)
    length = st.sampled_from([1, 2, 60, 700]) if sizes else st.just(1)
    sample = st.tuples(place, place, minute, side, side, length)
    user = st.lists(sample, min_size=1, max_size=most_samples)
    users = draw(st.lists(user, min_size=least_users, max_size=most_users))
    if draw(st.booleans()):
        users.append(users[0])
    rows = [(u, *s) for u, samples in enumerate(users) for s in samples]
    who, x, y, t, dx, dy, dt = np.array(rows).T
    people = draw(st.lists(st.integers(1, 4), min_size=len(users), max_size=len(users))) if crowd else 1
    return ic.Fingerprints.from_arrays(who, x, y, t, dx=dx, dy=dy, dt=dt, crowd=people)


def published(release):
    """{members: boxes}, which no pseudonym can change."""
    return {tuple(group.tolist()): boxes(release.data, row) for row, group in enumerate(release.members)}


def covered(release, original):
    """{members: for each box before reshaping the original (user, index) pairs in it}."""
    owner = owners(original.offsets)
    index = np.arange(original.records) - original.offsets[owner]
    known = release.provenance
    found = {tuple(group.tolist()): [] for group in release.members}
    names = list(found)
    for box, group in enumerate(known["boxes"]["group"].tolist()):
        rows = np.flatnonzero(known["box"] == box)
        found[names[group]].append(sorted(zip(owner[rows].tolist(), index[rows].tolist(), strict=True)))
    return found


def noisy(users=90, seed=0):
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(users), 6)
    x, t = rng.integers(0, 900, (2, len(user)))
    return ic.Fingerprints.from_arrays(user, x * 100, np.zeros_like(x), t)

"""Traces as they should be -> traces as they arrive: the defects that `incrowd.clean` repairs."""

from dataclasses import replace

import numpy as np

from incrowd.arrays import Floats, Ints, offsets_of
from incrowd.data import Traces

APART = 4  # at most one damaged record in so many: what lies between damaged ones cannot tell what is wrong
JUMP_DEG = (0.2, 0.9)  # tens of kilometres


def damage(traces: Traces, *, dirt: float, rng: np.random.Generator) -> Traces:
    """Repeat, mistag and displace a share of the records, and pin a few users down; the ledger counts each.

    The defects are those of [song2014, Sec. 4] and [tan2017, Sec. 4.1].
    """
    t, (lon, lat) = traces.t.copy(), (axis.copy() for axis in traces.coordinates)
    still = _pin(traces, dirt, lon, lat, rng)
    rows = _pick(traces, dirt, still, rng)
    repeated, shifted, stray, displaced = np.array_split(rng.permutation(rows), 4)
    t[shifted], t[shifted + 1] = t[shifted + 1], t[shifted]
    t[stray] = _elsewhen(t, stray, rng)
    for axis in (lon, lat):
        axis[displaced] += rng.choice([-1.0, 1.0], len(displaced)) * rng.uniform(*JUMP_DEG, len(displaced))
    times = np.ones(traces.records, np.int64)
    times[repeated] = 2
    row = np.repeat(np.arange(traces.records), times)
    ledger = traces.ledger.add(
        "damaged",
        read=traces.records,
        kept=len(row),
        created={"repeated": len(repeated)},
        notes={
            "time tag shifted by one": len(shifted),
            "stray time tag": len(stray),
            "displaced": len(displaced),
            "users standing still": len(still),
        },
        users=(len(traces), len(traces)),
    )
    offsets = offsets_of(traces.owner[row], len(traces))
    return replace(
        traces,
        offsets=offsets,
        t=t[row],
        lon=np.round(lon[row], 6),
        lat=np.round(lat[row], 6),
        ordered=False,
        ledger=ledger,
    )


def _pin(traces: Traces, dirt: float, lon: Floats, lat: Floats, rng: np.random.Generator) -> Ints:
    """Users whose phone never leaves the first place."""
    few = min(int(np.ceil(dirt * len(traces))), len(traces) // 4)
    still = np.sort(rng.choice(len(traces), few, replace=False))
    for user in still:
        rows = slice(traces.offsets[user], traces.offsets[user + 1])
        lon[rows], lat[rows] = lon[rows.start], lat[rows.start]
    return still


def _pick(traces: Traces, dirt: float, still: Ints, rng: np.random.Generator) -> Ints:
    """Records to damage: of users who move, apart from each other, with two of the same user on either side."""
    block = np.arange(1, traces.records - 2, APART)
    owner = traces.owner
    inside = (owner[block - 1] == owner[block + 2]) & ~np.isin(owner[block], still)
    block = block[inside]
    wanted = min(round(dirt * traces.records), len(block))
    return np.sort(rng.choice(block, wanted, replace=False))


def _elsewhen(t: Ints, rows: Ints, rng: np.random.Generator) -> Ints:
    """A time at least a tenth of the period away from the true one, within the period."""
    start, period = int(t.min()), int(t.max() - t.min()) + 1
    return start + (t[rows] - start + (rng.uniform(0.1, 0.9, len(rows)) * period).astype(np.int64)) % period

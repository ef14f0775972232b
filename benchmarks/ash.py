"""Recovery from counts: one link, and the whole attack with its certificates and its score."""

import functools
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from incrowd.attack.ash import recover
from incrowd.attack.score import recovery_score
from incrowd.kernels.cpu.transport_link import link
from incrowd.kernels.cpu.transport_sites import sites_of

TOWERS = 8000
SLOT_MIN = 30
NIGHT, DAY = 4, 17  # 02:00 -> 02:30 and 08:30 -> 09:00


def _city(users: int, days: int, profile: str, towers: int = TOWERS) -> ic.Visits:
    city = ic.read.synthetic_city(users=users, towers=towers, days=days, profile=profile)
    return ic.discretize.towers(city.traces, city.towers, slot_min=SLOT_MIN, fill="interpolate")


def _warm() -> None:
    """Compile, or load what was compiled, outside of what is timed."""
    visits = _city(30, 2, "operator", towers=20)
    recovery_score(recover(ic.discretize.counts(visits)), visits)


def one_link(users: int, slot: int) -> dict[str, Any]:
    """One slot to the next from the true states."""
    visits = _city(users, 1, "operator")
    counts = ic.discretize.counts(visits)
    cells = visits.cell.reshape(users, -1)
    before, now = cells[:, slot - 1] if slot == DAY else cells[:, slot], cells[:, slot]
    sites = sites_of(*counts.xy.T.copy())
    x, y = (2 * counts.xy[now] - counts.xy[before]).T.copy()
    at, then = np.where(before == now, sites.of[now], -1), counts.n[slot + 1].copy()
    result: dict[str, Any] = {"users": users, "moving": float((before != now).mean())}
    _warm()
    for name in ("first", "link"):
        with timed(result, name):
            _, cost, bound, bids = link(x, y, at, now, np.arange(users), sites, then, 0.0, 10**10)
    return {**result, "cost_m": cost, "gap_m": cost - bound, "bids": bids}


def whole(users: int, days: int, profile: str, score: bool = True) -> dict[str, Any]:
    """All days, joined and scored."""
    visits = _city(users, days, profile)
    counts = ic.discretize.counts(visits)
    result: dict[str, Any] = {"users": users, "days": days, "profile": profile}
    _warm()
    with timed(result, "recover"):
        found = recover(counts, seed=0)
    result |= {"gap_m": found.gap, "gain_gap_bits": found.gain_gap, "cost_m": float(found.costs.sum())}
    if score:
        with timed(result, "score"):
            scored = recovery_score(found, visits)
        result |= {"accuracy": scored.accuracy, **{f"stage_{k}": v for k, v in scored.stages.items()}}
    return result


CASES = {
    **{f"night_{n}": functools.partial(one_link, n, NIGHT) for n in (1000, 5000, 20_000, 100_000)},
    **{f"day_{n}": functools.partial(one_link, n, DAY) for n in (1000, 5000, 20_000, 100_000)},
    "calm_1000": functools.partial(whole, 1000, 7, "operator-calm"),
    "calm_15500": functools.partial(whole, 15_500, 14, "application-calm"),
    **{f"growth_{n}": functools.partial(whole, n, 7, "operator", score=False) for n in (1000, 5000, 20_000)},
    "calm_100000": functools.partial(whole, 100_000, 7, "operator-calm"),
    "operator_100000": functools.partial(whole, 100_000, 7, "operator"),
}

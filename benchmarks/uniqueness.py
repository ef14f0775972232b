"""Uniqueness of every user at the size of song2014, and its growth with size."""

import functools
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from incrowd.measure.uniqueness.index import Index, index_of
from incrowd.threads import threads

USERS, TOWERS, SLOTS, MEAN = 633_798, 1_700, 672, 67  # a week of quarter hours [song2014, Sec. 4]
AT_HOME = 0.55  # share of records at the user's own tower


def song2014_full() -> dict[str, Any]:
    """Index, then s_i of every user for m = 2, 3, 4, 5."""
    _warm_up()
    visits = _week(USERS)
    result: dict[str, Any] = {}
    with timed(result, "all"):
        with timed(result, "index"):
            index_of(visits)
        for points in (2, 3, 4, 5):
            with timed(result, f"m{points}"):
                risk = ic.measure.uniqueness(visits, points=points)
            result[f"value_m{points}"] = risk.value
    return {**result, **_sizes(visits)}


def song2014_cut() -> dict[str, Any]:
    """Before and after cutting into 6 h windows, under every convention."""
    _warm_up()
    visits = _week(USERS)
    pieces = ic.discretize.windows(visits, windows=28, slots=SLOTS)
    index_of(visits)
    result: dict[str, Any] = {}
    with timed(result, "cut_risk"):
        risk = ic.measure.cut_risk(visits, pieces, points=2)
    sides = {"before": risk.before, "after": risk.after, "fixed": risk.fixed_knowledge}
    values = {f"{name}_{short}": found.value for name, side in sides.items() for short, found in side.items()}
    return {**result, **values, "pieces": risk.pieces, **_sizes(visits)}


def exposure_full() -> dict[str, Any]:
    """The fewest points that single each user out."""
    _warm_up()
    visits = _week(USERS)
    index_of(visits)
    result: dict[str, Any] = {}
    with timed(result, "exposure"):
        exposed = ic.measure.exposure(visits)
    return {**result, "distribution": dict(exposed.distribution), **_sizes(visits)}


def scaling() -> dict[str, Any]:
    """The index and one draw per user at three sizes."""
    _warm_up()
    result: dict[str, Any] = {}
    for users in (USERS // 16, USERS // 4, USERS):
        visits = _week(users)
        with timed(result, f"index_{users}"):
            index_of(visits)
        with timed(result, f"m4_{users}"):
            ic.measure.uniqueness(visits, points=4)
        result[f"index_{users}_cpu_s_per_million"] = result[f"index_{users}_cpu_s"] / visits.records * 1e6
    return result


def beside_index() -> dict[str, Any]:
    """Exposure and the risk of cutting beside the index on the same data: CPU seconds, the least of five rounds."""
    _warm_up()
    visits = _week(USERS // 8)
    pieces = ic.discretize.windows(visits, windows=28, slots=SLOTS)
    index_of(visits)
    jobs: dict[str, Callable[[], Any]] = {
        "index": lambda: Index.build(visits),
        "exposure": lambda: ic.measure.exposure(visits),
        **{f"cut_risk_m{m}": functools.partial(ic.measure.cut_risk, visits, pieces, points=m) for m in (2, 3, 4)},
    }
    rounds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(5):
        for name, job in jobs.items():
            took: dict[str, Any] = {}
            with timed(took, name):
                job()
            rounds[name].append(took[f"{name}_cpu_s"])
    least = {f"{name}_cpu_s": min(values) for name, values in rounds.items()}
    ratios = {f"{name}_ratio": least[f"{name}_cpu_s"] / least["index_cpu_s"] for name in jobs if name != "index"}
    return {**least, **ratios, "threads": threads(), "pieces": len(pieces.owner), **_sizes(visits)}


CASES = {
    "song2014_full": song2014_full,
    "song2014_cut": song2014_cut,
    "exposure_full": exposure_full,
    "scaling": scaling,
    "beside_index": beside_index,
}


def _week(users: int, seed: int = 0) -> ic.Visits:
    """Records independent in time, at home or at a tower of log-normal popularity."""
    rng = np.random.default_rng(seed)
    normal = NormalDist()
    popularity = np.exp([1.1 * normal.inv_cdf((tower + 0.5) / TOWERS) for tower in range(TOWERS)])
    shares = np.cumsum(popularity / popularity.sum())
    rate = np.clip(rng.gamma(2.0, MEAN / 2 / SLOTS, users), 3 / SLOTS, 1).astype(np.float32)
    home = _towers(rng, shares, users)
    slots, counts = [], []
    for a in range(0, users, 20_000):
        seen = rng.random((len(rate[a : a + 20_000]), SLOTS), dtype=np.float32) < rate[a : a + 20_000, None]
        seen[np.arange(len(seen)), rng.integers(0, SLOTS, len(seen))] = True
        slots.append(np.nonzero(seen)[1].astype(np.int16))
        counts.append(seen.sum(axis=1))
    sizes = np.concatenate(counts)
    slot = np.concatenate(slots).astype(np.int64)
    cell = np.repeat(home, sizes)
    for a in range(0, len(cell), 1 << 20):
        out = rng.random(len(cell[a : a + (1 << 20)])) >= AT_HOME
        cell[a : a + (1 << 20)][out] = _towers(rng, shares, int(out.sum()))
    offsets = np.append(0, np.cumsum(sizes))
    return ic.Visits(np.arange(users), offsets, cell, slot, slot_min=15)


def _towers(rng: np.random.Generator, shares: np.ndarray[Any, Any], size: int) -> np.ndarray[Any, Any]:
    return np.minimum(np.searchsorted(shares, rng.random(size)), TOWERS - 1)


def commuters(users: int, seed: int = 1) -> ic.Visits:
    """Home or work at most hours, 30 % elsewhere; towers by Zipf's law."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 201)
    user = np.repeat(np.arange(users), 50)
    slot = np.argsort(rng.random((users, 168)), axis=1)[:, :50].ravel()
    base = rng.choice(200, (users, 2), p=weights / weights.sum())[user, slot % 24 // 12]
    elsewhere = rng.choice(200, len(user), p=weights / weights.sum())
    cell = np.where(rng.random(len(user)) < 0.3, elsewhere, base)
    return ic.Visits.from_arrays(user, cell=cell, slot=slot, slot_min=60)


def _warm_up() -> None:
    """Compile first: the kernels are kept on disk, but a first run should not pay for them here."""
    visits = commuters(50)
    ic.measure.uniqueness(visits, points=2, exact=True)
    ic.measure.uniqueness(visits, points=2)
    ic.measure.uniqueness(visits, points=2, samples=1 << 16)
    ic.measure.exposure(visits)


def _sizes(visits: ic.Visits) -> dict[str, Any]:
    lists = np.bincount(visits.slot * TOWERS + visits.cell, minlength=TOWERS * SLOTS)
    return {
        "users": len(visits),
        "records": visits.records,
        "list_mean": float(lists.mean()),
        "list_mean_per_record": float((lists.astype(float) ** 2).sum() / lists.sum()),
        "list_longest": int(lists.max()),
    }

"""Ours beside others in one run, on the same data and with the answers compared: ratios of CPU seconds.

scikit-mobility cannot be installed beside current versions of NumPy: its case makes an environment of its own in
build/peers with uv or pip.
"""

import functools
import gc
import json
import shutil
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy.optimize import linear_sum_assignment

import incrowd as ic
from benchmarks import timed
from benchmarks.ash import city_of
from benchmarks.glove import calls
from benchmarks.uniqueness import commuters
from incrowd.kernels.cpu.transport import link
from incrowd.kernels.cpu.transport.sites import sites_of
from incrowd.measure.glove.stretch import layout

HERE = Path(__file__).parent
SKMOB = HERE.parent / "build" / "peers"
SKMOB_ALONE = "scikit-mobility==1.3.1"  # without what it asks for but its attacks do not import (igraph has no wheel)
SKMOB_NEEDS = (
    "numpy==1.26.4",
    "pandas==1.5.3",
    "shapely==1.8.5.post1",
    "geopandas==0.10.2",
    "h3==3.7.7",
    "folium==0.12.1.post1",
    "geojson==2.5.0",
    "matplotlib<4",
    "tqdm<5",
)
MORNING = 17  # 08:30 -> 09:00 of half hours: the busiest link
Frame = Any


def _compared(result: dict[str, Any], *others: str) -> dict[str, Any]:
    ratios = {f"{name}_ratio": result[f"{name}_cpu_s"] / result["ours_cpu_s"] for name in others}
    return {**result, **ratios}


def crowds(users: int, points: int = 4) -> dict[str, Any]:
    """How many people made all of the visits that somebody knows: one question a person."""
    visits = commuters(users)
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.choice(np.arange(a, b), points, replace=False) for a, b in _ranges(visits.offsets)])
    point = visits.cell * (visits.slot.max() + 1) + visits.slot
    known = [list(zip(visits.cell[q], visits.slot[q], strict=True)) for q in rows.reshape(users, points)]
    held = {"user": np.repeat(np.arange(users), np.diff(visits.offsets)), "point": point}
    wanted = {"question": np.repeat(np.arange(users), points), "point": point[rows]}
    _warm_up()
    result: dict[str, Any] = {"users": users, "visits": visits.records, "points": points}
    with timed(result, "ours"):
        sizes = ic.measure.crowd_sizes(visits, known)
    with timed(result, "pandas"):
        by_pandas = _by_pandas(pd.DataFrame(held), pd.DataFrame(wanted), points)
    with timed(result, "polars"):
        by_polars = _by_polars(pl.DataFrame(held), pl.DataFrame(wanted), points)
    np.testing.assert_array_equal(sizes, by_pandas)
    np.testing.assert_array_equal(sizes, by_polars)
    return _compared(result, "pandas", "polars")


def _warm_up() -> None:
    """Few questions and many use kernels of their own; what was made before is no work of whoever answers."""
    for questions in (1, 1 << 14):
        ic.measure.crowd_sizes(commuters(50), [[(0, 0), (1, 1)]] * questions)
    gc.collect()
    gc.freeze()


def _ranges(offsets: np.ndarray[Any, Any]) -> list[tuple[int, int]]:
    return list(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True))


def _by_pandas(held: Frame, wanted: Frame, points: int) -> np.ndarray[Any, Any]:
    hits = wanted.merge(held, on="point").groupby(["question", "user"]).size()
    counted: np.ndarray[Any, Any] = hits[hits == points].groupby("question").size().sort_index().to_numpy()
    return counted


def _by_polars(held: Frame, wanted: Frame, points: int) -> np.ndarray[Any, Any]:
    hits = wanted.lazy().join(held.lazy(), on="point").group_by("question", "user").len()
    counted: np.ndarray[Any, Any] = (
        hits.filter(pl.col("len") == points).group_by("question").len().sort("question").collect()["len"].to_numpy()
    )
    return counted


def worst_pair(users: int) -> dict[str, Any]:
    """scikit-mobility's LocationTimeAttack: for everybody the pair of visits that the fewest others share.

    Its time precision "Hour" compares days (its issue 265), so both get days here and answer the same question.
    """
    visits = commuters(users)
    user, day = np.repeat(np.arange(users), np.diff(visits.offsets)), visits.slot // 24
    visits = ic.Visits.from_arrays(user, cell=visits.cell, slot=day)
    result: dict[str, Any] = {"users": users, "visits": visits.records}
    _warm_up()
    with timed(result, "ours"):
        ours = _worst_pairs(visits)
    theirs = _skmob(visits)
    np.testing.assert_allclose(ours, theirs["risk"])
    return _compared({**result, "skmob_cpu_s": theirs["cpu_s"]}, "skmob")


def _worst_pairs(visits: ic.Visits) -> list[float]:
    points = list(zip(visits.cell.tolist(), visits.slot.tolist(), strict=True))
    pairs = [list(combinations(points[a:b], 2)) for a, b in _ranges(visits.offsets)]
    sizes = ic.measure.crowd_sizes(visits, [list(pair) for own in pairs for pair in own])
    ends = np.append(0, np.cumsum([len(own) for own in pairs]))
    return [1 / int(sizes[a:b].min()) for a, b in _ranges(ends)]


def _skmob(visits: ic.Visits) -> dict[str, Any]:
    python, ready = SKMOB / "bin" / "python", SKMOB / ".ready"
    if not ready.exists():  # an installation that was stopped is begun anew
        _install(python)
        ready.touch()
    owner = np.repeat(np.arange(len(visits)), np.diff(visits.offsets))
    when = np.datetime64("2024-01-01T12:00") + visits.slot * np.timedelta64(1, "D")
    table = pd.DataFrame({"uid": owner, "lat": visits.cell / 1000, "lng": 0.0, "datetime": when})
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        table.to_csv(file.name, index=False)
        done = subprocess.run(
            [python, "-W", "ignore", HERE / "_skmob.py", file.name, "Day"], check=True, capture_output=True, text=True
        )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _install(python: Path) -> None:
    """An environment of its own with uv, else with venv and pip; wheels only, as building takes long and may fail."""
    uv = shutil.which("uv")
    make = [uv, "venv", "--python", sys.executable] if uv else [sys.executable, "-m", "venv"]
    shutil.rmtree(SKMOB, ignore_errors=True)
    subprocess.run([*make, str(SKMOB)], check=True)
    install = [uv, "pip", "install", "--python", str(python)] if uv else [str(python), "-m", "pip", "install"]
    for packages in (SKMOB_NEEDS, ("--no-deps", SKMOB_ALONE)):
        subprocess.run([*install, "--quiet", "--only-binary", ":all:", *packages], check=True)


def glove(users: int) -> dict[str, Any]:
    """GLOVE at k = 2, where nobody is merged twice: all distances in NumPy, then the closest pair that is left."""
    data = calls(users)
    ic.anonymize.Glove()(calls(40))
    result: dict[str, Any] = {"users": users, "samples": data.records}
    with timed(result, "ours"):
        release = ic.anonymize.Glove(device="cpu")(data)
    with timed(result, "numpy"):
        stretches = _closest_first(all_pairs(data))
    np.testing.assert_allclose(sorted(cost for *_, cost in release.merges), sorted(stretches), rtol=1e-12)
    return _compared(result, "numpy")


def kgap(users: int) -> dict[str, Any]:
    """The 2-gap of everybody, from all distances and from ours."""
    data = calls(users)
    ic.measure.kgap(calls(40))
    result: dict[str, Any] = {"users": users, "samples": data.records}
    with timed(result, "ours"):
        gap = ic.measure.kgap(data)
    with timed(result, "numpy"):
        plain = all_pairs(data).min(axis=1)
    np.testing.assert_allclose(gap.value, plain, rtol=1e-12)
    return _compared(result, "numpy")


def all_pairs(data: ic.Fingerprints) -> np.ndarray[Any, Any]:
    """The straightforward way: every sample of the longer against every one of the shorter, in NumPy."""
    laid = layout(data)
    users = [laid.corners[a:b].astype(np.int64) for a, b in _ranges(laid.offsets)]
    value = np.full((len(users), len(users)), np.inf)
    for a, b in combinations(range(len(users)), 2):
        value[a, b] = value[b, a] = _distance(users[a], users[b])
    return value


def _distance(one: np.ndarray[Any, Any], two: np.ndarray[Any, Any]) -> float:
    low = np.minimum(one[:, None, ::2], two[None, :, ::2])
    high = np.maximum(one[:, None, 1::2], two[None, :, 1::2])
    union = 2 * (high - low)
    own = (one[:, 1::2] - one[:, ::2])[:, None] + (two[:, 1::2] - two[:, ::2])[None]
    time, x, y = np.moveaxis(union - own, 2, 0)
    cost = 12 * np.minimum(x + y, 400) + 5 * np.minimum(time, 960)
    there, back = cost.min(axis=1).mean(), cost.min(axis=0).mean()
    if len(one) == len(two):
        return float(min(there, back) / 9600)
    return float((there if len(one) > len(two) else back) / 9600)


def _closest_first(distance: np.ndarray[Any, Any]) -> list[float]:
    stretches = []
    for _ in range(len(distance) // 2):
        a, b = np.unravel_index(np.argmin(distance), distance.shape)
        stretches.append(float(distance[a, b]))
        distance[[a, b]] = distance[:, [a, b]] = np.inf
    return stretches


def assignment(users: int) -> dict[str, Any]:
    """One link of the recovery from counts: people to the places of the next slot, beside scipy's assignment."""
    visits = city_of(users, 1, "operator", towers=1000)
    counts, cells = ic.discretize.counts(visits), visits.cell.reshape(users, -1)
    before, now, then = cells[:, MORNING - 1], cells[:, MORNING], counts.n[MORNING + 1].copy()
    sites = sites_of(*counts.xy.T.copy())
    x, y = (2 * counts.xy[now] - counts.xy[before]).T.copy()
    at = np.where(before == now, sites.of[now], -1)
    everybody = (x, y, at, now, np.arange(users), sites, then, 0.0, 10**10)
    link(*everybody)
    result: dict[str, Any] = {"users": users, "towers": counts.shape[1]}
    with timed(result, "ours"):
        _, cost, _, _ = link(*everybody)
    with timed(result, "scipy"):
        goal = np.repeat(counts.xy, then, axis=0)
        metres = np.hypot(x[:, None] - goal[:, 0], y[:, None] - goal[:, 1])
        people, places = linear_sum_assignment(metres)
    np.testing.assert_allclose(cost, metres[people, places].sum(), rtol=1e-6)
    return _compared(result, "scipy")


CASES = {
    **{f"crowds_{n}": functools.partial(crowds, n) for n in (1000, 10_000, 20_000)},
    **{f"worst_pair_{n}": functools.partial(worst_pair, n) for n in (10, 30)},
    **{f"glove_{n}": functools.partial(glove, n) for n in (100, 400)},
    "kgap_400": functools.partial(kgap, 400),
    **{f"assignment_{n}": functools.partial(assignment, n) for n in (1000, 5000)},
}

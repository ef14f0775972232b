"""LKC-privacy at the sizes of a metro and a city's transit cards: violating and frequent sequences, suppression."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from incrowd.anonymize.lkc import LKC
from incrowd.measure.lkc import carriers_of, maximal_frequent, minimal_violating, paths_of
from incrowd.measure.lkc.suppression import suppression

LIMITS: dict[str, Any] = {"limit_s": 600, "limit_gib": 2}


def paths(users: int, slots: int, cells: int, length: int, *, skew: float = 1.0, values: int = 5) -> ic.Visits:
    """Each user in `length` random slots, in cells whose popularity falls like rank ** -skew; a value each."""
    rng = np.random.default_rng(0)
    slot = np.sort(np.argsort(rng.random((users, slots)), axis=1)[:, :length], axis=1).ravel()
    popular = np.arange(1, cells + 1) ** -skew
    cell = rng.choice(cells, users * length, p=popular / popular.sum())
    secret = rng.integers(0, values, users).tolist()
    user = np.repeat(np.arange(users), length)
    return ic.Visits.from_arrays(user, cell, slot, slot_min=60, attributes={"secret": secret})


def routes(users: int, slots: int, cells: int, routes: int, noise: float) -> ic.Visits:
    """Everyone on one of some shared routes all day, elsewhere now and then: long regular paths."""
    rng = np.random.default_rng(0)
    route, own = rng.integers(0, cells, (routes, slots)), rng.integers(0, routes, users)
    elsewhere = rng.random((users, slots)) < noise
    cell = np.where(elsewhere, rng.integers(0, cells, (users, slots)), route[own])
    return ic.Visits.from_arrays(np.repeat(np.arange(users), slots), cell.ravel(), np.tile(np.arange(slots), users))


def violating(made: Callable[[], ic.Visits], l: int, k: int, c: float = 1.0) -> dict[str, Any]:  # noqa: E741
    """The search alone, second call: the first compiles."""
    result: dict[str, Any] = {}
    visits = made()
    table = paths_of(visits)
    who = carriers_of(visits, c, "secret" if c < 1 else None, None)
    minimal_violating(table, who, 2, len(visits), c, **LIMITS)
    with timed(result, "violating"):
        found = minimal_violating(table, who, l, k, c, **LIMITS)
    return {**result, **_sizes(visits), "l": l, "k": k, "c": c, "violating": len(found)}


def frequent(made: Callable[[], ic.Visits], min_support: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    visits = made()
    table = paths_of(visits)
    maximal_frequent(table, len(visits), **LIMITS)
    with timed(result, "frequent"):
        found = maximal_frequent(table, min_support, **LIMITS)
    return {**result, **_sizes(visits), "min_support": min_support, "frequent": len(found)}


def whole(made: Callable[[], ic.Visits], method: LKC) -> dict[str, Any]:
    """From visits to a release; a small run before compiles."""
    result: dict[str, Any] = {}
    method(paths(200, 24, 26, 8))
    visits = made()
    with timed(result, "release"):
        release = method(visits)
    done = release.provenance["suppression"]
    again: dict[str, Any] = {}
    with timed(again, "greedy"):
        suppression(done.violating, done.frequent_before, method.scores, method.limit_s, method.limit_gib)
    return {**result, **again, **_sizes(visits), "l": method.l, "k": method.k, **done.to_dict()}


def _sizes(visits: ic.Visits) -> dict[str, Any]:
    return {"records": len(visits), "visits": visits.records, "pairs": len(paths_of(visits).cell)}


METRO = partial(paths, 80_000, 24, 26, 8)
CITY = partial(paths, 462_000, 48, 68, 6)
TRANSIT = LKC(l=3, k=40, min_support=40)

CASES = {
    "metro_l3": partial(violating, METRO, 3, 40),
    "metro_l4": partial(violating, METRO, 4, 40),
    "metro_flat_l4": partial(violating, partial(METRO, skew=0.5), 4, 40),
    "metro_l3_c": partial(violating, METRO, 3, 40, 0.5),
    "metro_release": partial(whole, METRO, LKC(l=4, k=40, min_support=40)),
    "metro_recompute": partial(whole, METRO, LKC(l=4, k=40, min_support=40, scores="recompute")),
    "city_release": partial(whole, CITY, TRANSIT),
    "city_release_c": partial(whole, CITY, LKC(l=3, k=40, c=0.5, sensitive="secret", min_support=40)),
    "frequent_metro": partial(frequent, METRO, 40),
    "frequent_long": partial(frequent, partial(paths, 20_000, 60, 10, 40), 150),
    "frequent_routes": partial(frequent, partial(routes, 20_000, 30, 20, 40, 0.05), 100),
    **{f"growth_l{n}": partial(violating, METRO, n, 40) for n in (1, 2, 3, 4, 5)},
    **{f"growth_records_{n}k": partial(violating, partial(paths, n * 1000, 24, 26, 8), 3, 40) for n in (40, 160, 320)},
    **{f"growth_pairs_{24 * n}": partial(violating, partial(paths, 80_000, 24, n, 8), 3, 40) for n in (13, 52, 104)},
}

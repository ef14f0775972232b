"""Honest releases of every kind, small enough to be audited hundreds of times."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import incrowd as ic
from audit.cases import Case, names, on_disk, repeatable
from incrowd.anonymize import LKC, W4M, Cut, Generalize, Glove

PEOPLE = 60
DAY_S = 86_400
START = 1_396_051_200  # a midnight, UTC


def traces(seed: int = 0, people: int = PEOPLE) -> ic.Traces:
    """Walks around the homes of people, ten records each over two days."""
    rng = np.random.default_rng(seed)
    home = rng.random((people, 1, 2)) / 12
    place = (home + rng.normal(0, 0.004, (people, 10, 2))).reshape(-1, 2)
    t = np.sort(rng.integers(START, START + 2 * DAY_S, (people, 10)), axis=1).ravel()
    return ic.Traces.from_arrays(np.repeat(names(people), 10), t, lon=5 + place[:, 0], lat=52 + place[:, 1])


def visits(seed: int = 0, people: int = PEOPLE) -> ic.Visits:
    data = ic.discretize.grid(traces(seed, people), cell_m=3000, slot_min=120)
    ill = np.random.default_rng(seed).choice(["hiv", "flu", "none", "cold"], people, p=[0.1, 0.3, 0.4, 0.2])
    return replace(data, attributes={"ill": ill.astype(object)})


def voted(seed: int = 0) -> ic.Visits:
    data = ic.discretize.blocks(traces(seed), blocks=3, slot_min=480)
    ill = np.random.default_rng(seed).choice(["hiv", "flu", "none"], len(data), p=[0.2, 0.4, 0.4])
    return replace(data, attributes={"ill": ill.astype(object)})


def prints(seed: int = 0) -> ic.Fingerprints:
    return ic.discretize.fingerprints(traces(seed))


def crowded(seed: int = 0) -> ic.Fingerprints:
    """Fingerprints of which each stands for one to three people."""
    data = prints(seed)
    return replace(data, crowd=np.random.default_rng(seed).integers(1, 4, len(data)))


def counted(seed: int = 0) -> tuple[ic.Visits, ic.Release]:
    data = ic.discretize.grid(traces(seed), cell_m=3000, slot_min=120)
    exact = ic.discretize.counts(data)
    n = np.where(exact.n < 3, 0, exact.n)
    params = {"method": "Counts", "suppress_below": 3}
    return data, ic.Release.from_arrays(replace(exact, n=n), [], params=params)


def noised(seed: int = 0) -> tuple[ic.Visits, ic.Release]:
    """Counts of one visit per person with discrete Laplace noise, as DPCounts states them."""
    data = ic.discretize.grid(traces(seed), cell_m=3000, slot_min=120)
    first = np.zeros(data.records, bool)
    first[data.offsets[:-1]] = True
    data = ic.Visits.from_arrays(
        data.users[data.owner[first]], data.cell[first], data.slot[first], slot_min=120, start=data.start, xy=data.xy
    )
    exact = ic.discretize.counts(data)
    epsilon = 0.5
    waits = np.random.default_rng(12345 + seed).geometric(1 - np.exp(-epsilon / 2), (2, *exact.shape))
    given = {"epsilon": epsilon, "delta": 0.0, "slots_per_person": 1, "cells_per_slot": 1}
    params = {"method": "DPCounts", **given, "sensitivity": 2, "scale": 4.0, "mechanism": "discrete laplace"}
    claims = {"epsilon": epsilon, "delta": 0.0, "unit": "person"}
    return data, ic.Release.from_arrays(
        replace(exact, n=exact.n + waits[0] - waits[1]), [], params=params, claims=claims
    )


def _of(method, data, seed: int) -> tuple[object, ic.Release]:
    return data, repeatable(method, data, seed)


def _expanded(seed: int) -> tuple[object, ic.Release]:
    data = prints(seed)
    release = Glove(k=3)(data).expanded(pseudonym_seed=seed)
    return data, replace(release, params={**release.params, "pseudonym_seed_given": False})


AMSTERDAM = "Europe/Amsterdam"
MADE: dict[str, Callable[[int], tuple[object, ic.Release]]] = {
    "cut": lambda seed: _of(Cut(window_h=12), visits(seed), seed),
    "generalize": lambda seed: _of(Generalize(cell_m=2000, slot_min=120, time_zone=AMSTERDAM), traces(seed), seed),
    "lkc": lambda seed: _of(LKC(l=1, k=4, c=0.9, sensitive="ill"), voted(seed), seed),
    "glove": lambda seed: _of(Glove(k=3), prints(seed), seed),
    "union": lambda seed: _of(Glove(k=3, max_extent_min=900, reshape="union"), prints(seed), seed),
    "split": lambda seed: _of(Glove(k=3, max_extent_m=9000, max_extent_min=900, reshape="split"), prints(seed), seed),
    "shards": lambda seed: _of(Glove(k=3, shard_users=20), prints(seed), seed),
    "crowds": lambda seed: _of(Glove(k=5, leftover="suppress"), crowded(seed), seed),
    "expanded": _expanded,
    "w4m": lambda seed: _of(W4M(k=3, delta_m=2000), traces(seed), seed),
    "counts": counted,
    "dp": noised,
}
CSV = ("cut", "generalize", "lkc", "glove", "w4m", "counts")
BASES = (*MADE, *(f"{name}-csv" for name in CSV))


def make(base: str, folder: Path, seed: int = 0) -> Case:
    """An honest release in a folder of its own."""
    name, _, text = base.partition("-")
    original, release = MADE[name](seed)
    folder.mkdir(parents=True)
    options = {"file": "csv"} if text else {}
    if isinstance(release.data, ic.Counts):
        published = ic.anonymize.publish(release, folder / "release", **options)
        return Case(published, folder / "none.csv", original)
    return on_disk(folder, release, original, **options)


def copied(case: Case, folder: Path) -> Case:
    """The same release elsewhere, to be broken."""
    shutil.copytree(case.folder.parent, folder)
    return Case(folder / case.folder.name, folder / case.link.name, case.original)


def modes(case: Case) -> dict[str, dict]:
    """What an auditor may hold."""
    given = {"original": case.original}
    linked = {**given, "link": case.link} if case.link.exists() else given
    return {"alone": {}, "original": given, "link": linked}

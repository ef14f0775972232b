"""Good releases on disk."""

import numpy as np
import pytest

import incrowd as ic
from audit.cases import PEOPLE, Case, groups, names, on_disk, people_visits, repeatable
from incrowd.anonymize import Cut, Generalize


@pytest.fixture
def cut(tmp_path) -> Case:
    visits = people_visits(names())
    return on_disk(tmp_path, repeatable(Cut(window_h=12), visits), visits)


@pytest.fixture
def hulls(tmp_path) -> Case:
    original, release = groups([5] * 60)
    return on_disk(tmp_path, release, original)


@pytest.fixture
def coarse(tmp_path) -> Case:
    rng = np.random.default_rng(0)
    size = PEOPLE * 10
    where = {"lon": 5 + rng.random(size) / 5, "lat": 52 + rng.random(size) / 5}
    t = rng.integers(1_396_000_000, 1_396_400_000, size)  # across a change to summer time
    traces = ic.Traces.from_arrays(np.repeat(names(), 10), t, **where)
    return on_disk(
        tmp_path, repeatable(Generalize(cell_m=500, slot_min=60, time_zone="Europe/Amsterdam"), traces), traces
    )

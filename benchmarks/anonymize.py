"""A week of a country cut into windows and published: one pass, memory within a small multiple of the data."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import timed
from incrowd.anonymize import Cut, publish
from incrowd.data import Visits

USERS, SLOTS, CELLS, EACH = 633_798, 672, 1_700, 67


def cut() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    key = rng.integers(0, SLOTS, (USERS, EACH), dtype=np.int16)
    key.sort(axis=1)
    slot = key.ravel().astype(np.int64)
    cell = rng.integers(0, CELLS, len(slot))
    cell.reshape(USERS, EACH).sort(axis=1)
    offsets = np.arange(USERS + 1) * EACH
    visits = Visits(np.arange(USERS), offsets, cell, slot, rng.uniform(0, 1e5, (CELLS, 2)), 15, 0)
    result: dict[str, Any] = {"users": USERS, "records": visits.records, "data_mib": visits.records * 16 >> 20}
    with timed(result, "cut"):
        release = Cut(window_h=6, slots=SLOTS)(visits)
    result["pieces"] = len(release.data)
    with tempfile.TemporaryDirectory() as folder, timed(result, "publish"):
        publish(release, Path(folder) / "release")
    return result


CASES = {"cut": cut}

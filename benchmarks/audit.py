"""The auditor at full size: 633,798 people and 42 million visits cut into pieces; LKC-privacy of 80,000 paths."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from incrowd.audit import check
from incrowd.data import Groups

PEOPLE, VISITS, CELLS, SLOTS = 633_798, 67, 1700, 672


def _people(people: int) -> ic.Visits:
    """`VISITS` visits each, at distinct random slots."""
    rng = np.random.default_rng(0)
    jumps = rng.integers(1, SLOTS // VISITS + 1, (people, VISITS))
    slot = np.cumsum(jumps, axis=1).ravel()
    cell = rng.integers(0, CELLS, slot.size)
    offsets = np.arange(people + 1) * VISITS
    return ic.Visits(np.arange(people), offsets, cell, slot, slot_min=15, start=0)


def _cut(visits: ic.Visits) -> tuple[ic.Visits, Groups]:
    """Each trajectory cut once, in the middle, under pseudonyms in random order."""
    rng = np.random.default_rng(1)
    half = VISITS // 2
    begin = np.stack([visits.offsets[:-1], visits.offsets[:-1] + half], axis=1).ravel()
    length = np.tile([half, VISITS - half], len(visits))
    order = rng.permutation(len(begin))
    begin, length = begin[order], length[order]
    offsets = np.concatenate([[0], np.cumsum(length)])
    rows = np.repeat(begin - offsets[:-1], length) + np.arange(offsets[-1])
    data = ic.Visits(np.arange(len(begin)), offsets, visits.cell[rows], visits.slot[rows], slot_min=15, start=0)
    return data, Groups(np.arange(len(begin) + 1), order // 2)


def _release(people: int) -> dict[str, Any]:
    visits = _people(people)
    data, members = _cut(visits)
    ledger = ic.Ledger().add("cut", read=visits.records, kept=data.records)
    release = ic.Release.from_arrays(data, members, ledger=ledger)
    result: dict[str, Any] = {"people": people, "rows": data.records}
    with tempfile.TemporaryDirectory() as folder:
        path = release.save(Path(folder) / "data.parquet")
        with timed(result, "file"):
            result["file_passed"] = check(path, k=1).passed
    with timed(result, "with_original"):
        result["with_original_passed"] = check(release, original=visits, k=1).passed
    return result


def full() -> dict[str, Any]:
    return _release(PEOPLE)


def tenth() -> dict[str, Any]:
    return _release(PEOPLE // 10)


def lkc() -> dict[str, Any]:
    """80,000 paths of 8 visits among 624 pairs, L = 3: all sequences, then the first violation of K = 40."""
    rng = np.random.default_rng(0)
    records, length = 80_000, 8
    slot = np.argsort(rng.random((records, 24)), axis=1)[:, :length]
    cell = rng.integers(0, 26, slot.shape)
    user = np.repeat(np.arange(records), length)
    visits = ic.Visits.from_arrays(user, cell.ravel(), slot.ravel())
    release = ic.Release.from_arrays(visits, Groups(np.arange(records + 1), np.arange(records)))
    result: dict[str, Any] = {"records": records, "length": length, "l": 3}
    with timed(result, "passing"):
        result["status"] = check(release, l=3, k=1)["LKC-privacy"].status
    with timed(result, "failing"):
        result["failing"] = check(release, l=3, k=40)["LKC-privacy"].status
    return result


CASES = {"full": full, "tenth": tenth, "lkc": lkc}

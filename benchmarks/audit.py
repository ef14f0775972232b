"""The auditor at full size: 633,798 people and 42 million visits cut into pieces; LKC-privacy of 80,000 paths.

The goal for 42 million rows is 2 GiB and 60 s on two cores; memory is that of a process that only audits.
"""

import multiprocessing
import resource
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from incrowd.audit import check
from incrowd.data import Groups

PEOPLE, VISITS, CELLS, SLOTS, WINDOW_H = 633_798, 67, 1700, 672, 84


def _people(people: int) -> ic.Visits:
    """`VISITS` visits each, at distinct random slots."""
    rng = np.random.default_rng(0)
    jumps = rng.integers(1, SLOTS // VISITS + 1, (people, VISITS))
    slot = np.cumsum(jumps, axis=1).ravel()
    cell = rng.integers(0, CELLS, slot.size)
    offsets = np.arange(people + 1) * VISITS
    return ic.Visits(np.arange(people), offsets, cell, slot, slot_min=15, start=0)


def _made(there: Path, people: int) -> None:
    """A cut release on disk, its link and its original as saved visits."""
    visits = _people(people)
    visits.save(there / "visits.parquet")
    release = ic.anonymize.Cut(window_h=WINDOW_H)(visits)
    ic.anonymize.publish(release, there / "release", link=there / "link.csv", original=visits)


def _audited(there: Path) -> dict[str, Any]:
    """Seconds of an audit alone, with the original, and with the link; and the largest memory of this process."""
    result: dict[str, Any] = {}
    folder, original, link = there / "release", there / "visits.parquet", there / "link.csv"
    with timed(result, "alone"):
        result["alone_passed"] = check(folder, k=1).passed
    with timed(result, "with_original"):
        result["with_original_passed"] = check(folder, original=original).passed
    with timed(result, "with_link"):
        result["with_link_passed"] = check(folder, original=original, link=link, k=1).passed
    return {**result, "audit_peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _folder(people: int) -> dict[str, Any]:
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as there:
        with spawn.Pool(1) as maker:
            maker.apply(_made, (Path(there), people))
        with spawn.Pool(1) as auditor:
            result: dict[str, Any] = auditor.apply(_audited, (Path(there),))
    return {"people": people, "rows": people * VISITS, **result}


def full() -> dict[str, Any]:
    return _folder(PEOPLE)


def tenth() -> dict[str, Any]:
    return _folder(PEOPLE // 10)


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

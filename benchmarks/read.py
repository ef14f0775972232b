"""Reading at the size of a city: CSV and Parquet to Traces and to Visits.

INCROWD_BENCH_ROWS sets the number of records (20 million unless given; users are 3 in 200 of them); the files are made
once and kept in a folder of the temporary directory.
"""

import os
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed

ROWS = int(os.environ.get("INCROWD_BENCH_ROWS", "20000000"))
_CHUNK = 1_000_000
_DAYS = 14


def _file(suffix: str) -> Path:
    """Two weeks of records in time order, so that grouping them by user is work; made in little memory."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    folder = Path(tempfile.gettempdir()) / "incrowd-benchmarks"
    path = folder / f"trips-{ROWS}{suffix}"
    if not path.exists():
        folder.mkdir(exist_ok=True)
        part = path.with_suffix(f"{suffix}.part")
        chunks = _chunks(np.random.default_rng(0))
        first = next(chunks)
        with pc.CSVWriter(part, first.schema) if suffix == ".csv" else pq.ParquetWriter(part, first.schema) as out:
            for chunk in chain([first], chunks):
                out.write_table(chunk)
        part.rename(path)
    return path


def _chunks(rng: np.random.Generator) -> Iterator[Any]:
    """Homes in a city of 40 km, 120 m of noise."""
    import pyarrow as pa

    users = max(1, ROWS * 3 // 200)
    homes = np.stack([rng.normal(4.9, 0.1, users), rng.normal(52.3, 0.1, users)])
    for start in range(0, ROWS, _CHUNK):
        size = min(_CHUNK, ROWS - start)
        user = rng.integers(0, users, size)
        lon, lat = np.round(homes[:, user] + rng.normal(0, 0.001, (2, size)), 6)
        share = (start + np.sort(rng.uniform(0, size, size))) / ROWS
        t = pa.array((1_700_000_000 + share * _DAYS * 86_400).astype(np.int64)).cast(pa.timestamp("s"))
        yield pa.table({"uid": user, "t": t, "lat": lat, "lon": lon})


def _rate(result: dict[str, Any]) -> dict[str, Any]:
    return {"rows": ROWS, "rows_per_s": round(ROWS / result["run_s"]), **result}


def csv_to_traces() -> dict[str, Any]:
    path = _file(".csv")
    result: dict[str, Any] = {}
    with timed(result, "run"):
        traces = ic.read.table(path)
    arrays = sum(column.nbytes for column in (traces.t, *traces.coordinates))
    return _rate(result) | {"users": len(traces), "array_mib": round(arrays / 2**20)}


def csv_to_visits() -> dict[str, Any]:
    return _to_visits(_file(".csv"))


def parquet_to_visits() -> dict[str, Any]:
    return _to_visits(_file(".parquet"))


def _to_visits(path: Path) -> dict[str, Any]:
    result: dict[str, Any] = {}
    with timed(result, "run"):
        visits = ic.discretize.grid(path, cell_m=500, slot_min=60)
    arrays = visits.cell.nbytes + visits.slot.nbytes
    return _rate(result) | {"users": len(visits), "visits": visits.records, "array_mib": round(arrays / 2**20)}


CASES = {"csv_to_traces": csv_to_traces, "csv_to_visits": csv_to_visits, "parquet_to_visits": parquet_to_visits}

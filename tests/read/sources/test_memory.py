"""However many records a database gives, memory stays bounded."""

import json
import os
import sqlite3
import subprocess
import sys

import duckdb
import pytest

from servers import SECRET

pytestmark = pytest.mark.sources
FEW, MANY = 200_000, 4_000_000
MOST_MB = 150  # more for the many than for the few, which would be some 300 MB as Arrow alone
CODE = """
import json, resource, sys
import incrowd as ic
source, query = sys.argv[1:]
visits = ic.discretize.grid(source, query=query, cell_m=1000, slot_min=60, memory_mb=64)
print(json.dumps([visits.records, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""
POSTGRES = """SELECT 'a person with a long name ' || (i % 50) AS "user", (i % 3600)::int8 AS t,
    4.9 + (i % 5) * 0.1 AS lon, 52.3::float8 AS lat FROM generate_series(1, {rows}) AS i"""
DUCKDB = """SELECT 'a person with a long name ' || (i % 50) AS "user", i % 3600 AS t,
    4.9 + (i % 5) * 0.1 AS lon, 52.3::DOUBLE AS lat FROM range({rows}) AS rows (i)"""
SQLITE = """WITH RECURSIVE rows (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM rows WHERE i < {rows})
    SELECT 'a person with a long name ' || (i % 50) AS "user", i % 3600 AS t,
    4.9 + (i % 5) * 0.1 AS lon, 52.3 AS lat FROM rows"""


def peak(source: str, query: str) -> tuple[int, float]:
    words = [sys.executable, "-c", CODE, source, query]
    environment = {**os.environ, "PGPASSWORD": SECRET}
    done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
    records, megabytes = json.loads(done.stdout)
    return records, megabytes


@pytest.mark.parametrize("kind", ["postgresql", "duckdb", "sqlite"])
def test_memory_does_not_grow_with_the_records(kind, request, tmp_path):
    if kind == "postgresql":
        source, query = request.getfixturevalue("server").address, POSTGRES
    else:
        query, connect = (DUCKDB, duckdb.connect) if kind == "duckdb" else (SQLITE, sqlite3.connect)
        source = str(tmp_path / f"city.{kind}")
        connect(source).close()
    few, many = (peak(source, query.format(rows=rows)) for rows in (FEW, MANY))
    assert few[0] == many[0] > 0
    assert many[1] - few[1] < MOST_MB, (few, many)

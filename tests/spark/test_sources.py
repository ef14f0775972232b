"""Odd sources are read as on one machine, or refused in one sentence that names nobody."""

import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from spark.conftest import rows_of
from spark.parity import assert_same_table

pytestmark = pytest.mark.spark
GRAIN = {"cell_m": 500, "slot_min": 60}
NAMES = np.array(["Zoë", "zoë", "Zoe\u0308", "人", "😀", "a,b\n", "", " a", "007", "7", *map(str, range(20, 40))])


@pytest.fixture(scope="module")
def rows():
    return rows_of(40, 2)


def cyclic(values):
    return lambda rows: {"user": np.resize(values, len(rows["t"]))}


def times(zone):
    return lambda rows: {"t": pa.array(rows["t"] * 1_000_000, pa.timestamp("us", zone))}


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (times("Europe/Amsterdam"), {}),
        (times(None), {"time_zone": "Europe/Amsterdam"}),
        (lambda rows: {"t": rows["t"] + 0.75}, {}),
        (cyclic(NAMES), {"bad_rows": True}),
        (cyclic(np.arange(37) - 20), {"attributes": ["side"]}),
        (cyclic(["whale"] * 19 + ["shrimp"]), {"attributes": ["side"]}),
        (cyclic(np.arange(9, dtype=np.uint64) + 2**63), {}),
        (lambda rows: {"user": pa.array([None, *rows["user"][1:].tolist()])}, {}),
        (lambda rows: {"lat": np.full(len(rows["t"]), np.nan)}, {}),
    ],
    ids=["zone", "no zone", "fractions", "names", "numbers", "whale", "beyond 64 bits", "nobody", "nowhere"],
)
def test_columns(spark, rows, tmp_path, columns, options):
    from incrowd.spark import grid

    pq.write_table(pa.table({**rows, **columns(rows)}), tmp_path / "odd.parquet")

    def outcome(made, where):
        aside = {"bad_rows": tmp_path / where} if "bad_rows" in options else {}
        try:
            return made(tmp_path / "odd.parquet", **{**GRAIN, **options, **aside})
        except ic.DataError as error:
            return str(error)

    here = outcome(ic.discretize.grid, "here.csv")
    there = outcome(lambda path, **how: grid(spark, path, parts=3, **how).collect(), "there.csv")
    if isinstance(here, str):
        assert there == here
    else:
        assert_same_table(there, here)


def test_a_folder_of_folders_with_odd_names_and_empty_files(spark, rows, tmp_path):
    from incrowd.spark import grid

    for number in range(6):
        folder = tmp_path / "all [1] é#%20" / f"user=u{number % 3}" / f"side=s {number}"
        folder.mkdir(parents=True)
        part = pa.table({name: rows[name][number::7] for name in ("t", "lon", "lat")})
        pq.write_table(part, folder / "a.parquet")
        pq.write_table(part.slice(0, 0), folder / "b.parquet")
    path = tmp_path / "all [1] é#%20"
    assert_same_table(grid(spark, path, parts=3, **GRAIN).collect(), ic.discretize.grid(path, **GRAIN))


def test_files_of_other_types_and_rows_of_none(spark, rows, tmp_path):
    from incrowd.spark import grid

    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    pq.write_table(pa.table({**rows, "user": rows["t"]}), tmp_path / "b.parquet")
    with pytest.raises(ic.DataError, match="of other types than the first"):
        grid(spark, tmp_path, **GRAIN)
    with pytest.raises(ic.DataError, match="has no rows"):
        grid(spark, spark.read.parquet(str(tmp_path / "a.parquet")).limit(0), **GRAIN)


def test_what_a_task_says_names_nobody(spark, city):
    from incrowd.spark import grid

    def broken(traces):
        raise KeyError(traces.users[0])

    with pytest.raises(ic.DataError, match=r"a task stopped on KeyError in line \d+ of test_sources.py") as refused:
        grid(spark, city, parts=2, clean=[broken], **GRAIN)
    assert "person 0" not in str(refused.value) and refused.value.__cause__ is None


def test_a_block_that_no_task_has_room_for(spark, city, monkeypatch):
    from incrowd.spark import grid

    monkeypatch.setattr(sys.modules["incrowd.spark.records"], "task_bytes", lambda _: 200 * 1000)
    with pytest.raises(ic.DataError, match=r"a block has [\d,]+ records and a task memory for 1,000; give more parts"):
        grid(spark, city, parts=2, **GRAIN)


def test_times_of_96_bits_have_no_offset_as_on_one_machine(spark, rows, tmp_path):
    from incrowd.spark import grid

    for name, zone, bits in (("naive", None, 96), ("aware", "America/St_Johns", 96), ("usual", "UTC", 64)):
        table = pa.table({**rows, "t": pa.array(rows["t"] * 1_000_000, pa.timestamp("us", zone))})
        path = tmp_path / f"{name}.parquet"
        pq.write_table(table, path, use_deprecated_int96_timestamps=bits == 96)
        how = {**GRAIN, "time_zone": "Europe/Amsterdam"}
        assert_same_table(grid(spark, path, parts=2, **how).collect(), ic.discretize.grid(path, **how))
    with pytest.raises(ic.DataError, match="times of another type"):
        grid(spark, tmp_path, **GRAIN)


def test_a_session_of_ones_own_reads_as_one_machine(spark, rows, tmp_path):
    """Naive times stay naive, and a broken file stops the run."""
    from incrowd.spark import grid

    how = {**GRAIN, "time_zone": "Europe/Amsterdam"}
    table = pa.table({**rows, "t": pa.array(rows["t"] * 1_000_000, pa.timestamp("us"))})
    (tmp_path / "city").mkdir()
    pq.write_table(table, tmp_path / "city/a.parquet")
    for name, value in {"parquet.inferTimestampNTZ.enabled": "false", "files.ignoreCorruptFiles": "true"}.items():
        spark.conf.set(f"spark.sql.{name}", value)
    assert_same_table(
        grid(spark, tmp_path / "city", parts=2, **how).collect(), ic.discretize.grid(tmp_path / "city", **how)
    )
    whole = (tmp_path / "city/a.parquet").read_bytes()
    (tmp_path / "city/b.parquet").write_bytes(whole[:4] + b"\xff" * (len(whole) // 2) + whole[4 + len(whole) // 2 :])
    with pytest.raises(ic.DataError, match="a file is broken"):
        grid(spark, tmp_path / "city", parts=2, **how)


def test_columns_that_differ_in_case_and_files_of_two_kinds(spark, rows, tmp_path):
    from incrowd.spark import grid

    pq.write_table(pa.table({**rows, "User": rows["side"]}), tmp_path / "case.parquet")
    with pytest.raises(ic.DataError, match="differ in case alone"):
        grid(spark, tmp_path / "case.parquet", **GRAIN)
    (tmp_path / "two").mkdir()
    pq.write_table(pa.table({name: rows[name] for name in ("user", "t", "lon", "lat")}), tmp_path / "two/a.parquet")
    ic.read.table(tmp_path / "two/a.parquet").save(tmp_path / "two/b.parquet")
    with pytest.raises(ic.DataError, match="saved by incrowd while others are not"):
        grid(spark, tmp_path / "two", **GRAIN)
    with pytest.raises(ic.DataError):
        grid(spark, [], **GRAIN)


def test_odd_names_of_columns(spark, rows, tmp_path):
    from incrowd.spark import grid

    who, when = 'who `is` "it" $1.é', "t.x"
    path, how = tmp_path / "odd.parquet", {**GRAIN, "columns": {"user": who, "t": when}}
    pq.write_table(pa.table({who: rows["user"], when: rows["t"], "lon": rows["lon"], "lat": rows["lat"]}), path)
    assert_same_table(grid(spark, path, parts=2, **how).collect(), ic.discretize.grid(path, **how))


def cluster(master, parallelism=8, **conf):
    """What a session of such a cluster says of itself."""
    named = {f"spark.executor.{name}": value for name, value in conf.items()}
    context = SimpleNamespace(master=master, defaultParallelism=parallelism, getConf=lambda: named)
    return SimpleNamespace(sparkContext=context)


@pytest.mark.parametrize("records", [4_362_000, 100_000_000, 1_100_000_000])
def test_blocks_have_room_for_what_the_hash_deals_unevenly(records):
    from incrowd.spark.session import RECORD_BYTES, blocks_for, task_bytes

    spark = cluster("local-cluster[2,1,1024]", 2, memoryOverhead="1g", cores="1")
    count = blocks_for(spark, records)
    people = np.random.default_rng(1).multinomial(records // 100, np.full(count, 1 / count))
    assert people.max() * 100 * RECORD_BYTES <= task_bytes(spark)


@pytest.mark.parametrize(
    ("master", "conf", "mib"),
    [
        ("yarn", {}, 96),  # 384 of overhead, half of it for the JVM, and half of the rest for the libraries
        ("k8s://host", {"memory": "10g", "cores": "2"}, 128),
        ("yarn", {"memoryOverhead": "4g", "cores": "4"}, (4096 - 512) // 4 - 192),
        (
            "spark://host:7077",
            {"memoryOverhead": "2048"},
            256 - 128,
        ),  # its eight cores may be one executor
    ],
)
def test_the_memory_of_a_task_follows_from_that_of_an_executor(master, conf, mib):
    from incrowd.spark.session import task_bytes

    assert task_bytes(cluster(master, **conf)) == mib * 2**20


def test_executors_without_our_python(spark, city, monkeypatch):
    from incrowd.spark import grid

    monkeypatch.setattr(sys.modules["incrowd.spark.session"], "_checked", set())
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/nowhere/python")
    with pytest.raises(ic.ParameterError, match="the executors cannot run Python; set PYSPARK_PYTHON"):
        grid(spark, city, **GRAIN)

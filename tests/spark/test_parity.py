"""Every step on Spark gives what one machine gives, bit for bit."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from spark.conftest import rows_of
from spark.parity import assert_same_risk, assert_same_sweep, assert_same_table, release_in

pytestmark = pytest.mark.spark
GRAIN = {"cell_m": 500, "slot_min": 60}


@pytest.fixture(scope="module")
def blocks(spark, city):
    from incrowd.spark import grid

    return grid(spark, city, parts=3, **GRAIN)


@pytest.fixture(scope="module")
def visits(city):
    return ic.discretize.grid(city, **GRAIN)


@pytest.fixture(scope="module")
def prints(spark, city):
    from incrowd.spark import fingerprints

    return fingerprints(spark, city, parts=3, cell_m=500, slot_min=30)


def frames_kept(spark):
    """How many frames executors keep on their disks."""
    return spark.sparkContext._jsc.getPersistentRDDs().size()


def test_visits_of_two_files(blocks, visits):
    assert blocks.blocks == 3
    assert_same_table(blocks.collect(), visits)


@pytest.mark.parametrize(
    "options",
    [
        {"time_zone": "Europe/Amsterdam", "keep": "vote", "attributes": ["side"]},
        {"start": "2024-01-02", "origin": (5.0, 52.0), "keep": "vote_first", "cell_m": 250.5, "slot_min": 45},
    ],
)
def test_options_of_the_grid(spark, city, options):
    from incrowd.spark import grid

    options = {**GRAIN, **options}
    try:
        here = ic.discretize.grid(city, **options)
    except ic.DataError as error:
        with pytest.raises(ic.DataError, match=str(error)[:20]):
            grid(spark, city, parts=2, **options)
        return
    assert_same_table(grid(spark, city, parts=2, **options).collect(), here)


def test_cleaning_and_bad_rows(spark, tmp_path):
    from incrowd.spark import grid

    rows = rows_of(60, 2)
    rows["lat"][[5, 700]] = 99.0
    path = tmp_path / "odd.parquet"
    pq.write_table(pa.concat_tables([pa.table(rows), pa.table(rows).slice(10, 300)]), path)
    steps = [ic.clean.duplicates, ic.clean.still_users]
    there = grid(spark, path, clean=steps, bad_rows=tmp_path / "there.csv", parts=3, **GRAIN)
    traces = ic.read.table(path, bad_rows=tmp_path / "here.csv")
    for step in steps:
        traces = step(traces)
    assert_same_table(there.collect(), ic.discretize.grid(traces, **GRAIN))
    assert (tmp_path / "there.csv").read_text() == (tmp_path / "here.csv").read_text()
    with pytest.raises(ic.DataError) as there_error:
        grid(spark, path, parts=2, **GRAIN)
    with pytest.raises(ic.DataError) as here_error:
        ic.discretize.grid(path, **GRAIN)
    assert (
        str(there_error.value).partition(";")[0].split("(")[0] == str(here_error.value).partition(";")[0].split("(")[0]
    )


def test_a_table_without_order_is_the_same_records_by_user_time_and_place(spark, tmp_path):
    from incrowd.spark import grid

    rows = pa.table(rows_of(60, 2))
    pq.write_table(rows, tmp_path / "mixed.parquet")
    by = [(name, "ascending") for name in ("user", "t", "lon", "lat")]
    pq.write_table(rows.sort_by(by), tmp_path / "sorted.parquet")
    frame = spark.read.parquet((tmp_path / "mixed.parquet").as_uri()).repartition(3)
    here = ic.discretize.grid(tmp_path / "sorted.parquet", **GRAIN).to_arrow()
    assert grid(spark, frame, parts=3, **GRAIN).collect().to_arrow().equals(here)
    frame.createOrReplaceTempView("mixed")
    assert grid(spark, "mixed", parts=2, **GRAIN).collect().to_arrow().equals(here)


@pytest.mark.parametrize(
    "question",
    [
        {"points": 4, "repeats": 2, "seed": 3},
        {"points": 3, "samples": 500},
        {"points": 3, "knowledge": "consecutive"},
        {"points": 3, "knowledge": "close", "closeness_min": 120, "tolerance_min": 60, "block_min": 1440},
        {"points": 30, "short": "all"},
        {"points": 30, "short": "zero"},
    ],
)
def test_uniqueness(blocks, visits, question):
    from incrowd.spark import uniqueness

    here = ic.measure.uniqueness(visits, **question)
    assert here.population > 0
    assert_same_risk(uniqueness(blocks, **question), here)


def test_counts(blocks, visits):
    from incrowd.spark import counts

    there, here = counts(blocks), ic.discretize.counts(visits)
    assert np.array_equal(there.n, here.n) and np.array_equal(there.xy, here.xy)
    assert (there.slot_min, there.start_min) == (here.slot_min, here.start_min)
    assert there.ledger.to_dict() == here.ledger.to_dict()


@pytest.mark.parametrize(
    "method",
    [
        ic.anonymize.Cut(window_h=2.5),
        ic.anonymize.Cut(windows=7, start_slot=-2, slots=90),
        ic.anonymize.Generalize(cell_m=500, slot_min=60),
    ],
)
@pytest.mark.parametrize("file", ["parquet", "csv"])
def test_releases_of_visits(blocks, visits, city, tmp_path, method, file):
    from incrowd.spark import release

    data = city if isinstance(method, ic.anonymize.Generalize) else visits
    how = {"file": file, "residual_risk": ic.measure.uniqueness(visits, points=2)}
    release(blocks, method, tmp_path / "there", pseudonym_seed=4, link=tmp_path / "there.csv", **how)
    made = method(data, pseudonym_seed=4)
    ic.anonymize.publish(made, tmp_path / "here", link=tmp_path / "here.csv", original=visits, **how)
    assert release_in(tmp_path / "there") == release_in(tmp_path / "here")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "here.csv", "there", "there.csv"]


@pytest.mark.parametrize(
    "method",
    [
        ic.anonymize.Glove(k=2, shard_users=60, device="cpu"),
        ic.anonymize.Glove(
            k=3,
            shard_users=90,
            max_extent_m=3000,
            max_extent_min=120,
            reshape="split",
            leftover="suppress",
            device="cpu",
        ),
        ic.anonymize.Glove(k=2, shard_users=500, max_extent_m=2000, suppress="each", reshape="union", device="cpu"),
    ],
)
def test_releases_of_glove(spark, prints, city, tmp_path, method):
    from incrowd.spark import release

    here, kept = ic.discretize.fingerprints(city, cell_m=500, slot_min=30), frames_kept(spark)
    release(prints, method, tmp_path / "there", pseudonym_seed=4, link=tmp_path / "there.csv")
    assert frames_kept(spark) <= kept
    made = method(here, pseudonym_seed=4)
    ic.anonymize.publish(made, tmp_path / "here", link=tmp_path / "here.csv", original=here)
    assert release_in(tmp_path / "there") == release_in(tmp_path / "here")


def test_fingerprints(prints, city):
    assert_same_table(prints.collect(), ic.discretize.fingerprints(city, cell_m=500, slot_min=30))


def test_pseudonyms_are_random_and_an_audit_passes(blocks, visits, tmp_path):
    from incrowd.spark import release

    for name in ("one", "two"):
        release(blocks, ic.anonymize.Cut(window_h=12), tmp_path / name, link=tmp_path / f"{name}.csv")
    _, manifest, pairs = release_in(tmp_path / "one")
    assert manifest["pseudonyms"] == "operating system"
    assert pairs != release_in(tmp_path / "two")[2]
    assert ic.audit.check(tmp_path / "one", original=visits, link=tmp_path / "one.csv").passed


@pytest.mark.parametrize("k", [2, 5])
def test_kgap(prints, city, k):
    from incrowd.spark import kgap

    there = kgap(prints, k=k)
    here = ic.measure.kgap(ic.discretize.fingerprints(city, cell_m=500, slot_min=30), k=k, device="cpu")
    assert np.array_equal(there.value, here.value) and np.array_equal(there.neighbours, here.neighbours)
    assert there.to_dict() == here.to_dict()


@pytest.mark.parametrize("options", [{}, {"keep": "set", "time_zone": "Europe/Amsterdam", "seed": 2}])
def test_sweep(spark, city, options):
    from incrowd.spark import sweep

    how = {"blocks": (5, 20), "minutes": (30, 120), "points": (1, 4), "samples": 400, **options}
    assert_same_sweep(sweep(spark, city, parts=3, **how), ic.measure.sweep(ic.read.table(city), **how))

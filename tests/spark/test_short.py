"""The short form: grid, uniqueness and Cut of 500 people, in one test, because every process needs its own session."""

import pyarrow as pa
import pyarrow.parquet as pq

import incrowd as ic
from spark.conftest import rows_of
from spark.parity import assert_same_risk, assert_same_table, release_in


def test_grid_uniqueness_and_cut_are_those_of_one_machine(spark, tmp_path):
    from incrowd import spark as on_spark

    path = tmp_path / "city.parquet"
    pq.write_table(pa.table(rows_of(500, 2)), path)
    blocks = on_spark.grid(spark, path, cell_m=500, slot_min=60, parts=2)
    visits = ic.discretize.grid(path, cell_m=500, slot_min=60)
    assert_same_table(blocks.collect(), visits)
    assert_same_risk(on_spark.uniqueness(blocks, points=3), ic.measure.uniqueness(visits, points=3))
    cut = ic.anonymize.Cut(window_h=6)
    on_spark.release(blocks, cut, tmp_path / "there", pseudonym_seed=1, link=tmp_path / "there.csv")
    ic.anonymize.publish(cut(visits, pseudonym_seed=1), tmp_path / "here", original=visits, link=tmp_path / "here.csv")
    assert release_in(tmp_path / "there") == release_in(tmp_path / "here")

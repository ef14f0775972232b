"""The published table, written as its batches come."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from incrowd.data.release_folder import ROW_GROUP, write_table

ROWS = 2 * ROW_GROUP + 12_345


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    columns = {"user": np.sort(rng.integers(0, 70_000, ROWS)), "cell": rng.integers(0, 900, ROWS)}
    return pa.table(columns).replace_schema_metadata({"incrowd": "{}"})


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("cut", [1_000_003, ROW_GROUP, 3 * ROW_GROUP])
def test_the_bytes_do_not_depend_on_the_batches(table, tmp_path, cut):
    with pq.ParquetWriter(tmp_path / "whole.parquet", table.schema, compression="zstd", store_schema=False) as out:
        out.write_table(table)
        out.add_key_value_metadata(table.schema.metadata)
    write_table(table.schema, table.to_batches(max_chunksize=cut), tmp_path / "data.parquet")
    assert digest(tmp_path / "data.parquet") == digest(tmp_path / "whole.parquet")


def test_a_table_without_rows_has_its_columns(tmp_path):
    schema = pa.schema({"user": pa.int64()}, metadata={"incrowd": "{}"})
    write_table(schema, [], tmp_path / "data.parquet")
    write_table(schema, [], tmp_path / "data.csv")
    assert pq.read_table(tmp_path / "data.parquet").column_names == ["user"]
    assert (tmp_path / "data.csv").read_text() == '"user"\n'

import hashlib
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from incrowd.data import release_folder
from incrowd.data.release_folder import ROW_GROUP, write_table
from incrowd.errors import ParameterError

GONE = 2**22 + 1  # above the largest process id of Linux
ROWS = 2 * ROW_GROUP + 12_345


def aside(folder, host, pid, kind):
    """A folder that a run left beside `folder`."""
    left = folder.with_name(f".{folder.name}.{host}.{pid}.{kind}")
    left.mkdir()
    (left / "text").write_text(kind)
    return left


def written(folder, **how):
    with release_folder.whole_folder(folder, **how) as part:
        (part / "text").write_text("new")


@pytest.mark.parametrize(("host", "pid"), [("elsewhere", GONE), ("here", os.getppid())])
def test_the_folders_of_runs_that_may_go_on_stay(tmp_path, monkeypatch, host, pid):
    monkeypatch.setattr("platform.node", lambda: "here")
    folder = tmp_path / "release"
    left = [aside(folder, host, pid, kind) for kind in ("part", "old")]
    written(folder, force=False)
    assert (folder / "text").read_text() == "new" and all(path.exists() for path in left)


def test_folders_of_a_killed_run_of_this_host_go_and_the_older_release_comes_back(tmp_path, monkeypatch):
    monkeypatch.setattr("platform.node", lambda: "here")
    folder = tmp_path / "release"
    left = [aside(folder, "here", GONE, kind) for kind in ("part", "old")]
    with pytest.raises(ParameterError, match="appeared meanwhile"):
        written(folder, force=False)
    assert (folder / "text").read_text() == "old" and not any(path.exists() for path in left)


def test_a_release_is_found_by_its_folder_and_by_its_table(tmp_path):
    visits = ic.Visits.from_arrays([1, 2], cell=[5, 5], slot=[0, 0], slot_min=60, start=0)
    folder = ic.anonymize.publish(ic.anonymize.Cut(window_h=24)(visits), tmp_path / "release", file="csv")
    table = release_folder.table_in(folder)
    assert table == folder / "data.csv"
    assert release_folder.release_at(folder) == release_folder.release_at(table) == folder
    assert release_folder.release_at(tmp_path) is None and release_folder.table_in(tmp_path) is None
    stated = release_folder.manifest_in(folder)
    assert stated["format"] == release_folder.FORMAT
    assert sorted(stated["files"]) == sorted({path.name for path in folder.iterdir()} - {release_folder.MANIFEST})


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

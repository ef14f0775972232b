"""Streaming from file to pieces of whole users gives what reading at once gives."""

import gc
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.read import _parts as spill
from incrowd.read import parts as parts_of


@pytest.fixture
def trips(tmp_path):
    """Forty thousand records of 300 users in no order, with an attribute."""
    rng = np.random.default_rng(0)
    size = 40_000
    columns = {
        "user": rng.integers(0, 300, size),
        "t": rng.integers(0, 10**6, size),
        "lat": rng.uniform(-90, 90, size),
        "lon": rng.uniform(-180, 180, size),
        "job": rng.choice(["nurse", "poet"], size),
    }
    pc.write_csv(pa.table(columns), tmp_path / "trips.csv")
    pq.write_table(pa.table(columns), tmp_path / "trips.parquet")
    return tmp_path


def spill_everything(monkeypatch, records=8_000):
    """Make every source too large for memory, but for pieces of so many records."""
    monkeypatch.setattr(sys.modules["incrowd.read._parts"], "_RECORD_BYTES", 2**19 / records)


@pytest.mark.parametrize("name", ["trips.csv", "trips.parquet", "a frame", "a stream"])
def test_pieces_hold_every_user_once_and_in_time_order(trips, monkeypatch, name):
    whole = ic.read.table(trips / "trips.parquet", attributes=["job"])
    monkeypatch.setattr("incrowd.read.sources.engine.BATCH", 5_000)
    spill_everything(monkeypatch)
    table = pq.read_table(trips / "trips.parquet")
    source = {"a frame": table, "a stream": table.to_reader(1_000)}.get(name, trips / name)
    pieces = parts_of(source, attributes=["job"], memory_mb=1)
    assert pieces.records == whole.records and not pieces.planar
    np.testing.assert_array_equal(pieces.users, whole.users)
    assert pieces.span == (whole.t.min(), whole.t.max())
    assert pieces.box == (whole.lon.min(), whole.lat.min(), whole.lon.max(), whole.lat.max())
    assert pieces.ledger == whole.ledger
    assert pieces.attributes["job"].tolist() == whole.attributes["job"].tolist()
    for _ in range(2):  # a discretizer may pass over them twice
        seen = []
        for where, traces in pieces:
            assert traces.ordered
            seen.append(where)
            for at, user in enumerate(where):
                mine, theirs = slice(*traces.offsets[at : at + 2]), slice(*whole.offsets[user : user + 2])
                for column in ("t", "lon", "lat"):
                    np.testing.assert_array_equal(getattr(traces, column)[mine], getattr(whole, column)[theirs])
            np.testing.assert_array_equal(traces.users, whole.users[where])
        assert len(seen) > 3
        np.testing.assert_array_equal(np.sort(np.concatenate(seen)), np.arange(len(whole)))


def test_small_sources_and_traces_stay_in_memory(trips, monkeypatch):
    monkeypatch.setattr(spill, "spilled", None)
    whole = ic.read.table(trips / "trips.csv")
    for source in (trips / "trips.csv", whole):
        pieces = parts_of(source)
        assert pieces.records == whole.records and sum(traces.records for _, traces in pieces) == whole.records


def test_the_temporary_file_has_no_name_and_goes_with_the_parts(trips, monkeypatch):
    spill_everything(monkeypatch)
    folder = trips / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    handles = Path("/proc/self/fd")
    before = len(list(handles.iterdir()))
    pieces = parts_of(trips / "trips.csv", memory_mb=1)
    assert not list(folder.iterdir())
    next(iter(pieces))
    del pieces
    gc.collect()
    assert len(list(handles.iterdir())) <= before
    with (trips / "trips.csv").open("a") as stream:
        stream.write("1,5,91,5,nurse\n")
    with pytest.raises(ic.DataError, match=r"latitude outside .* at line 40002 of "):
        parts_of(trips / "trips.csv", memory_mb=1)
    assert not list(folder.iterdir())
    pieces = parts_of(trips / "trips.csv", memory_mb=1, bad_rows=trips / "bad.csv")
    assert pieces.ledger.steps[0].dropped == {"a latitude outside [-90, 90]": 1} and pieces.records == 40_000
    assert len((trips / "bad.csv").read_text().splitlines()) == 2


def test_saved_traces_stream_too_but_not_in_log_order(tmp_path, monkeypatch):
    spill_everything(monkeypatch, records=2)
    metres = ic.Traces.from_arrays(["b", "a", "b"], [9, 2, 1], x=[1e6, 2, 3], y=[4, 5, 6])
    pieces = parts_of(metres.save(tmp_path / "metres.parquet"), memory_mb=1)
    assert pieces.planar and pieces.box == (2, 4, 1e6, 6)
    assert pieces.ledger.steps[:-1] == metres.ledger.steps and pieces.ledger.steps[-1].name == "read"
    log = ic.Traces.from_arrays([1, 1], [9, 1], [0, 0], [0, 0], order="log").save(tmp_path / "log.parquet")
    time = ic.Traces.from_arrays([1, 1], [1, 9], [0, 0], [0, 0]).save(tmp_path / "time.parquet")
    for records in (1, 10):
        spill_everything(monkeypatch, records)
        for source in (log, [log, time], [time, log]):
            with pytest.raises(ic.DataError, match="log order; call"):
                parts_of(source, memory_mb=1)


def test_options_are_refused_before_work(trips):
    traces = ic.Traces.from_arrays([1], [0], [0], [0])
    with pytest.raises(ic.ParameterError, match="Traces need none of them"):
        parts_of(traces, time_zone="UTC")
    with pytest.raises(ic.ParameterError, match="memory_mb must be above 0"):
        parts_of(trips / "trips.csv", memory_mb=0)
    with pytest.raises(ic.DataError, match="does not exist"):
        parts_of(trips / "none.csv")


batches = st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=8), min_size=1)


@settings(deadline=None, max_examples=100)
@given(batches)
def test_disorder_counted_in_passing_is_what_traces_count(rows):
    clock, users = spill.LogOrder(), 0
    for batch in rows:
        code, t = np.array(batch, np.int64).T
        users = max(users, int(code.max()) + 1)
        clock.add(code, t, users)
    code, t = np.array([row for batch in rows for row in batch]).T
    zeros = np.zeros(len(t))
    traces = ic.Traces.from_arrays(code, t, zeros, zeros)
    assert traces.ledger.steps[0].notes == {"put in time order": clock.disorder}
    assert (clock.first, clock.last) == (t.min(), t.max())

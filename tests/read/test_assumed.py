"""What a reader has to assume is detected and asked for: decimal signs, exchanged columns, two places of one id."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.errors import IncrowdWarning

SEMICOLONS = "uid;t;lat;lon\nu1;2024-01-01 00:00:00,5;51,94793;-4,5\nu2;2024-01-01T00:00:01,75Z;52;+4,25\n"


def written(folder, text, name="trips.csv"):
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_decimal_commas_are_detected_and_noted(tmp_path, delimiter):
    path = written(tmp_path, SEMICOLONS.replace(";", delimiter).replace(",75Z", ",75"))
    for decimal in (None, ","):
        traces = ic.read.table(path, decimal=decimal)
        assert traces.lat.tolist() == [51.94793, 52] and traces.lon.tolist() == [-4.5, 4.25]
        assert np.diff(traces.t).tolist() == [1]  # the seconds have decimal commas too
        assert traces.ledger.steps[0].notes["read with decimal commas"] == 2
    with pytest.raises(ic.DataError, match="no number in column 'lat' at line 2"):
        ic.read.table(path, decimal=".")


def test_a_wrong_decimal_sign_gets_advice(tmp_path):
    path = written(tmp_path, 'uid,t,lat,lon\nu1,1,"51,5","4,5"\n')
    with pytest.raises(ic.DataError, match=r"in column 'lat' at line 2 .*--decimal\), or set such rows aside"):
        ic.read.table(path)
    path.write_text("uid,t,lat,lon\nu1,1,51.5,4.5\n")
    with pytest.raises(ic.DataError, match=r"in column 'lat' at line 2 .*--decimal"):
        ic.read.table(path, decimal=",")


def test_files_with_either_sign_are_read_together(tmp_path):
    written(tmp_path, "uid;t;lat;lon\nu1;1;51,5;4,5\n", "a.csv")
    written(tmp_path, "uid;t;lat;lon\nu1;2;51.5;4.5\n", "b.csv")
    traces = ic.read.table(tmp_path)
    assert traces.lat.tolist() == [51.5, 51.5]
    assert traces.ledger.steps[0].notes["read with decimal commas"] == 1


def test_a_point_is_no_decimal_sign_beside_commas(tmp_path):
    path = written(tmp_path, "uid;t;x;y\nu1;1;1.234;5,5\nu2;2;1,5;2,5\n")
    columns = {"x": "x", "y": "y"}
    traces = ic.read.table(path, columns, bad_rows=tmp_path / "bad.csv")
    assert traces.x.tolist() == [1.5] and traces.ledger.steps[0].dropped == {"no finite number": 1}


def test_decimal_commas_in_quotes_and_frames_are_asked_for(tmp_path):
    path = written(tmp_path, 'uid,t,lat,lon\nu1,"1700000000,5","51,5","4,5"\n')
    traces = ic.read.table(path, decimal=",")
    assert (traces.t.tolist(), traces.lat.tolist(), traces.lon.tolist()) == ([1_700_000_000], [51.5], [4.5])
    frame = pa.table({"uid": ["a"], "t": [1], "lat": ["51,5"], "lon": ["4,5"]})
    assert ic.read.table(frame, decimal=",").lat.tolist() == [51.5]
    with pytest.raises(ic.ParameterError, match="unknown decimal"):
        ic.read.table(frame, decimal=";")
    (tmp_path / "a.gpx").write_text("<gpx/>")
    with pytest.raises(ic.ParameterError, match="leave decimal out"):
        ic.read.table(tmp_path / "a.gpx", decimal=",")


def test_decimal_commas_of_counts_antennas_and_cells(tmp_path):
    cells = written(tmp_path, "cell;x;y\n7;1,5;2\n8;3,5;4\n", "cells.csv")
    counts = written(tmp_path, "slot;cell;n\n0;7;2,5\n1;8;3\n", "counts.csv")
    with pytest.raises(ic.DataError, match=r"n is not a number at row 0"):
        ic.read.counts(counts, cells, slot_min=720)
    made = ic.read.counts(counts, cells, slot_min=720, decimal=",")
    assert made.n.tolist() == [[2.5, 0], [0, 3]] and made.xy.tolist() == [[1.5, 2], [3.5, 4]]
    mixed = written(tmp_path, "cell;x;y\n7;1,5;2.5\n", "mixed.csv")
    with pytest.raises(ic.DataError, match="y has a decimal point, and decimal signs are commas at row 0"):
        ic.read.counts(counts, mixed, slot_min=720, decimal=",")
    antennas = written(tmp_path, "cell_id;lon;lat\n7;4,5;51,5\n", "antennas.csv")
    calls = written(tmp_path, "user,t,cell_id\na,1,7\n", "calls.csv")
    assert ic.read.table(calls, antennas=antennas).lat.tolist() == [51.5]


def test_where_every_row_is_bad_the_advice_is_another(tmp_path):
    path = written(tmp_path, "uid;t;lat;lon\n" + "u1;1;51,5;4,5\n" * 7)
    with pytest.raises(ic.DataError) as caught:
        ic.read.table(path, decimal=".", bad_rows=tmp_path / "bad.csv")
    assert str(caught.value) == (
        f"no row of {path} can be read (7 rows, all bad), the first because of no number in column 'lat' at line 2; "
        "check which column is which (--column), the decimal sign (--decimal) and how times are written "
        "(--time-format)."
    )


def places(records, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(4.7, 5.0, records), rng.uniform(52.3, 52.4, records)


def trips(lon, lat):
    return pa.table({"uid": np.arange(len(lon)) % 9, "t": np.arange(len(lon)), "lon": lon, "lat": lat})


@pytest.mark.parametrize("swapped", [1, 40, 400])
def test_lon_and_lat_exchanged_in_some_records_are_reported(swapped):
    lon, lat = places(1000)
    lon[:swapped], lat[:swapped] = lat[:swapped].copy(), lon[:swapped].copy()
    with pytest.warns(IncrowdWarning, match=f"exchanged in {swapped} of 1,000 records"):
        assert ic.read.table(trips(lon, lat)).records == 1000


@pytest.mark.filterwarnings("ignore:20 records are at")
@pytest.mark.parametrize("strays", ["at (0, 0)", "anywhere"])
def test_strays_do_not_hide_that_lon_and_lat_are_exchanged(strays):
    lon, lat = places(550)
    lon[:50], lat[:50] = lat[:50].copy(), lon[:50].copy()
    rng = np.random.default_rng(1)
    more = (
        (np.zeros(20), np.zeros(20))
        if strays == "at (0, 0)"
        else (rng.uniform(-180, 180, 30), rng.uniform(-90, 90, 30))
    )
    with pytest.warns(IncrowdWarning, match=r"exchanged in 50 of 5[58]0 records"):
        ic.read.table(trips(*(np.concatenate(pair) for pair in zip((lon, lat), more, strict=True))))


def test_lon_and_lat_exchanged_in_one_file_are_reported_streamed_and_in_memory(tmp_path):
    lon, lat = places(30_000)
    for name, (first, second) in {"a": (lon, lat), "b": (lat, lon)}.items():
        rows = "".join(f"u{i % 9},{i},{x},{y}\n" for i, (x, y) in enumerate(zip(first, second, strict=True)))
        written(tmp_path, "uid,t,lon,lat\n" + rows, f"{name}.csv")
    with pytest.warns(IncrowdWarning, match="exchanged in 30,000 of 60,000 records"):
        ic.read.table(tmp_path)
    with pytest.warns(IncrowdWarning, match="exchanged in 30,000 of 60,000 records"):
        ic.read.parts(tmp_path, memory_mb=0.1)


def test_places_that_only_seem_exchanged_are_not_reported():
    lon, lat = places(1000)
    for other in ((lat, lon), (lon - 60, lat)):
        ic.read.table(trips(*other))  # all exchanged, or elsewhere: warnings are errors in tests
    with pytest.warns(IncrowdWarning) as told:
        ic.read.table(trips(np.where(lon > 4.8, 0.0, lon), np.where(lon > 4.8, 0.0, lat)))
    assert len(told) == 1 and "(0, 0)" in str(told[0].message)
    lon[:5], lat[:5] = 52.35, -4.85  # mirrored they are south of the equator
    ic.read.table(trips(lon, lat))
    rng = np.random.default_rng(0)
    ic.read.table(trips(rng.uniform(-170, 170, 1000), rng.uniform(-80, 80, 1000)))  # the whole world
    ic.read.table(trips(rng.uniform(3, 7, 1000), rng.uniform(3, 7, 1000)))  # across the line where the two are equal
    along = rng.uniform(3, 7, 1000)
    ic.read.table(trips(along + rng.normal(0, 0.01, 1000), along))  # along it
    lon, lat = rng.normal(31.24, 0.1, 1000), rng.normal(30.04, 0.1, 1000)
    lon[:300], lat[:300] = rng.normal(29.92, 0.05, 300), rng.normal(31.2, 0.05, 300)
    ic.read.table(trips(lon, lat))  # Cairo and Alexandria, almost mirrored


@pytest.mark.real
@pytest.mark.parametrize("name", ["ais_us_coastal_day", "bayarea_bikes_slots30m", "cabspotting_sf_week", "valleybike"])
def test_real_places_are_not_taken_for_exchanged(shared_data, name):
    import pyarrow.parquet as pq

    from incrowd.read.checks import Exchanged

    for file in shared_data.glob(f"{name}*.parquet"):
        names = {column.lower(): column for column in pq.read_schema(file).names}
        pair = next(((names[a], names[b]) for a, b in (("lon", "lat"), ("longitude", "latitude")) if a in names), None)
        if pair is not None:
            table = pq.read_table(file, columns=list(pair)).drop_null()
            found = Exchanged()
            found.add(*(table[column].to_numpy().astype(float) for column in pair))
            assert found.records == 0


def test_a_frame_with_two_columns_of_one_name_is_refused():
    frame = pd.DataFrame([[1, 1, 52.0, 5.0, 5.0]], columns=["uid", "t", "lat", "lon", "lon"])
    with pytest.raises(ic.DataError, match=r"^the data frame has 2 columns of one name; rename all but one\.$"):
        ic.read.table(frame)
    with pytest.raises(ic.DataError, match="2 columns of one name"):
        ic.read.counts(frame, [[0, 0]])
    with pytest.raises(ic.DataError, match="'lon' appears 2 times in the header of the data frame"):
        ic.read.table(pa.table([[1], [1], [52.0], [5.0], [5.0]], names=list(frame.columns)))


ANTENNAS = {"cell_id": ["A", "B", "A", "B"], "lon": [5.0, 6.0, 5.5, 6.0], "lat": [52.0, 52.0, 52.0, 52.0]}


def test_of_an_antenna_at_two_places_the_first_or_the_last_is_used():
    calls = pa.table({"user": ["a", "a"], "t": [1, 2], "cell_id": ["A", "B"]})
    said = r"1 of 2 antennas of the data frame is listed at more than one place; the {} is used"
    for at, lon in (("first", [5.0, 6.0]), ("last", [5.5, 6.0])):
        with pytest.warns(IncrowdWarning, match=said.format(at)):
            assert ic.read.table(calls, antennas=pa.table(ANTENNAS), antenna_at=at).lon.tolist() == lon
    rows = pa.table({"user": [1], "cell": [0], "slot": [0]})
    where = pa.table({"cell": [0, 0], "x": [1000.0, 2000.0], "y": [0.0, 0.0]})
    for at, x in (("first", 1000), ("last", 2000)):
        with pytest.warns(IncrowdWarning, match=at):
            assert ic.read.visits(rows, antennas=where, antenna_at=at).xy.tolist() == [[x, 0]]
    with pytest.raises(ic.ParameterError, match="pass antennas=TABLE"):
        ic.read.table(calls, antenna_at="last")
    with pytest.raises(ic.ParameterError, match="unknown antenna_at"):
        ic.read.table(calls, antennas=pa.table(ANTENNAS), antenna_at="middle")


def test_of_a_cell_at_two_places_the_first_or_the_last_is_used(tmp_path):
    rows = pa.table({"slot": [0, 0], "cell": ["b", "a"], "n": [1, 2]})
    cells = written(tmp_path, "cell,x,y\nb,1,0\na,2,0\nb,3,0\na,2,0\n", "cells.csv")
    for at, xy in (("first", [[1, 0], [2, 0]]), ("last", [[3, 0], [2, 0]])):
        with pytest.warns(IncrowdWarning, match=f"1 of 2 cells of cells.csv .* the {at} is used"):
            made = ic.read.counts(rows, cells, slot_min=1440, antenna_at=at)
        assert made.n.tolist() == [[1, 2]] and made.xy.tolist() == xy
    one = pa.table({"slot": [0, 1], "cell": ["b", "b"], "n": [1, 2], "x": [1, 2], "y": [0, 0]})
    with pytest.warns(IncrowdWarning, match="1 of 1 cells of the data frame"):
        assert ic.read.counts(one, slot_min=720, antenna_at="last").xy.tolist() == [[2, 0]]


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    os.mkfifo(tmp_path / "pipe.parquet")
    os.mkfifo(tmp_path / "manifest.json")
    return tmp_path


READERS = [
    "ic.read.table(folder / 'pipe.csv')",
    "ic.read.table(folder / 'pipe.parquet')",
    "ic.read.table([str(folder / 'pipe.csv')])",
    "ic.read.table('/dev/zero')",
    "ic.read.table(calls, antennas=folder / 'pipe.csv')",
    "ic.read.visits(folder / 'pipe.csv')",
    "ic.read.counts(folder / 'pipe.parquet')",
    "ic.read.counts(calls, folder / 'pipe.csv')",
    "ic.read.towers(folder / 'pipe.csv')",
    "ic.read.regions(folder / 'pipe.csv')",
    "ic.read.saved(folder / 'pipe.parquet')",
    "ic.read.release(folder)",
    "ic.discretize.zones(calls, folder / 'pipe.csv')",
    "ic.audit.check(folder)",
    "ic.audit.check(folder / 'pipe.parquet')",
    "ic.attack.link(folder / 'pipe.parquet', folder / 'pipe.parquet')",
]


@pytest.mark.parametrize("call", READERS)
def test_a_pipe_is_refused_before_it_is_opened(pipe, call):
    """In a process of its own: an open pipe would wait for ever."""
    program = f"""
import pathlib, pyarrow as pa, incrowd as ic
folder, calls = pathlib.Path({str(pipe)!r}), pa.table({{"slot": [0], "cell": ["a"], "n": [1], "t": [1], "user": ["a"]}})
try:
    {call}
except ic.DataError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert "is a pipe or a device, not a file; save what it holds in a file first." in done.stdout, done.stderr

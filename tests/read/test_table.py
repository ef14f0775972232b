"""Files and frames of every kind -> the same Traces."""

import gzip
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.errors import IncrowdWarning
from incrowd.read.sources.engine import check_format

CSV = """uid,time,lat,lon
b,2024-01-01T00:00:00,52.1,5.1
a,2024-01-01 00:01:00,52.2,5.2
b,2023-12-31T23:59:00,52.3,5.3
"""
FIRST = 1_704_067_200  # 2024-01-01 00:00:00 UTC


def same(a: ic.Traces, b: ic.Traces) -> bool:
    columns = ("users", "offsets", "t", "lon", "lat", "x", "y")
    pairs = [(getattr(a, name), getattr(b, name)) for name in columns]
    return all((p is None) == (q is None) and (p is None or np.array_equal(p, q)) for p, q in pairs)


def written(folder: Path, text: str, name: str = "trips.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def row(text: str, folder: Path, **options) -> ic.Traces:
    """One CSV body with the plain header."""
    return ic.read.table(written(folder, "user,t,lat,lon\n" + text), **options)


def test_a_csv_is_sorted_by_user_and_time_and_accounts_for_every_row(tmp_path):
    traces = ic.read.table(written(tmp_path, CSV))
    assert traces.users.tolist() == ["b", "a"]
    assert traces.t.tolist() == [FIRST - 60, FIRST, FIRST + 60]
    assert traces.lat.tolist() == [52.3, 52.1, 52.2] and traces.lon.tolist() == [5.3, 5.1, 5.2]
    step = traces.ledger.steps[0]
    assert (step.name, step.read, step.kept, step.users) == ("read", 3, 3, (2, 2))
    assert step.notes == {"put in time order": 1}


def test_log_order_is_kept_when_asked_for(tmp_path):
    traces = ic.read.table(written(tmp_path, CSV), None, None, "log")
    assert traces.t.tolist() == [FIRST, FIRST - 60, FIRST + 60] and not traces.ordered
    assert traces.ledger.steps[0].notes == {"left out of order": 1}


@pytest.mark.parametrize("user", ["uid", "user", "user_id", "User ID", "userId", "id"])
@pytest.mark.parametrize("t", ["t", "time", "timestamp", "datetime", "Date-Time"])
def test_users_and_times_are_found_by_their_common_names(tmp_path, user, t):
    assert len(ic.read.table(written(tmp_path, f"{user},{t},lat,lon\n1,5,52,5\n"))) == 1


@pytest.mark.parametrize(("lat", "lon"), [("lat", "lon"), ("latitude", "longitude"), ("Lat", "lng"), ("y", "x")])
def test_places_are_found_by_their_common_names(tmp_path, lat, lon):
    traces = ic.read.table(written(tmp_path, f"{lon},uid,{lat},t\n5,1,52,0\n"))
    assert (traces.lat[0], traces.lon[0]) == (52, 5)


def test_the_more_telling_name_wins_and_other_columns_are_dropped(tmp_path):
    traces = ic.read.table(written(tmp_path, "id,user,t,lat,lon,x,y,note\n9,1,0,52,5,1000,2000,hi\n"))
    assert traces.users.tolist() == [1] and traces.lon.tolist() == [5] and not traces.attributes


def test_columns_are_taken_as_given(tmp_path):
    path = written(tmp_path, "id,when,lat,north,east\n1,0,99,52,5\n")
    traces = ic.read.table(path, {"t": "when", "lat": "north", "lon": "east"})
    assert (traces.lat[0], traces.lon[0]) == (52, 5)


def test_positions_mean_there_is_no_header(tmp_path):
    traces = ic.read.table(written(tmp_path, "7;0;52;5\n7;9;53;6\n"), {"user": 0, "t": 1, "lat": 2, "lon": 3})
    assert traces.records == 2 and traces.lat.tolist() == [52, 53]


def test_x_and_y_given_as_such_are_metres(tmp_path):
    path = written(tmp_path, "id,t,east,north\n1,0,150000,400000\n")
    assert ic.read.table(path, {"x": "east", "y": "north"}).x.tolist() == [150000]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_read_off_the_header(tmp_path, delimiter):
    traces = ic.read.table(written(tmp_path, CSV.replace(",", delimiter), "trips.tsv"))
    assert traces.records == 3


def test_byte_order_mark_quotes_blank_lines_and_windows_line_ends(tmp_path):
    path = tmp_path / "trips.csv"
    path.write_bytes(b'\xef\xbb\xbf"uid","t","lat","lon"\r\n"a, b",0,52,5\r\n\r\n"c ""d""",60,52,5\r\n')
    assert ic.read.table(path).users.tolist() == ["a, b", 'c "d"']


@pytest.mark.parametrize("scale", [1, 1_000, 1_000_000, 1_000_000_000])
def test_epochs_are_told_apart_by_magnitude(tmp_path, scale):
    traces = row(f"1,{FIRST * scale},52,5\n1,{(FIRST + 1) * scale - 1},52,5\n", tmp_path)
    assert traces.t.tolist() == [FIRST, FIRST + (scale == 1) * 0 if scale > 1 else FIRST]
    unit = {1: "seconds", 1_000: "milliseconds", 1_000_000: "microseconds", 1_000_000_000: "nanoseconds"}[scale]
    assert traces.ledger.steps[0].notes[f"timed in epoch {unit}"] == 2


@pytest.mark.parametrize("text", ["1969-12-31 23:59:59.9", "-0.1", "1969-12-31T23:59:59.999999Z"])
def test_fractions_of_a_second_are_floored(tmp_path, text):
    assert row(f"1,{text},52,5\n", tmp_path).t.tolist() == [-1]


@pytest.mark.parametrize(
    ("text", "t"),
    [
        ("2024-01-01", FIRST),
        ("2024-01-01 00:00", FIRST),
        ("2024-01-01T02:00:00+02:00", FIRST),
        ("2024-01-01T02:00+02", FIRST),
        ("2024-1-1 2:00+02:00", FIRST),  # as long as a plain time, but with an offset
        ("2024-01-01 00:00:00 UTC", FIRST),
        ("2023-12-31T16:00:00-0800", FIRST),
    ],
)
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
def test_times_with_an_offset_ignore_the_time_zone(tmp_path, text, t, zone):
    naive = text.startswith("2024-01-01") and len(text) <= 16
    shift = 9 * 3600 if naive and zone == "Asia/Tokyo" else 0
    # The plain second row makes sure that both kinds can share a column; what was assumed of it is said.
    said = f"1 of 2 times has no offset .* were read as {zone or 'UTC'}"
    with nullcontext() if naive else pytest.warns(IncrowdWarning, match=said):
        traces = row(f"1,{text},52,5\n2,2024-01-01 00:00:00,52,5\n", tmp_path, time_zone=zone)
    notes = traces.ledger.steps[0].notes
    assert notes.get(f"times without an offset, read as {zone or 'UTC'}", 0) == (not naive)
    assert traces.t.tolist() == [t - shift, FIRST - (9 * 3600 if zone == "Asia/Tokyo" else 0)]


def test_local_times_are_resolved_like_zoneinfo_and_counted(tmp_path):
    text = "1,2024-03-31 02:30:00,52,5\n1,2024-10-27 02:30:00,52,5\n1,2024-07-01 12:00:00,52,5\n"
    traces = row(text, tmp_path, time_zone="Europe/Amsterdam")
    assert sorted(traces.t.tolist()) == [1711848600, 1719828000, 1729989000]
    notes = traces.ledger.steps[0].notes
    assert notes["local times the clock skipped"] == notes["local times the clock showed twice"] == 1


def test_date_and_time_columns_are_read_as_one(tmp_path):
    path = written(tmp_path, "id,date,time,lat,lon\n1,2024-01-01,00:00:07,52,5\n")
    assert ic.read.table(path).t.tolist() == [FIRST + 7]


def test_labels_are_numbers_only_where_every_one_is_written_as_such(tmp_path):
    assert row("7,0,52,5\n12,0,52,5\n", tmp_path).users.tolist() == [7, 12]
    assert row("7,0,52,5\n007,0,52,5\n", tmp_path).users.tolist() == ["7", "007"]
    many = "".join(f"{i % 10},0,52,5\n" for i in range(300))
    assert row(many + "1e3,0,52,5\n", tmp_path).users.tolist()[-1] == "1e3"
    assert row(many + "07,0,52,5\n", tmp_path).users.tolist()[-1] == "07"
    assert row(many + "x,0,52,5\n", tmp_path).users.tolist()[-1] == "x"
    assert row(many + "99999999999,0,52,5\n", tmp_path).users.tolist()[-1] == 99999999999
    assert row("9223372036854775807,0,52,5\n", tmp_path).users.tolist() == ["9223372036854775807"]


def test_compressed_files_lists_globs_folders_and_hive_partitions(tmp_path):
    whole = ic.read.table(written(tmp_path, CSV))
    packed = tmp_path / "trips.csv.gz"
    packed.write_bytes(gzip.compress(CSV.encode()))
    zst = tmp_path / "trips.csv.zst"
    zst.write_bytes(pa.compress(CSV.encode(), codec="zstd", asbytes=True))
    assert same(ic.read.table(packed), whole) and same(ic.read.table(str(zst)), whole)
    header, *rows = CSV.splitlines(keepends=True)
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "_SUCCESS").write_text("")
    (folder / "README.md").write_text("not data")
    files = [written(folder, header + line, f"part-{i}.csv") for i, line in enumerate(rows)]
    for source in (files, [str(file) for file in files], folder, str(folder / "*.csv"), f"{tmp_path}/**/part-*.csv"):
        assert same(ic.read.table(source), whole)
    hive = tmp_path / "hive" / "user=a%20b"
    hive.mkdir(parents=True)
    pq.write_table(pa.table({"t": [1, 2], "lat": [52.0, 52], "lon": [5.0, 5]}), hive / "0.parquet")
    (tmp_path / "hive" / "user=c").mkdir()
    pq.write_table(pa.table({"t": [3], "lat": [52.0], "lon": [5.0]}), tmp_path / "hive" / "user=c" / "0.parquet")
    traces = ic.read.table(tmp_path / "hive")
    assert traces.users.tolist() == ["a b", "c"] and traces.offsets.tolist() == [0, 2, 3]


def test_files_with_other_columns_or_another_order_are_read_by_name(tmp_path):
    written(tmp_path, "uid,t,lat,lon\n1,0,52,5\n", "a.csv")
    written(tmp_path, "lon;lat;extra;t;uid\n5;52;x;60;x1\n", "b.csv")
    traces = ic.read.table(tmp_path)
    assert traces.users.tolist() == ["1", "x1"] and traces.lat.tolist() == [52, 52]


@pytest.mark.parametrize("name", ["it's.csv", "a[1]*.csv", "star*.csv", "what?.csv", 'q"uote.csv', "ünï cödé.csv"])
def test_any_file_name_works(tmp_path, name):
    written(tmp_path, CSV.replace("52", "53"), "a1x.csv")
    written(tmp_path, CSV.replace("52", "53"), "starry.csv")
    assert ic.read.table(written(tmp_path, CSV, name)).lat.max() == 52.3


def test_any_column_name_works(tmp_path):
    frame = pa.table({'u"id': [1], "t'": [0], "la t; DROP": [52.0], "lon": [5.0]})
    pq.write_table(frame, tmp_path / "odd.parquet")
    columns = {"user": 'u"id', "t": "t'", "lat": "la t; DROP"}
    assert ic.read.table(tmp_path / "odd.parquet", columns).records == ic.read.table(frame, columns).records == 1


def test_attributes_are_one_value_or_a_set_per_user(tmp_path):
    path = written(tmp_path, "uid,t,lat,lon,job,home\na,0,52,5,nurse,x\na,1,52,5,nurse,y\nb,2,52,5,,\n")
    traces = ic.read.table(path, attributes=("job", "home"))
    assert traces.attributes["job"].tolist() == ["nurse", None]
    assert traces.attributes["home"].tolist() == [frozenset("xy"), None]


def test_frames_of_every_library_and_label_type():
    import polars as pl

    columns = {"user": ["a", "b", "a"], "t": [3, 2, 1], "lat": [1.0, 2.0, 3.0], "lon": [4.0, 5.0, 6.0]}
    expected = ic.Traces.from_arrays(**columns)
    category = pa.table({**columns, "user": pa.array(columns["user"]).dictionary_encode()})
    readers = [pa.table(columns).to_reader(), *pa.table(columns).to_batches()]
    for frame in (pa.table(columns), category, pd.DataFrame(columns), pl.DataFrame(columns), *readers):
        assert same(ic.read.table(frame), expected)
    floating = pd.DataFrame({**columns, "user": [7.0, 8.0, 7.0]})
    assert ic.read.table(floating).users.tolist() == [7, 8]


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("order", ["time", "log"])
def test_saved_traces_come_back_as_they_were(tmp_path, planar, order):
    where = {"x": [1e6, 2, 3], "y": [4, 5, 6]} if planar else {"lon": [1, 2, 3], "lat": [4, 5, 6]}
    attributes = {"job": [frozenset({"nurse", "poet"}), "cook"]}
    traces = ic.Traces.from_arrays(["b", "a", "b"], [9, 2, 1], **where, order=order, attributes=attributes)
    for source in (traces.save(tmp_path / "saved.parquet"), traces.to_arrow()):
        back = ic.read.table(source)
        assert same(back, traces) and back.ordered == traces.ordered == (order == "time")
        assert back.attributes["job"].tolist() == traces.attributes["job"].tolist()
        assert back.ledger.steps[:-1] == traces.ledger.steps
        assert (back.ledger.steps[-1].name, back.ledger.steps[-1].read, back.ledger.steps[-1].kept) == ("read", 3, 3)
    assert same(ic.read.saved(tmp_path / "saved.parquet"), traces)


def test_saved_files_read_together_account_for_every_record(tmp_path):
    log = ic.Traces.from_arrays([1, 1, 1], [5, 3, 9], [5, 6, 7], [52, 52, 52], order="log")
    time = ic.Traces.from_arrays([2, 2], [0, 60], [5, 6], [52, 52])
    a, b, c = (noun.save(tmp_path / f"{i}.parquet") for i, noun in enumerate((log, time, time)))
    plain = tmp_path / "plain.parquet"
    pq.write_table(pa.table({"user": [3], "t": [FIRST * 1000], "lat": [52], "lon": [5]}), plain)
    for files, records, ordered in [([a, b], 5, False), ([b, a], 5, False), ([b, c], 4, True), ([plain, b], 3, True)]:
        traces = ic.read.table(files)
        (step,) = traces.ledger.steps
        assert (traces.records, traces.ordered, step.read, step.kept) == (records, ordered, records, records)
    assert ic.read.table([b, plain]).t.tolist() == [0, 60, FIRST]
    assert ic.read.table([a, b]).t.tolist() == [5, 3, 9, 0, 60]


def test_bad_rows_of_a_saved_file_are_in_its_ledger(tmp_path):
    frame = ic.Traces.from_arrays([2, 2], [0, 60], [5, 6], [52, 52]).to_arrow()
    off = frame.set_column(3, "lat", pa.array([52.0, 152.0]))
    traces = ic.read.table(off, bad_rows=tmp_path / "bad.csv")
    given, step = traces.ledger.steps
    assert (given.name, step.name, step.read, step.kept) == ("given", "read", 2, 1)
    assert step.dropped == {"a latitude outside [-90, 90]": 1} and traces.records == 1


records = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob", "7", "07", "ünï"]),
        st.integers(-(10**9), 4 * 10**9),
        st.floats(-180, 180),
        st.floats(-90, 90),
    ),
    min_size=1,
    max_size=30,
)


@pytest.mark.filterwarnings("ignore:.*at .0, 0.")
@settings(deadline=None, max_examples=25)
@given(rows=records, seed=st.integers(0, 9))
def test_any_file_and_frame_in_any_column_order_gives_what_from_arrays_gives(tmp_path_factory, rows, seed):
    import pyarrow.csv as pc

    user, t, lon, lat = map(list, zip(*rows, strict=True))
    expected = ic.Traces.from_arrays(user, t, lon, lat)
    names = np.random.default_rng(seed).permutation(["user", "t", "lon", "lat"])
    columns = {"user": user, "t": pa.array(t, pa.timestamp("s")), "lon": lon, "lat": lat}
    frame = pa.table({name: columns[name] for name in names})
    folder = tmp_path_factory.mktemp("round")
    pc.write_csv(frame, folder / "trips.csv")
    pq.write_table(frame, folder / "trips.parquet")
    sources = [frame, folder / "trips.parquet"]
    sources += [folder / "trips.csv"] if not all(label == "7" for label in user) else []
    for source in sources:
        traces = ic.read.table(source)
        assert same(traces, expected)
        zeros = {"at (0, 0)": int(expected.at_zero.sum())} if expected.at_zero.any() else {}
        assert traces.ledger.steps[0].notes == {**expected.ledger.steps[0].notes, **zeros}


def test_reading_loads_no_data_frame_library(tmp_path):
    import subprocess
    import sys

    written(tmp_path, CSV)
    code = "import incrowd as ic, sys; ic.read.table('trips.csv'); print({'pandas', 'polars'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
    assert [file.name for file in tmp_path.iterdir()] == ["trips.csv"]


@pytest.mark.real
def test_real_taxis(shared_data):
    traces = ic.read.table(shared_data / "cabspotting_sf_week.parquet")
    assert (len(traces), traces.records) == (516, 3_319_441)


@pytest.mark.parametrize(
    ("form", "text", "t"),
    [
        ("%d/%m/%Y %H:%M:%S", "02/01/2024 00:00:09", FIRST + 86_409),
        ("%m/%d/%Y %H:%M:%S", "01/02/2024 00:00:09", FIRST + 86_409),
        ("%d-%b-%y %I:%M %p", "01-Jan-24 01:00 PM", FIRST + 13 * 3600),
        ("%d/%m/%Y", "2/1/2024", FIRST + 86_400),
        ("%d.%m.%Y %H:%M:%S.%f", "01.01.2024 00:00:00.999", FIRST),
        ("%Y%m%d%H%M%S", "20240101000100", FIRST + 60),
        ("%d/%m/%Y %H:%M %z", "01/01/2024 02:00 +0200", FIRST),
    ],
)
def test_times_are_written_as_the_format_says(tmp_path, form, text, t):
    assert row(f"1,{text},52,5\n", tmp_path, time_format=form).t.tolist() == [t]
    frame = pa.table({"user": [1], "t": [text], "lon": [5], "lat": [52]})
    assert ic.read.table(frame, time_format=form).t.tolist() == [t]
    assert next(iter(ic.read.parts(frame, time_format=form)))[1].t.tolist() == [t]


def test_a_time_format_without_offset_is_in_the_time_zone(tmp_path):
    amsterdam = {"time_format": "%d/%m/%Y %H:%M", "time_zone": "Europe/Amsterdam"}
    assert row("1,01/01/2024 01:00,52,5\n", tmp_path, **amsterdam).t.tolist() == [FIRST]
    offset = {"time_format": "%d/%m/%Y %H:%M %z", "time_zone": "Europe/Amsterdam"}
    assert row("1,01/01/2024 01:00 +0000,52,5\n", tmp_path, **offset).t.tolist() == [FIRST + 3600]


def test_date_and_time_in_two_columns_are_one_text(tmp_path):
    path = written(tmp_path, "uid,date,time,lat,lon\n1,02/01/2024,00:01,52,5\n")
    assert ic.read.table(path, time_format="%d/%m/%Y %H:%M").t.tolist() == [FIRST + 86_460]


def test_a_time_in_no_known_format_names_the_option_and_no_day_is_guessed(tmp_path):
    with pytest.raises(ic.DataError, match=r"none in ISO 8601 .*\(--time-format\)"):
        row("1,01/03/2024 08:00:00,52,5\n", tmp_path)
    with pytest.raises(ic.DataError, match="none in the time format given in column 't' at line 3"):
        row("1,01/03/2024,52,5\n1,31/03/2024,52,5\n", tmp_path, time_format="%m/%d/%Y")


@pytest.mark.parametrize("form", ["", "%H:%M", "%d/%m %H:%M", "%Q", "day", "%Y-%m"])
def test_a_time_format_must_tell_days_apart(tmp_path, form):
    with pytest.raises(ic.ParameterError, match="does not name the year, month and day"):
        row("1,01/03/2024,52,5\n", tmp_path, time_format=form)


def test_what_is_a_time_already_takes_no_format():
    frame = pd.DataFrame({"user": [1], "t": [pd.Timestamp("2024-01-01")], "lon": [5.0], "lat": [52.0]})
    with pytest.raises(ic.DataError, match="need no time_format"):
        ic.read.table(frame, time_format="%d/%m/%Y")


@pytest.mark.parametrize("form", ["%a %d %b %H:%M", "%d/%m/%Y %I:%M", "%Y-%m-%d %M", "%Y-%m-%d %-I h"])
def test_a_time_format_must_read_what_it_writes(tmp_path, form):
    with pytest.raises(ic.ParameterError, match="or only half of its clock"):
        row("1,01/03/2024,52,5\n", tmp_path, time_format=form)


@pytest.mark.parametrize("form", ["%Y%m%d%H", "%Y-%j %H:%M", "%Y-%m-%d %H:%M %Z", "%a %b %d %H:%M:%S %z %Y", "%c"])
def test_whole_time_formats_are_accepted(form):
    check_format(form)


def test_a_percent_sign_before_z_is_no_offset(tmp_path):
    how = {"time_format": "%d/%m/%Y %H:%M %%z", "time_zone": "Europe/Amsterdam"}
    assert row("1,01/01/2024 01:00 %z,52,5\n", tmp_path, **how).t.tolist() == [FIRST]

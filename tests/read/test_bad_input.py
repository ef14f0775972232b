"""Each kind of bad input gets one sentence with file, position and column, and never the value."""

import csv
import gzip
import stat
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic

SECRET = "51.234567"
GOOD = "u1,2024-01-01 00:00:00,52,5\n"
HEAD = "uid,time,y,x\n"


def refusal(source, **options) -> str:
    with pytest.raises(ic.DataError) as caught:
        ic.read.table(source, **options)
    text = str(caught.value)
    assert text.endswith(".") and "\n" not in text and SECRET not in text and "Traceback" not in text
    # Nor may the cause carry it: a traceback prints the whole chain.
    assert caught.value.__cause__ is None or SECRET not in str(caught.value.__cause__)
    return text


def written(folder, text, name="trips.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def set_aside(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


ROWS = [
    ("a row with too few fields", f"u1,2024-01-01,{SECRET}\n", "too few fields", None),
    ("a row with too many fields", f"u1,2024-01-01,52,5,{SECRET}\n", "too many fields", None),
    ("text for a number", f"u1,2024-01-01,{SECRET}x,5\n", "no number", "y"),
    ("no number at all", f"u1,{SECRET},,5\n".replace(SECRET, "2024-01-01"), "no number", "y"),
    ("not a number", "u1,2024-01-01,52,NaN\n", "no number", "x"),
    ("infinite", "u1,2024-01-01,52,inf\n", "a longitude outside", "x"),
    ("a time that does not parse", f"u1,{SECRET}pm,52,5\n", "no time", "time"),
    ("a day that does not exist", "u1,2024-02-30 10:00:00,52,5\n", "no time", "time"),
    ("a number among dates", "u1,1700000000,52,5\n", "no time", "time"),
    ("no time", "u1,,52,5\n", "no time", "time"),
    ("no user", ",2024-01-01,52,5\n", "no user", "uid"),
    ("an empty user", '"",2024-01-01,52,5\n', "no user", "uid"),
    ("a latitude out of range", "u1,2024-01-01,90.0001,5\n", "a latitude outside", "y"),
    ("a longitude out of range", "u1,2024-01-01,52,-180.0001\n", "a longitude outside", "x"),
    ("a quote that does not close", f'u1,2024-01-01,52,"{SECRET}\n', "a quote that does not close", None),
    ("bytes that are no text", b"\xff\xfe" + f",2024-01-01,{SECRET},5\n".encode(), "bytes that are not text", None),
    ("a year beyond the calendar", "u1,12024-01-01 00:00:00,52,5\n", "a time outside the years", "time"),
]


@pytest.mark.parametrize(("text", "reason", "column"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_first_bad_row_stops_the_run(tmp_path, text, reason, column):
    body = text if isinstance(text, bytes) else text.encode()
    # Two hundred good rows first: what the first lines look like is settled by then. A blank line counts.
    path = written(tmp_path, (HEAD + "\n" + GOOD * 300).encode() + body + b"")
    message = refusal(path)
    assert message.startswith(reason) and f"at line 303 of {path};" in message
    assert column is None or f"in column '{column}'" in message
    assert "bad_rows=PATH" in message
    assert [file.name for file in tmp_path.iterdir()] == ["trips.csv"]


@pytest.mark.parametrize(("text", "reason", "column"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_bad_rows_are_set_aside_and_accounted_for(tmp_path, text, reason, column):
    body = text if isinstance(text, bytes) else text.encode()
    end = b"" if reason.startswith("a quote") else GOOD.encode()  # an open quote swallows what follows
    path = written(tmp_path, (HEAD + GOOD * 3).encode() + body + end)
    aside = tmp_path / "bad.csv"
    traces = ic.read.table(path, bad_rows=aside)
    step = traces.ledger.steps[0]
    kept = 4 if end else 3
    (line,) = set_aside(aside)
    assert (traces.records, step.read, step.dropped) == (kept, kept + 1, {line["reason"]: 1})
    assert (line["file"], line["position"], line["number"]) == (str(path), "line", "5")
    assert line["reason"].startswith(reason) and (column is None or line["column"] == column)
    if isinstance(text, str):
        assert line["text"].strip() == text.strip()
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600


def test_bad_rows_of_both_kinds_are_found_on_their_lines(tmp_path):
    rows = ["", "u1,2024-01-01,52", '"u\n1",2024-01-01,52,5', "u1,2024-01-01,91,5", "u1,x,52,5", "u1,2024-01-01,z,5"]
    path = written(tmp_path, HEAD + "\n".join(rows) + "\n" + GOOD + "u1,2024-01-01,-91,5\n" + GOOD)
    traces = ic.read.table(path, bad_rows=tmp_path / "bad.csv")
    found = [(int(row["number"]), row["reason"].split(",")[0]) for row in set_aside(tmp_path / "bad.csv")]
    assert sorted(found) == [
        (3, "too few fields"),
        (6, "a latitude outside [-90"),
        (7, "no time"),
        (8, "no number"),
        (10, "a latitude outside [-90"),
    ]
    assert traces.records == 3 and traces.users.tolist() == ["u\n1", "u1"]
    dropped = {reason.split(",")[0]: count for reason, count in traces.ledger.steps[0].dropped.items()}
    assert dropped == {"too few fields": 1, "a latitude outside [-90": 2, "no time": 1, "no number": 1}


def test_each_bad_row_is_found_in_its_own_file(tmp_path):
    for name in "abc":
        written(tmp_path, HEAD + GOOD * 2 + ("u1,2024-01-01,91,5\nu1,q\n" if name == "b" else ""), f"{name}.csv")
    assert f" of {tmp_path / 'b.csv'};" in refusal(tmp_path)
    traces = ic.read.table(tmp_path, bad_rows=tmp_path / "bad.txt")
    rows = set_aside(tmp_path / "bad.txt")
    assert [(row["file"], row["number"]) for row in rows] == [(str(tmp_path / "b.csv"), n) for n in ("4", "5")]
    assert traces.records == 6


def test_swapped_columns_are_hinted_at(tmp_path):
    assert "check that lon and lat are not swapped" in refusal(written(tmp_path, HEAD + "u1,2024-01-01,116.3,39.9\n"))


def test_rows_of_frames_and_parquet_are_counted_from_zero(tmp_path):
    frame = pa.table({"uid": ["a", "b", None], "t": [1, 2, 3], "lat": [1.0, 2.0, 3.0], "lon": [1.0, 200.0, 3.0]})
    pq.write_table(frame, tmp_path / "trips.parquet")
    assert "in column 'lon' at row 1 of the data frame;" in refusal(frame)
    assert f"in column 'lon' at row 1 of {tmp_path / 'trips.parquet'};" in refusal(tmp_path / "trips.parquet")
    for source in (frame, tmp_path / "trips.parquet"):
        aside = tmp_path / "bad.csv"
        assert ic.read.table(source, bad_rows=aside).records == 1
        rows = [(row["position"], row["number"], row["column"]) for row in set_aside(aside)]
        assert rows == [("row", "1", "lon"), ("row", "2", "uid")]
        aside.unlink()


def test_rows_are_counted_across_batches_and_files(tmp_path):
    lat = np.full(700_000, 52.0)
    for name, at in (("a", None), ("b", 650_000)):
        values = lat.copy()
        if at:
            values[at] = 91
        columns = {"uid": np.zeros(len(lat), int), "t": np.arange(len(lat)), "lat": values, "lon": lat}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    assert f"at row 650000 of {tmp_path / 'b.parquet'};" in refusal(tmp_path)


def test_a_wrong_path_glob_folder_or_source(tmp_path):
    assert refusal(tmp_path / "none.csv") == f"{tmp_path / 'none.csv'} does not exist; check the path."
    assert "no file matches" in refusal(tmp_path / "*.csv")
    assert "holds no file to read" in refusal(tmp_path)
    assert "list of files is empty" in refusal([])
    assert "cannot read a int; give a path" in refusal(7)
    assert "cannot tell the format" in refusal(written(tmp_path, "", "trips.doc"))
    written(tmp_path, HEAD + GOOD)
    pq.write_table(pa.table({"uid": [1]}), tmp_path / "trips.parquet")
    assert "different kinds (parquet, text)" in refusal(tmp_path)


def test_a_missing_or_repeated_column(tmp_path):
    path = written(tmp_path, "uid,time,y,altitude\n")
    message = refusal(path)
    assert f"column 'lon' is missing in {path} (has: uid, time, y, altitude); pass columns={{'lon': NAME}}" in message
    assert "column 'east', given for lon, is missing" in refusal(path, columns={"lon": "east"})
    assert "column 9 is missing" in refusal(path, columns={"user": 9, "t": 1, "lat": 2, "lon": 3})
    twice = written(tmp_path, "uid,t,lat,lat,lon\n1,2,3,4,5\n")
    assert f"column 'lat' appears 2 times in the header of {twice};" in refusal(twice)
    assert "column 'lat' appears 2 times" in refusal(pa.table([[1]] * 5, names=["uid", "t", "lat", "lat", "lon"]))
    assert "column 'job' is missing" in refusal(written(tmp_path, HEAD + GOOD), attributes=["job"])


def test_a_file_without_header_is_not_quoted(tmp_path):
    message = refusal(written(tmp_path, f"u1,2024-01-01,{SECRET},5\n"))
    assert "(has 4 fields in its first line)" in message and "give every position, counted from 0" in message
    assert "u1" not in message


@pytest.mark.parametrize(
    ("first", "advice"),
    [
        (f"alice 2024-01-01T00:00:00 {SECRET} 4.89\n", "give a Layout with its delimiter"),
        (f"alice 2024 {SECRET.replace('.', ' ')}\n", "give a Layout with its delimiter"),
        ("alice\n", "give a Layout with its delimiter"),
        (f'{{"user":"alice","t":"2024-01-01T00:00:00","lat":"{SECRET}"}}\n', "every position"),
        (f'"uid,timestamp,lat,lon\nalice,2024-01-01 00:00:00,{SECRET},5\n', "close the quote in its header"),
        (f'uid,when,"lat\nalice,2024-01-01 00:00:00,{SECRET},5\n', "close the quote in its header"),
        ("alice,12:30,north,east\n", "every position"),
        ("alice,at 1700000000,north,east\n", "every position"),
    ],
)
def test_a_record_in_the_place_of_a_header_is_not_quoted(tmp_path, first, advice):
    message = refusal(written(tmp_path, first * 2, "trips.txt"))
    assert advice in message and "alice" not in message and "2024" not in message and SECRET[3:] not in message
    frame = pa.table({f"alice at {SECRET}": [1], "uid": [1]})
    assert "(has 2 fields" in refusal(frame)


def test_no_rows(tmp_path):
    assert "is empty" in refusal(written(tmp_path, ""))
    assert refusal(written(tmp_path, HEAD)) == f"{tmp_path / 'trips.csv'} has no rows; check the export."
    assert "the data frame has no rows" in refusal(pa.table({"uid": [1], "t": [1], "lat": [1], "lon": [1]})[:0])
    only = written(tmp_path, HEAD + "u1,2024-01-01,91,5\n")
    message = refusal(only, bad_rows=tmp_path / "bad.csv")
    assert message.startswith(f"no row of {only} can be read (1 row, all bad), the first because of a latitude outside")
    assert "in column 'y' at line 2; check" in message and "bad_rows" not in message and "--bad-rows" not in message
    assert not (tmp_path / "bad.csv").exists()


@pytest.mark.parametrize("packed", ["gz", "zst"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_cut_compressed_file_is_never_a_shorter_dataset(tmp_path, packed, share):
    rng = np.random.default_rng(0)
    text = HEAD + "".join(f"u{i},2024-01-01,{rng.uniform(0, 50)},5\n" for i in range(20_000))
    data = gzip.compress(text.encode()) if packed == "gz" else pa.compress(text.encode(), codec="zstd", asbytes=True)
    assert ic.read.table(written(tmp_path, data, f"trips.csv.{packed}")).records == 20_000
    cut = written(tmp_path, data[: int(len(data) * share)], f"trips.csv.{packed}")
    assert f"{cut} cannot be read to its end" in refusal(cut)
    assert "cannot be read to its end" in refusal(cut, bad_rows=tmp_path / "bad.csv")
    assert not (tmp_path / "bad.csv").exists()


def test_a_damaged_gzip_is_noticed_by_its_checksum(tmp_path):
    data = bytearray(gzip.compress((HEAD + GOOD * 100).encode()))
    data[-6] ^= 0xFF
    assert "cannot be read to its end" in refusal(written(tmp_path, bytes(data), "trips.csv.gz"))


@pytest.mark.parametrize("share", [0.1, 0.6, 0.99])
def test_a_cut_parquet_file(tmp_path, share):
    pq.write_table(
        pa.table(
            {"uid": np.arange(9999), "t": 1, "lat": 1.0, "lon": 1.0}
            | {name: np.arange(9999) % 80 for name in ("t", "lat", "lon")}
        ),
        tmp_path / "trips.parquet",
    )
    data = (tmp_path / "trips.parquet").read_bytes()
    path = written(tmp_path, data[: int(len(data) * share)], "trips.parquet")
    assert f"{path} cannot be read to its end" in refusal(path)


def test_an_unreadable_header(tmp_path):
    path = written(tmp_path, (HEAD + GOOD).encode("utf-16"))
    assert refusal(path) == f"line 1 of {path} is not utf-8 text; convert the file first."


def test_mixed_types_and_types_that_mean_nothing_here():
    import pandas as pd

    columns = {"uid": [1, 2], "t": [1, 2], "lat": [1.0, 2.0], "lon": [1.0, 2.0]}
    assert "mixes types" in refusal(pd.DataFrame({**columns, "uid": [SECRET, 7]}))
    odd = pa.table({**columns, "t": pa.array([1, 2], pa.duration("s"))})
    assert "column 't' of the data frame holds duration[s] values; times are" in refusal(odd)
    assert "column 'lat' of the data frame holds bool values" in refusal(pa.table({**columns, "lat": [True, False]}))
    assert "column 'uid' of the data frame holds date32" in refusal(
        pa.table({**columns, "uid": pa.array([1, 2], pa.date32())})
    )
    assert "no user in column 'uid' at row 1" in refusal(pa.table({**columns, "uid": [1.0, 2.5]}))
    assert "no number in column 'lat' at row 0" in refusal(pa.table({**columns, "lat": ["x", "5"]}))


@pytest.mark.parametrize("value", ["20240101120000", "1e12x", "99999999999999999999999"])
def test_numbers_that_are_no_epoch(tmp_path, value):
    assert "column 't'" in refusal(written(tmp_path, f"uid,t,lat,lon\n1,{value},52,5\n"))


def test_a_column_that_changes_its_unit(tmp_path):
    path = written(tmp_path, "uid,t,lat,lon\n" + "1,1700000000000,52,5\n" * 300 + "1,1700000000,52,5\n")
    assert "a time in another unit than the first rows in column 't' at line 302" in refusal(path)


@pytest.mark.parametrize("at", [0, 150, 999])
@pytest.mark.parametrize(("usual", "odd"), [(1, 1_000), (1_000, 1), (1_000_000, 1_000), (1, 10**9), (10**9, 1)])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_one_epoch_in_another_unit_is_the_one_set_aside(tmp_path, usual, odd, at, kind):
    t = [(1_700_000_000 + i) * (odd if i == at else usual) for i in range(1_000)]
    path = written(tmp_path, "uid,t,lat,lon\n" + "".join(f"1,{second},52,5\n" for second in t))
    if kind == "parquet":
        path = tmp_path / "trips.parquet"
        pq.write_table(pa.table({"uid": [1] * 1_000, "t": t, "lat": [52.0] * 1_000, "lon": [5.0] * 1_000}), path)
    place = f"line {at + 2}" if kind == "csv" else f"row {at}"
    assert f"in another unit than the first rows in column 't' at {place} of" in refusal(path)
    traces = ic.read.table(path, bad_rows=tmp_path / "bad.csv")
    assert traces.t.tolist() == [1_700_000_000 + i for i in range(1_000) if i != at]
    assert traces.ledger.steps[0].dropped == {"a time in another unit than the first rows": 1}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("at", [0, 49, 700])
@pytest.mark.parametrize("odd", ["NA", "17_00000049", "epoch"])
def test_one_word_among_epochs_is_the_one_set_aside(tmp_path, odd, at, packed):
    t = [odd if i == at else str(1_700_000_000 + i) for i in range(1_000)]
    text = ("uid,t,lat,lon\n" + "".join(f"1,{second},52,5\n" for second in t)).encode()
    path = written(tmp_path, gzip.compress(text) if packed else text, "trips.csv.gz" if packed else "trips.csv")
    assert f"no number in column 't' at line {at + 2} of {path};" in refusal(path)
    traces = ic.read.table(path, bad_rows=tmp_path / "bad.csv")
    assert traces.records == 999 and traces.ledger.steps[0].dropped == {"no number": 1}


def test_numbers_with_underscores_and_words_for_times(tmp_path):
    rows = ["u_1,2024-01-01,5_2,5", "u_1,2024-01-01,52,5_0.5", "u_1,epoch,52,5", "u_1,infinity,52,5", "u_1,now,52,5"]
    path = written(tmp_path, HEAD + GOOD + "\n".join(rows) + "\n")
    traces = ic.read.table(path, bad_rows=tmp_path / "bad.csv")
    assert traces.users.tolist() == ["u1"]
    assert list(traces.ledger.steps[0].dropped.values()) == [2, 3]
    frame = pa.table({"uid": [1], "t": [1], "lat": ["5_2"], "lon": ["5"]})
    assert "no number in column 'lat' at row 0" in refusal(frame)
    labels = written(tmp_path, HEAD + GOOD.replace("u1", "u_1"), "labels.csv")
    assert ic.read.table(labels).users.tolist() == ["u_1"]


def test_a_null_character_makes_no_second_user_of_the_same_name(tmp_path):
    path = written(tmp_path, HEAD + GOOD + GOOD.replace("u1", "u1\0") + GOOD.replace("u1", "u\x001"))
    assert f"a null character in column 'uid' at line 3 of {path} (2 such rows so far);" in refusal(path)
    traces = ic.read.table(path, bad_rows=tmp_path / "bad.csv")
    assert traces.users.tolist() == ["u1"] and traces.ledger.steps[0].dropped == {"a null character": 2}
    frame = pa.table({"uid": [None, "a", "a\0"], "t": [1, 2, 3], "lat": [1, 2, 3], "lon": [1, 2, 3]})
    assert "a null character in column 'uid' at row 1" in refusal(frame[1:])
    hive = tmp_path / "user=a%00"
    hive.mkdir()
    pq.write_table(pa.table({"t": [1], "lat": [1.0], "lon": [1.0]}), hive / "0.parquet")
    assert "a null character" in refusal(hive / "0.parquet")


@pytest.mark.parametrize("ends", ["LCL", "CLL", "LLC", "CCL", "LRL"])
def test_line_ends_that_change_are_named(tmp_path, ends):
    lines = zip([HEAD, GOOD, GOOD], ends, strict=True)
    text = "".join(line.replace("\n", {"L": "\n", "C": "\r\n", "R": "\r"}[end]) for line, end in lines)
    odd = next(i for i, end in enumerate(ends, 1) if end != ends[0])
    written(tmp_path, HEAD + GOOD, "a.csv")
    for path in (written(tmp_path, text, "b.csv"), written(tmp_path, gzip.compress(text.encode()), "b.csv.gz")):
        for options in ({}, {"bad_rows": tmp_path / "bad.csv"}):
            assert f"line {odd} of {path} ends otherwise than the lines before it" in refusal(path, **options)
    assert f"line {odd} of {tmp_path / 'b.csv'} ends" in refusal([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_files_of_other_nouns_and_options_that_do_not_fit(tmp_path):
    visits = ic.Visits.from_arrays([1], [0], [0]).save(tmp_path / "visits.parquet")
    assert "holds Visits, not Traces; give the trajectories it was made from, or load it in Python" in refusal(visits)
    frame = pa.table({"user": ["a"], "t": [0], "lon": [1.0], "lat": [1.0]})
    for noted in (b"not json", b"[1]", b"[" * 9_999, b"{}", b'{"noun": "Traces"}', b'{"noun": "Traces", "ledger": 7}'):
        assert "description that incrowd saved in" in refusal(frame.replace_schema_metadata({"incrowd": noted}))
    sweep = frame.replace_schema_metadata({"incrowd": b'{"noun": "Sweep"}'})
    assert "the data frame holds the result 'Sweep', not data" in refusal(sweep)
    for geo in (b"junk", b"[]", b"{}", b'{"primary_column": "g", "columns": {"g": {"encoding": "WKB"}}}'):
        located = frame.replace_schema_metadata({"geo": geo})
        assert "'geo' metadata that are not GeoParquet's; pass columns" in refusal(located)
        assert ic.read.table(located, {"lon": "lon", "lat": "lat"}).records == 1
    traces = ic.Traces.from_arrays([1], [0], [0], [0])
    saved = traces.save(tmp_path / "traces.parquet")
    path = written(tmp_path, HEAD + GOOD)
    for source, options, text in [
        (saved, {"columns": {"lat": "lat"}}, "describes its columns"),
        (path, {"columns": {"latitude": "y"}}, "unknown column 'latitude'"),
        (path, {"columns": {"x": "x"}}, "both x and y"),
        (path, {"time_zone": "Mars/Olympus"}, "unknown time_zone 'Mars/Olympus'"),
        (path, {"time_zone": "../etc/passwd"}, "unknown time_zone"),
        (path, {"layout": "geolive"}, "unknown layout 'geolive'; choose from geolife"),
        (path, {"order": "random"}, "unknown order"),
        (path, {"bad_rows": path}, "exists; choose another name"),
        (path, {"bad_rows": tmp_path / "none" / "bad.csv"}, "does not exist"),
    ]:
        with pytest.raises(ic.ParameterError, match=text):
            ic.read.table(source, **options)
    mixed = [saved, ic.Traces.from_arrays([1], [0], x=[0], y=[0]).save(tmp_path / "metres.parquet")]
    assert "in other coordinates" in refusal(mixed)


def test_a_gpx_bomb_is_refused_before_it_grows(tmp_path):
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "lol" * 10}">' for i in range(9))
    bomb = f'<?xml version="1.0"?><!DOCTYPE gpx [{entities}]><gpx><wpt lat="1" lon="1"><time>&e8;</time></wpt></gpx>'
    tracemalloc.start()
    assert "declares a document type or entities" in refusal(written(tmp_path, bomb, "a.gpx"))
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()
    assert "not well-formed XML at line 1" in refusal(written(tmp_path, "<gpx><trk>", "b.gpx"))
    point = (
        '<gpx>\n<trk><trkseg>\n<trkpt lat="91" lon="5"><time>2024-01-01T00:00:00Z</time></trkpt></trkseg></trk></gpx>'
    )
    assert "a latitude outside [-90, 90] in column 'lat' at line 3 of" in refusal(written(tmp_path, point, "c.gpx"))

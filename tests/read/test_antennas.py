"""Call records that name an antenna -> traces at the place of that antenna."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic

CALLS = """msisdn,call_start,cell_id
31600,2024-03-01T08:00:00,A1
31601,2024-03-01T08:05:00,B2
31600,2024-03-01T09:00:00,B2
"""
ANTENNAS = "cell_id,lon,lat\nA1,5.1,52.1\nB2,5.2,52.2\nC3,5.3,52.3\n"


@pytest.fixture
def calls(tmp_path):
    (tmp_path / "antennas.csv").write_text(ANTENNAS)
    path = tmp_path / "calls.csv"
    path.write_text(CALLS)
    return path


def read(calls, text=None, antennas=None, **more):
    if text is not None:
        calls.write_text(text)
    return ic.read.table(calls, antennas=calls.with_name("antennas.csv") if antennas is None else antennas, **more)


def places(ids, of=("7", "8"), lon=(5.1, 5.2)):
    """The longitude that each id of some records gets, nan where the record is refused."""
    table = pa.table({"cell": of, "lon": lon, "lat": [52.0] * len(of)})
    found = []
    for one in ids:
        frame = pa.table({"user": ["a"], "t": [0], "cell": [one]})
        try:
            found.append(ic.read.table(frame, antennas=table).lon[0])
        except ic.DataError:
            found.append(None)
    return found


def test_each_record_takes_the_place_of_its_antenna(calls):
    traces = read(calls)
    assert traces.users.tolist() == [31600, 31601]
    assert traces.lon.tolist() == [5.1, 5.2, 5.2] and traces.lat.tolist() == [52.1, 52.2, 52.2]
    assert not traces.planar


@pytest.mark.parametrize("kind", ["parquet", "frame"])
def test_antennas_and_records_may_be_parquet_or_frames(calls, kind):
    frames = [
        pa.table({"user": ["a", "b"], "t": [60, 0], "antenna": [2, 1]}),
        pa.table({"antenna": [1.0, 2.0], "longitude": [5.1, 5.2], "latitude": [52.1, 52.2]}),
    ]
    if kind == "parquet":
        for i, frame in enumerate(frames):
            pq.write_table(frame, calls.with_name(f"{i}.parquet"))
        frames = [calls.with_name(f"{i}.parquet") for i in range(2)]
    assert ic.read.table(frames[0], antennas=frames[1]).lon.tolist() == [5.2, 5.1]


def test_metres_are_metres_and_small_ones_are_asked_about(calls):
    table = pa.table({"id": ["A1", "B2"], "x": [155000, 156000], "y": [463000, 463500]})
    traces = read(calls, antennas=table)
    assert traces.planar and traces.x.tolist() == [155000, 156000, 156000]
    small = pa.table({"id": ["A1", "B2"], "x": [5.1, 5.2], "y": [52.1, 52.2]})
    with pytest.raises(ic.DataError, match=r"may be degrees.*--column lon=x.*--column x=x --column y=y"):
        read(calls, antennas=small)
    assert read(calls, antennas=small, columns={"lon": "x", "lat": "y"}).lon.tolist() == [5.1, 5.2, 5.2]
    assert read(calls, antennas=small, columns={"x": "x", "y": "y"}).x.tolist() == [5.1, 5.2, 5.2]


def test_ids_match_as_written_before_they_match_as_numbers():
    assert places(["007", "7", "7.0", "8 ", "9", "7a"]) == [5.1, 5.1, 5.1, 5.2, None, None]
    assert places(["007", "7", "07"], of=("007", "7")) == [5.1, 5.2, None]  # 07 may be either
    assert places([7, 8]) == [5.1, 5.2]
    assert places([7.0, 8.5]) == [5.1, None]


def test_an_unknown_antenna_is_refused_with_a_count(calls):
    with pytest.raises(ic.DataError) as caught:
        read(calls, CALLS + "31602,2024-03-01T10:00:00,Z9\n31602,2024-03-01T10:00:00,Y9\n")
    said = str(caught.value)
    assert "not in the table of antennas in column 'cell_id' at line 5 of" in said and "(2 such rows so far)" in said
    assert "Z9" not in said


def test_unknown_and_missing_antennas_are_set_aside_and_accounted_for(calls):
    aside = calls.with_name("bad.csv")
    traces = read(calls, CALLS + "31602,2024-03-01T10:00:00,Z9\n31602,2024-03-01T10:00:00,\n", bad_rows=aside)
    step = traces.ledger.steps[0]
    assert (step.read, step.kept) == (5, 3)
    assert step.dropped == {"an antenna id that is not in the table of antennas": 1, "no antenna id": 1}
    assert [line.split(",")[2] for line in aside.read_text().splitlines()[1:]] == ["5", "6"]


def test_streaming_and_discretizers_read_the_same(calls, tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{rng.integers(9)},{t},{'ABC'[rng.integers(3)]}{rng.integers(1, 4)}" for t in range(4000)]
    calls.write_text("msisdn,call_start,cell_id\n" + "\n".join(rows) + "\n")
    antennas = tmp_path / "grid.csv"
    places = [f"{a}{i},{5 + 0.1 * i},{52 + 0.1 * j}" for j, a in enumerate("ABC") for i in range(1, 4)]
    antennas.write_text("tower_id;longitude;latitude\n" + "\n".join(places).replace(",", ";") + "\n")
    whole = ic.read.table(calls, antennas=antennas)
    parts = ic.read.parts(calls, antennas=antennas, memory_mb=0.05)
    pieces = list(parts)
    assert len(pieces) > 1 and parts.box == (5.1, 52.0, 5.3, 52.2)
    for where, traces in pieces:
        for at, u in enumerate(where):
            mine, theirs = slice(*traces.offsets[at : at + 2]), slice(*whole.offsets[u : u + 2])
            assert traces.lon[mine].tolist() == whole.lon[theirs].tolist()
    visits = ic.discretize.grid(calls, antennas=antennas, cell_m=500, slot_min=60, memory_mb=0.05)
    assert visits.cell.tolist() == ic.discretize.grid(whole, cell_m=500, slot_min=60).cell.tolist()


def test_a_file_of_antenna_ids_without_places_names_the_option(calls):
    with pytest.raises(ic.DataError, match=r"'lon' is missing.*'cell_id'.*pass antennas=TABLE \(--antennas FILE\)"):
        ic.read.table(calls)
    with pytest.raises(ic.ParameterError, match="--antennas FILE"):
        ic.read.table(calls, {"cell": "cell_id"})


def test_columns_of_both_tables_are_named_by_role(calls):
    table = pa.table({"cgi": ["A1", "B2"], "oost": [5.1, 5.2], "noord": [52.1, 52.2]})
    traces = read(
        calls, CALLS.replace("cell_id", "mast"), table, columns={"cell": "mast", "lon": "oost", "lat": "noord"}
    )
    assert traces.lon.tolist() == [5.1, 5.2, 5.2]
    body = CALLS.partition("\n")[2]
    by_position = {"user": 0, "t": 1, "cell": 2}
    assert read(calls, body, columns=by_position).lon.tolist() == [5.1, 5.2, 5.2]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"name": ["A1", "B2"], "lon": [5, 6], "lat": [52, 52]}, r"no column of antenna ids \(has: name, lon, lat\)"),
        ({"cell_id": ["A1", None], "lon": [5, 6], "lat": [52, 52]}, "an antenna id is missing at row 1"),
        ({"cell_id": ["A1", "B2"], "lat": [52, 52]}, "no column for lon"),
        ({"cell_id": ["A1", "B2"], "lon": [52, 5], "lat": [5, 152]}, "latitude outside"),
        ({"cell_id": [], "lon": [], "lat": []}, "no row"),
    ],
)
def test_tables_of_antennas_that_cannot_be_used_are_refused(calls, table, words):
    with pytest.raises(ic.DataError, match=words):
        read(calls, antennas=pa.table(table))


def test_an_antenna_listed_twice_at_one_place_is_one(calls):
    table = pa.table({"cell_id": ["A1", "B2", "A1"], "lon": [5.1, 5.2, 5.1], "lat": [52, 52, 52]})
    assert read(calls, antennas=table).lon.tolist() == [5.1, 5.2, 5.2]


def test_what_knows_its_places_takes_no_antennas(calls):
    saved = calls.with_name("saved.parquet")
    read(calls).save(saved)
    with pytest.raises(ic.ParameterError, match="leave columns, layout, time_format, decimal and antennas out"):
        ic.read.table(saved, antennas=calls.with_name("antennas.csv"))
    with pytest.raises(ic.ParameterError, match="Traces need none"):
        ic.discretize.grid(read(calls), antennas=pa.table({"cell": [1], "lon": [5], "lat": [52]}))


def test_ids_are_trimmed_alike_on_both_sides():
    places = pa.table({"cell": ["7\t", "\u00a0b"], "lon": [5.1, 5.2], "lat": [52.1, 52.2]})
    records = pa.table({"user": [1] * 4, "t": [0, 60, 120, 180], "cell": ["7", "\t7", "b\u00a0", "\u2003b "]})
    assert ic.read.table(records, antennas=places).lon.tolist() == [5.1, 5.1, 5.2, 5.2]


def test_categories_of_views_name_antennas():
    polars = pytest.importorskip("polars")
    ids = polars.Series(["p", "q"], dtype=polars.Categorical)
    places = polars.DataFrame({"cell": ids, "lon": [5.1, 5.2], "lat": [52.1, 52.2]})
    records = polars.DataFrame({"user": [1, 1], "t": [1_700_000_000, 1_700_000_060], "cell": ids})
    assert ic.read.table(records, antennas=places).lon.tolist() == [5.1, 5.2]


def test_a_layout_with_places_takes_no_antennas(tmp_path):
    (tmp_path / "1.txt").write_text("1,2008-02-02 15:36:08,116.5,39.9\n")
    with pytest.raises(ic.ParameterError, match="read by name; leave antennas out"):
        ic.read.table(tmp_path / "1.txt", layout="tdrive", antennas=pa.table({"cell": [1], "lon": [5], "lat": [52]}))

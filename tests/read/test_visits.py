"""Tables of user, cell, slot -> Visits."""

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.read._kind import holding


def is_visits(source, columns=None):
    return holding(source, columns).noun == "Visits"


ROWS = "user,cell,slot\nb,3,0\na,3,1\nb,4,2\n"


def written(folder, text, name="visits.csv"):
    path = folder / name
    path.write_text(text)
    return path


def test_a_table_of_visits_is_read(tmp_path):
    visits = ic.read.visits(written(tmp_path, ROWS), slot_min=30)
    assert (
        visits.users.tolist() == ["b", "a"] and visits.cell.tolist() == [3, 4, 3] and visits.slot.tolist() == [0, 2, 1]
    )
    assert visits.slot_min == 30 and visits.xy is None
    assert visits.ledger.steps[0].read == 3


def test_what_is_saved_as_csv_is_read_back(tmp_path):
    made = ic.Visits.from_arrays(
        [7, 7, 8], cell=[0, 1, 1], slot=[0, 1, 1], slot_min=60, attributes={"job": ["x", None]}
    )
    path = made.save(tmp_path / "visits.csv")
    again = ic.read.visits(path, slot_min=60, attributes=("job",))
    assert again.users.tolist() == [7, 8] and again.attributes["job"].tolist() == ["x", None]
    assert (again.cell == made.cell).all() and (again.slot == made.slot).all()


def test_labels_stay_as_they_are_written(tmp_path):
    assert ic.read.visits(written(tmp_path, ROWS.replace("a", "007"))).users.tolist() == ["b", "007"]
    assert ic.read.visits(written(tmp_path, "uid;cell;slot\n7;0;0\n07;0;0\n")).users.tolist() == ["7", "07"]
    frame = pa.table({"rider": ["z"], "cell": [0], "slot": [0]})
    assert ic.read.visits(frame, columns={"user": "rider"}).users.tolist() == ["z"]


def test_places_come_from_a_table_of_their_own(tmp_path):
    cells = pa.table({"cell": [3, 4, 0], "x": [1000, 2000, 0], "y": [500, 500, 0]})
    visits = ic.read.visits(written(tmp_path, ROWS), slot_min=30, antennas=cells)
    assert visits.xy[[0, 3, 4]].tolist() == [[0, 0], [1000, 500], [2000, 500]] and np.isnan(visits.xy[1:3]).all()
    degrees = pa.table({"cell": [3, 4], "lon": [5.0, 5.0], "lat": [52.0, 52.001]})
    placed = ic.read.visits(written(tmp_path, ROWS), antennas=degrees)
    assert np.hypot(*np.diff(placed.xy[3:5], axis=0)[0]) == pytest.approx(111, abs=1) and "laea" in placed.crs
    with pytest.raises(ic.DataError, match="1 cells have no place"):
        ic.read.visits(written(tmp_path, ROWS), antennas=pa.table({"cell": [3], "lon": [5], "lat": [52]}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ROWS + ",3,1\n", "user is missing at row 3"),
        (ROWS + "a,3.5,1\n", "cell is not a whole number at row 3"),
        (ROWS + "a,3,noon\n", "slot is not a number at row 3"),
        ("user,cell,slot\n", "no row"),
        ("cell,slot\n1,2\n", "'user' is missing"),
    ],
)
def test_what_is_no_visit_is_refused(tmp_path, text, words):
    with pytest.raises(ic.DataError, match=words):
        ic.read.visits(written(tmp_path, text))


def test_only_cells_and_slots_without_times_are_visits(tmp_path):
    assert is_visits(written(tmp_path, ROWS)) and is_visits(str(written(tmp_path, ROWS, "visits.tsv")))
    assert not is_visits(written(tmp_path, "user,cell,slot,time\n"))
    assert not is_visits(written(tmp_path, "user,t,lon,lat\n")) and not is_visits(tmp_path / "none.csv")
    assert not is_visits([tmp_path / "visits.tsv"]) and not is_visits(written(tmp_path, ROWS, "visits.xyz"))


@pytest.mark.parametrize(
    ("users", "words"),
    [
        ([1.2, 1.7], "user is not a whole number at row 0"),
        ([1.0, float("nan")], "user is missing or infinite at row 1"),
        ([1e300, 1.0], "user overflows"),
        ([1, None], "user is missing at row 1"),
        (pa.array([None, None], pa.string()), "user is missing at row 0"),
        (pa.nulls(2), "user is missing at row 0"),
        (["a", "a\0"], "user holds a null character at row 1"),
        ([True, None], "user is missing at row 1"),
    ],
)
def test_labels_that_would_merge_people_are_refused(users, words):
    with pytest.raises(ic.DataError, match=words):
        ic.read.visits(pa.table({"user": users, "cell": [1, 2], "slot": [0, 0]}))


def test_whole_floats_are_labels_and_large_numbers_stay_exact():
    table = pa.table({"user": [1.0, 2.0], "cell": [2**60, 2**60 + 1], "slot": [0, 0]})
    visits = ic.read.visits(table)
    assert visits.users.tolist() == [1, 2] and visits.cell.tolist() == [2**60, 2**60 + 1]


def test_a_large_number_in_text_is_not_called_a_fraction(tmp_path):
    with pytest.raises(ic.DataError, match="cell is too large a number at row 0"):
        ic.read.visits(written(tmp_path, f"user,cell,slot\na,{2**60},0\n"))


def test_categories_of_views_are_read_in_every_chunk():
    polars = pytest.importorskip("polars")

    def part(*names):
        users = polars.Series(names, dtype=polars.Categorical)
        return polars.DataFrame({"user": users, "cell": [1, 2], "slot": [0, 0]})

    frame = polars.concat([part("b", "a"), part("c", "b")], rechunk=False)
    assert ic.read.visits(frame).users.tolist() == ["b", "a", "c"]


def test_columns_are_found_by_role_as_the_message_says():
    table = pa.table({"user": ["a"], "site": [3], "period": [5], "Job Title": ["x"]})
    with pytest.raises(ic.DataError, match=r"columns=\{'slot': NAME\} .*--column slot=period"):
        ic.read.visits(table)
    visits = ic.read.visits(table, columns={"slot": "period"}, attributes=("job_title",))
    assert (visits.cell.tolist(), visits.slot.tolist()) == ([3], [5])
    assert visits.attributes["job_title"].tolist() == ["x"]
    for wrong, words in (({"t": "period"}, "unknown column 't' of visits"), ({"slot": 2}, "given by name")):
        with pytest.raises(ic.ParameterError, match=words):
            ic.read.visits(table, columns=wrong)


def test_two_columns_for_one_role_are_refused_until_one_is_named():
    table = pa.table({"user": ["a"], "cell": [1], "Cell": [2], "slot": [0], "cell_id": [9]})
    with pytest.raises(ic.DataError, match="2 columns for cell"):
        ic.read.visits(table)
    assert ic.read.visits(table, columns={"cell": "Cell"}).cell.tolist() == [2]
    assert ic.read.visits(table.drop_columns("Cell")).cell.tolist() == [1]


def test_what_incrowd_saved_keeps_its_description(tmp_path):
    made = ic.Visits.from_arrays(["a"], [1], [0], slot_min=60, start=3600, xy=[[0, 0], [5, 5]])
    path = made.save(tmp_path / "visits.parquet")
    again = ic.read.visits(str(path), slot_min=60)
    assert (again.slot_min, again.start, again.xy.tolist()) == (60, 3600, [[0, 0], [5, 5]])
    for how in ({"slot_min": 30}, {"columns": {"user": "user"}}, {"attributes": ("job",)}, {"antennas": "cells.csv"}):
        with pytest.raises(ic.ParameterError, match="describes its slots and columns"):
            ic.read.visits(path, **how)
    ic.Counts.from_arrays([[1]] * 24, [[0, 0]], slot_min=60).save(tmp_path / "counts.parquet")
    with pytest.raises(ic.DataError, match="holds Counts, not Visits"):
        ic.read.visits(tmp_path / "counts.parquet")


def test_only_csv_leaves_blank_what_is_missing(tmp_path):
    frame = pa.table({"user": ["a", "b"], "cell": [1, 1], "slot": [0, 0], "job": ["", None]})
    assert ic.read.visits(frame, attributes=("job",)).attributes["job"].tolist() == ["", None]
    file = written(tmp_path, "user,cell,slot,job\na,1,0,\n")
    assert ic.read.visits(file, attributes=("job",)).attributes["job"].tolist() == [None]


def test_cells_that_no_table_can_place_are_counted():
    cells = pa.table({"cell": [1], "x": [1000], "y": [500]})
    for cell in (-1, 10_000_000):
        with pytest.raises(ic.DataError, match="1 visits are to cells outside 0 to 9,999,999"):
            ic.read.visits(pa.table({"user": ["a", "a"], "cell": [1, cell], "slot": [0, 0]}), antennas=cells)


def test_named_times_make_trajectories_and_named_slots_visits(tmp_path):
    both = written(tmp_path, "imsi,when,breedte,lengte,cell,slot\n")
    assert is_visits(both) and not is_visits(both, {"t": "when"})
    other = written(tmp_path, "user,cell,time\n", "other.csv")
    assert not is_visits(other) and is_visits(other, {"slot": "time"})


def test_visits_that_are_read_as_trajectories_are_told(tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    for name in "ab":
        written(folder, ROWS, f"{name}.csv")
    for source in (folder, [folder / "a.csv", folder / "b.csv"]):
        with pytest.raises(ic.DataError, match=r"these are visits: read them with incrowd\.read\.visits"):
            ic.read.table(source)


def test_cells_are_numbered_by_the_rows_of_their_table_as_counts_are(tmp_path):
    cells = tmp_path / "stations.csv"
    cells.write_text("station,lon,lat\nS-07,5.0,52.0\nS-03,5.1,52.0\n1204,5.0,52.1\n")
    rows = pa.table({"user": ["a", "a", "b"], "station": ["1204", "S-07", "S-07"], "slot": [0, 1, 0]})
    counted = pa.table({"slot": [0, 0, 1], "station": ["S-07", "1204", "S-07"], "n": [1, 1, 1]})
    made, counts = ic.read.visits(rows, cells=cells, slot_min=60), ic.read.counts(counted, cells, slot_min=60)
    assert made.cell.tolist() == [2, 0, 0] and made.slot.tolist() == [0, 1, 0]
    np.testing.assert_array_equal(made.xy, counts.xy)
    assert "+lat_0=52 +lon_0=5 " in made.crs
    with pytest.raises(ic.ParameterError, match="leave antennas out"):
        ic.read.visits(rows, cells=cells, antennas=cells)
    with pytest.raises(ic.DataError, match=r"cell is not among the 3 cells at row 1 \(1 such row\)"):
        ic.read.visits(pa.table({"user": ["a", "a"], "cell": ["S-07", "S-08"], "slot": [0, 1]}), cells=cells)


def test_visits_to_stations_are_visits(tmp_path):
    path = tmp_path / "v.csv"
    for header, expected in (("user,station,slot", True), ("user,shop,slot", False), ("user,station,time", False)):
        path.write_text(f"{header}\na,S-07,1\n")
        assert is_visits(path) == expected

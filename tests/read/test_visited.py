"""Tables of user, cell, slot -> Visits."""

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.read.visited import is_visits

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
        (ROWS + "a,3.5,1\n", "cell is no whole number at row 3"),
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

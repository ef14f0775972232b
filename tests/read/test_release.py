from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd.data.release_folder import folder_of
from incrowd.read._kind import Holding, holding

VISITS = ic.Visits.from_arrays([1, 1, 2], [0, 2, 2], [0, 1, 1], slot_min=60, start=0, xy=[[0, 0], [9, 9], [5000, 0]])


def test_a_release_comes_back_with_its_places(tmp_path):
    made = ic.anonymize.Cut(window_h=24)(VISITS)
    back = ic.read.release(ic.anonymize.publish(made, tmp_path / "release"))
    assert back.cell.tolist() == made.data.cell.tolist() and back.slot_min == 60
    assert back.xy[[0, 2]].tolist() == [[0, 0], [5000, 0]] and np.isnan(back.xy[1]).all()
    assert ic.measure.utility(VISITS, back).visits_shared == 1


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(ic.DataError, match=r"manifest\.json"):
        ic.read.release(tmp_path)


def in_csv(made, folder):
    return ic.anonymize.publish(made, folder / "release", file="csv")


def test_visits_come_back_from_csv(tmp_path):
    told = {"job": ['a, "b"\nc', None], "note": ["", "007"]}
    placed = ic.Visits.from_arrays(
        [0, 0, 1], [0, 2, 2], [0, 1, 1], slot_min=60, start=3600, xy=[[0, 0], [9, 9], [5000, 0]], attributes=told
    )
    made = ic.Release.from_arrays(replace(placed, time_zone="Europe/Amsterdam", cell_m=500.0), members=[[0], [1]])
    back = ic.read.release(in_csv(made, tmp_path))
    assert {name: values.tolist() for name, values in back.columns().items()} == {
        name: values.tolist() for name, values in made.data.columns().items()
    }
    assert back.users.dtype == np.int64
    assert (back.slot_min, back.start, back.time_zone, back.cell_m) == (60, 3600, "Europe/Amsterdam", 500)
    assert back.xy[[0, 2]].tolist() == [[0, 0], [5000, 0]] and np.isnan(back.xy[1]).all()


def test_fingerprints_come_back_from_csv(tmp_path):
    prints = ic.Fingerprints.from_arrays([1, 2, 3], [0, 100, 0], [0, 0, 900], [5, 6, 7], start=60)
    made = ic.anonymize.Glove(k=2)(prints)
    back = ic.read.release(in_csv(made, tmp_path))
    assert isinstance(back, ic.Fingerprints) and back.start == 60 and back.crowd.tolist() == made.data.crowd.tolist()
    assert all(getattr(back, name).tolist() == getattr(made.data, name).tolist() for name in made.data.ROWS)


@pytest.mark.parametrize("places", [("lon", "lat"), ("x", "y")])
def test_traces_come_back_from_csv_to_the_last_bit(places, tmp_path):
    first, second = np.array([0.1 + 0.2, 5.0]), np.array([1 / 3, -1e-17])
    traces = ic.Traces.from_arrays([0, 1], [1_700_000_000, 0], **dict(zip(places, (first, second), strict=True)))
    back = ic.read.release(in_csv(ic.Release.from_arrays(traces, members=[[0], [1]]), tmp_path))
    assert back.users.tolist() == [0, 1] and back.t.tolist() == traces.t.tolist()
    assert [column.tolist() for column in back.coordinates] == [first.tolist(), second.tolist()]


@pytest.mark.parametrize("text", ["", "user,cell\n0,1\n", "user,cell,slot\n0,ann,1\n", "user,cell,slot\n,0,1\n"])
def test_another_table_in_csv_is_refused_without_a_word_of_it(text, tmp_path):
    folder = in_csv(ic.anonymize.Cut(window_h=24)(VISITS), tmp_path)
    (folder / "data.csv").write_text(text)
    with pytest.raises(ic.DataError) as refused:
        ic.read.release(folder)
    assert "ann" not in str(refused.value)


def test_a_manifest_of_something_else_is_no_release(tmp_path):
    (tmp_path / "manifest.json").write_text('{"noun": "Visits", "format": "other/1"}')
    (tmp_path / "data.csv").write_text("user,cell,slot\n0,1,1\n")
    assert not holding(tmp_path / "data.csv").published and folder_of(tmp_path / "data.csv") == tmp_path


def test_the_manifest_names_the_noun_of_a_csv_alone(tmp_path):
    """Parquet says it itself, and a file beside the table is no release."""
    visits = ic.Visits.from_arrays([1, 2], cell=[4, 4], slot=[0, 0], slot_min=60, start=0)
    folder = ic.anonymize.publish(ic.anonymize.Cut(window_h=1)(visits), tmp_path / "release", file="csv")
    assert holding(folder / "data.csv") == Holding("Visits", published=True)
    assert holding(folder / "data.parquet").noun is None and holding(folder / "cells.csv").noun is None


@pytest.mark.parametrize("file", ["csv", "parquet"])
def test_counts_come_back_with_their_places_and_their_clock(file, tmp_path):
    counts = ic.Counts.from_arrays([[2, 0, 1], [0, 3, 0]], [[0, 0], [9, 9], [5000, 0]], slot_min=720, start_min=60)
    folder = ic.anonymize.publish(ic.Release.from_arrays(counts, members=[]), tmp_path / "release", file=file)
    back = ic.read.release(folder)
    assert back.n.tolist() == counts.n.tolist() and back.xy.tolist() == counts.xy.tolist()
    assert (back.slot_min, back.start_min) == (720, 60) and ic.read.kind(folder / f"data.{file}") == "release"

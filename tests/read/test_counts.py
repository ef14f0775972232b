"""Published counts from tables of other people's making."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic

XY = [[0, 0], [500, 0], [0, 500]]


def table(**columns):
    return pa.table({"slot": [0, 0, 1], "cell": [0, 1, 1], "n": [2, 1, 3], **columns})


def csv(tmp_path, text, name="counts.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_rows_that_are_not_there_are_0_and_the_ledger_closes():
    made = ic.read.counts(table(), XY, slot_min=360)
    assert made.n.tolist() == [[2, 1, 0], [0, 3, 0], [0] * 3, [0] * 3]
    step = made.ledger.steps[0]
    assert (step.read, step.kept, step.created) == (3, 12, {"no row, taken as 0": 9})
    assert (made.slot_min, made.start_min, made.whole) == (360, 0, True)
    assert ic.read.counts(table(), XY, start_min=90).start_min == 90
    assert ic.read.counts(table(), XY).slot_min == 30


def test_suppressed_counts_are_0_unless_said_otherwise(tmp_path):
    text = "slot,cell,n\n0,0,2\n0,1,<5\n0,2,\n1,0,*\n1,1, <= 10\n1,2,7\n"
    made = ic.read.counts(csv(tmp_path, text), XY, slot_min=720)
    assert made.n.tolist() == [[2, 0, 0], [0, 0, 7]]
    assert made.ledger.steps[0].notes["suppressed counts"] == 4
    halves = ic.read.counts(csv(tmp_path, text), XY, slot_min=720, suppressed=2.5)
    assert halves.n.tolist() == [[2, 2.5, 2.5], [2.5, 2.5, 7]]
    nulls = ic.read.counts(table(n=[2, None, 3]), XY, slot_min=720)
    assert nulls.n.tolist() == [[2, 0, 0], [0, 3, 0]] and nulls.ledger.steps[0].notes["suppressed counts"] == 1


def test_noisy_counts_stay_as_published():
    made = ic.read.counts(table(n=[2.25, -1.0, 3.0]), XY, slot_min=720)
    assert made.n.tolist() == [[2.25, -1, 0], [0, 3, 0]] and not made.whole
    assert made.ledger.steps[0].notes == {
        "suppressed counts": 0,
        "negative counts": 1,
        "counts that are not whole": 1,
    }


def test_cells_of_the_table_itself_are_in_the_order_of_their_labels(tmp_path):
    text = "time;tower_id;count;x;y\n0;10;1;7;7\n0;9;2;5;5\n1;10;3;7;7\n"
    made = ic.read.counts(csv(tmp_path, text), slot_min=720)
    assert made.xy.tolist() == [[5, 5], [7, 7]] and made.n.tolist() == [[2, 1], [0, 3]]
    named = ic.read.counts(csv(tmp_path, text.replace("10", "quay").replace("9", "mill")), slot_min=720)
    assert named.n.tolist() == [[2, 1], [0, 3]]


def test_labels_of_one_number_stay_in_the_order_of_their_texts(tmp_path):
    names = [f"{n % 20:0{2 + n // 20}d}" for n in range(100)]  # 00, 000, ... : five texts for every number
    text = "slot,cell,n,x,y\n" + "".join(f"0,{name},1,{i},0\n" for i, name in enumerate(names))
    made = ic.read.counts(csv(tmp_path, text), slot_min=1440)
    assert made.xy[:, 0].tolist() == sorted(range(100), key=lambda i: (int(names[i]), names[i]))


def test_a_table_of_cells_numbers_them_and_labels_stay_text(tmp_path):
    rows = csv(tmp_path, "slot,cell,n\n0,007,1\n0,7,2\n")
    cells = csv(tmp_path, "cell,x,y\n7,5,5\nempty,1,1\n007,0,0\n", "cells.csv")
    made = ic.read.counts(rows, cells, slot_min=1440)
    assert made.n.tolist() == [[2, 0, 1]] and made.xy.tolist() == [[5, 5], [1, 1], [0, 0]]
    unnamed = csv(tmp_path, "lat,lon\n52,5\n52.01,5\n", "places.csv")
    placed = ic.read.counts(table(), unnamed)
    assert np.hypot(*(placed.xy[1] - placed.xy[0])) == pytest.approx(1112, rel=0.01)


def test_columns_may_be_named(tmp_path):
    rows = csv(tmp_path, "wanneer,waar,hoeveel\n0,a,1\n")
    cells = csv(tmp_path, "waar,x,y\na,5,5\n", "cells.csv")
    names = {"slot": "wanneer", "cell": "waar", "n": "hoeveel"}
    assert ic.read.counts(rows, cells, columns=names, slot_min=1440).n.tolist() == [[1]]


def test_times_are_slots_from_midnight_of_the_first_day():
    moments = [datetime(2024, 1, 31, 23, 30), datetime(2024, 2, 1, 0, 0), datetime(2024, 2, 1, 1, 0)]
    made = ic.read.counts(table(slot=moments), XY)
    assert (made.slot_min, made.start_min, made.shape) == (30, 0, (96, 3))
    assert np.argwhere(made.n).tolist() == [[47, 0], [48, 1], [50, 1]]
    texts = ic.read.counts(table(slot=[str(m) for m in moments]), XY)
    assert texts.n.tolist() == made.n.tolist()
    hours = ic.read.counts(table(slot=moments), XY, slot_min=60)
    assert np.argwhere(hours.n).tolist() == [[23, 0], [24, 1], [25, 1]]


def test_times_with_an_offset_follow_the_wall_clock_of_the_zone():
    zone = timezone(timedelta(hours=-3))
    moments = [datetime(2024, 1, 31, h, 0, tzinfo=zone) for h in (20, 21, 22)]
    at = {name: ic.read.counts(table(slot=moments), XY, time_zone=name) for name in (None, "Europe/Amsterdam")}
    assert np.argwhere(at[None].n)[:, 0].tolist() == [23, 24, 25]
    assert np.argwhere(at["Europe/Amsterdam"].n)[:, 0].tolist() == [0, 1, 2]


def test_a_file_of_our_own_is_known(tmp_path):
    made = ic.Counts.from_arrays([[1, 2]], xy=[[0, 0], [1, 1]], slot_min=60, start_min=120)
    file = made.save(tmp_path / "counts.parquet")
    again = ic.read.counts(file)
    assert again.n.tolist() == [[1, 2]] and (again.slot_min, again.start_min) == (60, 120)
    with pytest.raises(ic.ParameterError, match="describes its cells"):
        ic.read.counts(file, XY)
    visits = ic.Visits.from_arrays([1], [0], [0]).save(tmp_path / "visits.parquet")
    with pytest.raises(ic.DataError, match="holds Visits, not Counts"):
        ic.read.counts(visits)
    text = ic.read.counts(made.save(tmp_path / "counts.csv"), made.xy, slot_min=1440)
    assert text.n.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("columns", "more", "error", "message"),
    [
        ({"cell": [0, 1, 3]}, {}, ic.DataError, r"not among the 3 cells at row 2 \(1 such row\)"),
        ({"cell": [0, None, 1]}, {}, ic.DataError, "cell is missing at row 1"),
        ({"cell": ["0", " ", "1"]}, {}, ic.DataError, "cell is blank at row 1"),
        ({"slot": [0, -1, -2]}, {}, ic.DataError, r"slot is below 0 at row 1 \(2 such rows\)"),
        ({"slot": [0, None, 1]}, {}, ic.DataError, "slot is missing at row 1"),
        ({"slot": [0.5, 1.0, 2.0]}, {}, ic.DataError, "neither a time nor, throughout, a whole number at row 0"),
        ({"slot": ["0", "noon", "1"]}, {}, ic.DataError, "neither a time nor"),
        ({"slot": ["2024-01-01", "3", "2024-01-02"]}, {}, ic.DataError, "whole number at row 1"),
        ({"slot": ["2024-01-01"] * 3, "cell": [0, 1, 2]}, {}, ic.ParameterError, "pass slot_min"),
        ({"slot": ["2024-01-01", "2024-01-02", "2024-01-03"]}, {"start_min": 0}, ic.ParameterError, "leave start_min"),
        ({"slot": [0, 0, 10**9]}, {}, ic.ParameterError, "too many counts"),
        ({"cell": [0, 1, 1], "slot": [0, 0, 0]}, {}, ic.DataError, "counted again at row 2"),
        ({"n": ["1", "2", "three"]}, {}, ic.DataError, r"n is not a number at row 2 .*blank, \*, .*<5"),
        ({"n": [1.0, np.inf, 2.0]}, {}, ic.DataError, "n is infinite at row 1"),
        ({"n": [1, 2, 3]}, {"suppressed": -1}, ic.ParameterError, "suppressed must be 0 or more"),
        ({}, {"slot_min": 0}, ic.ParameterError, "slot_min"),
        ({}, {"start_min": 1440}, ic.ParameterError, "be in .0, 1439"),
        ({}, {"cells": None}, ic.DataError, "does not state where its cells are"),
        ({}, {"columns": {"n": "many"}}, ic.DataError, "no column for n"),
        ({"lon": [0, 1, 1], "lat": [0, 99, 99]}, {"cells": None}, ic.DataError, "latitude outside"),
    ],
)
def test_what_cannot_be_counted_is_refused(columns, more, error, message):
    with pytest.raises(error, match=message):
        ic.read.counts(table(**columns), **{"cells": XY, **more})


def test_files_that_are_no_tables_are_refused(tmp_path):
    with pytest.raises(ic.DataError, match="does not exist"):
        ic.read.counts(tmp_path / "none.csv", XY)
    with pytest.raises(ic.DataError, match=r"no column for slot \(has: when, cell, n\)"):
        ic.read.counts(csv(tmp_path, "when,cell,n\n0,0,1\n"), XY)
    with pytest.raises(ic.DataError, match="no row"):
        ic.read.counts(csv(tmp_path, "slot,cell,n\n"), XY)
    with pytest.raises(ic.DataError, match="not a readable Parquet file"):
        ic.read.counts(csv(tmp_path, "nonsense", "counts.parquet"), XY)
    with pytest.raises(ic.DataError, match="cannot read a int"):
        ic.read.counts(3, XY)


@settings(deadline=None, max_examples=30)
@given(n=st.lists(st.lists(st.integers(-2, 5), min_size=3, max_size=3), min_size=1, max_size=4), halves=st.booleans())
def test_what_is_written_in_long_form_is_read_back(tmp_path_factory, n, halves):
    full = np.array(n) / (2 if halves else 1)
    slot, cell = np.nonzero(full)
    if not len(slot):
        return
    rows = pa.table({"slot": slot, "cell": cell, "n": full[slot, cell]})
    file = tmp_path_factory.mktemp("counts") / "counts.parquet"
    pq.write_table(rows, file)
    made = ic.read.counts(file, XY, slot_min=1440)
    assert made.n.tolist() == full[: slot.max() + 1].tolist()


@pytest.mark.parametrize(
    "wrong", [{"start_min": "a"}, {"start_min": 0.5}, {"start_min": 1440}, {"suppressed": "a"}, {"suppressed": None}]
)
def test_parameters_of_the_wrong_kind_are_refused(wrong):
    rows = pa.table({"slot": [0], "cell": [0], "n": [1]})
    with pytest.raises(ic.ParameterError, match=next(iter(wrong))):
        ic.read.counts(rows, [[0, 0]], **wrong)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    for body in (b"\xff\xfe\x00,\xd8\n\x80,1\n", b"slot,cell,n\n0,\xff,1\n"):
        (tmp_path / "bin.csv").write_bytes(body)
        with pytest.raises(ic.DataError, match=r"bin\.csv cannot be read as a table; give CSV in UTF-8"):
            ic.read.counts(tmp_path / "bin.csv", [[0, 0]])


def noted(counts):
    known = {"suppressed counts", "negative counts", "counts that are not whole"}
    return {note: rows for note, rows in counts.ledger.steps[0].notes.items() if note not in known}


def test_a_column_of_hours_means_hours(tmp_path):
    text = "hour,cell,n\n0,0,2\n23,0,2\n"
    made = ic.read.counts(csv(tmp_path, text), XY)
    assert (made.slot_min, made.shape, made.n[23, 0]) == (60, (24, 3), 2)
    assert ic.read.counts(csv(tmp_path, text), XY, columns={"slot": "hour"}).slot_min == 60
    assert ic.read.counts(csv(tmp_path, text), XY, slot_min=60).shape == (24, 3)
    with pytest.raises(ic.ParameterError, match="counts hours; leave slot_min out"):
        ic.read.counts(csv(tmp_path, text), XY, slot_min=30)
    stamps = ic.read.counts(csv(tmp_path, "hour,cell,n\n2024-01-01T00:00,0,1\n2024-01-01T06:00,0,1\n"), XY)
    assert (stamps.slot_min, stamps.shape) == (360, (4, 3))


@pytest.mark.parametrize("days", [("2024-01-31", "2024-02-01"), ("20240131", "20240201")])
def test_a_date_and_an_hour_are_one_time(tmp_path, days):
    text = f"date,hour,cell,n\n{days[0]},0,0,1\n{days[0]},23,0,2\n{days[1]},1,0,3\n"
    made = ic.read.counts(csv(tmp_path, text), XY)
    assert (made.slot_min, made.shape) == (60, (48, 3))
    assert [(slot, n) for slot, n in enumerate(made.n[:, 0].tolist()) if n] == [(0, 1), (23, 2), (25, 3)]
    other = csv(tmp_path, text.replace("date,hour", "dag,uur"))
    assert ic.read.counts(other, XY, columns={"hour": "uur", "date": "dag"}).n.tolist() == made.n.tolist()
    with pytest.raises(ic.DataError, match="hour is outside 0 to 23 at row 1"):
        ic.read.counts(csv(tmp_path, text.replace(",23,", ",24,")), XY)
    with pytest.raises(ic.DataError, match="dates that are not dates"):
        ic.read.counts(csv(tmp_path, "date,hour,cell,n\n1,0,0,1\n"), XY)
    daily = ic.read.counts(csv(tmp_path, f"date,cell,n\n{days[0]},0,1\n{days[1]},0,3\n"), XY)
    assert (daily.slot_min, daily.n[:, 0].tolist()) == (1440, [1, 3])


def test_times_finer_than_the_slots_are_not_merged():
    """One person at 0 at 00:00 and at 1 at 00:30 is not two people in the first hour."""
    halves = [datetime(2024, 1, 1, 0, 0), datetime(2024, 1, 1, 0, 30), datetime(2024, 1, 1, 1, 0)]
    with pytest.raises(ic.DataError, match=r"second time falls into one slot of 60 min at row 1 \(1 such row\); leave"):
        ic.read.counts(table(slot=halves), XY, slot_min=60)
    assert ic.read.counts(table(slot=halves), XY).slot_min == 30
    fifty = [datetime(2024, 1, 1, 0, 0), datetime(2024, 1, 1, 0, 50), datetime(2024, 1, 1, 1, 40)]
    for moments in (fifty, [moment + timedelta(days=1) for moment in fifty]):
        assert np.argwhere(ic.read.counts(table(slot=moments), XY, slot_min=50).n)[:, 0].tolist() == [0, 1, 2]


def test_what_is_odd_about_slots_is_noted():
    day = pa.table({"slot": np.arange(1, 49), "cell": [0] * 48, "n": [1] * 48})
    from_one = ic.read.counts(day, XY)
    assert from_one.shape == (96, 3)
    assert noted(from_one) == {"empty slot 0 and a last day of one slot: counted from 1, or timed at their end?": 1}
    assert not noted(ic.read.counts(day.slice(0, 47), XY))
    quarters = [datetime(2024, 1, 1, h, m) for h, m in ((0, 15), (0, 45), (1, 15))]
    off = ic.read.counts(table(slot=quarters), XY)
    assert (off.slot_min, noted(off)) == (30, {"times inside a slot, taken for its beginning": 3})


@pytest.mark.parametrize(("unit", "scale"), [("seconds", 1), ("milliseconds", 10**3), ("nanoseconds", 10**9)])
def test_epochs_are_times(unit, scale):
    at = [(1_706_745_600 - 3600 + 1800 * half) * scale for half in range(3)]  # 2024-01-31T23:00Z and on
    made = ic.read.counts(table(slot=at), XY)
    assert (made.slot_min, np.argwhere(made.n)[:, 0].tolist()) == (30, [46, 47, 48])
    assert noted(made)[f"timed in epoch {unit}"] == 3
    local = ic.read.counts(table(slot=[str(t) for t in at]), XY, time_zone="Europe/Amsterdam")
    assert np.argwhere(local.n)[:, 0].tolist() == [0, 1, 2]


def test_an_hour_that_the_clock_shows_twice_is_named():
    night = [datetime(2024, 10, 27, h, 0, tzinfo=UTC) for h in (0, 1, 2)]
    rows = table(slot=night, cell=[0, 0, 0])
    with pytest.raises(ic.DataError, match=r"twice, as daylight-saving time ends at row 1 .*leave time_zone out"):
        ic.read.counts(rows, XY, time_zone="Europe/Amsterdam")
    assert np.argwhere(ic.read.counts(rows, XY).n)[:, 0].tolist() == [0, 1, 2]


MARKS = ("", "*", "**", "NA", "n/a", "N/A", "NULL", "-", "..", "<5", "≤5", "<5.0", "<= 10", "s", "c", "x", "1-4")


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_marks_of_suppression_in_every_kind_of_text(kind):
    marks = pa.array([*MARKS, "7"]).cast(kind) if kind != pa.string_view() else pa.array([*MARKS, "7"], kind)
    slots = pa.array([f"2024-01-01T{hour:02}:00" for hour in range(len(marks))])
    slots = slots.dictionary_encode() if pa.types.is_dictionary(kind) else slots.cast(pa.string()).cast(kind)
    made = ic.read.counts(pa.table({"slot": slots, "cell": ["0"] * len(marks), "n": marks}), XY)
    assert made.n.sum() == 7 and made.ledger.steps[0].notes["suppressed counts"] == len(MARKS)
    for bad in ("a", "5-", "--", "<", "1.5.2", "sc"):
        with pytest.raises(ic.DataError, match="n is not a number at row 1"):
            ic.read.counts(table(n=["1", bad, "2"]), XY)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"slot": ["0", "0", "99999999999999999999"]}, "slot is too large a number at row 2"),
        ({"slot": [0.0, 0.0, 1e30]}, "slot is too large a number at row 2"),
        ({"slot": ["20240131083000"] * 3}, "too large for a slot and not a time since 1970"),
        (
            {"slot": ["0001-01-01T00:00+05:00", "2024-01-01T00:00Z", "2024-01-01T01:00Z"]},
            "is outside the calendar .* row 0",
        ),
        ({"slot": pa.array([0, 1, 2**62], pa.timestamp("us"))}, "is outside the calendar at row 2"),
        ({"slot": [[0], [0], [1]]}, "column for slot of the data frame holds nested"),
        ({"cell": [{"a": 1}] * 3}, "column for cell of the data frame holds nested"),
        ({"n": [[0], [0], [1]]}, "column for n of the data frame holds nested"),
        ({"n": [b"0", b"1", b"2"]}, "nested or binary"),
        ({"N": [1, 1, 1]}, "2 columns of one name for n; rename"),
    ],
)
def test_what_is_beyond_numbers_is_refused(columns, message):
    with pytest.raises(ic.DataError, match=message):
        ic.read.counts(table(**columns), XY)


def test_headers_and_tables_of_cells_that_say_nothing_are_refused(tmp_path):
    with pytest.raises(ic.DataError, match=r"counts\.csv has 2 columns of one name for n"):
        ic.read.counts(csv(tmp_path, "slot,cell,n,n\n0,0,1,1\n"), XY)
    with pytest.raises(ic.DataError, match=r"cells\.csv has 2 columns of one name for x"):
        ic.read.counts(table(), csv(tmp_path, "cell,x,x,y\n0,1,1,1\n", "cells.csv"))
    with pytest.raises(ic.DataError, match=r"cells\.csv has no row; list every cell"):
        ic.read.counts(table(), csv(tmp_path, "cell,x,y\n", "cells.csv"))
    with pytest.raises(ic.DataError, match="more than 100,000 km"):
        ic.read.counts(table(), csv(tmp_path, "cell,x,y\n0,1,1e300\n1,0,0\n", "cells.csv"))


def test_several_files_are_one_table(tmp_path):
    days = tmp_path / "days"
    days.mkdir()
    parts = [csv(days, f"slot,cell,n\n{slot},0,{slot + 1}\n", f"{slot}.csv") for slot in (0, 1)]
    for source in (parts, [str(part) for part in parts], days, str(days / "*.csv")):
        assert ic.read.counts(source, XY, slot_min=720).n.tolist() == [[1, 0, 0], [2, 0, 0]]
    csv(days, "slot,cell,count\n2,0,1\n", "2.csv")
    with pytest.raises(ic.DataError, match=r"2\.csv has other columns than 0\.csv"):
        ic.read.counts(days, XY)
    with pytest.raises(ic.DataError, match="no file matches"):
        ic.read.counts(str(days / "*.parquet"), XY)
    mixed = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, n in zip(mixed, ([1], ["2"]), strict=True):
        pq.write_table(pa.table({"slot": [0], "cell": [0], "n": n}), path)
    with pytest.raises(ic.DataError, match="hold other kinds of values"):
        ic.read.counts(mixed, XY)


def test_slots_that_begin_anew_on_every_date_are_not_merged():
    dates = ["2024-01-01", "2024-01-01", "2024-01-02"]
    with pytest.raises(ic.DataError, match="a slot is counted on a second date at row 2"):
        ic.read.counts(table(slot=[0, 1, 0], date=dates), XY, slot_min=720)
    assert ic.read.counts(table(slot=[0, 1, 2], date=dates), XY, slot_min=720).shape == (4, 3)


def test_categories_of_views_are_cells():
    polars = pytest.importorskip("polars")
    ids = polars.Series(["q", "p"], dtype=polars.Categorical)
    cells = polars.DataFrame({"cell": ids, "x": [0, 500], "y": [0, 0]})
    made = ic.read.counts(polars.DataFrame({"slot": [0, 0], "cell": ids, "n": [1, 2]}), cells, slot_min=720)
    assert made.n.tolist() == [[1, 2], [0, 0]]

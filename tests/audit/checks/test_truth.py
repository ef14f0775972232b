"""What a release states of its clock, plane and cells is held against the original, and no lie stops the comparison."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from audit.breaking import note
from audit.cases import names, on_disk, people_visits
from incrowd.anonymize import Cut, Generalize, Glove
from incrowd.audit import check
from incrowd.audit.checks import placing
from incrowd.ledger import Ledger

AMSTERDAM = "Europe/Amsterdam"
PLANE = "+proj=laea +lat_0=51 +lon_0=4 +datum=WGS84 +units=m +no_defs"


@pytest.fixture(scope="module")
def traces() -> ic.Traces:
    """Two days around the end of summer time."""
    rng = np.random.default_rng(0)
    t = 1_729_940_400 + rng.integers(0, 172_800, 400)
    place = {"lon": 4 + rng.random(400) / 10, "lat": 52 + rng.random(400) / 10}
    return ic.Traces.from_arrays(np.repeat(names(20), 20), t, **place)


def cut(traces):
    visits = ic.discretize.grid(traces, cell_m=1000, slot_min=60, time_zone=AMSTERDAM)
    return visits, Cut(window_h=6)(visits)


def merged(traces):
    prints = ic.discretize.fingerprints(traces, time_zone=AMSTERDAM)
    return prints, Glove(k=2)(prints)


def lied(case, part, name, value):
    """A lie that the notes of the data file tell too, which would give it away by themselves."""
    case.say(**{part: {**case.manifest()[part], name: value}})
    if name == "slot_min":
        case.say(clock={**case.manifest()["clock"], "grain_s": value * 60})
    note(case)


LIES = [
    ("clock", "start", 1_729_893_660),
    ("clock", "time_zone", "Asia/Tokyo"),
    ("clock", "time_zone", None),
    ("plane", "crs", PLANE),
]


@pytest.mark.parametrize(
    ("made", "part", "name", "value"),
    [
        *((made, *lie) for made in (cut, merged) for lie in LIES),
        (cut, "clock", "slot_min", 30),
        (cut, "plane", "cell_m", 500),
    ],
)
def test_what_contradicts_the_original_is_a_fault(traces, tmp_path, made, part, name, value):
    original, release = made(traces)
    case = on_disk(tmp_path, release, original)
    assert case.failed() == set()
    lied(case, part, name, value)
    assert case.failed() >= {"truthfulness", "coverage"}
    assert case.check()["truthfulness"].evidence == f"the release states another {name} than the original."


def test_a_false_start_does_not_hide_invented_rows(tmp_path):
    visits = people_visits(names(20))
    case = on_disk(tmp_path, Cut(window_h=12)(visits), visits)
    table = case.table()
    cells = np.random.default_rng(0).integers(0, 9, table.num_rows)
    case.write(table.set_column(table.column_names.index("cell"), "cell", pa.array(cells)))
    lied(case, "clock", "start", 60)
    assert case.failed() >= {"truthfulness"}


def test_what_a_release_leaves_out_is_a_fault_and_a_plain_table_states_nothing(traces, tmp_path):
    original, release = cut(traces)
    assert not check(release, original=replace(original, start=None, time_zone=None)).passed
    case = on_disk(tmp_path, release, original)
    silent = {**case.manifest()["clock"], "start": None, "time_zone": None}
    case.say(clock=silent)
    note(case)
    assert case.check()["truthfulness"].status == "fail"
    assert check(case.folder / "data.parquet", original=original, link=case.link)["truthfulness"].status == "pass"


@pytest.mark.parametrize("made", [cut, merged])
def test_the_zone_of_the_metadata_is_that_of_the_clock(traces, tmp_path, made):
    original, release = made(traces)
    case = on_disk(tmp_path, release, original)
    case.say(clock={**case.manifest()["clock"], "time_zone": None})
    assert case.check()["manifest"].evidence == "time_zone is stated twice and differs."


def test_the_zone_of_the_parameters_is_that_of_the_clock(traces, tmp_path):
    case = on_disk(tmp_path, Generalize(time_zone=AMSTERDAM)(traces), traces)
    assert case.failed() == set()
    case.say(parameters={**case.manifest()["parameters"], "time_zone": None})
    assert case.failed() == {"manifest"}


def test_the_side_of_cells_is_that_of_the_metadata(traces, tmp_path):
    original, release = cut(traces)
    case = on_disk(tmp_path, release, original)
    case.say(plane={**case.manifest()["plane"], "cell_m": 500})
    assert case.check()["manifest"].evidence == "cell_m is stated twice and differs."


@pytest.mark.parametrize(("cell_m", "caught"), [(500.5, set()), (750.75, {"manifest"})])
def test_squares_are_whole_sides_apart(traces, tmp_path, cell_m, caught):
    """Wider cells, each around its own centre, would hold every record of the narrower ones."""
    visits = ic.discretize.grid(traces, cell_m=500.5, slot_min=60)
    case = on_disk(tmp_path, Cut(window_h=6)(visits), visits)
    case.original = traces
    case.say(plane={**case.manifest()["plane"], "cell_m": cell_m})
    assert case.failed() == caught


@pytest.mark.parametrize(("off_m", "status"), [(0.0, "pass"), (0.003, "fail"), (5000.0, "fail")])
def test_cells_are_where_the_original_has_them(traces, tmp_path, off_m, status):
    original, release = cut(traces)
    case = on_disk(tmp_path, release, original)
    path = case.folder / "cells.csv"
    head, *lines = path.read_text().splitlines()
    moved = [(cell, float(x) + off_m, y) for cell, x, y in (line.split(",") for line in lines)]
    path.write_text("\n".join([head, *(f"{cell},{x:.3f},{y}" for cell, x, y in moved)]) + "\n")
    case.say()
    assert case.check()["truthfulness"].status == status


def test_a_plane_without_meaning_does_not_stop_the_comparison(traces, tmp_path):
    case = on_disk(tmp_path, Generalize()(traces), traces)
    case.say(plane={**case.manifest()["plane"], "crs": "a plane"})
    assert case.failed() >= {"truthfulness"}


def corners():
    """Two people, twelve corners of a square kilometre and an hour; three loners with six samples each in one."""
    at = [(0, 0), (59, 900), (120, 0), (179, 900), (240, 0), (299, 900)]
    rows = [(who, minute, place, place) for who in (0, 1) for minute, place in at]
    rows += [(who, 4320 * who + i * 7, 100_000 * who + i * 100, 0) for who in (2, 3, 4) for i in range(6)]
    who, minute, x, y = np.array(rows).T
    return ic.Traces.from_arrays(who, minute * 60 + 5, x=x + 50.0, y=y + 50.0)


def test_coarse_boxes_do_not_make_the_grain_coarse():
    """One box of a kilometre and an hour for the first two of six samples; the other four are put down as merged."""
    traces = corners()
    prints = ic.discretize.fingerprints(traces)
    release = Glove(k=2, max_extent_m=3000, max_extent_min=100, leftover="suppress")(prints)
    assert check(release, original=traces).passed
    sides = {"t": 0, "dt": 60, "x": 0, "dx": 1000, "y": 0, "dy": 1000}
    one = {name: np.array([value]) for name, value in sides.items()}
    *steps, last = release.ledger.to_dict()
    last["kept"], last["dropped"]["sample generalised into a shared box"] = 1, 11
    data = replace(release.data, offsets=np.array([0, 1]), **one)
    broken = replace(release, data=data, ledger=Ledger.from_dict([*steps, last]), provenance={})
    found = check(broken, original=traces)["coverage"]
    assert found.status == "fail" and "removed 18 of the 26 others;" in found.evidence


def test_a_grain_finer_than_few_boxes_show_is_found():
    """The only box published is 200 m wide, samples are 100 m and a minute; a twin of each lost one is lost with it."""
    x = [0.0, 150, 9_000, 9_010, 9_100, 9_110]
    traces = ic.Traces.from_arrays([0, 1, 2, 2, 2, 2], [0, 60, 90_000, 90_010, 90_000, 90_010], x=x, y=[0.0] * 6)
    prints = ic.discretize.fingerprints(traces)
    release = Glove(k=2, max_extent_m=1000, leftover="suppress", max_extent_min=60)(prints)
    assert (release.data.dx.tolist(), release.data.dt.tolist()) == ([200], [2])
    assert prints.records == 4
    assert check(release, original=traces).passed


def test_a_point_on_a_border_is_in_one_cell():
    traces = ic.Traces.from_arrays([0, 0, 1, 1], [0, 5, 0, 5], x=[100.0, 50, 100, 50], y=[50.0] * 4)
    release = Generalize(cell_m=100, slot_min=1)(traces)
    assert check(release, original=traces).passed
    data = release.data
    west = data.xy[data.cell, 0] < 100
    *steps, last = release.ledger.to_dict()
    last["kept"], last["dropped"]["same cell and slot"] = 2, 2
    fewer = replace(data, offsets=np.array([0, 1, 2]), cell=data.cell[west], slot=data.slot[west])
    found = check(replace(release, data=fewer, ledger=Ledger.from_dict([*steps, last])), original=traces)
    assert {one.name for one in found.failed} == {"coverage"}


@pytest.mark.parametrize("zone", ["America/Havana", "Asia/Beirut", "America/Sao_Paulo", "Africa/Cairo"])
def test_a_day_without_midnight_is_audited_like_any_other(zone):
    base = {"America/Havana": 1_710_046_800, "Asia/Beirut": 1_679_781_600, "America/Sao_Paulo": 1_541_300_400}
    rng = np.random.default_rng(0)
    place = {"lon": 4 + rng.random(200) / 10, "lat": 52 + rng.random(200) / 10}
    t = base.get(zone, 1_714_083_600) + rng.integers(0, 40_000, 200)
    traces = ic.Traces.from_arrays(np.repeat(np.arange(10), 20), t, **place)
    assert check(Generalize(slot_min=15, time_zone=zone)(traces), original=traces).passed
    prints = ic.discretize.fingerprints(traces, time_zone=zone)
    assert check(Glove(k=2)(prints), original=traces).passed


def test_a_stray_record_in_the_year_9999_takes_no_time(monkeypatch):
    asked = []

    class Counted(datetime):
        @classmethod
        def fromtimestamp(cls, *moment):
            asked.append(moment)
            assert len(asked) <= 20, "the zone is asked for every quarter of an hour between"
            return datetime.fromtimestamp(*moment)

    monkeypatch.setattr(placing, "datetime", Counted)
    where = {"lon": 4 + np.arange(20) / 100, "lat": np.full(20, 52.0)}
    near, far = (
        ic.Traces.from_arrays(np.repeat(np.arange(10), 2), [0, last] * 10, **where)
        for last in (1_729_940_400, 253_402_300_000)
    )
    release = Generalize(time_zone=AMSTERDAM)(near)
    assert check(release, original=near).passed
    assert check(release, original=far)["truthfulness"].status == "fail" and asked


def swaps():
    """Two logs in which two records exchanged their times."""
    log = {"x": [0, 10, 5000, 5010] * 2, "y": [0] * 8}
    raw = ic.Traces.from_arrays([1] * 4 + [2] * 4, [0, 7200, 3600, 10_800] * 2, **log, order="log")
    return raw, ic.clean.order(raw)


def test_times_that_cleaning_exchanged_are_explained():
    raw, cleaned = swaps()
    release = Generalize(cell_m=100, slot_min=60)(cleaned)
    assert check(release, original=cleaned).passed
    found = check(release, original=raw)
    assert {one.name for one in found.failed} == {"truthfulness", "coverage", "link"}
    assert all("cleaning exchanged times" in one.evidence for one in found.failed if one.name != "link")


def test_more_than_cleaning_exchanged_is_not_explained_by_it():
    raw, cleaned = swaps()
    release = Generalize(cell_m=100, slot_min=60)(cleaned)
    moved = replace(release, data=replace(release.data, slot=release.data.slot + 7))
    assert not any("cleaning exchanged" in one.evidence for one in check(moved, original=raw).failed)

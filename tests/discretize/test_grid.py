"""The grid in an equal-area plane, and fingerprints on it."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import tracks
from incrowd.discretize import _grid as squares
from incrowd.discretize import fingerprints, grid
from incrowd.errors import DataError, ParameterError
from incrowd.read._parts import of_traces
from incrowd.read.plane import Degrees, plane_at


def degrees(*rows, **more):
    user, t, lon, lat = map(np.array, zip(*rows, strict=True))
    return ic.Traces.from_arrays(user, t, lon.astype(float), lat.astype(float), **more)


def table(visits):
    """(label, slot, x, y) of every visit: what it says, whatever the ids."""
    xy = visits.xy[visits.cell]
    user = visits.users[visits.owner]
    return sorted(zip(user.tolist(), visits.slot.tolist(), xy[:, 0].tolist(), xy[:, 1].tolist(), strict=True))


def test_cells_are_floors_numbered_south_to_north_then_west_to_east():
    traces = tracks([(0, 99.9, 0), (0, 100, 0), (0, -0.1, 0), (60, 0, 100), (120, 0, -1)])
    visits = grid(traces, cell_m=100, slot_min=1)
    assert visits.xy.tolist() == [[50, -50], [-50, 50], [50, 50], [150, 50], [50, 150]]
    assert visits.slot.tolist() == [0, 0, 0, 1, 2] and visits.cell.tolist() == [1, 2, 3, 4, 0]
    assert visits.slot_min == 1 and visits.start == 0 and visits.crs is None


def test_records_in_one_cell_and_slot_are_one_visit():
    visits = grid(tracks([(0, 1, 1), (59, 2, 2), (60, 3, 3)]), cell_m=100, slot_min=1)
    assert visits.records == 2
    step = visits.ledger.steps[-1]
    assert (step.name, step.read, step.kept, step.dropped) == ("grid", 3, 2, {"same cell and slot": 1})


def test_a_cell_that_lost_every_vote_has_no_id():
    visits = grid(tracks([(0, 0, 0), (1, 150, 0), (2, 150, 0)]), cell_m=100, keep="vote")
    assert visits.xy.tolist() == [[150, 50]] and visits.cell.tolist() == [0]
    assert visits.ledger.steps[-1].dropped == {"same cell and slot": 1, "minority cell in its time slot": 1}


def test_degrees_are_projected_around_whole_degrees():
    visits = grid(degrees((1, 0, 4.6, 52.2), (1, 60, 5.1, 52.4)), cell_m=100)
    assert visits.crs == "+proj=laea +lat_0=52 +lon_0=4 +datum=WGS84 +units=m +no_defs"
    # a degree of longitude at 52.2 N is 68.4 km, a degree of latitude 111.3 km
    assert visits.xy[visits.cell[0]] == pytest.approx([0.6 * 68_400, 0.2 * 111_300], rel=0.01)


@pytest.mark.filterwarnings("ignore:.*at .0, 0.")
@pytest.mark.parametrize("make", [grid, fingerprints])
@pytest.mark.parametrize(
    ("lon", "lat", "centre"),
    [
        ([116.3, 116.4, 117.2, 0.0, 0.0], [39.9, 39.8, 40.1, 0.0, 0.0], (116, 39)),  # two strays of five
        ([4.9, 5.0], [51.9, 52.0], (4, 51)),  # half of the records lie in degrees 4 and 51 and below
        ([4.9, 5.0, 5.0], [-0.1, -0.1, 0.0], (5, -1)),
        ([180.0], [90.0], (180, 90)),
        ([179.5, 179.5, -179.5], [-17.0] * 3, (179, -17)),
        ([179.5, -179.5, -179.5], [-17.0] * 3, (-180, -17)),
    ],
)
def test_the_plane_is_centred_on_the_degree_of_the_median(make, lon, lat, centre):
    made = make(degrees(*((1, 60 * i, *place) for i, place in enumerate(zip(lon, lat, strict=True)))))
    assert made.crs == plane_at(*centre).crs


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-180, 180), st.floats(-90, 90)), min_size=1, max_size=30), st.integers(1, 9))
def test_degrees_hold_the_lower_median_however_the_batches_fall(places, size):
    counted = Degrees()
    for low in range(0, len(places), size):
        counted.add(*np.array(places[low : low + size]).T)
    assert counted.middle == tuple(np.floor(sorted(axis)[(len(places) - 1) // 2]) for axis in zip(*places, strict=True))


@pytest.mark.filterwarnings("ignore:.*at .0, 0.")
def test_strays_leave_the_grid_of_a_city_as_it_is():
    city = [(1, 60 * i, 116.3 + i / 1000, 39.9) for i in range(99)]
    alone = grid(degrees(*city), cell_m=100)
    among = grid(degrees(*city, (2, 0, 0.0, 0.0), (3, 0, -70.0, -33.0)), cell_m=100)
    assert among.crs == alone.crs and [row for row in table(among) if row[0] == 1] == table(alone)


def test_the_plane_has_equal_areas():
    """A box of a degree has the area that geodesics enclose, near the origin and far from it."""
    import pyproj

    side = np.linspace(0, 1, 200)
    lon = np.concatenate([side, np.ones(200), side[::-1], np.zeros(200)])
    lat = np.concatenate([np.zeros(200), side, np.ones(200), side[::-1]])
    for west, south in ((4.5, 51.5), (12.0, 40.0)):
        x, y = plane_at(5, 52)(lon + west, lat + south)
        area = abs(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)) / 2
        truth, _ = pyproj.Geod(ellps="WGS84").polygon_area_perimeter(lon + west, lat + south)
        assert area == pytest.approx(truth, rel=1e-5)


def test_an_origin_may_be_given():
    visits = grid(degrees((1, 0, 4.6, 52.2)), origin=(4.6, 52.2), cell_m=100)
    assert "+lat_0=52.2 +lon_0=4.6 " in visits.crs
    assert np.abs(visits.xy).max() <= 50


def test_both_sides_of_the_180th_meridian_are_neighbours():
    visits = grid(degrees((1, 0, 179.9, -17.0), (1, 60, -179.9, -17.0)), cell_m=1000)
    assert "+lon_0=-180" in visits.crs
    assert np.ptp(visits.xy[:, 0]) == pytest.approx(0.2 * 106_500, abs=2000)


def test_the_other_side_of_the_earth_has_no_place_in_the_plane():
    with pytest.raises(DataError, match="pass another origin"):
        grid(degrees((1, 0, -175.0, -52.0)), origin=(5, 52))


def test_metres_take_no_origin():
    with pytest.raises(ParameterError, match="metres already"):
        grid(tracks([(0, 0, 0)]), origin=(5, 52))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cell_m": 0}, "cell_m must be above 0"),
        ({"keep": "all"}, "unknown keep"),
        ({"origin": (52, 181)}, "not swapped"),
        ({"cell_m": 1e-9}, "too fine"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        grid(tracks([(0, 5000, 0)]), **options)


def test_records_before_the_start_are_counted_and_their_users_leave():
    traces = tracks([(0, 0, 0)], [(10, 0, 0), (3600, 0, 0)])
    visits = grid(traces, start=60, slot_min=1)
    assert visits.users.tolist() == [1] and visits.slot.tolist() == [59]
    assert visits.ledger.steps[-1].dropped == {"before the start": 2}


def test_attributes_stay_with_their_users():
    traces = degrees((1, 0, 5, 52), (2, 90, 5, 52), attributes={"sex": ["m", "f"]})
    assert grid(traces, start=60).attributes["sex"].tolist() == ["f"]


METRES = st.integers(-30_000, 30_000).map(lambda decimetres: decimetres / 10)
ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 7200), METRES, METRES),
    min_size=1,
    max_size=40,
)


def _planar(rows):
    user, t, x, y = map(np.array, zip(*rows, strict=True))
    return ic.Traces.from_arrays(user, t, x=x.astype(float), y=y.astype(float))


@settings(deadline=None, max_examples=60)
@given(rows=ROWS, order=st.randoms(use_true_random=False), cell_m=st.sampled_from([50, 700.5]))
def test_the_order_of_records_says_nothing(rows, order, cell_m):
    shuffled = list(rows)
    order.shuffle(shuffled)
    a, b = (grid(_planar(r), cell_m=cell_m, slot_min=30) for r in (rows, shuffled))
    assert table(a) == table(b) and a.xy.tolist() == b.xy.tolist()


@settings(deadline=None, max_examples=60)
@given(rows=ROWS, cell_m=st.sampled_from([50, 400]), keep=st.sampled_from(["set", "vote", "vote_first"]))
def test_the_grid_is_its_definition_and_the_ledger_closes(rows, cell_m, keep):
    visits = grid(_planar(rows), cell_m=cell_m, slot_min=30, keep=keep)
    cells = {(u, t // 1800, (x // cell_m + 0.5) * cell_m, (y // cell_m + 0.5) * cell_m) for u, t, x, y in rows}
    assert set(table(visits)) <= cells
    if keep == "set":
        assert set(table(visits)) == cells
    else:
        assert len({r[:2] for r in table(visits)}) == visits.records
    assert np.unique(visits.cell).tolist() == list(range(len(visits.xy)))
    keys = list(zip(visits.owner.tolist(), visits.slot.tolist(), visits.cell.tolist(), strict=True))
    assert keys == sorted(set(keys))
    step = visits.ledger.steps[-1]
    assert step.read == len(rows) and step.kept == visits.records


@settings(deadline=None, max_examples=40)
@given(rows=ROWS, seed=st.integers(0, 99), keep=st.sampled_from(["set", "vote"]))
def test_pieces_in_any_order_make_the_same_table(rows, seed, keep):
    """Users may come in any order and grouping, as they do from a file larger than memory."""
    traces = _planar(rows)
    rng = np.random.default_rng(seed)
    groups = np.array_split(rng.permutation(len(traces)), rng.integers(1, len(traces) + 1))
    whole = grid(traces, cell_m=500, slot_min=30, keep=keep)

    def pieces():
        for group in groups:
            rows = np.concatenate([np.arange(traces.offsets[u], traces.offsets[u + 1]) for u in group])
            offsets = np.concatenate([[0], np.cumsum(np.diff(traces.offsets)[group])])
            part = replace(
                traces, users=traces.users[group], offsets=offsets, t=traces.t[rows], x=traces.x[rows], y=traces.y[rows]
            )
            yield group, part

    scattered = replace(of_traces(traces), pieces=pieces)
    patched, squares.opened = squares.opened, lambda *_: scattered
    try:
        again = grid("a file", cell_m=500, slot_min=30, keep=keep)
    finally:
        squares.opened = patched
    for name in ("users", "offsets", "cell", "slot", "xy"):
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))
    assert again.ledger == whole.ledger


def test_many_small_pieces_are_one_table(monkeypatch):
    rng = np.random.default_rng(1)
    traces = ic.Traces.from_arrays(
        rng.integers(0, 50, 4000),
        rng.integers(0, 86_400, 4000),
        5 + rng.normal(0, 0.1, 4000),
        rng.normal(52, 0.1, 4000),
    )
    whole = grid(traces, cell_m=500, slot_min=60)
    monkeypatch.setattr(import_module("incrowd.read._parts"), "PIECE_RECORDS", 100)
    again = grid(traces, cell_m=500, slot_min=60)
    for name in ("users", "offsets", "cell", "slot", "xy"):
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))


def test_cells_far_apart_need_no_map_of_the_land_between():
    visits = grid(tracks([(0, 0, 0), (60, 9e6, 9e6), (120, -9e6, 5)]), cell_m=0.1)
    assert visits.cell.tolist() == [0, 2, 1]
    assert visits.xy[visits.cell[1]] == pytest.approx([9e6, 9e6])


def test_fingerprints_are_boxes_on_multiples_of_the_cell():
    made = fingerprints(tracks([(0, 250, -1), (30, 299, -100), (7200, 0, 0)]), cell_m=100, slot_min=1)
    assert made.x.tolist() == [200, 0] and made.y.tolist() == [-100, 0] and made.t.tolist() == [0, 120]
    assert made.dx.tolist() == made.dy.tolist() == [100, 100] and made.dt.tolist() == [1, 1]
    assert made.start == 0 and made.crowd.tolist() == [1]
    assert made.ledger.steps[-1].dropped == {"same cell and slot": 1}


@settings(deadline=None, max_examples=40)
@given(rows=ROWS)
def test_fingerprints_are_what_from_arrays_makes_of_the_boxes(rows):
    made = fingerprints(_planar(rows), cell_m=200, slot_min=5)
    traces = _planar(rows)
    x, y, t = traces.x // 200 * 200, traces.y // 200 * 200, traces.t // 300 * 5
    expected = ic.Fingerprints.from_arrays(traces.users[traces.owner], x, y, t, dx=200, dy=200, dt=5)
    for name in ("users", "offsets", "x", "dx", "y", "dy", "t", "dt", "crowd"):
        np.testing.assert_array_equal(getattr(made, name), getattr(expected, name))


def test_fingerprints_need_whole_metres():
    with pytest.raises(ParameterError, match="cell_m must be a whole number"):
        fingerprints(tracks([(0, 0, 0)]), cell_m=0.5)

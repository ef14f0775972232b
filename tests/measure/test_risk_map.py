"""Where people are identified: against the definition, and the same cells in every file."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import incrowd as ic
from incrowd.measure import risk_map
from incrowd.read.plane import plane_at

CRS = plane_at(5, 52).crs


def placed(rows, cells=3, cell_m=500.0, crs=CRS):
    """Visits to squares from west to east."""
    user, cell, slot = zip(*rows, strict=True)
    xy = [(cell_m * (k + 0.5), cell_m / 2) for k in range(cells)]
    visits = ic.Visits.from_arrays(user, cell, slot, xy=xy, slot_min=60)
    return ic.Visits(**{**vars(visits), "cell_m": cell_m, "crs": crs})


@pytest.fixture
def by_hand():
    """Six share the first cell at once; five the second, of whom two come again alone; one is alone in the third."""
    rows = [(u, 0, 0) for u in range(6)] + [(u, 1, 0) for u in range(6, 11)]
    return placed([*rows, (6, 1, 1), (7, 1, 2), (7, 1, 3), (11, 2, 0)])


def test_by_hand(by_hand):
    found = risk_map(by_hand, min_people=5)
    assert found.cell.tolist() == [0, 1] and found.people.tolist() == [6, 5]
    assert found.identified.tolist() == [0, 2] and found.share.tolist() == [0, 2 / 5]
    assert (found.users, found.blank_cells) == (12, 1)
    assert risk_map(by_hand, min_people=6).cell.tolist() == [0]
    assert "typical cell 20.0 %" in found.section().answer and "in 0 of 2 cells" in found.section().answer
    assert found.section().tables[0].rows[-1] == ("blank: fewer than 5 people", "1")


VISITS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 2), st.integers(0, 2)), min_size=1)


@given(VISITS, st.integers(1, 4))
def test_it_follows_the_definition(rows, min_people):
    found = risk_map(placed(rows), min_people=min_people)
    there = {}
    for user, cell, slot in set(rows):
        there.setdefault((cell, slot), set()).add(user)
    expected = {}
    for cell in sorted({cell for cell, _ in there}):
        crowds = [users for (where, _), users in there.items() if where == cell]
        alone = set().union(*(users for users in crowds if len(users) == 1))
        expected[cell] = len(set().union(*crowds)), len(alone)
    shown = {cell: counts for cell, counts in expected.items() if counts[0] >= min_people}
    assert dict(zip(found.cell.tolist(), zip(found.people, found.identified, strict=True), strict=True)) == shown
    assert found.blank_cells == len(expected) - len(shown)
    assert found.users == len({user for user, _, _ in rows})


def test_files_hold_the_same_cells_in_degrees(by_hand, tmp_path):
    found = risk_map(by_hand, min_people=5)
    text = json.loads(found.save(tmp_path / "risk.geojson").read_text())
    assert text == json.loads(json.dumps(found.to_geojson())) and set(text) == {"type", "features"}
    table = pq.read_table(found.save(tmp_path / "risk.parquet"))
    assert [f["properties"] for f in text["features"]] == table.drop(["geometry"]).to_pylist()
    assert table.drop(["geometry"]).equals(found.to_arrow().drop(["x", "y"]))
    shapes = shapely.from_wkb(table["geometry"].to_pylist())
    assert [shapely.geometry.mapping(shape) for shape in shapes] == [
        {**f["geometry"], "coordinates": tuple(tuple(map(tuple, ring)) for ring in f["geometry"]["coordinates"])}
        for f in text["features"]
    ]
    assert all(shape.exterior.is_ccw and shape.is_valid for shape in shapes)
    assert shapes[0].touches(shapes[1])  # neighbours share their corners
    about = json.loads(table.schema.metadata[b"geo"])
    column = about["columns"][about["primary_column"]]
    assert column["encoding"] == "WKB" and column["geometry_types"] == ["Polygon"] and "crs" not in column
    assert column["bbox"] == pytest.approx(shapely.total_bounds(shapes))
    assert (tmp_path / "risk.parquet").stat().st_size < 20_000


def test_squares_lie_where_the_records_were(tmp_path):
    rng = np.random.default_rng(0)
    lon, lat = 4.9 + 0.02 * rng.random(400), 52.35 + 0.01 * rng.random(400)
    traces = ic.Traces.from_arrays(np.arange(400) % 40, np.arange(400), lon=lon, lat=lat)
    found = risk_map(ic.discretize.grid(traces, cell_m=500, slot_min=60), min_people=1)
    path = found.save(tmp_path / "risk.geojson")
    zones = ic.discretize.zones(traces, path, slot_min=60)  # our own reader takes the file, and loses no record
    assert zones.ledger.steps[-1].kept + zones.ledger.steps[-1].dropped.get("repeated visit", 0) > 0
    assert not zones.ledger.steps[-1].dropped.get("outside every zone", 0)
    areas = [shapely.geometry.shape(f["geometry"]).area for f in found.to_geojson()["features"]]
    assert areas == pytest.approx(
        [(500 / 111_260) * (500 / (111_320 * np.cos(np.radians(52.355))))] * len(areas), rel=0.02
    )


def test_places_that_are_no_squares_are_points(tmp_path):
    city = ic.read.synthetic_city(users=40, towers=12, days=2, seed=0)
    found = risk_map(ic.discretize.towers(city.traces, city.towers, slot_min=60))
    points = [f["geometry"] for f in found.to_geojson()["features"]]
    assert {point["type"] for point in points} == {"Point"} and len(points) == len(found.cell) > 3
    lon_lat = np.array([point["coordinates"] for point in points])
    np.testing.assert_allclose(lon_lat, np.asarray(city.towers)[found.cell], atol=1e-6)
    table = pq.read_table(found.save(tmp_path / "risk.parquet"))
    np.testing.assert_array_equal(shapely.get_coordinates(shapely.from_wkb(table["geometry"].to_pylist())), lon_lat)
    panel = found.panel()
    assert panel.at_km.shape == (len(points), 2) and panel.value.tolist() == found.share.tolist()


def test_metres_of_an_unknown_plane_are_refused_in_geojson_and_marked_in_geoparquet(by_hand, tmp_path):
    found = risk_map(ic.Visits(**{**vars(by_hand), "crs": None}), min_people=5)
    with pytest.raises(ic.DataError, match="metres of an unknown plane, which GeoJSON cannot hold"):
        found.save(tmp_path / "risk.geojson")
    assert not list(tmp_path.iterdir())
    table = pq.read_table(found.save(tmp_path / "risk.parquet"))
    assert json.loads(table.schema.metadata[b"geo"])["columns"]["geometry"]["crs"] is None
    assert shapely.from_wkb(table["geometry"][0].as_py()).bounds == (0, 0, 500, 500)


def test_a_square_across_the_180th_meridian_stays_small():
    found = risk_map(placed([(0, 0, 0)], cells=1, crs=plane_at(-180, 10).crs, cell_m=1000.0), min_people=1)
    wide = ic.measure.RiskMap(**{**vars(found), "x": np.array([0.0])})
    lon = [corner[0] for corner in wide.to_geojson()["features"][0]["geometry"]["coordinates"][0]]
    assert max(lon) - min(lon) < 0.02


def test_an_existing_file_and_an_unknown_format_are_refused(by_hand, tmp_path):
    found = risk_map(by_hand, min_people=5)
    path = found.save(tmp_path / "risk.json")
    with pytest.raises(ic.ParameterError, match="exists"):
        found.save(path)
    found.save(path, force=True)
    with pytest.raises(ic.ParameterError, match=r"end its name in .geojson, .json or .parquet"):
        found.save(tmp_path / "risk.shp")


def test_blank_cells_leave_no_trace(by_hand, tmp_path):
    """Nobody can tell from map or files where the cell of one person was."""
    there, without = (
        by_hand,
        placed([r for r in zip(by_hand.owner, by_hand.cell, by_hand.slot, strict=True) if r[1] != 2]),
    )
    maps = [risk_map(visits, min_people=5) for visits in (there, without)]
    files = [found.save(tmp_path / f"{k}.parquet").read_bytes() for k, found in enumerate(maps)]
    assert files[0] == files[1] and maps[0].to_geojson() == maps[1].to_geojson()
    panels = [found.panel() for found in maps]
    assert np.array_equal(panels[0].value, panels[1].value) and np.array_equal(*(p.outline[0] for p in panels))


def test_the_panel_has_squares_in_their_places_and_a_line_around_them(by_hand):
    panel = risk_map(by_hand, min_people=5).panel()
    assert panel.value.tolist() == [[0.0, 2 / 5]] and panel.box_km == (0, 0, 1, 0.5)
    assert {tuple(corner) for corner in panel.outline[0].tolist()} == {(0, 0), (1, 0), (1, 0.5), (0, 0.5)}
    assert "n = 12 people" in panel.caption and "2 cells with at least 5 people; 1 with fewer is blank" in panel.caption
    assert "from 0.0 % to 40.0 %" in panel.alt


def test_strays_do_not_stretch_the_map():
    rows = [(u, cell, u) for u in range(2) for cell in range(300)]
    user, cell, slot = zip(*rows, strict=True)
    xy = [(500.0 * (k % 20), 500.0 * (k // 20)) for k in range(299)] + [(9e6, 0.0)]
    found = risk_map(
        ic.Visits(**{**vars(ic.Visits.from_arrays(user, cell, slot, xy=xy)), "cell_m": 500.0}), min_people=1
    )
    assert len(found.cell) == 300 and found.panel().value.shape == (15, 20)
    assert np.isfinite(found.panel().value).sum() == 299
    assert found.panel().caption.endswith("1 cell beyond the edge of the map is not drawn.")


def test_an_outline_in_degrees_is_drawn_in_the_plane_of_the_cells(by_hand, tmp_path):
    ring = [[4.99, 51.99], [5.02, 51.99], [5.02, 52.02], [4.99, 52.02], [4.99, 51.99]]
    path = tmp_path / "city.geojson"
    path.write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
    panel = risk_map(by_hand, min_people=5, outline=path).panel()
    west, south, east, north = panel.box_km
    assert (west, east) == (pytest.approx(-0.69, abs=0.02), pytest.approx(1.37, abs=0.02))
    assert (south, north) == (pytest.approx(-1.11, abs=0.02), pytest.approx(2.23, abs=0.02))
    far = [[lon + 1, lat] for lon, lat in ring]
    path.write_text(json.dumps({"type": "Polygon", "coordinates": [far]}))
    nowhere = risk_map(by_hand, min_people=5, outline=path).panel()
    assert not nowhere.value.size and nowhere.caption.endswith("2 cells beyond the edge of the map are not drawn.")
    assert "not drawn" not in panel.caption
    with pytest.raises(ic.ParameterError, match="metres of their own"):
        risk_map(ic.Visits(**{**vars(by_hand), "crs": None}), outline=path)


def test_cells_without_places_are_refused_and_nothing_to_show_is_said(by_hand):
    with pytest.raises(ic.DataError, match="do not say where their cells are"):
        risk_map(ic.Visits.from_arrays([1], [0], [0]))
    nothing = risk_map(by_hand)
    assert nothing.section().answer == "No cell has 10 people or more, so nothing is shown."
    assert nothing.section().panels == [] and nothing.to_geojson()["features"] == []
    with pytest.raises(ic.ParameterError, match="min_people"):
        risk_map(by_hand, min_people=0)

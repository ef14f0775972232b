"""A custodian's own zones, from shapely, GeoJSON and GeoParquet."""

import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

import incrowd as ic
from builders import tracks
from incrowd.discretize import zones
from incrowd.errors import DataError, MissingExtra, ParameterError

WEST, EAST = shapely.box(4, 52, 5, 53), shapely.box(5, 52, 6, 53)


def at(*places):
    lon, lat = zip(*places, strict=True)
    return ic.Traces.from_arrays(np.zeros(len(lon), int), np.arange(len(lon)) * 3600, lon, lat)


def geojson(path, *shapes, **more):
    features = [{"type": "Feature", "properties": {}, "geometry": shapely.geometry.mapping(s)} for s in shapes]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features, **more}))
    return path


def geoparquet(path, *shapes, **column):
    about = {
        "version": "1.1.0",
        "primary_column": "shape",
        "columns": {"shape": {"encoding": "WKB", "geometry_types": [], **column}},
    }
    table = pa.table({"shape": [shapely.to_wkb(s) for s in shapes]})
    pq.write_table(table.replace_schema_metadata({b"geo": json.dumps(about)}), path)
    return path


@pytest.mark.parametrize("shapes", [(WEST, EAST), (EAST, WEST)], ids=["west first", "east first"])
def test_a_point_on_a_shared_border_belongs_to_the_lowest_zone(shapes):
    assert zones(at((5.0, 52.5)), shapes).cell.tolist() == [0]


def test_outside_every_zone_is_dropped_and_counted():
    visits = zones(at((4.5, 52.5), (7.0, 52.5), (5.5, 52.5)), [WEST, EAST])
    assert visits.cell.tolist() == [0, 1] and visits.slot.tolist() == [0, 2]
    assert visits.ledger.steps[-1].dropped == {"outside every zone": 1}


def test_zones_that_overlap_and_zones_never_visited_keep_their_ids():
    visits = zones(at((5.5, 52.5)), [WEST, EAST, shapely.box(4, 52, 6, 53)])
    assert visits.cell.tolist() == [1] and len(visits.xy) == 3


def test_centres_are_projected_centroids():
    visits = zones(at((4.5, 52.5)), [WEST, EAST])
    assert "+lat_0=52 +lon_0=5" in visits.crs
    assert visits.xy[0, 0] == pytest.approx(-visits.xy[1, 0]) and -35_000 < visits.xy[0, 0] < -33_000


def test_metres_meet_shapes_in_metres():
    visits = zones(tracks([(0, 5, 5), (3600, 15, 5)]), [shapely.box(0, 0, 10, 10), shapely.box(10, 0, 20, 10)])
    assert visits.cell.tolist() == [0, 1] and visits.xy.tolist() == [[5, 5], [15, 5]] and visits.crs is None


def test_votes_in_zones():
    traces = ic.Traces.from_arrays([1] * 3, [0, 1, 2], [4.5, 5.5, 5.6], [52.5] * 3)
    assert zones(traces, [WEST, EAST], keep="vote").cell.tolist() == [1]


def test_files_are_the_shapes_they_hold(tmp_path):
    traces = at((4.5, 52.5), (5.5, 52.5))
    both = shapely.MultiPolygon([EAST, shapely.box(8, 52, 9, 53)])
    for path in (geojson(tmp_path / "z.geojson", WEST, both), geoparquet(tmp_path / "z.parquet", WEST, both)):
        assert zones(traces, path).cell.tolist() == [0, 1]
        assert zones(traces, str(path)).cell.tolist() == [0, 1]


def test_one_geometry_alone_is_geojson_too(tmp_path):
    path = tmp_path / "one.json"
    path.write_text(json.dumps(shapely.geometry.mapping(WEST)))
    assert zones(at((4.5, 52.5)), path).cell.tolist() == [0]


DUTCH = "urn:ogc:def:crs:EPSG::28992"


def named(name):
    return {"crs": {"type": "name", "properties": {"name": name}}}


@pytest.mark.parametrize("name", ["urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326"])
def test_wgs_84_by_any_name(tmp_path, name):
    assert zones(at((4.5, 52.5)), geojson(tmp_path / "z.json", WEST, **named(name))).cell.tolist() == [0]


def test_another_plane_is_refused(tmp_path):
    import pyproj

    dutch = pyproj.CRS("EPSG:28992").to_json_dict()
    files = [
        geojson(tmp_path / "z.json", WEST, **named(DUTCH)),
        geoparquet(tmp_path / "z.parquet", WEST, crs=dutch),
        geoparquet(tmp_path / "n.parquet", WEST, crs=None),
    ]
    for path in files:
        with pytest.raises(DataError, match="not in WGS 84"):
            zones(at((4.5, 52.5)), path)


def test_a_polygon_with_odd_coordinates_is_refused_by_position(tmp_path):
    good = {"type": "Feature", "properties": {}, "geometry": WEST.__geo_interface__}
    bad = {**good, "geometry": {"type": "Polygon", "coordinates": [[["a", 1], [2, 2], [3, 1], ["a", 1]]]}}
    (tmp_path / "z.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [good, bad, good]}))
    with pytest.raises(DataError, match=r"^zone 1 of z\.geojson cannot be read as GeoJSON; check its coordinates"):
        zones(at((4.5, 52.5)), tmp_path / "z.geojson")


@pytest.mark.parametrize("geometry", [[], [[]], [1, 2], "", "Polygon", 7, 0, None, True])
@pytest.mark.parametrize("before", [0, 1])
def test_odd_values_in_the_place_of_a_geometry_are_refused_by_position(tmp_path, geometry, before):
    feature = {"type": "Feature", "properties": {}, "geometry": geometry}
    good = {"type": "Feature", "properties": {}, "geometry": WEST.__geo_interface__}
    text = json.dumps({"type": "FeatureCollection", "features": [good] * before + [feature]})
    (tmp_path / "z.geojson").write_text(text)
    with pytest.raises(DataError, match=rf"^zone {before} is not a polygon \(1 such zone\)"):
        zones(at((4.5, 52.5)), tmp_path / "z.geojson")


@pytest.mark.parametrize(
    "geometry",
    [{}, {"type": "Polygon"}, *({"type": "Polygon", "coordinates": c} for c in (7, [[]], [[[]]], [[[1]]], [7], "x"))],
)
def test_geometries_without_proper_coordinates_get_a_sentence(tmp_path, geometry):
    feature = {"type": "Feature", "properties": {}, "geometry": geometry}
    (tmp_path / "z.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    with pytest.raises(DataError, match=r"^zone 0 of z\.geojson cannot be read|is empty"):
        zones(at((4.5, 52.5)), tmp_path / "z.geojson")


@pytest.mark.parametrize("text", ["[" * 5_000, "[1]", "junk", '{"type": "FeatureCollection", "features": 7}'])
def test_files_of_another_format_are_refused(tmp_path, text):
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "z.geojson").write_text(text)
    with pytest.raises(DataError, match="not readable GeoJSON"):
        zones(at((4.5, 52.5)), tmp_path / "z.geojson")
    for geo in (text, '{"primary_column": "g", "columns": {"g": 7}}'):
        pq.write_table(pa.table({"g": [b""]}).replace_schema_metadata({"geo": geo}), tmp_path / "z.parquet")
        with pytest.raises(DataError, match="not readable GeoParquet"):
            zones(at((4.5, 52.5)), tmp_path / "z.parquet")


def test_the_crs_of_geoparquet_is_understood(tmp_path):
    import pyproj

    path = geoparquet(tmp_path / "z.parquet", WEST, crs=pyproj.CRS("EPSG:4326").to_json_dict())
    assert zones(at((4.5, 52.5)), path).cell.tolist() == [0]


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([], "hold no polygon"),
        ([WEST, shapely.Point(5, 52)], "zone 1 is not a polygon"),
        ([WEST, None], "zone 1 is not a polygon"),
        ([shapely.Polygon()], "zone 0 is empty"),
        ([shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])], "zone 0 crosses itself"),
    ],
)
def test_shapes_that_are_no_zones_are_refused(shapes, message):
    with pytest.raises(DataError, match=message):
        zones(at((4.5, 52.5)), shapes)


def test_files_that_are_no_zones_are_refused(tmp_path):
    (tmp_path / "text.json").write_text("hello")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "plain.parquet")
    geoparquet(tmp_path / "native.parquet", WEST, encoding="polygon")
    for name, message in {
        "absent.json": "absent.json does not exist",
        "text.json": "not readable GeoJSON",
        "plain.parquet": "not readable GeoParquet",
        "native.parquet": "not in WKB",
    }.items():
        with pytest.raises(DataError, match=message):
            zones(at((4.5, 52.5)), tmp_path / name)


def test_metres_do_not_meet_files_in_degrees(tmp_path):
    with pytest.raises(ParameterError, match="give shapely geometries"):
        zones(tracks([(0, 5, 5)]), geojson(tmp_path / "z.json", WEST))


def test_without_shapely_the_command_that_installs_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "shapely", None)
    with pytest.raises(MissingExtra, match=r"pip install 'incrowd\[geo\]'"):
        zones(at((4.5, 52.5)), [WEST])

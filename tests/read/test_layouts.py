"""Well-known datasets, a few lines of each in its own layout."""

import gzip

import numpy as np
import pytest

import incrowd as ic

PLT = """Geolife trajectory
WGS 84
Altitude is in Feet
Reserved 3
0,2,255,My Track,0,0,2,8421376
0
39.984702,116.318417,0,492,39744.1201851852,2008-10-23,02:53:04
39.984683,116.31845,0,492,39744.1202546296,2008-10-23,02:53:10
"""


def test_geolife(tmp_path):
    for user, day in (("000", "a"), ("000", "b"), ("017", "a")):
        folder = tmp_path / "Data" / user / "Trajectory"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{day}.plt").write_bytes(PLT.replace("\n", "\r\n").encode())
        (folder.parent / "labels.txt").write_text("Start Time\tEnd Time\tTransportation Mode\n")
    traces = ic.read.table(tmp_path, layout="geolife", attributes=["altitude_ft"])
    assert traces.users.tolist() == ["000", "017"] and traces.offsets.tolist() == [0, 4, 6]
    assert traces.t[[0, -1]].tolist() == [1224730384, 1224730390]
    assert traces.attributes["altitude_ft"].tolist() == ["492", "492"]
    bad = tmp_path / "Data" / "017" / "Trajectory" / "c.plt"
    bad.write_text(PLT + "0,0,0\n")
    with pytest.raises(ic.DataError, match=r"too few fields at line 9 of .*017/Trajectory/c.plt"):
        ic.read.table(tmp_path, layout="geolife")
    bad.write_text(PLT + "91,0,0,492,39744,2008-10-23,02:53:04\n")
    with pytest.raises(ic.DataError, match=r"column '0 \(lat\)' at line 9 of .*017/Trajectory/c.plt"):
        ic.read.table(tmp_path, layout="geolife")


def test_tdrive_with_an_empty_file(tmp_path):
    (tmp_path / "1.txt").write_text(
        "1,2008-02-02 15:36:08,116.51172,39.92123\n1,2008-02-02 15:46:08,116.51135,39.93883\n"
    )
    (tmp_path / "2.txt").write_text("")
    (tmp_path / "10.txt").write_text("10,2008-02-02 13:30:44,116.36421,39.88781\n")
    traces = ic.read.table(tmp_path, layout="tdrive", time_zone="Asia/Shanghai")
    assert traces.users.tolist() == [1, 10] and traces.t[0] == 1201937768
    assert traces.lon[0] == 116.51172


def test_cabspotting_is_logged_backwards(tmp_path):
    (tmp_path / "new_abboip.txt").write_text("37.75134 -122.39488 0 1213084687\n37.75136 -122.39527 1 1213084659\n")
    (tmp_path / "new_ab-x.txt").write_text("37.75 -122.39 1 1213084659\n")
    (tmp_path / "_cabs.txt").write_text('<cab id="abboip" updates="2"/>\n')
    traces = ic.read.table(tmp_path, layout="cabspotting", attributes=["occupied"])
    assert traces.users.tolist() == ["ab-x", "abboip"] and traces.t.tolist() == [1213084659, 1213084659, 1213084687]
    assert traces.attributes["occupied"].tolist() == [frozenset("1"), frozenset("01")]
    assert traces.ledger.steps[0].notes["put in time order"] == 1


@pytest.mark.parametrize("name", ["gowalla", "brightkite"])
def test_check_ins(tmp_path, name):
    text = (
        '0\t2010-10-19T23:55:27Z\t30.2359091167\t-97.7951395833\t22847\n1\t2010-10-18T22:17:43Z\t30.26\t-97.74\ta"b\n'
    )
    (tmp_path / f"loc-{name}_totalCheckins.txt.gz").write_bytes(gzip.compress(text.encode()))
    traces = ic.read.table(tmp_path, layout=name, attributes=["location"])
    assert traces.users.tolist() == [0, 1] and traces.t[0] == 1287532527
    assert traces.attributes["location"].tolist() == ["22847", 'a"b']


def test_foursquare_in_latin_1(tmp_path):
    path = tmp_path / "dataset_TSMC2014_NYC.txt"
    row = "470\t49bb\t4bf5\tCafé\t40.7198\t-74.0025\t-240\tTue Apr 03 18:00:09 +0000 2012\n"
    path.write_bytes(row.encode("latin-1"))
    traces = ic.read.table(path, layout="foursquare", attributes=["category"], time_zone="America/New_York")
    assert traces.t.tolist() == [1333476009] and traces.users.tolist() == [470]
    assert traces.attributes["category"].tolist() == ["Café"]
    path.write_bytes((row * 2 + row.replace("Apr", "Abc")).encode("latin-1"))
    with pytest.raises(ic.DataError, match=r"no time.* in column '7 \(t\)' at line 3 of "):
        ic.read.table(path, layout="foursquare")


def test_gpx(tmp_path):
    point = '<trkpt lat="52.{0}" lon="5"><ele>3</ele><time>2024-01-01T00:0{0}:00Z</time></trkpt>'
    body = "".join(point.format(i) for i in range(3))
    head = '<gpx xmlns="http://www.topografix.com/GPX/1/1"><metadata><time>1999-01-01T00:00:00Z</time></metadata>'
    (tmp_path / "ann.gpx").write_text(f"{head}<trk><trkseg>{body}</trkseg></trk></gpx>")
    (tmp_path / "bob.gpx").write_text(
        '<g:gpx xmlns:g="u"><g:wpt lat="1" lon="2"><g:time>2024-01-01T00:00:00Z</g:time></g:wpt></g:gpx>'
    )
    (tmp_path / "none.gpx").write_text("<gpx/>")
    for traces in (ic.read.table(tmp_path, layout="gpx"), ic.read.table(str(tmp_path / "*.gpx"))):
        assert traces.users.tolist() == ["ann", "bob"] and traces.offsets.tolist() == [0, 3, 4]
        np.testing.assert_array_equal(traces.t[:3], 1704067200 + 60 * np.arange(3))
        assert traces.lat.tolist() == [52.0, 52.1, 52.2, 1.0]


def test_gpx_places_without_a_time_are_no_records(tmp_path):
    point = '<{0} lat="52" lon="5">{1}</{0}>'
    time = "<time>2024-01-01T00:00:00Z</time>"
    places = point.format("wpt", "<name>home</name>") + point.format("wpt", time) + point.format("rtept", "")
    track = point.format("trkpt", time)
    text = "<gpx>{0}<trk><trkseg>{1}</trkseg></trk></gpx>"
    path = tmp_path / "ann.b.GPX.gz"
    path.write_bytes(gzip.compress(text.format(places, track).encode()))
    (tmp_path / "zoe.gpx").write_text(text.format("", track))
    for source in (tmp_path, path):
        traces = ic.read.table(source)
        assert traces.users.tolist()[0] == "ann.b" and traces.offsets.tolist()[:2] == [0, 2]
        assert traces.ledger.steps[0].notes["GPX waypoints and route points without a time, left out"] == 2
    (tmp_path / "zoe.gpx").write_text(text.format(places, track + point.format("trkpt", "")))
    with pytest.raises(ic.DataError, match=r"no time.* in column 't' at line 1 of .*zoe.gpx"):
        ic.read.table(tmp_path / "zoe.gpx")
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(ic.DataError, match="cannot be read to its end"):
        ic.read.table(path)


def test_every_layout_says_what_it_is():
    assert list(ic.read.LAYOUTS) == [
        *("geolife", "tdrive", "cabspotting", "gowalla", "brightkite", "foursquare", "gpx", "geoparquet")
    ]
    assert all(layout.about for layout in ic.read.LAYOUTS.values())


def test_a_layout_of_ones_own(tmp_path):
    (tmp_path / "log.dat").write_text("# export\n7|03.04.2012 18:00|40.7|-74\n")
    own = ic.read.Layout(
        "our logger", {"user": 0, "t": 1, "lat": 2, "lon": 3}, delimiter="|", skip=1, time_format="%d.%m.%Y %H:%M"
    )
    traces = ic.read.table(tmp_path / "log.dat", layout=own, time_zone="America/New_York")
    assert traces.t.tolist() == [1333490400]


def test_gpx_takes_no_time_format(tmp_path):
    (tmp_path / "ann.gpx").write_text("<gpx/>")
    with pytest.raises(ic.ParameterError, match="leave time_format out"):
        ic.read.table(tmp_path / "ann.gpx", time_format="%d/%m/%Y %H:%M")


@pytest.mark.parametrize("wrong", [{"delimiter": "||"}, {"delimiter": ""}, {"quote": "''"}])
def test_delimiter_and_quote_are_one_character(wrong):
    (name,) = wrong
    with pytest.raises(ic.ParameterError, match=rf"^{name} must be one character"):
        ic.read.Layout("two bars", **wrong)


@pytest.mark.parametrize(
    ("header", "columns", "words"),
    [
        ("uid,local_time,lat,lon", {}, "--column t=NAME), for example --column t=local_time."),
        ("Rider Name,t,lat,lon", {}, "--column user=NAME), for example --column user=Rider Name."),
        ("uid,t,latitud,lon", {}, "--column lat=NAME), for example --column lat=latitud."),
        ("uid,tmestamp,lat,lon", {}, "--column t=NAME), for example --column t=tmestamp."),
        ("uid,t,lat,lon", {"user": "nope"}, "--column user=NAME), for example --column user=uid."),
        ("qq,t,lat,lon", {}, "pass columns={'user': NAME} (--column user=NAME)."),
        (
            "uid,t,lat,lon",
            {"user": "nope"},
            "column 'nope', given for user, is missing in PATH (has: uid, t, lat, lon); pass columns={'user': NAME}",
        ),
    ],
)
def test_a_missing_column_names_the_option_and_the_nearest_column(header, columns, words, tmp_path):
    path = tmp_path / "trips.csv"
    path.write_text(f"{header}\n1,2,3,4\n")
    with pytest.raises(ic.DataError) as error:
        ic.read.table(path, columns=columns)
    assert words.replace("PATH", str(path)) in str(error.value)


def test_a_missing_attribute_is_not_a_column_option(tmp_path):
    path = tmp_path / "trips.csv"
    path.write_text("uid,t,lat,lon,job\n1,2,3,4,x\n")
    with pytest.raises(ic.DataError, match=r"check the name of the attribute, did you mean job\.$"):
        ic.read.table(path, attributes=["jobs"])

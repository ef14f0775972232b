"""incrowd discretize."""

import pytest

import incrowd as ic
from incrowd.data import load


@pytest.mark.parametrize("into", ["grid", "blocks", "fingerprints"])
def test_every_way_to_discretize(incrowd, trips, tmp_path, into):
    code, out, _ = incrowd("discretize", trips, "-o", tmp_path / "out.parquet", "--into", into)
    assert code == 0, out
    assert load(tmp_path / "out.parquet").records > 0


def test_towers_and_counts(incrowd, trips, tmp_path):
    places, visits = tmp_path / "towers.csv", tmp_path / "visits.parquet"
    places.write_text("lon,lat\n5.0,52.0\n5.03,52.03\n")
    filled = ("--into", "towers", "--towers", places, "--fill", "interpolate")
    assert incrowd("discretize", trips, "-o", visits, *filled)[0] == 0
    assert incrowd("discretize", visits, "-o", tmp_path / "counts.parquet", "--into", "counts")[0] == 0
    counts = load(tmp_path / "counts.parquet")
    assert (counts.n.sum(axis=1) == 4).all()


@pytest.mark.parametrize("into", ["grid", "fingerprints"])
@pytest.mark.parametrize("words", [("--origin", "-122,37"), ("--origin=-122,37",)])
def test_an_origin_west_of_greenwich(incrowd, two, tmp_path, into, words):
    path = tmp_path / "made.parquet"
    code, _, err = incrowd("discretize", two[0], "-o", path, "--into", into, *words)
    assert code == 0 and "+lat_0=37 +lon_0=-122 " in ic.read.saved(path).crs, err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--origin", "5"), "--origin takes LON,LAT in degrees, such as -122,37"),
        (("--origin", "52,181"), "check that they are not swapped"),
        (("--origin", "5,52", "--into", "blocks"), "--origin has no use with --into blocks"),
    ],
)
def test_an_origin_that_means_nothing(incrowd, two, tmp_path, words, message):
    code, _, err = incrowd("discretize", two[0], "-o", tmp_path / "made.parquet", *words)
    assert code == 2 and message in err and not (tmp_path / "made.parquet").exists()


def test_far_towers_are_refused_and_insisted_upon(incrowd, two, tmp_path):
    towers = tmp_path / "towers.csv"
    towers.write_text("lat,lon\n4.97,52.3\n5.0,52.33\n5.02,52.35\n")
    for command in (
        ("discretize", two[0], "--into", "towers", "-o", tmp_path / "visits.parquet"),
        ("anonymize", "counts", two[0], "-o", tmp_path / "counts.parquet"),
        ("attack", "ash", two[0], "--slot-min", 360),
        ("assess", two[0], "--estimate"),
    ):
        words = (*command, "--towers", towers)
        code, _, err = incrowd(*words)
        assert code == 2 and "lon and lat may be swapped" in err and "--far-towers" in err
        assert incrowd(*words, "--far-towers")[0] == 0

"""incrowd measure exposure --map."""

import json

import pyarrow.parquet as pq
import pytest

import incrowd as ic


@pytest.fixture(scope="module")
def trips(tmp_path_factory):
    path = tmp_path_factory.mktemp("exposure") / "trips.parquet"
    ic.read.synthetic_city(users=40, towers=12, days=2, seed=0).traces.save(path)
    return path


def test_the_map_is_written_as_geojson_geoparquet_and_pictures(incrowd, trips, tmp_path):
    for suffix in ("geojson", "parquet", "svg", "pdf"):
        path = tmp_path / f"risk.{suffix}"
        code, out, err = incrowd("measure", "exposure", trips, "--cell-m", 1000, "--map", path)
        assert code == 0 and "made a visit that nobody else made" in out and err == f"map: {path}\n"
    expected = ic.measure.risk_map(ic.discretize.grid(trips, cell_m=1000, slot_min=60))
    assert len(expected.cell) > 5
    features = json.loads((tmp_path / "risk.geojson").read_text())["features"]
    shares = pq.read_table(tmp_path / "risk.parquet")["share"].to_pylist()
    assert [f["properties"]["share"] for f in features] == shares == expected.share.tolist()
    assert (tmp_path / "risk.svg").read_text().startswith("<svg")
    assert (tmp_path / "risk.pdf").read_bytes().startswith(b"%PDF")


def test_min_people_is_that_of_the_map(incrowd, trips, tmp_path):
    cells = []
    for least in (1, 30):
        how = ("--cell-m", 1000, "--min-people", least, "--map", tmp_path / "risk.json", "--force")
        assert incrowd("measure", "exposure", trips, *how)[0] == 0
        people = [f["properties"]["people"] for f in json.loads((tmp_path / "risk.json").read_text())["features"]]
        assert all(count >= least for count in people)
        cells.append(len(people))
    assert cells[0] > cells[1] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--map", "risk.shp"), "end its name in one of .geojson"),
        (("--map", "there.json"), "exists"),
        (("--map", "nowhere/risk.json"), "does not exist"),
        (("--outline", "city.geojson"), "pass --map too"),
        (("--map", "risk.svg", "--min-people", "1000"), "no cell has 1000 people"),
    ],
)
def test_what_cannot_be_written_is_said_and_nothing_is_left(incrowd, trips, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.json").write_text("{}")
    code, _, err = incrowd("measure", "exposure", trips, *words)
    assert code == 2 and said in err and err.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["there.json"]


def test_an_input_is_not_overwritten(incrowd, trips, tmp_path):
    outline = tmp_path / "city.geojson"
    outline.write_text("{}")
    code, _, err = incrowd("measure", "exposure", trips, "--map", outline, "--outline", outline, "--force")
    assert code == 2 and "--map city.geojson would overwrite its own input" in err and outline.read_text() == "{}"

"""incrowd report."""

import base64
import json
import re

import numpy as np
import pytest

import incrowd as ic
from incrowd.report.overview import HIDING


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Trajectories of a small city, their fingerprints, and a release of each kind with its link."""
    path = tmp_path_factory.mktemp("report")
    traces = ic.read.synthetic_city(users=20, towers=15, days=1, seed=2).traces
    traces.save(path / "trips.parquet")
    prints = ic.discretize.fingerprints(traces)
    prints.save(path / "prints.parquet")
    made = {
        "glove": (ic.anonymize.Glove(k=2, max_extent_m=2000)(prints), prints),
        "w4m": (ic.anonymize.W4M()(traces), traces),
    }
    for name, (release, original) in made.items():
        ic.anonymize.publish(release, path / name, original=original, link=path / f"{name}.csv")
    return path


def sections(page, what="answer"):
    """Question -> answer."""
    packed = re.search(r"data:application/json;base64,([A-Za-z0-9+/=]+)", page.read_text()).group(1)
    return {part["question"]: part[what] for part in json.loads(base64.b64decode(packed))["sections"]}


def test_a_glove_release_is_explained_by_its_boxes_and_its_own_ledger(incrowd, folder, tmp_path):
    page = tmp_path / "r.html"
    code, _, err = incrowd("report", folder / "trips.parquet", "--release", folder / "glove", "-o", page)
    assert code == 0, err
    said = sections(page)
    coarse = said["How coarse is what was published?"]
    assert re.search(r"\([1-9]\d* of [\d,]+ samples\) and [\d.]+ % \(\d+ of 20 people\) were deleted", coarse)
    assert coarse.startswith("20 people in ") and "How coarse did the data become?" not in said
    assert "passed" in said["Does the release meet the guarantees it states?"]
    assert HIDING in said and "Why are people hard to hide?" in said


def test_with_the_link_it_says_what_became_of_each_sample(incrowd, folder, tmp_path):
    page = tmp_path / "r.html"
    how = ("--release", folder / "glove", "--link", folder / "glove.csv", "-o", page)
    code, _, err = incrowd("report", folder / "trips.parquet", *how)
    assert code == 0, err
    assert "remaining samples are known to" in sections(page)["How coarse did the data become?"]
    assert "smallest published box" in page.read_text()
    checks = sections(page, "data")["Does the release meet the guarantees it states?"]["checks"]
    # Against the records themselves, not against squares of 500 m, truthfulness can be decided.
    assert {check["name"]: check["status"] for check in checks}["truthfulness"] == "pass"
    code, _, err = incrowd(
        "report", folder / "trips.parquet", "--link", folder / "glove.csv", "-o", tmp_path / "x.html"
    )
    assert code == 2 and "--release" in err


def test_a_release_of_moved_points_is_compared_on_the_grid(incrowd, folder, tmp_path):
    page = tmp_path / "r.html"
    code, _, err = incrowd("report", folder / "trips.parquet", "--release", folder / "w4m", "-o", page)
    assert code == 0, err
    assert "visits per cell and slot agree" in sections(page)["What is the release still good for?"]


def test_fingerprints_are_explained_and_what_cannot_be_is_said(incrowd, folder, tmp_path):
    page = tmp_path / "r.html"
    code, _, err = incrowd("report", folder / "prints.parquet", "--release", folder / "w4m", "-o", page)
    assert code == 0, err
    said = sections(page)
    assert HIDING in said
    assert said["What is the release still good for?"].startswith("Left out")


@pytest.mark.parametrize("option", ["--release", "--outline"])
def test_a_file_that_is_not_there_is_refused_before_work(incrowd, folder, tmp_path, monkeypatch, option):
    monkeypatch.setattr("incrowd.report.overview.overview", None)  # never reached
    code, _, err = incrowd("report", folder / "trips.parquet", option, tmp_path / "no", "-o", tmp_path / "r.html")
    assert code == 2 and option in err and "does not exist" in err and list(tmp_path.iterdir()) == []


def test_many_people_are_sent_to_the_command(incrowd, folder, tmp_path, monkeypatch):
    monkeypatch.setattr("incrowd.report.overview.MOST_S", 0)
    page = tmp_path / "r.html"
    assert incrowd("report", folder / "prints.parquet", "-o", page)[0] == 0
    assert "incrowd measure kgap" in sections(page)[HIDING]


def test_releases_in_csv_are_explained_like_those_in_parquet(incrowd, folder, tmp_path):
    for name, method in (("glove", ic.anonymize.Glove(k=2, max_extent_m=2000)), ("w4m", ic.anonymize.W4M())):
        data = ic.read.saved(folder / ("prints.parquet" if name == "glove" else "trips.parquet"))
        made, said = method(data, pseudonym_seed=1), []
        for file in ("parquet", "csv"):
            release, page = tmp_path / f"{name}-{file}", tmp_path / f"{name}-{file}.html"
            ic.anonymize.publish(made, release, file=file)
            code, _, err = incrowd("report", folder / "trips.parquet", "--release", release, "-o", page)
            assert code == 0, err
            said.append(sections(page))
        assert said[0] == said[1]


def test_fingerprints_published_in_csv_are_taken_for_fingerprints(incrowd, folder, tmp_path):
    made = ic.anonymize.Glove(k=2)(ic.read.saved(folder / "prints.parquet"))
    said = []
    for file in ("parquet", "csv"):
        release = ic.anonymize.publish(made, tmp_path / file, file=file)
        said.append(incrowd("measure", "kgap", release, "--json"))
    assert said[0] == said[1] and said[0][0] == 0


def test_the_link_tells_how_many_people_a_release_is_of(incrowd, folder, tmp_path):
    page = tmp_path / "r.html"
    how = ("--release", folder / "w4m" / "data.parquet", "--link", folder / "w4m.csv", "-o", page, "--json")
    code, out, err = incrowd("report", folder / "trips.parquet", *how)
    assert code == 0, err
    useful = sections(page, "data")["What is the release still good for?"]
    assert useful["people"] == [20, 20] and useful["cell_m"] == 500
    said, told = sections(page), json.loads(out)
    assert re.match(r"[\d,]+ visits of [\d,]+ published; ", said["What is the release still good for?"])
    assert told["report"] == str(page) and {one["question"]: one["answer"] for one in told["sections"]} == said


@pytest.fixture
def city_log(tmp_path):
    """Twenty people whose median longitude is near 5 degrees: moving points moves it into another degree."""
    rng = np.random.default_rng(0)
    rows = [
        (u, 1_719_792_000 + 3600 * h, 5.0 + 0.004 * (u // 2 - 5) + rng.uniform(0, 0.003), 52.3 + 0.002 * (u // 2))
        for u in range(20)
        for h in range(12)
    ]
    path = tmp_path / "log.csv"
    path.write_text("user,t,lon,lat\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("method", ["w4m", "cut", "glove"])
def test_a_release_in_another_plane_is_compared_all_the_same(incrowd, city_log, tmp_path, method):
    source, words, made = city_log, (), tmp_path / "made.parquet"
    if method == "w4m":  # of the half to the east, so that the median of its points is in another degree
        source = tmp_path / "east.csv"
        lines = city_log.read_text().splitlines()
        source.write_text("\n".join([lines[0], *(x for x in lines[1:] if float(x.split(",")[2]) > 5)]) + "\n")
    else:
        grain = ("--into", "fingerprints") if method == "glove" else ("--cell-m", 700, "--slot-min", 30)
        assert incrowd("discretize", city_log, "-o", made, "--origin", "4.7,52.1", *grain)[0] == 0
        source = made
        words = () if method == "glove" else ("--window-h", 24)
    link = tmp_path / "link.csv"
    code, _, err = incrowd("anonymize", method, source, "-o", tmp_path / "rel", "--keep-link", link, *words)
    assert code == 0, err
    page = tmp_path / "page.html"
    code, _, err = incrowd("report", city_log, "--release", tmp_path / "rel", "--link", link, "-o", page)
    asks = "in the smallest published box" if method == "glove" else "What is the release still good for?"
    assert code == 0 and asks in page.read_text() and "Left out" not in page.read_text(), err


def test_the_same_sections_are_written_in_markdown(incrowd, folder, tmp_path):
    page, markdown = tmp_path / "r.html", tmp_path / "r.md"
    for path in (page, markdown):
        code, out, err = incrowd("report", folder / "trips.parquet", "--release", folder / "glove", "-o", path)
        assert code == 0 and out.endswith(f"report: {path}\n"), err
    text = markdown.read_text()
    assert text.startswith("# Mobility-data privacy report\n")
    for question, answer in sections(page).items():
        assert f"## {question}\n\n{answer}\n" in text


def test_the_screen_says_which_cells_and_slots_were_used(incrowd, folder, tmp_path):
    trips = folder / "trips.parquet"
    _, out, _ = incrowd("report", trips, "-o", tmp_path / "a.html")
    call = f"ic.discretize.grid('{trips}', cell_m=500, slot_min=60)"
    assert out.startswith(f"visits: 500 m cells, 60 min slots; in Python: {call}\n")
    _, out, _ = incrowd("report", trips, "--cell-m", 1000, "--slot-min", 30, "-o", tmp_path / "b.html")
    assert "1,000 m cells, 30 min slots" in out and "cell_m=1000, slot_min=30" in out
    assert incrowd("report", folder / "prints.parquet", "-o", tmp_path / "c.html")[1].startswith("report: ")


def test_figures_are_written_as_svg_and_pdf_with_their_json(incrowd, folder, tmp_path):
    page, figures = tmp_path / "r.html", tmp_path / "figures"
    words = ("report", folder / "trips.parquet", "--release", folder / "glove", "-o", page, "--figures", figures)
    code, out, err = incrowd(*words)
    assert code == 0, err
    names = {file.stem for file in figures.iterdir()}
    assert f"figures: {len(names)} figures in {figures}\n" in out and {"uniqueness", "map", "ledger", "k-gap"} <= names
    for name in names:
        assert (figures / f"{name}.svg").read_text().startswith("<svg")
        assert (figures / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert json.loads((figures / f"{name}.json").read_text())["caption"]
    shown = json.loads((figures / "uniqueness.json").read_text())["lines"][0]["y"]
    visits = ic.discretize.grid(folder / "trips.parquet", cell_m=500, slot_min=60)
    assert shown[:2] == [ic.measure.uniqueness(visits, points=points, short="drop").value for points in (1, 2)]
    before = {file.name: file.read_bytes() for file in figures.iterdir()}
    page.unlink()
    code, _, err = incrowd(*words)
    assert code == 2 and "is not empty" in err and not page.exists()
    assert incrowd(*words, "--force")[0] == 0
    assert {file.name: file.read_bytes() for file in figures.iterdir()} == before  # the same from run to run


def test_the_map_of_risk_takes_the_outline_given(incrowd, folder, tmp_path):
    ring = [[5.0, 52.0], [5.5, 52.0], [5.5, 52.5], [5.0, 52.0]]
    (tmp_path / "city.geojson").write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
    words = ("report", folder / "trips.parquet", "--cell-m", 4000, "--figures", tmp_path / "figures")
    code, _, err = incrowd(*words, "--outline", tmp_path / "city.geojson", "-o", tmp_path / "r.html")
    assert code == 0, err
    assert len(json.loads((tmp_path / "figures" / "risk-map.json").read_text())["outline"][0]) == len(ring)

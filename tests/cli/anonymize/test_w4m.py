import json

import pytest

import incrowd as ic
from incrowd.data import load


def test_a_release_is_published_and_passes_the_audit(incrowd, trips, tmp_path):
    words = ("--k", 2, "--delta-m", 500, "--trash", 0, "--keep-link", tmp_path / "link.csv")
    code, out, err = incrowd("anonymize", "w4m", trips, "-o", tmp_path / "release", *words)
    assert code == 0 and "\nGuarantee: (k, delta)-anonymity" in out and "left out and repeated" in out
    assert "The radius of clusters is " in out and " Points were moved by " in out and err == ""
    assert len(load(tmp_path / "release" / "data.parquet")) == 4
    code, out, _ = incrowd("audit", tmp_path / "release", "--original", trips, "--link", tmp_path / "link.csv")
    assert code == 0 and "(k, delta)-anonymity" in out
    assert incrowd("audit", tmp_path / "release", "--k", 2, "--delta-m", 500)[0] == 0
    assert incrowd("audit", tmp_path / "release", "--k", 5, "--delta-m", 500)[0] == 1


def test_every_option_reaches_the_method(incrowd, trips, tmp_path):
    asked = {"k": 2, "delta_m": 300.0, "trash": 0.5, "radius_m": 4000.0, "chunk": 1}
    words = [str(w) for name, value in asked.items() for w in (f"--{name.replace('_', '-')}", value)]
    code, out, _ = incrowd("anonymize", "w4m", trips, "-o", tmp_path / "r", *words, "--seed", 3, "--json")
    assert code == 0 and json.loads(out)["folder"] == "r"
    said = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert {name: said["parameters"][name] for name in asked} == asked
    assert said["claims"] == {"k": 2, "delta_m": 300.0}


def test_fingerprints_are_taken_by_their_centres_and_visits_refused(incrowd, trips, tmp_path):
    ic.discretize.fingerprints(trips).save(tmp_path / "prints.parquet")
    assert incrowd("anonymize", "w4m", tmp_path / "prints.parquet", "-o", tmp_path / "r")[0] == 0
    ic.discretize.grid(trips, cell_m=500, slot_min=60).save(tmp_path / "visits.parquet")
    code, _, err = incrowd("anonymize", "w4m", tmp_path / "visits.parquet", "-o", tmp_path / "s")
    assert code == 2 and "holds Visits" in err


@pytest.mark.parametrize("words", [("--k", 1), ("--trash", 2), ("--delta-m", 0)])
def test_bad_options_are_one_sentence(incrowd, trips, tmp_path, words):
    code, _, err = incrowd("anonymize", "w4m", trips, "-o", tmp_path / "r", *words)
    assert code == 2 and err.startswith("incrowd: ") and err.count("\n") == 1

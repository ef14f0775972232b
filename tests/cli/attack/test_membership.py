"""incrowd attack membership."""

import json

import incrowd as ic


def test_the_custodian_and_the_game(incrowd, city, tmp_path):
    code, out, err = incrowd("attack", "membership", city, "--targets", 10, "--report", tmp_path / "m.html")
    assert code == 0 and "with an AUC of" in out and "custodian, 10 people asked about" in out, err
    assert "Can an attacker find out whether a known person is in these counts?" in (tmp_path / "m.html").read_text()
    words = ("--size", 10, "--targets", 10, "--groups", 2, "--suppress-below", 3, "--json")
    record = json.loads(incrowd("attack", "membership", city, *words)[1])
    expected = ic.attack.membership(
        ic.discretize.filled(ic.read.saved(city)), size=10, targets=10, groups=2, mitigation={"suppress_below": 3}
    )
    assert (record["mode"], record["auc"], record["mitigation"]) == ("game", expected.auc, {"suppress_below": 3})
    assert not {"scores", "positions"} & record.keys()


def test_somebody_elses_counts(incrowd, city, tmp_path):
    counts = tmp_path / "counts.parquet"
    assert incrowd("anonymize", "counts", city, "-o", counts, "--round-to", 2)[0] == 0
    code, out, err = incrowd("attack", "membership", city, "--published", counts, "--size", 25, "--round-to", 2)
    assert code == 0 and "25 people were scored; no truth was given" in out, err
    assert incrowd("anonymize", "counts", city, "-o", tmp_path / "release", "--rule", 11)[0] == 0
    code, out, err = incrowd("attack", "membership", city, "--published", tmp_path / "release", "--size", 25)
    assert code == 0 and "25 people were scored" in out, err
    code, _, err = incrowd("attack", "membership", city, "--published", tmp_path / "nothing.csv", "--size", 25)
    assert code == 2 and "nothing.csv" in err
    code, _, err = incrowd("attack", "membership", city, "--rule", "12")
    assert code == 2

"""incrowd attack lookup: a release of visits, of points and of boxes."""

import json

import incrowd as ic


def test_a_cut_release_is_looked_up(incrowd, city, release, tmp_path):
    words = ("attack", "lookup", release, city, "--link", tmp_path / "link.csv")
    code, out, err = incrowd(*words, "--report", tmp_path / "r.html")
    assert code == 0 and "of 25 people) are named rightly with a probability of 50 % or more" in out, err
    assert "How many people are identified in the release by 4 known records?" in (tmp_path / "r.html").read_text()
    record = json.loads(incrowd(*words, "--records", 2, "--json")[1])
    expected = ic.attack.lookup(release, ic.read.saved(city), link=tmp_path / "link.csv", records=2)
    assert (record["value"], record["cap"], record["records"]) == (expected.value, expected.cap, 2)
    assert not {"crowd", "caps"} & record.keys()
    code, _, err = incrowd("attack", "lookup", release, city)
    assert code == 2 and "give the link file" in err


def test_points_and_boxes_are_looked_up(incrowd, trips, tmp_path):
    for method, words in (("w4m", ("--k", 2, "--delta-m", 500)), ("glove", ("--k", 2))):
        link = tmp_path / f"{method}.csv"
        made = incrowd("anonymize", method, trips, "-o", tmp_path / method, "--keep-link", link, *words)
        assert made[0] == 0, made[2]
        code, out, err = incrowd("attack", "lookup", tmp_path / method, trips, "--link", link, "--json")
        assert code == 0, err
        if method == "glove":
            assert 0 < json.loads(out)["value"] <= 0.5

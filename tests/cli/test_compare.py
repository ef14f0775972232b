"""incrowd compare."""

import json


def test_the_answer_comes_first_and_then_the_table(incrowd, trips, tmp_path):
    page = tmp_path / "compare.html"
    code, out, err = incrowd(
        "compare", trips, "--methods", "glove,generalize", "--points", 2, "--target", "k=2", "-o", page
    )
    assert code == 0 and " loses least detail of all that reach the target (nobody in a crowd below 2): " in out
    assert "in Python: ic.assess.compare(" in out and f"report: {page}" in out
    assert "up to: the upper end that is judged" in out and "n/a" not in out
    assert err.startswith("compare: 4 people, 40 samples, 7 settings: ") and page.exists()


def test_json_is_the_whole_record(incrowd, trips):
    code, out, _ = incrowd("compare", trips, "--methods", "cut", "--target", "uniqueness=0.5", "--people", 3, "--json")
    found = json.loads(out)
    assert code == 0 and (found["people"], found["of_people"]) == (3, 4)
    assert found["target"] == {"k": None, "uniqueness": 0.5, "guess": None} and found["verdict"]
    assert [row["setting"] for row in found["rows"]] == ["as they are", "500 m, 60 min", "24 h", "6 h", "1 h"]
    assert all(0 <= row["privacy"]["guess"] <= row["privacy"]["guess_high"] <= 1 for row in found["rows"])
    assert found["frontier"][0]["method"] == "none" and found["best"] == found["cheapest"]


def test_thinned_people_are_named(incrowd, trips):
    _, out, err = incrowd("compare", trips, "--methods", "cut", "--people", 3, "--target", "k=2")
    assert "3 people of 4, drawn at random" in out and "3 people of 4, drawn at random" in err


def test_the_estimate_stops_there(incrowd, trips, tmp_path):
    code, out, _ = incrowd("compare", trips, "--target", "k=2", "--estimate", "-o", tmp_path / "page.html")
    assert code == 0 and "15 settings: " in out and "lkc at most 12 min more" in out
    assert not (tmp_path / "page.html").exists()


def test_bad_words_are_refused_before_the_file_is_read(incrowd, tmp_path):
    for words, said in (
        (("--methods", "glove,magic"), "unknown method 'magic'"),
        (("--target", "safe"), "unknown target"),
        (("--target", f"k={'9' * 5000}"), "unknown target"),
        (("--points", "99"), "points must be in [1, 8]"),
    ):
        code, _, err = incrowd("compare", tmp_path / "nothing.csv", *words)
        assert code == 2 and said in err
    (tmp_path / "there.html").touch()
    code, _, err = incrowd("compare", tmp_path / "nothing.csv", "-o", tmp_path / "there.html")
    assert code == 2 and "--force" in err


def test_too_few_people_are_told_before_anything_runs(incrowd, trips):
    code, out, err = incrowd("compare", trips)
    assert code == 2 and not out and err.count("\n") == 1
    assert "no release of 4 people can reach the target (people guessed rightly in at most 1/11 of cases" in err


def test_help_names_every_method(incrowd):
    from incrowd.anonymize import METHODS

    _, out, _ = incrowd("compare", "--help")
    assert all(name in out for name in METHODS)


def test_what_w4m_does_not_promise_is_in_the_table(incrowd, trips):
    _, out, _ = incrowd("compare", trips, "--methods", "w4m,cut", "--slot-min", 1441, "--target", "k=2")
    assert out.count("(k, delta) only; pivots are published as they") == 2
    assert "no strength of it fits slots of 1,441 min" in out

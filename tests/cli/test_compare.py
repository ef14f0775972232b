"""incrowd compare."""

import json

from incrowd.cli.compare import HEAD, _aligned


def test_the_answer_comes_first_and_then_the_table(incrowd, trips, tmp_path):
    page = tmp_path / "compare.html"
    code, out, err = incrowd("compare", trips, "--methods", "glove,generalize", "--points", 2, "-o", page)
    assert code == 0 and out.startswith("Cheapest for the target (nobody in a crowd below 2) is ")
    assert "*+ glove k=2 " in out and " + none as they are " in out and f"report: {page}" in out
    assert "1 / crowd" in out and "n/a" not in out
    assert err.startswith("compare: 4 people, 40 samples, 7 settings: about") and page.exists()
    assert max(len(line) for line in out.splitlines()[:-1]) <= 80  # the last one names the page


def test_json_is_the_whole_record(incrowd, trips):
    code, out, _ = incrowd("compare", trips, "--methods", "cut", "--target", "uniqueness=0.5", "--people", 3, "--json")
    found = json.loads(out)
    assert code == 0 and (found["people"], found["of_people"]) == (3, 4)
    assert found["target"] == {"k": None, "uniqueness": 0.5} and found["verdict"]
    assert [row["setting"] for row in found["rows"]] == ["as they are", "24 h", "6 h", "1 h"]
    assert found["rows"][0]["privacy"]["linked"] <= 1 and 0 <= found["rows"][1]["privacy"]["linked"] <= 1
    assert found["frontier"][0]["method"] == "none"


def test_thinned_people_are_said(incrowd, trips):
    _, out, err = incrowd("compare", trips, "--methods", "cut", "--people", 3)
    assert "3 people of 4, drawn at random" in out and "3 people of 4, drawn at random" in err


def test_the_estimate_stops_there(incrowd, trips, tmp_path):
    code, out, _ = incrowd("compare", trips, "--estimate", "-o", tmp_path / "page.html")
    assert code == 0 and "15 settings: about" in out and "lkc at most 6 min more" in out
    assert not (tmp_path / "page.html").exists()


def test_bad_words_are_refused_before_the_file_is_read(incrowd, tmp_path):
    for words, said in (
        (("--methods", "glove,magic"), "unknown method 'magic'"),
        (("--target", "safe"), "unknown target"),
        (("--target", f"k={'9' * 5000}"), "unknown target"),
        (("--points", "99"), "points must lie in 1 to 8"),
    ):
        code, _, err = incrowd("compare", tmp_path / "nothing.csv", *words)
        assert code == 2 and said in err
    (tmp_path / "there.html").touch()
    code, _, err = incrowd("compare", tmp_path / "nothing.csv", "-o", tmp_path / "there.html")
    assert code == 2 and "--force" in err


def test_help_names_every_method(incrowd):
    from incrowd.anonymize import METHODS

    _, out, _ = incrowd("compare", "--help")
    assert all(name in out for name in METHODS)


def test_what_w4m_does_not_promise_stands_under_the_table(incrowd, trips):
    _, out, _ = incrowd("compare", trips, "--methods", "w4m,cut", "--slot-min", 1441)
    assert out.count("w4m: (k, delta) only; pivots are published as they were") >= 1
    assert "could not run: no strength of it fits slots of 1,441 min" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80


def test_columns_are_as_wide_as_what_they_hold():
    rows = (HEAD, ("*+ a method with a long name k=2, 15 km, 6 h", *["100%"] * 9, "123,456,789"), ("   b", *["1"] * 10))
    lines = _aligned(rows)
    assert len(set(map(len, lines))) == 1 and lines[1].startswith("*+ a method with a long name k=2, 15 km, 6 h  100%")
    assert lines[0].endswith("       kept") and lines[1].endswith(" 123,456,789") and lines[2].endswith("   1")

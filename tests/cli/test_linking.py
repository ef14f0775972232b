"""The commands that attack releases and datasets, and the plan of a cut."""

import json

import pytest

import incrowd as ic


@pytest.fixture
def city(tmp_path):
    made = ic.read.synthetic_city(users=25, towers=12, days=2, profile="operator-calm")
    return ic.discretize.towers(made.traces, made.towers, slot_min=60).save(tmp_path / "city.parquet")


@pytest.fixture
def release(incrowd, city, tmp_path):
    words = ("-o", tmp_path / "release", "--window-h", 24, "--keep-link", tmp_path / "link.csv")
    assert incrowd("anonymize", "cut", city, *words)[0] == 0
    return tmp_path / "release"


def test_relink(incrowd, release, tmp_path):
    code, out, _ = incrowd(
        "attack", "relink", release, "--link", tmp_path / "link.csv", "--report", tmp_path / "r.html"
    )
    assert code == 0 and "neighbours joined" in out and "found among rejoined" in out and "top 3" in out
    assert "Can the pieces be linked again?" in (tmp_path / "r.html").read_text()
    code, out, _ = incrowd(
        "attack", "relink", release, "--json", "--points", 2, "--memory", "chain", "--reach-windows", 2
    )
    told = json.loads(out)
    assert code == 0 and told["score"] is None and told["pieces"] > told["chains"]
    assert (told["points"], told["memory"], told["reach_windows"]) == (2, "chain", 2)
    assert not {"following", "chain"} & told.keys()


def test_link(incrowd, city, release, tmp_path):
    code, out, _ = incrowd("attack", "link", city, release, "--truth", tmp_path / "link.csv", "--json")
    told = json.loads(out)
    assert code == 0 and told["scored"] == 25 and told["hit"]["1"] > told["chance"]["1"]
    code, out, _ = incrowd("attack", "link", city, city, "--tolerance-slots", 1, "--tolerance-m", 10)
    assert code == 0 and "among the first 1 " in out and "25 of 25 known people" in out


def test_a_release_in_csv_is_attacked_like_one_in_parquet(incrowd, city, tmp_path):
    cut = ic.anonymize.Cut(window_h=24)(ic.read.saved(city), pseudonym_seed=1)
    said = []
    for file in ("parquet", "csv"):
        release, link = tmp_path / file, tmp_path / f"{file}-link.csv"
        ic.anonymize.publish(cut, release, file=file, link=link, original=ic.read.saved(city))
        said.append(
            [
                incrowd("attack", "relink", release, "--link", link, "--json"),
                incrowd("attack", "link", city, release / f"data.{file}", "--truth", link, "--json"),
                incrowd("measure", "utility", city, release, "--json"),
                incrowd("attack", "home-work", release, "--json"),
            ]
        )
    assert said[0] == said[1] and all(code == 0 for code, _, _ in said[0])


def test_home_work(incrowd, city, trips):
    code, out, _ = incrowd(
        "attack", "home-work", city, "--night-h", 22, 6, "--work-h", 10, 16, "--min-visits", 2, "--json"
    )
    told = json.loads(out)
    assert code == 0 and told["night_h"] == [22, 6] and told["work_h"] == [10, 16] and told["min_visits"] == 2
    assert not {"home", "work", "home_crowd"} & told.keys()
    code, out, _ = incrowd("attack", "home-work", trips, "--time-zone", "Europe/Amsterdam")
    assert code == 0 and "4 people; hours by the clock of Europe/Amsterdam" in out


def test_plan(incrowd, city, tmp_path):
    words = ("--windows-h", "6,24", "--points", 2, "--target", 0.05, "--seed", 3)
    code, out, err = incrowd("anonymize", "cut", city, "--plan", *words, "--report", tmp_path / "plan.html")
    assert code == 0 and "re-linked" in out and "whole" in out and out.count("\n") == 7
    assert "longest within 5%: " in out and err == ""
    code, _, err = incrowd("anonymize", "cut", city, "--plan", "-o", tmp_path / "release")
    assert code == 2 and "--plan publishes nothing; leave -o out" in err and not (tmp_path / "release").exists()
    assert "for cutting to protect?" in (tmp_path / "plan.html").read_text()
    code, out, _ = incrowd("anonymize", "cut", city, "--plan", *words, "--json")
    told = json.loads(out)
    assert [cut["window_h"] for cut in told["cuts"]] == [6, 24, None]
    assert (told["points"], told["target"], told["seed"]) == (2, 0.05, 3)


def test_refusals(incrowd, city, tmp_path):
    assert incrowd("anonymize", "cut", city)[2].startswith(
        "incrowd: a release needs a folder; pass -o FOLDER, or --plan"
    )
    code, _, err = incrowd("anonymize", "cut", city, "--plan", "--windows-h", "1,x")
    assert code == 2 and "--windows-h takes hours" in err
    (tmp_path / "old.html").write_text("")
    code, _, err = incrowd("attack", "home-work", city, "--report", tmp_path / "old.html")
    assert code == 2 and "exists" in err
    code, _, err = incrowd("attack", "relink", tmp_path)
    assert code == 2 and "manifest" in err


def test_a_release_is_not_scored_by_its_pseudonyms(incrowd, city, release, tmp_path):
    for target in (release, release / "data.parquet"):
        code, out, _ = incrowd("attack", "link", city, target, "--report", tmp_path / "r.html", "--force")
        assert code == 0 and "pass --truth LINK" in out and "%" not in out
    assert "nobody told who is who" in (tmp_path / "r.html").read_text()
    told = json.loads(incrowd("attack", "link", city, release, "--json")[1])
    assert told["told"] is False and told["hit"] == {"1": None, "10": None} and told["claimed_right"] is None


def test_a_link_file_that_is_not_text_is_refused_in_a_sentence(incrowd, city, release, tmp_path):
    (tmp_path / "bin.csv").write_bytes(b"pseudonym,user\n\xff\xfe\x80,1\n")
    for words in (("relink", release, "--link"), ("link", city, release, "--truth")):
        code, out, err = incrowd("attack", *words, tmp_path / "bin.csv")
        assert code == 2 and out == "" and err.startswith("incrowd: bin.csv is not CSV in UTF-8;")


def test_rows_of_two_sides_do_not_go_into_one_file(incrowd, trips, city, tmp_path):
    trips.write_text(trips.read_text() + "rider9,never,52,5\n")
    other = tmp_path / "other.csv"
    other.write_text(trips.read_text())
    bad = ("--bad-rows", tmp_path / "bad.csv")
    code, _, err = incrowd("attack", "link", trips, other, *bad)
    assert code == 2 and "takes the rows of one source" in err and not (tmp_path / "bad.csv").exists()
    visits = tmp_path / "visits.parquet"
    assert incrowd("discretize", trips, "-o", visits, "--bad-rows", tmp_path / "first.csv")[0] == 0
    code, _, err = incrowd("attack", "link", trips, visits, *bad, "--time-zone", "UTC")
    assert code == 0 and (tmp_path / "bad.csv").read_text().count("\n") == 2, err
    visits = tmp_path / "visits.csv"
    visits.write_text("user,cell,slot\nrider0,1,0\n")
    code, _, err = incrowd("attack", "link", visits, visits, "--bad-rows", tmp_path / "none.csv")
    assert code == 2 and "leave --bad-rows out" in err


def test_a_csv_release_is_not_scored_by_its_pseudonyms(incrowd, city, tmp_path):
    cut = ic.anonymize.Cut(window_h=24)(ic.read.saved(city), pseudonym_seed=1)
    ic.anonymize.publish(cut, tmp_path / "rel", file="csv")
    for target in (tmp_path / "rel", tmp_path / "rel" / "data.csv"):
        code, out, _ = incrowd("attack", "link", city, target)
        assert code == 0 and "pass --truth LINK" in out and "%" not in out

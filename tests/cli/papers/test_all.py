"""incrowd papers."""

import json

import pytest

import incrowd as ic
from incrowd.papers import PAPERS


@pytest.fixture
def only():
    """Leave some papers in the registry."""

    every = dict(PAPERS)  # in their order, which a registry put together again would not have

    def keep(*keys):
        for key in set(PAPERS) - set(keys):
            del PAPERS[key]

    yield keep
    PAPERS.clear()
    PAPERS.update(every)


@pytest.fixture
def visits(tmp_path):
    """Three people who share two points of three, and one who stays."""
    cell, slot = [0, 1, 2, 0, 1, 0, 0, 1, 1, 0, 0], [0, 1, 9, 0, 1, 9, 0, 1, 9, 3, 4]
    made = ic.Visits.from_arrays([0] * 3 + [1] * 3 + [2] * 3 + [3] * 2, cell, slot, slot_min=60)
    return made.save(tmp_path / "visits.parquet")


def test_one_paper_on_visits(incrowd, visits, tmp_path):
    code, out, _ = incrowd("papers", "song2014", "--data", visits, "-o", tmp_path / "out")
    assert code == 0 and out.splitlines()[0].split() == ["where", "what", "theirs", "ours", "verdict"]
    assert "statements agree" in out.splitlines()[-1] and "(the data, 3 users)" in out
    assert max(map(len, out.splitlines())) <= 110
    assert (tmp_path / "out" / "report.html").exists() and (tmp_path / "out" / "figure-2-all.svg").exists()


def test_json_is_the_whole_record(incrowd, visits):
    code, out, _ = incrowd("papers", "song2014", "--data", visits, "--json", "--seed", 3)
    found = json.loads(out)
    assert code == 0 and (found["paper"], found["users"]) == ("song2014", 3)


def test_an_existing_folder_is_refused_before_the_work(incrowd, tmp_path):
    code, _, err = incrowd("papers", "song2014", "--data", tmp_path / "nothing.csv", "-o", tmp_path)
    assert code == 2 and "exists" in err
    (tmp_path / "file").write_text("")
    code, _, err = incrowd("papers", "tan2017", "-o", tmp_path / "file", "--force")
    assert code == 2 and "is a file" in err


@pytest.mark.parametrize("wrong", [("--quick",), ("--data", "visits.parquet")])
def test_full_size_is_about_made_up_data(incrowd, wrong):
    code, _, err = incrowd("papers", "song2014", "--full", *wrong)
    assert code == 2 and "--full is about made-up data at the size of the paper" in err


@pytest.mark.parametrize("key", ["song2014", "mohammed2009", "xu2017"])
def test_a_paper_without_parts_takes_no_folder_for_them(incrowd, key, tmp_path):
    code, _, err = incrowd("papers", key, "--quick", "--cache", tmp_path)
    assert code == 2 and f"{key} keeps no parts; leave out --cache." in err


def test_all_papers_go_to_folders_of_their_own(incrowd, only, tmp_path):
    only("mohammed2009", "song2014")
    code, out, err = incrowd("papers", "--quick", "-o", tmp_path / "all")
    assert code == 0 and sorted(path.name for path in (tmp_path / "all").iterdir()) == ["mohammed2009", "song2014"]
    assert [line.split(":")[0] for line in out.splitlines()[-2:]] == ["song2014", "mohammed2009"]
    assert err.startswith("song2014, 1 of 2: ")


def test_papers_that_cannot_use_the_data_are_named(incrowd, only, visits):
    only("song2014", "tan2017")
    code, out, err = incrowd("papers", "--data", visits, "--json")
    assert code == 0 and list(json.loads(out)) == ["song2014"]
    assert "tan2017 is left out: this file holds Visits, not trajectories" in err
    only("tan2017")
    code, _, err = incrowd("papers", "--data", visits)
    assert code == 2 and "no paper can use these data" in err


def test_options_go_behind_the_key(incrowd):
    code, _, err = incrowd("papers", "--quick", "song2014")
    assert code == 2 and "incrowd papers song2014 --quick" in err


def test_taxis_from_a_log(incrowd, tmp_path):
    rows = [f"{u},{60 * i},{10 * i * (u + 1)},{5 * i}" for u in range(4) for i in range(40)]
    rows[5], rows[6] = rows[6], rows[5]
    log, plane = tmp_path / "taxis.csv", ("--column", "x=x", "--column", "y=y")
    log.write_text("user,t,x,y\n" + "\n".join(rows) + "\n")
    code, out, _ = incrowd("papers", "tan2017", "--data", log, *plane, "--quick", "--json")
    said = {s["what"]: s for figure in json.loads(out)["figures"] for s in figure["statements"]}
    assert code == 0 and said["disorder by one record"]["ours"] == "0.6 % of records"  # 1 of 160
    log.write_text("user,t,x,y\n" + "\n".join(reversed(rows)) + "\n")  # newest first is no log
    code, out, _ = incrowd("papers", "tan2017", "--data", log, *plane, "--quick", "--json")
    assert code == 0 and json.loads(out)["records"] == 160


def test_the_experiments_of_mohammed2009(incrowd, visits, tmp_path):
    code, out, _ = incrowd("papers", "mohammed2009", "--data", visits, "--quick", "--report", tmp_path / "lkc.html")
    assert code == 0 and "l = 1: " in out
    told = "15 of 16 statements agree, 1 differs (on its printed example of 8 patients; the experiments are on the data"
    assert f"mohammed2009: {told}, 4 users)" in out
    assert (tmp_path / "lkc.html").exists()

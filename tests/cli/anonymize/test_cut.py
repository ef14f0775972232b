"""incrowd anonymize cut: its plan, and what it refuses."""

import json


def test_plan(incrowd, city, tmp_path):
    words = ("--windows-h", "6,24", "--points", 2, "--target", 0.05, "--seed", 3)
    code, out, err = incrowd("anonymize", "cut", city, "--plan", *words, "--report", tmp_path / "plan.html")
    assert code == 0 and "after joining" in out and "\nwhole " in out and err == ""
    assert "(2 known visits, target 5 %; 25 people, " in out
    code, _, err = incrowd("anonymize", "cut", city, "--plan", "-o", tmp_path / "release")
    assert code == 2 and "--plan publishes nothing; leave -o out" in err and not (tmp_path / "release").exists()
    assert "for cutting to protect people?" in (tmp_path / "plan.html").read_text()
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
    for wrong in ("x", "1/0", "1/x"):
        code, _, err = incrowd("anonymize", "cut", city, "--plan", "--target", wrong)
        assert code == 2 and "--target takes a share such as 1/11 or 0.1" in err
    assert "target must be" in incrowd("anonymize", "cut", city, "--plan", "--target", "9" * 30)[2]
    code, out, _ = incrowd("anonymize", "cut", city, "--plan", "--windows-h", "6", "--target", "1/11")
    assert code == 0 and "the target is at most 1/11, with at most 1 % of people guessed with 1/2 or more" in out
    (tmp_path / "old.html").write_text("")
    code, _, err = incrowd("attack", "home-work", city, "--report", tmp_path / "old.html")
    assert code == 2 and "exists" in err
    code, _, err = incrowd("attack", "relink", tmp_path)
    assert code == 2 and "manifest" in err

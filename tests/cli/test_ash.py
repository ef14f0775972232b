"""incrowd attack ash, end to end on a handful of people."""

import json

import pytest

import incrowd as ic

TOWERS = "lat,lon,district\n52.00,5.00,west\n52.02,5.02,west\n52.04,5.03,east\n"


@pytest.fixture
def towers(tmp_path):
    path = tmp_path / "towers.csv"
    path.write_text(TOWERS)
    return path


@pytest.fixture
def visits(trips, towers, tmp_path):
    made = ic.discretize.towers(trips, ic.read.towers(towers), slot_min=60, fill="interpolate")
    made.save(tmp_path / "visits.parquet")
    return made


def test_trajectories_are_counted_attacked_and_scored(incrowd, trips, towers, visits, tmp_path):
    words = ("attack", "ash", trips, "--towers", towers, "--slot-min", 60, "--seed", 1)
    code, out, err = incrowd(*words, "-o", tmp_path / "ash.html", "--recovered", tmp_path / "people.parquet")
    assert code == 0 and err == ""
    assert out.startswith("recovered 4 trajectories of 24 slots in 1 days (exact)\ncost ")
    score = ic.attack.recovery_score(ic.attack.recover(ic.discretize.counts(visits), seed=1), visits)
    assert f"whole {score.accuracy:.4f}" in out and "top cells, original" in out
    page = (tmp_path / "ash.html").read_text()
    assert "How much of it is true?" in page and page.count("<svg") == 3
    people = ic.read.saved(tmp_path / "people.parquet")
    assert ic.discretize.counts(people).n.tolist() == ic.discretize.counts(visits).n.tolist()
    code, out, _ = incrowd("attack", "ash", tmp_path / "visits.parquet", "--seed", 1, "--json")
    record = json.loads(out)
    assert record["score"]["accuracy"] == score.accuracy and record["recovered"]["users"] == 4
    assert "cells" not in record["recovered"] and record["mitigations"] is None


def test_published_counts_show_what_an_attacker_sees(incrowd, visits, towers, tmp_path):
    rows = ic.discretize.counts(visits).columns()
    lines = [
        f"{slot},{cell},{n}" for slot, cell, n in zip(*(rows[c].tolist() for c in ("slot", "cell", "n")), strict=True)
    ]
    (tmp_path / "c.csv").write_text("slot,cell,n\n" + "\n".join(lines) + "\n")
    words = ("attack", "ash", tmp_path / "c.csv", "--cells", towers, "--slot-min", 60)
    code, out, err = incrowd(*words, "-o", tmp_path / "r.html")
    assert code == 0 and err == "" and "accuracy is unknown" in out and "recovered 4 trajectories" in out
    assert "lower bound" in (tmp_path / "r.html").read_text()
    code, out, _ = incrowd(*words, "--truth", tmp_path / "visits.parquet")
    assert code == 0 and "accuracy  nights" in out
    code, _, err = incrowd(*words, "--sweep")
    assert code == 2 and "--truth VISITS" in err


def test_counts_that_do_not_add_up_are_repaired_with_a_note(incrowd, visits, tmp_path):
    ic.anonymize.suppress_small(ic.discretize.counts(visits), k=2).save(tmp_path / "c.parquet")
    code, out, err = incrowd("attack", "ash", tmp_path / "c.parquet", "--users", 4)
    assert code == 0 and "repaired to 4 people" in err and "slots scaled" in err
    assert "recovered 4 trajectories" in out


def test_the_sweep_names_the_cheapest(incrowd, trips, towers, tmp_path, monkeypatch):
    monkeypatch.setitem(ic.assess.mitigations.__kwdefaults__, "strengths", {"suppress": (2,)})
    words = ("attack", "ash", trips, "--towers", towers, "--slot-min", 60, "--sweep", "--target", 0.9)
    code, out, _ = incrowd(*words, "--longer-min", "180", "--regions", towers, "-o", tmp_path / "s.html")
    assert code == 0 and "cheapest under 0.9: " in out and "guessing: everyone static" in out
    for way in ("counts as they are", "counts below 2 suppressed", "slots of 180 min", "2 given regions"):
        assert f"\n{way}" in out
    assert "What stops the recovery" in (tmp_path / "s.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--sweep", "--target", "2"), "--target must lie above 0"),
        (("--sweep", "--longer-min", "90"), "--longer-min needs"),
        (("--method", "threshold"), "needs theta_m"),
        (("--slot-min", "50"), "do not divide 6 hours"),
        (("--recovered", "people.txt"), "end its name in .parquet or .csv"),
        (("--counts",), "no column for cell"),
    ],
)
def test_what_makes_no_sense_is_refused(incrowd, trips, words, message):
    code, out, err = incrowd("attack", "ash", trips, *words)
    assert code == 2 and message in err and out == "" and err.count("\n") == 1


def test_less_than_a_day_and_unequal_totals_are_refused_by_the_attack():
    xy = [[0, 0], [500, 0]]
    with pytest.raises(ic.DataError, match="no whole days"):
        ic.attack.recover(ic.Counts.from_arrays([[1, 1]] * 3, xy, slot_min=60))
    with pytest.raises(ic.DataError, match=r"call incrowd\.attack\.repair first"):
        ic.attack.recover(ic.Counts.from_arrays([[1, 1]] * 23 + [[1, 0]], xy, slot_min=60))
    with pytest.raises(ic.DataError, match=r"not whole; call incrowd\.attack\.repair first"):
        ic.attack.recover(ic.Counts.from_arrays([[1.5, 0.5]] * 24, xy, slot_min=60))

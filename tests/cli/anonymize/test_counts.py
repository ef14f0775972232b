"""incrowd anonymize counts."""

import json
import shlex

import numpy as np
import pytest

import incrowd as ic


def exact(trips, towers):
    return ic.discretize.counts(ic.discretize.towers(trips, ic.read.towers(towers), fill="interpolate"))


def test_counts_are_published_with_mitigations(incrowd, trips, towers, tmp_path):
    plain = exact(trips, towers)
    code, out, err = incrowd(
        "anonymize", "counts", trips, "--towers", towers, "-o", tmp_path / "a.parquet", "--suppress-below", 2
    )
    assert code == 0 and err == "" and "48 slots of 3 cells" in out
    assert out.endswith(f"\nattack it: incrowd attack recover {tmp_path / 'a.parquet'}\n")
    made = ic.read.counts(tmp_path / "a.parquet")
    assert made.n.tolist() == np.where(plain.n < 2, 0, plain.n).tolist()
    assert [step.name for step in made.ledger.steps] == ["given"]  # what happened to the records is not published
    words = ("anonymize", "counts", tmp_path / "a.parquet", "-o", tmp_path / "b.csv", "--round-to", 4, "--json")
    code, out, _ = incrowd(*words, "--cells", tmp_path / "cells.csv")
    again = ic.read.counts(tmp_path / "b.csv", tmp_path / "cells.csv", slot_min=30)
    assert code == 0 and again.n.tolist() == ((2 * made.n + 4) // 8 * 4).tolist()
    assert json.loads(out)["loss"] == pytest.approx(np.abs(again.n - made.n).sum() / made.n.sum())
    assert again.xy.tolist() == made.xy.tolist()


def test_noise_is_fresh_unless_a_seed_is_given(incrowd, trips, tmp_path):
    files = [tmp_path / f"{name}.parquet" for name in "abcd"]
    for file, seed in zip(files, ((), (), ("--seed", 1), ("--seed", 1)), strict=True):
        assert incrowd("anonymize", "counts", trips, "-o", file, "--noise-epsilon", 1, *seed)[0] == 0
    a, b, c, d = (ic.read.counts(file).n for file in files)
    assert (a != b).any() and (c == d).all()


def test_people_are_moved_and_put_into_regions_before_they_are_counted(incrowd, trips, towers, tmp_path):
    words = ("anonymize", "counts", trips, "--towers", towers, "-o", tmp_path / "r.parquet", "--regions", towers)
    assert incrowd(*words)[0] == 0
    made, plain = ic.read.counts(tmp_path / "r.parquet"), exact(trips, towers)
    assert made.n.tolist() == np.column_stack([plain.n[:, 2], plain.n[:, :2].sum(axis=1)]).tolist()
    squares = ("--region-m", 100_000, "--move-share", 0.5, "--json", "--force")
    code, out, _ = incrowd(*words[:-2], *squares)
    assert code == 0 and ic.read.counts(tmp_path / "r.parquet").n.shape[1] <= 4
    assert json.loads(out)["loss"] is None
    code, _, err = incrowd("anonymize", "counts", tmp_path / "r.parquet", "-o", tmp_path / "x.csv", "--move-share", 1)
    assert code == 2 and "before people are counted" in err


def test_visits_with_gaps_are_filled(incrowd, trips, tmp_path):
    visits = ic.discretize.grid(trips, cell_m=500, slot_min=60)
    visits.save(tmp_path / "visits.parquet")
    code, _, err = incrowd("anonymize", "counts", tmp_path / "visits.parquet", "-o", tmp_path / "c.parquet")
    assert code == 0 and "interpolated 56 visits" in err
    assert (ic.read.counts(tmp_path / "c.parquet").n.sum(axis=1) == 4).all()


def test_outputs_are_refused_before_the_work(incrowd, trips, tmp_path):
    (tmp_path / "c.csv").write_text("mine")
    for words in (("-o", tmp_path / "c.csv"), ("-o", tmp_path / "d.csv", "--cells", tmp_path / "c.csv")):
        code, _, err = incrowd("anonymize", "counts", trips, *words)
        assert code == 2 and "exists" in err
    assert (tmp_path / "c.csv").read_text() == "mine" and not (tmp_path / "d.csv").exists()


def test_the_attack_that_is_named_works(incrowd, trips, towers, tmp_path):
    words = ("anonymize", "counts", trips, "--towers", towers, "--slot-min", 60, "-o", tmp_path / "c.csv")
    code, out, _ = incrowd(*words, "--cells", tmp_path / "cells.csv")
    hint = out.splitlines()[-1]
    assert code == 0 and hint.startswith("attack it: incrowd attack recover ") and hint.endswith(" --slot-min 60")
    code, out, err = incrowd(*shlex.split(hint)[3:])
    assert code == 0 and err == "" and "A trajectory was reconstructed for each of 4 people over 1 day" in out
    assert "\nwrite their places with --cells CELLS, then attack it: " in incrowd(*words, "--force")[1]


def test_a_release_of_counts_is_explained_made_again_and_attacked(incrowd, trips, towers, tmp_path):
    words = ("anonymize", "counts", trips, "--towers", towers, "-o", tmp_path / "release", "--suppress-below", 2)
    code, out, _ = incrowd(*words)
    assert code == 0 and out.startswith(
        "144 counts of people are published, 48 slots of 3 cells. Half of the places are "
    )
    assert "All changes together are " in out and " % of the exact counts.\n" in out
    call, hint = out.splitlines()[-2:]
    again = eval(call.removeprefix("in Python: "), {"ic": ic})
    assert (again.data.n == ic.read.release(tmp_path / "release").n).all()
    code, out, err = incrowd(*shlex.split(hint)[3:])  # a folder, as it was printed
    assert code == 0 and "A trajectory was reconstructed for each of" in out, err


def test_two_outputs_have_two_names(incrowd, trips, tmp_path):
    for words in (("--cells", tmp_path / "z.csv"), ("--bad-rows", tmp_path / "z.csv")):
        code, _, err = incrowd("anonymize", "counts", trips, "-o", tmp_path / "z.csv", *words)
        assert code == 2 and "name the same file; choose two" in err and not (tmp_path / "z.csv").exists()


def test_a_period_is_counted_alone(incrowd, trips, towers, tmp_path):
    plain = exact(trips, towers)
    with trips.open("a") as file:
        file.write("rider0,2031-01-01T00:00:00Z,52,5\n")
    words = ("anonymize", "counts", "--start", "2024-03-01", "--days", 1)
    code, _, _ = incrowd(*words, trips, "--towers", towers, "-o", tmp_path / "a.parquet")
    assert code == 0 and ic.read.counts(tmp_path / "a.parquet").n.tolist() == plain.n.tolist()
    code, _, err = incrowd(*words, tmp_path / "a.parquet", "-o", tmp_path / "b.parquet")
    assert code == 2 and "these counts have their slots already" in err


def test_a_release_of_counts_with_a_rule_and_with_differential_privacy(incrowd, trips, towers, tmp_path):
    words = ("anonymize", "counts", trips, "--towers", towers, "--slot-min", 60)
    code, out, _ = incrowd(*words, "-o", tmp_path / "eleven", "--rule", "11")
    assert code == 0 and "rule 11: US Centers for Medicare" in out
    assert not ic.read.release(tmp_path / "eleven").n.any() and ic.audit.check(tmp_path / "eleven").passed
    private = ("--dp-epsilon", 1, "--slots-per-person", 2)
    code, _, err = incrowd(*words, "-o", tmp_path / "dp", *private)
    assert code == 2 and "--start and --days for the period" in err and not (tmp_path / "dp").exists()
    day = ("--start", "2024-03-01", "--days", 1)
    code, _, err = incrowd(*words, "-o", tmp_path / "dp", *private, *day)
    assert code == 0, err
    assert ic.read.release(tmp_path / "dp").n.shape == (24, 3) and ic.audit.check(tmp_path / "dp").passed


def test_differential_privacy_in_all_squares_of_a_box_and_in_zones(incrowd, trips, towers, tmp_path):
    """Next to no noise: everybody is counted once in every slot; squares that nobody visited are published, too."""
    words = ("anonymize", "counts", trips, "--slot-min", 60, "--start", "2024-03-01", "--days", 1)
    private = ("--dp-epsilon", 10_000, "--slots-per-person", 24)
    box = ("--box", "4,51,6,53", "--cell-m", 20_000)
    code, _, err = incrowd(*words, *private, *box, "-o", tmp_path / "box")
    published = ic.read.release(tmp_path / "box")
    assert code == 0 and published.n.shape[0] == 24 and (published.n.sum(axis=1) == 4).all(), err
    assert (published.xy % 20_000 == 10_000).all() and (published.n.sum(axis=0) == 0).any()
    west, east = ([[low, 51], [high, 51], [high, 53], [low, 53], [low, 51]] for low, high in ((4, 5.5), (5.5, 6)))
    shapes = [{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [ring]}} for ring in (west, east)]
    (tmp_path / "z.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": shapes}))
    zones = ("--zones", tmp_path / "z.geojson")
    code, _, err = incrowd(*words, *private, *zones, "-o", tmp_path / "zones")
    assert code == 0 and ic.read.release(tmp_path / "zones").n.shape == (24, 2), err
    for two in ((*box, *zones), (*box, "--towers", towers)):
        code, _, err = incrowd(*words, *two, "-o", tmp_path / "two")
        assert code == 2 and "not " in err and not (tmp_path / "two").exists()
    code, _, err = incrowd(*words, "--box", "4,51,6,53", "--cell-m", 20, "-o", tmp_path / "many")
    assert code == 2 and "more than 1,000,000 squares" in err

"""Counts as a release: several steps, one after the other, and presets."""

import json

import pytest

import incrowd as ic
from incrowd.anonymize import counts

XY = [[0, 0], [1000, 0], [2000, 0]]
VISITS = ic.Visits.from_arrays(range(6), [0, 0, 0, 1, 1, 2], [0] * 6, xy=XY, slot_min=1440)
EXACT = ic.discretize.counts(VISITS)


def n(data, **steps):
    return counts(data, **steps).data.n.tolist()


def test_nothing_asked_changes_nothing():
    release = counts(VISITS)
    assert release.data.n.tolist() == EXACT.n.tolist() and len(release.members) == 0
    assert counts(EXACT).data is EXACT


def test_steps_follow_each_other():
    assert n(EXACT, suppress_below=2) == [[3, 2, 0]]
    assert n(EXACT, suppress_below=2, round_to=4) == [[4, 4, 0]]
    assert n(EXACT, suppress_below=3, round_to=4) == [[4, 0, 0]]  # rounded first, 2 would be 4
    assert n(VISITS, region=["a", "b", "b"], suppress_below=3) == [[3, 3]]
    assert n(VISITS, region_m=1500, noise_epsilon=float("inf")) == [[5, 1]]
    release = counts(VISITS, move_share=1, region_m=1500, noise_epsilon=1, round_to=2, seed=0)
    steps = [step.name for step in release.ledger.steps]
    assert steps[1:3] == ["perturb", "regions"] and steps[-2:] == ["noise", "round"]
    assert release.params == {
        "method": "Counts",
        "move_share": 1,
        "region_m": 1500,
        "noise_epsilon": 1,
        "round_to": 2,
        "seed_given": True,
    }


def test_rules_by_name():
    crowd = ic.Counts.from_arrays([[9, 10, 11, 14, 15, 19, 20, 23]], xy=[[100 * c, 0] for c in range(8)])
    assert n(crowd, rule="11") == [[0, 0, 11, 14, 15, 19, 20, 23]]
    assert n(crowd, rule="15") == [[0, 0, 0, 0, 15, 19, 20, 23]]
    assert n(crowd, rule="20") == [[0, 0, 0, 0, 0, 0, 20, 23]]
    dense = ic.Visits.from_arrays(range(40), [0] * 9 + [1] * 13 + [2] * 18, [0] * 40, xy=XY, slot_min=1440)
    assert n(dense, rule="10-5") == [[0, 15, 20]]
    assert counts(crowd, rule="15").params == {"method": "Counts", "rule": "15", "suppress_below": 15}
    stated = counts(dense, rule="10-5")
    assert stated.params == {"method": "Counts", "rule": "10-5", "suppress_below": 10, "round_to": 5}
    assert ic.audit.check(stated, original=dense)["rule"].status == "pass"


@pytest.mark.parametrize(
    ("data", "steps", "words"),
    [
        (EXACT, {"move_share": 0.5}, "give trajectories"),
        (EXACT, {"region": ["a"]}, "give trajectories"),
        (EXACT, {"region_m": 10}, "give trajectories"),
        (EXACT, {"rule": "10-5"}, "give trajectories"),
        (VISITS, {"rule": "11", "round_to": 5}, "leave round_to out"),
        (VISITS, {"dp_epsilon": 1}, "needs slots_per_person"),
        (VISITS, {"dp_epsilon": 1, "cell_key": "10-5"}, "leave one of them out"),
        (VISITS, {"cell_key": "10-5", "seed": 1}, "seed must be None"),
        (VISITS, {"rule": "12"}, "unknown rule"),
    ],
)
def test_refusals(data, steps, words):
    with pytest.raises(ic.ParameterError, match=words):
        counts(data, **steps)


def test_differential_privacy_goes_with_rounding_and_keeps_its_claim():
    how = {"dp_epsilon": 1000.0, "slots_per_person": 1, "cells": XY, "slots": (0, 1)}
    assert counts(VISITS, **how).params["method"] == "DPCounts"
    rounded = counts(VISITS, **how, round_to=2)
    assert rounded.data.n.tolist() == [[4, 2, 2]] and rounded.claims["epsilon"] == 1000
    assert rounded.params["method"] == "Counts" and "differential privacy per person" in rounded.guarantee
    assert [step.name for step in rounded.ledger.steps[-2:]] == ["dp_counts", "round"]
    assert [step.name for step in rounded.data.ledger.steps] == ["round"]  # what was dropped is for the publisher alone


def test_differential_privacy_goes_with_regions(tmp_path):
    """Cells 0 and 1 are a region of five people; the regions are those of all cells, visited or not."""
    wide = ic.Visits.from_arrays(range(6), [0, 0, 0, 1, 1, 2], [0] * 6, xy=[*XY, [9000, 0]], slot_min=1440)
    how = {"dp_epsilon": 1000.0, "slots_per_person": 1, "cells": wide.xy, "slots": (0, 1)}
    by_square = counts(wide, **how, region_m=1500)
    assert by_square.data.n.tolist() == [[5, 1, 0]] and by_square.data.xy[:, 0].tolist() == [500, 2000, 9000]
    assert n(wide, **how, region=["a", "b", "b", "c"]) == [[3, 3, 0]]
    ic.anonymize.publish(by_square, tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert manifest["guarantee"].startswith("differential privacy per person") and manifest["ledger"] == []
    assert ic.audit.check(tmp_path / "release")["wording"].status == "pass"
    with pytest.raises(ic.ParameterError, match="cells must be those of the visits"):
        counts(wide, **{**how, "cells": XY[:2]}, region_m=1500)
    visited = {**how, "cells": XY}  # three of the four
    for steps in ({}, {"region_m": 1500}):
        with pytest.raises(ic.ParameterError, match="exactly those that people visited"):
            counts(wide, **visited, **steps)


def test_it_is_published_as_a_folder(tmp_path):
    ic.anonymize.publish(counts(VISITS, suppress_below=2), tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert (manifest["noun"], manifest["method"], manifest["parameters"]) == ("Counts", "Counts", {"suppress_below": 2})
    assert ic.read.release(tmp_path / "release").n.tolist() == [[3, 2, 0]]
    assert ic.audit.check(tmp_path / "release").passed

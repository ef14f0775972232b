"""Several mitigations, one after the other."""

import pytest

import incrowd as ic
from incrowd.anonymize.counts import mitigated

XY = [[0, 0], [1000, 0], [2000, 0]]
VISITS = ic.Visits.from_arrays(range(6), [0, 0, 0, 1, 1, 2], [0] * 6, xy=XY, slot_min=1440)
EXACT = ic.discretize.counts(VISITS)


def test_nothing_asked_changes_nothing():
    assert mitigated(EXACT, VISITS) is EXACT


def test_mitigations_follow_each_other():
    assert mitigated(EXACT, suppress_below=2).n.tolist() == [[3, 2, 0]]
    assert mitigated(EXACT, suppress_below=2, round_to=4).n.tolist() == [[4, 4, 0]]
    assert mitigated(EXACT, suppress_below=3, round_to=4).n.tolist() == [[4, 0, 0]]  # rounded first, 2 would be 4
    assert mitigated(EXACT, VISITS, region=["a", "b", "b"], suppress_below=3).n.tolist() == [[3, 3]]
    assert mitigated(EXACT, VISITS, region_m=1500, noise_epsilon=float("inf")).n.tolist() == [[5, 1]]
    steps = mitigated(EXACT, VISITS, move_share=1, region_m=1500, noise_epsilon=1, round_to=2, seed=0).ledger.steps
    assert [step.name for step in steps][1:3] == ["perturb", "regions"]
    assert [step.name for step in steps][-2:] == ["noise", "round"]


@pytest.mark.parametrize("asked", [{"move_share": 0.5}, {"region": ["a"]}, {"region_m": 10}])
def test_what_is_done_before_counting_needs_visits(asked):
    with pytest.raises(ic.ParameterError, match="give trajectories"):
        mitigated(EXACT, **asked)

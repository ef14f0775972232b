"""incrowd measure kgap."""

import json

import pytest

import incrowd as ic
from commands import FELL_BACK, run


def test_trajectories_become_fingerprints_of_100_m_and_1_min(trips, tmp_path):
    made = ic.discretize.fingerprints(trips)
    found = json.loads(run("kgap", trips, "--k", "2,3", "--json")[1])
    assert [one["k"] for one in found] == [2, 3]
    assert found[0]["value"] == pytest.approx(ic.measure.kgap(made, k=2).value.tolist())


def test_visits_are_refused(trips, tmp_path):
    ic.discretize.grid(trips, cell_m=500, slot_min=60).save(tmp_path / "visits.parquet")
    with pytest.raises(ic.DataError, match="holds Visits, not trajectories or fingerprints"):
        run("kgap", tmp_path / "visits.parquet")


def test_gaps_are_shown_by_quantile(four):
    code, out, _ = run("kgap", four, "--k", "2")
    row = out.splitlines()[4].split()
    assert code == 0 and row == ["2", "0", "0.04167", "0.04167", "0.04167", "0.04583", "0.375", "0.375"]
    assert out.startswith("0.0 % (0 of 4 people) look like one other person without any blurring")
    with pytest.raises(ic.ParameterError, match="--k takes numbers"):
        run("kgap", four, "--k", "few")


@pytest.mark.filterwarnings("always")
def test_gaps_of_several_k_run_in_one_place_and_say_once_why(card, four, incrowd):
    code, out, err = incrowd("measure", "kgap", four, "--k", "2-4")
    assert code == 0 and "(k = 2, 3, 4; 4 people; on the CPU)" in out
    assert err.splitlines() == [FELL_BACK]
    assert "(k = 2; 4 people; on the GPU)" in incrowd("measure", "kgap", four)[1]

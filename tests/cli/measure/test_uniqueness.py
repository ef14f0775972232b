"""incrowd measure uniqueness."""

import pytest


def test_a_gate_exits_with_one(incrowd, trips):
    assert incrowd("measure", "uniqueness", trips, "--points", 2, "--fail-above", 1)[0] == 0
    assert incrowd("measure", "uniqueness", trips, "--points", 2, "--fail-above", 0)[0] == 1


def test_a_gate_never_passes_unmeasured(incrowd, trips):
    nothing = ("--knowledge", "close", "--closeness-min", 6000, "--points", 2)
    assert incrowd("measure", "uniqueness", trips, *nothing, "--fail-above", 1)[0] == 1
    code, _, err = incrowd("measure", "uniqueness", trips, "--fail-above", "nan")
    assert code == 2 and "--fail-above" in err


@pytest.mark.parametrize("points", ["few", "3-1", "²", "1-99999999999", "", "-2"])
def test_points_are_numbers(incrowd, trips, points):
    code, _, err = incrowd("measure", "uniqueness", trips, f"--points={points}")
    assert code == 2 and "1-5" in err

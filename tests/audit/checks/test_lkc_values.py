"""Sensitive values are the same however a file holds them."""

import numpy as np
import pytest

import incrowd as ic


def release_of(values):
    visits = ic.Visits.from_arrays(range(len(values)), [0] * len(values), [0] * len(values), attributes={"ill": values})
    return ic.Release.from_arrays(visits, members=[[u] for u in range(len(values))])


def verdict(values, counted):
    found = ic.audit.check(release_of(values), l=1, k=2, c=0.5, sensitive="ill", values=counted)
    return found["LKC-privacy"].status


@pytest.mark.parametrize(
    ("often", "rare", "counted"),
    [
        (1.0, 2.0, [1]),
        (1, 2, [1.0]),
        (True, False, [1]),
        ("1.0", "2", [1]),
        (2.5, 1.0, ["2.50"]),
        ("AIDS", "Flu", "AIDS"),
    ],
)
def test_a_value_is_met_however_it_is_written(often, rare, counted):
    assert verdict([often] * 9 + [rare], counted) == "fail"
    assert verdict([often] * 5 + [rare] * 5, counted) == "pass"


def test_codes_with_leading_zeros_are_other_codes():
    assert verdict(["007"] * 9 + ["7"], [7]) == "pass"


def test_nan_is_no_value():
    assert verdict([np.nan] * 9 + [1.5], None) == "pass"


def test_a_value_on_no_record_is_told():
    found = ic.audit.check(release_of(["a", "b"]), l=1, k=2, c=0.5, sensitive="ill", values=["typo"])
    assert "1 of them on no record" in found["LKC-privacy"].evidence

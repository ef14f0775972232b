"""Panels hold what a figure shows, and say it in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.show import Bars, Cdf, Line, Lines, curve, trend


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300))
def test_a_curve_does_not_interpolate(values):
    drawn = curve("x", values)
    assert drawn.n == len(values) and set(drawn.value) <= set(values)
    assert drawn.at(0) == min(values) and drawn.at(1) == max(values)
    assert drawn.at(0.5) == sorted(values)[(len(values) + 1) // 2 - 1]


def test_curves_leave_nan_out_and_keep_infinity():
    assert curve("x", [np.nan]).value == () and np.isnan(curve("x", []).at(0.5))
    assert curve("x", [1.0, np.inf]).at(1) == np.inf


def test_a_trend_has_mean_median_and_quartiles():
    lines = trend("t", "people", "m", (1, 2), [np.array([0.0, 1.0, 5.0]), np.zeros(0)], "Caption.")
    mean, median = lines.lines
    assert mean.y[0] == 2 and median.y[0] == 1 and (median.low[0], median.high[0]) == (0.5, 3.0)
    assert np.isnan(mean.y[1]) and "1: mean 2, median 1" in lines.alt


def test_alternative_texts_carry_the_numbers():
    lines = Lines("n", "points", "share", (Line("a", (1, 5), (0.25, 0.5)),), "")
    assert lines.alt == "Lines of share against points: a: 0.25 at 1 to 0.5 at 5."
    assert Lines("n", "points", "share", (), "").alt.endswith("nothing to show.")
    assert Cdf("n", "gap", "people", (curve("k = 2", [1.0, 2.0, 3.0]),), "").alt == (
        "Cumulative distribution of gap: k = 2: median 2."
    )
    assert Bars("n", ("a", "b"), {"": (1, 2000)}, "records", "").alt == "Bars of records: a 1, b 2,000."


def test_bars_need_a_value_for_each_label():
    with pytest.raises(ValueError, match="zip"):
        _ = Bars("n", ("a", "b"), {"": (1,)}, "records", "").alt

import math

import numpy as np
import pytest
from hypothesis import given, settings

from boxes import crowds, prints
from incrowd.errors import DataError
from incrowd.kernels.reference.glove import stretch as reference
from incrowd.measure.glove import kgap, tail_weight, tails
from incrowd.measure.glove.stretch import layout


def test_tail_weight_of_known_distributions():
    at = (np.arange(200_000) + 0.5) / 200_000
    assert tail_weight(np.arange(101) / 100) == pytest.approx(0.56828, abs=1e-5)
    assert tail_weight(-np.log(1 - at)) == pytest.approx(1.63635, abs=1e-3)
    assert tail_weight(1 / (1 - at)) == pytest.approx(14.20682, abs=1e-2)
    assert tail_weight(np.tan(math.pi * (at - 0.5))) == pytest.approx(9.22588, abs=1e-2)
    assert math.isnan(tail_weight([1, 1, 1]))
    assert tail_weight([0] * 50 + [1]) == math.inf


def test_no_values_have_no_tail():
    with pytest.raises(DataError, match="at least one value"):
        tail_weight([])


def test_all_effort_is_in_time():
    found = tails(prints("0,0,0; 0,0,30; 1000,0,600 | 0,0,10; 1000,0,620"))
    assert found.ratio.tolist() == [math.inf, math.inf] and found.share.tolist() == [1, 1]
    # The efforts are 10, 20 and 20 minutes: from the median up they do not vary.
    assert np.isnan([*found.time, *found.delta, *found.space]).all()


def test_effort_is_split_by_dimension():
    found = tails(prints("0,0,0; 0,0,100; 0,0,200; 0,0,300; 0,0,400 | 1000,0,0; 0,0,110; 0,0,220; 0,0,330"))
    minutes = [0, 10, 20, 30, 70]  # the first pays a kilometre instead
    np.testing.assert_allclose(found.time, tail_weight(np.array(minutes) / 960))
    np.testing.assert_allclose(found.space, tail_weight(np.array([1000, 0, 0, 0, 0]) / 40_000), equal_nan=True)
    np.testing.assert_allclose(found.ratio, (sum(minutes) / 960) / (1000 / 40_000))


def test_without_effort_there_is_no_ratio():
    found = tails(prints("0,0,0 | 0,0,0"))
    assert np.isnan(found.ratio).all() and np.isnan(found.share).all() and np.isnan(found.delta).all()


@settings(deadline=None, max_examples=40)
@given(crowds(least_users=3, sizes=True))
def test_sums_are_those_of_the_reference(data):
    laid, found = layout(data), tails(data, k=3)
    users = [laid.corners[a:b].astype(np.int64) for a, b in zip(laid.offsets[:-1], laid.offsets[1:], strict=True)]
    for a, near in enumerate(kgap(data, k=3).neighbours.tolist()):
        space, time = [], []
        for b in near:
            lo, hi = min(a, b), max(a, b)
            _, first = reference.stretch(users[lo], users[hi], 1, 1, laid.scale)
            longer, shorter = (lo, hi) if first else (hi, lo)
            s, t = reference.sample_parts(users[longer], users[shorter], 1, 1, laid.scale)
            space, time = [*space, *s.tolist()], [*time, *t.tolist()]
        whole = sum(space) + sum(time)
        assert found.share[a] == pytest.approx(sum(time) / whole if whole else math.nan, nan_ok=True)
        whole_delta = np.array(space) + np.array(time)
        np.testing.assert_allclose(found.delta[a], tail_weight(whole_delta / (2 * laid.full)), equal_nan=True)


@pytest.mark.parametrize("bad", [5, "x", None, [1, 2]])
def test_only_fingerprints_are_measured(bad):
    with pytest.raises(
        DataError, match=r"^tails needs Fingerprints, got .*; make them with .ic\.discretize\.fingerprints"
    ):
        tails(bad)


def test_what_is_no_gap_is_refused():
    with pytest.raises(DataError, match="gap must be a KGap, got int"):
        tails(prints("0,0,0 | 0,0,40"), gap=5)

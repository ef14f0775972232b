"""Local times, offsets and epochs."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.clock import from_epoch, to_utc, unit_of

EPOCH = datetime(1970, 1, 1)
ZONES = ["Europe/Amsterdam", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca", "UTC"]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(-2 * 10**9, 4 * 10**9), min_size=1, max_size=20), st.sampled_from(ZONES))
def test_local_times_agree_with_zoneinfo(local, name):
    zone = ZoneInfo(name)
    walls = [(EPOCH + timedelta(seconds=second)).replace(tzinfo=zone) for second in local]
    utc, notes = to_utc(np.array(local), zone)
    assert utc.tolist() == [int(wall.timestamp()) for wall in walls]
    strange = [wall for wall in walls if wall.utcoffset() != wall.replace(fold=1).utcoffset()]
    assert sum(notes.values()) == len(strange)


@pytest.mark.parametrize("name", ZONES)
def test_every_minute_around_a_change_of_the_clock(name):
    start = int((datetime(2024, 3, 8) - EPOCH).total_seconds())
    local = np.concatenate(
        [start + np.arange(0, 34 * 86400, 1800), start + 200 * 86400 + np.arange(0, 45 * 86400, 1800)]
    )
    local = np.concatenate([local, local - 1])
    zone = ZoneInfo(name)
    expected = [int((EPOCH + timedelta(seconds=int(s))).replace(tzinfo=zone).timestamp()) for s in local]
    assert to_utc(local, zone)[0].tolist() == expected


@pytest.mark.parametrize(
    ("value", "unit"),
    [(0, "s"), (1.7e9, "s"), (1.7e12, "ms"), (1.7e15, "us"), (1.7e18, "ns"), (-1.7e12, "ms"), (20240101120000, None)],
)
def test_units_by_magnitude(value, unit):
    assert unit_of(np.array([0, value, np.nan])) == unit


def test_a_few_strangers_do_not_change_the_unit():
    for strangers in ([1.7e12, 1.7e18], [np.inf, np.nan], [0, -3]):
        assert unit_of(np.array([1.7e9] * 3 + strangers)) == "s"
    assert unit_of(np.array([1_700_000_000_000] * 2 + [1_700_000_000])) == "ms"
    assert unit_of(np.array([np.nan])) == "s"


def test_epochs_are_floored_and_strangers_marked():
    t, odd = from_epoch(np.array([-1.5e12, 1.7e12 + 999, np.nan, 1.7e9, np.inf]), "ms")
    assert t[:2].tolist() == [-1_500_000_000, 1_700_000_000] and odd.tolist() == [False, False, True, True, True]
    t, odd = from_epoch(np.array([1_700_000_000_999_999_999, -1_700_000_000_000_000_001]), "ns")
    assert t.tolist() == [1_700_000_000, -1_700_000_001] and not odd.any()
    assert from_epoch(np.array([1_700_000_000_000, -(2**63), 7]), "s")[1].tolist() == [True, True, False]

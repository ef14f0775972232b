"""A few stray records do not make a sweep look safe."""

import warnings

import numpy as np
import pytest

import incrowd as ic
from incrowd.measure.sweep import sweep, sweep_estimate

ASKED = {"blocks": [200], "minutes": [20], "points": [4], "samples": 2000}


def with_strays(traces, *places):
    """The same with one more record at each place, of the last user, and of one user who was nowhere else."""
    last = traces.users[-1]
    user = np.concatenate([traces.users[traces.owner], [last] * len(places), ["nobody"]])
    t = np.concatenate([traces.t, [int(traces.t.min())] * len(places), [int(traces.t.min())]])
    lon, lat = (
        np.append(column, [*more, 0.0])
        for column, more in zip(traces.coordinates, zip(*places, strict=True), strict=True)
    )
    return ic.Traces.from_arrays(user, t, lon, lat)


@pytest.fixture(scope="module")
def taxis():
    return ic.read.synthetic_city(users=60, days=2, profile="taxi", seed=1).traces


def test_zeros_and_strays_change_no_number(taxis):
    truth = sweep(taxis, **ASKED)
    with pytest.warns(ic.errors.IncrowdWarning) as said:
        found = sweep(with_strays(taxis, (0, 0), (0.0001, 0), (0, 0)), **ASKED)
    assert ["4 records at (0, 0)" in str(one.message) for one in said] == [True]
    assert found.table() == truth.table() and found.users == truth.users == len(taxis)
    assert found.ledger.steps[-1].dropped == {"at (0, 0)": 4}
    assert found.ledger.steps[-1].users == (len(taxis) + 1, len(taxis))


def test_absurd_strays_leave_the_truth_as_it_is(taxis):
    truth = sweep(taxis, **ASKED).uniqueness[0]
    strays = with_strays(taxis, (0, 0), (0, 0), (-70.0, -50.0), (120.0, 5.0), (5.0, 85.0))
    with pytest.warns(ic.errors.IncrowdWarning) as said:
        found = sweep(strays, **ASKED)
    assert len(said) == 2 and "more than 4 times" in str(said[1].message)
    assert found.ledger.steps[-1].dropped == {"at (0, 0)": 3, "outside the box": 3}
    assert truth > 0.9 and found.uniqueness[0] == pytest.approx(truth, abs=0.05)
    stretched = sweep(strays, **ASKED, box=(-70, -50, 120, 85), keep_zero=True)
    assert stretched.uniqueness[0] < 0.3  # what it was before
    assert min(stretched.box_m) > 100 * max(found.box_m)


def test_the_size_of_blocks_is_in_the_table(taxis):
    found = sweep(taxis, **{**ASKED, "blocks": [10, 200]})
    width, height = found.box_m
    assert 5_000 < width < 50_000 and 5_000 < height < 50_000
    table = found.to_arrow()
    assert table["block_width_m"].to_pylist() == [width / 10, width / 200]
    assert table["block_height_m"].to_pylist() == [height / 10, height / 200]
    assert found.table()[0]["block_width_m"] == width / 10
    assert found.to_dict()["box_m"] == (width, height)
    assert found.named(10) == f"10 x 10 blocks of {width / 10:,.0f} x {height / 10:,.0f} m"


def test_another_box_is_another_entry_of_the_cache(taxis, tmp_path):
    west, south, east, north = (*(c.min() for c in taxis.coordinates), *(c.max() for c in taxis.coordinates))
    box = (west - 1, south - 1, east + 1, north + 1)
    asked = {**ASKED, "blocks": [10], "minutes": [240], "points": [1], "cache": tmp_path}
    first, wide = sweep(taxis, **asked), sweep(taxis, **asked, box=box)
    assert wide.uniqueness[0] == sweep(taxis, **{**asked, "cache": None}, box=box).uniqueness[0] < first.uniqueness[0]
    assert len(list(tmp_path.glob("*.json"))) == 2
    with pytest.warns(ic.errors.IncrowdWarning):
        assert sweep_estimate(with_strays(taxis, (0, 0)), **asked).cached == 1  # the same records stay


@pytest.mark.real
def test_taxis_of_san_francisco(shared_data):
    import pyarrow.parquet as pq

    week = pq.read_table(shared_data / "cabspotting_sf_week.parquet").slice(0, 400_000)
    taxis = ic.Traces.from_arrays(week["uid"].to_pylist(), week["t"], week["lon"], week["lat"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ic.errors.IncrowdWarning)
        truth = sweep(taxis, **ASKED)
        found = sweep(with_strays(taxis, (0, 0), (0, 0), (-122.4, 0.0), (116.4, 39.9)), **ASKED)
    assert truth.uniqueness[0] > 0.95
    assert found.uniqueness[0] == pytest.approx(truth.uniqueness[0], abs=0.02)

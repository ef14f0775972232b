"""Taxis and bike-share riders; taxis are objects, not people."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.measure import crowd_sizes, cut_risk, exposure, uniqueness

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def taxis(shared_data):
    traces = ic.read.table(shared_data / "cabspotting_sf_week.parquet")
    return ic.discretize.blocks(traces, blocks=20, slot_min=60, keep="vote")


@pytest.fixture(scope="module")
def riders(shared_data):
    traces = ic.read.table(shared_data / "valleybike_events_clean.parquet")
    return ic.discretize.grid(traces, cell_m=500, slot_min=60)


def by_definition(visits, rows):
    """Crowd sizes by plain sets."""
    keys = list(zip(visits.cell.tolist(), visits.slot.tolist(), strict=True))
    users = [set(keys[a:b]) for a, b in zip(visits.offsets, visits.offsets[1:], strict=False)]
    known = [[keys[r] for r in row] for row in rows.tolist()]
    return known, [sum(set(points) <= user for user in users) for points in known]


@pytest.mark.parametrize("points", [1, 2, 4])
@pytest.mark.parametrize("data", ["taxis", "riders"])
def test_counts_equal_plain_sets(data, points, request):
    visits = request.getfixturevalue(data)
    sizes = np.diff(visits.offsets)
    rng = np.random.default_rng(points)
    some = rng.choice(np.flatnonzero(sizes >= points), 40)
    rows = np.array([visits.offsets[u] + rng.choice(sizes[u], points, replace=False) for u in some])
    known, wanted = by_definition(visits, rows)
    assert crowd_sizes(visits, known).tolist() == wanted
    assert min(wanted) >= 1


@pytest.mark.parametrize("data", ["taxis", "riders"])
def test_draws_agree_with_every_choice(data, request):
    visits = request.getfixturevalue(data)
    for points, options in ((1, {}), (2, {}), (3, {"knowledge": "consecutive"})):
        truth = uniqueness(visits, points=points, exact=True, **options)
        drawn = uniqueness(visits, points=points, repeats=3, **options)
        spread = np.sqrt((truth.probability * (1 - truth.probability)).sum() / 3) / truth.population
        assert abs(drawn.value - truth.value) <= 5 * spread + 1e-12
        assert drawn.population == truth.population


def test_more_points_single_out_more_taxis(taxis):
    values = [uniqueness(taxis, points=m).value for m in (1, 2, 4, 7)]
    assert values == sorted(values) and values[0] < 0.1 and values[-1] > 0.5
    day = {"knowledge": "close", "tolerance_min": 0, "block_min": 1440}
    assert uniqueness(taxis, points=4, closeness_min=60, **day).skipped < 20


def test_exposure_bounds_what_draws_find(taxis, riders):
    for visits in (taxis, riders):
        found = exposure(visits)
        drawn = uniqueness(visits, points=2, short="zero", repeats=5)
        singled_out = drawn.targets[drawn.probability > 0]
        assert (found.points[singled_out] <= 2).all() and (found.points[singled_out] > 0).all()


def test_cut_taxis(taxis):
    risk = cut_risk(taxis, ic.discretize.windows(taxis, window_h=6), points=4)
    assert risk.fixed_knowledge["drop"].value <= risk.before["drop"].value
    assert risk.after["drop"].population + risk.short_pieces == risk.pieces == risk.after["all"].population

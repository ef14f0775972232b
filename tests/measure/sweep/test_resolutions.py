"""Resolutions of a sweep: the points they make, what coarser ones change, and which of them meet a target."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import tracks
from incrowd.data import Traces
from incrowd.discretize import blocks as to_blocks
from incrowd.errors import DataError, ParameterError
from incrowd.measure import uniqueness
from incrowd.measure.sweep import sweep
from incrowd.measure.sweep.records import sweep_records
from incrowd.measure.sweep.result import Sweep, SweepPlan


def points_of(traces, blocks, minutes, keep="vote", **options):
    """What a sweep takes the points of each user to be, as rows (user, slot, cell)."""
    ground = sweep_records(traces, SweepPlan(**options))
    (ids, offsets), *others = ground.represent(blocks, (minutes, 7), keep)
    assert len(others) == 1
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return list(zip(owner.tolist(), (ids // blocks**2).tolist(), (ids % blocks**2).tolist(), strict=True))


def rows_of(visits):
    return list(zip(visits.owner.tolist(), visits.slot.tolist(), visits.cell.tolist(), strict=True))


RECORDS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 9000), st.integers(0, 3000), st.integers(0, 3000)),
    min_size=1,
    max_size=30,
)


@settings(deadline=None, max_examples=60)
@given(RECORDS, st.sampled_from([1, 2, 7, 10, 200]), st.sampled_from([1, 20, 60]), st.sampled_from(["vote", "set"]))
def test_points_are_those_of_blocks(rows, blocks, minutes, keep):
    user, t, x, y = map(np.array, zip(*rows, strict=True))
    micro, planar = (
        Traces.from_arrays(user, t, lon=113.9 + x / 1e6, lat=22.5 + y / 1e6),
        Traces.from_arrays(user, t, x=x / 300, y=y / 300),
    )
    for traces in (micro, planar):
        wanted = to_blocks(traces, blocks=blocks, slot_min=minutes, keep=keep)
        assert points_of(traces, blocks, minutes, keep) == rows_of(wanted)


@pytest.mark.parametrize("keep", ["vote", "set"])
def test_records_outside_and_early_are_left_out_and_counted(keep):
    traces = tracks(
        [(0, 5, 5), (4000, 5, 5)], [(4000, 11, 5)], [(4000, 0, 0), (8000, 10, 10), (8001, 3, 3)], order="time"
    )
    options = {"box": (0, 0, 10, 10), "start": 3600}
    wanted = to_blocks(traces, blocks=4, slot_min=20, keep=keep, **options)
    assert points_of(traces, 4, 20, keep, **options) == rows_of(wanted)
    found = sweep(traces, blocks=[4], minutes=[20], points=[1, 2, 3], samples=5, keep=keep, **options)
    step = found.ledger.steps[-1]
    assert (step.read, step.kept, step.users) == (6, 4, (3, 2))
    assert step.dropped == {"before the start": 1, "outside the box": 1}
    assert found.population.tolist() == [2, 1, 0 if keep == "vote" else 1]
    with pytest.raises(DataError, match=r"no record is left \(6 outside the box\)"):
        sweep(traces, box=(20, 20, 30, 30))


def test_a_clock_put_back_shows_an_hour_twice():
    """In Paris 02:00 to 03:00 came twice on 2014-10-26; both hours vote together."""
    change = 1_414_285_200
    rng = np.random.default_rng(0)
    t = change + rng.integers(-4 * 3600, 4 * 3600, 300)
    traces = Traces.from_arrays(rng.integers(0, 3, 300), t, x=rng.random(300), y=rng.random(300))
    for keep, minutes in product(("vote", "set"), (20, 60)):
        wanted = to_blocks(traces, blocks=3, slot_min=minutes, keep=keep, time_zone="Europe/Paris")
        assert points_of(traces, 3, minutes, keep, time_zone="Europe/Paris") == rows_of(wanted)


def test_far_corners_need_64_bits():
    traces = tracks([(0, 0, 0), (60, 4e6, 4e6)], [(0, 1e6, 3e6)], order="time")
    assert sweep_records(traces, SweepPlan()).x.dtype == np.int64
    assert points_of(traces, 10, 1) == rows_of(to_blocks(traces, blocks=10, slot_min=1))


def exact(traces, blocks, minutes, keep):
    """The exact expectation of one known point, on the points of a sweep."""
    rows = points_of(traces, blocks, minutes, keep, box=(0, 0, 8, 8))
    user, slot, cell = np.array(rows).T
    return uniqueness(ic.Visits.from_arrays(user, cell=cell, slot=slot), points=1, exact=True).value


def test_coarser_space_under_set_can_raise_uniqueness():
    a = [(0, 1, 1), (1, 3, 1), (60, 7, 7)]
    assert [exact(tracks(a, a[:2]), sr, 1, "set") for sr in (4, 2)] == pytest.approx([1 / 6, 1 / 4])


def test_coarser_time_under_set_can_raise_uniqueness():
    a = [(0, 1, 1), (60, 1, 1), (120, 7, 7)]
    assert [exact(tracks(a, a[:2]), 4, m, "set") for m in (1, 2)] == pytest.approx([1 / 6, 1 / 4])


def test_coarser_space_moves_the_vote():
    a = [(0, 1, 1), (1, 1, 1), (2, 5, 1), (3, 7, 1), (4, 5, 3)]
    assert [exact(tracks(a, a[:1]), sr, 1, "vote") for sr in (4, 2)] == [0, 1]


def test_grids_that_do_not_nest_are_incomparable():
    """Two blocks tell x = 3 and 5 apart where three do not, and three tell 1 and 3 apart where two do not."""
    one, other = tracks([(0, 3, 0)], [(0, 5, 0)]), tracks([(0, 1, 0)], [(0, 3, 0)])
    assert [exact(one, sr, 1, "set") for sr in (2, 3)] == [1, 0]
    assert [exact(other, sr, 1, "set") for sr in (2, 3)] == [0, 1]


@settings(deadline=None, max_examples=40)
@given(RECORDS, st.sampled_from([(10, 20), (30, 90), (40, 200)]), st.sampled_from([1, 2, 3]))
def test_set_is_a_homomorphism_and_holds_the_vote(rows, nest, times):
    user, t, x, y = map(np.array, zip(*rows, strict=True))
    traces = Traces.from_arrays(user, t, x=x.astype(float), y=y.astype(float))
    coarse, fine = nest
    small = set(points_of(traces, fine, 20, "set"))
    ratio = fine // coarse
    mapped = {(u, s // times, c // fine // ratio * coarse + c % fine // ratio) for u, s, c in small}
    assert mapped == set(points_of(traces, coarse, 20 * times, "set"))
    assert set(points_of(traces, fine, 20, "vote")) <= small


@settings(deadline=None, max_examples=40)
@given(RECORDS, st.sampled_from([(10, 20), (30, 90)]), st.integers(1, 2))
def test_coarsening_voted_cells_never_raises_uniqueness(rows, nest, known):
    user, t, x, y = map(np.array, zip(*rows, strict=True))
    traces = Traces.from_arrays(user, t, x=x.astype(float), y=y.astype(float))
    coarse, fine = nest
    ratio = fine // coarse
    voted = np.array(points_of(traces, fine, 20))
    shares = []
    for cell in (voted[:, 2], voted[:, 2] // fine // ratio * coarse + voted[:, 2] % fine // ratio):
        visits = ic.Visits.from_arrays(voted[:, 0], cell=cell, slot=voted[:, 1])
        shares.append(uniqueness(visits, points=known, exact=True).value or 0)
    assert shares[1] <= shares[0] + 1e-12


def made(values):
    """A sweep with these shares, by (blocks, minutes)."""

    blocks, minutes = np.array(list(values)).T
    share = np.array(list(values.values()))
    n = len(share)
    columns = (np.full(n, 4), share, share - 0.01, share + 0.01, np.full(n, 9), np.where(np.isnan(share), 0, 99))
    return Sweep(blocks, minutes, *columns, users=9, records=99)


def test_finest_and_coarsest_settings_that_meet_a_target():
    surface = made(
        {(10, 20): 0.1, (10, 60): 0.0, (50, 20): 0.9, (50, 60): 0.2, (90, 20): 0.2, (90, 60): 0.7, (90, 240): np.nan}
    )
    assert [s[:3] for s in surface.finest(0.2)] == [
        (90, 20, 0.2),
    ]
    assert [s[:2] for s in surface.finest(0.15)] == [(10, 20)]
    assert [s[:2] for s in surface.finest(0.05)] == [(10, 60)]
    assert [s[:2] for s in surface.finest(0.2, sure=True)] == [(10, 20)]
    assert [s[:2] for s in surface.coarsest(0.2)] == [(10, 60)]
    assert [s[:2] for s in surface.coarsest(1)] == [(10, 60)]
    surface = made({(10, 20): 0.1, (10, 60): 0.3, (50, 20): 0.9, (50, 60): 0.2, (90, 20): 0.8, (90, 60): 0.7})
    assert [s[:2] for s in surface.finest(0.3)] == [(10, 20), (50, 60)]
    assert [s[:2] for s in surface.coarsest(0.2)] == [(10, 20), (50, 60)]
    assert surface.finest(0.01) == surface.coarsest(0.01) == []


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(0, 1), min_size=12, max_size=12), st.floats(0, 1))
def test_finest_settings_dominate_all_that_meet_the_target(shares, target):
    surface = made(dict(zip(product((1, 2, 4, 8), (20, 30, 60)), shares, strict=True)))
    finest, coarsest = surface.finest(target), surface.coarsest(target)
    for setting in surface.at(4):
        meets = setting.uniqueness <= target
        finer = [f for f in finest if f.blocks >= setting.blocks and f.minutes <= setting.minutes]
        coarser = [c for c in coarsest if c.blocks <= setting.blocks and c.minutes >= setting.minutes]
        assert bool(meets) <= bool(finer) and bool(meets) <= bool(coarser)
        assert (setting in finest) == (meets and finer == [setting])
        assert (setting in coarsest) == (meets and coarser == [setting])


@pytest.mark.parametrize(("target", "points"), [(-0.1, 4), (1.1, 4), (float("nan"), 4), (0.5, 3)])
def test_targets_without_meaning_are_refused(target, points):
    with pytest.raises(ParameterError):
        made({(10, 20): 0.1}).finest(target, points=points)

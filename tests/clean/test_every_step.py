"""What holds for every step, alone and in the papers' sequences, on any log."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic

PLACES = [(5.0, 52.0), (5.001, 52.0), (5.3, 52.2), (-0.0, 0.0), (0.0, 0.0)]
ORDERS = [partial(ic.clean.order, shift=shift, max_speed_kmh=300) for shift in ("swap_best", "swap_records", "remove")]
STEPS = [
    ic.clean.duplicates,
    *ORDERS,
    ic.clean.still_users,
    partial(ic.clean.still_users, singleton="record"),
    partial(ic.clean.sparse_users, min_records=3),
]
SEQUENCES = [
    [ic.clean.duplicates, ic.clean.still_users],
    *[
        [ic.clean.duplicates, order, ic.clean.displaced, partial(ic.clean.sparse_users, min_records=3)]
        for order in ORDERS
    ],
]

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 15), st.integers(0, 4)), min_size=1, max_size=40)


def traces_of(rows, planar, order="log"):
    user, t, place = zip(*rows, strict=True)
    first, second = (np.array([PLACES[p][i] for p in place]) for i in (0, 1))
    names = ("x", "y") if planar else ("lon", "lat")
    where = dict(zip(names, (first * 1000, second * 1000) if planar else (first, second), strict=True))
    return ic.Traces.from_arrays(user, t, **where, order=order, attributes={"home": sorted(set(user))})


def points(traces):
    """(user, t, place) of every record."""
    x, y = traces.coordinates
    return list(zip(traces.users[traces.owner].tolist(), traces.t.tolist(), x.tolist(), y.tolist(), strict=True))


def through(sequence, traces):
    for step in sequence:
        traces = step(traces)
    return traces


def assert_sound(before, after):
    """A ledger that closes and continues, and columns that fit each other."""
    for earlier, later in zip(after.ledger.steps, after.ledger.steps[1:], strict=False):
        assert later.read == earlier.kept
    for step in after.ledger.steps:
        assert step.read + sum(step.created.values()) == step.kept + sum(step.dropped.values())
    last = after.ledger.steps[-1]
    assert (last.read, last.kept) == (before.records, after.records)
    assert last.users == (len(before), len(after))
    assert len(after.attributes["home"]) == len(after) == len(after.offsets) - 1
    assert (np.diff(after.offsets) > 0).all()
    assert repr(after) == f"Traces(users={len(after)}, records={after.records})"


@pytest.mark.parametrize("step", STEPS)
@settings(deadline=None, max_examples=60)
@given(rows, st.booleans())
def test_every_step_accounts_for_every_record_and_is_idempotent(step, rows, planar):
    before = traces_of(rows, planar)
    unchanged = points(before)
    once = step(before)
    twice = step(once)
    assert_sound(before, once)
    assert_sound(once, twice)
    assert points(twice) == points(once)
    assert points(before) == unchanged


@pytest.mark.parametrize("sequence", SEQUENCES)
@settings(deadline=None, max_examples=60)
@given(rows, st.booleans())
def test_the_papers_sequences_are_idempotent(sequence, rows, planar):
    once = through(sequence, traces_of(rows, planar))
    assert points(through(sequence, once)) == points(once)


@pytest.mark.parametrize("order", ORDERS)
@settings(deadline=None, max_examples=100)
@given(rows, st.booleans())
def test_order_ends_with_rising_times_and_invents_nothing(order, rows, planar):
    log = traces_of(rows, planar)
    left = order(log)
    same_user = left.owner[1:] == left.owner[:-1]
    assert left.ordered
    assert (np.diff(left.t)[same_user] > 0).all()
    assert left.users.tolist() == log.users.tolist()
    assert {(u, x, y) for u, _, x, y in points(left)} <= {(u, x, y) for u, _, x, y in points(log)}
    assert {(u, t) for u, t, *_ in points(left)} <= {(u, t) for u, t, *_ in points(log)}
    if not left.ledger.steps[-1].notes["times swapped"]:
        assert set(points(left)) <= set(points(log))


@settings(deadline=None, max_examples=60)
@given(rows, st.sampled_from(["log", "time"]))
def test_duplicates_keeps_the_first_of_each_point_in_its_place(rows, order):
    traces = traces_of(rows, planar=True, order=order)
    assert points(ic.clean.duplicates(traces)) == list(dict.fromkeys(points(traces)))


@settings(deadline=None, max_examples=60)
@given(rows)
def test_displaced_is_idempotent_and_keeps_both_ends(rows):
    traces = traces_of(rows, planar=False, order="time")
    once = ic.clean.displaced(traces, max_speed_kmh=300)
    assert_sound(traces, once)
    assert points(ic.clean.displaced(once, max_speed_kmh=300)) == points(once)
    for u in range(len(traces)):
        a, b = traces.offsets[u : u + 2]
        c, d = once.offsets[u : u + 2]
        assert points(once)[c] == points(traces)[a]
        assert points(once)[d - 1] == points(traces)[b - 1]


@pytest.mark.parametrize("planar", [True, False])
def test_all_users_may_leave_and_every_step_goes_on(planar):
    empty = ic.clean.still_users(traces_of([(0, 5, 1), (0, 4, 1)], planar))
    assert repr(empty) == "Traces(users=0, records=0)"
    for step in [*STEPS, ic.clean.displaced, partial(ic.clean.sparse_users, min_records=1)]:
        after = step(ic.clean.order(empty) if step is ic.clean.displaced else empty)
        assert (len(after), after.records, after.planar) == (0, 0, planar)
        assert after.ledger.steps[-1].users == (0, 0)
    assert after.to_arrow().num_rows == 0
    assert str(after.ledger)


def test_time_of_cleaning_grows_with_the_records_alone():
    """One long log, in reverse: each record leaves by a constant number of moves."""
    size = 200_000
    log = ic.Traces.from_arrays(
        np.zeros(size, int), np.arange(size)[::-1], x=np.zeros(size), y=np.zeros(size), order="log"
    )
    assert through(SEQUENCES[1], log).records == 0  # two records are left by order, too few to stay


@pytest.mark.real
def test_a_week_of_taxis(shared_data):
    import pyarrow.parquet as pq

    week = pq.read_table(shared_data / "cabspotting_sf_week.parquet")
    log = ic.Traces.from_arrays(week["uid"], week["t"], week["lon"], week["lat"], order="log")
    steps = [ic.clean.duplicates, ic.clean.order, ic.clean.displaced, ic.clean.still_users, ic.clean.sparse_users]
    left = through(steps, log)
    lost = {step.name: sum(step.dropped.values()) for step in left.ledger.steps}
    assert left.ledger.steps[0].read == 3_319_441
    assert 500 <= len(left) <= 516
    assert 0 < lost["displaced"] < 0.01 * log.records
    assert left.records > 0.99 * log.records
    again = through(steps[:3], left)
    assert np.array_equal(again.t, left.t) and np.array_equal(again.lon, left.lon)


@pytest.mark.real
def test_a_week_of_taxis_in_disorder(shared_data):
    """Every hundredth record trades its time with the next; repair gives nearly all of them back."""
    import pyarrow.parquet as pq

    week = pq.read_table(shared_data / "cabspotting_sf_week.parquet").slice(0, 300_000)
    t = np.asarray(week["t"]).astype("datetime64[s]").astype(np.int64)
    hit = np.arange(50, len(t) - 1, 100)
    t[hit], t[hit + 1] = t[hit + 1], t[hit].copy()
    log = ic.Traces.from_arrays(week["uid"], t, week["lon"], week["lat"], order="log")
    assert not log.ordered
    step = ic.clean.order(log).ledger.steps[-1]
    assert step.notes["times swapped"] > 0.5 * len(hit)
    assert step.kept > 0.999 * log.records

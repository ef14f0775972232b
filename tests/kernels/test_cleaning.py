import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from incrowd.kernels.cpu import cleaning as cpu
from incrowd.kernels.reference import cleaning as reference
from incrowd.kernels.types import RECORDS, REMOVE, SHIFTED, SWAP_BEST, SWAP_RECORDS

METRES = [(0.0, 0.0), (100.0, 0.0), (9000.0, 0.0), (100.5, 3.0), (0.0, -50.0), (1e308, -1e308)]
DEGREES = [(5.0, 52.0), (5.001, 52.0), (5.5, 52.2), (180.0, 89.9), (-180.0, 89.9), (0.0, -90.0)]
SHIFTS = [SWAP_BEST, SWAP_RECORDS, REMOVE]

record = st.tuples(st.integers(0, 12), st.integers(0, len(METRES) - 1))
logs = st.lists(st.lists(record, max_size=12), max_size=4)
speeds = st.sampled_from([0.5, 5.0, 10.0, 15.0, 100.0, 1e4])


def columns(users, planar):
    """The arrays a kernel sees: offsets, t, x, y, planar."""
    records = [r for log in users for r in log]
    places = np.array([(METRES if planar else DEGREES)[place] for _, place in records]).reshape(-1, 2)
    offsets = np.cumsum([0, *map(len, users)], dtype=np.int64)
    t = np.array([t for t, _ in records], np.int64)
    return offsets, t, np.ascontiguousarray(places[:, 0]), np.ascontiguousarray(places[:, 1]), planar


@settings(deadline=None, max_examples=300)
@given(logs, st.booleans(), st.sampled_from(SHIFTS), speeds)
@example([[(3, 0), (2, 0), (1, 0)], [], [(5, 1)]], True, REMOVE, 5.0)
def test_repair_order_equals_reference(users, planar, shift, speed):
    arrays = columns(users, planar)
    for got, expected in zip(
        cpu.repair_order(*arrays, shift, speed), reference.repair_order(*arrays, shift, speed), strict=True
    ):
        np.testing.assert_array_equal(got, expected)


@settings(deadline=None, max_examples=300)
@given(logs, st.booleans(), speeds)
def test_displaced_equals_whole_passes_until_nothing_changes(users, planar, speed):
    arrays = columns([sorted(log) for log in users], planar)
    np.testing.assert_array_equal(cpu.displaced(*arrays, speed), reference.displaced(*arrays, speed))


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("jitter", [1, 2, 30])
def test_long_logs_equal_reference(planar, shift, jitter):
    rng = np.random.default_rng(0)
    users = []
    for size in (1, 2, 257):
        t = np.arange(size) * 2 + rng.integers(0, 4 * jitter, size)
        users.append(list(zip(t.tolist(), rng.integers(0, 5, size).tolist(), strict=True)))
    arrays = columns(users, planar)
    got, expected = (module.repair_order(*arrays, shift, 40.0) for module in (cpu, reference))
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    arrays = columns([sorted(log) for log in users], planar)
    np.testing.assert_array_equal(cpu.displaced(*arrays, 40.0), reference.displaced(*arrays, 40.0))


def test_every_parameter_changes_the_answer():
    """Two records out of order, 100 m or 68 m apart and one second."""
    log = [[(1, 0), (0, 1)]]

    def done(planar, shift, speed):
        return int(np.argmax(cpu.repair_order(*columns(log, planar), shift, speed)[3]))

    assert done(True, SWAP_BEST, 110.0) == RECORDS
    assert done(True, SWAP_BEST, 80.0) == SHIFTED
    assert done(False, SWAP_BEST, 80.0) == RECORDS
    assert done(True, SWAP_RECORDS, 80.0) == RECORDS
    assert done(True, REMOVE, 110.0) == SHIFTED
    there_and_back = [[(0, 0), (1, 1), (2, 0)]]
    assert cpu.displaced(*columns(there_and_back, True), 80.0).tolist() == [False, True, False]
    assert not cpu.displaced(*columns(there_and_back, True), 100.0).any()  # not faster than the limit
    assert not cpu.displaced(*columns(there_and_back, False), 80.0).any()


@pytest.mark.parametrize("module", [cpu, reference])
def test_first_leg_of_the_taxi_of_table_2(module):
    metres = module.distance_m(113.984566, 22.560133, 113.994598, 22.556467, False)
    assert metres == pytest.approx(1107.88, abs=0.005)
    assert metres / 56 == pytest.approx(19.784, abs=5e-4)


@pytest.mark.parametrize("module", [cpu, reference])
def test_distance_on_the_plane_and_around_the_earth(module):
    assert module.distance_m(0.0, 0.0, 3.0, 4.0, True) == 5.0
    half = np.pi * 6371008.8
    assert module.distance_m(0.0, 0.0, 180.0, 0.0, False) == pytest.approx(half, rel=1e-9)
    assert module.distance_m(0.0, 90.0, 70.0, -90.0, False) == pytest.approx(half, rel=1e-9)
    assert module.distance_m(-180.0, 10.0, 180.0, 10.0, False) == pytest.approx(0.0, abs=1e-6)


def test_time_grows_linearly_where_removals_pile_up():
    """Falling times remove a record per step, alternating far ones every second record."""
    size = 200_000
    zero = np.zeros(size)
    falling = np.arange(size)[::-1].copy()
    offsets = np.array([0, size])
    rows, *_ = cpu.repair_order(offsets, falling, zero, zero, True, SWAP_BEST, 1.0)
    assert rows.tolist() == [size - 1, size - 2]
    wave = np.where(np.arange(size) % 2, 1e6, 0.0)
    gone = cpu.displaced(offsets, np.arange(size), wave, zero, True, 1.0)
    assert gone.sum() == size // 2 - 1

import numpy as np
import pytest

from incrowd.kernels.cpu import sweep as cpu
from incrowd.kernels.reference import sweep as reference

NOWHERE = np.zeros(0, np.int32)
PERIODS = np.array([20, 30, 60, 10])


def fleet(vehicles, seed, dtype, reach=97):
    """Vehicles that jump about, some without any record, some many times in one period."""
    rng = np.random.default_rng(seed)
    offsets = np.append(0, np.cumsum(rng.integers(0, 40, vehicles) * (rng.random(vehicles) < 0.8)))
    n = int(offsets[-1])
    t = np.concatenate([np.sort(rng.integers(0, 240, k)) for k in np.diff(offsets)]).astype(dtype)
    x, y = (rng.integers(0, reach + 1, n).astype(dtype) for _ in range(2))
    return t, x, y, offsets


def points(kernel, columns, size, blocks, vote, dtype=np.int32, base=10, periods=PERIODS):
    options = size, blocks, base, periods, vote
    counts = kernel.represent(*columns, *options, np.zeros((len(periods), len(columns[3]) - 1), np.int64), NOWHERE)
    ends = np.cumsum(counts.ravel())
    ids = np.full(ends[-1], -1, dtype)
    again = kernel.represent(*columns, *options, (ends - counts.ravel()).reshape(counts.shape), ids)
    np.testing.assert_array_equal(again, counts)
    return counts, ids


@pytest.mark.parametrize("vote", [True, False], ids=["vote", "set"])
@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 200])
@pytest.mark.parametrize(("vehicles", "dtype"), [(1, np.int32), (2, np.int64), (65, np.int32)])
def test_points_equal_reference(vehicles, dtype, blocks, vote):
    columns = fleet(vehicles, vehicles + blocks, dtype)
    got, expected = (points(kernel, columns, (97, 50), blocks, vote) for kernel in (cpu, reference))
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_base_changes_no_answer():
    columns = fleet(20, 0, np.int32)
    for vote in (True, False):
        one, other = (points(cpu, columns, (97, 97), 5, vote, base=base) for base in (1, 10))
        np.testing.assert_array_equal(one[1], other[1])


def test_ids_and_sides_of_any_size():
    """Products beyond 32 bits on every axis."""
    t, x, y, offsets = fleet(9, 3, np.int64, reach=2**50)
    columns = t * 10**7, x, y, offsets
    size, periods = (2**50, 2**50), np.array([30, 60]) * 10**7
    for vote in (True, False):
        got, expected = (
            points(kernel, columns, size, 4096, vote, np.int64, 10**8, periods) for kernel in (cpu, reference)
        )
        np.testing.assert_array_equal(got[1], expected[1])


@pytest.mark.parametrize("kernel", [cpu, reference])
def test_ties_go_to_the_smallest_cell_and_votes_add_up_over_periods(kernel):
    """Cell 3 leads in both halves of the hour alone, cell 1 in neither, and cell 1 has most of the hour."""
    t = np.array([0, 1, 2, 3, 4, 30, 31, 32, 33, 34])
    cells = np.array([3, 3, 1, 1, 0, 2, 2, 1, 1, 0])
    columns = t, cells % 2, cells // 2, np.array([0, 10])
    counts, ids = points(kernel, columns, (1, 1), 2, True, base=30, periods=np.array([30, 60]))
    assert counts.tolist() == [[2], [1]]
    assert ids.tolist() == [1, 4 + 1, 1]
    counts, ids = points(kernel, columns, (1, 1), 2, False, base=30, periods=np.array([30, 60]))
    assert ids.tolist() == [0, 1, 3, 4, 5, 6, 0, 1, 2, 3]

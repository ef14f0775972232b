import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.kernels.cpu import gain as cpu
from incrowd.kernels.reference import gain as reference
from incrowd.kernels.types import Histograms


def histograms(*rows, size=None):
    """One list of counts per histogram, cell 0 first."""
    kept = [np.flatnonzero(row) for row in rows]
    cells = np.concatenate(kept) if kept else np.zeros(0, int)
    times = np.concatenate([np.array(row)[k] for row, k in zip(rows, kept, strict=True)])
    offsets = np.append(0, np.cumsum([len(k) for k in kept]))
    sizes = np.ones(len(rows), np.int64) if size is None else np.array(size)
    return Histograms(offsets, cells.astype(np.int64), times.astype(np.int64), sizes)


def total(a, b, chosen):
    kind = np.repeat(np.arange(len(a.size)), a.size)
    return reference.gains(a, b)[kind[chosen >= 0], chosen[chosen >= 0]].sum()


def gain(kernel, f, g):
    return kernel.pair_gains(histograms(f), histograms(g), np.array([0]), np.array([0]))[0]


@pytest.mark.parametrize("kernel", [reference, cpu])
@pytest.mark.parametrize(
    ("f", "g", "bits"),
    [
        ([2, 2], [4, 0], 0.3112781245),
        ([3, 1], [1, 3], 0.1887218755),
        ([1, 1, 2, 0], [0, 0, 2, 2], 0.5),
        ([4, 0, 0], [0, 1, 3], 1),  # nothing shared: 1 at equal lengths
        ([1, 3, 1], [1, 3, 1], 0),
        ([1, 0], [0, 3], 0.8112781245),  # Hb(1/4); both entropies are 0
        ([2, 0, 0], [0, 1, 1], 0.5 + 0.5),  # H(2, 1, 1) - (0 + 1) / 2
        ([4, 0, 0], [0, 1, 1], 1.2516291674 - 0.5),  # H(4, 1, 1) - 1/2: below 1 though nothing is shared
        ([1, 0, 0, 0, 0], [0, 2, 2, 2, 2], 2.2810361125 - 1),  # above 1: H(1, 2, 2, 2, 2) - H(2, 2, 2, 2) / 2
    ],
)
def test_gain_is_0_for_equal_days_and_1_for_disjoint_days_of_one_length(kernel, f, g, bits):
    assert gain(kernel, f, g) == pytest.approx(bits, abs=1e-9)
    assert gain(kernel, g, f) == pytest.approx(bits, abs=1e-9)


def test_entropy_of_three_to_one_is_0_81_bits():
    assert reference.entropy(np.array([3, 1])) == pytest.approx(0.8112781245)


def test_disjoint_days_of_one_length_cost_exactly_1():
    assert gain(cpu, [7, 4, 0, 0], [0, 0, 5, 6]) == 1.0


@pytest.mark.parametrize("kernel", [reference, cpu])
def test_linking_the_identical_first_is_not_optimal(kernel):
    a, b = histograms([2, 2], [4, 0]), histograms([2, 2], [0, 4])
    chosen, prices = kernel.assign(a, b)
    assert chosen.tolist() == [1, 0]
    assert total(a, b, chosen) == pytest.approx(0.6225562489)
    assert kernel.bound(a, b, prices) == pytest.approx(0.6225562489)


@st.composite
def problems(draw):
    """Distinct histograms with multiplicities; lengths equal, or equal on each side, or any; a has more or as many."""
    seed, cells, shape = draw(st.integers(0, 2**32)), draw(st.integers(1, 6)), draw(st.sampled_from(["one", "two", ""]))
    rng = np.random.default_rng(seed)
    length = draw(st.integers(1, 9))

    def side(most, length):
        lengths = rng.integers(1, 9, most) if not shape else np.full(most, length)
        rows = np.unique([rng.multinomial(n, np.ones(cells) / cells) for n in lengths], axis=0)
        return histograms(*rng.permutation(rows), size=rng.integers(1, 4, len(rows)))

    a = side(draw(st.integers(1, 8)), length)
    b = side(draw(st.integers(1, 8)), length if shape == "one" else length + 2)
    return (a, b) if a.size.sum() >= b.size.sum() else (b, a)


@settings(deadline=None, max_examples=150)
@given(problems())
def test_auction_finds_the_optimum_and_proves_it(problem):
    a, b = problem
    best = total(a, b, reference.assign(a, b)[0])
    chosen, prices = cpu.assign(a, b)
    np.testing.assert_array_equal(np.bincount(chosen[chosen >= 0], minlength=len(b.size)), b.size)
    assert (chosen < 0).sum() == a.size.sum() - b.size.sum()
    assert total(a, b, chosen) == pytest.approx(best, abs=1e-7)
    bound = cpu.bound(a, b, prices)
    assert bound <= best + 1e-9 and best <= bound + 1e-7
    assert bound == pytest.approx(reference.bound(a, b, prices), abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(problems(), st.integers(0, 2**32))
def test_any_prices_bound_the_total_from_below(problem, seed):
    a, b = problem
    best = total(a, b, reference.assign(a, b)[0])
    prices = np.random.default_rng(seed).normal(size=len(b.size) + 1)
    assert cpu.bound(a, b, prices) <= best + 1e-9
    assert cpu.bound(a, b, prices) == pytest.approx(reference.bound(a, b, prices), abs=1e-9)
    assert reference.bound(a, b, reference.assign(a, b)[1]) == pytest.approx(best, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(problems())
def test_pair_gains_equal_the_definition(problem):
    a, b = problem
    rows, columns = (x.ravel() for x in np.indices((len(a.size), len(b.size))))
    np.testing.assert_allclose(
        cpu.pair_gains(a, b, rows, columns), reference.pair_gains(a, b, rows, columns), atol=1e-12
    )


@pytest.mark.parametrize("take", [2, 3, 24])
@pytest.mark.parametrize("spread", [3, 12])
def test_lists_shorter_than_the_rows_stay_exact(monkeypatch, spread, take):
    """More columns share a cell with a row than its list holds, so that lists are made again and again."""
    monkeypatch.setattr(cpu, "TAKE", take)
    rng = np.random.default_rng(spread)
    rows = [np.unique(rng.multinomial(9, np.ones(spread) / spread, size=120), axis=0) for _ in range(2)]
    a, b = sorted((histograms(*rng.permutation(side)) for side in rows), key=lambda side: -len(side.size))
    chosen, prices = cpu.assign(a, b)
    best = total(a, b, reference.assign(a, b)[0])
    assert total(a, b, chosen) == pytest.approx(best, abs=1e-6)
    assert best - 1e-6 <= cpu.bound(a, b, prices) <= best + 1e-9

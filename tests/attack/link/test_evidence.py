"""Evidence and histograms against their definitions; hand examples and invariants of the specification."""

from math import lgamma, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.attack import link
from incrowd.attack.link.evidence import UNIT, Concentration, Evidence, Histogram, concentration
from incrowd.attack.link.pairs import PairScores
from incrowd.attack.link.views import FeatureRows, Tally, tallied
from incrowd.kernels import using

counts = st.lists(st.integers(0, 4), min_size=3, max_size=3)
crowds = st.lists(counts.filter(any), min_size=1, max_size=5)
shares = st.lists(st.integers(1, 9), min_size=3, max_size=3).map(lambda w: [v / sum(w) for v in w])
alphas = st.floats(0.05, 2000)


def rows_of(table):
    owner, feature = np.nonzero(np.array(table))
    return FeatureRows(owner, feature, np.array(table)[owner, feature].astype(float))


def scores(known, target, pi, alpha, score="evidence"):
    """Scores of all pairs in nats, with the shares and alpha given."""
    tally = Tally(rows_of(known), rows_of(target), np.array(pi), np.array(pi))
    sizes = np.array(known).sum(axis=1), np.array(target).sum(axis=1)
    layer = Evidence.of(tally, sizes[0], "places") if score == "evidence" else Histogram.of(tally, *sizes)
    if score == "evidence":
        kept = np.flatnonzero((np.array(known).sum(axis=0) > 0) & (np.array(target).sum(axis=0) > 0))
        layer = Evidence(layer.known, layer.target, alpha * np.array(pi)[kept], Concentration(alpha))
    return PairScores.over([layer], sizes, everybody=True).of(np.arange(len(known))) / UNIT


def evidence(a, b, pi, alpha):
    """The definition, term by term."""
    n, m = sum(a), sum(b)
    total = lgamma(n + alpha) + lgamma(m + alpha) - lgamma(n + m + alpha) - lgamma(alpha)
    for x, y, p in zip(a, b, pi, strict=True):
        if x and y:
            c = alpha * p
            total += lgamma(x + y + c) + lgamma(c) - lgamma(x + c) - lgamma(y + c)
    return total


def divergence(a, b):
    p, r = (np.array(side) / sum(side) for side in (a, b))
    q = (p + r) / 2
    return -sum(x * log(x / z) for side in (p, r) for x, z in zip(side, q, strict=True) if x)


def test_hand_examples():
    even = [1 / 2, 1 / 2]
    assert scores([[2, 0]], [[1, 0]], even, 2)[0, 0] == pytest.approx(log(1.5), abs=1e-9)
    assert scores([[2, 0]], [[0, 1]], even, 2)[0, 0] == pytest.approx(-log(2), abs=1e-9)
    assert scores([[3]], [[4]], [1.0], 2)[0, 0] == 0  # one cell
    assert scores([[2, 2]], [[1, 1]], even, 2, "histogram")[0, 0] == 0
    assert scores([[2, 0]], [[0, 1]], even, 2, "histogram")[0, 0] == pytest.approx(-2 * log(2), abs=1e-9)


def test_the_size_term_of_who_shares_nothing():
    """alpha = 2, n = 5: m = 0, 1, 50."""
    layer = Evidence(rows_of([[1]]), rows_of([[1]]), np.array([1.0]), Concentration(2.0))
    assert layer.apart(np.array([5]), np.array([0, 1, 50]))[0] / UNIT == pytest.approx([0, -1.25276, -13.4], abs=0.05)
    assert layer.apart(np.array([0]), np.array([0])).tolist() == [[0]]  # nobody has been anywhere


@settings(deadline=None, max_examples=100)
@given(crowds, crowds, shares, alphas)
def test_evidence_equals_the_definition(known, target, pi, alpha):
    table = scores(known, target, pi, alpha)
    for i, a in enumerate(known):
        for j, b in enumerate(target):
            assert table[i, j] == pytest.approx(evidence(a, b, pi, alpha), abs=4 * 2**-32 + 1e-9)
    with using("reference"):
        assert (scores(known, target, pi, alpha) == table).all()
    assert (scores(target, known, pi, alpha) == table.T).all()


@settings(deadline=None, max_examples=60)
@given(crowds, crowds)
def test_histogram_equals_the_definition(known, target):
    table = scores(known, target, [1 / 3] * 3, 1.0, "histogram")
    expected = [[divergence(a, b) for b in target] for a in known]
    assert table == pytest.approx(np.array(expected), abs=4 * 2**-32 + 1e-12)
    assert (scores(target, known, [1 / 3] * 3, 1.0, "histogram") == table.T).all()


@settings(deadline=None, max_examples=100)
@given(crowds, shares, alphas, st.permutations(range(3)))
def test_invariants_at_fixed_shares_and_alpha(people, pi, alpha, renamed):
    table, slack = scores(people, people, pi, alpha), 4 * 2**-32
    moved = [[row[c] for c in renamed] for row in people]
    assert scores(moved, moved, [pi[c] for c in renamed], alpha) == pytest.approx(table, abs=slack)
    twice = scores([*people, people[0]], people, pi, alpha)
    assert (twice[:-1] == table).all() and (twice[-1] == table[0]).all()
    wider = [[*row, 0] for row in people]
    assert (scores(wider, wider, [*pi, 0.1], alpha) == table).all()  # a feature that nobody has
    own = np.diag(table)
    assert (own >= -slack).all()
    assert (table <= (own[:, None] + own[None]) / 2 + slack).all()
    grown = [
        scores([[c * n for n in row] for row in people[:1]], [[c * n for n in people[0]]], pi, alpha)[0, 0]
        for c in (1, 2, 3)
    ]
    assert grown[0] <= grown[1] + slack and grown[1] <= grown[2] + slack


def visits(table, slots=24, **clock):
    """One person a row: so many slots in each cell, one after the other."""
    rows = [(u, c, s) for u, row in enumerate(table) for s, c in enumerate(np.repeat(np.arange(len(row)), row))]
    user, cell, slot = np.array(rows).T
    return ic.Visits.from_arrays(user, cell, slot % slots if clock else slot, **clock)


def test_link_uses_shares_and_alpha_of_the_data():
    known, target = [[4, 1, 0], [0, 3, 2], [1, 0, 6]], [[5, 2, 1], [0, 4, 4], [0, 1, 7]]
    linkage = link(visits(known), visits(target))
    assert linkage.views == ("places",) and linkage.hit[1] == 1  # no clock, no rhythm
    pi = (np.array(known).sum(axis=0) + np.array(target).sum(axis=0)) / (np.sum(known) + np.sum(target))
    expected = [[evidence(a, b, pi, linkage.alpha["places"]) for b in target] for a in known]
    assert linkage.scores([0, 1, 2]) == pytest.approx(np.array(expected), abs=1e-8)
    with pytest.raises(ic.ParameterError, match="'rhythm' needs visits with start"):
        link(visits(known), visits(target), views=("places", "rhythm"))


def test_rhythm_mixes_cells_and_blocks():
    """Quarters of the day by the clock, here from 5 o'clock on; a third of the prior is cell times block."""
    known = ic.Visits.from_arrays([0, 0, 0, 1], [7, 7, 8, 8], [0, 1, 2, 0], slot_min=60, start=5 * 3600)
    tally = tallied(known, known, "rhythm")
    assert tally.share == pytest.approx([1 / 4] * 4) and tally.spread == pytest.approx([1 / 4] * 4)
    assert tally.known.value.tolist() == [1, 1, 1, 1]
    week = tallied(known, known, "week")
    assert len(week.share) == 4 and week.spread == pytest.approx([1 / 4, 1 / 8, 1 / 4, 1 / 8])


def test_alpha_is_the_likeliest_and_bounds_are_told():
    table = [[5, 1, 0], [0, 4, 1], [1, 0, 5], [2, 3, 1]]
    rows, sizes = rows_of(table), np.array(table).sum(axis=1)
    pi = np.array([1 / 3] * 3)

    def likelihood(x):
        alpha, total = np.exp(x), 0.0
        for row in table:
            total += lgamma(alpha) - lgamma(sum(row) + alpha)
            total += sum(lgamma(n + alpha * p) - lgamma(alpha * p) for n, p in zip(row, pi, strict=True) if n)
        return total

    x = log(concentration(rows, pi, sizes).alpha)
    assert x == round(x, 6) or abs(x - round(x, 6)) < 1e-12
    assert likelihood(x) >= max(likelihood(x - 1e-4), likelihood(x + 1e-4))
    alike = rows_of([[3, 3, 3]] * 20)
    assert concentration(alike, pi, np.full(20, 9)) == Concentration(pytest.approx(np.exp(8)), at_bound=True)
    own = rows_of(np.eye(20, dtype=int) * 30)
    assert concentration(own, np.full(20, 1 / 20), np.full(20, 30)) == Concentration(
        pytest.approx(np.exp(-3)), at_bound=True
    )
    once = rows_of(np.eye(3, dtype=int))
    assert concentration(once, pi, np.ones(3, np.int64)).alpha == 1
    assert concentration(rows_of([[4], [7]]), np.array([1.0]), np.array([4, 7])).alpha == 1  # one cell


def test_who_shares_nothing_is_ranked_by_size():
    """A candidate with one visit elsewhere beats one with many visits and one shared."""
    known, target = visits([[5, 0, 0]]), visits([[1, 30, 30], [0, 0, 1]])
    linkage = link(known, target, truth=[1])
    assert linkage.best[0, :2].tolist() == [1, 0] and linkage.hit[1] == 1 and linkage.silent == 0


def test_people_without_visits_are_neither_known_nor_candidates():
    from dataclasses import replace

    some = ic.Visits.from_arrays([0, 1, 2], [1, 2, 3], [0, 0, 0])
    empty = replace(some, offsets=np.array([0, 1, 1, 2]), cell=np.array([1, 3]), slot=np.array([0, 0]))
    linkage = link(empty, some)
    assert (linkage.known, linkage.target, linkage.empty, linkage.scored) == (2, 3, 1, 2)
    assert np.isnan(linkage.rank[1]) and linkage.matches.tolist() == [0, -1, 2]
    assert np.isnan(linkage.scores([1])).all() and np.isnan(linkage.posterior[1]).all()
    back = link(some, empty)
    assert (back.without, back.matches[0], back.matches[2]) == (1, 0, 2)
    assert np.isnan(back.scores([0])[0, 1]) and back.posterior[0][1] == 0


def test_boxes_are_one_visit_each_and_a_crowd_shares_the_hit():
    xy = [[50, 50], [150, 50], [250, 50]]
    known = ic.Visits.from_arrays([0, 0, 1, 2], [0, 1, 1, 2], [0, 1, 1, 2], xy=xy, slot_min=60, start=0)
    boxes = ic.Fingerprints.from_arrays(
        ["p", "p", "q"], x=[0, 100, 200], y=[0, 0, 0], t=[10, 70, 130], dt=[50, 1, 1], crowd=[2, 1], start=0
    )
    release = ic.Release.from_arrays(boxes, members=[[0, 1], [2]])
    linkage = link(known, release)
    assert linkage.matches.tolist() == [0, 0, 1]
    assert linkage.right.tolist() == [0.5, 0.5, 1] and linkage.hit[1] == pytest.approx(2 / 3)
    with pytest.raises(ic.DataError, match="one_to_one needs one row for each person"):
        link(known, release, one_to_one=True)
    far = ic.Fingerprints.from_arrays(["p"], x=[9000], y=[0], t=[10], start=0)
    assert link(known, ic.Release.from_arrays(far, members=[[0]])).silent == 1


def test_views_and_positions_are_checked():
    known = visits([[1, 0], [0, 1]])
    for wrong in ("places", (), ("places", "places"), ("home",)):
        with pytest.raises(ic.ParameterError, match="views must name one or more"):
            link(known, known, views=wrong)
    assert link(known, known, views=["places"]).views == ("places",)
    for rows in ([2], [-1], 5):
        with pytest.raises(ic.ParameterError, match="positions from 0 to 1"):
            link(known, known).scores(rows)


@pytest.mark.parametrize("score", ["evidence", "histogram", "overlap"])
@pytest.mark.parametrize("one_to_one", [False, True])
def test_nothing_shared_one_person_and_everybody_alike_are_chance(score, one_to_one):
    how = {"score": score, "views": ("places",), "one_to_one": one_to_one}
    one = visits([[3]])
    assert link(one, one, **how).hit == {1: 1, 10: 1}
    apart = link(visits([[2, 0, 0], [0, 2, 0]]), visits([[0, 0, 2], [0, 0, 2]]), **how)
    assert apart.hit[1] == apart.chance[1] == 0.5 and apart.silent == 2
    alike = link(visits([[2, 1]] * 20), visits([[2, 1]] * 20), **how)
    assert alike.hit[1] == pytest.approx(1 / 20) and len(alike.named(0.9)) == 0


def test_of_several_rows_the_one_named_counts_with_its_own_crowd():
    """The best row of person 0 is p, of one person; q stands for four. Two rows that are level count their mean."""
    xy = [[50, 50], [150, 50], [250, 50]]
    known = ic.Visits.from_arrays([0, 0, 1], [0, 1, 2], [0, 1, 2], xy=xy, slot_min=60, start=0)
    boxes = {"x": [0, 100, 200, 200], "y": [0] * 4, "t": [0, 60, 0, 0], "start": 0}

    def linked(users, crowd, members):
        release = ic.Release.from_arrays(ic.Fingerprints.from_arrays(users, crowd=crowd, **boxes), members=members)
        return link(known, release)

    apart = linked(["p", "p", "q", "r"], [1, 4, 1], [[0], [0], [1]])
    assert apart.right.tolist() == [1, 0.5] and apart.claimed_right == 1
    assert apart.chance[1] == pytest.approx(((1 + 1 / 4) / 3 + 1 / 3) / 2)
    level = linked(["p", "p", "q", "r"], [2, 1, 4], [[0], [1], [1]])
    assert level.right.tolist() == [0.5, pytest.approx((1 + 1 / 4) / 2)] and level.claimed_right == 0.5


def test_a_folder_of_boxes_is_linked_like_the_release_in_memory(tmp_path):
    city = ic.read.synthetic_city(users=12, towers=9, days=1)
    known, prints = ic.discretize.grid(city.traces, cell_m=2000, slot_min=60), ic.discretize.fingerprints(city.traces)
    release = ic.anonymize.Glove(k=2)(prints)
    ic.anonymize.publish(release, tmp_path / "boxes", link=tmp_path / "link.csv", original=prints)
    assert link(known, tmp_path / "boxes", truth=tmp_path / "link.csv").hit == link(known, release).hit
    assert link(known, tmp_path / "boxes").told is False and link(known, release).hit[10] <= 0.5
    points = ic.anonymize.W4M(k=2)(city.traces)
    ic.anonymize.publish(points, tmp_path / "points")
    with pytest.raises(ic.DataError, match="publishes neither visits nor boxes"):
        link(known, tmp_path / "points")

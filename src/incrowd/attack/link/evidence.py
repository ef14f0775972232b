"""How common features are and how much people differ -> weights of shared features, in whole multiples of 2**-32."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from incrowd.arrays import Floats, Ints, distinct_rows
from incrowd.attack.link.views import FeatureRows, Tally, View

LEAST, MOST = -3.0, 8.0  # of ln alpha
STEP = 0.5  # between the values among which the greatest likelihood is looked for first
DIGITS = 6  # of ln alpha
FLAT = 1e-9  # a likelihood that differs by no more of itself is flat
Score = Literal["evidence", "histogram", "overlap"]
SCORES: tuple[Score, ...] = ("evidence", "histogram", "overlap")
UNIT = 2.0**32  # weights are whole multiples of 1 / UNIT, so that equal sums are equal in any order
EVEN = 1 / 3  # of the prior share of a cell and block: what cell and block alone would make it


@dataclass(frozen=True)
class Concentration:
    """Alpha: small where everybody has places of their own, large where everybody is alike."""

    alpha: float
    at_bound: bool = False  # whether the likelihood still rises where the search ends


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """sum_i [lnG(alpha) - lnG(n_i + alpha) + sum_f lnG(a_if + alpha pi_f) - lnG(alpha pi_f)], G the gamma function."""

    visits: Floats  # the different n_i
    people: Floats  # with as many
    count: Floats  # the different pairs of a_if and pi_f
    share: Floats
    times: Floats

    def __call__(self, ln_alpha: float) -> float:
        from scipy.special import gammaln

        alpha = np.exp(ln_alpha)
        prior = alpha * self.share
        sizes = self.people @ (gammaln(alpha) - gammaln(self.visits + alpha))
        return float(sizes + self.times @ (gammaln(self.count + prior) - gammaln(prior)))

    def slope(self, ln_alpha: float) -> float:
        """By ln alpha; digamma functions are more exact than differences of the likelihood."""
        from scipy.special import psi

        alpha = np.exp(ln_alpha)
        prior = alpha * self.share
        sizes = self.people @ (psi(alpha) - psi(self.visits + alpha))
        return float(alpha * (sizes + (self.times * self.share) @ (psi(self.count + prior) - psi(prior))))


def concentration(rows: FeatureRows, share: Floats, visits: Ints) -> Concentration:
    """The alpha under which the counts of these people are likeliest; 1 where the likelihood is flat.

    Args:
        rows: Slots of each person with each feature.
        share: Of each feature among all visits.
        visits: Of each person.
    """
    from scipy.optimize import brentq, minimize_scalar

    likelihood = _likelihood(rows, share, visits)
    grid = np.arange(LEAST, MOST + STEP / 2, STEP)
    values = np.array([likelihood(x) for x in grid])
    if visits.max(initial=0) < 2 or np.ptp(values) <= FLAT * max(1.0, np.abs(values).max()):
        return Concentration(1.0)
    best = int(values.argmax())
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    if (best == 0 and likelihood.slope(low) <= 0) or (best == len(grid) - 1 and likelihood.slope(high) >= 0):
        return Concentration(float(np.exp(grid[best])), at_bound=True)
    if likelihood.slope(low) > 0 > likelihood.slope(high):
        top = brentq(likelihood.slope, low, high, xtol=1e-10)
    else:
        top = minimize_scalar(lambda x: -likelihood(x), bounds=(low, high), method="bounded").x
    return Concentration(float(np.exp(round(top, DIGITS))))


def _likelihood(rows: FeatureRows, share: Floats, visits: Ints) -> _Likelihood:
    of = share[rows.feature]
    order = np.lexsort((rows.value, of))
    first = np.flatnonzero(distinct_rows(of[order], rows.value[order]))
    times = np.diff(first, append=len(order)).astype(np.float64)
    sizes, people = np.unique(visits, return_counts=True)
    distinct = order[first]
    return _Likelihood(sizes.astype(np.float64), people.astype(np.float64), rows.value[distinct], of[distinct], times)


class Shared(NamedTuple):
    """Features that two people share: how much the one has of each, and the other."""

    feature: Ints
    ours: Floats
    theirs: Floats


@dataclass(frozen=True, eq=False)
class Layer:
    """One view under one score: the features that both sides have, and what sharing one weighs."""

    known: FeatureRows
    target: FeatureRows

    def weights(self, shared: Shared) -> Ints:
        """What sharing each feature weighs, in units; 0 or more."""
        raise NotImplementedError

    def apart(self, ours: Ints, theirs: Ints) -> Ints:
        """What people with so many visits score who share nothing, [ours, theirs]; 0 unless a score says more."""
        return np.zeros((len(ours), len(theirs)), np.int64)

    def turned(self) -> "Layer":
        """The same with the sides exchanged; every weight is symmetric."""
        return replace(self, known=self.target, target=self.known)


def rounded(nats: Floats) -> Ints:
    """In whole units."""
    units: Ints = np.round(nats * UNIT).astype(np.int64)
    return units


@dataclass(frozen=True, eq=False)
class Evidence(Layer):
    """The log Bayes factor of one person against two, under a Dirichlet-multinomial crowd."""

    prior: Floats  # [feature] alpha times its share
    fit: Concentration

    @classmethod
    def of(cls, tally: Tally, visits: Ints, view: View) -> "Evidence":
        """Weights from the crowd of both sides; alpha from the people of the known side, who have so many visits."""
        prior = tally.share if view == "places" else (1 - EVEN) * tally.share + EVEN * tally.spread
        fit = concentration(tally.known, prior, visits)
        known, target, kept = in_both(tally.known, tally.target, len(prior))
        return cls(known, target, fit.alpha * prior[kept], fit)

    @cached_property
    def _rising(self) -> tuple[Ints, Floats]:
        """The log of Gamma(prior + n) / Gamma(prior) for n = 0, 1, ... of each feature, and where each begins."""
        from scipy.special import gammaln

        most = np.zeros(len(self.prior), np.int64)
        for rows in (self.known, self.target):
            largest = np.zeros(len(self.prior), np.int64)
            np.maximum.at(largest, rows.feature, rows.value.astype(np.int64))
            most += largest
        starts = np.append(0, np.cumsum(most + 1))
        n = np.arange(starts[-1]) - np.repeat(starts[:-1], most + 1)
        prior = np.repeat(self.prior, most + 1)
        return starts, gammaln(prior + n) - gammaln(prior)

    def weights(self, shared: Shared) -> Ints:
        """The bracket of the evidence."""
        starts, rising = self._rising
        at, a, b = starts[shared.feature], shared.ours.astype(np.int64), shared.theirs.astype(np.int64)
        return rounded(rising[at + a + b] - (rising[at + a] + rising[at + b]))  # to the bit whichever side is first

    def apart(self, ours: Ints, theirs: Ints) -> Ints:
        """The size term: the more visits without anything shared, the less one person."""
        from scipy.special import gammaln

        alpha = self.fit.alpha
        one, two = gammaln(ours + alpha)[:, None], gammaln(theirs + alpha)[None]
        return rounded(one + two - gammaln(ours[:, None] + theirs[None] + alpha) - gammaln(alpha))


@dataclass(frozen=True, eq=False)
class Histogram(Layer):
    """-[KL(p, q) + KL(r, q)] with q half way between the shares p and r of two people [naini2016]."""

    @classmethod
    def of(cls, tally: Tally, ours: Ints, theirs: Ints) -> "Histogram":
        """Shares of the visits of people who have so many."""
        known, target, _ = in_both(tally.known, tally.target, len(tally.share))
        return cls(
            known._replace(value=known.value / ours[known.owner]),
            target._replace(value=target.value / theirs[target.owner]),
        )

    def weights(self, shared: Shared) -> Ints:
        """(p + r) ln(p + r) - p ln p - r ln r: what a shared feature adds to -2 ln 2, the score of nothing shared."""
        p, r = shared.ours, shared.theirs
        return rounded((p + r) * np.log(p + r) - (p * np.log(p) + r * np.log(r)))

    def apart(self, ours: Ints, theirs: Ints) -> Ints:
        """Disjoint shares are 2 ln 2 apart, whatever their sizes."""
        return np.full((len(ours), len(theirs)), rounded(np.array(-2 * np.log(2))), np.int64)


@dataclass(frozen=True, eq=False)
class Overlap(Layer):
    """-log of the share of target people who have a feature, for each that is shared."""

    weight: Ints  # [feature]

    @classmethod
    def of(cls, tally: Tally, people: int, *, nats: bool) -> "Overlap":
        """Weights by how many of the target's people have each feature, in bits or nats."""
        known, target, kept = in_both(tally.known, tally.target, len(tally.share))
        crowd = np.bincount(target.feature, minlength=len(kept))
        one, other = (rows._replace(value=np.ones(len(rows.owner))) for rows in (known, target))
        return cls(one, other, rarity(crowd, people, nats=nats))

    def weights(self, shared: Shared) -> Ints:
        """The rarity of the feature."""
        return self.weight[shared.feature]


def rarity(crowd: Ints, people: int, *, nats: bool = False) -> Ints:
    """-log of the share of people who have each feature: 0 where everybody has it, or nobody."""
    shares = np.where(crowd > 0, crowd, people) / people
    return rounded(-np.log(shares) if nats else -np.log2(shares))


def in_both(known: FeatureRows, target: FeatureRows, features: int) -> tuple[FeatureRows, FeatureRows, Ints]:
    """The rows of features that both sides have, numbered anew, and their old numbers."""
    both = np.ones(features, np.bool_)
    for rows in (known, target):
        both &= np.bincount(rows.feature, minlength=features) > 0
    number = np.cumsum(both) - 1
    kept = (rows.at(both[rows.feature]) for rows in (known, target))
    ours, theirs = (rows._replace(feature=number[rows.feature]) for rows in kept)
    return ours, theirs, np.flatnonzero(both)


def by_value(rows: FeatureRows) -> tuple[Ints, Ints]:
    """Rows by feature, then value, then person, and where each feature and value begins."""
    order = np.lexsort((rows.owner, rows.value, rows.feature))
    return order, np.flatnonzero(distinct_rows(rows.feature[order], rows.value[order]))

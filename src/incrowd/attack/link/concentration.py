"""Counts of people -> how strongly people differ from the crowd: the alpha of greatest likelihood."""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Floats, Ints, distinct_rows
from incrowd.attack.link.views import FeatureRows

LEAST, MOST = -3.0, 8.0  # of ln alpha
STEP = 0.5  # between the values among which the greatest likelihood is looked for first
DIGITS = 6  # of ln alpha
FLAT = 1e-9  # a likelihood that differs by no more of itself is flat


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
    first = np.flatnonzero(distinct_rows(of[order], rows.value[order]))  # type: ignore[arg-type]
    times = np.diff(first, append=len(order)).astype(np.float64)
    sizes, people = np.unique(visits, return_counts=True)
    distinct = order[first]
    return _Likelihood(sizes.astype(np.float64), people.astype(np.float64), rows.value[distinct], of[distinct], times)

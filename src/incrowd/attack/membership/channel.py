"""How counts are published -> the probability of what is published, given the true count."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, exp, inf, log1p
from typing import Any

import numpy as np

from incrowd.anonymize._counts import RULES
from incrowd.anonymize.cell_key import CellKey, p_table, perturbed, row_of
from incrowd.anonymize.dp_counts import DPCounts, measurement
from incrowd.arrays import Floats, Ints
from incrowd.errors import ParameterError, check_positive, check_share, check_whole

BEFORE = (
    "move_share",
    "region",
    "region_m",
    "slot_min",
    "dp_epsilon",
    "dp_delta",
    "slots_per_person",
    "cells_per_slot",
)
BOUNDS = ("dp_delta", "slots_per_person", "cells_per_slot")  # mean nothing without dp_epsilon
AFTER = ("cell_key", "noise_epsilon", "suppress_below", "round_to")
REACH = 40  # scales of noise beyond which nothing is left
FAR = 2**40


@dataclass(frozen=True, eq=False)
class Channel:
    """What happens to a count: changed by a table, noise, small ones published as 0, rounded.

    Args:
        table: Changes by count and cell key, or None.
        scale: Of the noise; 0 for none.
        laplace: Whether the noise is discrete Laplace; else discrete Gaussian.
        suppress_below: Smaller counts are published as 0.
        round_to: Multiples of this are published.
    """

    table: Ints | None = None
    scale: float = 0.0
    laplace: bool = True
    suppress_below: int | None = None
    round_to: int = 1

    @classmethod
    def of(cls, mitigation: Mapping[str, Any]) -> "Channel":
        """The channel of a mitigation, given by the keywords of `anonymize.counts`."""
        scale, laplace = 0.0, True
        if mitigation.get("noise_epsilon") not in (None, inf):
            check_positive(noise_epsilon=mitigation["noise_epsilon"])
            scale = 1 / float(mitigation["noise_epsilon"])
        if mitigation.get("dp_epsilon") is not None:
            if scale:
                raise ParameterError("noise_epsilon and dp_epsilon are two kinds of noise; leave one of them out.")
            method = dp_method(mitigation)
            laplace = method.delta == 0
            scale = measurement(method.epsilon, method.delta, method.sensitivity)[1]
        for name in ("suppress_below", "round_to"):
            if mitigation.get(name) is not None:
                check_whole(**{name: mitigation[name]})
        table = None if mitigation.get("cell_key") is None else p_table(mitigation["cell_key"])
        return cls(table, scale, laplace, mitigation.get("suppress_below"), int(mitigation.get("round_to") or 1))

    @property
    def least(self) -> int | None:
        """Smaller counts are published as 0, so a published 0 stands for all of them; None if 0 is like the others."""
        if self.suppress_below is None and self.table is not None and not self.scale:
            return CellKey().threshold
        return self.suppress_below

    def publish(self, n: Ints, rng: np.random.Generator) -> Ints:
        """What may be published of true counts, with fresh noise."""
        if self.table is not None:
            n = perturbed(n, rng.integers(0, self.table.shape[1], n.shape), self.table, CellKey().threshold)
        if self.scale and self.laplace:
            waits = rng.geometric(-np.expm1(-1 / self.scale), (2, *n.shape))
            n = n + waits[0] - waits[1]
        elif self.scale:
            first, ln_below = self._gaussian
            n = n + first + np.searchsorted(np.exp(ln_below), rng.random(n.shape))
        if self.suppress_below is not None:
            n = np.where(n < self.suppress_below, 0, n)
        step = self.round_to
        return np.floor_divide(2 * n + step, 2 * step) * step

    def before_rounding(self, y: Ints) -> tuple[Ints, Ints]:
        """The lowest and the highest value, after noise, that is published as y; none where the first is larger."""
        step, least = self.round_to, self.suppress_below
        low, high = y - step // 2, y + ceil(step / 2) - 1
        wrong = y % step != 0
        if least is not None:
            high = np.where(y == 0, np.maximum(high, least - 1), high)
            low = np.where(y == 0, -FAR, np.maximum(low, least))
        return np.where(wrong, 1, low), np.where(wrong, 0, high)

    def span(self, y: Ints, people: int, rate: Floats) -> tuple[Ints, Ints]:
        """Between which true counts what is published may come from: those near it, up to those that are usual."""
        low, high = self.before_rounding(y)
        reach = ceil(REACH * self.scale)
        if self.table is not None:
            reach += int(np.abs(self.table).max())
            low = np.where(y == 0, 0, low)
            high = np.where(y == 0, np.maximum(high, 2 * CellKey().threshold), high)
        low, high = low - reach, high + reach
        if self.scale:
            usual, apart = people * rate, REACH / 2 * (1 + np.sqrt(people * rate))
            low = np.minimum(low, np.floor(usual - apart).astype(np.int64))
            high = np.maximum(high, np.ceil(usual + apart).astype(np.int64))
        return np.clip(low, 0, people), np.clip(high, 0, people)

    def ln_likelihood(self, y: Ints, n: Ints) -> Floats:
        """The log of the probability that y is published of a true count n."""
        low, high = self.before_rounding(y)
        if self.table is None:
            return self._ln_between(low - n, high - n)
        row = row_of(n)
        total = np.full(np.broadcast(y, n).shape, -np.inf)
        for column, share in self._columns:
            changed = n + column[row]
            changed = np.where(changed < CellKey().threshold, 0, changed)
            total = np.logaddexp(total, np.log(share) + self._ln_between(low - changed, high - changed))
        return total

    @cached_property
    def _columns(self) -> list[tuple[Ints, float]]:
        """The different columns of the table, and the share of keys that have each."""
        columns, keys = np.unique(np.asarray(self.table), axis=1, return_counts=True)
        return [(column, n / int(keys.sum())) for column, n in zip(columns.T, keys.tolist(), strict=True)]

    def _ln_between(self, low: Ints, high: Ints) -> Floats:
        """The log of the probability that noise lies between two numbers, both included."""
        some = low <= high
        if not self.scale:
            return np.where(some & (low <= 0) & (high >= 0), 0.0, -np.inf)
        above = low > 0  # noise is symmetric, and only its lower tail is exact
        low, high = np.where(above, -high, low), np.where(above, -low, high)
        upto, below = self._ln_below(high), self._ln_below(low - 1)
        with np.errstate(divide="ignore"):
            ln: Floats = np.where(some, upto + np.log(-np.expm1(np.minimum(below - upto, 0.0))), -np.inf)
        return ln

    def _ln_below(self, k: Ints) -> Floats:
        """The log of the probability that noise is at most k."""
        if not self.laplace:
            first, ln_below = self._gaussian
            inside = ln_below[np.clip(k - first, 0, len(ln_below) - 1)]
            far = np.minimum(k, first).astype(np.float64)
            beyond: Floats = ln_below[0] - (far**2 - float(first) ** 2) / (2 * self.scale**2)
            return np.where(k < first, beyond, inside)
        tail: Floats = -np.abs(np.where(k >= 0, k + 1, k)) / self.scale - log1p(exp(-1 / self.scale))
        return np.where(k >= 0, np.log1p(-np.exp(tail)), tail)

    @cached_property
    def _gaussian(self) -> tuple[int, Floats]:
        """The least number of discrete Gaussian noise looked at, and from there on the log of P(noise <= k)."""
        far = ceil(REACH * self.scale) + 1
        ln = -(np.arange(-far, far + 1) ** 2) / (2 * self.scale**2)
        below = np.logaddexp.accumulate(ln)
        return -far, below - below[-1]


def dp_method(mitigation: Mapping[str, Any]) -> DPCounts:
    """The method behind dp_epsilon."""
    if mitigation.get("slots_per_person") is None:
        raise ParameterError("dp_epsilon needs slots_per_person, the slots that a person counts in at most.")
    return DPCounts(
        epsilon=mitigation["dp_epsilon"],
        slots_per_person=mitigation["slots_per_person"],
        delta=mitigation.get("dp_delta") or 0.0,
        cells_per_slot=mitigation.get("cells_per_slot") or 1,
    )


def stated(mitigation: Mapping[str, Any] | None) -> dict[str, Any]:
    """A mitigation with its rule written out; one that has no channel is refused by name."""
    if not isinstance(mitigation, Mapping | None):
        raise ParameterError(f"mitigation must be a mapping such as {{'suppress_below': 5}}, got {mitigation!r}.")
    given = {name: value for name, value in (mitigation or {}).items() if value is not None}
    rule = given.pop("rule", None)
    if rule is not None:
        if rule not in RULES:
            raise ParameterError(f"unknown rule {rule!r}; choose from {', '.join(RULES)}.")
        given = {**RULES[rule].options, **given}
    unknown = [name for name in given if name not in (*BEFORE, *AFTER)]
    if unknown:
        raise ParameterError(
            f"what {unknown[0]} does to a count is not known to the attack; leave it out, or choose from "
            f"{', '.join(BEFORE + AFTER)}."
        )
    if "dp_epsilon" not in given:
        given = {name: value for name, value in given.items() if name not in BOUNDS}
    if "move_share" in given:
        check_share(move_share=given["move_share"])
    return given


def log_ratio(channel: Channel, y: Ints, rate: Floats, keep: Floats, people: int) -> Floats:
    """The log of P(y | in) / P(y | out) for single counts: a visit of X that is kept with some probability, or no X.

    Args:
        channel: How counts are published.
        y: The published counts.
        rate: Share of people expected in each.
        keep: Probability that the visit of X is counted if X is in.
        people: How many people were counted.
    """
    low, high = channel.span(y, people, rate)
    width = int((high - low).max(initial=0)) + 1
    ratio = np.empty(len(y))
    rows = max(int(1_000_000 // width), 1)
    for a in range(0, len(y), rows):
        part = slice(a, a + rows)
        n = low[part, None] + np.arange(width)
        seen = np.where(n <= high[part, None], channel.ln_likelihood(y[part, None], n), -np.inf)
        parts = [seen + ln for ln in _ln_binomials(n, people, rate[part, None])]
        top = np.max(parts, axis=(0, 2))[:, None]  # lest all of it underflow
        without, others, others_and_x = (np.exp(ln - np.where(np.isneginf(top), 0.0, top)).sum(axis=1) for ln in parts)
        ratio[part] = _ln(keep[part] * others_and_x + (1 - keep[part]) * others, without)
    return ratio


def _ln(mine: Floats, out: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(mine) - np.log(out)
    return np.where((mine == 0) & (out == 0), 0.0, ratio)


def _ln_binomials(n: Ints, people: int, rate: Floats) -> tuple[Floats, Floats, Floats]:
    """The logs of the probabilities that n of all people are somewhere, n of all but one, n - 1 of all but one."""
    rest = people - n
    real = (n >= 0) & (rest >= 0)
    k, m = np.where(real, n, 0), np.where(real, rest, people)
    ln_choices, ln_share = _ln_tables(people)
    choices = np.where(real, ln_choices[k], -np.inf)
    here, away = _ln_rates(rate)
    nobody_away = _times(m, away)
    others = choices + ln_share[m] + _times(k, here) + _times(np.maximum(m - 1, 0), away)
    others_and_x = choices + ln_share[k] + _times(np.maximum(k - 1, 0), here) + nobody_away
    return choices + _times(k, here) + nobody_away, others, others_and_x


@lru_cache(maxsize=4)
def _ln_tables(people: int) -> tuple[Floats, Floats]:
    """The log of the ways to choose 0, 1, ... of all people, and of the share that so many are."""
    from scipy.special import gammaln

    k = np.arange(people + 1)
    with np.errstate(divide="ignore"):
        return gammaln(people + 1) - gammaln(k + 1) - gammaln(people - k + 1), np.log(k / people)


def _ln_rates(rate: Floats) -> tuple[Floats, Floats]:
    """The logs of the probabilities that one person is somewhere, and is not."""
    from scipy.special import xlog1py, xlogy

    return xlogy(1.0, rate), xlog1py(1.0, -rate)


def _times(n: Ints, ln: Floats) -> Floats:
    """The log of a probability to the power of n, where 0 to the power of 0 is 1."""
    with np.errstate(invalid="ignore"):
        return np.where(n == 0, 0.0, n * ln)

"""How counts are published -> the probability of what is published, given the true count."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.anonymize._counts import RULES
from incrowd.anonymize.cell_key import CYCLE, LARGEST, CellKey, p_table, perturbed
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
NEVER = -1e300


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
        if mitigation.get("noise_epsilon") is not None:
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

    def publish(self, n: Ints, rng: np.random.Generator) -> Ints:
        """What may be published of true counts, with fresh noise."""
        if self.table is not None:
            n = perturbed(n, rng.integers(0, self.table.shape[1], n.shape), self.table, CellKey().threshold)
        if self.scale and self.laplace:
            waits = rng.geometric(-np.expm1(-1 / self.scale), (2, *n.shape))
            n = n + waits[0] - waits[1]
        elif self.scale:
            n = n + np.round(rng.normal(0, self.scale, n.shape)).astype(np.int64)
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

    def span(self, y: Ints, people: int) -> tuple[Ints, Ints]:
        """Between which true counts what is published may come from."""
        low, high = self.before_rounding(y)
        reach = ceil(REACH * self.scale)
        if self.table is not None:
            reach += int(np.abs(self.table).max())
            low = np.where(y == 0, 0, low)
            high = np.where(y == 0, np.maximum(high, 2 * CellKey().threshold), high)
        return np.clip(low - reach, 0, people), np.clip(high + reach, 0, people)

    def likelihood(self, y: Ints, n: Ints) -> Floats:
        """The probability that y is published of a true count n."""
        low, high = self.before_rounding(y)
        if self.table is None:
            return self._between(low - n, high - n)
        row = np.where(n <= LARGEST, n, (n - 1) % CYCLE + LARGEST - CYCLE + 1)
        total = np.zeros(np.broadcast(y, n).shape)
        for column, share in self._columns:
            changed = n + column[row]
            changed = np.where(changed < CellKey().threshold, 0, changed)
            total += share * self._between(low - changed, high - changed)
        return total

    @cached_property
    def _columns(self) -> list[tuple[Ints, float]]:
        """The different columns of the table, and the share of keys that have each."""
        columns, keys = np.unique(np.asarray(self.table), axis=1, return_counts=True)
        return [(column, n / int(keys.sum())) for column, n in zip(columns.T, keys.tolist(), strict=True)]

    def _between(self, low: Ints, high: Ints) -> Floats:
        """The probability that noise lies between two numbers, both included."""
        some = low <= high
        if not self.scale:
            return (some & (low <= 0) & (high >= 0)).astype(np.float64)
        share: Floats = np.where(some, self._below(high) - self._below(low - 1), 0.0)
        return np.maximum(share, 0.0)

    def _below(self, k: Ints) -> Floats:
        """The probability that noise is at most k."""
        if not self.laplace:
            from scipy.special import ndtr

            below: Floats = ndtr((k + 0.5) / self.scale)
            return below
        p = exp(-1 / self.scale)
        size = np.minimum(np.abs(np.where(k >= 0, k + 1, k)), FAR).astype(np.float64)
        tail = np.exp(-size / self.scale) / (1 + p)
        return np.where(k >= 0, 1 - tail, tail)


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
    low, high = channel.span(y, people)
    width = int((high - low).max(initial=0)) + 1
    ratio = np.empty(len(y))
    rows = max(int(4_000_000 // width), 1)
    for a in range(0, len(y), rows):
        part = slice(a, a + rows)
        n = low[part, None] + np.arange(width)
        inside = n <= high[part, None]
        seen = np.where(inside, channel.likelihood(y[part, None], n), 0.0)
        p, q = rate[part, None], keep[part, None]
        without, others, others_and_x = (
            ln_binomial(k, size, p) for k, size in ((n, people), (n, people - 1), (n - 1, people - 1))
        )
        top = np.max([without, others, others_and_x], axis=(0, 2))[:, None]  # lest all of it underflow
        out = (seen * np.exp(without - top)).sum(axis=1)
        mine = (seen * (q * np.exp(others_and_x - top) + (1 - q) * np.exp(others - top))).sum(axis=1)
        ratio[part] = _ln(mine, out)
    return ratio


def _ln(mine: Floats, out: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(mine) - np.log(out)
    return np.where((mine == 0) & (out == 0), 0.0, ratio)


def ln_binomial(n: NDArray[Any], people: int, rate: Floats) -> Floats:
    """The log of the probability that n of some people are somewhere; very low where n cannot be."""
    from scipy.special import gammaln, xlog1py, xlogy

    real = (n >= 0) & (n <= people)
    k = np.where(real, n, 0)
    ln = gammaln(people + 1) - gammaln(k + 1) - gammaln(people - k + 1) + xlogy(k, rate) + xlog1py(people - k, -rate)
    return np.where(real, ln, NEVER)

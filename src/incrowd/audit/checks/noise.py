"""Does noise follow its law: neither too little, nor rounded, repeated, from a small seed, or unlike its parameters?"""

from collections.abc import Callable, Iterator
from math import ceil, exp, log, log1p, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Floats, Ints
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import ALPHA

LIMIT = 5.2  # standard deviations that chance exceeds with a probability below 1e-6
FEWEST = 50  # counts below which nothing is found
_TAIL = 40  # scales beyond which there is no noise
_WIDEST = 1 << 20
_TAILS = (0.4, 0.2, 0.1, 0.05, 0.02)  # shares of the noise beyond limits that are counted
_LAGS = 256
_SEEDS, _DRAWS, _PREFIX = 2048, 20_000_000, 512

Change = Callable[[NDArray[Any]], NDArray[Any]]  # what was done to counts after the noise


class Law(NamedTuple):
    """A distribution of whole numbers."""

    value: Ints
    chance: Floats
    scale: float
    laplace: bool


class Noisy(NamedTuple):
    """Published and true counts [slot, cell], and where the true ones are what noise was added to."""

    published: NDArray[Any]
    true: Ints
    known: Flags
    change: Change
    is_changed: bool  # by more than noise


def disagreements(release: Published) -> Iterator[str]:
    """What the stated parameters of noise for a person contradict."""
    given, claims = release.parameters, release.claims
    names = ("epsilon", "delta", "slots_per_person", "cells_per_slot", "sensitivity", "scale")
    values = [given.get(name) for name in names]
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        yield "epsilon, delta, slots, cells, sensitivity and scale are not all stated"
        return
    epsilon, delta, slots, cells, sensitivity, scale = map(float, values)  # type: ignore[arg-type]
    if claims.get("unit") != "person":
        yield "the claim is not per person"
    laplace = given.get("mechanism") == "discrete laplace"
    if laplace != (delta == 0):
        yield "the mechanism does not fit delta"
    expected = 2 * slots * cells if laplace else sqrt(2 * slots * cells)
    if abs(sensitivity - expected) > 1e-9 * expected:
        yield "the sensitivity is not that of so many slots and cells per person"
    if laplace and (epsilon <= 0 or scale < sensitivity / epsilon * (1 - 1e-9)):
        yield "the scale is too small for epsilon"
    if not laplace and _gaussian_delta(sensitivity / scale if scale > 0 else np.inf, epsilon) > delta * (1 + 1e-3):
        yield "the scale is too small for epsilon and delta"


def _gaussian_delta(ratio: float, epsilon: float) -> float:
    """The delta of Gaussian noise at sensitivity / scale = ratio (Balle and Wang 2018, Theorem 8)."""
    if not np.isfinite(ratio):
        return 1.0
    below = NormalDist().cdf
    return below(ratio / 2 - epsilon / ratio) - exp(min(epsilon, 700)) * below(-ratio / 2 - epsilon / ratio)


def law_of(scale: float, *, laplace: bool) -> Law:
    """Discrete Laplace or Gaussian noise of a scale.

    >>> bool(abs(law_of(2.0, laplace=True).chance.sum() - 1) < 1e-12)
    True
    """
    most = min(ceil(_TAIL * scale) + 1, _WIDEST)
    value = np.arange(-most, most + 1)
    weight = np.exp(-np.abs(value) / scale) if laplace else np.exp(-0.5 * (value / scale) ** 2)
    return Law(value, weight / weight.sum(), scale, laplace)


def unlawful(counts: Noisy, law: Law) -> Iterator[str]:
    """What chance does not explain, each with a probability below 1e-6."""
    published, true = counts.published[counts.known].astype(np.float64), counts.true[counts.known]
    if len(published) < FEWEST:
        return
    yield from _moments(published, true, counts.change, law)
    if not counts.is_changed:
        yield from _tails(published - true, law)
        if 0 < (occupied := true > 0).sum() < len(true):
            yield from _tails((published - true)[occupied], law)
        yield from _rounded(published, true, law)
    yield from _repeated(counts, law)
    if law.scale >= 0.5 and _is_seeded(counts, law):
        yield "the noise can be drawn again from a small seed"


def above_chance(hits: int, draws: int, chance: float, alpha: float = ALPHA) -> bool:
    """Whether so many hits, or so few, of independent draws are rarer than alpha (Chernoff's bound)."""
    if not draws:
        return False
    share = hits / draws
    gain = share * log(share / chance) if share and chance else (np.inf if share else 0.0)
    rest = (
        (1 - share) * (log1p(-share) - log1p(-chance)) if share < 1 and chance < 1 else (0.0 if share == 1 else np.inf)
    )
    return bool(-draws * (gain + rest) < log(alpha))


def _moments(published: Floats, true: Ints, change: Change, law: Law) -> Iterator[str]:
    """Sum and spread of the published counts against those expected of each true count."""
    distinct, which, times = np.unique(true, return_inverse=True, return_counts=True)
    mean, variance, size, spread = np.array([_expected(int(n), change, law) for n in distinct.tolist()]).T
    off = abs(float((published - mean[which]).sum()))
    if off > LIMIT * np.sqrt(float(times @ variance)) + 1e-6 * len(published):
        yield "the mean of the noise is not 0"
    off = abs(float((np.abs(published - mean[which]) - size[which]).sum()))
    if off > LIMIT * np.sqrt(float(times @ spread)) + 1e-6 * len(published):
        yield "the spread of the noise is not that of the stated scale"


def _expected(true: int, change: Change, law: Law) -> tuple[float, float, float, float]:
    """Mean and variance of what is published of a true count, and the same of its distance from the mean."""
    value = change(true + law.value).astype(np.float64)
    mean = float(law.chance @ value)
    apart = np.abs(value - mean)
    size, variance = float(law.chance @ apart), float(law.chance @ apart**2)
    return mean, variance, size, max(variance - size**2, 0.0)


def _tails(rest: Floats, law: Law) -> Iterator[str]:
    """No noise and large noise are as common as they should be, on both sides."""
    above = np.cumsum(law.chance[::-1])[::-1]  # P(noise >= value)
    tests = [(rest == 0, float(law.chance[law.value == 0][0]))]
    for share in _TAILS:
        at = int(np.argmax(above <= share))
        limit, chance = int(law.value[at]), float(above[at])
        if limit > 0:
            tests += [(rest >= limit, chance), (rest <= -limit, chance), (np.abs(rest) >= limit, 2 * chance)]
    if any(above_chance(int(hit.sum()), len(rest), chance, ALPHA / len(tests)) for hit, chance in tests):
        yield "small or large noise is rarer or more common than the stated law has it"


def _rounded(published: Floats, true: Ints, law: Law) -> Iterator[str]:
    """All counts, or all noise, are multiples of a step."""
    for values in (published, published - true):
        whole = values[values == np.floor(values)].astype(np.int64)
        step = int(np.gcd.reduce(whole)) if len(whole) == len(values) else 1
        fitting = float(law.chance[law.value % step == 0].sum()) if step > 1 else 1.0
        if len(whole) < len(values) or (0 < fitting < 1 and len(values) * log(fitting) < log(ALPHA)):
            yield "the noise is rounded"
            return


def _repeated(counts: Noisy, law: Law) -> Iterator[str]:
    """The noise of counts at one distance from each other, in cells or slots, is equal too often."""
    rest, known = (counts.published - counts.true).ravel(), counts.known.ravel()
    if counts.is_changed:
        known = known & (counts.true.ravel() == 0)
    same = float((law.chance**2).sum()) if not counts.is_changed else _alike(counts.change, law)
    width = counts.true.shape[1]
    most = min(_LAGS, max(_DRAWS // len(rest), 2))
    lags = sorted({lag for n in range(1, most + 1) for lag in (n, n * width) if lag < len(rest)})
    for lag in lags:
        both = known[lag:] & known[:-lag]
        equal = int((rest[lag:] == rest[:-lag])[both].sum())
        pairs = int(both.sum()) // 2  # neighbouring pairs share a count; half of them do not
        if (
            pairs >= FEWEST // 2
            and equal > 2 * pairs * same
            and above_chance(equal // 2, pairs, same, ALPHA / len(lags))
        ):
            yield "the noise repeats itself between cells or slots"
            return


def _alike(change: Change, law: Law) -> float:
    """The chance that two counts of nobody are published alike."""
    _, which = np.unique(change(law.value), return_inverse=True)
    return float((np.bincount(which, law.chance) ** 2).sum())


def _is_seeded(counts: Noisy, law: Law) -> bool:
    """Whether a usual generator with a small seed draws what was published, slot by slot or cell by cell."""
    published, true, known = (part.ravel() for part in (counts.published, counts.true, counts.known))
    size, head = len(published), np.flatnonzero(known)[:_PREFIX]
    orders = (np.arange(size), np.arange(size).reshape(counts.true.shape).T.ravel())
    places = [np.argsort(order)[head] for order in orders]  # of each known count in the stream
    last = max(int(place.max()) for place in places) + 1
    return any(
        np.array_equal(counts.change(true[head] + noise[place]), published[head])
        for noise in _streams(law, size, last)
        for place in places
    )


def _streams(law: Law, size: int, last: int) -> Iterator[Ints]:
    """The noise that small seeds give, in the usual ways, as far as it is looked at."""
    stop = 1 - exp(-1 / law.scale)
    for seed in range(min(_SEEDS, _DRAWS // last + 1)):
        for rng in (np.random.default_rng(seed), np.random.RandomState(seed)):
            drawn = rng.laplace(0, law.scale, last) if law.laplace else rng.normal(0, law.scale, last)
            yield np.rint(drawn).astype(np.int64)
    for seed in range(min(_SEEDS, _DRAWS // size + 1) if law.laplace else 0):
        for rng in (np.random.default_rng(seed), np.random.RandomState(seed)):
            first, second = rng.geometric(stop, size), rng.geometric(stop, size)
            yield first - second

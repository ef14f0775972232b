"""Scores -> how sure the attacker may be: probabilities over candidates, tempered by what two halves of a side show."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.attack.link.evidence import UNIT
from incrowd.attack.link.pairs import PairScores
from incrowd.data import Visits

LEAST = 1e-6  # of the temperature
ROWS, ENTRIES = 1000, 20_000_000  # people and pairs that a temperature is fitted by, at most
AT_ONCE = 64  # people whose chances are computed at once
FEWEST = 50  # people it is fitted by at least, if there are so many


@dataclass(frozen=True, eq=False)
class Named:
    """The pairs that the attacker would name at a confidence.

    Args:
        share: The confidence asked for.
        known: Positions of the known people named.
        target: The row named for each.
        confidence: The probability of each pair.
        promised: Their mean: how many of the pairs should be right; None if no pair is named.
        achieved: How many are right, ties and crowds in expectation; None if that is not known, or nobody is named.
        people: Known people who could have been named.
    """

    share: float
    known: Ints = field(repr=False)
    target: Ints = field(repr=False)
    confidence: Floats = field(repr=False)
    promised: float | None
    achieved: float | None
    people: int

    def __len__(self) -> int:
        return len(self.known)


@dataclass(frozen=True, eq=False)
class Scoring:
    """What a linkage needs to compute more than it was asked for."""

    pairs: PairScores
    halves: Callable[[], PairScores | None]  # two halves of the known side, for the temperature
    rows: Ints  # positions of the known people who have visits; others have no probabilities
    columns: Ints
    nobody: float  # log-prior of not being there, -inf in a closed world


@dataclass(frozen=True, eq=False)
class Posterior(Sequence[Floats]):
    """For each known person the probability of every candidate, computed when asked for.

    In an open world a row adds up to less than 1: the rest is the probability that the person is not there.
    """

    scoring: Scoring
    temperature: float
    shape: tuple[int, int]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, i: int) -> Floats:  # type: ignore[override]
        """The probability of each row of the target for the known person at position i."""
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        scoring = self.scoring
        at = np.flatnonzero(scoring.rows == i % len(self))
        row = np.full(self.shape[1], np.nan)
        if len(at):
            row[:] = 0.0
            exponent = scoring.pairs.of(at)[0] * (self.temperature / UNIT)
            top = max(float(exponent.max()), scoring.nobody)
            weight = np.exp(exponent - top)
            row[scoring.columns] = weight / (weight.sum() + np.exp(scoring.nobody - top))
        return row

    def of(self, scores: Ints) -> Floats:
        """The probability of one candidate for each known person who has visits, given its score in units."""
        sums = np.logaddexp(self.scoring.pairs.log_sums(self.temperature), self.scoring.nobody)
        shares: Floats = np.exp(scores * (self.temperature / UNIT) - sums)
        return shares


def halves(visits: Visits) -> tuple[Visits, Visits] | None:
    """The earlier and the later half of everybody's visits, of people with two or more; None for fewer than two."""
    sizes = np.diff(visits.offsets)
    people = np.flatnonzero(sizes >= 2)
    if len(people) < 2:
        return None
    inside = np.arange(visits.records) - visits.offsets[visits.owner]
    early = inside < sizes[visits.owner] // 2
    long = (sizes >= 2)[visits.owner]
    return visits.where(early & long, visits.ledger), visits.where(~early & long, visits.ledger)


def fitted(pairs: PairScores) -> float:
    """The temperature in (0, 1] under which person i of one half is likeliest to be person i of the other."""
    from scipy.optimize import brentq

    people = len(pairs.visits[0])
    most = min(people, ROWS, max(FEWEST, ENTRIES // people))
    who = np.sort(np.random.default_rng(0).permutation(people)[:most])
    scores = pairs.of(who)
    own = scores[np.arange(len(who)), who] / UNIT
    parts = [slice(a, a + AT_ONCE) for a in range(0, len(who), AT_ONCE)]

    def slope(temperature: float) -> float:
        return float((own - np.concatenate([_expected(scores[part] / UNIT, temperature) for part in parts])).sum())

    if slope(1.0) >= 0:
        return 1.0
    return LEAST if slope(LEAST) <= 0 else float(brentq(slope, LEAST, 1.0, xtol=1e-9))


def _expected(scores: Floats, temperature: float) -> Floats:
    """The mean score of the candidates of each row, by their probabilities."""
    exponent = temperature * scores
    weight = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    mean: Floats = (weight * scores).sum(axis=1) / weight.sum(axis=1)
    return mean

"""Linkage: how well known people are recognised, and by how much the attacker may trust it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.attack.link.evidence import UNIT
from incrowd.attack.link.matching import Matching
from incrowd.attack.link.posterior import Named, Posterior, Scoring, fitted
from incrowd.errors import ParameterError, check_share
from incrowd.plain import in_words, percent, plain, several
from incrowd.show import Result, Section, Table

TOP = 10
HITS = (1, TOP)
SCORES = {
    "evidence": "The score is the evidence that two rows are of one person: the log Bayes factor against two people of "
    "the crowd, whose places differ from person to person as they do on the known side.",
    "histogram": "The score compares the shares of visits that two people spend at each place "
    "(Naini and others 2016, minus the Jensen-Shannon divergence).",
    "overlap": "Candidates are ranked by what they share with the known person; each shared visit counts -log2 of the "
    "share of people who have it, too, so rare places count more.",
}
VIEWS = {
    "places": "places visited",
    "rhythm": "places by quarter of the day",
    "week": "places by hour of the week",
    "moments": "place and time slot",
}


@dataclass(frozen=True, eq=False, repr=False)
class Linkage(Result):
    """How often known people are recognised in the target, beside a guess at random; shares in [0, 1].

    Ties are settled in expectation, not by luck.

    Args:
        score: How two people are compared.
        views: The views of their visits that were compared.
        one_to_one: Whether everybody has one partner at most.
        open_world: Whether a known person may be missing from the target.
        present: Share of known people expected in the target, in an open world.
        tolerance_slots: Slots that two moments may be apart.
        tolerance_m: Metres that two cells may be apart.
        period_slots: Slots after which moments repeat, if they do.
        known: Known people who have visits.
        target: Candidates who have visits.
        empty: People without a visit on either side; they are neither known nor candidates.
        told: Whether it is known who is who.
        scored: Known people with a counterpart in the target; only they have a rank.
        without: Known people without one.
        untold: Candidates that the link file does not name.
        silent: Scored people who share nothing with any candidate.
        hit: k -> share of scored people with a counterpart among the first k.
        interval: Wilson's 95 % interval of hit[1].
        chance: The same shares for a ranking at random.
        median_rank: Of the counterparts.
        chance_median_rank: The same for a ranking at random.
        claimed: Known people whose best candidate is strictly ahead of the second.
        claimed_right: How many of these claims are right; one of a row that stands for n people counts 1/n.
        alpha: View -> how strongly people differ; small where everybody has places of their own.
        at_bound: Views whose alpha is at the end of what is searched.
        matching: The one-to-one matching with its certificate.
        seconds: How long it took.
        machine: On what.
        rank: Of the best counterpart of each known person, nan without one.
        right: Chance that the row named for each known person is right, nan without a counterpart.
        best: The first ten candidates of each known person, -1 for none.
        values: Their scores, in nats; in bits for overlap alone.
        matches: The row named for each known person, -1 for none.
    """

    score: str
    views: tuple[str, ...]
    one_to_one: bool
    open_world: bool
    present: float
    tolerance_slots: int
    tolerance_m: float
    period_slots: int | None
    known: int
    target: int
    empty: int
    told: bool
    scored: int
    without: int
    untold: int
    silent: int
    hit: Mapping[int, float | None]
    interval: tuple[float, float] | None
    chance: Mapping[int, float | None]
    median_rank: float | None
    chance_median_rank: float | None
    claimed: int
    claimed_right: float | None
    alpha: Mapping[str, float]
    at_bound: tuple[str, ...]
    matching: Matching | None
    seconds: float
    machine: str
    rank: Floats = field(repr=False)
    right: Floats = field(repr=False)
    best: Ints = field(repr=False)
    values: Floats = field(repr=False)
    matches: Ints = field(repr=False)
    scoring: Scoring = field(repr=False)

    def __repr__(self) -> str:
        first = "undefined" if self.told else "untold"
        if self.hit[1] is not None:
            first = f"{self.hit[1]:.4f}, chance {self.chance[1]:.4f}"
        return f"Linkage(hit@1={first}, known={self.known:,}, target={self.target:,}, without={self.without:,})"

    @property
    def attacker(self) -> str:
        """What was compared and how, in words."""
        return f"{self.score} of {' and '.join(self.views)}{', one-to-one' if self.one_to_one else ''}"

    def section(self) -> Section:
        """Whether known people are recognised in the target."""
        rows = [
            (f"right candidate among the first {k}", percent(self.hit[k]), percent(self.chance[k])) for k in self.hit
        ]
        rows.append(("median rank", _number(self.median_rank), _number(self.chance_median_rank)))
        ahead = f"{percent(self.claims_right)} of {self.claimed:,}"
        rows.append(("right if the best is ahead of the second", ahead, "-"))
        if self.matching is not None:
            rows.append(("left without a partner", f"{self.matching.known_alone:,} known people", "-"))
            rows.append(("a better matching could add at most", f"{self.matching.gap:,.3g}", "-"))
        return Section(
            question="Can people known from one dataset be recognised in another?",
            answer=_answer(self),
            number=percent(self.hit[1]),
            number_of="of people recognised",
            tables=[Table(("", "attack", "chance"), rows)],
            method=[SCORES[self.score], *_method(self)],
            options=_options(self),
            data=self,
            number_at=("hit", "1"),
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each known person, by position: the rank of its counterpart, the row named, is it right."""
        return {
            "position": np.arange(len(self.rank)),
            "rank": self.rank,
            "named": self.matches,
            "right": self.right,
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**super().to_dict(), "claims_right": plain(self.claims_right)}

    @property
    def claims_right(self) -> float | None:
        """Share of the claims that name the right counterpart."""
        return self.claimed_right / self.claimed if self.claimed and self.claimed_right is not None else None

    @property
    def bits(self) -> Floats:
        """The scores of the first ten candidates in bits, whatever the score."""
        return self.values if self.score == "overlap" else self.values / np.log(2)

    @cached_property
    def temperature(self) -> float:
        """By how much evidence is overstated, in (0, 1], fitted on two halves of the known side, without the truth.

        Visits of one stay are not independent, so their evidence does not add up; 1 if there is nothing to halve.
        """
        halves = self.scoring.halves()
        return 1.0 if halves is None else fitted(halves)

    @cached_property
    def posterior(self) -> Posterior:
        """posterior[i] is the probability of each row of the target for known person i.

        In an open world the rest up to 1 is the probability that the person is not in the target.
        """
        return Posterior(self.scoring, self.temperature, (len(self.rank), self._targets))

    def scores(self, rows: Ints) -> Floats:
        """The scores of some known people with every row of the target, in nats; in bits for overlap alone.

        Args:
            rows: Positions of known people.
        """
        scoring, rows = self.scoring, np.atleast_1d(np.asarray(rows, np.int64))
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(self.rank):
            raise ParameterError(f"rows must be positions from 0 to {len(self.rank) - 1}, of known people.")
        place = np.full(len(self.rank), -1, np.int64)
        place[scoring.rows] = np.arange(len(scoring.rows))
        scores = np.full((len(rows), self._targets), np.nan)
        real = np.flatnonzero(place[rows] >= 0)
        scores[np.ix_(real, scoring.columns)] = scoring.pairs.of(place[rows[real]]) / UNIT
        return scores

    @property
    def _targets(self) -> int:
        """Rows of the target, with visits or not."""
        return len(self.scoring.columns) + self.empty - (len(self.rank) - len(self.scoring.rows))

    def named(self, share: float) -> Named:
        """The pairs that the attacker would name if each must be right with at least this probability.

        Args:
            share: The least probability of a pair, such as 0.9.
        """
        check_share(share=share)
        rows, matches = self.scoring.rows, self.matches[self.scoring.rows]
        there = np.flatnonzero(matches >= 0)
        confidence = np.zeros(len(rows))
        confidence[there] = self._confidence[there]
        named = np.flatnonzero((confidence >= share) & (matches >= 0))
        right = self.right[rows[named]]
        known = np.where(np.isnan(right), 0.0, right)
        return Named(
            share=share,
            known=rows[named],
            target=matches[named],
            confidence=confidence[named],
            promised=float(confidence[named].mean()) if len(named) else None,
            achieved=float(known.mean()) if len(named) and self.told else None,
            people=len(rows),
        )

    @cached_property
    def _confidence(self) -> Floats:
        """The probability of the row named for each known person who has visits."""
        scoring = self.scoring
        number = np.full(self._targets, -1, np.int64)
        number[scoring.columns] = np.arange(len(scoring.columns))
        partner = number[self.matches[scoring.rows]]
        first = self.best[scoring.rows, 0] == self.matches[scoring.rows]
        units = np.round(self.values[scoring.rows, 0] * UNIT).astype(np.int64)
        for i in np.flatnonzero(~first & (partner >= 0)):
            units[i] = scoring.pairs.of(np.array([i]))[0, partner[i]]
        return self.posterior.of(units)


def _answer(linkage: Linkage) -> str:
    if not linkage.told:
        return (
            f"{linkage.target:,} candidates were ranked for {several(linkage.known, 'known person', 'known people')}; "
            f"for {linkage.claimed:,} of them the best is ahead of the second. No link file was given, so the matches "
            "could not be scored."
        )
    if linkage.hit[1] is None:
        return "None of the known people is among the candidates."
    hits = linkage.hit[1] * linkage.scored
    return (
        f"The attacker names the right one of {several(linkage.target, 'candidate')} for {percent(linkage.hit[1])} "
        f"({hits:,.0f} of {linkage.scored:,} people); by chance it would be {percent(linkage.chance[1])}."
    )


def _method(linkage: Linkage) -> list[str]:
    views = "; ".join(VIEWS[view] for view in linkage.views)
    words = [f"Compared: {views}. Ties are settled in expectation, and a row that stands for n people counts 1/n."]
    if linkage.one_to_one:
        words.append("Everybody has one partner at most: the matching of greatest total, by an auction with a bound.")
    if linkage.at_bound:
        words.append(f"Alpha is at the end of what is searched for: {', '.join(linkage.at_bound)}.")
    interval = linkage.interval
    if interval is not None:
        words.append(f"95 % interval of the share recognised: {percent(interval[0])} to {percent(interval[1])}.")
    rest = [
        f"{several(linkage.without, 'known person has', 'known people have')} no counterpart and are left out",
        f"{several(linkage.silent, 'person shares', 'people share')} nothing with any candidate",
    ]
    if linkage.empty:
        rest.append(f"{several(linkage.empty, 'person has', 'people have')} no visit")
    if linkage.untold:
        rest.append(f"the link file does not name {several(linkage.untold, 'candidate')}")
    return [*words, f"{'; '.join(rest).capitalize()}."]


def _options(linkage: Linkage) -> str:
    options = [linkage.score, "views " + ", ".join(linkage.views), "one to one" if linkage.one_to_one else "alone"]
    if "moments" in linkage.views:
        period = "" if linkage.period_slots is None else f" of a period of {linkage.period_slots:,}"
        options.append(
            f"moments within {several(linkage.tolerance_slots, 'slot')}{period} and {linkage.tolerance_m:g} m"
        )
    options += [f"alpha of {view} {alpha:.3g}" for view, alpha in linkage.alpha.items()]
    return ", ".join([*options, f"{in_words(linkage.seconds)} on {linkage.machine}"])


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"

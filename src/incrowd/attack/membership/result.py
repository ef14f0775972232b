"""Membership: how well an attacker tells who is in published counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incrowd.arrays import Flags, Floats, Ints, frozen
from incrowd.plain import in_words, percent, several
from incrowd.show import Result, Section, Table

BOOTSTRAPS = 1000
FEWEST = 1000  # scores of people who are out, below which true positives at 1 % are not stated
FALSE = 0.01  # people named wrongly, at which those named rightly are counted
EXPOSED = 10  # people listed, by position
METHOD = (
    "Each published count at a visit of the person is compared with what it would be with the person and without, by "
    "the probabilities of the publisher's noise, suppression and rounding; the logarithms of the ratios are added, as "
    "if visits were independent. The area under the curve (AUC) is taken within each person and averaged."
)
CAVEAT = "Noise for each count protects a count, not a person who is in many counts."


@dataclass(frozen=True, kw_only=True, eq=False)
class Membership(Result):
    """How well an attacker tells whether somebody is among the people counted; 0.5 is chance, 1 is certainty.

    Args:
        mode: "outside" (somebody's published counts), "game" (groups drawn) or "custodian" (the group itself).
        auc: Probability that a person scores higher when in than when out, averaged over people; None if not known.
        interval: Its 95 % interval, by bootstrap over people.
        tpr_at_1pct: Share of people who are in and named, where 1 % of those who are out are named wrongly; None if
            fewer than 1,000 scores of people who are out were made.
        accuracy: Share of right answers at the threshold that is best on half of the people, for the other half.
        people: How many people were counted.
        asked: How many people were asked about.
        groups: Groups or replacements tried for each.
        mitigation: What was done to counts.
        rates: Where the usual share of people comes from.
        known: Share of a person's visits that the attacker knows.
        seed: Of every random choice.
        seconds: How long it took.
        machine: On what.
        most_exposed: Positions of the people whose membership is clearest.
        positions: Positions of the people asked about.
        scores: Log-likelihood ratios: [person] outside; else [person, out and in, group].
        per_person: AUC of each person.
    """

    mode: str
    auc: float | None
    interval: tuple[float, float] | None
    tpr_at_1pct: float | None
    accuracy: float | None
    people: int
    asked: int
    groups: int
    mitigation: Mapping[str, Any]
    rates: str
    known: float
    seed: int
    seconds: float
    machine: str
    most_exposed: tuple[int, ...] = field(repr=False)
    positions: Ints = field(repr=False)
    scores: Floats = field(repr=False)
    per_person: Floats = field(repr=False)

    def __repr__(self) -> str:
        auc = "unknown" if self.auc is None else f"{self.auc:.4f}"
        return f"Membership(auc={auc}, mode={self.mode!r}, people={self.people:,}, asked={self.asked:,})"

    def columns(self) -> Mapping[str, Any]:
        """A row for each person asked about, by position."""
        if self.mode == "outside":
            return {"position": self.positions, "score": self.scores}
        out, inside = (self.scores[:, side].mean(axis=1) for side in (0, 1))
        return {"position": self.positions, "auc": self.per_person, "score_out": out, "score_in": inside}

    def section(self) -> Section:
        """Whether an attacker can find out that a known person is in the counts."""
        if self.auc is None:
            answer = f"{several(self.asked, 'person was', 'people were')} scored; no truth was given."
        else:
            low, high = self.interval or (self.auc, self.auc)
            answer = (
                f"An attacker who knows a person's visits can find out whether they are in these counts of "
                f"{self.people:,} people with an AUC of {self.auc:.2f} (95 % interval {low:.2f} to {high:.2f}; chance "
                "0.50)."
            )
        few = f"too few scores (fewer than {FEWEST:,})"
        rows = [
            ("AUC within a person", "-" if self.auc is None else f"{self.auc:.3f}", "0.500"),
            ("in and named, at 1 % wrongly named", percent(self.tpr_at_1pct, unknown=few), percent(FALSE)),
            ("right answers", percent(self.accuracy), percent(0.5)),
        ]
        how = ", ".join(f"{name} = {value}" for name, value in self.mitigation.items()) or "counts as they are"
        return Section(
            question="Can an attacker find out whether a known person is in these counts?",
            answer=answer,
            number="-" if self.auc is None else f"{self.auc:.2f}",
            number_of="AUC of the membership attack",
            tables=[Table(("", "attack", "chance"), rows)],
            method=[METHOD, CAVEAT, f"Usual shares of people come from: {self.rates}."],
            options=f"{how}; {self.mode}, {several(self.asked, 'person', 'people')} asked about, "
            f"{several(self.groups, 'time')} each, known = {percent(self.known, 0)}, seed {self.seed}, "
            f"{in_words(self.seconds)} on {self.machine}",
            data=self,
        )


def answered(*, mode: str, scores: Floats, positions: Ints, truth: Flags | None, seed: int, **parts: Any) -> Membership:
    """The numbers behind some scores."""
    rng = np.random.default_rng([seed, 1])
    per_person = np.full(len(positions), np.nan)
    auc = interval = tpr = accuracy = None
    out = inside = np.zeros(0)
    if mode != "outside":
        per_person = np.array([_auc(row[0], row[1]) for row in scores])
        auc, out, inside = float(per_person.mean()), scores[:, 0], scores[:, 1]
        means = [per_person[rng.integers(0, len(per_person), len(per_person))].mean() for _ in range(BOOTSTRAPS)]
        interval = tuple(np.quantile(means, (0.025, 0.975)).tolist())
        order = np.split(rng.permutation(len(scores)), [len(scores) // 2])
        accuracy = _accuracy(*((out[half], inside[half]) for half in order))
    elif truth is not None:
        out, inside = scores[~truth], scores[truth]
        auc = _auc(out, inside)
        draws = [(rng.choice(out, len(out)), rng.choice(inside, len(inside))) for _ in range(BOOTSTRAPS)]
        interval = tuple(np.quantile([_auc(*draw) for draw in draws], (0.025, 0.975)).tolist())
        halves = [np.array_split(rng.permutation(side), 2) for side in (out, inside)]
        accuracy = _accuracy(*zip(*halves, strict=True))
    if out.size >= FEWEST:
        tpr = float((inside.ravel() > np.quantile(out.ravel(), 1 - FALSE, method="higher")).mean())
    return Membership(
        mode=mode,
        auc=auc,
        interval=interval,
        tpr_at_1pct=tpr,
        accuracy=accuracy,
        asked=len(positions),
        seed=seed,
        most_exposed=tuple(_exposed(positions, scores, per_person, mode)),
        positions=frozen(positions),
        scores=frozen(scores),
        per_person=frozen(per_person),
        **parts,
    )


def _auc(out: Floats, inside: Floats) -> float:
    """The probability that one of the second is above one of the first, ties one half."""
    order = np.sort(out.ravel())
    below = np.searchsorted(order, inside.ravel(), "left")
    upto = np.searchsorted(order, inside.ravel(), "right")
    return float((below + upto).mean() / (2 * order.size))


def _accuracy(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> float | None:
    """Share of right answers, out and in alike, of half of the people at the threshold that is best for the others."""
    if not all(side.size for side in (*first, *second)):
        return None
    limits = np.unique(np.concatenate([side.ravel() for side in first]))
    right = [_right(*first, limit) for limit in limits]
    return _right(*second, float(limits[int(np.argmax(right))]))


def _right(out: Floats, inside: Floats, limit: float) -> float:
    return float(((inside >= limit).mean() + (out < limit).mean()) / 2)


def _exposed(positions: Ints, scores: Floats, per_person: Floats, mode: str) -> list[int]:
    finite = np.clip(scores, -1e6, 1e6)
    margin = finite if mode == "outside" else (finite[:, 1] - finite[:, 0]).mean(axis=1)
    key = margin if mode == "outside" else per_person
    return [int(p) for p in positions[np.lexsort((positions, -margin, -key))[:EXPOSED]]]

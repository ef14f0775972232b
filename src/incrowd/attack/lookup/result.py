"""Lookup: how often a person is guessed rightly from a few known records."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.plain import in_words, of_people, percent, several
from incrowd.show import Result, Section, Table, curve
from incrowd.show.panel import Cdf


@dataclass(frozen=True, kw_only=True, eq=False)
class Lookup(Result):
    """How often an attacker who looks known records up in a release guesses right who it is.

    Args:
        noun: What is published: Visits, Fingerprints (boxes) or Traces (points).
        records: Known records of each person.
        seed: Of the records drawn.
        people: People in the release, over whom shares are taken.
        absent: People of the original who have no row in the release.
        none_left: People in the release of whom no known record is held by their row.
        rows: Published rows.
        within: For points, metres and seconds of each lookup.
        seconds: How long it took.
        machine: On what.
        crowd: For each person of the original the people among whom it is guessed, 0 for a wrong guess, -1 if absent.
        caps: The same for an attacker who knows everything published.
    """

    noun: str
    records: int
    seed: int
    people: int
    absent: int
    none_left: int
    rows: int
    within: tuple[tuple[float, float], ...]
    seconds: float
    machine: str
    crowd: Ints = field(repr=False)
    caps: Ints = field(repr=False)

    @property
    def per_person(self) -> Floats:
        """The probability of a right guess for each person of the original, nan for those not in the release."""
        right = np.divide(1.0, self.crowd, out=np.zeros(len(self.crowd)), where=self.crowd > 0)
        return np.where(self.crowd < 0, np.nan, right)

    @property
    def exact(self) -> Fraction:
        """The mean over people in the release, as a fraction."""
        return _mean(self.crowd, self.people)

    @property
    def exact_cap(self) -> Fraction:
        """The cap as a fraction."""
        return _mean(self.caps, self.people)

    @property
    def value(self) -> float:
        """The mean probability of a right guess over people in the release."""
        return float(self.exact)

    @property
    def worst(self) -> float:
        """The share of people in the release who are guessed rightly with probability 1/2 or more."""
        return int(((self.crowd == 1) | (self.crowd == 2)).sum()) / self.people if self.people else 0.0

    @property
    def cap(self) -> float:
        """The mean for an attacker who knows everything published of a person: no lookup does better."""
        return float(self.exact_cap)

    def __repr__(self) -> str:
        return f"Lookup(value={self.value:.4f}, worst={self.worst:.4f}, cap={self.cap:.4f}, people={self.people:,})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        numbers = {"value": self.value, "worst": self.worst, "cap": self.cap}
        return {**numbers, **super().to_dict()}

    def columns(self) -> Mapping[str, Any]:
        """A row for each person of the original, by position."""
        return {"position": np.arange(len(self.crowd)), "crowd": self.crowd, "right": self.per_person}

    def section(self) -> Section:
        """How many people a few known records identify in the release."""
        hit = int(((self.crowd == 1) | (self.crowd == 2)).sum())
        known = several(self.records, "known record")
        rows = [
            ("named rightly, mean", percent(self.value)),
            ("named rightly with 50 % or more", of_people(hit, self.people)),
            ("with everything published known (cap)", percent(self.cap)),
            ("no known record left in the release", f"{self.none_left:,}"),
            ("not in the release", f"{self.absent:,}"),
        ]
        reach = "; ".join(f"within {metres:,.3g} m and {seconds:,.3g} s" for metres, seconds in self.within)
        took = f"{in_words(self.seconds)} on {self.machine}"
        return Section(
            question=f"How many people are identified in the release by {known}?",
            answer=f"An attacker who knows {several(self.records, 'record')} of a person names the right one in "
            f"{percent(self.value)} of cases; {of_people(hit, self.people)} are named rightly with a probability of "
            "50 % or more.",
            number=percent(self.value),
            number_of="right guesses on average",
            panels=[_sizes(self)],
            tables=[Table(("", "people"), rows)],
            method=[METHOD],
            options=", ".join(filter(None, (known, f"seed {self.seed}", reach, took))),
            data=self,
        )


METHOD = (
    "The attacker knows random records of a person as precisely as the release shows them and looks up the rows that "
    "hold all of them. A guess among n people is right with 1/n. Records of different windows or pieces are looked up "
    "apart, and the best lookup counts."
)


def _sizes(result: Lookup) -> Cdf:
    sizes = result.crowd[result.crowd > 0].astype(np.float64)
    return Cdf(
        "lookup",
        "people among whom a person is guessed",
        "people",
        (curve("people", sizes),),
        f"Size of the crowd that the known records leave (n = {len(sizes):,} people).",
        log=True,
    )


def _mean(sizes: Ints, people: int) -> Fraction:
    """The mean of 1/size over people, exactly; those of size 0 add nothing."""
    counts = Counter(sizes[sizes > 0].tolist())
    return sum((Fraction(n, size) for size, n in counts.items()), Fraction(0)) / max(people, 1)

"""Comparison: what every method protects and loses, and which one loses least detail."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from incrowd.assess.compare.loss import LOST_M, LOST_MIN
from incrowd.assess.limits import OldName
from incrowd.clock import DAY_MIN
from incrowd.errors import ParameterError
from incrowd.plain import percent, plain, several
from incrowd.show import Result, Section

CHOICES = "k=2 (nobody in a crowd below 2) or uniqueness=0.1 (at most a tenth of people identified)"
DEFAULT_K, MOST_K = 2, 1_000_000
WHOLE, SHARE = r"[0-9]{1,7}", r"[0-9]{0,20}\.?[0-9]{1,20}(e-[0-9]{1,3})?"  # short enough to be read as numbers


@dataclass(frozen=True)
class Target:
    """Nobody in a crowd below k, or at most a share `uniqueness` of people identified."""

    k: int | None = None
    uniqueness: float | None = None

    @classmethod
    def parse(cls, text: str) -> "Target":
        """Read a target.

        >>> Target.parse("uniqueness=0.1")
        Target(k=None, uniqueness=0.1)
        """
        name, _, value = str(text).replace(" ", "").partition("=")
        if name == "k" and re.fullmatch(WHOLE, value) and DEFAULT_K <= int(value) <= MOST_K:
            return cls(k=int(value))
        if name == "uniqueness" and re.fullmatch(SHARE, value) and float(value) <= 1:
            return cls(uniqueness=float(value))
        raise ParameterError(f"unknown target; give {CHOICES}.")

    @property
    def crowd(self) -> int:
        """The crowd the methods are asked for."""
        return self.k or DEFAULT_K

    @property
    def measure(self) -> str:
        """The name of the number that it bounds."""
        return "singled_out" if self.k is None else "below_k"

    @property
    def words(self) -> str:
        """Where the people are whom it counts."""
        return "identified" if self.k is None else f"in a crowd below {self.k}"

    def distance(self, privacy: Mapping[str, float | None]) -> float:
        """The share of people in a crowd below k, or identified."""
        return float(privacy[self.measure] or 0.0)

    def met(self, privacy: Mapping[str, float | None]) -> bool:
        """Whether these numbers reach it."""
        return self.distance(privacy) <= (self.uniqueness or 0.0)

    def __str__(self) -> str:
        return (
            f"nobody {self.words}"
            if self.k is not None
            else f"at most {percent(self.uniqueness)} of people {self.words}"
        )


NOTHING = "none"
Numbers = Mapping[str, float | None]  # by name


@dataclass(frozen=True)
class Row:
    """One method at one strength; `problem` says why it could not run, and then there are no numbers."""

    method: str
    setting: str
    privacy: Numbers = field(default_factory=dict)  # None if an attack does not apply
    utility: Numbers = field(default_factory=dict)
    meets: bool = False
    seconds: float = 0.0
    problem: str = ""
    note: str = ""  # what the numbers do not promise

    @property
    def loss(self) -> float:
        """How much detail is lost, in [0, 1], lower is better; 1 if the method could not run."""
        return float(self.utility.get("loss") or 0.0) if self.utility else 1.0

    @property
    def published(self) -> bool:
        """Whether it ran and left something to publish."""
        return not self.problem and bool(self.utility["kept"])

    def __str__(self) -> str:
        return "publishing the data as they are" if self.method == NOTHING else f"{self.method} ({self.setting})"


@dataclass(frozen=True)
class Comparison(Result):
    """What every method protects and loses on the same people; the first row is the data as they are."""

    target: Target
    points: int  # the attacker knows
    people: int  # compared
    of_people: int  # in the data
    samples: int
    cell_m: int  # of the visits that cut and lkc are given
    slot_min: int
    seed: int
    rows: tuple[Row, ...]
    cheapest = OldName()

    @property
    def best(self) -> Row | None:
        """The row with the least loss among those that meet the target."""
        return min((row for row in self.rows if row.meets), key=lambda row: row.loss, default=None)

    @property
    def frontier(self) -> tuple[Row, ...]:
        """The rows no other beats: none protects and keeps as much and one of both better; by rising loss."""
        open_to = [(row.loss, self.target.distance(row.privacy), row) for row in self.rows if row.published]
        best = [
            (loss, share, row)
            for loss, share, row in open_to
            if not any(a <= loss and b <= share and (a, b) != (loss, share) for a, b, _ in open_to)
        ]
        return tuple(row for _, _, row in sorted(best, key=lambda one: one[:2]))

    @property
    def who(self) -> str:
        """The people compared, in words."""
        drawn = f" of {self.of_people:,}, drawn at random" if self.people < self.of_people else ""
        return f"{several(self.people, 'person', 'people')}{drawn}"

    @property
    def verdict(self) -> str:
        """The answer in words."""
        best = self.best
        if best is None:
            return self._nearest()
        draw = f"this draw of {several(self.points, 'known sample')}"
        if best.method == NOTHING:
            return f"The data reach the target ({self.target}) as they are, for {draw}; no method is needed."
        others = [row for row in self.rows if row.meets and row.method != best.method]
        second = min(others, key=lambda row: row.loss, default=None)
        after = "No other method reaches it." if second is None else f"Next is {second} with loss {second.loss:.3f}."
        return (
            f"{best} loses least detail of all that reach the target ({self.target}): {_loss(best)}.{_beyond(best)} "
            f"{after}{_notes(best, second)}"
        )

    def _nearest(self) -> str:
        """To publish nothing is no answer, however well it protects."""
        left = [row for row in self.rows if row.published]
        nearest = min(left, key=lambda row: self.target.distance(row.privacy))
        share = f"{percent(self.target.distance(nearest.privacy))} of people {self.target.words}"
        closest = f"{nearest} comes closest with {share}"
        if nearest.method == NOTHING:
            closest = f"nothing tried comes closer than {nearest} ({share})"
        return f"No setting reaches the target ({self.target}); {closest}.{_notes(nearest)}"

    def section(self) -> Section:
        """Which method loses least detail, with what every setting protects and loses."""
        from incrowd.assess.compare.section import section_of_comparison

        return section_of_comparison(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what was renamed in version 0.2 also stands under its old name."""
        best = plain(self.best)
        more = {"verdict": self.verdict, "best": best, "frontier": plain(self.frontier)}
        return {**super().to_dict(), **more, "cheapest": best, "renamed": {"cheapest": "best"}}

    def columns(self) -> Mapping[str, Any]:
        """A row for each setting."""
        names = ("method", "setting", "meets", "seconds", "problem", "note")
        numbers = dict.fromkeys(name for row in self.rows for name in (*row.privacy, *row.utility))
        own = {name: [getattr(row, name) for row in self.rows] for name in names}
        return own | {name: [{**row.privacy, **row.utility}.get(name) for row in self.rows] for name in numbers}


def _notes(*rows: Row | None) -> str:
    notes = dict.fromkeys(f" {row.method}: {row.note}." for row in rows if row and row.note)
    return "".join(notes)


def _beyond(row: Row) -> str:
    """A warning if the mean error is larger than what the loss counts."""
    off, late = (float(row.utility[name] or 0.0) for name in ("position_m", "time_min"))
    far = [f"{off / 1000:,.0f} km" if off > LOST_M else "", _long(late) if late > LOST_MIN else ""]
    if not any(far):
        return ""
    most = f"{LOST_M / 1000:.0f} km and {LOST_MIN / 60:.0f} h"
    return f" Beware: it is off by {' and '.join(filter(None, far))} on average, and the loss counts at most {most}."


def _long(minutes: float) -> str:
    return f"{minutes / DAY_MIN:,.0f} days" if minutes >= 2 * DAY_MIN else f"{minutes / 60:,.0f} h"


def _loss(row: Row) -> str:
    off, late, kept = (row.utility[name] for name in ("position_m", "time_min", "kept"))
    share = "all" if kept == 1 else f"{percent(kept)} of"
    return f"loss {row.loss:.3f}, {share} samples kept, {off:,.0f} m and {late:,.0f} min off on average"

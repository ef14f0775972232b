"""Comparison: what every method protects and loses, and which one loses least detail."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from incrowd.assess.compare.fate import LOST_M, LOST_MIN
from incrowd.assess.compare.settings import Target
from incrowd.assess.limits import OldName
from incrowd.clock import DAY_MIN
from incrowd.plain import percent, plain, several
from incrowd.show import Result, Section

NOTHING, AS_THEY_ARE = "none", "as they are"
LEAST = 0.01  # a release that keeps a smaller share of the records publishes nothing worth the name
LOUD = {"records": 0.5, "people": 0.1}  # shares whose loss is said aloud
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
    missed: tuple[str, ...] = ()  # why it does not reach the target

    @property
    def loss(self) -> float:
        """How much detail is lost, in [0, 1], lower is better; 1 if the method could not run."""
        return float(self.utility.get("loss") or 0.0) if self.utility else 1.0

    @property
    def published(self) -> bool:
        """Whether it ran and left something to publish: at least 1 of 100 records, and somebody to guess."""
        return not self.problem and bool(self.privacy) and float(self.utility["kept"] or 0.0) >= LEAST

    @property
    def untouched(self) -> bool:
        """Whether these are the data as they are."""
        return self.method == NOTHING and self.setting == AS_THEY_ARE

    @property
    def drops(self) -> str:
        """What is said aloud: more than half of the records or a tenth of the people are gone."""
        if self.problem or not self.utility:
            return ""
        gone = {"records": 1 - float(self.utility["kept"] or 0), "people": 1 - float(self.utility.get("people") or 0)}
        if not self.published:
            return "publishes nothing, or almost nothing"
        loud = [f"{percent(gone[name], 0)} of the {name}" for name, most in LOUD.items() if gone[name] > most]
        return f"drops {' and '.join(loud)}" if loud else ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, with what is said aloud."""
        return {**{one.name: plain(getattr(self, one.name)) for one in fields(self)}, "drops": self.drops}

    def __str__(self) -> str:
        if self.untouched:
            return "publishing the data as they are"
        return f"publishing visits ({self.setting})" if self.method == NOTHING else f"{self.method} ({self.setting})"


@dataclass(frozen=True)
class Comparison(Result):
    """What every method protects and loses on the same people; the first row is the data as they are.

    The data go through the same attacks as every release. If a method takes visits, the visits it is given, without
    any method, are the second row.
    """

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
        return min((row for row in self.rows if self.reaches(row)), key=lambda row: row.loss, default=None)

    def reaches(self, row: Row) -> bool:
        """Whether a row reaches the target with something published: to publish nothing is no answer."""
        return row.meets and row.published

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
        if best.untouched:
            return f"The data reach the target ({self.target}) as they are; no method is needed."
        others = [row for row in self.rows if self.reaches(row) and row.method != best.method]
        second = min(others, key=lambda row: row.loss, default=None)
        after = "No other method reaches it." if second is None else f"Next is {second} with loss {second.loss:.3f}."
        return (
            f"{best} loses least detail of all that reach the target ({self.target}): {self._loss(best)}."
            f"{_beyond(best)} {after}{_notes(best, second)}"
        )

    def _nearest(self) -> str:
        """To publish nothing is no answer, however well it protects."""
        left = [row for row in self.rows if row.published]
        nearest = min(left, key=lambda row: self.target.distance(row.privacy))
        share = f"{percent(self.target.distance(nearest.privacy))} of people {self.target.words}"
        closest = f"{nearest} comes closest with {share}"
        if nearest.untouched:
            closest = f"nothing tried comes closer than {nearest} ({share})"
        why = f" What is above its limit: {'; '.join(nearest.missed)}." if self.target.guess and nearest.missed else ""
        return f"No setting reaches the target ({self.target}); {closest}.{why}{_notes(nearest)}"

    def _loss(self, row: Row) -> str:
        """Loss in the reader's units: what is left, how far off it is, and how large places and times become."""
        off, late = (float(row.utility[name] or 0.0) for name in ("position_m", "time_min"))
        before, after = self.rows[0].utility, row.utility
        place, width = (f"{before[name] or 0:,.0f} to {after[name] or 0:,.0f}" for name in ("place_m", "width_min"))
        return (
            f"loss {row.loss:.3f}, {per_100(after['kept'])} records and {per_100(after['people'])} people left, places "
            f"from {place} m, times from {width} min, {off:,.0f} m and {late:,.0f} min off on average"
        )

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
        names = ("method", "setting", "meets", "seconds", "problem", "note", "drops")
        numbers = dict.fromkeys(name for row in self.rows for name in (*row.privacy, *row.utility))
        own = {name: [getattr(row, name) for row in self.rows] for name in names}
        return own | {name: [{**row.privacy, **row.utility}.get(name) for row in self.rows] for name in numbers}


def per_100(share: float | None) -> str:
    """A share of records or people as a reader counts them.

    >>> per_100(1.0), per_100(0.25), per_100(0.001), per_100(0.999)
    ('100 of 100', '25 of 100', 'fewer than 1 of 100', 'more than 99 of 100')
    """
    left = 100 * float(share or 0.0)
    if 0 < left < 1:
        return "fewer than 1 of 100"
    return "more than 99 of 100" if 99 < left < 100 else f"{left:.0f} of 100"


def _notes(*rows: Row | None) -> str:
    remarks = [(row, text) for row in rows if row for text in (row.drops, row.note) if text]
    return "".join(dict.fromkeys(f" {row if text == row.drops else row.method}: {text}." for row, text in remarks))


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

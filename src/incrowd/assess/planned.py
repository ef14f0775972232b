"""Plan: what cutting with each window protects and keeps, and the longest window that meets the target."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from incrowd.assess.limits import DEFAULTS
from incrowd.assess.question import drawn_note
from incrowd.plain import percent, plain, several
from incrowd.show import Line, Lines, Result, Section, Table

HEAD = (
    *("window", "pieces", "guessed rightly", "after joining", "up to", "with 1/2 or more", "identified"),
    *("pairs joined", "chance", "reconstructed", "moves kept"),
)
KNOWN_BEFORE = (
    "An attacker who knows a few visits of a person's whole trajectory looks those that fall into one published piece, "
    "or into one chain of joined pieces, up among all of them: a guess among n people is right with 1/n. For each "
    "person the best lookup counts. The upper end of the 95 % interval is judged, which is never above what everything "
    "published tells. Identified are people who are alone; this is shown and not judged."
)
JOINING = (
    "Pieces of neighbouring windows are paired with the least information gain in total, an optimal assignment "
    "[xu2017, Eqs. 3 and 4], and by the evidence that both are of one person; pairs without a common cell are left "
    "apart. Both are looked up, and the stronger counts. The attacker sees the release only."
)
MOVES = "A move is a pair of consecutive visits in different cells; a cut between them loses it."
LINES = {  # of the figure: label -> field
    "guessed rightly": "guess",
    "after joining": "joined",
    "pairs joined": "rejoined",
    "moves kept": "moves_kept",
}


@dataclass(frozen=True)
class RightGuess:
    """How well people are guessed: those who are alone, a right guess on average, its upper end, and those with 1/2."""

    alone: float
    guess: Fraction
    high: Fraction
    worst_high: Fraction  # share guessed rightly with 1/2 or more, at its upper end

    def within(self, target: Fraction) -> bool:
        """Whether both numbers that are judged are within their limits."""
        return self.high <= target and not DEFAULTS["worst"].exceeded(self.worst_high)

    def to_dict(self) -> dict[str, float]:
        """Plain values, for JSON."""
        return {field.name: float(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True)
class PlannedCut:
    """One window length; shares in [0, 1]. `window_h` is None for whole trajectories."""

    window_h: float | None
    pieces: int
    before: RightGuess  # among the pieces as they are
    after: RightGuess  # with the pieces joined by both scores, the stronger for each person: compared with the target
    by: str  # the score that joins more neighbours
    neighbours: int
    rejoined: float | None  # share of the neighbours that it joined
    precision: float | None
    chance: float | None
    restored: int  # people whose whole trajectory is one chain of joined pieces
    moves_kept: float | None  # share of the moves between cells that a piece still shows

    @property
    def guess(self) -> float:
        """A right guess among the pieces as they are, on average."""
        return float(self.before.guess)

    @property
    def joined(self) -> float:
        """A right guess after the pieces are joined, on average."""
        return float(self.after.guess)

    @property
    def name(self) -> str:
        """The window in words."""
        return "whole" if self.window_h is None else f"{self.window_h:g} h"


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """Cuts from the shortest window to whole trajectories, and the longest that meets the target."""

    points: int
    target: float
    memory: str
    reach_windows: int
    seed: int
    users: int
    of_users: int  # they were drawn from so many
    records: int
    cuts: tuple[PlannedCut, ...]

    @property
    def who(self) -> str:
        """The people in words."""
        return drawn_note(self.users, self.of_users) or f"{self.users:,} people"

    @property
    def best(self) -> PlannedCut | None:
        """The longest window that meets the target after joining; None if none does."""
        return next((cut for cut in reversed(self.cuts) if self.meets(cut.after)), None)

    @property
    def longest(self) -> str:
        """The same in a word or two."""
        return "none" if self.best is None else self.best.name

    @property
    def deceptive(self) -> tuple[PlannedCut, ...]:
        """Windows that meet the target only as long as nobody joins the pieces."""
        return tuple(cut for cut in self.cuts if self.meets(cut.before) and not self.meets(cut.after))

    def meets(self, guessed: RightGuess) -> bool:
        """Whether right guesses are within the target, and few of them likely ones."""
        return guessed.within(exact(self.target))

    @property
    def limit(self) -> str:
        """The target in words, with every digit it was given."""
        return share_in_words(self.target)

    @property
    def verdict(self) -> str:
        """The answer in words."""
        known = f"who knew {several(self.points, 'visit')} before the cut guesses rightly"
        best, limit = (
            self.best,
            f"the target is at most {self.limit}, with at most 1 % of people guessed with 1/2 or more",
        )
        if best is not None and best.window_h is None:
            return f"Nothing needs to be cut: an attacker {known} {_often(best.after)}, and {limit}."
        if best is not None:
            text = (
                f"The longest window that meets the target is {best.name}: an attacker {known} {_often(best.after)} "
                f"after the pieces are joined ({percent(best.guess)} before), and {limit}; "
                f"{percent(best.moves_kept, unknown='an unknown share')} of the moves are kept."
            )
        else:
            windows = [cut for cut in reversed(self.cuts) if cut.window_h is not None]
            least = min(windows, key=lambda cut: cut.after.high)  # the longest of equals
            text = (
                f"Cutting does not protect: an attacker {known} {_often(least.after)} after the pieces are joined even "
                f"with the best window ({least.name}), and {limit}; publish something coarser instead."
            )
        if self.deceptive:
            names = ", ".join(cut.name for cut in self.deceptive)
            text += f" Windows of {names} only seem to be enough: joining their pieces undoes the cut."
        return text

    def section(self) -> Section:
        """The longest window that protects, with every window that was tried."""
        return Section(
            question="How short must windows be for cutting to protect people?",
            answer=self.verdict,
            number=self.longest,
            number_of="is the longest window that meets the target",
            panels=[self._panel()],
            tables=[
                Table(HEAD, [_row(cut) for cut in self.cuts], "Right guesses, and shares of people, pairs and moves.")
            ],
            method=[KNOWN_BEFORE, JOINING, MOVES],
            options=f"{several(self.points, 'known visit')}, target {self.limit}; {self.who}, "
            f"{several(self.records, 'visit')}; seed {self.seed}",
            data=self,
            references=("song2014",),
        )

    def _panel(self) -> Lines:
        lines = []
        for label, name in LINES.items():
            known = [(x, y) for x, cut in enumerate(self.cuts) if (y := getattr(cut, name)) is not None]
            lines.append(Line(label, [x for x, _ in known], [y for _, y in known]))
        words = "; ".join(
            f"{cut.name}: " + ", ".join(f"{label} {percent(getattr(cut, name))}" for label, name in LINES.items())
            for cut in self.cuts
        )
        caption = (
            f"Risk and moves kept against the window (n = {self.users:,} people, "
            f"{several(self.points, 'visit')} known before the cut; the dashed line is the target)."
        )
        return Lines(
            "plan",
            "window",
            "share",
            tuple(line for line in lines if len(line.y)),
            caption,
            ticks=[cut.name for cut in self.cuts],
            levels={f"target {self.limit}": self.target},
            words=f"Lines against the window length. {words}.",
        )

    def __repr__(self) -> str:
        return (
            f"Plan(longest window={self.longest}, target={self.target:g}, points={self.points}, users={self.users:,})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        record = {field.name: getattr(self, field.name) for field in fields(self)}
        more = {"verdict": self.verdict, "longest_window": None if self.best is None else self.best.name}
        return {name: plain(value) for name, value in {**record, **more}.items()}

    def columns(self) -> Mapping[str, Any]:
        """A row for each window; window_h is empty for whole trajectories."""
        own = [field.name for field in fields(PlannedCut) if field.name not in ("before", "after")]
        judged = {"joined_high": "high", "worst_high": "worst_high", "identified": "alone"}
        return {
            **{name: [getattr(cut, name) for cut in self.cuts] for name in (*own, "guess", "joined")},
            **{name: [float(getattr(cut.after, source)) for cut in self.cuts] for name, source in judged.items()},
        }


def _row(cut: PlannedCut) -> tuple[str, ...]:
    after = cut.after
    judged = (cut.guess, cut.joined, float(after.high), float(after.worst_high), after.alone)
    shares = map(percent, (*judged, cut.rejoined, cut.chance))
    restored = "-" if cut.window_h is None else f"{cut.restored:,}"
    return (cut.name, f"{cut.pieces:,}", *shares, restored, percent(cut.moves_kept))


def _often(guessed: RightGuess) -> str:
    worst = f"; up to {percent(float(guessed.worst_high))} of people with 1/2 or more" if guessed.worst_high else ""
    return f"in {percent(float(guessed.guess))} of cases (up to {percent(float(guessed.high))}{worst})"


def exact(target: float) -> Fraction:
    """A target as the fraction it was meant to be: 1/11 is no float.

    >>> exact(1 / 11), exact(0.1)
    (Fraction(1, 11), Fraction(1, 10))
    """
    return Fraction(target).limit_denominator(10**9)


def share_in_words(target: float) -> str:
    """A target as it was given: one of so many, or a percentage.

    >>> share_in_words(1 / 11), share_in_words(0.1), share_in_words(0.004)
    ('1/11', '10 %', '0.4 %')
    """
    share = exact(target)
    in_percent = f"{100 * target:.6g}"
    return f"{in_percent} %" if Fraction(in_percent) == 100 * share or share.numerator > 1 else str(share)

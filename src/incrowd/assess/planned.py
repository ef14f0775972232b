"""Plan: what cutting with each window protects and keeps, and the longest window that meets the target."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from incrowd.assess.question import drawn_note
from incrowd.plain import percent, plain, several
from incrowd.show import Line, Lines, Result, Section, Table

HEAD = ("window", "pieces", "identified", "after joining", "pairs joined", "chance", "reconstructed", "moves kept")
KNOWN_BEFORE = (
    "An attacker who knew a few visits of a person's whole trajectory identifies that person if the visits that fall "
    "into one published piece, or into one chain of joined pieces, are in no other. People with fewer visits are left "
    "out."
)
JOINING = (
    "Pieces of neighbouring windows are paired with the least information gain in total, an optimal assignment "
    "[xu2017, Eqs. 3 and 4]; pairs without a common cell are left apart. The attacker sees the release only."
)
MOVES = "A move is a pair of consecutive visits in different cells; a cut between them loses it."
LINES = {  # of the figure: label -> field
    "identified": "singled_out",
    "after joining": "relinked",
    "pairs joined": "rejoined",
    "moves kept": "moves_kept",
}


@dataclass(frozen=True)
class PlannedCut:
    """One window length; shares in [0, 1]. `window_h` is None for whole trajectories."""

    window_h: float | None
    pieces: int
    singled_out: float | None  # people identified among the pieces by visits of their whole trajectory
    relinked: float | None  # the same after the pieces were joined: compared with the target
    neighbours: int
    rejoined: float | None  # share of the neighbours that were joined
    precision: float | None
    chance: float | None
    restored: int  # people whose whole trajectory is one chain of joined pieces
    moves_kept: float | None  # share of the moves between cells that a piece still shows

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
        return next((cut for cut in reversed(self.cuts) if self.meets(cut.relinked)), None)

    @property
    def longest(self) -> str:
        """The same in a word or two."""
        if self.best is None:
            return "none" if self.measured else "not measured"
        return self.best.name

    @property
    def deceptive(self) -> tuple[PlannedCut, ...]:
        """Windows that meet the target only as long as nobody joins the pieces."""
        return tuple(cut for cut in self.cuts if self.meets(cut.singled_out) and not self.meets(cut.relinked))

    @property
    def measured(self) -> bool:
        """Whether anybody has as many visits as were asked for."""
        return any(cut.relinked is not None for cut in self.cuts)

    def meets(self, share: float | None) -> bool:
        """Whether a share of people identified is within the target."""
        return share is not None and share <= self.target

    @property
    def limit(self) -> str:
        """The target in words, with every digit it was given."""
        return f"{100 * self.target:.6g} %"

    @property
    def verdict(self) -> str:
        """The answer in words."""
        if not self.measured:
            return f"Nothing was measured: nobody has {several(self.points, 'visit')}; ask with fewer visits."
        known = (
            f"{several(self.points, 'visit')} known before the cut {'identify' if self.points > 1 else 'identifies'}"
        )
        best, limit = self.best, f"the target is at most {self.limit}"
        if best is not None and best.window_h is None:
            return f"Nothing needs to be cut: {known} {_of(best.relinked)}, and {limit}."
        if best is not None:
            text = (
                f"The longest window that meets the target is {best.name}: {known} {_of(best.relinked)} after the "
                f"pieces are joined ({percent(best.singled_out)} before), and {limit}; "
                f"{percent(best.moves_kept, unknown='an unknown share')} of the moves are kept."
            )
        else:
            windows = [cut for cut in reversed(self.cuts) if cut.relinked is not None and cut.window_h is not None]
            least = min(windows, key=lambda cut: cut.relinked or 0.0)  # the longest of equals
            text = (
                f"Cutting does not protect: {known} {_of(least.relinked)} after the pieces are joined even with the "
                f"best window ({least.name}), and {limit}; publish something coarser instead."
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
                Table(HEAD, [_row(cut) for cut in self.cuts], "Shares of people, of pairs of pieces and of moves.")
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
        names = [field.name for field in fields(PlannedCut)]
        return {name: [getattr(cut, name) for cut in self.cuts] for name in names}


def _row(cut: PlannedCut) -> tuple[str, ...]:
    shares = map(percent, (cut.singled_out, cut.relinked, cut.rejoined, cut.chance))
    restored = "-" if cut.window_h is None else f"{cut.restored:,}"
    return (cut.name, f"{cut.pieces:,}", *shares, restored, percent(cut.moves_kept))


def _of(share: float | None) -> str:
    return f"{percent(share, unknown='an unknown share')} of people"

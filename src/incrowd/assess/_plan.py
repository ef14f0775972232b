"""Visits -> how short windows must be for cutting to protect, once the pieces have been re-linked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.anonymize import Cut
from incrowd.arrays import Ints
from incrowd.assess.question import drawn_note
from incrowd.attack.relink import relink
from incrowd.data import Visits
from incrowd.data.sample import some_people
from incrowd.errors import DataError, ParameterError, check_positive, check_seed, check_share, check_whole
from incrowd.measure import uniqueness
from incrowd.plain import Shown, percent, several
from incrowd.progress import track

WINDOWS_H = (1, 2, 3, 6, 12, 24, 48)
CUTTING = "cutting and re-linking"


@dataclass(frozen=True)
class PlannedCut(Shown):
    """One window length; shares in [0, 1]. `window_h` is None for whole trajectories."""

    window_h: float | None
    pieces: int
    singled_out: float | None  # people found among the pieces by points of their whole trajectory
    relinked: float | None  # the same after the pieces were re-linked: what the target is held against
    neighbours: int
    rejoined: float | None  # share of the neighbours that were joined
    precision: float | None
    chance: float | None
    restored: int  # people whose whole trajectory is one chain again
    moves_kept: float | None  # share of the moves between cells that a piece still shows

    @property
    def name(self) -> str:
        """The window in words."""
        return "whole" if self.window_h is None else f"{self.window_h:g} h"


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Shown):
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
        """The longest window that meets the target after re-linking; None where none does."""
        return next((cut for cut in reversed(self.cuts) if self.meets(cut.relinked)), None)

    @property
    def longest(self) -> str:
        """The same in a word or two."""
        if self.best is None:
            return "none" if self.measured else "not measured"
        return self.best.name

    @property
    def deceptive(self) -> tuple[PlannedCut, ...]:
        """Windows that meet the target only as long as nobody re-links the pieces."""
        return tuple(cut for cut in self.cuts if self.meets(cut.singled_out) and not self.meets(cut.relinked))

    @property
    def measured(self) -> bool:
        """Whether anybody has as many points as were asked for."""
        return any(cut.relinked is not None for cut in self.cuts)

    def meets(self, share: float | None) -> bool:
        """Whether a share of people singled out is within the target."""
        return share is not None and share <= self.target

    @property
    def limit(self) -> str:
        """The target in words, with every digit it was given."""
        return f"{100 * self.target:.6g}%"

    @property
    def verdict(self) -> str:
        """The answer in words."""
        who = f"{several(self.points, 'point')} known before the cut single{'s' * (self.points == 1)} out"
        limit = f"at most {self.limit} of people"
        best, deceptive = self.best, self.deceptive
        if not self.measured:
            return f"Nothing was measured: nobody has {several(self.points, 'point')}; ask with fewer points."
        if best is not None and best.window_h is None:
            return f"Nothing needs to be cut: {who} {_percent(best.relinked)} of people, and {limit} are allowed."
        if best is not None:
            text = (
                f"The longest window that meets the target is {best.name}: {who} {_percent(best.relinked)} of people "
                f"after re-linking ({_percent(best.singled_out)} before), and {limit} are allowed; "
                f"{_percent(best.moves_kept)} of the moves are kept."
            )
        else:
            windows = [cut for cut in reversed(self.cuts) if cut.relinked is not None and cut.window_h is not None]
            least = min(windows, key=lambda cut: cut.relinked or 0.0)  # the longest of equals
            text = (
                f"Cutting does not protect: {who} {_percent(least.relinked)} of people after re-linking even with "
                f"the best window ({least.name}), and {limit} are allowed; publish something coarser instead."
            )
        if deceptive:
            names = ", ".join(cut.name for cut in deceptive)
            text += f" Windows of {names} only seem to suffice: their pieces are re-linked well enough to undo the cut."
        return text

    def _shown(self) -> list[tuple[str, ...]]:
        named = [(cut.name, cut) for cut in self.cuts]
        head = ("window", "pieces", "singled out", "re-linked", "rejoined", "chance", "moves kept")
        longest = f"longest within {self.limit}: {self.longest}"
        rows = [_row(*one) for one in named]
        return [head, *rows, ((longest, *("" for _ in head[1:])) if self.best is None else _row(longest, self.best))]

    def __repr__(self) -> str:
        return (
            f"Plan(longest window={self.longest}, target={self.target:g}, points={self.points}, users={self.users:,})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        names = (
            "points",
            "target",
            "memory",
            "reach_windows",
            "seed",
            "users",
            "of_users",
            "records",
            "verdict",
            "cuts",
        )
        named = None if self.best is None else self.best.name
        return {**{name: getattr(self, name) for name in names}, "longest_window": named}


def plan(
    visits: Visits,
    *,
    windows_h: Sequence[float] = WINDOWS_H,
    points: int = 4,
    target: float = 0.1,
    start_slot: int = 0,
    slots: int | None = None,
    memory: str = "piece",
    reach_windows: int = 1,
    people: int | None = None,
    seed: int = 0,
) -> Plan:
    """Cut with each window, re-link the pieces, and see whom some points of their whole trajectory single out.

    A cut meets the target if at most that share of people is found after re-linking (`RelinkScore.known_before`; people
    with fewer points are left out). Windows below a slot or as long as the data are left out; whole trajectories
    stand last. The time grows with the square of the people: `people` draws so many, among whom one is found and joined
    more easily, so that the answer is the more cautious one. Nothing is published.

    >>> visits = Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1], slot_min=60)
    >>> print(plan(visits, windows_h=[1], points=2).verdict.partition(":")[0])
    Cutting does not protect
    """
    if not isinstance(visits, Visits) or visits.slot_min is None or not visits.records:
        raise DataError("a plan in hours needs visits with slot_min; make them with a discretizer.")
    check_share(target=target)
    check_seed(seed=seed)
    if slots is not None:
        check_whole(slots=slots)
    if people is not None:
        check_whole(people=people)
    everybody, visits = len(visits), visits if people is None else some_people(visits, people=int(people), seed=seed)
    attack: dict[str, Any] = {"points": points, "memory": memory, "reach_windows": reach_windows, "seed": seed}
    lengths = _lengths(visits, windows_h, start_slot, slots)
    span: dict[str, Any] = {"start_slot": start_slot, "slots": slots}
    cuts = [_cut(visits, Cut(window_h=h, **span), attack) for h in track(lengths, CUTTING)]
    return Plan(
        **attack | {"points": int(points), "reach_windows": int(reach_windows)},
        target=float(target),
        users=len(visits),
        of_users=everybody,
        records=visits.records,
        cuts=(*cuts, _whole(visits, points, seed)),
    )


def _lengths(visits: Visits, windows_h: Sequence[float], start_slot: int, slots: int | None) -> list[float]:
    check_positive(**{f"windows_h[{i}]": hours for i, hours in enumerate(windows_h)})
    width = visits.slot_min or 1
    period = int(visits.slot.max()) + 1 - start_slot if slots is None else slots
    if period < 1:
        raise ParameterError("start_slot lies after the last slot of the data; let the first window begin within them.")
    lengths = sorted({hours for hours in windows_h if width <= hours * 60 < period * width})
    if not lengths:
        raise ParameterError(
            f"no window lies between a slot of {width} min and the {several(period, 'slot')} of the data."
        )
    return lengths


def _cut(visits: Visits, method: Cut, attack: dict[str, Any]) -> PlannedCut:
    # Nobody sees these pseudonyms: a seed makes the plan the same again.
    release = method(visits, pseudonym_seed=attack["seed"])
    score = relink(release, **attack).score
    if score is None:
        raise DataError("the pieces have no owners to score them by.")
    pieces = release.data
    moves = _moves(visits.offsets, visits.cell)
    return PlannedCut(
        window_h=method.window_h,
        pieces=len(pieces),
        singled_out=score.known_before["pieces"].value,
        relinked=score.known_before["rejoined"].value,
        neighbours=score.neighbours,
        rejoined=score.share,
        precision=score.precision,
        chance=score.chance,
        restored=score.restored,
        moves_kept=_moves(pieces.offsets, pieces.cell) / moves if moves else None,  # type: ignore[attr-defined]
    )


def _whole(visits: Visits, points: int, seed: int) -> PlannedCut:
    risk = uniqueness(visits, points=points, seed=seed).value
    moves_kept = 1.0 if _moves(visits.offsets, visits.cell) else None
    return PlannedCut(None, len(visits), risk, risk, 0, None, None, None, len(visits), moves_kept)


def _moves(offsets: Ints, cell: Ints) -> int:
    """Consecutive visits of one owner in different cells."""
    moved = cell[1:] != cell[:-1]
    border = offsets[(offsets > 0) & (offsets < len(cell))]
    moved[np.unique(border) - 1] = False
    return int(moved.sum())


def _row(name: str, cut: PlannedCut) -> tuple[str, ...]:
    shares = (cut.singled_out, cut.relinked, cut.rejoined, cut.chance, cut.moves_kept)
    return (name, f"{cut.pieces:,}", *map(percent, shares))


def _percent(share: float | None) -> str:
    return percent(share, unknown="an unknown share")

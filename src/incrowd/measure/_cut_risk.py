"""Visits and their windows -> uniqueness before and after cutting, under every convention side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

import numpy as np

from incrowd.arrays import Ints
from incrowd.data import Visits
from incrowd.discretize._windows import Windows
from incrowd.errors import DataError, check_choice, public
from incrowd.measure.uniqueness import CrowdCounter, ask
from incrowd.measure.uniqueness.choices import Trajectories
from incrowd.measure.uniqueness.index import PartIndex, index_of
from incrowd.measure.uniqueness.question import SHORT, Uniqueness, UniquenessQuestion, answered
from incrowd.measure.uniqueness.section import counts_people, table
from incrowd.plain import of_people, percent, several
from incrowd.show import Result, Section

Known = Literal["random", "consecutive"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CutRisk(Result):
    """Uniqueness of whole trajectories, of their pieces, and of people whose points were known before the cut.

    Each by convention for short trajectories: `drop`, `all`, `zero`. `fixed_knowledge` draws the points from the whole
    trajectory, like `before`, and succeeds if those within some window are in exactly one published piece; its crowd
    size is the smallest over the windows.
    """

    points: int
    knowledge: str
    repeats: int
    exact: bool
    seed: int
    users: int
    pieces: int
    short_pieces: int  # pieces with fewer than `points` points
    before: Mapping[str, Uniqueness]
    after: Mapping[str, Uniqueness]
    fixed_knowledge: Mapping[str, Uniqueness]

    @property
    def reason(self) -> str:
        """Why the conventions differ."""
        share = self.short_pieces / self.pieces
        return (
            f"{percent(share, 0)} of the {self.pieces:,} pieces have fewer than {several(self.points, 'visit')}: "
            "'drop' leaves them out, with 'all' the few visits they have are known, 'zero' counts them as safe; a "
            "decrease that 'drop' does not show comes from short pieces alone, not from cutting the others."
        )

    def section(self) -> Section:
        """What cutting does to the share of people identified."""
        before, after, fixed = (side["drop"] for side in (self.before, self.after, self.fixed_knowledge))
        names = ("whole trajectories", "pieces", "people whose visits were known before the cut")
        sides = zip(names, (self.before, self.after, self.fixed_knowledge), strict=True)
        risks = [replace(risk, label=name) for name, side in sides for risk in side.values()]
        known = several(self.points, f"{self.knowledge} visit")
        identify = "identifies" if self.points == 1 else "identify"
        return Section(
            question="Does cutting trajectories into windows protect people?",
            answer=f"{known} {identify} {_share(before, 'whole trajectory', 'whole trajectories')} and "
            f"{_share(after, 'piece', 'pieces')}; an attacker who knew the visits before the cut still identifies "
            f"{_share(fixed, 'person', 'people')}.",
            number=percent(after.value),
            number_of="of pieces identified",
            tables=[table(risks)],
            method=[self.reason, "Pieces are half-open in time; cutting removes no visit, it only changes pseudonyms."],
            options=f"{several(self.users, 'person', 'people')}, {several(self.pieces, 'piece')}, {known}, seed "
            f"{self.seed}",
            data=self,
            number_at=("after", "drop", "value"),
            references=("song2014",),
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each side of the cut and convention: share identified, its interval, how many it is over."""
        sides = {"before": self.before, "after": self.after, "fixed_knowledge": self.fixed_knowledge}
        rows = [(side, short, risk) for side, risks in sides.items() for short, risk in risks.items()]
        return {
            "side": [side for side, _, _ in rows],
            "short": [short for _, short, _ in rows],
            "value": [risk.value for _, _, risk in rows],
            "low": [risk.interval[0] if risk.interval else None for _, _, risk in rows],
            "high": [risk.interval[1] if risk.interval else None for _, _, risk in rows],
            "population": [risk.population for _, _, risk in rows],
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        options = ("points", "knowledge", "repeats", "exact", "seed")
        counts = ("users", "pieces", "short_pieces", "reason")
        sides = ("before", "after", "fixed_knowledge")
        return {
            **{name: getattr(self, name) for name in options + counts},
            **{side: {short: risk.to_dict() for short, risk in getattr(self, side).items()} for side in sides},
        }


def _share(risk: Uniqueness, one: str, more: str) -> str:
    """The share identified, with the number behind it if each was asked once."""
    if risk.value is not None and counts_people(risk):
        return of_people(round(risk.value * risk.population), risk.population, one, more)
    return f"{percent(risk.value)} of {several(risk.population, one, more)}"


@public
def cut_risk(
    visits: Visits,
    windows: Windows,
    *,
    points: int = 4,
    knowledge: Known = "random",
    repeats: int = 1,
    exact: bool = False,
    seed: int = 0,
) -> CutRisk:
    """Share of people who are identified before and after cutting trajectories into windows [song2014, Sec. 5.1].

    Windows part time, so visits within one are shared by as many pieces as users: the index of the whole
    trajectories answers for the pieces too. Differs from [song2014]: it does not say what becomes of short pieces.

    Args:
        visits: The visits of everybody.
        windows: The pieces, cut from the same visits by `incrowd.discretize.windows`.
        points: How many visits the attacker knows.
        knowledge: Which visits are known: drawn at random, or in a row.
        repeats: Draws for each person or piece.
        exact: Look at every choice of visits instead of drawing.
        seed: Seed of the draws; the same seed gives the same numbers.

    >>> from incrowd.discretize import windows
    >>> visits = Visits.from_arrays([1, 1, 2, 2, 3, 3], cell=[1, 1, 1, 1, 1, 2], slot=[0, 2, 0, 3, 2, 3])
    >>> risk = cut_risk(visits, windows(visits, windows=2, slots=4), points=2)
    >>> risk.before["drop"].value, round(risk.fixed_knowledge["drop"].value, 4)
    (1.0, 0.6667)
    """
    check_choice("knowledge", knowledge, get_args(Known))
    question = UniquenessQuestion(points=points, knowledge=knowledge, repeats=repeats, exact=exact, seed=seed)
    _check_cut(visits, windows)
    index = index_of(visits)
    whole, pieces = Trajectories.over(visits.offsets), Trajectories.over(windows.visits.offsets, windows.owner)
    piece = np.repeat(np.arange(len(pieces.sizes), dtype=np.int32), pieces.sizes)
    within = PartIndex(index, piece, counts_parts=False)
    return CutRisk(
        points=question.points,
        knowledge=knowledge,
        repeats=question.repeats,
        exact=exact,
        seed=question.seed,
        users=len(visits),
        pieces=len(windows.owner),
        short_pieces=int((pieces.sizes < question.points).sum()),
        before=by_convention(index, whole, visits, question),
        after=by_convention(index, pieces, visits, question),
        fixed_knowledge=by_convention(within, whole, visits, question),
    )


def by_convention(
    index: CrowdCounter, crowd: Trajectories, visits: Visits, question: UniquenessQuestion
) -> dict[str, Uniqueness]:
    """The answers for drop, all and zero; drawn points are the same for all three."""
    if question.exact:
        return {short: ask(index, crowd, visits, replace(question, short=short)) for short in SHORT}
    every = ask(index, crowd, visits, replace(question, short="all"))
    sizes, long = cast("Ints", every.crowd_sizes), crowd.sizes >= question.points
    targets = np.flatnonzero(long)
    drop = answered(replace(question, short="drop"), len(long), targets, sizes.take(targets, axis=1))
    zero = answered(replace(question, short="zero"), len(long), every.targets, sizes * long)
    same = every.same_slot
    return {"drop": replace(drop, same_slot=same), "all": every, "zero": replace(zero, same_slot=same)}


def _check_cut(visits: Visits, windows: Windows) -> None:
    """Refuse pieces of other rows, and pieces of the same rows that run across users or name another owner."""
    advice = "pass what incrowd.discretize.windows gave"
    if not isinstance(windows, Windows):
        raise DataError(f"windows must be cut from the visits, got {type(windows).__name__}; {advice}.")
    cut = windows.visits
    same = cut.slot is visits.slot and cut.cell is visits.cell
    same = same or (np.array_equal(cut.slot, visits.slot) and np.array_equal(cut.cell, visits.cell))
    if not same or not _owned(visits.offsets, cut.offsets, windows.owner):
        raise DataError(f"these windows were not cut from these visits; {advice}.")


def _owned(offsets: Ints, pieces: Ints, owner: Ints) -> bool:
    """Whether every piece lies within the rows of its owner."""
    if len(owner) != len(pieces) - 1 or (len(owner) and not 0 <= owner.min() <= owner.max() < len(offsets) - 1):
        return False
    return bool((pieces[:-1] >= offsets[owner]).all() and (pieces[1:] <= offsets[owner + 1]).all())

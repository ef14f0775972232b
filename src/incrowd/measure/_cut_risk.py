"""Visits and their windows -> uniqueness before and after cutting, under every convention side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from incrowd.arrays import Ints
from incrowd.data import Visits
from incrowd.discretize._windows import Windows
from incrowd.errors import DataError, check_choice
from incrowd.measure.uniqueness import CrowdCounter, ask
from incrowd.measure.uniqueness.choices import Trajectories
from incrowd.measure.uniqueness.index import PartIndex, check_visits, index_of
from incrowd.measure.uniqueness.question import SHORT, Uniqueness, UniquenessQuestion, answered
from incrowd.plain import Shown

KNOWLEDGE = ("random", "consecutive")


@dataclass(frozen=True, kw_only=True, eq=False)
class CutRisk(Shown):
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
    device: str
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
            f"{share:.0%} of the {self.pieces:,} pieces have fewer than {self.points} points: 'drop' leaves them out, "
            "'all' asks with the few points they have, 'zero' counts them as safe; a fall that 'drop' does not show "
            "comes from short pieces alone, not from cutting the others."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        asked = ("points", "knowledge", "repeats", "exact", "seed", "device")
        counts = ("users", "pieces", "short_pieces", "reason")
        sides = ("before", "after", "fixed_knowledge")
        return {
            **{name: getattr(self, name) for name in asked + counts},
            **{side: {short: risk.to_dict() for short, risk in getattr(self, side).items()} for side in sides},
        }


def cut_risk(
    visits: Visits,
    windows: Windows,
    *,
    points: int = 4,
    knowledge: str = "random",
    repeats: int = 1,
    exact: bool = False,
    seed: int = 0,
    device: str = "cpu",
) -> CutRisk:
    """What cutting into windows does to uniqueness from m random or consecutive points [song2014, Sec. 5.1].

    Windows part time, so points within one are shared by as many pieces as users: the index of the whole
    trajectories answers for the pieces too. Differs from [song2014]: it does not say what becomes of short pieces.

    >>> from incrowd.discretize import windows
    >>> visits = Visits.from_arrays([1, 1, 2, 2, 3, 3], cell=[1, 1, 1, 1, 1, 2], slot=[0, 2, 0, 3, 2, 3])
    >>> risk = cut_risk(visits, windows(visits, windows=2, slots=4), points=2)
    >>> risk.before["drop"].value, round(risk.fixed_knowledge["drop"].value, 4)
    (1.0, 0.6667)
    """
    check_choice("knowledge", knowledge, KNOWLEDGE)
    question = UniquenessQuestion(
        points=points, knowledge=knowledge, repeats=repeats, exact=exact, seed=seed, device=device
    )
    check_visits(visits)
    _check_cut(visits, windows)
    index = index_of(visits, device)
    whole, pieces = Trajectories.over(visits.offsets), Trajectories.over(windows.visits.offsets, windows.owner)
    piece = np.repeat(np.arange(len(pieces.sizes), dtype=np.int32), pieces.sizes)
    within = PartIndex(index, piece, counts_parts=False)
    return CutRisk(
        points=question.points,
        knowledge=knowledge,
        repeats=question.repeats,
        exact=exact,
        seed=question.seed,
        device=device,
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
    kept = {"drop": (np.flatnonzero(long), sizes[:, long]), "zero": (every.targets, np.where(long, sizes, 0))}
    other = {short: answered(replace(question, short=short), len(long), *kept[short]) for short in kept}
    other = {short: replace(answer, same_slot=every.same_slot) for short, answer in other.items()}
    return {"drop": other["drop"], "all": every, "zero": other["zero"]}


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

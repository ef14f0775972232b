"""A release beside its original -> how many people of the first half of the period are recognised in the second."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, tally
from incrowd.assess.compare.settings import MethodInputs
from incrowd.assess.questions.guess import mean_of
from incrowd.attack import link
from incrowd.data import Fingerprints, Release, Traces, Visits
from incrowd.discretize import grid
from incrowd.measure.uniqueness.question import effective_interval

LINKS: tuple[Literal["evidence", "histogram"], ...] = ("evidence", "histogram")
LATER = (
    "Recognised later is the share of people of the first half of the period, known by name at the cells and slots of "
    "the release, whose best candidate in the second half of the release is theirs (ties and crowds in expectation): "
    "the stronger of evidence over places and rhythm, and histogram. It is a dash if nobody is in both halves."
)


@dataclass(frozen=True, eq=False)
class Recognised:
    """How many people of the first half of the period are recognised in the second half of a release."""

    by: str
    share: Fraction
    high: Fraction  # upper end of its 95 % interval, at most what everything published tells
    people: int  # in both halves


def recognised(release: Release, source: MethodInputs, caps: Ints) -> Recognised | None:
    """The stronger of the attackers who know the first half of the period and look at the second half."""
    data: Any = release.data
    if isinstance(data, Traces):
        data = grid(data, cell_m=source.cell_m, slot_min=source.slot_min, start=source.visits.start)
    same = not isinstance(data, Visits) or (data.cell_m, data.slot_min) == (source.cell_m, source.slot_min)
    known = source.visits if same else source.visits_on(data.cell_m, data.slot_min)
    middle_s = source.middle_s
    before, after = _begins(known) < middle_s, _begins(data) >= middle_s
    if not before.any() or not after.any():
        return None
    past, later = _only(known, before), replace(release, data=_only(data, after))
    best: Recognised | None = None
    for score in LINKS:
        linkage = link(past, later, score=score)
        real = ~np.isnan(linkage.right)
        if not real.any():
            return None
        right, share = linkage.right[real], Fraction(float(linkage.right[real].mean()))
        high = max(share, min(Fraction(effective_interval(right)[1]), mean_of(caps[real])))
        if best is None or share > best.share:
            best = Recognised(score, share, high, int(real.sum()))
    return best


def _only(data: Any, keep: NDArray[np.bool_]) -> Any:
    """Some of the records, of the same people: those left with none keep their position."""
    rows = {name: value[keep] for name in data.ROWS if (value := getattr(data, name)) is not None}
    offsets = np.concatenate([[0], np.cumsum(tally(keep, data.offsets))]).astype(np.int64)
    return replace(data, offsets=offsets, **rows)


def _begins(data: Visits | Fingerprints) -> NDArray[Any]:
    """When each record begins, in UTC seconds."""
    start = data.start or 0
    if isinstance(data, Visits):
        return start + 60 * int(data.slot_min or 1) * data.slot
    return start + 60 * data.t

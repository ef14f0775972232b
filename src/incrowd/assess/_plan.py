"""Visits -> how short windows must be for cutting to protect, after the pieces have been joined again."""

from collections.abc import Sequence
from math import ceil
from typing import Any, Literal

import numpy as np

from incrowd.anonymize import Cut
from incrowd.arrays import Ints
from incrowd.assess.compare.risk import Risk, chains, joins, looked_up, strongest
from incrowd.assess.compare.settings import untouched
from incrowd.assess.planned import Plan, PlannedCut, RightGuess, exact, share_in_words
from incrowd.data import Visits
from incrowd.data.table import some_people
from incrowd.errors import DataError, ParameterError, check_positive, check_seed, check_share, check_whole, public
from incrowd.plain import several
from incrowd.progress import track

WINDOWS_H = (1, 2, 3, 6, 12, 24, 48)
CUTTING = "cutting and joining"


@public
def plan(
    visits: Visits,
    *,
    windows_h: Sequence[float] = WINDOWS_H,
    points: int = 4,
    target: float = 1 / 11,
    start_slot: int = 0,
    slots: int | None = None,
    memory: Literal["piece", "chain"] = "piece",
    reach_windows: int = 1,
    people: int | None = None,
    seed: int = 0,
) -> Plan:
    """The longest window with which cutting protects people, even after the pieces are joined again.

    Each window is tried: the trajectories are cut, the pieces are joined by an attacker, by least information gain and
    by evidence, and a few visits of everybody are looked up among the pieces and among both kinds of joined ones
    (`incrowd.attack.lookup`); what is strongest for a person counts. Windows shorter than a slot or as long as the data
    are left out; whole trajectories come last. Nothing is published.

    Args:
        visits: Visits with slot_min.
        windows_h: Windows to try, in hours.
        points: How many visits of a person's whole trajectory the attacker knows; all of a person with fewer.
        target: Largest probability of a right guess after the pieces are joined, on average and at the upper end of its
            95 % interval; besides, at most 1 % of people may be guessed rightly with 1/2 or more. [default: 1/11]
        start_slot: Slot at which the recording period begins.
        slots: Length of the recording period. [default: to the last visit]
        memory: What the attacker compares the next piece with: the last piece, or the chain of all pieces so far.
        reach_windows: How many windows ago a chain of pieces may have ended and still go on.
        people: Draw so many people, which is faster and errs on the safe side. [default: all]
        seed: Seed of every random choice; the same seed gives the same numbers.

    >>> visits = Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1], slot_min=60)
    >>> print(plan(visits, windows_h=[1], points=2, target=0.5).verdict.partition(":")[0])
    Cutting does not protect
    """
    if not isinstance(visits, Visits) or visits.slot_min is None or not visits.records:
        raise DataError("a plan in hours needs visits with slot_min; make them with a discretizer.")
    check_share(target=target)
    check_positive(target=target)
    check_seed(seed=seed)
    if slots is not None:
        check_whole(slots=slots)
    if people is not None:
        check_whole(people=people)
    everybody, visits = len(visits), visits if people is None else some_people(visits, people=int(people), seed=seed)
    if len(visits) < (fewest := ceil(1 / exact(target))):
        raise DataError(
            f"no release of {several(len(visits), 'person', 'people')} keeps right guesses at "
            f"{share_in_words(target)}; at least {fewest:,} people are needed."
        )
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
        raise ParameterError("start_slot is after the last slot of the data; let the first window begin within them.")
    lengths = sorted({hours for hours in windows_h if width <= hours * 60 < period * width})
    if not lengths:
        raise ParameterError(
            f"no window is between a slot of {width} min and the {several(period, 'slot')} of the data; try others."
        )
    return lengths


def _cut(visits: Visits, method: Cut, attack: dict[str, Any]) -> PlannedCut:
    # Nobody sees these pseudonyms: a seed makes the plan the same again.
    release = method(visits, pseudonym_seed=attack["seed"])
    joined = joins(release, **attack)
    known = {name: attack[name] for name in ("points", "seed")}
    looks = [looked_up(look, visits, **known) for look in (release, *chains(release, joined))]
    scores = {one.by: one.score for one in joined if one.score is not None}
    if not scores:
        raise DataError("the pieces have no owners to score them by.")
    by = max(scores, key=lambda name: scores[name].share or 0.0)
    score, moves = scores[by], _moves(visits.offsets, visits.cell)
    pieces: Any = release.data
    return PlannedCut(
        window_h=method.window_h,
        pieces=len(pieces),
        before=_guessed(looks[0]),
        after=_guessed(strongest(looks)),
        by=by,
        neighbours=score.neighbours,
        rejoined=score.share,
        precision=score.precision,
        chance=score.chance,
        restored=max(one.restored for one in scores.values()),
        moves_kept=_moves(pieces.offsets, pieces.cell) / moves if moves else None,
    )


def _whole(visits: Visits, points: int, seed: int) -> PlannedCut:
    guessed = _guessed(looked_up(untouched(visits), visits, points=points, seed=seed))
    moves_kept = 1.0 if _moves(visits.offsets, visits.cell) else None
    return PlannedCut(None, len(visits), guessed, guessed, "", 0, None, None, None, len(visits), moves_kept)


def _guessed(risk: Risk) -> RightGuess:
    """What is judged stays a fraction."""
    return RightGuess(float(risk.share(1)), risk.guess, risk.guess_high, risk.worst_high)


def _moves(offsets: Ints, cell: Ints) -> int:
    """Consecutive visits of one owner in different cells."""
    moved = cell[1:] != cell[:-1]
    border = offsets[(offsets > 0) & (offsets < len(cell))]
    moved[np.unique(border) - 1] = False
    return int(moved.sum())

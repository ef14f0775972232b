"""Two datasets of the same people -> who of the one is who of the other, by how alike their visits are."""

import time
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints, frozen
from incrowd.attack.link.evidence import SCORES, UNIT, Evidence, Histogram, Layer, Overlap, Score
from incrowd.attack.link.matching import one_to_one as matched
from incrowd.attack.link.meeting import Meeting, met
from incrowd.attack.link.pairs import PairScores, Ranking
from incrowd.attack.link.posterior import Scoring, halves
from incrowd.attack.link.result import HITS, TOP, Linkage
from incrowd.attack.link.sides import Sides
from incrowd.attack.link.views import (
    CLOCKED,
    View,
    aligned,
    check_views,
    folded,
    has_clock,
    on_cells,
    tallied,
    warn_apart,
)
from incrowd.attack.people import Side, Truth
from incrowd.data import Visits
from incrowd.errors import ParameterError, check_choice, check_positive, check_seed, check_share, check_whole, public
from incrowd.measure.uniqueness.question import effective_interval
from incrowd.threads import machine

DEFAULT_VIEWS: tuple[View, ...] = ("places", "rhythm")


@public
def link(
    known: Side,
    target: Side,
    *,
    truth: Truth | Iterable[int] = None,
    score: Score = "evidence",
    views: tuple[View, ...] = DEFAULT_VIEWS,
    one_to_one: bool = False,
    open_world: bool = False,
    present: float = 0.5,
    tolerance_slots: int = 0,
    tolerance_m: float = 0,
    period_slots: int | None = None,
) -> Linkage:
    """How well people known from one dataset are recognised in another.

    Every candidate gets a score for each known person, and the attacker names the best. "evidence" is the log Bayes
    factor of one person against two people of the crowd, under a Dirichlet-multinomial crowd; over several views the
    sum of theirs, which is no Bayes factor any more. "histogram" compares the shares of visits [naini2016]. "overlap"
    adds -log2 p for each shared feature, where p is the share of target people who have it; the view "moments" is
    always compared by it. People without visits are neither known nor candidates.

    Args:
        known: What the attacker holds: visits, boxes, a release, or the folder of one.
        target: Where to look; boxes are put on the cells of the known side, one visit each.
        truth: Who is who: by default equal labels, or a release's own members; else a link file (pseudonym of the
            target, user of the known), or for each known person a position in the target, -1 for nobody, or a list.
        score: How two people are compared.
        views: What is compared: the cells visited ("places"), with the quarter of the day ("rhythm") or the hour of
            the week ("week"), or cell and slot ("moments", for data of the same period only). Views that need a clock
            are left out of the default if the visits do not say when slots begin.
        one_to_one: Whether everybody has one partner at most: the matching of greatest total, with its certificate.
        open_world: Whether a known person may be missing from the target; this changes probabilities, not ranks.
        present: Share of known people expected to be in the target, if open_world.
        tolerance_slots: Slots that two moments may be apart and still match.
        tolerance_m: Metres that two cells may be apart and still match, for moments.
        period_slots: Compare moments by slot of this period, such as the 168 hours of a week; 1 for places alone.

    Returns:
        hit[1] is the share of people named rightly, beside chance; `named(0.9)` the pairs named at a confidence.

    >>> known = Visits.from_arrays(["ann", "bob"], cell=[1, 2], slot=[0, 0])
    >>> target = Visits.from_arrays(["ann", "bob", "cyd"], cell=[1, 2, 2], slot=[0, 0, 0])
    >>> link(known, target).hit
    {1: 0.75, 10: 1.0}
    """
    began = time.perf_counter()
    check_choice("score", score, SCORES)
    default = views is DEFAULT_VIEWS
    views = check_views(views)
    meeting = _meeting(views, tolerance_slots, tolerance_m, period_slots)
    check_share(present=present)
    if open_world and not 0 < present < 1:
        raise ParameterError(f"present must be above 0 and below 1 in an open world, got {present!r}.")
    sides = Sides.of(known, target, truth)
    views = _with_clock(sides, views, default=default)
    if one_to_one:
        sides.check_single()
    pairs = pair_scores(sides.known, sides.target, score, views, meeting, tolerance_m)
    ranking = pairs.rank(sides.true, TOP)
    nobody = np.log(len(sides.columns) * (1 - present) / present) if open_world else -np.inf
    options: dict[str, Any] = {
        "score": score,
        "views": views,
        "one_to_one": one_to_one,
        "open_world": open_world,
        "present": float(present),
        "tolerance_slots": meeting.tolerance_slots,
        "tolerance_m": float(tolerance_m),
        "period_slots": meeting.period_slots,
        "matching": matched(pairs) if one_to_one else None,
        "scoring": Scoring(
            pairs, partial(_parted, sides.known, score, views), sides.rows, sides.columns, float(nobody)
        ),
    }
    return _scored(sides, ranking, began, **options)


def _meeting(views: tuple[View, ...], tolerance_slots: int, tolerance_m: float, period_slots: int | None) -> Meeting:
    """When two moments match; options about moments are refused without them."""
    check_seed(tolerance_slots=tolerance_slots)
    if tolerance_m != 0:
        check_positive(tolerance_m=tolerance_m)
    if period_slots is not None:
        check_whole(period_slots=period_slots)
        if period_slots >= 2**62:
            raise ParameterError("period_slots is longer than any data last; leave it out to compare moments.")
    if "moments" not in views and (tolerance_slots or tolerance_m or period_slots is not None):
        raise ParameterError(
            "tolerance_slots, tolerance_m and period_slots are about moments; pass score='overlap', views=('moments',)."
        )
    return Meeting(int(tolerance_slots), None if period_slots is None else int(period_slots))


def _with_clock(sides: Sides, views: tuple[View, ...], *, default: bool) -> tuple[View, ...]:
    """The views that can be compared: without a clock those of the default that need none."""
    missing = [view for view in views if view in CLOCKED and not has_clock(sides.known, sides.target)]
    if missing and not default:
        raise ParameterError(
            f"the view {missing[0]!r} needs visits with start and slot_min on both sides; make them with a discretizer "
            "from times, or leave it out."
        )
    return tuple(view for view in views if view not in missing)


def pair_scores(
    known: Visits, target: Visits, score: Score, views: tuple[View, ...], meeting: Meeting, tolerance_m: float
) -> PairScores:
    """The scores of all pairs: one layer for each view."""
    theirs, near = aligned(known, target, tolerance_m if views == ("moments",) else 0)
    same = on_cells(theirs, near, known) if views != ("moments",) else theirs
    sizes = np.diff(known.offsets), np.diff(target.offsets)
    layers: list[Layer] = []
    nats = score != "overlap"
    for view in views:
        if view == "moments":
            if meeting.period_slots is None:
                warn_apart(known, theirs, meeting.tolerance_slots)
            close = aligned(known, target, tolerance_m)[1] if tolerance_m else near
            ours = folded(known, meeting.period_slots)
            layers.append(Overlap(*met(ours, theirs, close, meeting, nats=nats)))
            continue
        tally = tallied(known, same, view)
        if score == "evidence":
            layers.append(Evidence.of(tally, sizes[0], view))
        elif score == "histogram":
            layers.append(Histogram.of(tally, *sizes))
        else:
            layers.append(Overlap.of(tally, len(target), nats=False))
    return PairScores.over(layers, sizes, everybody=nats and views != ("moments",))


def _parted(known: Visits, score: Score, views: tuple[View, ...]) -> PairScores | None:
    """Two halves of the known side as a linkage of its own; moments are never the same in two halves."""
    lasting = tuple(view for view in views if view != "moments")
    parts = halves(known) if lasting else None
    return None if parts is None else pair_scores(*parts, score, lasting, Meeting(), 0)


def _scored(sides: Sides, ranking: Ranking, began: float, **options: Any) -> Linkage:
    truths, users = np.diff(sides.true.offsets), len(sides.columns)
    real = truths > 0
    above, tied, true_tied = ranking.above, ranking.tied, ranking.true_tied
    rank = np.where(real, above + (tied + 1) / (true_tied + 1), np.nan)
    worth = sides.worth(options["scoring"].pairs)
    hit = {k: (first_k(above, tied, true_tied, k) * worth) for k in HITS}
    matching = options["matching"]
    best = np.where(ranking.best >= 0, sides.columns[ranking.best], -1)
    matches = best[:, 0]
    if matching is not None:
        hit[1] = matching.right(sides.true)
        matches = np.where(matching.partner >= 0, sides.columns[matching.partner], -1)
    nobody = np.zeros_like(truths)
    chance = {k: (first_k(nobody, np.full_like(truths, users), truths, k) * sides.worth())[real] for k in HITS}
    claimed = ranking.values[:, 0] > ranking.values[:, 1]
    correct = claimed & real & (above == 0) & (tied == 1)
    scored, size = int(real.sum()), sides.people[0]
    everybody = options["scoring"].pairs.everybody
    values = np.where((ranking.best >= 0) | (not everybody), ranking.values / UNIT, np.nan)
    layers = dict(zip(options["views"], options["scoring"].pairs.layers, strict=True))
    fits = {view: layer.fit for view, layer in layers.items() if isinstance(layer, Evidence)}
    return Linkage(
        **options,
        known=len(truths),
        target=users,
        empty=sum(sides.people) - len(truths) - users,
        told=sides.told,
        scored=scored,
        without=len(truths) - scored if sides.told else 0,
        untold=sides.unnamed,
        silent=int((real & (ranking.met == 0)).sum()),
        hit={k: _mean(share[real]) for k, share in hit.items()},
        interval=effective_interval(hit[1][real], matched=matching is not None) if scored else None,
        chance={k: _mean(share) for k, share in chance.items()},
        median_rank=float(np.median(rank[real])) if scored else None,
        chance_median_rank=float(np.median((users + 1) / (truths[real] + 1))) if scored else None,
        claimed=int(claimed.sum()),
        claimed_right=float(worth[correct].sum()) if sides.told else None,
        alpha={view: fit.alpha for view, fit in fits.items()},
        at_bound=tuple(view for view, fit in fits.items() if fit.at_bound),
        seconds=time.perf_counter() - began,
        machine=machine(),
        rank=_spread(rank, sides.rows, size, np.nan),
        right=_spread(np.where(real, hit[1], np.nan), sides.rows, size, np.nan),
        best=_spread(best, sides.rows, size, -1),
        values=_spread(values, sides.rows, size, np.nan),
        matches=_spread(matches, sides.rows, size, -1),
    )


def _spread(values: Any, rows: Ints, size: int, missing: float) -> Any:
    """Values of the known people who have visits, in the order of all known people."""
    if len(rows) == size:
        return frozen(values)
    everybody = np.full((size, *values.shape[1:]), missing, values.dtype)
    everybody[rows] = values
    return frozen(everybody)


def first_k(above: Ints, tied: Ints, true: Ints, k: int) -> Floats:
    """Chance that one of the `true` of the `tied` is among the first k after `above` others, ties in random order.

    1 - C(tied - true, m) / C(tied, m) with m = k - above places left.

    >>> first_k(np.array([0, 1, 10]), np.array([4, 1, 1]), np.array([1, 1, 1]), 2).tolist()
    [0.5, 1.0, 0.0]
    """
    places = np.clip(k - above, 0, tied)
    missed = np.ones(len(above))
    for place in range(int(places.max(initial=0))):
        left = np.maximum(tied - place, 1)
        missed *= np.where(place < places, np.maximum(tied - true - place, 0) / left, 1.0)
    return 1 - missed


def _mean(shares: Floats) -> float | None:
    return float(shares.mean()) if len(shares) else None

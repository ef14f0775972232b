"""Two datasets of the same people -> who of the one is who of the other, ranked by shared rare visits."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints, frozen
from incrowd.attack.link.alignment import aligned, folded, warn_apart
from incrowd.attack.link.postings import BITS, Meeting, Postings
from incrowd.attack.people import Link, Side, Truth, counterparts, nobody, opened, read_link
from incrowd.columns import ints
from incrowd.data import Groups, Release, Visits
from incrowd.errors import DataError, ParameterError, check_positive, check_seed, check_whole
from incrowd.measure.uniqueness.index import kernels
from incrowd.measure.uniqueness.question import wilson
from incrowd.plain import Shown
from incrowd.progress import tell
from incrowd.threads import in_blocks

TOP = 10
HITS = (1, TOP)
_BLOCK = 512  # known traces per call of the kernel


@dataclass(frozen=True, eq=False, repr=False)
class Linkage(Shown):
    """How well known traces find their counterparts, beside a ranking at random; shares in [0, 1], higher is riskier.

    Ties are settled in expectation, not by luck. `scored` are the known traces with a counterpart; only they have a
    rank. `claimed` counts traces, with a counterpart or not, whose best candidate is strictly ahead of the second.
    Where nobody told who is who, candidates are ranked and nothing is scored.
    """

    tolerance_slots: int
    tolerance_m: float
    period_slots: int | None
    known: int  # traces the attacker holds
    target: int  # candidates
    told: bool  # whether it is known who is who
    scored: int
    without: int  # known traces whose person is not in the target
    untold: int  # candidates that the link file does not name: whoever they are counts as not in the target
    silent: int  # scored traces that met no candidate at all
    hit: Mapping[int, float | None]  # k -> share of scored traces with a counterpart among the first k
    interval: tuple[float, float] | None  # Wilson's 95 % of hit[1]
    chance: Mapping[int, float | None]  # the same for a ranking at random
    median_rank: float | None
    chance_median_rank: float | None
    claimed: int
    claimed_right: int | None  # None where nobody told
    rank: Floats = field(repr=False)  # per known trace, of its best counterpart, nan without one
    best: Ints = field(repr=False)  # [known, 10] positions in the target, best first, -1 for none
    bits: Floats = field(repr=False)  # [known, 10] what speaks for them

    def __repr__(self) -> str:
        first = "undefined" if self.told else "untold"
        if self.hit[1] is not None:
            first = f"{self.hit[1]:.4f}, chance {self.chance[1]:.4f}"
        return f"Linkage(hit@1={first}, known={self.known:,}, target={self.target:,}, without={self.without:,})"

    @property
    def claims_right(self) -> float | None:
        """Share of the claims that name the right counterpart."""
        return self.claimed_right / self.claimed if self.claimed and self.claimed_right is not None else None


def link(
    known: Side,
    target: Side,
    *,
    truth: Truth | Iterable[int] = None,
    tolerance_slots: int = 0,
    tolerance_m: float = 0,
    period_slots: int | None = None,
    device: str = "cpu",
) -> Linkage:
    """Rank the people of the target for each known trace by the visits they share, rare ones counting more.

    The score is the log-likelihood ratio -log2 p summed over known visits that the candidate matches within the
    tolerance, where p is the share of target people who do. `period_slots` compares routines instead of moments: 168
    hours match by hour of the week, 1 by place alone. `truth` is equal labels, a release's own members, a link file
    (pseudonym of the target, user of the known), or per known trace its position in the target, -1 for nobody, or a
    list of positions; a release folder or one without members is ranked only, since equal pseudonyms say nothing.

    >>> known = Visits.from_arrays(["ann", "bob"], cell=[1, 2], slot=[0, 0])
    >>> target = Visits.from_arrays(["ann", "bob", "cyd"], cell=[1, 2, 2], slot=[0, 0, 0])
    >>> link(known, target).hit
    {1: 0.75, 10: 1.0}
    """
    check_seed(tolerance_slots=tolerance_slots)
    if tolerance_m != 0:
        check_positive(tolerance_m=tolerance_m)
    if period_slots is not None:
        check_whole(period_slots=period_slots)
        if period_slots >= 2**62:
            raise ParameterError("period_slots is longer than any data last; leave it out to compare moments.")
    meeting = Meeting(int(tolerance_slots), None if period_slots is None else int(period_slots))
    sides = opened(known), opened(target)
    a, b = (_visits(side) for side in sides)
    if None not in (a.cell_m, b.cell_m) and a.cell_m != b.cell_m:
        raise DataError("the two differ in cell_m, so that no cell is the same; discretize both with the same cells.")
    who = _truth(truth, target)
    partners = counterparts(*sides, who)
    true = nobody(len(a)) if partners is None else partners
    theirs, near = aligned(a, b, tolerance_m)
    if meeting.period_slots is None:
        warn_apart(a, theirs, meeting.tolerance_slots)
    ours = folded(a, meeting.period_slots)
    ranking = _ranked(ours, len(theirs), Postings.over(ours, theirs, near, meeting, device), true, device)
    options = {**asdict(meeting), "tolerance_m": float(tolerance_m), "told": partners is not None}
    options["untold"] = who.unnamed(b) if isinstance(who, Link) else 0
    return _scored(ranking, true, len(theirs), **options)


def _visits(data: Visits | Release) -> Visits:
    table = data.data if isinstance(data, Release) else data
    if not isinstance(table, Visits) or not table.records:
        raise DataError("linking compares visits of at least one person; discretize both sides alike first.")
    return table


def _truth(given: Truth | Iterable[Any], target: Side) -> Link | list[list[int]] | None:
    """The link file of the target, or lists of positions; a number alone is a list of one, -1 of none."""
    if given is None or isinstance(given, (str, Path)):
        return None if given is None else read_link(given, target)
    try:
        rows: list[list[Any]] = [([] if row == -1 else [row]) if isinstance(row, Real) else list(row) for row in given]
        return [ints(row, "truth").tolist() for row in rows]
    except TypeError:
        raise DataError("truth must hold a position in the target, or a list of them, per known trace.") from None


def _ranked(known: Visits, users: int, lists: Postings, true: Groups, device: str) -> tuple[Ints, ...]:
    """What the kernel tells of every known trace, block by block on all cores."""
    size = len(known)
    parts: tuple[Ints, ...] = tuple(np.zeros((size, n), np.int64) for n in (TOP, TOP, 1, 1, 1))
    rank_candidates = kernels("link", device).rank_candidates
    done = [0]

    def work(part: slice) -> None:
        rows = slice(part.start, part.stop + 1)
        ranking = rank_candidates(
            known.offsets[rows],
            lists.ids,
            lists.starts,
            lists.postings,
            lists.weights,
            users,
            true.offsets[rows],
            true.positions,
            TOP,
        )
        for into, column in zip(parts, ranking, strict=True):
            into[part] = column.reshape(len(column), -1)
        done[0] += len(ranking[0])
        tell("ranking candidates", done[0], size)

    in_blocks(work, size, block=_BLOCK)
    return parts[0], parts[1], *(part.ravel() for part in parts[2:])


def _scored(ranking: tuple[Ints, ...], true: Groups, users: int, *, told: bool, **options: Any) -> Linkage:
    best, score, above, tied, true_tied = ranking
    truths = np.diff(true.offsets)
    real = truths > 0
    rank = np.where(real, above + (tied + 1) / (true_tied + 1), np.nan)
    hit = {k: first_k(above, tied, true_tied, k)[real] for k in HITS}
    nobody = np.zeros_like(truths)
    chance = {k: first_k(nobody, np.full_like(truths, users), truths, k)[real] for k in HITS}
    claimed = score[:, 0] > score[:, 1]
    right = claimed & real & (above == 0) & (tied == 1)
    scored = int(real.sum())
    return Linkage(
        **options,
        known=len(truths),
        target=users,
        told=told,
        scored=scored,
        without=len(truths) - scored if told else 0,
        silent=int((real & (best[:, 0] < 0)).sum()),
        hit={k: _mean(share) for k, share in hit.items()},
        interval=wilson(round(float(hit[1].sum())), scored) if scored else None,
        chance={k: _mean(share) for k, share in chance.items()},
        median_rank=float(np.median(rank[real])) if scored else None,
        chance_median_rank=float(np.median((users + 1) / (truths[real] + 1))) if scored else None,
        claimed=int(claimed.sum()),
        claimed_right=int(right.sum()) if told else None,
        rank=frozen(rank),
        best=frozen(best),
        bits=frozen(score / 2.0**BITS),
    )


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

"""Visits -> how many people share some known visits, and how many people those visits identify."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.columns import ints
from incrowd.data import Visits
from incrowd.errors import DataError, ParameterError, public
from incrowd.measure.uniqueness.choices import Choices, CloseSubsets, Runs, Subsets, Trajectories, blocks
from incrowd.measure.uniqueness.index import index_of, same_slot, top_crowds
from incrowd.measure.uniqueness.question import Knowledge, Match, Short, Uniqueness, UniquenessQuestion, answered
from incrowd.progress import track

EXACT_LIMIT = 100_000_000  # choices that exact=True looks at, at most


class CrowdCounter(Protocol):
    """Who shares the points at some rows; `incrowd.measure.uniqueness.index` has the usual one."""

    @property
    def users(self) -> int:
        """How many users could."""

    def crowd(self, rows: Ints, own: Ints) -> Ints:
        """How many users share the points at each line of rows, their owner among them."""


@public
def crowd_sizes(visits: Visits, known: Iterable[Iterable[tuple[int, int]]]) -> Ints:
    """How many people made all the visits of each list: s(Q) = |{j : Q ⊆ tr_j}| [song2014, Eq. 1].

    Args:
        visits: The visits of everybody.
        known: Lists of (cell, slot) pairs, each what an attacker may know.

    >>> visits = Visits.from_arrays([1, 1, 2, 3], cell=[1, 2, 1, 1], slot=[0, 1, 0, 5])
    >>> crowd_sizes(visits, [[(1, 0)], [(1, 0), (2, 1)], [(9, 9)], []]).tolist()
    [2, 1, 0, 3]
    """
    lists = _pairs(known)
    flat = [point for points in lists for point in points]
    cell, slot = ints([cell for cell, _ in flat], "cell"), ints([slot for _, slot in flat], "slot")
    index = index_of(visits)
    ids = index.find(cell, slot)
    counts = np.full(len(lists), len(visits), np.int64)  # everybody contains no points
    crowd = Trajectories.over(np.append(0, np.cumsum([len(points) for points in lists], dtype=np.int64)))
    for places, rows in crowd.whole(np.arange(len(lists))):
        counts[places] = index.count(ids[rows])
    return counts


def _pairs(known: Iterable[Iterable[tuple[int, int]]]) -> list[list[tuple[int, int]]]:
    try:
        return [[(cell, slot) for cell, slot in points] for points in known]
    except (TypeError, ValueError):
        # The cause is left out: it may quote a value.
        raise DataError("known must list lists of (cell, slot) pairs, such as [[(3, 0), (5, 1)], [(3, 0)]].") from None


@public
def uniqueness(
    visits: Visits,
    *,
    points: int = 4,
    knowledge: Knowledge = "random",
    short: Short = "drop",
    repeats: int = 1,
    samples: int | None = None,
    exact: bool = False,
    closeness_min: float | None = None,
    tolerance_min: float = 0,
    block_min: float | None = None,
    match: Match = "set",
    seed: int = 0,
    label: str = "",
) -> Uniqueness:
    """Share of people who are identified by a few known visits of their own.

    A person is identified if nobody else made all the known visits [song2014, Eq. 1; tan2017, Eq. 4; xu2017, Sec. 3.2].
    Differs from [tan2017, Alg. 1]: the visits known are visits of the data as matched, not of the raw data.

    Args:
        visits: The visits of everybody.
        points: How many visits the attacker knows.
        knowledge: Which visits are known: drawn at random, in a row, the most visited places, or close in time.
        short: What becomes of people with fewer visits: drop leaves them out, with all the few they have are known,
            zero counts them as safe.
        repeats: Draws for each person.
        samples: Draw this many people, with replacement, instead of asking about everybody.
        exact: Look at every choice of visits instead of drawing.
        closeness_min: Mean minutes between known visits, for knowledge close.
        tolerance_min: By how much that mean may differ.
        block_min: Known visits must be in one block of this many minutes, such as 1440 for a day. [default: any time]
        match: Who shares the most visited places: people with the same set, with the same order, or who visited them.
        seed: Seed of the draws; the same seed gives the same numbers.
        label: Name of the data or the setting in reports.

    >>> visits = Visits.from_arrays([1, 1, 2, 2, 3], cell=[1, 2, 1, 3, 1], slot=[0, 1, 0, 1, 0])
    >>> uniqueness(visits, points=1, exact=True)
    Uniqueness(0.3333, population=3, skipped=0, points=1, knowledge='random', short='drop', seed=0)
    """
    question = UniquenessQuestion(
        points=points,
        knowledge=knowledge,
        short=short,
        repeats=repeats,
        samples=samples,
        exact=exact,
        closeness_min=closeness_min,
        tolerance_min=tolerance_min,
        block_min=block_min,
        match=match,
        seed=seed,
        label=label,
    )
    if knowledge == "close" and visits.slot_min is None:
        raise ParameterError("knowledge='close' needs visits with slot_min, the minutes of a slot.")
    if knowledge == "top":
        return replace(_from_tops(visits, question), same_slot=same_slot(visits))
    return ask(index_of(visits), Trajectories.over(visits.offsets), visits, question)


def ask(index: CrowdCounter, crowd: Trajectories, visits: Visits, question: UniquenessQuestion) -> Uniqueness:
    """Put a question about some trajectories, whole or cut, to the index of the whole ones."""
    answer = ask_about(index, crowd, _choices(crowd, visits, question), question)
    return replace(answer, same_slot=same_slot(visits))


def ask_about(index: CrowdCounter, crowd: Trajectories, choices: Choices, question: UniquenessQuestion) -> Uniqueness:
    """The same if it is known already what the attacker may know."""
    short = crowd.sizes < question.points
    eligible = choices.feasible if question.short == "drop" else choices.feasible | short
    targets = np.flatnonzero(eligible)
    if question.exact:
        return _enumerated(index, crowd, choices, question, targets)
    rng = np.random.default_rng(question.seed)
    if question.samples is None:
        rounds = track(range(question.repeats), "uniqueness")
        crowds = [_drawn(index, crowd, choices, question, targets, rng) for _ in rounds]
        return answered(question, len(short), targets, np.stack(crowds))
    drawn = targets[rng.integers(0, len(targets), question.samples)] if len(targets) else targets
    return answered(question, len(short), targets, _drawn(index, crowd, choices, question, drawn, rng))


def _choices(crowd: Trajectories, visits: Visits, question: UniquenessQuestion) -> Choices:
    """What the attacker may know of each trajectory."""
    if question.knowledge == "consecutive":
        return Runs(crowd, question.points)
    if question.knowledge == "close":
        return CloseSubsets(crowd, visits.slot, visits.slot_min or 1, question)
    return Subsets(crowd, question.points)


def _drawn(
    index: CrowdCounter,
    crowd: Trajectories,
    choices: Choices,
    question: UniquenessQuestion,
    which: Ints,
    rng: np.random.Generator,
) -> Ints:
    """One draw for each trajectory named; short ones as the convention says."""
    sizes = np.zeros(len(which), np.int64)
    long = crowd.sizes[which] >= question.points
    places = np.flatnonzero(long)
    for part in blocks(len(places), question.points):
        block = places[part]
        rows = choices.draw(which[block], rng)
        sizes[block] = index.crowd(rows, crowd.owner[which[block]])
    if question.short == "all":
        few = np.flatnonzero(~long)
        sizes[few] = _whole(index, crowd, which[few])
    return sizes


def _whole(index: CrowdCounter, crowd: Trajectories, which: Ints) -> Ints:
    """The crowd of each trajectory named if all its points are known."""
    sizes = np.full(len(which), index.users, np.int64)  # everybody contains a trajectory without points
    for places, rows in crowd.whole(which):
        sizes[places] = index.crowd(rows, crowd.owner[which[places]])
    return sizes


def _enumerated(
    index: CrowdCounter, crowd: Trajectories, choices: Choices, question: UniquenessQuestion, targets: Ints
) -> Uniqueness:
    """Every choice of every target [song2014, Eq. 1, in expectation over the points drawn]."""
    long = crowd.sizes[targets] >= question.points
    total, ends = _limited(choices, targets[long])
    alone, shares = np.zeros(len(targets)), np.zeros(index.users + 1)
    hits = np.zeros(len(total), np.int64)
    for part in track(list(blocks(int(ends[-1]), question.points)), "exact uniqueness"):
        number = np.arange(part.start, part.stop)
        target = np.searchsorted(ends, number, "right") - 1
        which = targets[long][target]
        sizes = index.crowd(choices.rows(which, number - ends[target]), crowd.owner[which])
        hits += np.bincount(target[sizes == 1], minlength=len(total))
        shares += np.bincount(sizes, weights=1 / total[target], minlength=len(shares))
    alone[long] = hits / total
    if question.short == "all":
        sizes = _whole(index, crowd, targets[~long])
        alone[~long] = sizes == 1
        shares += np.bincount(sizes, minlength=len(shares))
    else:
        shares[0] += (~long).sum()
    return _expected(question, len(crowd.starts), targets, alone, shares)


def _limited(choices: Choices, which: Ints) -> tuple[Ints, Ints]:
    """How many choices each trajectory has, and where each begins among all; too many are refused."""
    total = choices.total(which)
    wanted = int(total.sum()) if len(total) else 0
    if wanted > EXACT_LIMIT:
        raise ParameterError(
            f"exact would look at {wanted:,} choices, more than {EXACT_LIMIT:,}; draw with repeats, or lower points."
        )
    counts = total.astype(np.int64)
    return counts, np.append(0, np.cumsum(counts))


def _expected(
    question: UniquenessQuestion, users: int, targets: Ints, alone: NDArray[Any], shares: NDArray[Any]
) -> Uniqueness:
    value = float(alone.mean()) if len(targets) else None
    return Uniqueness(
        **question.parameters(),
        value=value,
        population=len(targets),
        skipped=users - len(targets),
        interval=None if value is None else (value, value),
        distribution={int(s): float(shares[s]) / len(targets) for s in np.flatnonzero(shares)},
        targets=targets,
        crowd_sizes=None,
        probability=alone,
    )


def _from_tops(visits: Visits, question: UniquenessQuestion) -> Uniqueness:
    """Top-K needs no draw: everybody is asked, or as many people as there are samples."""
    targets = np.arange(len(visits))
    sizes = top_crowds(visits, question.points, question.match)
    if question.samples is not None:
        rng = np.random.default_rng(question.seed)
        drawn = rng.integers(0, len(targets), question.samples) if len(targets) else targets
        return answered(question, len(visits), targets, sizes[drawn])
    if question.exact:
        alone, shares = (sizes == 1).astype(np.float64), np.bincount(sizes).astype(np.float64)
        return _expected(question, len(visits), targets, alone, shares)
    repeated = np.broadcast_to(sizes, (question.repeats, len(sizes)))
    return answered(question, len(visits), targets, repeated, drawn=False)

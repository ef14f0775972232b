"""The nearest fingerprints, exactly, without most of the arithmetic: bounds first, early abandoning, time windows."""

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.cpu.glove.bounds import (
    NEVER,
    NONE,
    PlaceTable,
    Scratch,
    costs_between,
    costs_from,
    costs_to,
    hulls_apart,
    joint_bound,
    scratch_of,
    table_of,
)
from incrowd.kernels.cpu.glove.candidates import by_hours, by_places, by_runs
from incrowd.kernels.cpu.glove.exact import CLOSE, NEAR, PAIRS, refined
from incrowd.kernels.cpu.glove.prints import Prints
from incrowd.threads import in_blocks

SEEDS = 16  # candidates that are compared first: the others need only beat the best of them
TRIES = 16  # candidates that are asked first whether they are as near as anybody can be
SLACK = 1 + 1e-12  # a float is wrong by less
ROWS = 32  # of one call in a thread
WORTH_THREADS = 1 << 17  # pairs; below, waking a second core costs more than it brings


@helper
def compare(p: int, q: int, r: int, s: int) -> int:
    """The sign of p/q - r/s for whole numbers from 0 and denominators from 1, without overflow."""
    left, right = p / q, r / s
    if abs(left - right) > 1e-9 * max(left, right):
        return 1 if left > right else -1
    sign = 1
    while True:
        a, b = p // q, r // s
        if a != b:
            return sign if a > b else -sign
        p, r = p - a * q, r - b * s
        if p == 0 or r == 0:
            return sign * (int(p > 0) - int(r > 0))
        p, q, r, s = q, p, s, r
        sign = -sign


def nearest(
    p: Prints, rows: Ints, candidates: Ints, take: int, below: bool, least: Ints | None = None
) -> tuple[Ints, Ints, Ints, Ints]:
    """The `take` nearest candidates of each row, nearest first: slots (or -1), numerators, denominators, work done.

    Candidates are slots by rising id; ties go to the smaller id. `below` asks only those with an id below the row's.
    `least` is a numerator and denominator per row that no candidate is nearer than, 0 where it is not given.
    """
    if least is None:
        least = np.tile(np.array([0, 1]), (len(rows), 1))
    who = np.full((len(rows), take), NONE)
    over, under = np.full((len(rows), take), NEVER), np.ones((len(rows), take), np.int64)
    work = np.zeros((len(rows), 5), np.int64)
    ends = np.searchsorted(p.ident[candidates], p.ident[rows]) if below else np.full(len(rows), len(candidates))

    def search(part: slice) -> None:
        scratch = scratch_of(p)
        for k in range(len(rows))[part]:
            _nearest(p, rows[k], candidates[: ends[k]], least[k], who[k], over[k], under[k], work[k], scratch)

    many = len(rows) * len(candidates) > WORTH_THREADS
    in_blocks(search, len(rows), block=ROWS if many else max(1, len(rows)))
    everybody = work[:, PAIRS] == NONE
    work[everybody, PAIRS] = ends[everybody] - (not below)
    return who, over, under, work


def stretches(p: Prints, pairs: Ints) -> tuple[Ints, Ints]:
    """Numerator and denominator of the stretch of each pair of slots."""
    over, under = np.empty(len(pairs), np.int64), np.empty(len(pairs), np.int64)
    _stretches(p, pairs, over, under, scratch_of(p))
    return over, under


@compiled
def _stretches(p: Prints, pairs: Ints, over: Ints, under: Ints, scratch: Scratch) -> None:
    work = np.empty(5, np.int64)  # of what was done, which nobody asks for here
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        over[k] = NEVER
        if p.size[a] >= p.size[b]:
            over[k] = refined(p, a, b, 0, NEVER, scratch, work)
        if p.size[a] <= p.size[b]:
            over[k] = min(over[k], refined(p, b, a, 0, NEVER, scratch, work))
        under[k] = (p.people[a] + p.people[b]) * max(p.size[a], p.size[b])


@compiled
def _nearest(
    p: Prints, a: int, candidates: Ints, least: Ints, who: Ints, over: Ints, under: Ints, work: Ints, s: Scratch
) -> None:
    table, none = table_of(p, a), np.zeros(2, np.int64)
    floor, tries = least[0] / least[1], min(TRIES, len(candidates))
    # Among ties the first few are as near as anybody can be, and nobody else is looked at.
    taken = np.zeros(tries, np.bool_)
    for c in range(tries):
        b = candidates[c]
        work[PAIRS] += b != a
        if b != a and sum(hulls_apart(p, a, b)) <= floor * SLACK:
            taken[c] = _asked(p, a, b, floor, least, who, over, under, table, s, work)
            if taken[c] and _final(least, who, over, under):
                return
    work[PAIRS] = NONE  # all of them
    score = np.empty(len(candidates))
    by_places(p, a, candidates, score, table, s)
    for c in range(tries):
        score[c] = np.inf if taken[c] else score[c]
    seeds = np.empty(max(SEEDS, len(who)), np.int64)
    seeds[:] = NONE
    by_hours(p, a, candidates, score, np.inf, seeds)
    for seed in seeds:
        if seed >= 0 and score[seed] < np.inf:
            _asked(p, a, candidates[seed], _worst(who, over, under), none, who, over, under, table, s, work)
            score[seed] = np.inf  # a seed comes once
    worst, final = _worst(who, over, under), _final(least, who, over, under)
    by_hours(p, a, candidates, score, worst * SLACK, seeds[:0])
    by_runs(p, a, candidates, score, worst * SLACK, table, s)
    for c in range(len(candidates)):
        # A float is wrong by less than this; the numerators decide.
        if score[c] == np.inf or score[c] > worst * SLACK:
            continue
        b = candidates[c]
        # Those to come are no nearer than `least`, and an equal one has the larger id: the list is final.
        if final and p.ident[b] > p.ident[who[-1]]:
            break
        if _asked(p, a, b, worst, none, who, over, under, table, s, work):
            worst, final = _worst(who, over, under), _final(least, who, over, under)


@helper
def _worst(who: Ints, over: Ints, under: Ints) -> float:
    """What somebody else must not exceed to be among the nearest so far."""
    return np.inf if who[-1] == NONE else over[-1] / under[-1]


@helper
def _final(least: Ints, who: Ints, over: Ints, under: Ints) -> bool:
    """Whether all of the nearest so far are as near as anybody can be."""
    return bool(who[-1] != NONE and compare(over[-1], under[-1], least[0], least[1]) <= 0)


@helper
def _asked(
    p: Prints,
    a: int,
    b: int,
    most: float,
    exactly: Ints,
    who: Ints,
    over: Ints,
    under: Ints,
    table: PlaceTable,
    s: Scratch,
    work: Ints,
) -> bool:
    """Whether a candidate is no farther than a limit and among the nearest so far; it takes its place among them."""
    work[NEAR] += 1
    under_b = (p.people[a] + p.people[b]) * max(p.size[a], p.size[b])
    # One more than the rounded product can miss; a numerator beyond it is surely worse than the worst kept.
    limit = NEVER if most == np.inf else int(most * under_b * SLACK) + 1
    total = _within(p, a, b, limit, table, s, work)
    if total < 0 or (exactly[1] > 0 and compare(total, under_b, exactly[0], exactly[1]) > 0):
        return False
    return bool(_entered(p.ident, b, total, under_b, who, over, under))


@helper
def _entered(ident: Ints, b: int, total: int, under_b: int, who: Ints, over: Ints, under: Ints) -> bool:
    """Whether a candidate is among the nearest so far, or as near with a smaller id; it takes its place among them."""
    at = len(who)
    while at > 0:
        before = who[at - 1]
        sign = compare(total, under_b, over[at - 1], under[at - 1]) if before != NONE else -1
        if sign > 0 or (sign == 0 and ident[b] > ident[before]):
            break
        at -= 1
    for k in range(len(who) - 1, at, -1):
        who[k], over[k], under[k] = who[k - 1], over[k - 1], under[k - 1]
    if at < len(who):
        who[at], over[at], under[at] = b, total, under_b
    return at < len(who)


@helper
def _within(p: Prints, a: int, b: int, limit: int, table: PlaceTable, s: Scratch, work: Ints) -> int:
    """Numerator of the stretch of two slots; -1 when it surely exceeds the limit."""
    n = p.people[a] + p.people[b]
    known = p.region[p.places_first[a]] > 0 and p.region[p.places_first[b]] > 0
    back: int = NONE
    if p.size[b] >= p.size[a]:
        bound = costs_to(p, b, table, s) if known else costs_between(p, b, a, limit // n, s)
        back = _directed(p, b, a, bound, limit, s, work)
    if p.size[a] < p.size[b]:
        return back
    most = limit if back < 0 else back
    bound = costs_from(p, b, table, s) if known else costs_between(p, a, b, most // n, s)
    there: int = _directed(p, a, b, bound, most, s, work)
    return back if there < 0 else there


@helper
def _directed(p: Prints, a: int, b: int, bound: int, limit: int, s: Scratch, work: Ints) -> int:
    """Sum of the closest stretches of the samples of a, from a bound in space; -1 when it surely exceeds the limit."""
    n = p.people[a] + p.people[b]
    if bound > limit // n:
        return NONE
    bound = joint_bound(p, a, b, bound, limit // n, s)
    if bound > limit // n:
        return NONE
    work[CLOSE] += 1
    exact: int = refined(p, a, b, n * bound, limit, s, work)
    return exact

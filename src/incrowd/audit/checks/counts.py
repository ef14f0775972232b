"""Are published counts those of the original, under the rules and the noise that are stated?"""

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.audit.checks.noise import FEWEST, Change, Noisy, disagreements, law_of, unlawful
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import ROUNDED_M, Published
from incrowd.audit.verdict import Check, failed, idle, judged, passed, unasked, uncheckable
from incrowd.clock import DAY_MIN, minute_of_day
from incrowd.data import Visits
from incrowd.errors import IncrowdError
from incrowd.plain import several

NOISE, RULE = "noise", "rule"
TOO_FEW = "too few to find anything"
LEAST = {"10-5": 10, "11": 11, "15": 15, "20": 20}  # that each rule publishes
STEP = {"10-5": 5}

SAME_M = 0.01 + 2 * ROUNDED_M  # centres this close are the same cell
RANDOM = ("move_share", "regions")  # what was done to cells cannot be done again


class Truth(NamedTuple):
    """Published counts and those of the original, [slot, cell]."""

    n: NDArray[Any]
    most: Ints  # all visits
    is_exact: bool  # whether all visits were counted, each in its own cell
    visits: Ints  # in each slot
    people: Ints  # the same
    faults: list[str]


Judge = Callable[[Published, Truth | str], Check]


def noise(release: Published, original: Original | None) -> Check:
    """Parameters, sensitivity, scale and epsilon agree; with the original, published - true follows the stated law."""
    if release.noun != "Counts":
        return idle(NOISE, "only counts are published with noise.")
    given = release.parameters
    private = release.method == "DPCounts" or "epsilon" in release.claims
    if not private and given.get("noise_epsilon") is None:
        return idle(NOISE, "no noise is stated.")
    faults = list(disagreements(release)) if private else []
    if faults:
        return failed(NOISE, f"{'; '.join(faults)}.")
    if original is None:
        stated = "epsilon, sensitivity and scale are consistent as stated; " if private else ""
        return passed(NOISE, f"{stated}the noise itself needs an original.")
    return _as_counted(NOISE, release, original, _noise)


def _as_counted(name: str, release: Published, original: Original, judge: Judge) -> Check:
    """The judgement on the visits as they are, or else with their gaps filled, as the command line counts them."""
    if not isinstance(original, Visits):
        return uncheckable(name, "the original is not the visits that were counted.")
    first = judge(release, truth_of(release, original))
    if first.status != "fail" or (whole := without_gaps(original)) is None:
        return first
    other = judge(release, truth_of(release, whole))
    return other if other.status != "fail" and TOO_FEW not in other.evidence else first


def _noise(release: Published, truth: Truth | str) -> Check:
    if isinstance(truth, str):
        return uncheckable(NOISE, truth)
    given = release.parameters
    private = "scale" in given
    scale = float(given["scale"]) if private else 1 / float(given["noise_epsilon"])
    law = law_of(scale, laplace=not private or given.get("delta") == 0)
    counts = _noisy(release, truth, private=private)
    known = int(counts.known.sum())
    if known < FEWEST:
        return passed(NOISE, f"{several(known, 'true count is', 'true counts are')} known: {TOO_FEW}.")
    faults = list(
        dict.fromkeys([*truth.faults, *unlawful(counts, law), *_impossible(release, truth, counts, law.scale)])
    )
    smallest = f"a spread off by {7.5 / sqrt(known):.0%} is found with probability 0.99"
    return judged(NOISE, faults, f"noise of {several(known, 'count')} follows the stated law; {smallest}.")


def _noisy(release: Published, truth: Truth, *, private: bool) -> Noisy:
    given = release.parameters
    clipped = given.get("keep_negative") is False
    least, step = _rules(given)
    known = np.full(truth.n.shape, truth.is_exact) | (truth.most == 0 if private else False)
    return Noisy(truth.n, truth.most, known, _change(least, step, clipped=clipped), bool(least or step or clipped))


def _rules(given: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The smallest count that is published, and the step; a rule states both."""
    least, step, name = given.get("suppress_below"), given.get("round_to"), str(given.get("rule"))
    least = least if least is not None else LEAST.get(name)
    return (least if isinstance(least, int) else None), (step if isinstance(step, int) else STEP.get(name))


def _change(least: int | None, step: int | None, *, clipped: bool = False) -> Change:
    def change(n: NDArray[Any]) -> NDArray[Any]:
        n = np.maximum(n, 0) if clipped else n
        n = n if least is None else np.where(n < least, 0, n)
        return n if not step else np.floor_divide(2 * n + step, 2 * step) * step

    return change


def _impossible(release: Published, truth: Truth, counts: Noisy, scale: float) -> list[str]:
    """Where only some visits of a person count, all together are no more than all visits and no fewer than none."""
    if truth.is_exact or counts.is_changed or "scale" not in release.parameters:
        return []
    rest = ~counts.known
    chance = 5.2 * sqrt(2 * max(scale, 1) ** 2 * max(int(rest.sum()), 1))
    over = float(truth.n[rest].sum()) - float(truth.most[rest].sum())
    wrong = over > chance or float(truth.n[rest].sum()) < -chance
    return ["counts are larger than the visits to them, or below none"] if wrong else []


def rule(release: Published, original: Original | None) -> Check:
    """Counts keep the rules that the parameters state, and are the true ones under them where nothing is random."""
    if release.noun != "Counts":
        return idle(RULE, "only counts are published under a rule.")
    n, given = release.table.numbers["n"], release.parameters
    if original is None:
        faults = _unkept(n, given, *_stated(given))
        quiet = not faults and not _is_noised(given)
        return unasked(RULE, "no original is given.") if quiet else judged(RULE, faults, _kept(release))
    return _as_counted(RULE, release, original, _rule)


def _rule(release: Published, truth: Truth | str) -> Check:
    if isinstance(truth, str):
        return uncheckable(RULE, truth)
    n, given = release.table.numbers["n"], release.parameters
    least, step = _stated(given)
    faults = [*_unkept(n, given, least, step), *truth.faults]
    if _is_noised(given):
        return judged(RULE, faults, _kept(release))
    faults += _untrue(truth, least, step) if truth.is_exact else _beyond(truth, least, step)
    how = (
        "the true ones under the stated rule" if truth.is_exact else "no more than the visits and no fewer than people"
    )
    return judged(RULE, faults, f"{several(release.rows, 'count')} are {how}.")


def _stated(given: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The rules of counts, and those of a table of cell keys."""
    table = given.get("table") or given.get("cell_key")
    return _rules({"rule": table, "suppress_below": given.get("threshold"), **given} if table else given)


def _is_noised(given: Mapping[str, Any]) -> bool:
    return given.get("noise_epsilon") is not None or "epsilon" in given


def _kept(release: Published) -> str:
    return f"{several(release.rows, 'count')} keep what the parameters state."


def _unkept(n: NDArray[Any], given: Mapping[str, Any], least: int | None, step: int | None) -> list[str]:
    faults = []
    if step and (n % step != 0).any():
        faults.append(f"{several(int((n % step != 0).sum()), 'count is', 'counts are')} no multiple of {step}")
    small = (n > 0) & (n < least - (step or 0) / 2) if least is not None else n < n
    if small.any():
        faults.append(f"{several(int(small.sum()), 'count is', 'counts are')} below {least}")
    negative = given.get("keep_negative", True) is True and ("epsilon" in given or given.get("noise_epsilon"))
    if (n < 0).any() and (not negative or least is not None):
        faults.append(f"{several(int((n < 0).sum()), 'count is', 'counts are')} negative")
    if n.dtype.kind == "f":
        faults.append("counts are not whole numbers")
    return faults


def _untrue(truth: Truth, least: int | None, step: int | None) -> list[str]:
    wrong = int((_change(least, step)(truth.most) != truth.n).sum())
    return [f"{several(wrong, 'count is', 'counts are')} not the true one under the stated rule"] if wrong else []


def _beyond(truth: Truth, least: int | None, step: int | None) -> list[str]:
    """Counts whose cells nobody here can tell: in no slot more than visits, nor fewer than people."""
    total, slack = truth.n.sum(axis=1), truth.n.shape[1] * (step or 0) / 2
    wrong = total > truth.visits + slack
    if least is None:
        wrong |= total < truth.people - slack
    return (
        [f"{several(int(wrong.sum()), 'slot counts', 'slots count')} other people than were there"]
        if wrong.any()
        else []
    )


def truth_of(release: Published, original: Visits) -> Truth | str:
    """Count the original as the release does, or say why that cannot be."""
    n = _table(release)
    if isinstance(n, str):
        return n
    given = release.parameters
    private = "slots_per_person" in given
    cell, faults = _cells(release, original, private=private)
    slot, late = _slots(release, original, n.shape[0], private=private, cell=cell, n=n)
    faults = [*faults, *late]
    inside = (cell >= 0) & (slot >= 0) & (slot < n.shape[0])
    if not private and not inside.all():
        faults.append("visits lie outside the published cells and slots")
    owner = original.owner
    keys = np.unique(np.stack([owner[inside], slot[inside], cell[inside]]), axis=1)
    there = keys[:, keys[2] < n.shape[1]]
    most = np.bincount(there[1] * n.shape[1] + there[2], minlength=n.size).reshape(n.shape)
    exact = not any(given.get(name) for name in RANDOM) and (not private or _all_kept(keys, given))
    visits, people = (np.bincount(part[1], minlength=n.shape[0]) for part in (keys, np.unique(keys[:2], axis=1)))
    return Truth(n, most, exact, visits, people, faults)


def _table(release: Published) -> NDArray[Any] | str:
    cell, slot = (release.table.numbers[name].astype(np.int64) for name in ("cell", "slot"))
    shape = int(slot.max()) + 1, int(cell.max()) + 1
    if len(cell) != shape[0] * shape[1] or min(cell.min(), slot.min()) < 0:
        return "not every cell and slot is published."
    n = np.full(shape, np.iinfo(np.int64).min, release.table.numbers["n"].dtype)
    n[slot, cell] = release.table.numbers["n"]
    return n if (n > np.iinfo(np.int64).min).all() else "not every cell and slot is published."


def _cells(release: Published, original: Visits, *, private: bool) -> tuple[Ints, list[str]]:
    """The published cell of each visit, -1 for none, and what is wrong with their places."""
    own = original.cell.astype(np.int64)
    if original.xy is None or release.cells is None:
        return own, ["the places of the cells are not both known"]
    centres, region_m = release.cells[1], release.parameters.get("region_m")
    if private:
        from scipy.spatial import cKDTree

        apart, near = cKDTree(centres).query(np.nan_to_num(original.xy, nan=1e12))
        place = np.where(apart <= SAME_M, near, -1)[own]
        return place, [] if (place >= 0).any() else ["no published cell is where one of the original is"]
    if release.parameters.get("regions"):
        return own, []  # whose cells form a region is not said
    xy, number = original.xy, np.arange(len(original.xy))
    if region_m is not None:
        squares = np.floor(original.xy / float(region_m))
        number = np.unique(squares, axis=0, return_inverse=True)[1].ravel()
        size = np.bincount(number)
        xy = np.stack([np.bincount(number, axis) / size for axis in original.xy.T], axis=1)
    moved = xy.shape != centres.shape or not (np.abs(xy - centres) <= ROUNDED_M).all()
    return number[own], ["the cells are not where those of the original are"] if moved else []


def _slots(
    release: Published, original: Visits, slots: int, *, private: bool, cell: Ints, n: NDArray[Any]
) -> tuple[Ints, list[str]]:
    """The published slot of each visit, and what is wrong with the clock; the period of noisy counts is chosen."""
    slot_min, start_min = (release.clock.get(name) for name in ("slot_min", "start_min"))
    if slot_min is None or start_min is None or slot_min != original.slot_min:
        return original.slot.astype(np.int64), ["the slots are not as wide as those of the original"]
    begin = minute_of_day(original.start or 0, original.time_zone)
    if not private:
        off = original.start is not None and start_min != begin
        return original.slot.astype(np.int64), ["the slots do not begin when those of the original do"] if off else []
    reach = int(original.slot.max()) + 1
    firsts = [first for first in range(-slots + 1, reach) if (begin + first * slot_min - start_min) % DAY_MIN == 0]
    if not firsts:
        return original.slot.astype(np.int64), ["the slots do not begin when those of the original do"]
    best = max(firsts, key=lambda first: (_overlap(original.slot - first, cell, n), -abs(first)))
    return original.slot.astype(np.int64) - best, []


def _overlap(slot: Ints, cell: Ints, n: NDArray[Any]) -> float:
    """How much is published where the visits are."""
    inside = (slot >= 0) & (slot < n.shape[0]) & (cell >= 0)
    return float(n[slot[inside], cell[inside]].sum())


def _all_kept(keys: Ints, given: Any) -> bool:
    """Whether nobody has more slots, or more cells in one, than count."""
    slots, cells = given.get("slots_per_person"), given.get("cells_per_slot")
    if not keys.size:
        return True
    if slots is None or cells is None:
        return False
    pairs, times = np.unique(keys[:2], axis=1, return_counts=True)
    return bool(times.max() <= cells and np.bincount(pairs[0]).max() <= slots)


def without_gaps(original: Visits) -> Visits | None:
    """The visits with their gaps filled, as the command line counts them; None if there is none or it cannot be."""
    from incrowd.discretize import filled

    try:
        visits = filled(original)
    except IncrowdError:
        return None
    return None if visits is original else visits

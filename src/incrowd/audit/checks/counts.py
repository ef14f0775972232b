"""Are published counts those of the original, under the rules and the noise that are stated?"""

from collections.abc import Callable, Iterator, Mapping
from math import exp, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.audit.checks.counted import Truth, truth_of, without_gaps
from incrowd.audit.checks.noise import FEWEST, Change, Noisy, law_of, unlawful
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, failed, idle, judged, passed, unasked
from incrowd.data import Visits
from incrowd.plain import several

NOISE, RULE = "noise", "rule"
TOO_FEW = "too few to find anything"
LEAST = {"10-5": 10, "11": 11, "15": 15, "20": 20}  # that each rule publishes
STEP = {"10-5": 5}

Judge = Callable[[Published, Truth | str], Check]


def noise(release: Published, original: Original | None) -> Check:
    """Parameters, sensitivity, scale and epsilon agree; with the original, published - true follows the stated law."""
    if release.noun != "Counts":
        return idle(NOISE, "only counts are published with noise.")
    given = release.parameters
    private = release.method == "DPCounts" or "epsilon" in release.claims
    if not private and given.get("noise_epsilon") is None:
        return idle(NOISE, "no noise is stated.")
    faults = list(_disagreements(release)) if private else []
    if faults:
        return failed(NOISE, f"{'; '.join(faults)}.")
    if original is None:
        stated = "epsilon, sensitivity and scale are consistent as stated; " if private else ""
        return passed(NOISE, f"{stated}the noise itself needs an original.")
    return _as_counted(NOISE, release, original, _noise)


def _as_counted(name: str, release: Published, original: Original, judge: Judge) -> Check:
    """The judgement on the visits as they are, or else with their gaps filled, as the command line counts them."""
    if not isinstance(original, Visits):
        return failed(name, "cannot be checked, because the original is not the visits that were counted.")
    first = judge(release, truth_of(release, original))
    if first.status != "fail" or (whole := without_gaps(original)) is None:
        return first
    other = judge(release, truth_of(release, whole))
    return other if other.status != "fail" and TOO_FEW not in other.evidence else first


def _noise(release: Published, truth: Truth | str) -> Check:
    if isinstance(truth, str):
        return failed(NOISE, f"cannot be checked, because {truth}")
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


def _disagreements(release: Published) -> Iterator[str]:
    given, claims = release.parameters, release.claims
    names = ("epsilon", "delta", "slots_per_person", "cells_per_slot", "sensitivity", "scale")
    values = [given.get(name) for name in names]
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        yield "epsilon, delta, slots, cells, sensitivity and scale are not all stated"
        return
    epsilon, delta, slots, cells, sensitivity, scale = map(float, values)  # type: ignore[arg-type]
    if claims.get("unit") != "person":
        yield "the claim is not per person"
    laplace = given.get("mechanism") == "discrete laplace"
    if laplace != (delta == 0):
        yield "the mechanism does not fit delta"
    expected = 2 * slots * cells if laplace else sqrt(2 * slots * cells)
    if abs(sensitivity - expected) > 1e-9 * expected:
        yield "the sensitivity is not that of so many slots and cells per person"
    if laplace and (epsilon <= 0 or scale < sensitivity / epsilon * (1 - 1e-9)):
        yield "the scale is too small for epsilon"
    if not laplace and _gaussian_delta(sensitivity / scale if scale > 0 else np.inf, epsilon) > delta * (1 + 1e-3):
        yield "the scale is too small for epsilon and delta"


def _gaussian_delta(ratio: float, epsilon: float) -> float:
    """The delta of Gaussian noise at sensitivity / scale = ratio (Balle and Wang 2018, Theorem 8)."""
    from statistics import NormalDist

    if not np.isfinite(ratio):
        return 1.0
    below = NormalDist().cdf
    return below(ratio / 2 - epsilon / ratio) - exp(min(epsilon, 700)) * below(-ratio / 2 - epsilon / ratio)


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
        return failed(RULE, f"cannot be checked, because {truth}")
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

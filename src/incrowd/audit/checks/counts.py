"""Are published counts complete, and do noise and rules follow what is stated?"""

from collections.abc import Iterator
from math import exp, pi, sqrt

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import Published
from incrowd.audit.verdict import Check, failed, idle, judged, passed, unasked
from incrowd.data import Visits
from incrowd.plain import several

NOISE, RULE = "noise", "rule"
LIMIT = 5.2  # standard deviations that chance exceeds with a probability below 1e-6
SEEDS = 64  # small seeds whose noise is drawn again
FEWEST = 50


def noise(release: Published, original: Original | None) -> Check:
    """Parameters, sensitivity, scale and epsilon agree; with the original, published - true follows the stated law."""
    if release.noun != "Counts":
        return idle(NOISE, "only counts are published with noise.")
    if release.method != "DPCounts" and "epsilon" not in release.claims:
        return idle(NOISE, "no differential privacy is claimed.")
    faults = list(_disagreements(release))
    if faults:
        return failed(NOISE, f"{'; '.join(faults)}.")
    if original is None:
        return passed(
            NOISE, "epsilon, sensitivity and scale are consistent as stated; the noise itself needs an original."
        )
    if not isinstance(original, Visits):
        return failed(NOISE, "cannot be checked, because the original is not the visits that were counted.")
    return _residuals(release, original)


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


def _true_counts(release: Published, original: Visits) -> tuple[Ints, Ints] | str:
    """Published and true counts, cell by cell."""
    cell, slot = (release.table.numbers[name].astype(np.int64) for name in ("cell", "slot"))
    if len(cell) != (int(cell.max()) + 1) * (int(slot.max()) + 1) or min(cell.min(), slot.min()) < 0:
        return "not every cell and slot is published."
    width = int(cell.max()) + 1
    inside = (original.cell >= 0) & (original.cell < width) & (original.slot >= 0) & (original.slot <= slot.max())
    key = original.slot[inside].astype(np.int64) * width + original.cell[inside]
    true = np.bincount(key, minlength=width * (int(slot.max()) + 1))
    return release.table.numbers["n"], true[slot * width + cell]


def _residuals(release: Published, original: Visits) -> Check:
    """Kept visits are fewer than true ones, so that the mean is bounded from above and the spread from below."""
    counts = _true_counts(release, original)
    if isinstance(counts, str):
        return failed(NOISE, f"cannot be checked, because {counts}")
    published, true = counts
    empty = true == 0
    rest = (published - true)[empty].astype(np.float64)
    if len(rest) < FEWEST:
        return passed(NOISE, f"{several(len(rest), 'cell is', 'cells are')} empty: too few to find anything.")
    faults = list(_unlawful(rest, float(release.parameters["scale"]), laplace=release.parameters.get("delta") == 0))
    grid = {int(k): int((published % k == 0).all()) for k in (5, 10)}
    faults += ["published counts are rounded"] if any(grid.values()) and float(release.parameters["scale"]) > 1 else []
    if len(np.unique(rest)) <= 1:
        faults.append("the noise is the same everywhere")
    return judged(NOISE, faults, f"noise of {several(len(rest), 'empty cell')} follows the stated law.")


def _unlawful(rest: Floats, scale: float, *, laplace: bool) -> Iterator[str]:
    """Mean and mean square of noise off their law by more than chance, clipped noise, and noise of small seeds."""
    p = exp(-1 / scale) if laplace else 0.0
    variance = 2 * p / (1 - p) ** 2 if laplace else scale**2
    size = 2 * p / (1 - p * p) if laplace else scale * sqrt(2 / pi)  # its mean absolute value
    if abs(rest.mean()) > LIMIT * sqrt(variance / len(rest)):
        yield "the mean of the noise is not 0"
    if abs(np.abs(rest).mean() - size) > LIMIT * sqrt((variance - size**2) / len(rest)) + 0.1:
        yield "the spread of the noise is not that of the stated scale"
    half = len(rest) // 2
    if half > FEWEST and (rest[:half] == rest[half : 2 * half]).all():
        yield "the noise repeats itself between cells"
    for seed in range(SEEDS):
        waits = np.random.default_rng(seed).geometric(1 - p, (2, len(rest))) if laplace else None
        if waits is not None and np.array_equal(waits[0] - waits[1], rest):
            yield "the noise can be drawn again from a small seed"
            return


def rule(release: Published, original: Original | None) -> Check:
    """Counts keep the rules that the parameters state: none below the smallest, all multiples of the step."""
    if release.noun != "Counts":
        return idle(RULE, "only counts are published under a rule.")
    n, given = release.table.numbers["n"], release.parameters
    step, least = given.get("round_to"), given.get("suppress_below")
    faults = []
    if isinstance(step, int) and step > 0 and (n % step != 0).any():
        faults.append(f"{several(int((n % step != 0).sum()), 'count is', 'counts are')} no multiple of {step}")
    small = (n > 0) & (n < least) if isinstance(least, (int, float)) and not isinstance(step, int) else None
    if small is not None and small.any():
        faults.append(f"{several(int(small.sum()), 'count is', 'counts are')} below {least}")
    if isinstance(original, Visits) and _only_noise(release):
        faults += _noise_of(release, original, float(given["noise_epsilon"]))
    noised = any(
        given.get(name) is not None for name in ("noise_epsilon", "move_share", "region_m", "epsilon", "regions")
    )
    if isinstance(original, Visits) and not noised:
        faults += _differing(release, original, step, least)
    elif original is None and not faults and not noised:
        return unasked(RULE, "no original is given.")
    if not noised and not faults and isinstance(original, Visits):
        return passed(RULE, f"{several(release.rows, 'count')} are the true ones under the stated rule.")
    return judged(RULE, faults, f"{several(release.rows, 'count')} keep what the parameters state.")


def _only_noise(release: Published) -> bool:
    """Whether noise is all that was done to the counts."""
    done = {name for name, value in release.parameters.items() if value not in (None, False) and name != "method"}
    return done == {"noise_epsilon"} and 0 < float(release.parameters["noise_epsilon"]) < np.inf


def _noise_of(release: Published, original: Visits, epsilon: float) -> list[str]:
    counts = _true_counts(release, original)
    if isinstance(counts, str):
        return [counts.rstrip(".")]
    rest = (counts[0] - counts[1]).astype(np.float64)
    return list(_unlawful(rest, 1 / epsilon, laplace=True)) if len(rest) >= FEWEST else []


def _differing(release: Published, original: Visits, step: object, least: object) -> list[str]:
    counts = _true_counts(release, original)
    if isinstance(counts, str):
        return [counts.rstrip(".")]
    published, true = counts
    made = np.where(true < least, 0, true) if isinstance(least, (int, float)) else true
    if isinstance(step, int) and step > 0:
        made = (2 * made + step) // (2 * step) * step
    wrong = int((made != published).sum())
    return [f"{several(wrong, 'count is', 'counts are')} not the true one under the stated rule"] if wrong else []

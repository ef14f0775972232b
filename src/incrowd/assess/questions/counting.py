"""Published counts: are trajectories reconstructed, is somebody known to be among those counted, how small are they?"""

from collections.abc import Mapping
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np

from incrowd.anonymize import counts as publish
from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, Inapplicable, Misled, Number, Question
from incrowd.attack import membership, recover, recovery_score, repair
from incrowd.attack.membership.channel import AFTER, BEFORE
from incrowd.attack.membership.counted import at_published_grain
from incrowd.attack.membership.result import FALSE
from incrowd.attack.recover.guesses import positions
from incrowd.audit.checks.counts import without_gaps
from incrowd.data import Counts, Visits
from incrowd.discretize import counts, filled
from incrowd.errors import DataError
from incrowd.measure.uniqueness.question import wilson
from incrowd.plain import percent, several

TARGETS, GROUPS = 500, 4  # people asked about, and replacements of each
# Seconds on one core, from benchmarks/estimates.py: to load kernels, per person and slot, per move of a person from
# one slot to the next, per visit of a target. Bytes: per person and slot, and per visit that is counted.
LOAD_S, POINT_S, MOVE_S, TARGET_S = 0.7, 2.2e-6, 7e-6, 1.8e-6
POINT_BYTES, VISIT_BYTES = 80, 40
TRIES, NEAR = 5, 0.9  # counts changed as stated, and how much less the published ones may be
CHANNELS = (*BEFORE, *AFTER, "rule")


def mitigation_of(params: Mapping[str, Any]) -> dict[str, Any]:
    """What was done to counts, by the keywords of `anonymize.counts`, as the parameters of a release state it."""
    if params.get("regions"):
        raise DataError("the release does not say which cells make a region, so the attack cannot be run")
    if params.get("rule"):
        return {"rule": params["rule"]}
    steps = {name: params[name] for name in CHANNELS if params.get(name) is not None}
    if params.get("epsilon") is not None:
        steps |= {"dp_epsilon": params["epsilon"], "dp_delta": params.get("delta") or 0.0}
    if params.get("table") is not None:
        steps["cell_key"] = params["table"]
    return steps


def membership_finding(data: Dataset, reference: Visits | Counts | None = None) -> Finding:
    """Whether somebody is known to be among the people counted.

    Args:
        data: What is assessed.
        reference: What was published before, if the attacker knows from it how many people are usual where.
    """
    steps = mitigation_of(data.params)
    _check_stated(data, steps)
    how: dict[str, Any] = {"targets": TARGETS, "groups": GROUPS, "seed": data.seed, "reference": reference}
    result = membership(data.visits, mitigation=steps or None, **how)
    if result.auc is None:
        raise DataError("membership could not be scored")
    epsilon, delta = data.guaranteed
    bounds = (None, None) if epsilon is None else (_auc_bound(epsilon, delta), exp(epsilon) * FALSE + delta)
    numbers = [
        Number(
            limit="membership",
            what="area under the curve (0.5 is chance)",
            value=_below(result.auc, bounds[0]),
            interval=result.interval,
            cap=bounds[0],
        )
    ]
    if result.tpr_at_1pct is not None:
        numbers.append(
            Number(
                limit="membership_1pct",
                what="found at 1 % false alarms",
                value=_below(result.tpr_at_1pct, bounds[1]),
                interval=wilson(result.tpr_at_1pct, result.asked),
                cap=bounds[1],
            )
        )
    promised = "" if epsilon is None else f"the audited guarantee allows {bounds[0]:.3f} at most"
    return Finding(
        judged=tuple(numbers),
        number=f"{result.auc:.3f} (of {several(result.asked, 'person', 'people')} asked about, 0.5 is chance)",
        numbers=result.to_dict(),
        results=(result,),
        note="; ".join(filter(None, (promised, "visits are taken as independent"))),
        chance=0.5,
    )


def _check_stated(data: Dataset, steps: Mapping[str, Any]) -> None:
    """Refuse to believe in noise or moves that the published counts do not show."""
    if "dp_epsilon" in steps:
        if data.doubtful_noise:
            raise DataError(f"{data.doubtful_noise}, so the attack cannot be told what was done to the counts")
    elif "noise_epsilon" in steps or "move_share" in steps:
        grain = {name: value for name, value in steps.items() if name not in BEFORE or name == "move_share"}
        visits = at_published_grain(data.visits, {name: steps[name] for name in steps if name not in grain})
        for people in (visits, without_gaps(visits)):
            if people is not None and _changed(data.published, people) < NEAR * min(
                _changed(publish(people, **grain, seed=seed).data, people) for seed in range(TRIES)
            ):
                raise DataError(
                    "the counts are nearer to the true ones than the stated noise and moves would leave them"
                )


def _changed(published: Any, visits: Visits) -> float:
    """People who are counted elsewhere than they were, or not at all."""
    true = counts(visits).n
    return float(np.abs(published.n - true).sum()) if true.shape == published.n.shape else np.inf


def _below(value: float, bound: float | None) -> float:
    """Of measured and proven the smaller."""
    return value if bound is None else min(value, bound)


def _auc_bound(epsilon: float, delta: float) -> float:
    """What no attacker exceeds under differential privacy of one person replaced by another."""
    return 1 - (1 - delta) ** 2 / (1 + exp(epsilon))


def _positions(data: Dataset) -> Finding:
    published = data.published
    epsilon, delta = data.guaranteed
    if epsilon is not None and data.params.get("slots_per_person") == 1:
        raise Inapplicable("each person is in one slot at most, so no trajectory is in these counts")
    people = _people(data, published)
    repaired = repair(published, users=len(people))
    recovered = recover(repaired, seed=data.seed)
    score = recovery_score(recovered, people)
    guessed = positions(recovered, repaired, people, pairing="global", seed=data.seed)
    static, control, value = guessed.guesses["everyone static"], guessed.control, guessed.advantage
    right = percent(score.accuracy)
    note = f"{right} of positions reconstructed correctly ({percent(static)} by assuming that nobody moves)"
    if guessed.misled:
        if epsilon is None:
            raise Misled(f"{note}; the attack does worse than no attack, so it was misled, which protects nobody")
        value = min(exp(epsilon) * control + delta, 1 - exp(-epsilon) * (1 - control))
        value = (value - control) / (1 - control) if control < 1 else 0.0
        note += "; the bound of the audited guarantee is judged"
    return Finding(
        judged=(Number(limit="counts", what="advantage over the guess from another day", value=value),),
        number=f"{percent(value)} (advantage; {right} of positions of {several(len(people), 'person', 'people')})",
        numbers={"accuracy": score.accuracy, "static": static, "control": control, "advantage": value},
        results=(recovered, score),
        note=note,
        chance=static,
        control=control,
    )


def _people(data: Dataset, published: Counts) -> Visits:
    """Everybody in one cell in every slot, in the cells and slots that are published."""
    people = filled(at_published_grain(data.one_cell_per_slot, mitigation_of(data.params)))
    if people.slot_min != published.slot_min or int(people.slot.max()) + 1 != len(published.n):
        raise DataError("the counts are of other slots than the data; give the visits that were counted")
    return people


def _smallest(data: Dataset) -> Finding:
    if data.guaranteed[0] is not None:
        raise Inapplicable("the noise is a guarantee that the audit recomputed")
    if data.params.get("scale"):
        raise DataError(f"{data.doubtful_noise}, so it does not stand in for a smallest count")
    published = data.published
    true = counts(at_published_grain(data.visits, mitigation_of(data.params))).n
    if true.shape != published.n.shape:
        raise DataError("the counts are of other cells or slots than the data; give the visits that were counted")
    behind = true[published.n > 0]
    if not behind.size:
        raise Inapplicable("no count above 0 is published")
    least = int(behind.min())
    small = int((behind < 11).sum())
    return Finding(
        judged=(
            Number(limit="smallest_count", what="people behind the smallest published count", value=Fraction(least)),
        ),
        number=f"{least:,} ({small:,} of {several(int(behind.size), 'published count')} below 11)",
        numbers={"smallest": least, "below_11": small, "published": int(behind.size)},
    )


def _no_counts(data: Dataset) -> str:
    return "" if data.publishes_counts else "no counts are published"


def _points(data: Dataset) -> int:
    """Positions to be reconstructed: of everybody in every slot."""
    return len(data.visits) * (int(np.ptp(data.visits.slot)) + 1)


def _points_s(data: Dataset) -> float:
    cell, owner = data.visits.cell, data.visits.owner
    moves = int(((cell[1:] != cell[:-1]) & (owner[1:] == owner[:-1])).sum())
    return LOAD_S + POINT_S * _points(data) + MOVE_S * moves


COUNTS = Question(
    name="counts",
    about="inference",
    asks="Can trajectories be reconstructed from counts?",
    attacker=lambda _: (
        "The attacker sees how many people were in each cell in each slot, and where the cells are, and nothing else"
    ),
    seconds=_points_s,
    memory=lambda data: POINT_BYTES * _points(data),
    run=_positions,
    lacks=_no_counts,
)
MEMBERSHIP = Question(
    name="membership",
    about="membership",
    asks="Can somebody be known to be among the people counted?",
    attacker=lambda _: (
        "The attacker knows all visits of a person and how counts were changed, and asks whether the person is among "
        "those counted"
    ),
    seconds=lambda data: LOAD_S + TARGET_S * TARGETS * GROUPS * data.visits.records / max(len(data.visits), 1),
    memory=lambda data: VISIT_BYTES * data.visits.records,
    run=membership_finding,
    lacks=_no_counts,
)
SMALLEST_COUNT = Question(
    name="smallest_count",
    about="membership",
    asks="How many people are behind the smallest published count?",
    attacker=lambda _: "No attacker: the smallest true count behind a published number above 0",
    seconds=lambda _: 0.1,
    memory=lambda data: VISIT_BYTES * data.visits.records,
    run=_smallest,
    lacks=_no_counts,
)

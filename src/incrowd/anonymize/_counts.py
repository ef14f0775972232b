"""Visits or counts -> a release of counts after the steps asked for, in a fixed order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from incrowd.anonymize.cell_key import CellKey, Table
from incrowd.anonymize.count_steps import noise_counts, perturb_points, round_counts, suppress_small, to_regions
from incrowd.anonymize.dp_counts import DPCounts, refuse_own
from incrowd.data import Counts, Groups, Release, Visits
from incrowd.data.visits import centres_of
from incrowd.discretize._counts import counts as count
from incrowd.errors import ParameterError, check_choice, check_positive, check_share, check_whole, public
from incrowd.ledger import Ledger

Rule = Literal["10-5", "11", "15", "20"]
STEPS = ("move_share", "region", "region_m", "dp_epsilon", "cell_key", "noise_epsilon", "suppress_below", "round_to")
BEFORE = STEPS[:5]  # need the visits behind the counts
HEURISTIC = "none (heuristic): counts were changed as the parameters state; a person is in many counts."


@dataclass(frozen=True)
class Preset:
    """A rule that somebody publishes by, and who."""

    options: Mapping[str, Any]
    source: str


RULES: dict[Rule, Preset] = {
    "10-5": Preset(
        {"cell_key": "10-5", "suppress_below": 10, "round_to": 5},
        "UK Office for National Statistics, package cell-key-perturbation",
    ),
    "11": Preset({"suppress_below": 11}, "US Centers for Medicare & Medicaid Services, cell size suppression policy"),
    "15": Preset({"suppress_below": 15}, "Statistics Netherlands, mobile phone metadata pilot, 2020"),
    "20": Preset({"suppress_below": 20}, "Swisscom, mobility analyses for the Swiss health authority, 2020"),
}


@public
def counts(
    data: Visits | Counts,
    *,
    rule: Rule | None = None,
    move_share: float | None = None,
    region: ArrayLike | None = None,
    region_m: float | None = None,
    dp_epsilon: float | None = None,
    dp_delta: float = 0.0,
    slots_per_person: int | None = None,
    cells_per_slot: int = 1,
    cells: ArrayLike | None = None,
    slots: tuple[int, int] | None = None,
    cell_key: Table | None = None,
    noise_epsilon: float | None = None,
    suppress_below: int | None = None,
    round_to: int | None = None,
    seed: int | None = None,
) -> Release:
    """How many people are where and when, as a release: each step that is given, in the order of the arguments.

    Noise of `noise_epsilon` protects one count, not a person who is in many: with noise of epsilon 1 in each of 80
    hours of counts of 100 people, an attacker who knows somebody's visits finds out whether they are in with an AUC of
    0.98, where 0.5 is chance (`attack.membership`). `dp_epsilon` protects a person.

    Args:
        data: Visits to count, or counts made already, for which only the steps from `noise_epsilon` on are possible.
        rule: A published rule instead of steps: "10-5" (UK statistics office: none below 10, multiples of 5), "11"
            (US health authority), "15" (Dutch statistics office) or "20" (Swisscom): none below that number.
        move_share: Move this share of the points at everybody's two top places to a cell nearby.
        region: One label for each cell; people are then counted by label.
        region_m: Count in square regions of this side, in metres.
        dp_epsilon: Differential privacy per person with this epsilon, as `DPCounts`; needs slots_per_person, cells and
            slots.
        dp_delta: Probability with which dp_epsilon may be exceeded.
        slots_per_person: Slots that a person counts in at most, with dp_epsilon.
        cells_per_slot: Cells that a person counts in at most in a slot, with dp_epsilon.
        cells: Centres of all published cells in metres, not from the data, with dp_epsilon.
        slots: First slot and number of slots published, not from the data, with dp_epsilon.
        cell_key: Change counts by cell keys with this table, as `CellKey`.
        noise_epsilon: Add two-sided geometric noise of this epsilon to every count.
        suppress_below: Publish smaller counts as 0.
        round_to: Publish the nearest multiple of this.
        seed: Seed of moves and noise, for tests; anyone who knows it can subtract the noise. Refused with dp_epsilon
            and cell_key.

    >>> exact = Counts.from_arrays([[25, 4]], xy=[[0, 0], [1, 0]])
    >>> counts(exact, rule="11").data.n.tolist(), counts(exact, suppress_below=3, round_to=10).data.n.tolist()
    ([[25, 0]], [[30, 0]])
    """
    given = {name: value for name, value in locals().items() if name in STEPS and value is not None}
    if rule is not None:
        check_choice("rule", rule, tuple(RULES))
        if given:
            raise ParameterError(f"the rule {rule} says what to do; leave {', '.join(sorted(given))} out.")
        given = dict(RULES[rule].options)
    _check(data, given, seed)
    bound = {"slots_per_person": slots_per_person, "cells_per_slot": cells_per_slot, "delta": dp_delta}
    made = _made(data, given, bound, cells, slots, seed)
    changed: Any = made.data
    private = () if changed.ledger.steps else made.ledger.steps  # what noise hides stays out of the data
    if "noise_epsilon" in given:
        changed = noise_counts(changed, epsilon=given["noise_epsilon"], seed=seed)
    if "suppress_below" in given:
        changed = suppress_small(changed, k=given["suppress_below"])
    if "round_to" in given:
        changed = round_counts(changed, to=given["round_to"])
    if set(given) == {"dp_epsilon"} or (set(given) == {"cell_key"} and rule is None):
        return made
    stated = {name: value for name, value in given.items() if name not in ("region", "cell_key" if rule else "")}
    stated |= ({"regions": True} if "region" in given else {}) | ({"rule": rule} if rule else {})
    seeded = {"seed_given": True} if seed is not None else {}
    return Release(
        changed,
        Groups.nobody(),
        params={**(made.params if made.claims else {}), "method": "Counts", **stated, **seeded},
        guarantee=made.guarantee if made.claims else HEURISTIC,
        claims=made.claims,
        ledger=Ledger((*private, *changed.ledger.steps)),
    )


def _check(data: Visits | Counts, given: Mapping[str, Any], seed: int | None) -> None:
    """Refuse steps that have no meaning, or do not go with each other or with these data."""
    check_whole(**{name: given[name] for name in ("suppress_below", "round_to") if name in given})
    check_positive(**{name: given[name] for name in ("region_m", "dp_epsilon") if name in given})
    check_share(**{name: given[name] for name in ("move_share",) if name in given})
    needy = [name for name in BEFORE if name in given]
    if needy and isinstance(data, Counts):
        raise ParameterError(f"{needy[0]} needs the visits before people are counted; give trajectories or visits.")
    if "dp_epsilon" in given and "cell_key" in given:
        raise ParameterError("cell_key changes true counts and dp_epsilon adds noise to them; leave one of them out.")
    if seed is not None and ("dp_epsilon" in given or "cell_key" in given):
        raise ParameterError(
            "seed must be None with dp_epsilon or cell_key, because anyone who knows it knows the noise."
        )


def _made(
    data: Visits | Counts,
    given: Mapping[str, Any],
    bound: dict[str, Any],
    cells: ArrayLike | None,
    slots: tuple[int, int] | None,
    seed: int | None,
) -> Release:
    """People counted, with differential privacy, cell keys or as they are."""
    if isinstance(data, Counts):
        return Release(data, Groups.nobody(), ledger=data.ledger)
    if "move_share" in given:
        data = perturb_points(data, share=given["move_share"], seed=seed)
    if "dp_epsilon" in given:
        if bound["slots_per_person"] is None or cells is None or slots is None:
            raise ParameterError(
                "dp_epsilon needs slots_per_person, and cells and slots that do not come from the data (--towers, "
                "--box or --zones, and --start and --days)."
            )
        cells = centres_of(cells)
        refuse_own(data, cells)
    for name, side in (("region", "region"), ("region_m", "cell_m")):
        if name in given:
            data, cells = _in_regions(data, cells, **{side: given[name]})
    if "dp_epsilon" in given and cells is not None and slots is not None:
        return DPCounts(epsilon=given["dp_epsilon"], **bound)(data, cells=cells, slots=slots)
    if "cell_key" in given:
        return CellKey(table=given["cell_key"])(data)
    exact = count(data)
    return Release(exact, Groups.nobody(), ledger=exact.ledger)


def _in_regions(data: Visits, cells: ArrayLike | None, **regions: Any) -> tuple[Visits, ArrayLike | None]:
    """Visits to regions and, if cells are given, the regions of all of them."""
    if cells is not None and (data.xy is None or not np.array_equal(data.xy, cells)):
        raise ParameterError(
            "with regions, cells must be those of the visits (xy), as one label or square is found for each."
        )
    grouped = to_regions(data, **regions)
    return grouped, None if cells is None else grouped.xy

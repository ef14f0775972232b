"""Recovery from counts as sections: what was reconstructed, at what cost, and how much of it is true."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Flags, Floats, Ints
from incrowd.data import Visits
from incrowd.plain import in_words, percent, several
from incrowd.show import Bars, Cdf, Result, Section, Table, curve

if TYPE_CHECKING:
    from incrowd.attack.recover.score import RecoveryScore

STAGES = {"night": "nights", "day": "days", "whole": "all days linked"}
MM = 1e-3  # metres: a smaller gap is rounding
PARAMS = ("method", "theta_m", "seed", "slot_min")
ATTACK = (
    "Each slot is linked with the next by the assignment of least total distance between predicted and published "
    "places: by night people stay, by day they keep their velocity; days are linked by the least information gain. "
    "Nothing but the counts and the places of the cells is used [xu2017, Sec. 4]."
)
BOUND = (
    "The lower bound is the dual value of the optimal assignment: the gap says by how much a better link could be "
    "cheaper at most. A cheap link is not a true one."
)
SHORTCUT = (
    "Differs from that: pairs nearer than theta_m are joined first, the nearest before the others, and only the rest "
    "at the optimum, the shortcut of [xu2017, Sec. 4.3]; the gap says what it costs at most."
)
PAIRED = (
    "Reconstructed trajectories have no names: each is compared with one original. Nights and days are paired anew, "
    "day by day, and their shares averaged [xu2017, Eqs. 5 and 6]."
)
UNIQUE = "A trajectory is unique at k if no other one has the same set of k most visited cells."


def recovered_section(result: "Recovered") -> Section:
    """What was reconstructed from counts."""
    users, slots = result.cells.shape
    shortcut = [SHORTCUT] if result.method == "threshold" else []
    moved = float((result.cells[:, 1:] != result.cells[:, :-1]).mean()) if slots > 1 else 0.0
    values = {name: getattr(result, name) for name in PARAMS}
    options = [f"{name} = {value}" for name, value in values.items() if value is not None]
    return Section(
        question="Which trajectories can be reconstructed from the published counts?",
        answer=f"A trajectory was reconstructed for each of {several(users, 'person', 'people')} over "
        f"{several(result.days, 'day')}; they change cell in {percent(moved)} of the slots. {_certified(result)}",
        number=f"{users:,}",
        number_of="trajectories that fit the counts, whether they are right or not",
        tables=[_costs(result)],
        method=[ATTACK, *shortcut, BOUND],
        options=", ".join([*options, f"{in_words(result.seconds)} on {result.machine}"]),
        data={name: getattr(result, name) for name in (*PARAMS, "costs", "bounds", "gains", "gain_bounds")},
    )


def _certified(result: "Recovered") -> str:
    if result.method == "threshold":
        return f"The shortcut makes a link of two slots longer than its optimum by at most {result.gap:.2g} m."
    gap = "1 mm" if result.gap < MM else f"{result.gap:.2g} m"
    return f"Every link of two slots is proven to be the shortest in total, to {gap}."


def _costs(result: "Recovered") -> Table:
    """One row for each day: what its links cost, how far from optimal they can be, and the link to the next day."""
    gains = [f"{gain:,.2f}" for gain in result.gains] + ["-"]
    rows = [
        (
            str(day + 1),
            f"{cost.sum() / 1000:,.3f}",
            f"{bound.sum() / 1000:,.3f}",
            f"{(cost - bound).max(initial=0):.2g}",
            gain,
        )
        for day, (cost, bound, gain) in enumerate(zip(result.costs, result.bounds, gains, strict=True))
    ]
    head = ("day", "cost (km)", "lower bound (km)", "largest gap of a link (m)", "gain to the next day (bits)")
    return Table(head, rows, "Total cost of the links of each day, with its certificate.")


def score_section(result: "RecoveryScore") -> Section:
    """How much of what was reconstructed is true."""
    top = result.uniqueness.get(2, float("nan"))
    return Section(
        question="How many positions are reconstructed correctly?",
        answer=f"{percent(result.accuracy)} of the positions of {several(result.users, 'person', 'people')} are "
        f"reconstructed correctly ({percent(result.stages['night'])} within a night, {percent(result.stages['day'])} "
        f"within a day); {percent(result.far)} are more than 1 km off. Their two most visited cells identify "
        f"{percent(top)} of the reconstructed trajectories.",
        number=percent(result.accuracy),
        number_of="of positions reconstructed correctly",
        panels=[_stages(result), _errors(result), _uniqueness(result)],
        tables=[_uniqueness_table(result)],
        method=[PAIRED, UNIQUE],
        options=f"{_n(result)}, {in_words(result.seconds)} on {result.machine}",
        data={"score": result},
    )


def _stages(result: "RecoveryScore") -> Bars:
    labels = tuple(f"#{i} {name}" for i, name in enumerate(STAGES.values(), 1))
    shares = [result.stages[stage] for stage in STAGES]
    caption = f"Accuracy by stage ({_n(result)})."
    return Bars("recovery-stages", labels, {"": shares}, "share of positions reconstructed", caption, share=True)


def _errors(result: "RecoveryScore") -> Cdf:
    caption = f"Distance from the true position ({_n(result)}); {percent(result.accuracy)} are exact."
    return Cdf("recovery-error", "error (km)", "points", (curve("points", result.errors / 1000),), caption)


def _uniqueness(result: "RecoveryScore") -> Bars:
    both = {"reconstructed": result.uniqueness, "original": result.original_uniqueness["set"]}
    caption = f"Uniqueness of the top k cells as a set (n = {result.users:,} people)."
    return Bars(
        "recovery-uniqueness",
        tuple(map(str, result.uniqueness)),
        {name: list(shares.values()) for name, shares in both.items()},
        "share of people identified",
        caption,
        x="most visited cells known",
        share=True,
    )


def _uniqueness_table(result: "RecoveryScore") -> Table:
    rows = [
        (rule, str(k), percent(share), percent(result.original_uniqueness[rule][k]))
        for rule, shares in result.uniqueness_by.items()
        for k, share in shares.items()
    ]
    return Table(("match", "top k", "reconstructed", "original"), rows, "Share identified by the top k cells.")


def _n(result: "RecoveryScore") -> str:
    return f"n = {result.users:,} people in {result.slots:,} slots, pairing '{result.pairing}'"


@dataclass(frozen=True, eq=False, repr=False)
class Recovered(Result):
    """One trajectory per person, the total cost of each step, and a bound below every other way to take that step."""

    cells: Ints  # [user, slot]
    costs: Floats  # [day, slots of a day - 1] metres, all people together
    bounds: Floats  # likewise; those of the optimum with method "threshold" too
    gains: Floats  # [days - 1] bits, all people together
    gain_bounds: Floats  # likewise
    xy: Floats  # [cell, 2] metres
    slot_min: int
    night: Flags  # which slots of a day begin by night
    method: str
    theta_m: float | None
    seed: int | None
    seconds: float = 0.0
    machine: str = ""

    @property
    def gap(self) -> float:
        """The most metres by which any link of two slots may exceed its optimum.

        In theory 0, else rounding; with method "threshold" what the shortcut costs.
        """
        return float((self.costs - self.bounds).max(initial=0.0))

    @property
    def gain_gap(self) -> float:
        """The most bits by which any link of two days may exceed its optimum."""
        return float((self.gains - self.gain_bounds).max(initial=0.0))

    @property
    def days(self) -> int:
        """Days recovered, each on its own, then joined."""
        return len(self.costs)

    def section(self) -> Section:
        """What was reconstructed from counts."""
        return recovered_section(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON, without the trajectories."""
        names = ("method", "theta_m", "seed", "slot_min", "days", "gap", "gain_gap", "seconds", "machine")
        return {"users": len(self), "slots": self.cells.shape[1], **{name: getattr(self, name) for name in names}}

    def columns(self) -> Mapping[str, Any]:
        """A row for each person and slot: the cell."""
        visits = self.visits()
        return {"user": visits.owner, "slot": visits.slot, "cell": visits.cell}

    def visits(self) -> Visits:
        """The recovered people as if they had been observed, user i being row i."""
        users, slots = self.cells.shape
        user, slot = np.repeat(np.arange(users), slots), np.tile(np.arange(slots), users)
        return Visits.from_arrays(user, self.cells.ravel(), slot, xy=self.xy, slot_min=self.slot_min)

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        users, slots = self.cells.shape
        return f"Recovered(users={users:,}, slots={slots:,}, method={self.method!r}, gap={self.gap:.1g} m)"

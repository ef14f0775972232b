"""Mitigations: what attackers learn from counts published in each way, and which way loses least detail."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

from incrowd.assess.limits import DEFAULTS, OldName
from incrowd.attack.membership.result import FALSE
from incrowd.attack.recover.guesses import CONTROL, Positions
from incrowd.plain import percent, plain, several
from incrowd.show import Line, Lines, Result, Section, Table

IN_WORDS = {
    "none": "counts as they are",
    "noise": "noise, epsilon {:g} per count",
    "suppress": "counts below {:g} suppressed",
    "round": "rounded to multiples of {:g}",
    "move": "{:.0f} % of positions at the top places moved",
    "space": "regions of {:,g} m",
    "regions": "{:g} given regions",
    "time": "slots of {:g} min",
    "dp": "DPCounts, epsilon {:g} per person, one slot each",
}
NAMES = {
    "noise": "noise",
    "suppress": "small counts suppressed",
    "round": "rounding",
    "move": "positions moved",
    "space": "square regions",
    "regions": "given regions",
    "time": "longer slots",
    "dp": "noise for a person",
}
MISLEADS = (
    "noise",
    "move",
)  # the attack on positions is not told of them, and no guarantee for a person comes with them
AUC, NAMED, SMALLEST = (DEFAULTS[name] for name in ("membership", "membership_1pct", "smallest_count"))
LIMITS = f"membership AUC {AUC} and {NAMED} named rightly at 1 % wrongly, smallest count {SMALLEST}"
LOSS = (
    "Loss is sum |published - P| / sum P over cells and slots: 0 % for exact counts, 100 % if nothing is published. "
    "The people of a region are spread evenly over its cells, those of a long slot are counted in each slot inside it."
)
ACCURACY = (
    "Accuracy is the share of all people and slots whose cell is reconstructed correctly, after reconstructed and "
    "original trajectories are paired; for regions and longer slots it is about these, so being right says less "
    "[xu2017, Sec. 5]."
)
GUESSES = (
    "Guesses leave everyone where the first slot counts them, or hand out the records of each slot at random. They are "
    "made from the same counts, repaired and scored like the attack. The dashed lines are guesses from the counts as "
    "they are."
)
ATTACKER = (
    "The attacker on positions knows the counts, where cells are and how many people there are; counts that do not add "
    "up are repaired first. One who models the noise may do better: these are measurements, no guarantees."
)
ASKED = (
    "The attacker on membership knows a person's visits and the method, and tells whether the person was counted: the "
    "upper end of the 95 % interval of the AUC is judged, and of the share named rightly at 1 % named wrongly if 250 "
    "people or more were asked about. For DPCounts the bounds of its guarantee are judged if they are lower."
)
JUDGED = (
    "Recommended is only what is within all limits. Noise per count and moves are not: they protect a count or mislead "
    "one attack, and not a person. Nor are counts that are unchanged, nothing published, or counts further from the "
    "truth than nothing (a loss of 100 % or more). The smallest count is the smallest true count behind a published "
    "number above 0; it does not apply to DPCounts, whose noise is a guarantee."
)


@dataclass(frozen=True)
class MembershipRisk:
    """How well an attacker tells who was counted: AUC with its upper end, and the share named at 1 % false ones."""

    auc: float
    auc_high: float
    named: float | None  # None if too few people were asked about
    named_high: float | None

    def missed(self) -> list[str]:
        """What is above its limit."""
        above = [f"membership AUC up to {self.auc_high:.2f}"] if AUC.exceeded(self.auc_high) else []
        if self.named_high is not None and NAMED.exceeded(self.named_high):
            above.append(f"up to {percent(self.named_high)} of people named at 1 % wrongly")
        return above


def dp_bounds(epsilon: float) -> tuple[float, float]:
    """Largest AUC, and share named rightly at 1 % wrongly, under differential privacy of a person.

    >>> [round(bound, 4) for bound in dp_bounds(0.4)]
    [0.5987, 0.0149]
    """
    return 1 - 1 / (1 + exp(epsilon)), min(exp(epsilon) * FALSE, 1.0)


@dataclass(frozen=True)
class Outcome:
    """One way to publish: what attackers get right, and how far the counts are from the exact ones."""

    mitigation: str
    strength: float
    loss: float  # sum |published - P| / sum P
    accuracy: float  # of whole trajectories; nan if nothing was left to attack
    night: float  # stage 1
    day: float  # stage 2
    far: float  # share of positions more than 1 km off
    unique: Mapping[int, float]  # share of reconstructed trajectories that are unique by their top k cells
    positions: Positions | None  # None if nothing is published
    membership: MembershipRisk | None  # None if too few people were counted
    smallest: int | None  # true count behind a published number above 0; None if that does not apply
    unchanged: bool = False  # whether these are the exact counts

    @property
    def chance(self) -> Mapping[str, float]:
        """What trivial guesses get right from the same counts, repaired and scored alike."""
        return {} if self.positions is None else self.positions.guesses

    def missed(self, target: float) -> list[str]:
        """Why it is not recommended, in a few words each; nothing if it may be."""
        if self.positions is None:
            return ["nothing is published"]
        why = ["the counts are unchanged"] if self.unchanged else []
        if self.loss >= 1:
            why.append("it says less than nothing published would")
        if self.positions.advantage > target and self.mitigation != "dp":  # one slot of a person is no trajectory
            why.append(f"positions: advantage {percent(self.positions.advantage)}")
        if self.mitigation in MISLEADS:
            why.append("protects a count, not a person" if self.mitigation == "noise" else "only misleads attacks")
        elif self.positions.misled and self.mitigation != "dp" and not self.unchanged:
            why.append("the attack on positions was misled, which proves nothing")
        why += ["membership was not measured"] if self.membership is None else self.membership.missed()
        if self.smallest is not None and SMALLEST.exceeded(self.smallest):
            why.append(f"a published number stands for {several(self.smallest, 'person', 'people')}")
        return why

    def __str__(self) -> str:
        return IN_WORDS[self.mitigation].format(100 * self.strength if self.mitigation == "move" else self.strength)


@dataclass(frozen=True)
class Mitigations(Result):
    """Every way that was tried, the counts as they are first; `chance` is what guesses get right from these."""

    outcomes: tuple[Outcome, ...]
    chance: Mapping[str, float]
    target: float  # largest advantage in reconstructing positions
    users: int
    cells: int
    slots: int
    slot_min: int
    method: str
    pairing: str
    seed: int
    cheapest = OldName()

    @property
    def best(self) -> Outcome | None:
        """Of the ways that are within all limits and publish something other than the exact counts, the least loss."""
        within = [one for one in self.outcomes if not one.missed(self.target)]
        return min(within, key=lambda one: one.loss, default=None)

    @property
    def caution(self) -> str:
        """What noise per count does not do, with the number; empty if none was tried."""
        noisy = [(one.strength, one.membership) for one in self.outcomes if one.mitigation == "noise"]
        risks = [(epsilon, risk.auc) for epsilon, risk in noisy if risk is not None]
        if not risks:
            return ""
        epsilon, auc = min(risks)
        return (
            f"Noise per count protects a count, not a person: even with epsilon {epsilon:g} per count, an attacker who "
            f"knows somebody's visits tells with an AUC of {auc:.2f} whether they were counted (chance 0.50)."
        )

    def section(self) -> Section:
        """What each mitigation leaves to reconstruct, and which loses least detail."""
        size = f"{several(self.users, 'person', 'people')}, {self.cells:,} cells, {self.slots:,} slots of "
        return Section(
            question="Which mitigation keeps trajectories from being reconstructed from counts?",
            answer=self._answer(),
            number=percent(None if self.best is None else self.best.loss),
            number_of="least loss of a mitigation within all limits",
            panels=[self._panel(f"{size}{self.slot_min} min")],
            tables=[self._judged(), self._table()],
            method=[LOSS, ACCURACY, GUESSES, CONTROL, ATTACKER, ASKED, JUDGED],
            options=f"{size}{self.slot_min} min; advantage at most {percent(self.target, 0)}, method {self.method}, "
            f"pairing {self.pairing}, one run, seed {self.seed}",
            data={"mitigations": self, "as_they_are": self.outcomes[0]},
        )

    def _answer(self) -> str:
        exact, best = self.outcomes[0], self.best
        guesses = ", ".join(f"{name} {percent(share)}" for name, share in self.chance.items())
        other = "" if exact.positions is None else f"; from another day {percent(exact.positions.control)}"
        limits = f"advantage {percent(self.target, 0)}, {LIMITS}"
        first = (
            f"From the counts as they are, {percent(exact.accuracy)} of the positions of {self.users:,} people are "
            f"reconstructed correctly (by guessing: {guesses}{other})."
        )
        then = (
            f"Nothing that was tried is within all limits ({limits})."
            if best is None
            else f"Of the mitigations within all limits ({limits}), the one that loses least detail is: {best} (loss "
            f"{percent(best.loss)})."
        )
        return " ".join(filter(None, (first, then, self.caution)))

    def _judged(self) -> Table:
        """What each way is judged by, and why it is not recommended."""
        head = ("published", "loss", "advantage", "AUC up to", "named at 1 % up to", "smallest count", "why not")
        rows = [_judged_row(one, self.target) for one in self.outcomes]
        return Table(head, rows, f"What is judged: advantage at most {percent(self.target, 0)}, {LIMITS}.")

    def _panel(self, size: str) -> Lines:
        lines = []
        for kind, name in NAMES.items():
            known = [one for one in (self.outcomes[0], *self.of(kind)) if one.accuracy == one.accuracy]
            tags = [f"{one.strength:g}" if one.mitigation != "none" else "" for one in known]
            if len(known) > 1:
                lines.append(Line(name, [one.loss for one in known], [one.accuracy for one in known], tags=tags))
        points = "; ".join(f"{one}: loss {one.loss:.2f}, accuracy {one.accuracy:.2f}" for one in self.outcomes)
        return Lines(
            "mitigations",
            "loss of the counts",
            "share of positions reconstructed",
            tuple(lines),
            f"Accuracy of the attack against the loss, by mitigation and strength (n = {size}; one run each).",
            scale_x="symlog",
            levels={f"{k} {v:.2f}": v for k, v in self.chance.items()},
            words=f"Accuracy against loss: {points}.",
        )

    def _table(self) -> Table:
        tops = "/".join(map(str, self.outcomes[0].unique))
        head = ("published", "loss", "nights", "days", "whole", *self.chance, "> 1 km off", f"top {tops} unique")
        caption = (
            "Share of positions reconstructed, by stage and by guesses from the same counts; share far off; uniqueness "
            "of the reconstructed."
        )
        return Table(head, [_row(one, self.chance) for one in self.outcomes], caption)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what was renamed in version 0.2 also stands under its old name."""
        best = plain(self.best)
        return {**super().to_dict(), "best": best, "cheapest": best, "renamed": {"cheapest": "best"}}

    def columns(self) -> Mapping[str, Any]:
        """A row for each way to publish."""
        names = ("mitigation", "strength", "loss", "accuracy", "night", "day", "far", "smallest")
        risks = [one.membership for one in self.outcomes]
        return {
            **{name: [getattr(one, name) for one in self.outcomes] for name in names},
            "advantage": [None if one.positions is None else one.positions.advantage for one in self.outcomes],
            "auc_high": [None if one is None else one.auc_high for one in risks],
            "named_high": [None if one is None else one.named_high for one in risks],
            "recommended": [not one.missed(self.target) for one in self.outcomes],
        }

    def of(self, mitigation: str) -> tuple[Outcome, ...]:
        """One mitigation, by loss."""
        return tuple(sorted((o for o in self.outcomes if o.mitigation == mitigation), key=lambda o: o.loss))


def _row(one: Outcome, guesses: Iterable[str]) -> tuple[str, ...]:
    shares = (one.loss, one.night, one.day, one.accuracy, *(one.chance.get(guess) for guess in guesses), one.far)
    return (str(one), *map(percent, shares), " ".join(percent(share, 0) for share in one.unique.values()) or "-")


def _judged_row(one: Outcome, target: float) -> tuple[str, ...]:
    risk = one.membership
    return (
        str(one),
        percent(one.loss),
        percent(None if one.positions is None else one.positions.advantage),
        "-" if risk is None else f"{risk.auc_high:.2f}",
        percent(None if risk is None else risk.named_high),
        "-" if one.smallest is None else f"{one.smallest:,}",
        "; ".join(one.missed(target)) or "-",
    )

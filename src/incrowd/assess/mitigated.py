"""Mitigations: what an attacker reconstructs from counts published in each way, and which way loses least detail."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from incrowd.assess.limits import OldName
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
}
NAMES = {
    "noise": "noise",
    "suppress": "small counts suppressed",
    "round": "rounding",
    "move": "positions moved",
    "space": "square regions",
    "regions": "given regions",
    "time": "longer slots",
}
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
    "The attacker knows the counts, where cells are and how many people there are; counts that do not add up are "
    "repaired first. One who models the noise may do better: these are measurements, no guarantees. Noise is per "
    "count, and a person is in as many counts as there are slots."
)


@dataclass(frozen=True)
class Outcome:
    """One way to publish: what the attacker gets right, and how far the counts are from the exact ones."""

    mitigation: str
    strength: float
    loss: float  # sum |published - P| / sum P
    accuracy: float  # of whole trajectories; nan if nothing was left to attack
    night: float  # stage 1
    day: float  # stage 2
    far: float  # share of positions more than 1 km off
    unique: Mapping[int, float]  # share of reconstructed trajectories that are unique by their top k cells
    chance: Mapping[str, float]  # what trivial guesses get right from the same counts, repaired and scored alike

    def __str__(self) -> str:
        return IN_WORDS[self.mitigation].format(100 * self.strength if self.mitigation == "move" else self.strength)


@dataclass(frozen=True)
class Mitigations(Result):
    """Every way that was tried, the counts as they are first; `chance` is what guesses get right from these."""

    outcomes: tuple[Outcome, ...]
    chance: Mapping[str, float]
    target: float
    users: int
    cells: int
    slots: int
    slot_min: int
    method: str
    pairing: str
    seed: int
    best: Outcome | None = field(default=None)  # of those under the target that publish anything, the least loss
    cheapest = OldName()

    @property
    def caution(self) -> str:
        """Whether guesses exceed the target, from the counts as they are or from the best; empty if they do not."""
        target = percent(self.target, 0)
        better = [name for name, share in self.chance.items() if share > self.target]
        sentences = [f"The target of {target} is below what guessing gets right ({' and '.join(better)})."] * bool(
            better
        )
        guess = max(self.best.chance.items(), key=lambda one: one[1], default=None) if self.best else None
        if guess is not None and guess[1] > self.target and self.best and self.best.mitigation != "none":
            right = f"the guess '{guess[0]}' still gets {percent(guess[1], 0)} right"
            sentences.append(f"With it, {right}: it only misleads this attack.")
        return " ".join(sentences)

    def section(self) -> Section:
        """What each mitigation leaves to reconstruct, and which loses least detail."""
        size = f"{several(self.users, 'person', 'people')}, {self.cells:,} cells, {self.slots:,} slots of "
        return Section(
            question="Which mitigation keeps trajectories from being reconstructed from counts?",
            answer=self._answer(),
            number=percent(None if self.best is None else self.best.loss),
            number_of=f"least loss with accuracy under {percent(self.target, 0)}",
            panels=[self._panel(f"{size}{self.slot_min} min")],
            tables=[self._table()],
            method=[LOSS, ACCURACY, GUESSES, ATTACKER],
            options=f"{size}{self.slot_min} min; target {percent(self.target, 0)}, method {self.method}, pairing "
            f"{self.pairing}, one run, seed {self.seed}",
            data={"mitigations": self, "as_they_are": self.outcomes[0]},
        )

    def _answer(self) -> str:
        guesses = ", ".join(f"{name} {percent(share)}" for name, share in self.chance.items())
        target, best = percent(self.target, 0), self.best
        first = (
            f"From the counts as they are, {percent(self.outcomes[0].accuracy)} of the positions of {self.users:,} "
            f"people are reconstructed correctly (by guessing: {guesses})."
        )
        if best is None:
            then = f"Nothing that was tried brings this under {target}."
        elif best.mitigation == "none":
            then = f"That is under {target} already: no mitigation is needed against this attack."
        else:
            then = (
                f"Of the mitigations that bring this under {target}, the one that loses least detail is: {best} (loss "
                f"{percent(best.loss)}, {percent(best.accuracy)} reconstructed)."
            )
        return " ".join(filter(None, (first, then, self.caution)))

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
            levels={f"target {self.target:g}": self.target, **{f"{k} {v:.2f}": v for k, v in self.chance.items()}},
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
        return {**super().to_dict(), "cheapest": plain(self.best), "renamed": {"cheapest": "best"}}

    def columns(self) -> Mapping[str, Any]:
        """A row for each way to publish."""
        names = ("mitigation", "strength", "loss", "accuracy", "night", "day", "far")
        return {name: [getattr(one, name) for one in self.outcomes] for name in names}

    def of(self, mitigation: str) -> tuple[Outcome, ...]:
        """One mitigation, by loss."""
        return tuple(sorted((o for o in self.outcomes if o.mitigation == mitigation), key=lambda o: o.loss))


def _row(one: Outcome, guesses: Iterable[str]) -> tuple[str, ...]:
    shares = (one.loss, one.night, one.day, one.accuracy, *(one.chance.get(guess) for guess in guesses), one.far)
    return (str(one), *map(percent, shares), " ".join(percent(share, 0) for share in one.unique.values()) or "-")

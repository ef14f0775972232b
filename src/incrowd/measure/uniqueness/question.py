"""What an attacker knows, and the answer: a question with its conventions, and a result that carries it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import sqrt
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from incrowd.arrays import Floats, Ints, frozen
from incrowd.errors import ParameterError, check_choice, check_positive, check_whole
from incrowd.measure.uniqueness.section import section_of_uniqueness
from incrowd.show import Result, Section

Knowledge = Literal["random", "consecutive", "top", "close"]
Short = Literal["drop", "all", "zero"]
Match = Literal["set", "ordered", "contain"]
SHORT: tuple[Short, ...] = get_args(Short)
_Z95 = 1.959963984540054  # two-sided 95 % of the normal distribution
_MATCHED = 0.3  # share from which on the hits of a one-to-one matching hang together


@dataclass(frozen=True, kw_only=True)
class UniquenessQuestion:
    """Which points of a target the attacker knows, and how often it is asked; meaningless options are refused."""

    points: int = 4
    knowledge: Knowledge = "random"
    short: Short = "drop"  # what becomes of trajectories with fewer points
    repeats: int = 1
    samples: int | None = None
    exact: bool = False
    closeness_min: float | None = None
    tolerance_min: float = 0
    block_min: float | None = None
    match: Match = "set"
    seed: int = 0
    label: str = ""  # names the data or the setting in reports; no answer depends on it

    def __post_init__(self) -> None:
        check_choice("knowledge", self.knowledge, get_args(Knowledge))
        check_choice("short", self.short, SHORT)
        check_choice("match", self.match, get_args(Match))
        self._check_counts()
        if (self.exact or self.samples is not None) and self.repeats != 1:
            raise ParameterError("repeats goes with neither samples nor exact; choose one of them.")
        if self.exact and self.samples is not None:
            raise ParameterError("exact looks at every choice and draws no samples; leave one of them out.")
        if self.match != "set" and self.knowledge != "top":
            raise ParameterError("match applies to knowledge='top' only.")
        self._check_closeness()
        if not isinstance(self.label, str):
            raise ParameterError(f"label must be text, got {type(self.label).__name__}.")

    def _check_counts(self) -> None:
        """Whole numbers are kept as integers, however they were given: 2.0 is 2."""
        check_whole(points=self.points, repeats=self.repeats, samples=1 if self.samples is None else self.samples)
        if not (_at_least_0(self.seed) and self.seed == int(self.seed)):
            raise ParameterError(f"seed must be a whole number of at least 0, to be re-run with; got {self.seed!r}.")
        for name in ("points", "repeats", "samples", "seed"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else int(value))

    def _check_closeness(self) -> None:
        if self.knowledge != "close":
            if self.closeness_min is not None or self.tolerance_min or self.block_min is not None:
                raise ParameterError("closeness_min, tolerance_min and block_min apply to knowledge='close' only.")
            return
        if self.closeness_min is None:
            raise ParameterError("knowledge='close' needs closeness_min, the mean minutes between known points.")
        if self.points < 2:
            raise ParameterError(f"knowledge='close' needs at least 2 points, got {self.points}.")
        for name, value in (("closeness_min", self.closeness_min), ("tolerance_min", self.tolerance_min)):
            if not _at_least_0(value):
                raise ParameterError(f"{name} must be finite and not below 0, got {value!r}.")
        check_positive(block_min=1 if self.block_min is None else self.block_min)

    def parameters(self) -> dict[str, Any]:
        """The options by name."""
        return {f.name: getattr(self, f.name) for f in fields(UniquenessQuestion)}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Uniqueness(Result, UniquenessQuestion):
    """Share of people identified by known visits, in [0, 1], higher is riskier, with the question it answers.

    `value` and `interval` are None if there is no target. The interval is Wilson's: of `samples` over the draws, each
    of which draws a person anew, else over people, whose repeated draws are alike; if nothing was drawn (exact, or top
    without samples) it is the value itself.
    """

    value: float | None
    population: int  # targets
    skipped: int  # users that are no target: too short under `drop`, or without a choice that is close enough
    interval: tuple[float, float] | None
    distribution: Mapping[int, float]  # crowd size s -> share of draws; 0 for short targets under `zero`
    targets: Ints  # positions of the targets among the users
    crowd_sizes: Ints | None  # [repeats, targets], or [samples]; None if exact
    probability: Floats | None  # per target, share of its choices or draws that identify it; None for samples
    same_slot: int | None = None  # visits beyond a user's first in one slot: each is a point of its own

    # The answers of two datasets to one question are two answers.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("targets", "crowd_sizes", "probability"):
            array = getattr(self, name)
            object.__setattr__(self, name, None if array is None else frozen(array))

    def __repr__(self) -> str:
        value = "undefined" if self.value is None else f"{self.value:.4f}"
        return (
            f"Uniqueness({value}, population={self.population:,}, skipped={self.skipped:,}, points={self.points}, "
            f"knowledge={self.knowledge!r}, short={self.short!r}, seed={self.seed})"
        )

    def section(self) -> Section:
        """How many people are identified, in one section."""
        return section_of_uniqueness([self])

    @classmethod
    def together(cls, results: "Sequence[Uniqueness]") -> Section:
        """Several results in one section: a row each, a line against the number of points."""
        return section_of_uniqueness(results)

    def columns(self) -> Mapping[str, Any]:
        """A row for each person asked about: position, and the share of draws that identify them.

        With `samples`, which draw people, a row for each draw instead: how many people share the known visits.
        """
        if self.probability is None:
            return {"crowd_size": self.crowd_sizes}
        return {"position": self.targets, "identified": self.probability}

    def to_dict(self) -> dict[str, Any]:
        """Plain values without the arrays per target, for JSON."""
        plain = ("value", "population", "skipped", "same_slot")
        return {
            **self.parameters(),
            **{name: getattr(self, name) for name in plain},
            "interval": list(self.interval) if self.interval else None,
            "distribution": {str(s): share for s, share in self.distribution.items()},
        }


def answered(
    question: UniquenessQuestion, users: int, targets: Ints, crowd_sizes: Ints, *, drawn: bool = True
) -> Uniqueness:
    """The answer from crowd sizes [repeats, targets] or [samples]."""
    counts = np.bincount(crowd_sizes.ravel())
    draws, alone = crowd_sizes.size, int(counts[1]) if len(counts) > 1 else 0
    value = alone / draws if draws else None
    probability = (crowd_sizes == 1).mean(axis=0) if crowd_sizes.ndim == 2 else None
    interval = None if value is None else (value, value)
    if value is not None and drawn:
        interval = wilson(value, draws) if probability is None else effective_interval(probability, draws=draws)
    return Uniqueness(
        **question.parameters(),
        value=value,
        population=len(targets),
        skipped=users - len(targets),
        interval=interval,
        distribution={int(s): int(counts[s]) / draws for s in np.flatnonzero(counts)},
        targets=targets,
        crowd_sizes=crowd_sizes,
        probability=probability,
    )


def effective_interval(means: Floats, *, draws: int | None = None, matched: bool = False) -> tuple[float, float]:
    """Wilson's 95 % interval of the mean over people who were drawn, several draws of each being no more people.

    It is taken at the number of independent draws that would vary as much, p (1 - p) / (s^2 / n) with the variance s^2
    over the n people's own means, kept between the number of people and of draws.

    Args:
        means: Each person's own share of success in [0, 1], of one person at least; any real number, such as 1/crowd.
        draws: How many draws were made in all. [default: one for each person]
        matched: Whether people were matched one to one: one's mistake is another's, so that above 0.3 half the people
            count.

    >>> [round(end, 4) for end in effective_interval(np.array([1.0, 0.0] * 5), draws=1000)]
    [0.2366, 0.7634]
    """
    people = len(means)
    share = min(max(float(means.mean()), 0.0), 1.0)
    most = people if draws is None else draws
    variance = float(means.var(ddof=1)) if people > 1 else 0.0
    effective = min(max(share * (1 - share) * people / variance, people), most) if variance > 0 else most
    return wilson(share, effective / 2 if matched and share > _MATCHED else effective)


def wilson(share: float, draws: float) -> tuple[float, float]:
    """Wilson's 95 % interval for a share of independent draws.

    >>> [round(end, 4) for end in wilson(0.5, 10)]
    [0.2366, 0.7634]
    """
    z2 = _Z95 * _Z95
    middle = (share + z2 / (2 * draws)) / (1 + z2 / draws)
    half = _Z95 * sqrt(share * (1 - share) / draws + z2 / (4 * draws * draws)) / (1 + z2 / draws)
    return 0.0 if share == 0 else max(0.0, middle - half), 1.0 if share == 1 else min(1.0, middle + half)


def _at_least_0(value: Any) -> bool:
    return isinstance(value, Real) and value < float("inf") and not value < 0

"""Each method at a few strengths, with the kind of data it takes, and the target that a release has to reach."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.anonymize import METHODS
from incrowd.anonymize.base import Strength, Wanted
from incrowd.anonymize.w4m.points import points_of
from incrowd.assess.compare.fate import boxes_of
from incrowd.assess.limits import DEFAULTS, ONE_IN_ELEVEN
from incrowd.data import Fingerprints, Groups, Release, Traces, Visits
from incrowd.data.fingerprints import BOX
from incrowd.discretize import grid
from incrowd.errors import ParameterError
from incrowd.plain import percent

if TYPE_CHECKING:
    from incrowd.assess.compare.risk import Risk

CHOICES = (
    "guess=1/11 (people are guessed rightly in at most one of eleven cases), k=2 (nobody in a crowd below 2, whatever "
    "is known) or uniqueness=0.1 (at most a tenth of people identified)"
)
DEFAULT = f"guess={ONE_IN_ELEVEN}"
DEFAULT_K, MOST_K = 2, 1_000_000
FEW = 30  # people below whom a share is no rate
WHOLE, SHARE = r"[0-9]{1,7}", r"[0-9]{0,20}\.?[0-9]{1,20}(e-[0-9]{1,3})?"  # short enough to be read as numbers
RATIO = rf"{WHOLE}/{WHOLE}"


@dataclass(frozen=True)
class MethodInputs:
    """The samples of the people, and what the methods take made of them."""

    prints: Fingerprints
    cell_m: int
    slot_min: int

    @cached_property
    def points(self) -> Traces:
        """The centres of the samples."""
        return points_of(self.prints)

    @cached_property
    def visits(self) -> Visits:
        """Every cell of a slot."""
        return self.visits_on(self.cell_m, self.slot_min)

    @cached_property
    def voted(self) -> Visits:
        """The cell of a slot with most samples."""
        return grid(self.points, cell_m=self.cell_m, slot_min=self.slot_min, keep="vote")

    @cached_property
    def middle_s(self) -> float:
        """The middle of the period, in UTC seconds."""
        low, high = boxes_of(self.prints)
        return float(low[:, 2].min() + high[:, 2].max()) / 2

    def visits_on(self, cell_m: float, slot_min: int) -> Visits:
        """Every cell of a slot, on another grid."""
        return grid(self.points, cell_m=cell_m, slot_min=slot_min)


@dataclass(frozen=True)
class Setting:
    """A method at one strength; what could not even be tried has no strength but a problem."""

    method: str
    strength: Strength | None = None
    problem: str = ""

    @property
    def words(self) -> str:
        """The strength in words."""
        return "" if self.strength is None else self.strength.words

    def data(self, source: MethodInputs) -> Any:
        """What the method is given."""
        return None if self.strength is None else getattr(source, self.strength.takes)

    def release(self, source: MethodInputs, *, seed: int, pseudonym_seed: int | None = None) -> Release | str:
        """Run it, or say why not."""
        if self.strength is None:
            return self.problem
        return self.strength.run(self.data(source), seed=seed, pseudonym_seed=pseudonym_seed)


def settings(methods: Sequence[str], wanted: Wanted) -> tuple[Setting, ...]:
    """The strengths at which methods are tried; a method without any is there with its problem.

    >>> [one.words for one in settings(["cut"], Wanted(k=2, points=4, slot_min=120))]
    ['24 h', '6 h']
    """
    none = f"no strength of it fits slots of {wanted.slot_min:,} min; choose a smaller slot_min."
    tried = {name: [Setting(name, one) for one in METHODS[name].strengths(wanted)] for name in methods}
    return tuple(one for name, settings_of in tried.items() for one in settings_of or [Setting(name, problem=none)])


def untouched(data: Fingerprints | Visits) -> Release:
    """The data as they are, each person under a pseudonym: what every method is compared with."""
    provenance: dict[str, Any] = {}
    if isinstance(data, Fingerprints):
        rows = np.arange(data.records)
        boxes = {name: getattr(data, name) for name in BOX}
        provenance = {"box": rows, "row": rows, "boxes": {**boxes, "group": data.owner}, "discarded_users": rows[:0]}
    return Release(
        data, Groups.themselves(len(data)), params={"method": "none"}, ledger=data.ledger, provenance=provenance
    )


@dataclass(frozen=True)
class Target:
    """A right guess in at most a share of cases, nobody in a crowd below k, or at most a share of people identified."""

    k: int | None = None
    uniqueness: float | None = None
    guess: Fraction | None = None

    @classmethod
    def parse(cls, text: str) -> "Target":
        """Read a target.

        >>> Target.parse("guess=1/11").guess, Target.parse("uniqueness=0.1").limit
        (Fraction(1, 11), Fraction(1, 10))
        """
        name, _, value = str(text).replace(" ", "").partition("=")
        if name == "k" and re.fullmatch(WHOLE, value) and DEFAULT_K <= int(value) <= MOST_K:
            return cls(k=int(value))
        if name == "uniqueness" and re.fullmatch(SHARE, value) and float(value) <= 1:
            return cls(uniqueness=float(value))
        if name == "guess" and (
            re.fullmatch(SHARE, value) or (re.fullmatch(RATIO, value) and int(value.split("/")[1]))
        ):
            share = Fraction(value)
            if Fraction(1, MOST_K) <= share <= 1:
                return cls(guess=share)
        raise ParameterError(f"unknown target; give {CHOICES}.")

    @property
    def limit(self) -> Fraction:
        """The largest share that reaches it."""
        return Fraction(0) if self.k else self.guess if self.guess is not None else Fraction(repr(self.uniqueness))

    @property
    def crowd(self) -> int:
        """The crowd the methods are asked for."""
        return self.k or (max(ceil(1 / self.guess), DEFAULT_K) if self.guess else DEFAULT_K)

    @property
    def fewest(self) -> int:
        """So many people are needed for any release to reach it."""
        return self.k or (ceil(1 / self.guess) if self.guess else 1)

    @property
    def measure(self) -> str:
        """The name of the number that it bounds."""
        return "guessed" if self.guess is not None else "singled_out_high" if self.k is None else "below_k"

    @property
    def words(self) -> str:
        """Where the people are whom it counts."""
        if self.guess is not None:
            return "guessed rightly"
        return "identified" if self.k is None else f"in a crowd below {self.k}"

    def distance(self, privacy: Mapping[str, float | None]) -> float:
        """The share of people in a crowd below k, identified, or guessed rightly: what is judged."""
        return float(privacy[self.measure] or 0.0)

    def missed(self, risk: "Risk") -> list[str]:
        """What keeps a release from reaching it, in a few words each; nothing if it is reached."""
        if self.k is not None:
            return [] if not risk.below(self.k) else [f"{percent(float(risk.below(self.k)))} of people {self.words}"]
        if self.guess is None:
            high = risk.alone_high
            return [] if high <= self.limit else [f"up to {percent(float(high))} of people identified"]
        most = DEFAULTS["worst"].value or Fraction(0)
        judged = {"guessed rightly": (risk.guess_high, self.limit), "with 1/2 or more": (risk.worst_high, most)}
        if risk.linked is not None:
            few = risk.linked.people < FEW and risk.linked.share * risk.linked.people < 1
            high = risk.linked.share if risk.linked.people < FEW else risk.linked.high
            judged["recognised later"] = (Fraction(0) if few else high, self.limit)
        return [f"{name}: up to {percent(float(high))}" for name, (high, limit) in judged.items() if high > limit]

    def __str__(self) -> str:
        if self.guess is not None:
            return f"people guessed rightly in at most {self._share} of cases, at most 1 % of them with 1/2 or more"
        if self.k is not None:
            return f"nobody {self.words}"
        return f"at most {percent(self.uniqueness)} of people {self.words}"

    @property
    def _share(self) -> str:
        one = self.guess is not None and self.guess.numerator == 1
        return str(self.guess) if one else f"{100 * float(self.limit):.6g} %"

"""What a release must achieve, as a person writes it: k=2, uniqueness=0.1."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from incrowd.errors import ParameterError

CHOICES = "k=2 (nobody in a crowd below 2) or uniqueness=0.1 (at most a tenth singled out)"
DEFAULT_K, MOST_K = 2, 1_000_000
WHOLE, SHARE = r"[0-9]{1,7}", r"[0-9]{0,20}\.?[0-9]{1,20}(e-[0-9]{1,3})?"  # short enough to be read as numbers


@dataclass(frozen=True)
class Target:
    """Nobody in a crowd below k, or at most a share `uniqueness` of people singled out."""

    k: int | None = None
    uniqueness: float | None = None

    @classmethod
    def parse(cls, text: str) -> "Target":
        """Read a target.

        >>> Target.parse("uniqueness=0.1")
        Target(k=None, uniqueness=0.1)
        """
        name, _, value = str(text).replace(" ", "").partition("=")
        if name == "k" and re.fullmatch(WHOLE, value) and DEFAULT_K <= int(value) <= MOST_K:
            return cls(k=int(value))
        if name == "uniqueness" and re.fullmatch(SHARE, value) and float(value) <= 1:
            return cls(uniqueness=float(value))
        raise ParameterError(f"unknown target; give {CHOICES}.")

    @property
    def crowd(self) -> int:
        """The crowd the methods are asked for."""
        return self.k or DEFAULT_K

    @property
    def measure(self) -> str:
        """The name of the number that it bounds."""
        return "singled_out" if self.k is None else "below_k"

    @property
    def words(self) -> str:
        """Where the people are whom it counts."""
        return "singled out" if self.k is None else f"in a crowd below {self.k}"

    def distance(self, privacy: Mapping[str, float | None]) -> float:
        """The share of people in a crowd below k, or singled out."""
        return float(privacy[self.measure] or 0.0)

    def met(self, privacy: Mapping[str, float | None]) -> bool:
        """Whether these numbers reach it."""
        return self.distance(privacy) <= (self.uniqueness or 0.0)

    def __str__(self) -> str:
        return f"nobody {self.words}" if self.k is not None else f"at most {self.uniqueness:.1%} of people {self.words}"

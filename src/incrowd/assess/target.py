"""What a release must achieve, as a person writes it: k=2, uniqueness=0.1."""

from collections.abc import Mapping
from dataclasses import dataclass

from incrowd.errors import ParameterError

CHOICES = "k=2 (nobody in a crowd below 2) or uniqueness=0.1 (at most a tenth singled out)"
DEFAULT_K = 2


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
        name, _, value = text.replace(" ", "").partition("=")
        if name == "k" and value.isascii() and value.isdigit() and 2 <= int(value) <= 1_000_000:
            return cls(k=int(value))
        if name == "uniqueness":
            try:
                share = float(value)
            except ValueError:
                share = -1.0
            if 0 <= share <= 1:
                return cls(uniqueness=share)
        raise ParameterError(f"unknown target; give {CHOICES}.")

    @property
    def crowd(self) -> int:
        """The crowd the methods are asked for."""
        return self.k or DEFAULT_K

    def distance(self, privacy: Mapping[str, float | None]) -> float:
        """The share of people in a crowd below k, or singled out."""
        return float(privacy["singled_out" if self.k is None else "below_k"] or 0.0)

    def met(self, privacy: Mapping[str, float | None]) -> bool:
        """Whether these numbers reach it."""
        return self.distance(privacy) <= (self.uniqueness or 0.0)

    def __str__(self) -> str:
        if self.k is not None:
            return f"nobody in a crowd below {self.k}"
        return f"at most {self.uniqueness:.1%} of people singled out"

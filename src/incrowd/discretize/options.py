"""The options that discretizers share."""

from typing import Literal

from incrowd.errors import ParameterError

Keep = Literal["set", "vote", "vote_first"]
KEEP = ("set", "vote", "vote_first")


def check_whole(**values: float) -> None:
    """Refuse numbers that are not whole and at least 1."""
    for name, value in values.items():
        if not (1 <= value < float("inf") and value == int(value)):
            raise ParameterError(f"{name} must be a whole number of at least 1, got {value}.")

"""Limits: what counts as too much, test by test, where each number comes from, and what is shopping for a verdict."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal

from incrowd.errors import IncrowdWarning, ParameterError, check_choice
from incrowd.plain import percent

Limits = Mapping[str, float | Fraction | str | None]
Level = Literal["standard", "medium", "high"]
Kind = Literal["share", "advantage", "auc", "found", "count", "failures", "blur"]
ONE_IN_ELEVEN = Fraction(1, 11)
LEVELS: Mapping[Level, Fraction] = MappingProxyType(
    {"standard": ONE_IN_ELEVEN, "medium": Fraction(3, 40), "high": Fraction(1, 20)}
)
REGULATORS = "one in eleven, the 0.09 that medicines regulators use"
CONVENTION = "a convention of this tool"
YOURS = "you set it"
CHEAPEST: Mapping[Kind, Fraction] = MappingProxyType(  # looser ones are refused under --fail-above
    {
        "share": Fraction(1, 2),
        "advantage": Fraction(1, 2),
        "auc": Fraction(3, 4),
        "found": Fraction(1, 5),
        "count": Fraction(5),
        "failures": Fraction(0),
    }
)


@dataclass(frozen=True)
class Limit:
    """What is too much: more than this value, or for a count less; None for no limit.

    Args:
        value: The number itself, exactly.
        source: Whose number it is.
        kind: What it limits: a share of people or of right guesses, an advantage over guessing, an area under a curve,
            a share found at 1 % false alarms, a smallest count, or failures of an audit.
    """

    value: Fraction | None
    source: str
    kind: Kind = "share"

    @property
    def by_user(self) -> bool:
        """Whether the user set it."""
        return self.source == YOURS

    def exceeded(self, value: Fraction | float) -> bool:
        """Whether a value is too much; exactly at the limit is not."""
        exact = value if isinstance(value, Fraction) else Fraction(value)
        if self.value is None:
            return False
        return exact < self.value if self.kind == "count" else exact > self.value

    @property
    def shopped(self) -> bool:
        """Whether the limit is so loose that nothing would exceed it."""
        loosest = CHEAPEST.get(self.kind)
        if loosest is None:
            return False
        return self.value is None or (self.value < loosest if self.kind == "count" else self.value > loosest)

    def __str__(self) -> str:
        if self.value is None:
            return "-"
        return in_words(self.value, self.kind)


DEFAULTS: Mapping[str, Limit] = MappingProxyType(
    {
        "lookup": Limit(ONE_IN_ELEVEN, REGULATORS),
        "identified": Limit(ONE_IN_ELEVEN, REGULATORS),
        "single_visit": Limit(ONE_IN_ELEVEN, REGULATORS),
        "columns": Limit(ONE_IN_ELEVEN, REGULATORS),
        "later": Limit(ONE_IN_ELEVEN, REGULATORS),
        "earlier": Limit(ONE_IN_ELEVEN, REGULATORS),
        "pieces": Limit(ONE_IN_ELEVEN, REGULATORS),
        "home_work": Limit(ONE_IN_ELEVEN, REGULATORS),
        "worst": Limit(Fraction(1, 100), CONVENTION),
        "release_full": Limit(None, "no limit unless you set one"),
        "sensitive": Limit(Fraction(1, 10), CONVENTION, "advantage"),
        "counts": Limit(Fraction(1, 10), CONVENTION, "advantage"),
        "membership": Limit(Fraction(3, 5), CONVENTION, "auc"),
        "membership_1pct": Limit(Fraction(1, 20), CONVENTION, "found"),
        "smallest_count": Limit(
            Fraction(11), "the smallest count that medicines and health authorities publish", "count"
        ),
        "guarantees": Limit(Fraction(0), "a guarantee holds or does not", "failures"),
        "blurring": Limit(None, "no limit unless you set one", "blur"),
    }
)
NAMES = tuple(DEFAULTS)
WHO = ("lookup", "identified", "single_visit", "columns", "later", "earlier", "pieces", "home_work")  # follow the level
OLD_NAMES = {  # of tests, until version 0.3
    "singling_out": "identified",
    "worst_off": "single_visit",
    "k_gap": "blurring",
    "windows": "pieces",
    "releases": "later",
    "release": "release_full",
    "matched": "release_full",
    "release_alone": "identified",
    "release_identified": "identified",
    "release_sensitive": "sensitive",
    "audit": "guarantees",
}
OLD_KEYS = {"threshold": "limit", "cheapest": "best"}  # of records and their JSON, until version 0.3
HONESTY = (
    "Limits are conventions that you can change, not law. A number below its limit does not prove that nobody can be "
    "identified; a number above it says which attack to counter first."
)


def renamed(old: str, new: str) -> None:
    """Say that a name has changed."""
    warnings.warn(f"{old} is now {new}; the old name works until 0.3.", IncrowdWarning, stacklevel=3)


def named(name: str) -> str:
    """The name of a test, which may be its old one.

    >>> named("counts")
    'counts'
    """
    if name in OLD_NAMES:
        renamed(name, OLD_NAMES[name])
    return OLD_NAMES.get(name, name)


class OldName:
    """The old name of a field: it gives the value of the new one, with a notice."""

    def __set_name__(self, _: type, name: str) -> None:
        self.old, self.new = name, OLD_KEYS[name]

    def __get__(self, record: Any, _: type) -> Any:
        if record is None:
            return self
        renamed(self.old, self.new)
        return getattr(record, self.new)


def limits_of(given: Limits | None, level: Level = "standard") -> dict[str, Limit]:
    """Every limit: the defaults at a level, and what a user sets instead; None takes a limit away.

    >>> str(limits_of({"identified": 0.2})["identified"]), str(limits_of(None)["lookup"])
    ('20 %', '9.1 % (1 in 11)')
    """
    check_choice("level", level, tuple(LEVELS))
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(f"limits must map names of tests to shares, got a {type(given).__name__}.")
    limits = dict(DEFAULTS)
    if level != "standard":
        limits |= {name: Limit(LEVELS[level], f"level {level}") for name in WHO}
    for old, value in (given or {}).items():
        name = named(old)
        check_choice("test", name, NAMES)
        limits[name] = Limit(exactly(name, value), YOURS, DEFAULTS[name].kind)
    return limits


def exactly(name: str, value: Any) -> Fraction | None:
    """A limit as a fraction: of 0.1, "1/11", "10%", a fraction, or None.

    >>> exactly("lookup", 0.1), exactly("lookup", "1/11"), exactly("lookup", "7.5%"), exactly("lookup", "none")
    (Fraction(1, 10), Fraction(1, 11), Fraction(3, 40), None)
    """
    if value is None or (isinstance(value, str) and value.strip().lower() == "none"):
        return None
    text = "" if isinstance(value, bool) else str(value).replace(" ", "")
    try:
        number = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        raise ParameterError(
            f"the limit of {name} must be a number, a percentage, a fraction or none, such as {name}=10%."
        ) from None
    most = None if DEFAULTS[name].kind in ("count", "failures") else 1
    if number < 0 or (most is not None and number > most):
        raise ParameterError(f"the limit of {name} must be {'0 or more' if most is None else 'in [0, 1]'}, or none.")
    return number


def parse(texts: Sequence[str]) -> dict[str, Fraction | None]:
    """Limits as a person writes them, by the names of today.

    >>> parse(["identified=20%", "home_work=0.05", "counts=none"])
    {'identified': Fraction(1, 5), 'home_work': Fraction(1, 20), 'counts': None}
    """
    limits: dict[str, Fraction | None] = {}
    for text in texts:
        name, _, value = text.replace(" ", "").partition("=")
        name = named(name)
        check_choice("test", name, NAMES)
        limits[name] = exactly(name, value)
    return limits


def in_words(value: Fraction | float | None, kind: Kind = "share") -> str:
    """A limit or a value as it is printed: a percentage, an area, a count.

    >>> in_words(Fraction(1, 10)), in_words(ONE_IN_ELEVEN), in_words(Fraction(3, 5), "auc"), in_words(None)
    ('10 %', '9.1 % (1 in 11)', '0.600', '-')
    """
    if value is None:
        return percent(None)
    if kind in ("auc", "blur"):
        return f"{float(value):.3f}"
    if kind in ("count", "failures"):
        return f"{float(value):,.0f}"
    if value == ONE_IN_ELEVEN:
        return "9.1 % (1 in 11)"
    return f"{100 * float(value):.6g} %"

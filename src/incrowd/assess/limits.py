"""Limits: what counts as too much, test by test, with the names that tests had before.

No law names such a number. The defaults are conventions of this tool: a tenth of the people for what an attacker does
to individuals, as in `incrowd.assess.plan` and `incrowd compare`; three tenths of all positions for counts, as in
`incrowd.assess.mitigations`; a twentieth for people whom a single visit identifies. Blurring has no default: it says
how much coarser data would have to be, not how many people are at risk.
"""

import warnings
from collections.abc import Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import Any

from incrowd.errors import IncrowdWarning, ParameterError, check_choice
from incrowd.plain import percent

Limits = Mapping[str, float | None]
DEFAULTS: Limits = MappingProxyType(
    {
        "identified": 0.1,  # share of people identified by 4 known visits
        "single_visit": 0.05,  # share of people identified by a single visit
        "blurring": None,  # median 2-gap
        "pieces": 0.1,  # share of neighbouring pieces joined again
        "later": 0.1,  # share of people recognised in a later period
        "matched": 0.1,  # share of people matched to their published records
        "release_identified": 0.1,  # share of published trajectories identified by 4 known visits
        "release_sensitive": 0.1,  # share of published trajectories whose sensitive value is inferred
        "guarantees": 0.0,  # share of the audit's checks that fail
        "home_work": 0.1,  # share of people whose pair of home and work is unique
        "sensitive": 0.1,  # share of people whose sensitive value is inferred
        "counts": 0.3,  # share of positions reconstructed from counts
    }
)
NAMES = tuple(DEFAULTS)
OLD_NAMES = {  # of tests, until version 0.3
    "singling_out": "identified",
    "worst_off": "single_visit",
    "k_gap": "blurring",
    "windows": "pieces",
    "releases": "later",
    "release": "matched",
    "release_alone": "release_identified",
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


def limits_of(given: Mapping[str, Any] | None) -> dict[str, float | None]:
    """The limits that a user sets, by the names of today; None takes a limit away.

    >>> limits_of({"identified": 0.2})
    {'identified': 0.2}
    """
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(f"limits must map names of tests to shares, got a {type(given).__name__}.")
    limits = {named(name): value for name, value in (given or {}).items()}
    for name, value in limits.items():
        check_choice("test", name, NAMES)
        number = isinstance(value, Real) and not isinstance(value, bool)
        if value is not None and not (number and 0 <= float(value) <= 1):
            raise ParameterError(f"the limit of {name} must be in [0, 1], or None, got {value!r}.")
    return limits


def parse(texts: Sequence[str]) -> dict[str, float | None]:
    """Limits as a person writes them.

    >>> parse(["identified=20%", "home_work=0.05", "counts=none"])
    {'identified': 0.2, 'home_work': 0.05, 'counts': None}
    """
    limits: dict[str, float | None] = {}
    for text in texts:
        name, _, value = text.replace(" ", "").partition("=")
        name = named(name)
        check_choice("test", name, NAMES)
        try:
            share = float(value.removesuffix("%")) if value.lower() != "none" else None
        except ValueError:
            raise ParameterError(
                f"the limit of {name} must be a share, a percentage or none, such as {name}=10%."
            ) from None
        limits[name] = share / 100 if share is not None and value.endswith("%") else share
    return limits_of(limits)


def in_words(limit: float | None) -> str:
    """A limit as a percentage with the digits it was given.

    >>> in_words(0.1), in_words(0.075), in_words(None)
    ('10 %', '7.5 %', '-')
    """
    return percent(None) if limit is None else f"{100 * limit:.6g} %"

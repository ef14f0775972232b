"""What counts as too much, question by question: defaults, and what a user puts in their place.

No law names such a number. The defaults are conventions of this tool: a tenth of the people for what an attacker does
to individuals, as in `incrowd.assess.plan` and `incrowd compare`; three tenths of all points for counts, as in
`incrowd.assess.mitigations`; a twentieth for those whom a single visit gives away. A k-gap has no default: it says how
much coarser data would have to be, not how many people are at risk.
"""

from collections.abc import Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import Any

from incrowd.errors import ParameterError, check_choice

DEFAULTS: Mapping[str, float | None] = MappingProxyType(
    {
        "singling_out": 0.1,  # share of people alone with 4 of their visits
        "worst_off": 0.05,  # share of people whom one visit of their own gives away
        "k_gap": None,  # median 2-gap
        "windows": 0.1,  # share of consecutive pieces joined again
        "releases": 0.1,  # share of people recognized in another period
        "release": 0.1,  # share of people found in the release
        "release_alone": 0.1,  # share of published trajectories alone with 4 of their visits
        "release_sensitive": 0.1,  # share of published trajectories whose sensitive value is inferred
        "audit": 0.0,  # share of the release's checks that fail
        "home_work": 0.1,  # share of people whose pair of home and work nobody shares
        "sensitive": 0.1,  # share of people whose sensitive value is inferred
        "counts": 0.3,  # share of points recovered from counts
    }
)
NAMES = tuple(DEFAULTS)
HONESTY = (
    "Thresholds are conventions that you can set, not law: a number below its threshold is no proof of safety, and one "
    "above it says which attack to answer first."
)


def thresholds_of(given: Mapping[str, Any] | None) -> dict[str, float | None]:
    """The defaults with some replaced; None takes a threshold away.

    >>> thresholds_of({"singling_out": 0.2})["singling_out"]
    0.2
    """
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(f"thresholds must map names to shares, got a {type(given).__name__}.")
    for name, value in (given or {}).items():
        check_choice("threshold", name, NAMES)
        number = isinstance(value, Real) and not isinstance(value, bool)
        if value is not None and not (number and 0 <= float(value) <= 1):
            raise ParameterError(f"threshold {name} must lie in 0 to 1, or be None, got {value!r}.")
    return {**DEFAULTS, **(given or {})}


def parse(texts: Sequence[str]) -> dict[str, float | None]:
    """Thresholds as a person writes them.

    >>> parse(["singling_out=0.2", "counts=none"])
    {'singling_out': 0.2, 'counts': None}
    """
    thresholds: dict[str, float | None] = {}
    for text in texts:
        name, _, value = text.replace(" ", "").partition("=")
        check_choice("threshold", name, NAMES)
        try:
            thresholds[name] = None if value.lower() == "none" else float(value)
        except ValueError:
            raise ParameterError(f"threshold {name} takes a number in 0 to 1, or none, such as {name}=0.1.") from None
    thresholds_of(thresholds)
    return thresholds

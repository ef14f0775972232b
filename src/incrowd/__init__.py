"""incrowd: how easily can the people in a mobility dataset be singled out, and what hides them in the crowd?

    read -> clean -> discretize -> measure -> anonymize -> attack -> audit -> assess -> report

Each step is a module named by its verb and loads when first used.
"""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

from incrowd.data import Counts, Fingerprints, Release, Traces, Visits
from incrowd.errors import DataError, IncrowdError, MissingExtra, ParameterError
from incrowd.ledger import Ledger

if TYPE_CHECKING:
    from incrowd import anonymize, assess, attack, audit, clean, discretize, gate, measure, papers, plot, read, report

_STEPS = (
    "anonymize",
    "assess",
    "attack",
    "audit",
    "clean",
    "discretize",
    "gate",
    "measure",
    "papers",
    "plot",
    "read",
    "report",
)

__version__ = _version("incrowd")
__all__ = [
    "Counts",
    "DataError",
    "Fingerprints",
    "IncrowdError",
    "Ledger",
    "MissingExtra",
    "ParameterError",
    "Release",
    "Traces",
    "Visits",
    "anonymize",
    "assess",
    "attack",
    "audit",
    "clean",
    "discretize",
    "gate",
    "measure",
    "papers",
    "plot",
    "read",
    "report",
]


def __getattr__(name: str) -> Any:
    if name in _STEPS:
        return import_module(f"incrowd.{name}")
    raise AttributeError(f"module 'incrowd' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

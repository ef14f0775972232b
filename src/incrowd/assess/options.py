"""What is asked of an assessment, checked before any data are read."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from incrowd.assess.limits import DEFAULTS, Limits, limits_of
from incrowd.attack.people import read_link
from incrowd.clock import HOUR_S
from incrowd.data import Release, UserTable, Visits
from incrowd.data.release_folder import release_at
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, ParameterError, check_positive, check_seed, check_share, check_whole

NEEDS = {
    "matched": ("release",),
    "release_identified": ("release",),
    "release_sensitive": ("release", "sensitive"),
    "guarantees": ("release",),
    "sensitive": ("sensitive",),
}
WORDS = {"release": "a release", "sensitive": "the sensitive attribute"}
MOST_VISITS = 2  # known at once to infer a sensitive value
UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": HOUR_S}


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """The keywords of `incrowd.assess.assess`; what has no meaning is refused."""

    budget_s: float = 600
    towers: ArrayLike | None = None
    far_towers: bool = False
    cell_m: float = Grain.cell_m
    slot_min: int = Grain.slot_min
    release: Release | Visits | str | Path | None = None
    link: str | Path | None = None
    sensitive: str | None = None
    values: Collection[Any] | None = None
    known_visits: int = 2
    confidence: float = 0.8
    limits: Limits | None = None
    time_zone: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_positive(budget_s=self.budget_s, cell_m=self.cell_m, confidence=self.confidence)
        check_whole(slot_min=self.slot_min)
        check_seed(seed=self.seed)
        check_share(confidence=self.confidence)
        if isinstance(self.known_visits, bool) or self.known_visits not in range(1, MOST_VISITS + 1):
            raise ParameterError(f"known_visits must be 1 or {MOST_VISITS}, got {self.known_visits!r}.")
        self._check_release()
        object.__setattr__(self, "limits", limits_of(self.limits))
        for name in sorted(self.wanted & set(NEEDS)):
            lacking = [WORDS[need] for need in NEEDS[name] if getattr(self, need) is None]
            if lacking:
                raise ParameterError(f"the limit of {name} is about {lacking[0]}, which was not given; give it.")

    def _check_release(self) -> None:
        if self.release is not None and not isinstance(self.release, (Release, UserTable, str, Path)):
            raise ParameterError(f"release must be a Release, visits or a path, got a {type(self.release).__name__}.")
        if self.link is not None and self.release is None:
            raise ParameterError("a link file says who is who in a release; give the release too.")
        if self.values is not None and self.sensitive is None:
            raise ParameterError("values are those of a sensitive attribute; name it too.")
        for name in ("release", "link"):
            object.__setattr__(self, name, _path(getattr(self, name), name))
        if isinstance(self.release, Path) and self.release.is_file():
            object.__setattr__(self, "release", _whole(self.release))
        if self.link is not None:
            read_link(self.link, self.release)  # that of another release is refused

    def limit(self, name: str) -> float | None:
        """The limit of a test: the user's, or the default; None if it has none."""
        return (self.limits or {}).get(name, DEFAULTS[name])

    @cached_property
    def wanted(self) -> frozenset[str]:
        """Tests whose limits the user set."""
        return frozenset(name for name, value in (self.limits or {}).items() if value is not None)


def _path(given: Any, name: str) -> Any:
    """A path that exists, or what else was given."""
    if not isinstance(given, (str, Path)):
        return given
    if not Path(given).exists():
        raise DataError(f"there is no {name} at {Path(given).name}; check the path.")
    return Path(given)


def _whole(path: Path) -> Path:
    """The folder of a release if this is its table; a file that is no table of visits is refused."""
    from incrowd.read._kind import holding

    folder = release_at(path)
    if folder is not None:
        return folder
    if holding(path).noun is None:
        raise DataError(
            f"{path.name} is no release: it was not saved by incrowd and does not have the columns user, cell and slot "
            "of visits; give the folder of the release, or its visits."
        )
    return path


def seconds_of(text: str) -> float:
    """Seconds as a person writes them.

    >>> seconds_of("90s"), seconds_of("10m"), seconds_of("1.5h")
    (90.0, 600.0, 5400.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|)", text.strip().lower(), re.ASCII)
    if match is None or not float(match[1]):
        raise ParameterError("a budget must be a time above 0 such as 90s, 10m or 1h.")
    return float(match[1]) * UNITS[match[2]]

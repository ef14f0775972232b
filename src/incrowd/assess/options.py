"""What is asked of an assessment, checked before any data are read."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from incrowd.assess.questions.sensitive import check_known
from incrowd.assess.thresholds import thresholds_of
from incrowd.attack.people import read_link
from incrowd.data import Release, Table, Visits
from incrowd.data.release_folder import release_at
from incrowd.errors import DataError, ParameterError, check_positive, check_seed, check_whole
from incrowd.measure.lkc.sensitive import share_of

Thresholds = Mapping[str, float | None]
NEEDS = {
    "release": ("release",),
    "release_alone": ("release",),
    "release_sensitive": ("release", "sensitive"),
    "audit": ("release",),
    "sensitive": ("sensitive",),
}
WORDS = {"release": "a release", "sensitive": "the sensitive attribute"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """The keywords of `incrowd.assess.assess`; what has no meaning is refused."""

    budget_s: float = 600
    towers: ArrayLike | None = None
    far_towers: bool = False
    cell_m: float = 500
    slot_min: int = 60
    release: Release | Visits | str | Path | None = None
    link: str | Path | None = None
    sensitive: str | None = None
    values: Collection[Any] | None = None
    known_visits: int = 2
    confidence: float = 0.8
    thresholds: Thresholds | None = None
    time_zone: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_positive(budget_s=self.budget_s, cell_m=self.cell_m)
        check_whole(slot_min=self.slot_min)
        check_seed(seed=self.seed)
        share_of(self.confidence)
        check_known(self.known_visits)
        if self.release is not None and not isinstance(self.release, (Release, Table, str, Path)):
            raise ParameterError(f"release must be a Release, visits or a path, got a {type(self.release).__name__}.")
        if self.link is not None and self.release is None:
            raise ParameterError("a link file says who is who in a release; give the release too.")
        if self.values is not None and self.sensitive is None:
            raise ParameterError("values are those of a sensitive attribute; name it too.")
        thresholds_of(self.thresholds)
        for name in sorted(self.wanted & set(NEEDS)):
            lacking = [WORDS[need] for need in NEEDS[name] if getattr(self, need) is None]
            if lacking:
                raise ParameterError(f"threshold {name} is about {lacking[0]}, which was not given; give it.")
        for name in ("release", "link"):
            object.__setattr__(self, name, _path(getattr(self, name), name))
        if isinstance(self.release, Path) and self.release.is_file():
            object.__setattr__(self, "release", _whole(self.release))
        if self.link is not None:
            read_link(self.link, self.release)  # that of another release is refused

    @cached_property
    def limits(self) -> Thresholds:
        """The threshold of every question."""
        return thresholds_of(self.thresholds)

    @cached_property
    def wanted(self) -> frozenset[str]:
        """Questions whose thresholds the user set."""
        return frozenset(name for name, value in (self.thresholds or {}).items() if value is not None)


def _path(given: Any, name: str) -> Any:
    """A path that exists, or what else was given."""
    if not isinstance(given, (str, Path)):
        return given
    if not Path(given).exists():
        raise DataError(f"there is no {name} at {Path(given).name}; check the path.")
    return Path(given)


def _whole(path: Path) -> Path:
    """The folder of a release where this is its table; a file that is no table of visits is refused."""
    from incrowd.read._kind import is_saved, is_visits

    folder = release_at(path)
    if folder is not None:
        return folder
    if not is_saved(path) and not is_visits(path):
        raise DataError(
            f"{path.name} is no release: it was not saved by incrowd, nor has it the columns user, cell and slot of "
            "visits; give the folder of the release, or its visits."
        )
    return path

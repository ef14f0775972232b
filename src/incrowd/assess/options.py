"""What is asked of an assessment, checked before any data are read."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from incrowd.assess.earlier_releases import LAST, earlier_option
from incrowd.assess.limits import DEFAULTS, Level, Limit, Limits, limits_of
from incrowd.attack.people import read_link
from incrowd.clock import HOUR_S
from incrowd.data import Counts, Release, UserTable, Visits
from incrowd.data.release_folder import release_at
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, ParameterError, check_positive, check_seed, check_whole

RECORDS = 4  # known of a person, as in most of the literature
PEOPLE = 2_000  # asked about, where everybody would take too long
FEWEST_PEOPLE = 1_000  # a smaller sample is shopping
UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": HOUR_S}


@dataclass(frozen=True, kw_only=True, eq=False)
class Options:
    """The keywords of `incrowd.assess.assess`; what has no meaning is refused."""

    budget_s: float = 600
    towers: ArrayLike | None = None
    far_towers: bool = False
    cell_m: float | None = None
    slot_min: int | None = None
    release: Release | Visits | str | Path | None = None
    link: str | Path | None = None
    same_labels: bool = False
    sensitive: str | None = None
    values: Collection[Any] | None = None
    harmless: Collection[str] = ()
    publish_columns: Collection[str] | None = None
    earlier: Any = None  # a folder, or what was found in it: EarlierReleases once checked
    earlier_links: str | Path | None = None
    earlier_last: int = LAST
    records: int = RECORDS
    people: int = PEOPLE
    level: Level = "standard"
    limits: Limits | None = None
    override: str | None = None
    min_people: int = 10
    outline: str | Path | None = None
    time_zone: str | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        check_positive(budget_s=self.budget_s, cell_m=self.side_m)
        check_whole(slot_min=self.width_min, records=self.records, people=self.people, min_people=self.min_people)
        if self.seed is not None:
            check_seed(seed=self.seed)
        if self.override is not None and not self.override.strip():
            raise ParameterError("override needs a reason, in words; it is the first line of the page.")
        for name in ("harmless", "publish_columns"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else given)
        self._check_release()
        earlier = earlier_option(self.earlier, self.earlier_links, self.earlier_last, released=self.release is not None)
        object.__setattr__(self, "earlier", earlier)
        self.limit("lookup")  # limits that have no meaning are refused

    @property
    def side_m(self) -> float:
        """Side of a cell for raw records."""
        return Grain.cell_m if self.cell_m is None else self.cell_m

    @property
    def width_min(self) -> int:
        """Width of a slot for raw records."""
        return Grain.slot_min if self.slot_min is None else self.slot_min

    @cached_property
    def all_limits(self) -> dict[str, Limit]:
        """The limit of every number."""
        return limits_of(self.limits, self.level)

    def _check_release(self) -> None:
        if self.release is not None and not isinstance(self.release, (Release, UserTable, Counts, str, Path)):
            raise ParameterError(f"release must be a Release, visits or a path, got a {type(self.release).__name__}.")
        if self.link is not None and self.release is None:
            raise ParameterError("a link file says who is who in a release; give the release too.")
        if self.values is not None and self.sensitive is None:
            raise ParameterError("values are those of a sensitive attribute; name it too.")
        for name in ("release", "link"):
            object.__setattr__(self, name, _path(getattr(self, name), name))
        if isinstance(self.release, Path) and self.release.is_file():
            object.__setattr__(self, "release", _whole(self.release))
        if self.same_labels and isinstance(self.release, Path) and self.release.is_dir():
            raise ParameterError("pseudonyms of a release folder are not labels of people; give its link file instead.")
        if self.link is not None:
            read_link(self.link, self.release)  # that of another release is refused

    def limit(self, name: str) -> Limit:
        """The limit of a test: the user's, or the default."""
        return self.all_limits[name]

    @cached_property
    def wanted(self) -> frozenset[str]:
        """Tests whose limits the user set."""
        return frozenset(name for name, limit in self.all_limits.items() if limit.by_user and limit.value is not None)

    def shopping(self, published: Any = None, everybody: int | None = None) -> Iterator[str]:
        """What makes a verdict easier than it should be, each without a full stop.

        Args:
            published: What the release publishes, if one is judged.
            everybody: How many people there are; None before anything was read, and then only limits and records are
                looked at.
        """
        for name, limit in self.all_limits.items():
            if limit.by_user and limit.shopped and DEFAULTS[name].value is not None:
                yield f"the limit of {name} is {'none' if limit.value is None else limit}"
        if self.records < RECORDS:
            yield f"only {self.records} known records are assumed, fewer than {RECORDS}"
        if everybody is None:
            return
        if self.people < min(FEWEST_PEOPLE, everybody):
            yield f"only {self.people:,} people are asked about, fewer than {FEWEST_PEOPLE:,}"
        if self.earlier is not None and self.earlier_last < LAST and self.earlier.older:
            yield f"only {self.earlier_last} of the earlier releases are attacked with, fewer than {LAST}"
        for name, given, unit in (("cell_m", self.cell_m, "m"), ("slot_min", self.slot_min, "min")):
            own = getattr(published, name, None) or getattr(Grain, name)
            if given is not None and given > own:
                yield f"{name} was set to {given:g} {unit}, coarser than what is published"


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
            f"{path.name} is not a release: it was not saved by incrowd and does not have the columns user, cell and "
            "slot of visits; give the folder of the release, or its visits."
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

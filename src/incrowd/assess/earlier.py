"""Releases that were published before, their link files, and one of them beside the new release."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from incrowd.arrays import Ints
from incrowd.attack.link.sides import as_visits, on_grid
from incrowd.attack.people import nobody, read_link
from incrowd.data import Groups, Traces, Visits
from incrowd.data.release_folder import MANIFEST, TABLES, id_in, link_id, manifest_in, sha256_of
from incrowd.discretize import alike
from incrowd.errors import DataError, ParameterError, check_whole
from incrowd.plain import several

if TYPE_CHECKING:
    from incrowd.assess.dataset import Dataset
    from incrowd.assess.subject import Subject

LAST = 7  # releases before the new one: a week of nights
FIRST_RUN = "this was said to be the first run, so no earlier release was attacked with"
Views = tuple[Literal["places", "rhythm", "week", "moments"], ...]
UNSCORED = "its link file was not kept, so who was recognised rightly is not scored"
NOBODY_COMMON = "its link file names nobody who is in the new release, so who was recognised rightly is not scored"
FEW_COMMON = "its link file names few people of the new release, so it is not scored who else was recognised"
CROSSED = "one release has larger cells and the other longer slots, so they cannot be compared; publish both alike"
ORIGINS = "the cells of the two releases are counted from different origins; publish both with one origin"
APART = "the cells of the two releases have no places and are not the same ones, so rows cannot be compared"
MOST = 0.5  # of the earlier rows or visits, that the new release must know


@dataclass(frozen=True, kw_only=True)
class EarlierRelease:
    """A release that was published before.

    Args:
        name: Its folder, as seen from the folder of all of them.
        folder: Where it is.
        ident: The id in its manifest.
        sha256: Digest of its manifest, which holds those of its other files.
        link: Its link file, if it was kept.
        vouched: Whether the link file is known to be the one that was written with it; if not, both what it scores and
            what is known without it are judged.
    """

    name: str
    folder: Path
    ident: str
    sha256: str
    link: Path | None = None
    vouched: bool = True

    def check(self) -> None:
        """Refuse a release whose files are not those that its manifest lists."""
        try:
            listed = dict(manifest_in(self.folder)["files"])
            same = all(sha256_of(self.folder / name) == digest for name, digest in listed.items())
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            same = False
        if not same or not listed:
            raise DataError(f"the earlier release {self.name} is not as it was published; restore it from a backup")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, without the folders of this machine."""
        return {"name": self.name, "id": self.ident, "sha256": self.sha256, "link": self.link is not None}


@dataclass(frozen=True, kw_only=True)
class EarlierReleases:
    """What a new release is attacked with.

    Args:
        releases: The newest ones, the newest first.
        older: How many older ones were left out.
        fault: Why the attack cannot be made; empty if it can.
        first: Whether somebody said that there is no earlier release.
    """

    releases: tuple[EarlierRelease, ...] = ()
    older: int = 0
    fault: str = ""
    first: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        listed = [one.to_dict() for one in self.releases]
        return {"releases": listed, "older": self.older, "fault": self.fault, "first": self.first}


def earlier_in(folder: str | Path, links: str | Path | None = None, last: int = LAST) -> EarlierReleases:
    """The newest releases in a folder with their link files, or why there is nothing to attack with.

    Args:
        folder: Where earlier releases are, each in a folder of its own, at any depth.
        links: Where their link files are, if they were kept.
        last: How many of them to take, the newest first by what their manifests say.
    """
    check_whole(earlier_last=last)
    try:
        listed = sorted({one.ident: one for one in releases_in(Path(folder))}.values(), key=begins, reverse=True)
        link_files = {} if links is None else links_in(Path(links))
    except DataError as error:
        return EarlierReleases(fault=str(error).rstrip("."))
    if not listed:
        return EarlierReleases(fault=f"there is no release in {Path(folder).name}, the folder of earlier releases")
    releases = tuple(with_link(one, link_files) for one in listed[:last])
    return EarlierReleases(releases=releases, older=len(listed) - len(releases))


def releases_in(folder: Path) -> Iterator[EarlierRelease]:
    """Every release in a folder, in the order of their names; one that cannot be read is refused."""
    if not folder.is_dir():
        raise DataError(f"there is no folder {folder.name} of earlier releases")
    seen: dict[str, EarlierRelease] = {}
    for place in _places(folder):
        name = place.relative_to(folder).as_posix()
        ident = id_in(place)
        if ident is None:
            raise DataError(f"the earlier release {name} has no manifest that can be read")
        release = EarlierRelease(name=name, folder=place, ident=ident, sha256=sha256_of(place / MANIFEST))
        if seen.setdefault(ident, release).sha256 != release.sha256:
            raise DataError(f"the earlier releases {seen[ident].name} and {name} have one id and are not the same")
        yield release


def _places(folder: Path) -> Iterator[Path]:
    """Every folder at any depth, behind links too, that has a manifest or the table of a release."""
    seen: set[str] = set()
    for place, folders, files in os.walk(folder, onerror=_refuse, followlinks=True):
        if (real := os.path.realpath(place)) in seen:
            folders.clear()
            continue
        seen.add(real)
        unfinished = {name for name in folders if name.startswith(".") and name.endswith(".part")}
        folders[:] = sorted(set(folders) - unfinished)
        if not {MANIFEST, *TABLES}.isdisjoint(files):
            yield Path(place)


def _refuse(error: OSError) -> None:
    raise DataError("a folder of earlier releases cannot be read; check its permissions") from error


def links_in(folder: Path) -> Mapping[str, Path]:
    """The link files in a folder, by the id of their release."""
    if not folder.is_dir():
        raise DataError(f"there is no folder {folder.name} of the link files of earlier releases")
    named = ((link_id(path), path) for path in sorted(folder.glob("*.csv")))
    return {ident: path for ident, path in named if ident is not None}


def with_link(release: EarlierRelease, links: Mapping[str, Path]) -> EarlierRelease:
    """The release with its link file, if that was kept."""
    return replace(release, link=links.get(release.ident))


def earlier_option(earlier: Any, links: Any, last: int, *, released: bool) -> EarlierReleases | None:
    """Earlier releases as an option gives them: a folder, what was found in one, or None."""
    if earlier is None:
        if links is not None:
            raise ParameterError("link files of earlier releases are of no use without them; name their folder too.")
        return None
    if not released:
        raise ParameterError("earlier releases are attacked together with a new one; give the release too.")
    return earlier if isinstance(earlier, EarlierReleases) else earlier_in(earlier, links, last)


def listed(releases: Sequence[EarlierRelease], older: int) -> str:
    """How many releases, in words."""
    more = f", the newest of {len(releases) + older:,}" if older else ""
    return f"{several(len(releases), 'earlier release')}{more}"


def begins(release: EarlierRelease) -> tuple[int, str]:
    """When a release begins, as its manifest says; its name decides between those that do not say."""
    try:
        start = manifest_in(release.folder)["clock"]["start"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        start = None
    return (start if isinstance(start, int) else 0), release.name


@dataclass(frozen=True, eq=False)
class Pair:
    """An earlier release and the new one as visits on the same cells and clock, and who is who.

    Args:
        subject: The new release.
        earlier: The rows that were published before.
        members: Positions of the people behind each of them among the people of the new data; none if that is unknown.
        target: The rows of the new release.
        why_unscored: Why it is not known who is who.
        asked: Earlier rows that are asked about where nothing is scored; all of them if None.
    """

    subject: "Subject"
    earlier: Visits
    members: Groups
    target: Visits
    why_unscored: str
    asked: Ints | None = None

    @classmethod
    def of(cls, one: EarlierRelease, table: Any, data: "Dataset") -> "Pair":
        """Put both on the cells and slots of the coarser one."""
        subject, why = data.subject, "" if one.link else UNSCORED
        members = nobody(len(table))
        if one.link is not None:
            members = read_link(one.link, one.folder).members(table, subject.original)
            if not np.isin(members.positions, subject.present).any():
                members, why = nobody(len(table)), NOBODY_COMMON
        earlier = _as_visits(table, subject)
        earlier, target = _same_grain(earlier, subject.visits)
        return cls(subject, earlier, members, target, why)

    @property
    def scored(self) -> bool:
        """Whether it is known who is who."""
        return not self.why_unscored

    @property
    def unknown(self) -> Ints:
        """The earlier rows behind which the link knows nobody of the new release."""
        there = np.isin(self.members.positions, self.subject.present)
        rows = np.repeat(np.arange(len(self.members)), np.diff(self.members.offsets))[there]
        return np.setdiff1d(np.arange(len(self.members)), rows)

    @property
    def known_by_most(self) -> bool:
        """Whether the link knows somebody of the new release behind most of the earlier rows."""
        return len(self.unknown) <= (1 - MOST) * len(self.members)

    @property
    def single(self) -> bool:
        """Whether everybody has one row at most in each of them, as far as that is known."""
        twice = np.unique(self.members.positions, return_counts=True)[1].max(initial=0) > 1
        several_rows = np.diff(self.subject.rows.offsets).max(initial=0) > 1
        in_crowds = max(self.subject.crowd.max(initial=1), np.diff(self.members.offsets).max(initial=0)) > 1
        return not (twice or several_rows or in_crowds)

    @property
    def views(self) -> list[Views]:
        """What is compared: places and rhythm, and moments too where the two periods overlap."""
        usual: Views = ("places", "rhythm")
        ours, theirs = self.earlier, self.target
        clocked = None not in (ours.start, theirs.start, ours.slot_min, theirs.slot_min)
        if not clocked:
            return [("places",)]
        first, width = (int(side.start or 0) for side in (ours, theirs)), 60 * (ours.slot_min or 1)
        slots = [start // width + side.slot for start, side in zip(first, (ours, theirs), strict=True)]
        return [usual, ("places", "rhythm", "moments")] if np.isin(slots[0], slots[1]).any() else [usual]

    def crowd_of(self, rows: Ints) -> Ints:
        """For each of some earlier rows the fewest people among whom one of its people stands in the new release."""
        crowd = self.subject.per_person(self.subject.crowd)
        large = np.iinfo(np.int64).max
        sizes = [crowd[self.members[row]] for row in rows.tolist()]
        return np.array([min((int(one) for one in own if one), default=large) for own in sizes], np.int64)


def _as_visits(table: Any, subject: "Subject") -> Visits:
    if isinstance(table, Visits):
        return table
    if isinstance(table, Traces):
        return alike(table, subject.visits)
    visits: Visits = as_visits(table, subject.visits)
    return visits


def _same_grain(ours: Visits, theirs: Visits) -> tuple[Visits, Visits]:
    """Both in the cells and slots of the coarser one; earlier cells that are not among the new ones in the nearest."""
    if ours.xy is None or theirs.xy is None:
        if np.isin(ours.cell, theirs.cell).mean() < MOST:
            raise DataError(APART)
        return ours, theirs
    if ours.xy is theirs.xy:  # boxes, which were put on these cells
        return ours, theirs
    grains = [(side.cell_m or 0, side.slot_min or 0) for side in (ours, theirs)]
    if all(a >= b for a, b in zip(*grains, strict=True)) and grains[0] != grains[1]:
        return ours, replace(on_grid(theirs, ours), cell_m=ours.cell_m)
    if all(a <= b for a, b in zip(*grains, strict=True)):
        if None not in (ours.crs, theirs.crs) and ours.crs != theirs.crs:
            raise DataError(ORIGINS)
        return replace(on_grid(ours, theirs), cell_m=theirs.cell_m, xy=theirs.xy), theirs
    raise DataError(CROSSED)

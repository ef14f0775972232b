"""Releases that were published before, and where kept their link files: what a new release is attacked with."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incrowd.data.files import is_temporary
from incrowd.data.release_folder import (
    ATTESTED,
    MANIFEST,
    TABLES,
    attestation_of,
    id_in,
    link_id,
    manifest_in,
    sha256_of,
)
from incrowd.errors import DataError, ParameterError, check_whole
from incrowd.plain import several

BESIDE = (".html", ATTESTED, ".md", ".pdf", ".xml")  # pages and attestations, which hold no records
HIDDEN = (".DS_Store", ".gitignore", ".gitkeep")  # nothing was published in them either
LAST = 7  # releases before the new one: a week of nights
FIRST_RUN = "this was said to be the first run, so no earlier release was attacked with"


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
        """Refuse a release whose files are not those that its manifest lists, or whose table it does not list."""
        try:
            listed = dict(manifest_in(self.folder)["files"])
            there = {path.name for path in self.folder.iterdir() if not path.is_dir() and may_hold_records(path.name)}
            same = there <= {*listed, MANIFEST} and len(there.intersection(TABLES)) == 1
            same = same and all(sha256_of(self.folder / name) == one for name, one in listed.items())
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            same = False
        if not same:
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
        listed = sorted(by_id(releases_in(Path(folder))).values(), key=begins, reverse=True)
        kept = {} if links is None else links_in(Path(links))
    except DataError as error:
        return EarlierReleases(fault=str(error).rstrip("."))
    if not listed:
        return EarlierReleases(fault=f"there is no release in {Path(folder).name}, the folder of earlier releases")
    releases = tuple(_vouched(with_link(one, kept)) for one in listed[:last])
    return EarlierReleases(releases=releases, older=len(listed) - len(releases))


def releases_in(folder: Path) -> Iterator[EarlierRelease]:
    """Every release in a folder, in the order of their names; what may be one and cannot be read is refused."""
    if not folder.is_dir():
        raise DataError(f"there is no folder {folder.name} of earlier releases")
    for place in _places(folder):
        name = place.relative_to(folder).as_posix()
        ident = id_in(place)
        if ident is None:
            raise DataError(f"the earlier release {name} has no manifest that can be read")
        yield EarlierRelease(name=name, folder=place, ident=ident, sha256=sha256_of(place / MANIFEST))


def by_id(releases: Iterable[EarlierRelease]) -> dict[str, EarlierRelease]:
    """Releases by their ids, each once; two that differ and have one id are refused."""
    once: dict[str, EarlierRelease] = {}
    for one in releases:
        if once.setdefault(one.ident, one).sha256 != one.sha256:
            raise DataError(
                f"the earlier releases {once[one.ident].name} and {one.name} have one id and are not the same"
            )
    return once


def _places(folder: Path) -> Iterator[Path]:
    """Every folder at any depth, behind links too, that has a manifest or the table of a release.

    A file elsewhere that is no page may hold what was published before, packed or behind a link that leads nowhere.
    """
    seen: set[str] = set()
    for place, folders, files in os.walk(folder, onerror=_refuse, followlinks=True):
        if (real := os.path.realpath(place)) in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not is_temporary(name))
        for name in files:
            if name.endswith(ATTESTED):
                _refuse_gone(Path(place, name))
        if not {MANIFEST, *TABLES}.isdisjoint(files):
            yield Path(place)
        elif strange := sorted(filter(may_hold_records, files)):
            raise DataError(
                f"{strange[0]} is among the earlier releases and is none; move it away if it was never published"
            )
        elif not files and not folders and real != os.path.realpath(folder):
            raise DataError(
                f"{Path(place).name} is among the earlier releases and is empty; restore what was published in it, or "
                "remove it"
            )


def may_hold_records(name: str) -> bool:
    """Whether a file of this name may hold what was published: anything but pages.

    >>> may_hold_records("page.html"), may_hold_records("data.json"), may_hold_records(".data.parquet")
    (False, True, True)
    """
    return not name.endswith(BESIDE) and name not in HIDDEN


def _refuse_gone(page: Path) -> None:
    """Refuse an attestation of a release that passed and is not beside it any more, or is another one."""
    passed, attested = _attested(page, "release")
    for name, digest in attested.items() if passed else ():
        manifest = page.parent / name
        if manifest.name == MANIFEST and not (manifest.is_file() and sha256_of(manifest) == digest):
            raise DataError(
                f"{page.parent.name}/{page.name} attests a release that passed and is not there as it was; restore it, "
                "or move its pages away if it was never published"
            )


def _attested(page: Path, role: str) -> tuple[bool, dict[str, str]]:
    """Whether an attested assessment passed, and the digests of the files of a role by their names."""
    try:
        stated = json.loads(page.read_text(encoding="utf-8"))
        files = {str(one["name"]): str(one["sha256"]) for one in stated["head"]["files"] if one["role"] == role}
        return stated["passed"] is True, files
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"{page.parent.name}/{page.name} cannot be read as an assessment; restore it") from None


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


def _vouched(release: EarlierRelease) -> EarlierRelease:
    """Whether the assessment beside a release attests its link file."""
    page = attestation_of(release.folder)
    if release.link is None or not page.is_file():
        return replace(release, vouched=False)
    return replace(release, vouched=sha256_of(release.link) in _attested(page, "link")[1].values())


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

"""What a gate published before: all that its history lists, and whatever else is in the folders of earlier releases."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from incrowd.assess.digests import JudgedFile, digest_of_data
from incrowd.assess.earlier_releases import (
    LAST,
    EarlierRelease,
    EarlierReleases,
    begins,
    by_id,
    links_in,
    releases_in,
    with_link,
)
from incrowd.data.release_folder import sha256_of
from incrowd.errors import DataError, ParameterError
from incrowd.gate.keys import COUNTS
from incrowd.gate.records import RunRecord
from incrowd.gate.settings import GateSettings
from incrowd.plain import several

NOTHING = "no earlier release is known; if nothing was ever published, say so once (--first-run)"
AGAIN = "run {} published the same data already; the noise of counts that are published again averages out"
NOT_FIRST = "this is not the first run: {} published before; leave --first-run out."


def earlier_of(settings: GateSettings, runs: Sequence[RunRecord], *, first_run: bool) -> EarlierReleases:
    """What today's release is attacked with, or why that cannot be done.

    Args:
        settings: What incrowd.toml says.
        runs: The history.
        first_run: Whether somebody says that nothing was published before.
    """
    last = settings["assess"].get("earlier_last", LAST)
    written = {run.release_id: run for run in runs if run.release_id is not None}
    try:
        there = by_id(all_releases(settings))
        _refuse_orphans(settings, {*written, *there})
        if first_run:
            _refuse_first(written, there)
            return EarlierReleases(first=True)
        for run in list(written.values())[-last:]:
            _check_there(run, there)
        newest = [there[ident] for ident in reversed(written) if ident in there]
        others = sorted((one for ident, one in there.items() if ident not in written), key=begins, reverse=True)
        kept = dict(_links(settings))
        taken = [_linked(one, kept, written) for one in (*newest[:last], *others[:last])]
    except DataError as error:
        return EarlierReleases(fault=str(error).rstrip("."))
    if not taken:
        return EarlierReleases(fault=NOTHING)
    return EarlierReleases(releases=tuple(taken), older=len(newest) + len(others) - len(taken))


def not_counted_again(
    earlier: EarlierReleases, settings: GateSettings, runs: Sequence[RunRecord], files: Sequence[JudgedFile]
) -> EarlierReleases:
    """The same, or why it is no answer: counts of data that were published before, whose noise would average out.

    Args:
        earlier: What today's release is attacked with.
        settings: What incrowd.toml says.
        runs: The history.
        files: The files of the source.
    """
    same = digest_of_data(files)
    again = next((run for run in runs if run.release_id is not None and run.data_sha256 == same), None)
    if settings.method != COUNTS or again is None:
        return earlier
    return EarlierReleases(fault=AGAIN.format(f"{again.number} ({again.name})"))


def known_releases(settings: GateSettings, runs: Sequence[RunRecord]) -> frozenset[str]:
    """The ids of all releases in the history and in the folders; none of a folder that cannot be read."""
    listed = {run.release_id for run in runs if run.release_id is not None}
    try:
        return frozenset(listed | {one.ident for one in all_releases(settings)})
    except DataError:
        return frozenset(listed)


def all_releases(settings: GateSettings) -> Iterator[EarlierRelease]:
    """Every release in the folder that the file names and in that of the gate's own runs."""
    named, own = settings["assess"].get("earlier"), settings.outputs.folder
    if named is not None:
        listed = list(releases_in(named))
        if not listed:
            raise DataError(f"there is no release in {named.name}, the folder of earlier releases")
        yield from listed
    if own.is_dir():
        yield from releases_in(own)


def _refuse_first(written: Mapping[str, RunRecord], there: Mapping[str, EarlierRelease]) -> None:
    many = max(len(written), len(there))
    if many:
        raise ParameterError(NOT_FIRST.format(f"{several(many, 'release was', 'releases were')}"))


def _check_there(run: RunRecord, there: Mapping[str, EarlierRelease]) -> None:
    """Refuse a release of the history that is gone or was changed."""
    release = there.get(run.release_id or "")
    if release is None:
        raise DataError(f"the release of run {run.number} ({run.name}) is in the history and not in its folder")
    if release.sha256 != run.release_sha256:
        raise DataError(f"the release of run {run.number} ({run.name}) is not the one that was published")


def _refuse_orphans(settings: GateSettings, known: Collection[str]) -> None:
    """Refuse a link file of a release that nobody knows any more: something was published and taken away."""
    own = settings.outputs.links
    for ident, path in links_in(own).items() if own is not None and own.is_dir() else ():
        if ident not in known:
            raise DataError(
                f"the link file {path.name} is of a release that is neither in the history nor in a folder; restore "
                "the release, or remove the link file if it was never published"
            )


def _links(settings: GateSettings) -> Iterator[tuple[str, Path]]:
    named, own = settings["assess"].get("earlier_links"), settings.outputs.links
    if named is not None:
        yield from links_in(named).items()
    if own is not None and own.is_dir():
        yield from links_in(own).items()


def _linked(release: EarlierRelease, links: Mapping[str, Path], written: Mapping[str, RunRecord]) -> EarlierRelease:
    """With its link file; one that the history knows must be the one that it knows."""
    release = with_link(release, links)
    run = written.get(release.ident)
    if run is None or run.link_sha256 is None:
        return replace(release, vouched=False)
    if release.link is None:
        raise DataError(f"the link file of run {run.number} ({run.name}) was kept and is gone; restore it")
    if sha256_of(release.link) != run.link_sha256:
        raise DataError(f"the link file of run {run.number} ({run.name}) is not the one that was written with it")
    return release

"""A dataset, and a release of it -> the parts of one page; what is left out is named, with the command that does it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from incrowd import discretize, measure, read
from incrowd.anonymize import glove_estimate
from incrowd.assess.subject import origin_of
from incrowd.attack.people import read_link
from incrowd.data import Fingerprints, Groups, Release, Traces, UserTable, Visits
from incrowd.data.release_folder import ledger_of, release_at
from incrowd.errors import DataError
from incrowd.measure.glove.accuracy import extents, relinked
from incrowd.show import Section, section_of

MOST_S = 60  # that the k-gap and its tails may take, by their estimate
GOOD = "What is the release still good for?"
HIDING = "How much blurring until everyone looks like one other person? (0: none, 1: 20 km and 8 h)"
SMALLEST = (
    "The release does not say which box generalises which sample: each is looked up in the smallest published box of "
    "its person's group that holds it."
)


def overview(
    data: Traces | Visits | Fingerprints,
    visits: Visits | None,
    *,
    points: Sequence[int],
    seed: int,
    outline: Path | None = None,
    **clock: Any,
) -> list[Any]:
    """What is in the data, and how many people are identified in them and where.

    `outline` is drawn around the map, and `clock` names the time zone of records.
    """
    parts: list[Any] = [measure.summary(data, time_zone=clock.get("time_zone"))] if isinstance(data, Traces) else []
    if visits is not None:
        shorts: tuple[Literal["drop", "all"], ...] = ("drop", "all")
        parts.append([measure.uniqueness(visits, points=m, short=s, seed=seed) for s in shorts for m in points])
        parts.append(_exposed(visits, outline))
    if isinstance(data, Traces):
        data = discretize.fingerprints(data, **clock)
    return parts + hiding(data) if isinstance(data, Fingerprints) else parts


def _exposed(visits: Visits, outline: Path | None) -> measure.Exposure:
    exposed = measure.exposure(visits)
    return exposed if outline is None else replace(exposed, risk_map=measure.risk_map(visits, outline=outline))


def hiding(prints: Fingerprints) -> list[Any]:
    """The k-gap and its tails of a few people; of many, which commands compute them."""
    if len(prints) < 2:
        return []
    estimate = glove_estimate(prints)
    if estimate.seconds > MOST_S:
        left = f"Left out: it takes {estimate.about}. Run incrowd measure kgap and incrowd measure tails."
        return [Section(HIDING, left)]
    return [measure.kgap(prints), measure.tails(prints)]


def about_release(
    release: Path, data: Traces | Visits | Fingerprints, visits: Visits | None, *, link: Path | None
) -> list[Any]:
    """What a release is good for, and its audit against the data it was made from."""
    from incrowd import audit

    release = release_at(release) or release
    published = read.release(release) if release.is_dir() else read.saved(release)
    if isinstance(published, Fingerprints):
        parts = _boxes(release, published, data, link)
    else:
        parts = [_useful(release, published, data, visits, link)]
    return [*parts, audit.check(release, original=data, link=link)]


def _useful(release: Path, published: Any, data: Any, visits: Visits | None, link: Path | None) -> Any:
    """Visits before and after; points are put on the squares and slots of the side that has its own."""
    if visits is None:
        return Section(GOOD, "Left out: the original data are neither trajectories nor visits; give those.")
    try:
        if isinstance(published, Traces):
            published = discretize.alike(published, visits, cell_m=visits.cell_m or 500)
        elif isinstance(data, Traces) and isinstance(published, Visits) and published.cell_m is not None:
            visits = discretize.alike(data, published)
        sizes = [side.cell_m for side in (visits, published) if isinstance(side, Visits) and side.cell_m]
        if link is not None:
            published = Release(published, _members(release, published, visits, link))
        return measure.utility(visits, published, cell_m=max(sizes, default=1000))
    except DataError as error:
        return Section(GOOD, f"Left out: {error}")


def _boxes(release: Path, published: Fingerprints, data: Any, link: Path | None) -> list[Any]:
    """Published extents, and what became of each original sample if the link says who is who."""
    parts: list[Any] = [extents(published, ledger_of(release) if release.is_dir() else None)]
    if link is None or isinstance(data, Visits):
        return parts
    try:
        original = _boxed_alike(data, published) if isinstance(data, Traces) else data
        named = relinked(published, _members(release, published, original, link), original)
        part = section_of(measure.accuracy(named, original))
    except DataError as error:
        return [*parts, Section("How coarse did the data become?", f"Left out: {error}")]
    return [*parts, replace(part, method=[SMALLEST, *part.method[1:]])]


def _boxed_alike(traces: Traces, published: Fingerprints) -> Fingerprints:
    """Fingerprints in the plane of the published ones, by their clock."""
    origin = origin_of(published.crs, traces)
    return discretize.fingerprints(traces, origin=origin, start=published.start, time_zone=published.time_zone)


def _members(release: Path, published: UserTable, original: UserTable, link: Path) -> Groups:
    listed = read_link(link, release)
    members = listed.members(published, original)
    if len(members.positions) < len(listed.people):
        raise DataError("the link file names people who are not in the release or not in the original data.")
    return members

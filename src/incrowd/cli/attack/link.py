"""How `incrowd attack link` comes by two sides on the same squares and slots."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from incrowd import attack
from incrowd.cli.inputs import in_python, is_records, source_in_python, visits_of
from incrowd.cli.options import Force, Json, lon_lat, takes
from incrowd.cli.reading import Origin, ReadingOptions, one_or_many, reads
from incrowd.cli.screen import Report, check_page, present, progress_bar, say, write_page
from incrowd.data import Fingerprints, Release, Traces, Visits
from incrowd.data.release_folder import manifest_in, release_at
from incrowd.discretize import alike
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, ParameterError, check_positive, check_whole
from incrowd.plain import to_json
from incrowd.read.plane import origin_of

CELL_M, SLOT_MIN = 500, 60
SCORE = (
    Annotated[Literal["evidence", "histogram", "overlap"] | None, typer.Option(help="How two people are compared.")],
    None,
)
VIEWS = (
    Annotated[
        list[str] | None,
        typer.Option("--view", help="What is compared: places, rhythm, week or moments; give it again for more."),
    ],
    None,
)


def sides_of(
    known: str,
    target: str,
    reading: ReadingOptions,
    *,
    cell_m: float | None,
    slot_min: int | None,
    origin: str | None,
    start: str | None,
    near: bool,
) -> list[Visits | Release]:
    """Both sides; one of trajectories takes squares and slots of the other, or of the known where both are.

    `near` cells may match too, so that the other need not be on squares. Options about records are for the sides that
    have records. A release, of visits or of points, is ranked only: its pseudonyms are not labels of people.
    """
    if cell_m is not None:
        check_positive(cell_m=cell_m)
    if slot_min is not None:
        check_whole(slot_min=slot_min)
    sources = (known, target)
    files = [release_at(source) is None and is_records(source, reading) for source in sources]
    if all(files) and reading.bad_rows is not None:
        raise ParameterError(
            "--bad-rows takes the rows of one source, and both are trajectories; run incrowd discretize on one first."
        )
    rest = replace(reading, bad_rows=None, time_zone=None) if any(files) else reading
    width = SLOT_MIN if slot_min is None else slot_min
    sides: list[Any] = [
        _Ungridded(source, reading) if raw else _side(source, rest, width)
        for source, raw in zip(sources, files, strict=True)
    ]
    points = [isinstance(side, _Ungridded) for side in sides]
    side_m = CELL_M if cell_m is None else cell_m
    if all(points):
        first = sides[0].on_grid(cell_m=side_m, slot_min=width, origin=lon_lat(origin), start=start)
        return [first, sides[1].alike(table_in(first), start=start)]
    for name, value in {"origin": origin, "start": start}.items():
        if value is not None:
            raise ParameterError(f"one side has its squares and slots already; leave --{name} out.")
    if any(points):
        there = points.index(False)
        like = table_in(sides[there])
        if isinstance(like, Fingerprints):
            grain: dict[str, Any] = {"cell_m": side_m, "slot_min": width, "origin": origin_of(like.crs)}
            sides[1 - there] = sides[1 - there].on_grid(**grain)
            return sides
        _check_grain(like, cell_m=cell_m, slot_min=slot_min)
        if like.cell_m is None and not near:
            raise DataError(
                "one side is at cells that are not squares of a grid, where trajectories on a grid meet none of them; "
                "run incrowd discretize on the trajectories with the same towers, blocks or zones, or pass "
                "--tolerance-m."
            )
        sides[1 - there] = sides[1 - there].alike(like, cell_m=like.cell_m or side_m)
    return sides


def sides_in_python(known: str, target: str, reading: ReadingOptions, sides: list[Visits | Release]) -> str | None:
    """The calls that make both sides; None if a release publishes no cells, as these are put on squares here."""
    sources, made = {"known": known, "target": target}, {}
    folders = {name: release_at(source) for name, source in sources.items()}
    if any(folder is not None and manifest_in(folder)["noun"] != "Visits" for folder in folders.values()):
        return None
    raw = [name for name, source in sources.items() if folders[name] is None and is_records(source, reading)]
    grain = Grain(table_in(sides[0]).cell_m or CELL_M, table_in(sides[0]).slot_min or SLOT_MIN)
    first, second = raw if len(raw) == 2 else sorted(sources, key=raw.__contains__)
    for name in (first, second):
        folder = folders[name]
        made[name] = source_in_python([sources[name]], reading, grain) if folder is None else repr(str(folder))
    if second in raw:  # on the squares and slots of the other
        like = first if folders[first] is None else f"ic.read.release({first})"
        how = {} if table_in(sides[0]).cell_m else {"cell_m": CELL_M}
        made[second] = in_python(alike, f"{sources[second]!r}, {like}", **how, **reading.arguments())
    return "; ".join(f"{name} = {call}" for name, call in made.items())


@dataclass(frozen=True)
class _Ungridded:
    """Trajectories that are not on squares yet: of a file, or published in a release."""

    source: str | Traces
    reading: ReadingOptions

    def on_grid(self, **grain: Any) -> Visits | Release:
        from incrowd import discretize

        return self._ranked(discretize.grid(self._opened, **grain, **self._how))

    def alike(self, like: Visits, **how: Any) -> Visits | Release:
        from incrowd import discretize

        return self._ranked(discretize.alike(self._opened, like, **how, **self._how))

    @property
    def _opened(self) -> Any:
        return one_or_many([self.source]) if isinstance(self.source, str) else self.source

    @property
    def _how(self) -> dict[str, Any]:
        how = self.reading.arguments()
        return how if isinstance(self.source, str) else {"time_zone": how["time_zone"]}

    def _ranked(self, visits: Visits) -> Visits | Release:
        from incrowd.attack.people import unlabelled

        return visits if isinstance(self.source, str) else unlabelled(visits)


def _side(source: str, reading: ReadingOptions, slot_min: int) -> "Visits | Release | _Ungridded":
    """Visits, or what a release publishes."""
    from incrowd import read
    from incrowd.attack.people import unlabelled

    folder = release_at(source)
    if folder is None:
        return visits_of([source], reading, Grain(CELL_M, slot_min))
    published = read.release(folder)
    if isinstance(published, Traces):
        return _Ungridded(published, reading)
    if not isinstance(published, (Visits, Fingerprints)):
        raise DataError(f"{folder.name} publishes neither visits, boxes nor trajectories, which linking compares.")
    return unlabelled(published)


def table_in(side: Visits | Release) -> Any:
    """The visits or boxes of a side."""
    return side.data if isinstance(side, Release) else side


def _check_grain(like: Visits, **given: float | None) -> None:
    """Refuse other squares or slots than one side has already."""
    for name, value in given.items():
        own = getattr(like, name)
        if value is not None and own is not None and value != own:
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(f"one side has {option} {own:g} already, and the other is put on it; leave it out.")


@reads
@takes(attack.link, "question", leave_out=("known", "target", "truth"), score=SCORE, views=VIEWS)
def link(
    known: Annotated[str, typer.Argument(metavar="KNOWN", help="What the attacker holds: visits or trajectories.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Where to look: visits, trajectories or a release.")],
    reading: ReadingOptions,
    question: dict[str, Any],
    truth: Annotated[
        Path | None,
        typer.Option(
            help="Link file: pseudonym (target), user (known). Without it equal labels are one person, and a release "
            "is not scored."
        ),
    ] = None,
    cell_m: Annotated[
        float | None, typer.Option(help=r"Side of a grid cell. \[default: 500 m, or that of the side that is visits]")
    ] = None,
    slot_min: Annotated[
        int | None, typer.Option(help=r"Width of a time slot. \[default: 60 min, or that of the side that is visits]")
    ] = None,
    origin: Origin = None,
    start: Annotated[
        str | None, typer.Option(help="When slot 0 of two sides of trajectories begins; earlier records leave.")
    ] = None,
    report: Report = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Recognise people known from one dataset in another.

    Without --view, places and rhythm are compared, and moments, too, if the periods overlap. Trajectories are put on
    the squares and slots of the other side, or of the known one if both are trajectories.

    incrowd attack link visits.parquet release --truth link.csv

    incrowd attack link january.csv february.csv --cell-m 1000 --one-to-one

    incrowd attack link january.parquet february.parquet --score overlap --view moments --period-slots 168
    """
    from incrowd.attack.people import read_link

    check_page(report, force=force)
    with progress_bar():
        grain: dict[str, Any] = {"cell_m": cell_m, "slot_min": slot_min, "origin": origin, "start": start}
        if truth is not None:
            read_link(truth, target)  # one of another release is refused
        sides = sides_of(known, target, reading, **grain, near=question["tolerance_m"] > 0)
        runs = _runs(sides, question)
        linkages = [attack.link(*sides, truth=truth, **how) for how in runs]
        write_page(report, *linkages, force=force)
    if as_json:
        first, *others = (linkage.to_dict() for linkage in linkages)
        say(to_json({**first, **{" + ".join(other["views"]): other for other in others}}, indent=2))
        return
    for linkage in linkages:
        present(linkage, as_json=False)
    say(_grain(next(side for side in sides if isinstance(table_in(side), Visits))))
    made = sides_in_python(known, target, reading, sides) if origin is None and start is None else None
    if made is not None:
        calls = [in_python(attack.link, "known, target", truth=truth, **how) for how in runs]
        say(f"in Python: {made}; {'; '.join(calls)}")


def _runs(sides: list[Visits | Release], question: dict[str, Any]) -> list[dict[str, Any]]:
    """What is compared: what was asked for; else places and rhythm, and moments if both sides share any slot."""
    views, score, about = (
        question.pop("views"),
        question.pop("score"),
        ("tolerance_slots", "tolerance_m", "period_slots"),
    )
    moments = {name: question.pop(name) for name in about}
    by_moments = any(moments.values())
    if views:
        how = {"views": tuple(views), "score": score or "evidence"}
        return [{**question, **how, **(moments if by_moments or "moments" in views else {})}]
    by_moment = {**question, **moments, "score": "overlap", "views": ("moments",)}
    if by_moments and score in (None, "overlap"):
        return [by_moment]
    usual = {**question, **({} if score is None else {"score": score})}
    return [usual, by_moment] if _share_a_slot(*map(table_in, sides)) else [usual]


def _share_a_slot(known: Any, target: Any) -> bool:
    """Whether the periods of the two overlap."""
    from incrowd.attack.link.sides import as_visits
    from incrowd.attack.link.views import aligned

    known, target = as_visits(known, target), as_visits(target, known)
    return len(np.intersect1d(known.slot, aligned(known, target, 0)[0].slot)) > 0


def _grain(side: Visits | Release) -> str:
    """On which cells and slots the two were compared."""
    visits = table_in(side)
    cells = "cells that are not squares" if visits.cell_m is None else f"{visits.cell_m:,g} m cells"
    slots = "slots of unknown width" if visits.slot_min is None else f"{visits.slot_min:,} min slots"
    origin = origin_of(visits.crs)
    counted = "" if origin is None else f", cells counted from {origin[0]:g},{origin[1]:g}"
    return f"({cells}, {slots}, {visits.time_zone or 'UTC'}{counted})"

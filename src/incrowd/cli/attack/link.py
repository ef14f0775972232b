"""incrowd attack link."""

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from incrowd import attack
from incrowd.cli.attack.link_sides import sides_in_python, sides_of, table_in
from incrowd.cli.inputs import in_python
from incrowd.cli.options import Force, Json, takes
from incrowd.cli.pages import Report, check_page, write_page
from incrowd.cli.reading import Origin, ReadingOptions, reads
from incrowd.cli.screen import present, progress_bar, say
from incrowd.data import Release, Visits
from incrowd.plain import to_json
from incrowd.read.plane import origin_of

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
    asked = any(moments.values())
    if views:
        how = {"views": tuple(views), "score": score or "evidence"}
        return [{**question, **how, **(moments if asked or "moments" in views else {})}]
    by_moment = {**question, **moments, "score": "overlap", "views": ("moments",)}
    if asked and score in (None, "overlap"):
        return [by_moment]
    usual = {**question, **({} if score is None else {"score": score})}
    return [usual, by_moment] if _share_a_slot(*map(table_in, sides)) else [usual]


def _share_a_slot(known: Any, target: Any) -> bool:
    """Whether the periods of the two overlap."""
    from incrowd.attack.link.alignment import aligned
    from incrowd.attack.link.sides import as_visits

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

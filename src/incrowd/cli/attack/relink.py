"""incrowd attack relink."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incrowd.cli.options import Force, Json, Seed
from incrowd.cli.overwrite import refuse_own_input
from incrowd.cli.pages import Report, check_page, write_page
from incrowd.cli.screen import answer, progress_bar
from incrowd.plain import percent, several

Memory = Annotated[
    Literal["piece", "chain"], typer.Option(help="Compare with the last piece, or with all that was joined so far.")
]
Reach = Annotated[int, typer.Option(help="Windows a person may be absent and still be joined; 1 is the next window.")]


def relink(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The folder of a cut release.")],
    link: Annotated[Path | None, typer.Option(help="The link file (pseudonym, user), to score the joins by.")] = None,
    memory: Memory = "piece",
    reach_windows: Reach = 1,
    points: Annotated[int, typer.Option(help="How many points the attacker knows.")] = 4,
    report: Report = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Join the pieces of a cut release again, seeing only what is published.

    incrowd attack relink release --link link.csv
    """
    from incrowd import attack

    refuse_own_input({"release": release, "link": link, "report": report})
    check_page(report, force=force)
    with progress_bar():
        relinked = attack.relink(
            release, link=link, memory=memory, reach_windows=reach_windows, points=points, seed=seed
        )
        write_page(report, relinked, force=force)
    chains = f"{relinked.chains:,} chains of {relinked.pieces:,} pieces in {relinked.windows:,} windows"
    lines = [f"{relinked.joins:,} joins make {chains}"]
    if (score := relinked.score) is not None:
        lines += [
            f"{'neighbours joined':<26} {percent(score.share):>8}   chance {percent(score.chance)}",
            f"{'joins that are right':<26} {percent(score.precision):>8}   chance {percent(score.chance_precision)}",
            f"{'people whole again':<26} {score.restored:>8,}   of {score.several:,} with several pieces",
        ]
        for name, risk in score.known_before.items():
            lines.append(f"{f'found among {name}':<26} {percent(risk.value):>8}   of {risk.population:,} people")
        lines.append(f"(found: by {several(points, 'point')} of the whole trajectory, known before the cut)")
    lines += [f"{'singled out by':<26} " + " ".join(f"{label:>10}" for label in _labels(relinked))]
    lines += _table(relinked)
    answer("\n".join(lines), relinked, as_json=as_json)


def _labels(relinked: Any) -> list[str]:
    return list(dict.fromkeys(risk.label for risk in relinked.uniqueness))


def _table(relinked: Any) -> list[str]:
    rows: dict[str, str] = {}
    for risk in relinked.uniqueness:
        name = f"top {risk.points}" if risk.knowledge == "top" else f"{risk.points} random points ({risk.short})"
        rows[name] = rows.get(name, "") + f" {percent(risk.value):>10}"
    return [f"{name:<26}{shares}" for name, shares in rows.items()]

"""incrowd measure sweep."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from incrowd.cli.options import Boxing, Force, Json, ReadingOptions, Seed, Sources, boxes, numbers, one_or_many, reads
from incrowd.cli.pages import check_page, write_page
from incrowd.cli.screen import SIDES, answer, note, progress_bar


@reads
@boxes
def sweep(
    sources: Sources,
    reading: ReadingOptions,
    boxing: Boxing,
    blocks: Annotated[str, typer.Option(help="Blocks along each side.")] = "10,20,30,40,50,60,70,80,90,100,200",
    minutes: Annotated[str, typer.Option(help="Widths of a time slot.")] = "20,30,60,80,120,240",
    points: Annotated[str, typer.Option(help="How many points the attacker knows.")] = "1-7",
    samples: Annotated[int, typer.Option(help="Draws for each resolution and number of points.")] = 150_000,
    keep: Annotated[Literal["vote", "set"], typer.Option(help="Most frequent cell of a slot, or all.")] = "vote",
    cache: Annotated[Path | None, typer.Option(help="Folder of finished resolutions, to go on after a stop.")] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what it will cost, and stop.")] = False,
    target: Annotated[float, typer.Option(help="Uniqueness that settings should stay at or below.")] = 0.1,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Tidy table: .parquet or .csv.")] = None,
    report: Annotated[Path | None, typer.Option(help="HTML file for the figures.")] = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Uniqueness over all resolutions of space and time, for 1 to 7 known points.

    incrowd measure sweep taxis.parquet --estimate

    incrowd measure sweep taxis.parquet -o sweep.csv --report sweep.html --cache sweep-cache
    """
    from incrowd import measure, read
    from incrowd.data.files import check_table
    from incrowd.read.zero import zero_told_later

    if output is not None:
        check_table(output, force=force)
    check_page(report, force=force)
    given = {"blocks": blocks, "minutes": minutes, "points": points}
    grid = {name: numbers(text, f"--{name}") for name, text in given.items()}
    common = {"samples": samples, "keep": keep, "seed": seed, "cache": cache, "time_zone": reading.time_zone, **grid}
    common |= boxing.arguments()
    with progress_bar():
        with zero_told_later():
            traces = read.table(one_or_many(sources), **reading.arguments())
        cost = measure.sweep_cost(traces, **common)  # type: ignore[arg-type]
        if estimate:
            answer(str(cost), cost, as_json=as_json)
            return
        note(f"this takes {cost}")
        risks = measure.sweep(traces, **common)  # type: ignore[arg-type]
    if output is not None:
        risks.save(output, force=force)
    write_page(report, risks, title="Uniqueness over resolutions", force=force)
    lines = [f"{'blocks':>6}  size of a block {SIDES}"]
    lines += [f"{n:>6}  {risks.block_size(n)}" for n in grid["blocks"]]
    lines += ["", f"{'points':>6} {'lowest':>8} {'highest':>8}  finest settings with uniqueness of at most {target:g}"]
    for m in grid["points"]:
        shares = [setting.uniqueness for setting in risks.at(m)]
        best = ", ".join(f"{risks.named(s.blocks)}, {s.minutes} min" for s in risks.finest(target, points=m)) or "none"
        lines.append(f"{m:>6} {min(shares):>8.4f} {max(shares):>8.4f}  {best}")
    lines.append(
        f"({risks.users:,} users, {risks.records:,} of {traces.records:,} records, {samples:,} samples a cell, {keep}, "
        f"seed {seed})"
    )
    answer("\n".join(lines), risks, as_json=as_json)

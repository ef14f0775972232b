"""incrowd measure sweep."""

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd import measure, read
from incrowd.cli.inputs import in_python, source_in_python
from incrowd.cli.options import Force, HowLong, Json, Sources, arguments_of, numbers, takes
from incrowd.cli.reading import Boxing, Engine, ReadingOptions, boxes, one_or_many, reads, with_engine
from incrowd.cli.screen import check_page, note, present, progress_bar, write_page
from incrowd.data.files import check_table
from incrowd.read.checks import zero_warned_later

WORDS = arguments_of(measure.sweep)
Blocks, Minutes, Points = (Annotated[str, typer.Option(help=WORDS[name])] for name in ("blocks", "minutes", "points"))
NOT_HERE = ("traces", "box", "keep_zero", "start", "time_zone")


@reads
@boxes
@with_engine
@takes(
    measure.sweep,
    "how",
    leave_out=NOT_HERE,
    blocks=(Blocks, "10,20,30,40,50,60,70,80,90,100,200"),
    minutes=(Minutes, "20,30,60,80,120,240"),
    points=(Points, "1-7"),
)
def sweep(
    sources: Sources,
    reading: ReadingOptions,
    boxing: Boxing,
    how: dict[str, Any],
    engine: Engine,
    estimate: HowLong = False,
    target: Annotated[float, typer.Option(help="Largest share of people that may be identified.")] = 0.1,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Tidy table: .parquet or .csv.")] = None,
    report: Annotated[Path | None, typer.Option(help="HTML file for the figures.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Share of people who are identified by 1 to 7 known visits, at every resolution of space and time.

    incrowd measure sweep taxis.parquet --estimate

    incrowd measure sweep taxis.parquet -o sweep.csv --report sweep.html --cache sweep-cache
    """
    if output is not None:
        check_table(output, force=force)
    check_page(report, force=force)
    how |= {name: tuple(numbers(how[name], f"--{name}")) for name in ("blocks", "minutes", "points")}
    how |= boxing.arguments()
    how["time_zone"] = reading.time_zone
    engine.refuse(estimate=estimate, cache=how["cache"])
    with progress_bar():
        if engine.on_spark:
            from incrowd.cli import on_spark

            how.pop("cache")
            risks, call = on_spark.sweep(engine, sources, reading, how)
        else:
            with zero_warned_later():
                traces = read.table(one_or_many(sources), **reading.arguments())
            expected = measure.sweep_estimate(traces, **how)
            if estimate:
                present(expected, as_json=as_json)
                return
            note(f"sweep: {expected}")
            risks = measure.sweep(traces, **how)
            call = in_python(measure.sweep, source_in_python(sources, reading, into="traces"), **how)
        if output is not None:
            risks.save(output, force=force)
        write_page(report, risks.section(target), title="Uniqueness over resolutions", force=force)
    present(risks if as_json else risks.section(target), call, as_json=as_json)

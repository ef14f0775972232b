"""incrowd measure uniqueness."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from incrowd import measure
from incrowd.cli.inputs import grain_of, grained, in_python, source_in_python, visits_of
from incrowd.cli.options import Json, Points, Sources, numbers, takes
from incrowd.cli.reading import Engine, ReadingOptions, reads, with_engine
from incrowd.cli.screen import present, progress_bar
from incrowd.discretize.slots import Grain
from incrowd.errors import ParameterError
from incrowd.measure.uniqueness.question import SHORT, Short, Uniqueness
from incrowd.plain import percent


@reads
@grained
@with_engine
@takes(measure.uniqueness, "question", leave_out=("visits", "short", "label"), points=(Points, "4"))
def uniqueness(
    sources: Sources,
    reading: ReadingOptions,
    question: dict[str, Any],
    grain: Grain,
    engine: Engine,
    fail_above: Annotated[
        float | None, typer.Option(help="Exit with 1 if more than this share of people is identified, such as 0.1.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Share of people who are identified by a few known visits, under every convention for short trajectories.

    incrowd measure uniqueness visits.parquet --points 1-5

    incrowd measure uniqueness trips.csv --cell-m 1000 --slot-min 120 --fail-above 0.1
    """
    wanted = numbers(question.pop("points"))
    if fail_above is not None and not 0 <= fail_above <= 1:
        raise ParameterError(f"--fail-above must be in [0, 1], got {fail_above}.")
    shorts: tuple[Short, ...] = ("drop",) if question["knowledge"] == "top" else SHORT
    ask: Callable[..., Uniqueness] = measure.uniqueness
    visits: Any
    with progress_bar():
        if engine.on_spark:
            from incrowd import spark
            from incrowd.cli import on_spark

            ask, visits = spark.uniqueness, on_spark.visits(engine, sources, reading, grain)
        else:
            visits = visits_of(sources, reading, grain)
        risks = [ask(visits, points=m, short=short, **question) for m in wanted for short in shorts]
    data = source_in_python(sources, reading, grain, plain=engine.on_spark)
    call = in_python(measure.uniqueness, data, points=wanted[-1], **question)
    if engine.on_spark:
        call = on_spark.in_python(engine, call, data)
    present(risks, call, grain=grain_of(visits), as_json=as_json)
    if fail_above is not None and not all(risk.value is not None and risk.value <= fail_above for risk in risks):
        typer.echo(f"above the limit of {percent(fail_above)}", err=True)
        raise typer.Exit(1)

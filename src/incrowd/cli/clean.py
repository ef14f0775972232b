"""incrowd clean."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from incrowd.cli.inputs import in_python
from incrowd.cli.options import Force, Json, Output, Sources, box_of, with_unit
from incrowd.cli.reading import ReadingOptions, one_or_many, reads
from incrowd.cli.screen import progress_bar, written
from incrowd.data import Traces
from incrowd.errors import DataError, ParameterError, check_choice

STEPS = ("duplicates", "order", "displaced", "still_users", "sparse_users")
MAX_SPEED_KMH = 200.0
MaxSpeed = Annotated[float, with_unit("--max-speed-kmh", MAX_SPEED_KMH, "Faster legs are implausible.")]


@reads
def clean(
    sources: Sources,
    output: Output,
    reading: ReadingOptions,
    steps: Annotated[str, typer.Option(help="What to do, in this order.")] = ",".join(STEPS),
    shift: Annotated[
        Literal["swap_best", "swap_records", "remove"], typer.Option(help="How a one-point time shift is repaired.")
    ] = "swap_best",
    max_speed_kmh: MaxSpeed = MAX_SPEED_KMH,
    singleton: Annotated[
        Literal["location", "record"], typer.Option(help="Who never moves: one place, or one record.")
    ] = "location",
    min_records: Annotated[int, typer.Option(help="People with fewer records are dropped.")] = 7,
    box: Annotated[
        str | None,
        typer.Option(
            metavar="W,S,E,N",
            help="First remove records outside this box (west, south, east and north in degrees, or in metres) and at "
            "(0, 0).",
        ),
    ] = None,
    drop_zero: Annotated[bool, typer.Option("--drop-zero", help="First remove records at (0, 0).")] = False,
    keep_zero: Annotated[bool, typer.Option("--keep-zero", help="Keep records at (0, 0) that are in the box.")] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Clean trajectories and account for every record that leaves.

    incrowd clean taxis.csv -o clean.parquet --max-speed-kmh 150

    incrowd clean calls.parquet -o clean.parquet --steps duplicates,still_users

    incrowd clean taxis.csv -o clean.parquet --drop-zero

    incrowd clean taxis.csv -o clean.parquet --box -122.6,37.6,-122.3,37.9
    """
    from incrowd import clean, read
    from incrowd.data.files import check_table
    from incrowd.read.checks import warn_of_zero, zero_warned_later

    wanted = [step.strip() for step in steps.split(",")]
    for step in wanted:
        check_choice("step", step, STEPS)
    if drop_zero and keep_zero:
        raise ParameterError("--drop-zero and --keep-zero exclude each other; give one of them.")
    bounds = None if box is None else box_of(box)
    check_table(output, force=force)
    source = one_or_many(sources)
    with progress_bar():
        with zero_warned_later():
            traces = read.table(source, order="log", **reading.arguments())
        python = in_python(read.table, repr(source), order="log", **reading.arguments())
        if drop_zero or bounds is not None:
            traces = clean.outside(traces, bounds, zero=not keep_zero)
            python = in_python(clean.outside, python, box=bounds, zero=not keep_zero)
        elif not keep_zero:
            warn_of_zero(int(traces.at_zero.sum()))
        how: dict[str, dict[str, Any]] = {
            "duplicates": {},
            "order": {"shift": shift, "max_speed_kmh": max_speed_kmh},
            "displaced": {"max_speed_kmh": max_speed_kmh},
            "still_users": {"singleton": singleton},
            "sparse_users": {"min_records": min_records},
        }
        for step in wanted:
            call: Callable[..., Traces] = getattr(clean, step)
            traces = call(traces, **how[step])
            python = in_python(call, python, **how[step])
        if not traces.records:
            raise DataError("no record is left after cleaning; check --box, or loosen the steps.")
        traces.save(output, force=force)
    written(traces, output, python, as_json=as_json)

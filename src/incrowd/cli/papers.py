"""incrowd papers: all of them, or one by its key."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli.inputs import CellM, SlotMin, fingerprints_of, saved, saved_noun, visits_of
from incrowd.cli.options import Boxing, Force, Json, Reading, Seed, boxes, one_or_many, reads
from incrowd.cli.screen import answer, note, progress_bar
from incrowd.cli.statements import count, told
from incrowd.data import Traces
from incrowd.errors import DataError, ParameterError
from incrowd.papers import PAPERS, Paper

if TYPE_CHECKING:
    from incrowd.papers.record import Reproduction

app = typer.Typer(name="papers")
Data = Annotated[list[str], typer.Option(help="Your own files instead of made-up data; repeatable.")]
Quick = Annotated[bool, typer.Option("--quick", help="Few people and few settings: seconds.")]
Folder = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder for the report, and JSON and SVG of each figure.")
]


@app.callback(invoke_without_command=True)
@reads
def papers(
    ctx: typer.Context,
    reading: Reading,
    data: Data = [],  # noqa: B006
    quick: Quick = False,
    output: Folder = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Tables and figures of the papers, theirs beside ours: of all papers, or of one by its key.

    incrowd papers --quick -o papers

    incrowd papers song2014 --data visits.parquet -o song2014
    """
    if ctx.invoked_subcommand is not None:
        _refuse_early(ctx)
        return
    check_folder(output, force=force)
    found: dict[str, Reproduction] = {}
    for key, paper in PAPERS.items():
        note(f"{key}: {paper.title}")
        try:
            found[key] = _reproduced(paper, data, reading, quick=quick, seed=seed)
        except DataError as error:
            note(f"{key} is left out: {error}")
            continue
        _save(found[key], None if output is None else output / key)
    if not found:
        raise DataError("no paper can use these data; the lines above say why.")
    counts = [line for one in found.values() for line in count(one)]
    answer("\n\n".join([*map(told, found.values()), "\n".join(counts)]), found, as_json=as_json)


def _refuse_early(ctx: typer.Context) -> None:
    sources = (ctx.get_parameter_source(name) for name in ctx.params)
    if any(source is not None and source.name == "COMMANDLINE" for source in sources):
        raise ParameterError(
            f"options go behind the key of the paper: incrowd papers {ctx.invoked_subcommand} --quick."
        )


def _one(paper: Paper) -> None:
    """Add the command of one paper that needs no options of its own."""

    @reads
    def command(
        reading: Reading,
        data: Data = [],  # noqa: B006
        quick: Quick = False,
        output: Folder = None,
        seed: Seed = 0,
        force: Force = False,
        as_json: Json = False,
    ) -> None:
        check_folder(output, force=force)
        found = _reproduced(paper, data, reading, quick=quick, seed=seed)
        _save(found, output)
        answer(told(found), found, as_json=as_json)

    given = {
        "Visits": f"trajectories, put on a grid of {paper.cell_m} m and {paper.slot_min} min, or visits made by "
        "incrowd discretize",
        "Traces": "trajectories",
        "Fingerprints": "trajectories or fingerprints",
    }
    command.__doc__ = (
        f"{paper.title}; --data takes {given[paper.takes]}.\n\n"
        f"incrowd papers {paper.key} --quick -o {paper.key}\n\n"
        f"incrowd papers {paper.key} --data trips.parquet -o {paper.key}"
    )
    app.command(paper.key)(command)


for _paper in PAPERS.values():
    if _paper.key not in ("tan2017", "mohammed2009", "gramaglia2015"):  # which have options of their own
        _one(_paper)


@app.command()
@reads
@boxes
def tan2017(
    reading: Reading,
    boxing: Boxing,
    data: Data = [],  # noqa: B006
    quick: Quick = False,
    output: Folder = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Re-identification of vehicles: resolutions of space and time; --data takes trajectories.

    incrowd papers tan2017 --quick -o tan2017

    incrowd papers tan2017 --data trips.parquet -o tan2017
    """
    options = boxing.arguments()
    check_folder(output, force=force)
    found = _reproduced(PAPERS["tan2017"], data, reading, quick=quick, seed=seed, **options)
    _save(found, output)
    answer(told(found), found, as_json=as_json)


@app.command()
@reads
def mohammed2009(
    reading: Reading,
    data: Data = [],  # noqa: B006
    quick: Quick = False,
    output: Folder = None,
    report: Annotated[Path | None, typer.Option(help="HTML file for the figures of the experiments alone.")] = None,
    sensitive: Annotated[str | None, typer.Option(help="Attribute to protect; a synthetic one without it.")] = None,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Walking in the crowd: LKC-privacy, the running example number by number, and the experiments it left out.

    incrowd papers mohammed2009 --quick

    incrowd papers mohammed2009 --data visits.parquet --report lkc.html
    """
    from incrowd import report as pages
    from incrowd.data.files import refuse_existing
    from incrowd.papers import mohammed2009 as paper

    if not data and (report is not None or sensitive is not None):
        raise ParameterError("--report and --sensitive speak of your data; pass --data FILE too.")
    if report is not None:
        refuse_existing(report, force=force)
    check_folder(output, force=force)
    with progress_bar():
        visits = visits_of(data, reading, cell_m=cell_m, slot_min=slot_min) if data else None
        found = paper.reproduce(visits, quick=quick, seed=seed, sensitive=sensitive)
    _save(found, output)
    if report is not None:
        pages.write(report, *found.others, title="LKC-privacy: what it costs", force=force)
    lines = [
        f"{run.varied} = {getattr(run, run.varied)}: {run.preserved_share:.1%} of patterns kept, "
        f"{run.suppressed_visits:.1%} of visits suppressed"
        for run in found.others[0].runs
    ]
    answer("\n".join([told(found), "", *lines]), found, as_json=as_json)


def _reproduced(
    paper: Paper, data: list[str], reading: Reading, *, quick: bool, seed: int, **options: Any
) -> "Reproduction":
    with progress_bar():
        options["time_zone"] = reading.time_zone if data else None
        return paper(noun_of(paper, data, reading) if data else None, quick=quick, seed=seed, **options)


def noun_of(paper: Paper, data: list[str], reading: Reading) -> Any:
    """What the paper takes, from files."""
    if paper.takes == "Fingerprints":
        return fingerprints_of(data, reading)
    if paper.takes == "Visits":
        return visits_of(data, reading, cell_m=paper.cell_m, slot_min=paper.slot_min)
    source = one_or_many(data)
    noun = saved_noun(source, reading)
    if noun not in (None, "Traces"):
        raise DataError(f"this file holds {noun}, not trajectories; give the trajectories it was made from.")
    return _log(source, reading) if noun is None else saved(Path(str(source)))


def _log(source: str | list[str], reading: Reading) -> Traces:
    """In log order, so that disorder can be cleaned; a file that is no log, such as newest first, in time order."""
    import numpy as np

    from incrowd import read
    from incrowd.read.zero import zero_told_later

    with zero_told_later():
        traces = read.table(source, order="log", **reading.arguments())
        back = float((np.diff(traces.t) < 0).mean()) if traces.records > 1 else 0.0
        return traces if back < 0.1 else read.table(source, **reading.arguments())


def check_folder(output: Path | None, *, force: bool) -> None:
    """Refuse a folder that cannot be written, before any work."""
    from incrowd.data.files import refuse_existing

    if output is None:
        return
    refuse_existing(output, force=force)
    if output.is_file():
        raise ParameterError(f"{output} is a file; give the name of a folder.")


def _save(found: "Reproduction", output: Path | None) -> None:
    from incrowd.papers.record import save

    if output is not None:
        save(found, output)

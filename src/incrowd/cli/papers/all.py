"""incrowd papers: all of them, or one that has no options of its own."""

from typing import TYPE_CHECKING

import typer

from incrowd.cli.options import Command, Force, Json, ReadingOptions, Seed, reads
from incrowd.cli.papers.reproducing import (
    Data,
    Folder,
    Quick,
    check_folder,
    reproduced,
    save,
    statement_table,
    verdict_counts,
)
from incrowd.cli.screen import answer, note
from incrowd.errors import DataError, ParameterError
from incrowd.papers import PAPERS, Paper

if TYPE_CHECKING:
    from incrowd.papers.record import Reproduction


@reads
def papers(
    ctx: typer.Context,
    reading: ReadingOptions,
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
    reproductions: dict[str, Reproduction] = {}
    for key, paper in PAPERS.items():
        note(f"{key}: {paper.title}")
        try:
            reproductions[key] = reproduced(paper, data, reading, quick=quick, seed=seed)
        except DataError as error:
            note(f"{key} is left out: {error}")
            continue
        save(reproductions[key], None if output is None else output / key)
    if not reproductions:
        raise DataError("no paper can use these data; the lines above say why.")
    counts = [line for one in reproductions.values() for line in verdict_counts(one)]
    answer(
        "\n\n".join([*map(statement_table, reproductions.values()), "\n".join(counts)]), reproductions, as_json=as_json
    )


def _refuse_early(ctx: typer.Context) -> None:
    sources = (ctx.get_parameter_source(name) for name in ctx.params)
    if any(source is not None and source.name == "COMMANDLINE" for source in sources):
        raise ParameterError(
            f"options go behind the key of the paper: incrowd papers {ctx.invoked_subcommand} --quick."
        )


def one_paper(paper: Paper) -> Command:
    """The command of one paper that needs no options of its own."""

    @reads
    def command(
        reading: ReadingOptions,
        data: Data = [],  # noqa: B006
        quick: Quick = False,
        output: Folder = None,
        seed: Seed = 0,
        force: Force = False,
        as_json: Json = False,
    ) -> None:
        check_folder(output, force=force)
        reproduction = reproduced(paper, data, reading, quick=quick, seed=seed)
        save(reproduction, output)
        answer(statement_table(reproduction), reproduction, as_json=as_json)

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
    return command

"""incrowd papers: all of them, or one by its key; a file for each paper that has options of its own."""

from functools import partial
from typing import Any

import typer

from incrowd.cli.app import in_files, made, verb
from incrowd.cli.options import Command
from incrowd.cli.papers.reproducing import PaperRun, counted, runs, statement_lines
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import answer, note
from incrowd.errors import DataError, ParameterError
from incrowd.papers import PAPERS, Paper, Reproduction


@reads
@runs
def papers(ctx: typer.Context, reading: ReadingOptions, run: PaperRun) -> None:
    """Tables and figures of the papers, theirs beside ours: of all papers, or of one by its key.

    incrowd papers --quick -o papers

    incrowd papers song2014 --data visits.parquet -o song2014
    """
    if ctx.invoked_subcommand is not None:
        _refuse_early(ctx)
        return
    run.check()
    reproductions: dict[str, Reproduction] = {}
    for number, (key, paper) in enumerate(PAPERS.items(), 1):
        note(f"{key}, {number} of {len(PAPERS)}: {paper.title}")
        try:
            reproductions[key] = run.reproduced(paper, reading)
        except DataError as error:
            note(f"{key} is left out: {error}")
            continue
        run.save(reproductions[key], None if run.output is None else run.output / key)
    if not reproductions:
        raise DataError("no paper can use these data; the lines above give the reasons.")
    tables = ["\n".join([*statement_lines(one.statements), counted(one)]) for one in reproductions.values()]
    counts = "\n".join(map(counted, reproductions.values()))
    answer("\n\n".join([*tables, counts]), reproductions, as_json=run.as_json)


def _refuse_early(ctx: typer.Context) -> None:
    sources = (ctx.get_parameter_source(name) for name in ctx.params)
    if any(source is not None and source.name == "COMMANDLINE" for source in sources):
        raise ParameterError(
            f"options go behind the key of the paper: incrowd papers {ctx.invoked_subcommand} --quick."
        )


def one_paper(paper: Paper) -> Command:
    """The command of one paper that needs no options of its own."""

    @reads
    @runs
    def command(reading: ReadingOptions, run: PaperRun) -> None:
        run.check(paper)
        run.show(run.reproduced(paper, reading))

    given = f"trajectories, put on a grid of {paper.cell_m:,} m and {paper.slot_min} min, or saved visits"
    command.__doc__ = (
        f"{paper.title}; --data takes {given}.\n\n"
        f"incrowd papers {paper.key} --quick -o {paper.key}\n\n"
        f"incrowd papers {paper.key} --data trips.parquet -o {paper.key}"
    )
    return command


def _command(key: str) -> Any:
    return made(key, one_paper(PAPERS[key]))


OWN = in_files(__name__, "tan2017 mohammed2009 gramaglia2015")
MAKERS = {key: partial(_command, key) for key in PAPERS if key not in OWN} | OWN
app = verb("papers", papers.__doc__, MAKERS, callback=papers, invoke_without_command=True)

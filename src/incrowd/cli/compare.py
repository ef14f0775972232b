"""incrowd compare."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli.inputs import fingerprints_of
from incrowd.cli.options import Force, Json, ReadingOptions, Seed, Sources, reads
from incrowd.cli.pages import check_page, write_page
from incrowd.cli.screen import answer, note, progress_bar

if TYPE_CHECKING:
    from incrowd.assess import Comparison
    from incrowd.assess.compare.comparison import Row

WIDTH = 80
HEAD = ("   method", "alone", "small", "least", "mid", "link", "join", "loss", "km", "min", "kept")


@reads
def compare(
    sources: Sources,
    reading: ReadingOptions,
    methods: Annotated[
        str, typer.Option(help="Which to compare: some of cut, generalize, glove, lkc, w4m, with commas.")
    ] = "all",
    target: Annotated[
        str, typer.Option(help="k=2: nobody in a crowd below 2; uniqueness=0.1: at most a tenth singled out.")
    ] = "k=2",
    points: Annotated[int, typer.Option(help="How many samples of a person the attacker knows.")] = 4,
    people: Annotated[int, typer.Option(help="Compare on at most so many people, drawn at random.")] = 2000,
    cell_m: Annotated[int, typer.Option(help="Side of a grid cell, for cut and lkc.")] = 500,
    slot_min: Annotated[int, typer.Option(help="Width of a time slot, for cut and lkc.")] = 60,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what it will take, and stop.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="HTML file for the figure and the table.")
    ] = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Try every method on the same people, attack each release alike, and say which is cheapest for a target.

    incrowd compare trips.csv --target k=2 -o compare.html

    incrowd compare trips.csv --methods glove,generalize --target uniqueness=0.1 --people 500
    """
    from incrowd.assess.compare import ALL, check_question, compare_cost, question

    check_page(output, force=force)
    wanted = ALL if methods == "all" else [name.strip() for name in methods.split(",") if name.strip()]
    how = (wanted, target, points, people, cell_m, slot_min, seed)
    check_question(*how)
    with progress_bar():
        asked = question(fingerprints_of(sources, reading), *how)
        cost = compare_cost(asked)
        if estimate:
            answer(str(cost), cost, as_json=as_json)
            return
        note(f"compare: {cost}")
        comparison = asked.run()
    write_page(output, comparison, title="Which method is cheapest?", force=force)
    lines = [*wrap(comparison.verdict, WIDTH), "", *_table(comparison), *([f"report: {output}"] if output else [])]
    record = {
        **vars(comparison),
        "verdict": comparison.verdict,
        "cheapest": comparison.cheapest,
        "frontier": comparison.frontier,
    }
    answer("\n".join(lines), record, as_json=as_json)


def _table(comparison: "Comparison") -> list[str]:
    from incrowd.plain import several

    ran = [row for row in comparison.rows if not row.problem]
    lines = _aligned([HEAD, *(_cells(row, row in comparison.frontier) for row in ran)])
    for row in comparison.rows:
        if row.problem:
            text = f"{row.method} {row.setting}".rstrip() + f" could not run: {row.problem}"
            lines += wrap(text, WIDTH, initial_indent="   ", subsequent_indent="     ")
    notes = dict.fromkeys(f"{row.method}: {row.note}" for row in comparison.rows if row.note)
    size = f"{several(comparison.samples, 'sample')}, {comparison.points} known of each, seed {comparison.seed}"
    words = (
        f"alone: singled out; small: in a crowd below {comparison.target.crowd}; least and mid: people in the smallest "
        f"and the median crowd; link: first among all, given the whole trajectory, or for boxes 1 / crowd; join: "
        "neighbouring pieces rejoined, where something was cut; loss from 0 (the original) to 1 (nothing is left); km, "
        "min: mean error; kept: of the samples"
    )
    marks = "* reaches the target; + on the frontier: nothing protects and keeps as much"
    texts = [*notes, f"({comparison.who}, {size})", marks, words]
    return [*lines, *(line for text in texts for line in wrap(text, WIDTH))]


def _cells(row: "Row", unbeaten: bool) -> tuple[str, ...]:
    from incrowd.report.compare import number

    risk, cost = row.privacy, row.utility
    km = None if cost["position_m"] is None else cost["position_m"] / 1000
    return (
        f"{'*' if row.meets else ' '}{'+' if unbeaten else ' '} {row.method} {row.setting}",
        *(number(risk[name], ".1%").replace("100.0%", "100%") for name in ("singled_out", "below_k")),
        *(number(risk[name], ",.0f") for name in ("crowd_least", "crowd_median")),
        *(number(risk[name], ".0%") for name in ("linked", "rejoined")),
        number(cost["loss"], ".2f"),
        number(km, ",.1f"),
        number(cost["time_min"], ",.0f"),
        number(cost["kept"], ".0%"),
    )


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as what they hold: names to the left, numbers to the right."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [" ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])]) for row in rows]

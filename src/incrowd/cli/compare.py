"""incrowd compare."""

from typing import Annotated, Any

import typer

from incrowd import assess as assessing
from incrowd.anonymize import METHODS
from incrowd.assess.compare import CompareOptions, compare_estimate, prepared
from incrowd.cli.inputs import fingerprints_of, in_python, source_in_python
from incrowd.cli.options import Force, HowLong, Json, Sources, takes
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import Page, answer, check_page, note, present, progress_bar, say, write_page

Methods = Annotated[str, typer.Option(help=f"Methods to compare, with commas: {', '.join(METHODS)}, or all.")]


@reads
@takes(assessing.compare, "question", leave_out=("traces",), methods=(Methods, "all"))
def compare(
    sources: Sources,
    reading: ReadingOptions,
    question: dict[str, Any],
    estimate: HowLong = False,
    output: Page = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Which method loses least detail: try every method on the same people and attack each release alike.

    incrowd compare trips.csv --target guess=1/11 -o compare.html

    incrowd compare trips.csv --methods glove,generalize --target uniqueness=0.1 --people 500
    """
    check_page(output, force=force)
    names = [name.strip() for name in question["methods"].split(",") if name.strip()]
    question |= {"methods": tuple(METHODS) if names == ["all"] else tuple(names)}
    options = CompareOptions(**question)
    with progress_bar():
        comparing = prepared(fingerprints_of(sources, reading), options)
        about = compare_estimate(comparing)
        if estimate:
            answer(str(about), about, as_json=as_json)
            return
        note(f"compare: {about}")
        comparison = comparing.run()
    data = source_in_python(sources, reading, into="fingerprints")
    present(comparison, in_python(assessing.compare, data, **question), as_json=as_json)
    with progress_bar():
        write_page(output, comparison, title="Which method loses least detail?", force=force)
    if output is not None and not as_json:
        say(f"report: {output}")

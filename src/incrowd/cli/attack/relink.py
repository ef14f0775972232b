"""incrowd attack relink."""

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd import attack
from incrowd.cli.inputs import in_python
from incrowd.cli.options import Force, Json, takes
from incrowd.cli.reading import refuse_own_input
from incrowd.cli.screen import Report, check_page, present, progress_bar, write_page


@takes(attack.relink, "question", leave_out=("release",))
def relink(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The folder of a cut release.")],
    question: dict[str, Any],
    report: Report = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Join the pieces of a cut release again, seeing only what is published.

    incrowd attack relink release --link link.csv

    incrowd attack relink release --link link.csv --score evidence --memory chain
    """
    refuse_own_input({"release": release, "link": question["link"], "report": report})
    check_page(report, force=force)
    with progress_bar():
        relinked = attack.relink(release, **question)
        write_page(report, relinked, force=force)
    present(relinked, in_python(attack.relink, repr(str(release)), **question), as_json=as_json)

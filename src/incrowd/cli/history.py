"""incrowd history."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.options import Force, Json
from incrowd.cli.screen import check_page, present, say, write_page


def history(
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file incrowd.toml, or the history that it names.")
    ] = Path("incrowd.toml"),
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Page to write, with a figure: .html or .md.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Print every run of a gate: when, whether it passed, and what was nearest to its limit.

    incrowd history

    incrowd history incrowd.toml -o history.html
    """
    from incrowd.gate import history
    from incrowd.gate.settings import history_at

    check_page(output, force=force)
    runs = history(history_at(path) if path.suffix == ".toml" else path)
    present(runs, as_json=as_json)
    write_page(output, runs, force=force)
    if output is not None and not as_json:
        say(f"page: {output}")

"""incrowd init."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.options import Force
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import progress_bar, say


@reads
def init(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A file, a folder or a glob.")],
    reading: ReadingOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")] = Path("incrowd.toml"),
    force: Force = False,
) -> None:
    """Write incrowd.toml after a look at the data: what to read, clean, publish, attack and keep, every key explained.

    incrowd init trips.csv

    incrowd init calls.parquet --time-zone Europe/Amsterdam -o night.toml
    """
    from incrowd.gate import draft

    with progress_bar():
        path = draft(source, output, force=force, **reading.arguments())
    file = "" if path.name == "incrowd.toml" else f" {path}"
    say(f"written to {path}; look at it, then run: incrowd gate{file} --first-run (if nothing was published before)")

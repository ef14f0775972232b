"""incrowd serve."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.screen import say


def serve(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Folder whose files may be chosen.")] = Path(),
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.")] = 8700,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    upload_mb: Annotated[int, typer.Option(help="Largest file that the page takes, in MB.")] = 512,
) -> None:
    """Open the studio: a page on this machine to look at data, decide and release. Nothing leaves the machine.

    incrowd serve

    incrowd serve mobility --port 8800
    """
    from incrowd.web.server import serve

    serve(folder, port=port, browser=browser, upload_mb=upload_mb, say=say)

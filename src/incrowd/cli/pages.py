"""The HTML page that a command writes if one is asked for; matplotlib is loaded only then."""

from pathlib import Path
from typing import Annotated, Any

import typer

Report = Annotated[Path | None, typer.Option(help="Also explain the result in this HTML file.")]


def check_page(page: Path | None, *, force: bool) -> None:
    """Refuse, before any work, a page that exists."""
    from incrowd.data.files import refuse_existing

    if page is not None:
        refuse_existing(page, force=force)


def write_page(page: Path | None, *results: Any, force: bool, **title: str) -> None:
    """Explain results in an HTML file, under a title if one is given."""
    if page is not None:
        from incrowd import report

        report.write(page, *results, force=force, **title)

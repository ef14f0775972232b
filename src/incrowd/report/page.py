"""Sections -> the HTML page."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2

from incrowd import __version__
from incrowd.data.files import whole_file
from incrowd.errors import ParameterError
from incrowd.plain import to_json
from incrowd.report import glove, house, lkc, release, sweep, uniqueness  # noqa: F401  they register their sections
from incrowd.report.section import Section, section


def write(path: str | Path, *results: Any, title: str = "Mobility-data privacy report", force: bool = False) -> Path:
    """Explain results in one self-contained HTML file that needs no network and prints well.

    >>> import tempfile
    >>> from incrowd import Ledger
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write(Path(folder) / "report.html", Ledger().add("read", read=3, kept=3))
    ...     "What happened to every record?" in page.read_text()
    True
    """
    path = Path(path)
    if not results:
        raise ParameterError("a report needs at least one result; pass what a measure returned.")
    sections = [part if isinstance(part, Section) else section(part) for part in results]
    with whole_file(path, force=force) as part:
        part.write_text(_template().render(title=title, sections=sections, version=__version__), encoding="utf-8")
    return path


@cache
def _template() -> jinja2.Template:
    folder = files("incrowd.report") / "templates"
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["json"] = lambda value: to_json(value, indent=1)
    return environment.from_string((folder / "report.html").read_text(encoding="utf-8"))

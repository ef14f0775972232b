"""What a command writes: the HTML page asked for (matplotlib is loaded only then), never over what it reads."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.errors import DataError, ParameterError

WRITTEN = (
    "output",
    "report",
    "recovered",
    "bad_rows",
    "checkpoint",
    "keep_link",
    "cells",
    "attest_file",
    "evidence",
    "map",
    "figures",
)
READ_WITH = {"cells": "truth"}  # read by commands that take the other option too, else written
SOURCES = ("sources", "data", "known", "before")
FILES = ("after", "real", "release", "towers", "antennas", "zones", "regions", "truth", "link", "cells", "outline")
Report = Annotated[Path | None, typer.Option(help="Also explain the result in this HTML file.")]


def refuse_own_input(given: Mapping[str, Any]) -> None:
    """Refuse an output that exists and is an input too, by another name or in a folder or glob as well.

    `given` are the arguments of a command by name; two outputs of one name are refused, too.
    """
    named = {name: given.get(name) for name in WRITTEN if READ_WITH.get(name) not in given}
    _refuse_same({name: Path(path) for name, path in named.items() if path is not None})
    there = {name: Path(path) for name, path in named.items() if path is not None and Path(path).exists()}
    if not there:
        return
    inputs = [path for path in _inputs(given, set(named)) if path.exists()]
    read = {_identity(path) for path in inputs}
    for name, path in there.items():
        if _identity(path) in read or ("sources" in given and _replaces(path, inputs)):
            raise ParameterError(f"{_option(name)} {path.name} would overwrite its own input; choose another name.")


def _refuse_same(outputs: Mapping[str, Path]) -> None:
    seen: dict[Path, str] = {}
    for name, path in outputs.items():
        first = seen.setdefault(path.resolve(), name)
        if first != name:
            raise ParameterError(f"{_option(name)} and {_option(first)} name the same file; choose two.")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _inputs(given: Mapping[str, Any], written: set[str]) -> Iterator[Path]:
    for name in (*SOURCES, *(["target"] if "known" in given else [])):  # elsewhere a target is a number
        listed = given.get(name) or []
        for one in [listed] if isinstance(listed, str) else listed:
            yield Path(one)
            yield from _meant(one, given.get("layout"))
    for name in set(FILES) - written:
        if given.get(name) is not None:
            path = Path(given[name])
            yield path
            # A page kept beside the data of a release is no input.
            yield from (file for file in path.glob("*") if file.suffix != ".html")


def _meant(source: str, layout: str | None) -> list[Path]:
    """The files of a folder or glob; none where reading itself will say what is wrong."""
    from incrowd.read.files import find_files
    from incrowd.read.layouts import layout_of

    try:
        return find_files(source, layout_of(layout))
    except DataError:
        return []


def _replaces(folder: Path, inputs: list[Path]) -> bool:
    """Whether a folder that is written whole holds an input."""
    return folder.is_dir() and any(folder.resolve() in path.resolve().parents for path in inputs)


def _identity(path: Path) -> tuple[int, int]:
    """Equal for all names of one file."""
    status = path.stat()
    return status.st_dev, status.st_ino


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

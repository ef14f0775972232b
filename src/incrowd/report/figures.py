"""Sections -> a folder with each of their figures as SVG and PDF, and the JSON that it was drawn from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from incrowd.data.files import whole_file
from incrowd.errors import ParameterError
from incrowd.plain import to_json
from incrowd.progress import track
from incrowd.report.draw import draw, image
from incrowd.report.style import pdf
from incrowd.show import Map, Panel, Section


def check_figures(folder: Path, *, force: bool) -> None:
    """Say before any work that a folder of figures cannot be written."""
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"{folder} is a file, but figures need a folder; choose another name.")
    if not folder.parent.is_dir():
        raise ParameterError(f"the folder {folder.parent} does not exist; make it first.")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise ParameterError(f"{folder} is not empty; choose another folder or pass --force (force=True).")


def write_figures(folder: Path, sections: Sequence[Section], *, force: bool) -> list[Path]:
    """The files: NAME.svg, NAME.pdf and NAME.json of every panel, numbered where sections share a name."""
    check_figures(folder, force=force)
    folder.mkdir(exist_ok=True)
    panels = [panel for section in sections for panel in section.panels]
    files: list[Path] = []
    for name, panel in zip(_names(panels), track(panels, "drawing figures"), strict=True):
        files += [write_picture(panel, folder / f"{name}.{suffix}", force=True) for suffix in ("svg", "pdf")]
        files.append(folder / f"{name}.json")
        with whole_file(files[-1], force=True) as part:
            part.write_text(to_json(_whole(panel), indent=1), encoding="utf-8")
    return files


def write_picture(panel: Panel, path: Path, *, force: bool) -> Path:
    """The path of the panel as SVG or PDF, by its suffix."""
    with whole_file(path, force=force) as part:
        if path.suffix.lower() == ".pdf":
            part.write_bytes(pdf(draw(panel).figure))  # type: ignore[arg-type]
        else:
            part.write_text(f"{image(panel)}\n", encoding="utf-8")
    return path


def _names(panels: Sequence[Panel]) -> list[str]:
    seen: Counter[str] = Counter()
    names = []
    for panel in panels:
        seen[panel.name] += 1
        names.append(panel.name if seen[panel.name] == 1 else f"{panel.name}-{seen[panel.name]}")
    return names


def _whole(panel: Panel) -> Panel:
    """With the squares of a map as lists, for JSON leaves long arrays out."""
    if not isinstance(panel, Map):
        return panel
    return replace(panel, value=panel.value.tolist(), at_km=None if panel.at_km is None else panel.at_km.tolist())

"""What is wrong with the settings of a gate, table by table, before any work."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from incrowd import anonymize, clean
from incrowd.anonymize.base import check_hold_out
from incrowd.assess.options import Options
from incrowd.clock import zone_of
from incrowd.discretize.slots import slot_plan
from incrowd.errors import ParameterError, check_positive, check_whole
from incrowd.gate.keys import COUNTS
from incrowd.read.files import find_files
from incrowd.read.layouts import layout_of, wanted_columns
from incrowd.read.sources.local import is_copied

if TYPE_CHECKING:
    from incrowd.gate.settings import GateSettings

NAME = re.compile(r"[\w{}. -]+")
DATE = "{date}"


def _check_source(settings: "GateSettings") -> None:
    layout = layout_of(settings.reading.get("layout"))
    wanted_columns(settings.reading.get("columns"))
    zone_of(settings.time_zone)
    if not is_copied(settings.source):
        if any(settings.of_database):
            raise ParameterError("table and query are for databases and workbooks; leave them out.")
        find_files(settings.source, layout)
    elif None not in settings.of_database:
        raise ParameterError("table and query exclude each other; give one of them.")
    aside = settings.reading.get("bad_rows")
    if aside is not None and (DATE not in aside.name or not aside.parent.is_dir()):
        raise ParameterError("bad_rows must be a file with {date} in its name, in a folder that exists.")


def _check_clean(settings: "GateSettings") -> None:
    given = settings["clean"]
    clean.check_box(given.get("box"))
    check_positive(**{name: given[name] for name in ("max_speed_kmh", "min_records") if name in given})
    used = {name for step in given.get("steps", ()) for name in get_type_hints(getattr(clean, step))}
    for name in given:
        if name not in ("steps", *used):
            raise ParameterError(f"{name} has no use without its step of cleaning; add the step, or leave {name} out.")


def _check_discretize(settings: "GateSettings") -> None:
    given = settings["discretize"]
    if "towers" in given and "zones" in given:
        raise ParameterError("towers and zones exclude each other; give one of them.")
    if "far_towers" in given and "towers" not in given:
        raise ParameterError("far_towers is about towers; give towers too, or leave it out.")
    check_positive(**{name: given[name] for name in ("cell_m",) if name in given})
    check_whole(**{name: given[name] for name in ("days",) if name in given})
    slot_plan(given.get("slot_min", 1), given.get("start"), settings.time_zone)
    for name in ("towers", "zones"):
        if name in given and not given[name].exists():
            raise ParameterError(f"there is no file of {name} at {given[name].name}; check the path.")


def _check_anonymize(settings: "GateSettings") -> None:
    given = settings["anonymize"]
    if given.get("hold_out") is not None:
        try:
            check_hold_out(given["hold_out"])
        except ParameterError as error:
            raise ParameterError(f"hold_out is refused: {error}") from None
    if settings.method != COUNTS:
        method_of(settings)
    elif given.get("dp_epsilon") is not None and not {"start", "days"} <= set(settings["discretize"]):
        raise ParameterError(
            "dp_epsilon needs start and days in [discretize]: a period found in the data says who was there."
        )


def _check_assess(settings: "GateSettings") -> None:
    given = {name: value for name, value in settings.options.items() if not name.startswith("earlier")}
    check_whole(earlier_last=settings["assess"].get("earlier_last", 1))
    options = Options(**{**given, "limits": None})
    refuse_shopping(tuple(options.shopping()), options.override)


def _check_limits(settings: "GateSettings") -> None:
    options = Options(limits=settings["limits"] or None)
    refuse_shopping(tuple(options.shopping()), settings["assess"].get("override"))


def check_output(settings: "GateSettings") -> None:
    """Refuse outputs that cannot be written, or that would publish what is private."""
    outputs = settings.outputs
    if not NAME.fullmatch(outputs.name) or outputs.name.startswith("."):
        raise ParameterError("name must be the name of a folder, such as {date}, without a slash.")
    for name in ("folder", "links", "history"):
        path = getattr(outputs, name)
        if path is not None and not path.parent.is_dir():
            raise ParameterError(f"{name} would be in a folder that does not exist; make it first.")
        if path is not None and path.exists() and path.is_dir() != (name != "history"):
            raise ParameterError(f"{name} must be a {'file' if name == 'history' else 'folder'}; give it another name.")
    private = {"links": outputs.links, "bad_rows": settings.reading.get("bad_rows")}
    for name, path in {**private, "history": outputs.history}.items():
        if _within(path, outputs.folder):
            raise ParameterError(f"{name} must not be in folder, which is published; keep them apart.")
    aside, staged = private["bad_rows"], outputs.private
    if aside is not None and not _on_one_disk(aside.parent, staged if staged.exists() else staged.parent):
        raise ParameterError("bad_rows must be on one disk with links, or else with history: it is moved in one step.")
    read = Path(settings.source)
    for name, path in {"folder": outputs.folder, **private}.items():
        if read.is_dir() and _within(path, read):
            raise ParameterError(f"{name} must not be in the folder that is read; keep them apart.")


def _within(path: Path | None, folder: Path) -> bool:
    return path is not None and folder.resolve() in (path.resolve(), *path.resolve().parents)


def _on_one_disk(one: Path, other: Path) -> bool:
    return one.stat().st_dev == other.stat().st_dev


def refuse_shopping(settings: tuple[str, ...], override: str | None) -> None:
    """Refuse what makes a verdict easier, unless there is a reason that is the first line of the page."""
    if settings and not override:
        raise ParameterError(
            f"{'; '.join(settings)}: a gate does not allow that; leave it out, or give override a reason."
        )


def method_of(settings: "GateSettings") -> tuple[anonymize.Anonymizer, dict[str, Any]]:
    """The method with its parameters, and the further keywords of its call."""
    given, method = settings["anonymize"], anonymize.METHODS[settings.method]
    fields = method.__dataclass_fields__  # type: ignore[attr-defined]
    made = {name: value for name, value in given.items() if name in fields}
    if "time_zone" in fields:
        made["time_zone"] = settings.time_zone
    own = ("method", "file", "hold_out", *fields)
    keywords = {name: value for name, value in given.items() if name not in own}
    run = method(**made)
    run.check(**keywords)
    return run, keywords


CHECKS: Mapping[str, Callable[["GateSettings"], None]] = {
    "source": _check_source,
    "clean": _check_clean,
    "discretize": _check_discretize,
    "anonymize": _check_anonymize,
    "limits": _check_limits,
    "assess": _check_assess,
    "output": check_output,
}

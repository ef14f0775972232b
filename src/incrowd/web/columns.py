"""The columns of a source: what each holds, in counts, what it is most likely for, and what a person says it is."""

from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from incrowd import gate, read
from incrowd.clock import named_zone
from incrowd.errors import DataError, IncrowdError, ParameterError
from incrowd.gate.settings import FILE
from incrowd.read._kind import holding
from incrowd.read.sources.engine import check_format
from incrowd.read.sources.local import SUFFIXES
from incrowd.web.folder import inside
from incrowd.web.pages import discreet, page, studio_of
from incrowd.web.studio import Studio

PLACES = ("user", "t", "lon", "lat", "x", "y")
USES = {
    "user": "Person",
    "t": "Time",
    "lon": "Longitude",
    "lat": "Latitude",
    "x": "East, m",
    "y": "North, m",
    "sensitive": "Sensitive",
    "harmless": "Harmless",
    "leave": "Leave out",
}
NEEDED = {"user": "the person", "t": "the time"}
FORMATS = ("%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%Y%m%d%H%M%S")


async def show(request: Request) -> Response:
    """The part of the page that says what each column holds; uses in the address stand as they are."""
    studio, asked = studio_of(request), dict(request.query_params)
    try:
        seen, likely = await run_in_threadpool(_looked_at, studio, asked.get("kind", "file"), asked.get("source", ""))
    except IncrowdError as error:
        return page(request, "columns", problem=_named(studio, str(error)), seen=None)
    chosen = {name: asked.get(f"use:{name}", use) for name, use in likely.items()}
    return page(request, "columns", problem="", seen=seen, chosen=chosen, asked=asked, uses=USES, formats=FORMATS)


def _looked_at(studio: Studio, kind: str, source: str) -> tuple[read.Preview | None, dict[str, str]]:
    """What a source holds, if it has columns, and the likely use of each; a file that incrowd wrote says its own."""
    if kind == "database":
        database = database_of(studio)
        if "source" in database:
            stated = {name: use for use, name in database["columns"].items() if isinstance(name, str)}
            seen = read.preview(database["source"], **database["how"])
            return seen, _likely(seen, stated)
    if kind != "file" or not source:
        return None, {}
    path = inside(studio.folder, source)
    held = holding(path)
    if held.published or held.noun not in (None, "Traces"):
        what = "a release" if held.published else str(held.noun).lower()
        raise DataError(f"this file holds {what}, not who was where and when; choose the data it was made from.")
    seen = read.preview(str(path))
    likely = _likely(seen, {})
    return seen, {name: use for name, use in likely.items() if not held.saved or name not in PLACES}


def _likely(seen: read.Preview, stated: dict[str, str]) -> dict[str, str]:
    """The most likely use of each column; what is stated goes first."""
    likely = {one.name: one.role if one.role in USES else "leave" for one in seen.columns_}
    free = {name: "leave" if use in stated.values() else use for name, use in likely.items()}
    return {name: stated.get(name, use) for name, use in free.items()}


def _named(studio: Studio, text: str) -> str:
    """A message that calls files as the page does."""
    return discreet(text.replace(f"{studio.folder}/", ""))


def options_of(form: dict[str, str]) -> dict[str, Any]:
    """How the columns are read, as the form says it."""
    uses = {name.removeprefix("use:"): use for name, use in form.items() if name.startswith("use:")}
    if any(use not in {"", *USES} for use in uses.values()):
        raise ParameterError("a column has an unknown use; choose one of the list.")
    roles = {use: name for name, use in uses.items() if use in PLACES}
    if len(roles) < sum(use in PLACES for use in uses.values()):
        raise ParameterError("two columns have the same use; only one can be the person, the time or a position.")
    missing = [words for use, words in NEEDED.items() if use not in roles]
    if not {"lon", "lat"} <= set(roles) and not {"x", "y"} <= set(roles):
        missing.append("the position (longitude and latitude, or east and north)")
    if missing and uses and form.get("described") != "yes":
        raise ParameterError(f"no column is {' or '.join(missing)}; choose one under Columns.")
    sensitive = [name for name, use in uses.items() if use == "sensitive"]
    if len(sensitive) > 1:
        raise ParameterError("one column can be sensitive at a time; leave the others out, or run them one by one.")
    harmless = [name for name, use in uses.items() if use == "harmless"]
    options: dict[str, Any] = {"columns": roles, "attributes": [*sensitive, *harmless], "harmless": harmless}
    options["uses"] = uses
    options["sensitive"] = sensitive[0] if sensitive else ""
    options |= {name: form.get(name, "").strip() for name in ("time-zone", "time-format")}
    named_zone(options["time-zone"] or None)
    if options["time-format"]:
        check_format(options["time-format"])
    options["set-aside"] = form.get("set-aside") == "yes"
    return options


def database_of(studio: Studio) -> dict[str, Any]:
    """The database that incrowd.toml names, without credentials; a problem if the file has one."""
    from incrowd.assess.head import masked

    path = studio.folder / FILE
    if not path.is_file():
        return {}
    try:
        settings = gate.load(path)
    except IncrowdError as error:
        return {"problem": str(error)}
    source = settings.source
    if "://" not in source and Path(source).suffix.lower() not in SUFFIXES:
        return {}
    how = {name: settings.reading[name] for name in ("table", "query") if settings.reading.get(name)}
    return {"source": source, "name": masked([source]), "how": how, "columns": settings.reading.get("columns") or {}}

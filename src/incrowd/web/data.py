"""The step Data: a file of the folder, the database of incrowd.toml or a synthetic city, and what its columns mean."""

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from incrowd import gate, read
from incrowd.clock import named_zone
from incrowd.errors import IncrowdError, ParameterError
from incrowd.gate.settings import FILE
from incrowd.read.sources.engine import check_format
from incrowd.read.sources.local import SUFFIXES
from incrowd.show import Section
from incrowd.web import commands
from incrowd.web.folder import data_files, inside, upload
from incrowd.web.forms import form_of, number_in
from incrowd.web.pages import commands as lines
from incrowd.web.pages import page, studio_of
from incrowd.web.store import StoredData
from incrowd.web.studio import Studio

PLACES = ("user", "t", "lon", "lat", "x", "y", "cell")
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
MOST_PEOPLE, MOST_DAYS = 100_000, 60
MOST_EARLIER = 8  # data that a page lists
DATABASE = "database of incrowd.toml"
CITY = {"users": (10, MOST_PEOPLE), "days": (1, MOST_DAYS)}


async def show(request: Request) -> Response:
    """The page; an error of a form is shown on it."""
    return await _shown(request)


async def _shown(request: Request, problem: str = "", typed: dict[str, str] | None = None) -> Response:
    studio = studio_of(request)
    dataset = studio.store.dataset()
    files, database = await run_in_threadpool(data_files, studio.folder), _database(studio)
    picked = typed or _picked(dataset)
    job = None if dataset is None else studio.store.latest(dataset.id, "clean")
    done = job is not None and job.state == "finished"
    first = 0 if job is None else len(job.commands) - 2  # a city is made before it is cleaned
    ledger = studio.answer(job, first) if done else None
    return page(
        request,
        "data",
        step="data",
        status=422 if problem else 200,
        problem=problem,
        files=files,
        database=database,
        picked=picked,
        columns=urlencode(picked) if picked.get("source") or _named_database(picked, database) else "",
        dataset=dataset,
        job=job,
        summary=studio.answer(job, first + 1) if done else None,
        ledger=ledger,
        drops=_drops(ledger),
        lines=[] if dataset is None else lines(*commands.cleaning(dataset)),
        city=CITY,
        earlier=_earlier(studio, dataset),
        measured=dataset is not None and studio.store.latest(dataset.id, "assess") is not None,
    )


def _earlier(studio: Studio, now: StoredData | None) -> list[tuple[StoredData, int]]:
    """Data that were read before, the latest first, and how many runs they have."""
    read_before = (one for one in studio.store.datasets() if one != now and studio.finished(one, "clean"))
    return [(one, len(studio.runs(one))) for one in islice(read_before, MOST_EARLIER)]


async def back(request: Request) -> Response:
    """Make earlier data the current ones again, with their runs."""
    studio, form = studio_of(request), await form_of(request)
    number = number_in(form.get("dataset", ""))
    if all(number != one.id for one in studio.store.datasets()):
        raise ParameterError("these data are not known; choose some of the page.")
    studio.store.set("dataset", str(number))
    return RedirectResponse("/data", status_code=303)


def _named_database(picked: dict[str, str], database: dict[str, Any]) -> bool:
    return picked["kind"] == "database" and "source" in database


def _picked(dataset: StoredData | None) -> dict[str, str]:
    """The fields of the form as they were sent for the current data, so that one can go back and change them."""
    if dataset is None:
        return {"kind": "file"}
    options = dataset.options
    if not dataset.source:
        return {"kind": "city", **{name: str(options[name]) for name in CITY}}
    fields = {f"use:{name}": use for name, use in options.get("uses", {}).items()}
    fields |= {name: options[name] for name in ("time-zone", "time-format") if options.get(name)}
    fields |= {"set-aside": "yes"} if options.get("set-aside") else {}
    if dataset.title == DATABASE:
        return {"kind": "database", **fields}
    return {"kind": "file", "source": dataset.source, **fields}


def _drops(ledger: Section | None) -> list[tuple[str, int, float]]:
    """Why records were dropped, how many, and their share of all that were, in percent."""
    reasons: Counter[str] = Counter()
    for step in ledger.data.steps if ledger is not None else ():
        reasons.update(step.dropped)
    total = max(reasons.total(), 1)
    return [(reason, count, 100 * count / total) for reason, count in reasons.most_common() if count]


def _database(studio: Studio) -> dict[str, Any]:
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


async def columns(request: Request) -> Response:
    """The part of the page that says what each column holds; uses in the address stand as they are."""
    studio, asked = studio_of(request), dict(request.query_params)
    kind = asked.get("kind", "file")
    if kind == "city" or (kind == "file" and not asked.get("source")):
        return page(request, "columns", problem="", seen=None)
    how: dict[str, Any] = {}
    stated: dict[str, str] = {}
    try:
        if kind == "database":
            database = _database(studio)
            if "source" not in database:
                return page(request, "columns", problem="", seen=None)
            path, how = database["source"], database["how"]
            stated = {name: use for use, name in database["columns"].items() if isinstance(name, str)}
        else:
            path = str(inside(studio.folder, asked.get("source", "")))
        seen = await run_in_threadpool(read.preview, path, **how)
    except IncrowdError as error:
        return page(request, "columns", problem=_named(studio, str(error)), seen=None)
    likely = {one.name: one.role if one.role in USES else "leave" for one in seen.columns_}
    likely = {name: "leave" if use in stated.values() else use for name, use in likely.items()} | stated
    chosen = {one.name: asked.get(f"use:{one.name}", likely[one.name]) for one in seen.columns_}
    return page(request, "columns", problem="", seen=seen, chosen=chosen, asked=asked, uses=USES, formats=FORMATS)


def _named(studio: Studio, text: str) -> str:
    """A message that calls files as the page does."""
    return text.replace(f"{studio.folder}/", "")


async def choose(request: Request) -> Response:
    """Read and clean what was chosen, in a job."""
    studio = studio_of(request)
    form = await form_of(request)
    try:
        title, source, options = _chosen(studio, form)
    except IncrowdError as error:
        return await _shown(request, str(error), {"kind": "file", **form})
    dataset = studio.store.add_dataset(title, source, options)
    file = source if form.get("kind", "file") == "file" else ""
    studio.started(dataset, "clean", f"Reading {title}", commands.cleaning(dataset), file=file)
    return RedirectResponse("/data", status_code=303)


def _chosen(studio: Studio, form: dict[str, str]) -> tuple[str, str, dict[str, Any]]:
    """Title, source and options of a form."""
    kind = form.get("kind", "file")
    if kind == "city":
        return "synthetic city", "", {name: _whole(form, name, *ends) for name, ends in CITY.items()}
    options = _options(form)
    if kind == "database":
        database = _database(studio)
        if "source" not in database:
            raise ParameterError("incrowd.toml names no database.")
        return DATABASE, database["source"], {**options, **database["how"]}
    if not form.get("source"):
        raise ParameterError("choose a file first.")
    source = inside(studio.folder, form["source"]).relative_to(studio.folder).as_posix()
    return source, source, options


def _whole(form: dict[str, str], name: str, least: int, most: int) -> int:
    text = form.get(name, "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
        raise ParameterError(f"{name} must be a whole number from {least:,} to {most:,}.")
    return int(text)


def _options(form: dict[str, str]) -> dict[str, Any]:
    """How the columns are read, as the form says it."""
    uses = {name.removeprefix("use:"): use for name, use in form.items() if name.startswith("use:")}
    if any(use not in {"", *USES, "cell"} for use in uses.values()):
        raise ParameterError("a column has an unknown use; choose one of the list.")
    roles = {use: name for name, use in uses.items() if use in PLACES}
    if len(roles) < sum(use in PLACES for use in uses.values()):
        raise ParameterError("two columns have the same use; only one can be the person, the time or a position.")
    missing = [words for use, words in NEEDED.items() if uses and use not in roles]
    if uses and not {"lon", "lat"} <= set(roles) and not {"x", "y"} <= set(roles):
        missing.append("the position (longitude and latitude, or east and north)")
    if missing:
        raise ParameterError(f"no column is {' or '.join(missing)}; choose one under Columns.")
    sensitive = [name for name, use in uses.items() if use == "sensitive"]
    if len(sensitive) > 1:
        raise ParameterError("one column can be sensitive at a time; leave the others out, or run them one by one.")
    harmless = [name for name, use in uses.items() if use == "harmless"]
    options: dict[str, Any] = {"columns": roles, "attributes": [*sensitive, *harmless], "harmless": harmless}
    options["uses"] = uses
    options["sensitive"] = sensitive[0] if sensitive else ""
    options["time-zone"], options["time-format"] = (
        form.get("time-zone", "").strip(),
        form.get("time-format", "").strip(),
    )
    named_zone(options["time-zone"] or None)
    if options["time-format"]:
        check_format(options["time-format"])
    options["set-aside"] = form.get("set-aside") == "yes"
    return options


async def take(request: Request) -> Response:
    """Store a file that was dropped on the page."""
    studio = studio_of(request)
    name = request.query_params.get("name", "")
    try:
        path = await upload(studio.folder, name, request.stream(), studio.upload_mb * 1_000_000)
    except IncrowdError as error:
        return JSONResponse({"problem": str(error)}, status_code=422)
    return JSONResponse({"path": path})

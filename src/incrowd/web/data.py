"""The step Data: a file of the folder, the database of incrowd.toml or a synthetic city, and what its columns mean."""

from collections import Counter
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from incrowd.errors import IncrowdError, ParameterError
from incrowd.show import Section
from incrowd.web import commands
from incrowd.web.columns import database_of, options_of
from incrowd.web.folder import data_files, inside, upload
from incrowd.web.forms import form_of, number_in
from incrowd.web.pages import commands as lines
from incrowd.web.pages import first_up, page, studio_of
from incrowd.web.store import StoredData
from incrowd.web.studio import Studio

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
    files, database = await run_in_threadpool(data_files, studio.folder), database_of(studio)
    sent = request.query_params.get("source")  # of a file that was dropped on the page
    picked = typed or ({"kind": "file", "source": sent} if sent else _picked(dataset))
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
        files=sorted(files, key=lambda file: file.path.rstrip("/") != picked.get("source", "").rstrip("/")),
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
    options = options_of(form)
    if kind == "database":
        database = database_of(studio)
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


async def take(request: Request) -> Response:
    """Store a file that was dropped on the page."""
    studio = studio_of(request)
    name = request.query_params.get("name", "")
    try:
        path = await upload(studio.folder, name, request.stream(), studio.upload_mb * 1_000_000)
    except IncrowdError as error:
        return JSONResponse({"problem": first_up(str(error))}, status_code=422)
    return JSONResponse({"path": path})

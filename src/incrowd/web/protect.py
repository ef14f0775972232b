"""The step Protect: methods as cards, each run as a job that makes a release, attacks it and audits it."""

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from incrowd.errors import IncrowdError, ParameterError
from incrowd.plain import in_words, percent
from incrowd.web import commands
from incrowd.web.forms import dataset_of, form_of, job_in
from incrowd.web.methods import cards, options_from, title_of
from incrowd.web.pages import commands as lines
from incrowd.web.pages import in_brief, page, studio_of
from incrowd.web.store import Job, StoredData
from incrowd.web.studio import JUDGE, Studio

if TYPE_CHECKING:
    from incrowd.assess.compare.comparison import Comparison

TRIED = 300  # people of a forecast


def show(request: Request) -> Response:
    """The page."""
    return _shown(request)


def _shown(request: Request, problem: str = "", method: str = "", typed: dict[str, str] | None = None) -> Response:
    studio = studio_of(request)
    dataset = studio.ready()
    jobs = studio.runs(dataset)
    forecast = studio.store.latest(dataset.id, "forecast")
    latest = next(iter(jobs), None)
    words = _steps(dataset, "glove", {"k": 11}) if latest is None else latest.commands
    return page(
        request,
        "protect",
        step="protect",
        status=422 if problem else 200,
        dataset=dataset,
        cards=cards(),
        jobs=sorted(jobs, key=_order),
        outcomes={job.id: outcome(studio, job) for job in jobs},
        forecast=forecast,
        forecasts=_forecasts(studio, dataset),
        estimate=_estimate(studio, forecast),
        tried=TRIED,
        problem=problem,
        wrong=method,
        wrong_field=_blamed(method, problem),
        typed=typed or {},
        lines=lines(*([word.replace("{job}", "1") for word in one] for one in words)),
    )


def _blamed(method: str, problem: str) -> str:
    """The field that a refusal begins with; empty if it is about several."""
    fields = next((card.fields for card in cards() if card.name == method), ())
    return next((one.name for one in fields if problem.startswith((f"{one.label}:", f"{one.name} "))), "")


def _order(job: Job) -> tuple[int, int]:
    """Runs that work come first, then those that wait, as they will begin; the others the latest first."""
    place = {"running": 0, "waiting": 1}.get(job.state, 2)
    return place, -job.id if place == 2 else job.id


def outcome(studio: Studio, job: Job) -> str:
    """What became of a finished run, in a few words."""
    assessment = studio.assessment(job, JUDGE) if job.kind == "run" else None
    if assessment is None:
        return ""
    return f"{in_brief(assessment)} · signed" if studio.signed(studio.signing_of(job)) else in_brief(assessment)


def _forecasts(studio: Studio, dataset: StoredData) -> dict[str, dict[str, Any]]:
    """Method -> the longest time, and for each setting tried what is left of the data and what an attacker guesses."""
    section = studio.answer(studio.finished(dataset, "forecast"))
    comparison: Comparison | None = None if section is None else section.data
    published = [row for row in comparison.rows if row.published] if comparison is not None else []
    tried: dict[str, dict[str, Any]] = {}
    for row in published:
        left = f"{percent(row.utility['kept'], 0)} of records, places to {row.utility['place_m']:,.0f} m"
        guessed = f"{percent(row.privacy['guess_high'], 0)} guessed rightly"
        told = tried.setdefault(row.method, {"rows": [], "seconds": 0.0})
        told["rows"].append((row.setting, left, guessed))
        told["seconds"] = max(told["seconds"], row.seconds)
        told["time"] = in_words(told["seconds"])
    return tried


def _estimate(studio: Studio, forecast: Job | None) -> str:
    """What GLOVE will take on all people, in the words of the command."""
    return studio.words(forecast, 1).strip() if forecast is not None and forecast.state == "finished" else ""


async def run(request: Request) -> Response:
    """Make a release by a method, attack it and audit it, in a job."""
    studio = studio_of(request)
    dataset, form = studio.ready(), await form_of(request)
    method = form.get("method", "")
    try:
        options = options_from(method, form)
    except IncrowdError as error:
        return _shown(request, str(error), method, form)
    _run(studio, dataset, method, options)
    return RedirectResponse("/protect", status_code=303)


def _run(studio: Studio, dataset: StoredData, method: str, options: dict[str, object]) -> None:
    steps = _steps(dataset, method, options)
    studio.started(dataset, "run", title_of(method, options), steps, method=method, options=options)


def _steps(dataset: StoredData, method: str, options: dict[str, object]) -> list[commands.Words]:
    return [
        commands.anonymizing(dataset, method, options),
        commands.judging(dataset, method, budget=commands.BUDGETS[1]),
        commands.auditing(dataset, method),
    ]


async def again(request: Request) -> Response:
    """Run a job that is over once more, as a new one."""
    studio = studio_of(request)
    job = job_in(studio, request.path_params["job"])
    if not job.over:
        raise ParameterError("this run has not ended; cancel it first.")
    dataset = dataset_of(studio, job)
    if job.kind == "run":
        _run(studio, dataset, job.details["method"], job.details["options"])
        return RedirectResponse("/protect", status_code=303)
    studio.started(dataset, job.kind, job.title, job.commands, **job.details)
    return RedirectResponse(PAGES.get(job.kind, "/data"), status_code=303)


PAGES = {"assess": "/risk", "forecast": "/protect", "sign": "/release"}


async def forecast(request: Request) -> Response:
    """Try every method on a few people, in a job."""
    studio = studio_of(request)
    dataset = studio.ready()
    if all(job.over for job in studio.store.jobs(dataset.id, "forecast")):
        steps = [commands.forecasting(dataset, TRIED), commands.estimating(dataset, "glove", {"k": 11})]
        studio.started(dataset, "forecast", f"Trying every method on {TRIED} people", steps)
    return RedirectResponse("/protect", status_code=303)

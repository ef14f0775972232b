"""The step Release: audit, attacks, a decision that is signed, and a download that never holds the link file."""

import zipfile
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from incrowd.data.files import whole_file
from incrowd.errors import DataError, IncrowdError, ParameterError
from incrowd.report.verdict import verdict_of
from incrowd.web import commands
from incrowd.web.compare import row_of
from incrowd.web.folder import HOME, size_in_words
from incrowd.web.forms import form_of, run_in
from incrowd.web.pages import commands as lines
from incrowd.web.pages import page, studio_of
from incrowd.web.signing import DECISIONS, decided, files_of, folder_of, passes, withheld
from incrowd.web.store import Job, StoredData
from incrowd.web.studio import AUDIT, JUDGE, Studio

AGAIN_DAYS = 365
# The page of an assessment has its style inside; it still runs nothing and asks for nothing.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"


def show(request: Request) -> Response:
    """The page of one run: the one that the address names, or the best."""
    return _shown(request, request.query_params.get("run", ""))


def _shown(request: Request, run: str, problem: str = "", typed: dict[str, str] | None = None) -> Response:
    studio = studio_of(request)
    dataset = studio.ready()
    job = run_in(studio, run) if run else _best(studio, dataset)
    if job is None or job.state != "finished":
        return page(request, "release", step="release", dataset=dataset, job=None, problem=problem)
    assessment, method = studio.assessment(job, JUDGE), job.details["method"]
    audit = studio.answer(job, AUDIT)
    signing, number = studio.signing_of(job), str(job.id)
    return page(
        request,
        "release",
        step="release",
        status=422 if problem else 200,
        dataset=dataset,
        job=job,
        problem=problem,
        typed=typed or {},
        top=None if assessment is None else verdict_of(assessment),
        passed=passes(studio, job),
        audit=audit,
        published=studio.answer(job),
        signing=signing,
        signed=studio.signed(signing),
        withheld=withheld(studio, job, signing),
        files=[(name, size_in_words(path.stat().st_size)) for name, path in files_of(studio, job, signing)],
        decisions=DECISIONS,
        again_by=date.fromordinal(datetime.now(UTC).date().toordinal() + AGAIN_DAYS).isoformat(),
        lines=lines(
            commands.auditing(dataset, method, number),
            commands.judging(dataset, method, budget=commands.BUDGETS[1], run=number, signed=True),
        ),
    )


def _best(studio: Studio, dataset: StoredData) -> Job | None:
    """The run that was signed, else the one that passes with the least loss, else the latest."""
    signing = next((job for job in studio.store.jobs(dataset.id, "sign")), None)
    signed = None if signing is None else studio.store.job(signing.details["run"])
    if signed is not None:
        return signed
    rows = [row for job in studio.runs(dataset) if (row := row_of(studio, job)) is not None]
    rows.sort(key=lambda row: (not row.passed, row.loss if row.loss is not None else float("inf")))
    return rows[0].job if rows else None


async def sign(request: Request) -> Response:
    """Record a decision, and write verdict, limits and digests beside the release, in a job."""
    studio = studio_of(request)
    dataset, form = studio.ready(), await form_of(request)
    run = form.get("run", "")
    try:
        job = run_in(studio, run)
        details = decided(studio, job, form)
    except IncrowdError as error:
        return _shown(request, run if run.isdigit() else "", str(error), form)
    method, number = job.details["method"], str(job.id)
    steps = [
        commands.judging(dataset, method, budget=commands.BUDGETS[1], run=number, signed=True),
        commands.auditing(dataset, method, number),
    ]
    studio.started(dataset, "sign", f"Signing {job.title}", steps, run=job.id, **details)
    return RedirectResponse(f"/release?run={job.id}", status_code=303)


async def download(request: Request) -> Response:
    """A signed release with its page, its evidence and the decision, as one ZIP file."""
    studio = studio_of(request)
    job = run_in(studio, request.query_params.get("run", ""))
    signing = studio.signing_of(job)
    reason = await run_in_threadpool(withheld, studio, job, signing)
    if reason:
        raise ParameterError(reason)
    name = f"release-{job.id}.zip"
    path = folder_of(studio, job) / name
    await run_in_threadpool(_zip, path, files_of(studio, job, signing))
    return FileResponse(path, media_type="application/zip", filename=name)


def _zip(target: Path, files: list[tuple[str, Path]]) -> None:
    with whole_file(target, force=True) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in files:
            archive.write(path, name)


async def report(request: Request) -> Response:
    """The page of an assessment, as the command wrote it."""
    studio = studio_of(request)
    dataset = studio.ready()
    for path in _reports(studio, dataset, request.query_params.get("run", "")):
        if path.is_file():
            text = await run_in_threadpool(path.read_text, "utf-8")
            return HTMLResponse(text, headers={"Content-Security-Policy": REPORT_POLICY})
    raise DataError("there is no assessment yet; run the tests first.")


def _reports(studio: Studio, dataset: StoredData, run: str) -> Iterator[Path]:
    if run:
        yield folder_of(studio, run_in(studio, run)) / "assessment.html"
    else:
        yield studio.folder / HOME / "data" / str(dataset.id) / "assessment.html"

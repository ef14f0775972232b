"""The step Release: audit, attacks, a decision that is signed, and a download that never holds the link file."""

import hashlib
import zipfile
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from incrowd.data.files import whole_file
from incrowd.data.release_folder import attestation_of
from incrowd.errors import DataError, IncrowdError, ParameterError
from incrowd.report.verdict import verdict_of
from incrowd.web import commands
from incrowd.web.compare import row_of
from incrowd.web.folder import HOME, size_in_words
from incrowd.web.forms import form_of, job_in
from incrowd.web.pages import commands as lines
from incrowd.web.pages import page, studio_of
from incrowd.web.store import Job, StoredData
from incrowd.web.studio import AUDIT, JUDGE, Studio

DECISIONS = {"publish": "Publish", "conditions": "Publish under conditions", "no": "Do not publish"}
LONGEST = 500  # letters of a field
AGAIN_DAYS = 365
# The page of an assessment has its style inside; it still runs nothing and asks for nothing.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"


async def show(request: Request) -> Response:
    """The page of one run: the one that the address names, or the best."""
    return _shown(request, request.query_params.get("run", ""))


def _shown(request: Request, run: str, problem: str = "", typed: dict[str, str] | None = None) -> Response:
    studio = studio_of(request)
    dataset = studio.ready()
    job = job_in(studio, run, "run") if run else _best(studio, dataset)
    if job is None or job.state != "finished":
        return page(request, "release", step="release", dataset=dataset, job=None, problem=problem)
    assessment, method = studio.assessment(job, JUDGE), job.details["method"]
    audit = studio.answer(job, AUDIT)
    signing = next((one for one in studio.store.jobs(dataset.id, "sign") if one.details["run"] == job.id), None)
    number = str(job.id)
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
        passed=assessment is not None and assessment.passed and audit is not None and audit.data.passed,
        audit=audit,
        published=studio.answer(job),
        signing=signing,
        signed=signing is not None and signing.state == "finished",
        files=[(name, size_in_words(path.stat().st_size)) for name, path in _files(studio, job, signing)],
        decisions=DECISIONS,
        again_by=date.fromordinal(datetime.now(UTC).date().toordinal() + AGAIN_DAYS).isoformat(),
        lines=lines(
            commands.auditing(dataset, method, number),
            commands.judging(dataset, method, budget=commands.BUDGETS[1], run=number, signed=True),
        ),
    )


def _best(studio: Studio, dataset: StoredData) -> Job | None:
    """The run that was signed, else the one that passes with the least loss, else the latest."""
    signed = next((job for job in studio.store.jobs(dataset.id, "sign")), None)
    if signed is not None:
        return studio.store.job(signed.details["run"])
    rows = [row for job in studio.runs(dataset) if (row := row_of(studio, job)) is not None]
    rows.sort(key=lambda row: (not row.passed, row.loss if row.loss is not None else float("inf")))
    return rows[0].job if rows else None


async def sign(request: Request) -> Response:
    """Record a decision, and write verdict, limits and digests beside the release, in a job."""
    studio = studio_of(request)
    dataset, form = studio.ready(), await form_of(request)
    run = form.get("run", "")
    try:
        job = job_in(studio, run, "run")
        details = _decided(studio, job, form)
    except IncrowdError as error:
        return _shown(request, run if run.isdigit() else "", str(error), form)
    method, number = job.details["method"], str(job.id)
    steps = [
        commands.judging(dataset, method, budget=commands.BUDGETS[1], run=number, signed=True),
        commands.auditing(dataset, method, number),
    ]
    studio.started(dataset, "sign", f"Signing {job.title}", steps, run=job.id, **details)
    return RedirectResponse(f"/release?run={job.id}", status_code=303)


def _decided(studio: Studio, job: Job, form: dict[str, str]) -> dict[str, Any]:
    """A decision, complete and allowed."""
    given = {name: " ".join(form.get(name, "").split()) for name in ("name", "role", "reasons", "again_by")}
    if not given["name"] or not given["role"]:
        raise ParameterError("a signature needs a name and a role; type both.")
    if any(len(text) > LONGEST for text in given.values()):
        raise ParameterError(f"a field may have {LONGEST} letters; shorten it.")
    decision = form.get("decision", "")
    if decision not in DECISIONS:
        raise ParameterError("choose a decision.")
    if decision != "publish" and not given["reasons"]:
        raise ParameterError("give the conditions or reasons of this decision.")
    row, audit = row_of(studio, job), studio.answer(job, AUDIT)
    if decision != "no" and not (row is not None and row.passed and audit and audit.data.passed):
        raise ParameterError("this run does not pass, so it gets no signature for publication; sign Do not publish.")
    return {**given, "decision": decision, "day": datetime.now(UTC).date().isoformat()}


def _files(studio: Studio, job: Job, signing: Job | None) -> list[tuple[str, Path]]:
    """What belongs to a release, by its name in a download; the link file does not."""
    here = studio.folder / HOME / "runs" / str(job.id)
    named = [(f"release/{path.name}", path) for path in sorted((here / "release").glob("*")) if path.is_file()]
    if signing is not None and signing.state == "finished":
        _write_decision(here, signing)
    beside = (here / "assessment.html", here / "evidence.md", attestation_of(here / "release"), here / "decision.md")
    return [*named, *((path.name, path) for path in beside if path.is_file())]


def _write_decision(here: Path, signing: Job) -> None:
    """Who decided what on which attestation; written once."""
    path, attested = here / "decision.md", attestation_of(here / "release")
    if path.exists() or not attested.is_file():
        return
    details = signing.details
    digest = hashlib.sha256(attested.read_bytes()).hexdigest()
    rows = {
        "Decision": DECISIONS[details["decision"]],
        "Name": details["name"],
        "Role": details["role"],
        "Conditions or reasons": details["reasons"] or "none",
        "Signed on": details["day"],
        "Assess again by": details["again_by"] or "not stated",
        f"SHA-256 of {attested.name}": digest,
    }
    with whole_file(path, force=False) as part:
        part.write_text("# Decision\n\n" + "".join(f"- {name}: {value}\n" for name, value in rows.items()), "utf-8")


async def download(request: Request) -> Response:
    """A signed release with its page, its evidence and the decision, as one ZIP file."""
    studio = studio_of(request)
    dataset = studio.ready()
    job = job_in(studio, request.query_params.get("run", ""), "run")
    signing = next((one for one in studio.store.jobs(dataset.id, "sign") if one.details["run"] == job.id), None)
    if signing is None or signing.state != "finished" or signing.details["decision"] == "no":
        raise ParameterError("this release was not signed for publication; decide and sign first.")
    name = f"release-{job.id}.zip"
    path = studio.folder / HOME / "runs" / str(job.id) / name
    await run_in_threadpool(_zip, path, _files(studio, job, signing))
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
        yield studio.folder / HOME / "runs" / str(job_in(studio, run, "run").id) / "assessment.html"
    else:
        yield studio.folder / HOME / "data" / str(dataset.id) / "assessment.html"

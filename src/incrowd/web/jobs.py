"""Jobs on every page: how far they are, and buttons that cancel, remove or repeat them."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from incrowd.errors import ParameterError
from incrowd.web.forms import form_of, job_in
from incrowd.web.pages import STEPS, page, studio_of
from incrowd.web.protect import outcome


async def show(request: Request) -> Response:
    """A job as it stands; once it is over, so is the page, unless somebody may be typing there."""
    studio = studio_of(request)
    job = job_in(studio, request.path_params["job"])
    on = request.query_params.get("page", "")
    again = job.over and not (on == "protect" and job.kind == "run")
    headers = {"HX-Refresh": "true"} if again else {}
    return page(request, "job", headers=headers, step=on, job=job, on=on, outcomes={job.id: outcome(studio, job)})


async def cancel(request: Request) -> Response:
    """Stop a job."""
    studio = studio_of(request)
    studio.queue.cancel(job_in(studio, request.path_params["job"]))
    return await _back(request)


async def remove(request: Request) -> Response:
    """Take a job that is over from the list; what it wrote stays in the folder."""
    studio = studio_of(request)
    job = job_in(studio, request.path_params["job"])
    if not job.over:
        raise ParameterError("this run has not ended; cancel it first.")
    signing = studio.signing_of(job)
    kept = job.state == "finished" and job.kind != "run"
    if kept or (signing is not None and (not signing.over or studio.signed(signing))):
        raise ParameterError("this stays: what was signed or read is not forgotten.")
    studio.store.remove_job(job.id)
    return await _back(request)


async def _back(request: Request) -> Response:
    """To the page that the button was on."""
    page = (await form_of(request)).get("page", "")
    return RedirectResponse(f"/{page if page in STEPS else 'data'}", status_code=303)

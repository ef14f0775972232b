"""What a browser sends: short forms, read without a parser of uploads; numbers of jobs."""

from urllib.parse import parse_qsl

from starlette.requests import Request

from incrowd.errors import DataError, ParameterError
from incrowd.web.store import Job, StoredData
from incrowd.web.studio import Studio

MOST_BYTES = 200_000
MOST_FIELDS = 2_000


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; the last of several with one name.

    Args:
        request: A POST with fields as a browser writes them.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise DataError("this form is too long; send fewer fields.")
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError:
        raise DataError("this form cannot be read; send it from the studio's own page.") from None
    return dict(pairs)


def number_in(text: str) -> int:
    """A number of a job as an address or a form names it.

    Args:
        text: What was sent.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ParameterError("there is no such run; choose one of those on the page.")
    return int(text)


def run_in(studio: Studio, text: str) -> Job:
    """The run of the current data that an address or a form names.

    Args:
        studio: Where to look.
        text: Its number, as it was sent.
    """
    job = job_in(studio, text, "run")
    dataset_of(studio, job)
    return job


def dataset_of(studio: Studio, job: Job) -> StoredData:
    """The current data, which a job must be about.

    Args:
        studio: Where to look.
        job: What was named.
    """
    dataset = studio.dataset()
    if job.dataset != dataset.id:
        raise ParameterError("this run is of other data; go back to them on the step Data.")
    return dataset


def job_in(studio: Studio, text: str, kind: str | None = None) -> Job:
    """The job that an address or a form names.

    Args:
        studio: Where to look.
        text: Its number, as it was sent.
        kind: What it must be.
    """
    job = studio.store.job(number_in(text))
    if job is None or (kind is not None and job.kind != kind):
        raise ParameterError("there is no such run; choose one of those on the page.")
    return job

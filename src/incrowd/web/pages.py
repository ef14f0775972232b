"""Templates -> pages: what every page shows, and how sections, figures and commands are printed."""

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from os.path import expanduser
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from incrowd.plain import about, in_words, percent, several
from incrowd.report.draw import caption
from incrowd.web.commands import beside, shown
from incrowd.web.figures import figure, in_percent
from incrowd.web.handover import progress_in
from incrowd.web.store import Job, StoredData
from incrowd.web.studio import JUDGE, Studio

if TYPE_CHECKING:
    from incrowd.assess import Assessment

STEPS = ("data", "risk", "protect", "compare", "release")
# A number in a text that could part from its unit; commands, and names in tags, stay as they are.
LOOSE = re.compile(r"(<pre.*?</pre>|<[^>]*>)|(?<=\d) %(?=\W)", re.DOTALL)
NUMBER = re.compile(r"[-+]?[\d.,]*\d( ?%| ?\w{1,6})?|-|inf|")


@cache
def environment() -> jinja2.Environment:
    """Templates of the studio, and those of the report that it shares."""
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader("incrowd.web"), jinja2.PackageLoader("incrowd.report")]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters |= {
        "caption": caption,
        "first_up": first_up,
        "figure": lambda panel: Markup(figure(panel)),  # noqa: S704 - drawn by us, values escaped by matplotlib
        "about": about,
        "in_percent": in_percent,
        "in_words": in_words,
        "discreet": discreet,
        "numeric": lambda cell: bool(NUMBER.fullmatch(cell)),
        "percent": percent,
        "pieces": shown,
        "unbroken": lambda text: text,
    }
    made.globals |= {"several": several, "string": str}
    return made


def studio_of(request: Request) -> Studio:
    """The studio that answers a request."""
    studio: Studio = request.app.state.studio
    return studio


def page(
    request: Request, template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **context: Any
) -> HTMLResponse:
    """A page, or a part of one, with what every page shows.

    Args:
        request: What is answered.
        template: Name of the template, without its ending.
        status: Status code.
        headers: Further headers.
        context: What the template prints.
    """
    studio = studio_of(request)
    common = {"folder": studio.folder.name or "/", "studio": studio, "progress": lambda job: progress_of(studio, job)}
    if "step" in context:
        common["steps"] = steps(studio, context["step"])
    text = environment().get_template(f"{template}.html").render(**common, **context)
    text = LOOSE.sub(lambda piece: piece[1] or "\N{NO-BREAK SPACE}%", text)
    return HTMLResponse(text, status_code=status, headers=headers)


def progress_of(studio: Studio, job: Job) -> dict[str, Any]:
    """What the running command of a job does, and how far it is."""
    said = progress_in(studio.queue.place_of(job) / str(job.step))
    return {"label": "", "part": "", "share": 0.0, "left_s": 0.0, **said}


def steps(studio: Studio, now: str) -> list[dict[str, Any]]:
    """The five steps, each with what it found."""
    dataset = studio.store.dataset()
    found = {} if dataset is None else _found(studio, dataset)
    return [{"name": name, "now": name == now, "done": name in found, "found": found.get(name, "")} for name in STEPS]


def _found(studio: Studio, dataset: StoredData) -> dict[str, str]:
    found: dict[str, str] = {}
    cleaned = studio.finished(dataset, "clean")
    if cleaned is not None:
        summary = studio.answer(cleaned, len(cleaned.commands) - 1)
        found["data"] = several(summary.data.users, "person", "people") if summary else "read"
    assessment = studio.assessment(studio.finished(dataset, "assess"))
    if assessment is not None:
        found["risk"] = in_brief(assessment)
    done = [job for job in studio.runs(dataset) if job.state == "finished"]
    if done:
        found["protect"] = several(len(done), "run finished", "runs finished")
        judged = [one for one in (studio.assessment(job, JUDGE) for job in done) if one is not None]
        found["compare"] = several(sum(one.passed for one in judged), "run passes", "runs pass")
    if any(map(studio.signed, studio.store.jobs(dataset.id, "sign"))):
        found["release"] = "signed"
    return found


def in_brief(assessment: "Assessment") -> str:
    """Whether it passes, in a few words."""
    if assessment.passed:
        return "passes"
    if assessment.above:
        return f"{len(assessment.above)} of {len(assessment.held)} above the limit"
    return several(len(assessment.open), "test is missing", "tests are missing")


def first_up(words: str) -> str:
    """A message as a sentence; the name of a file, a parameter or the program keeps its letters.

    >>> first_up("choose a file."), first_up("a.csv is empty."), first_up("k must be 2."), first_up("incrowd wrote it.")
    ('Choose a file.', 'a.csv is empty.', 'k must be 2.', 'incrowd wrote it.')
    """
    first = words.partition(" ")[0]
    return words[:1].upper() + words[1:] if first.isalpha() and len(first) > 1 and first != "incrowd" else words


def discreet(words: str) -> str:
    """A message without the credentials of an address that it names.

    >>> discreet("cannot read s3://trips/may.parquet?X-Amz-Signature=geheim: check it.")
    'cannot read s3://trips/may.parquet?X-Amz-Signature=*** check it.'
    """
    from incrowd.assess.head import masked

    return " ".join(shlex.split(masked([word]))[0] if "://" in word else word for word in words.split(" "))


def commands(*lines: Sequence[str]) -> list[list[str]]:
    """Command lines for a terminal, in pieces that do not break, credentials left out."""
    from incrowd.assess.head import masked

    return [shown(map(expanduser, shlex.split(masked(words)))) for words in beside(lines)]

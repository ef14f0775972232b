"""The studio as an application: its addresses, its answers to errors, and the loop that starts jobs."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from incrowd.errors import IncrowdError
from incrowd.web import columns, compare, data, jobs, protect, release, risk
from incrowd.web.guard import BROKEN, Guard
from incrowd.web.openapi import description
from incrowd.web.pages import STEPS, page
from incrowd.web.studio import NotYet, Studio

EVERY_S = 0.5
STATIC = Path(__file__).parent / "static"


async def _first(_request: Request) -> Response:
    return RedirectResponse("/data", status_code=303)


async def _described(_request: Request) -> Response:
    return JSONResponse(description())


ROUTES = (
    Route("/", _first),
    Route("/data", data.show),
    Route("/data", data.choose, methods=["POST"]),
    Route("/data/columns", columns.show),
    Route("/data/earlier", data.back, methods=["POST"]),
    Route("/upload", data.take, methods=["POST"]),
    Route("/risk", risk.show),
    Route("/risk/view", risk.view),
    Route("/risk/map.json", risk.map_data),
    Route("/risk/assess", risk.assess, methods=["POST"]),
    Route("/protect", protect.show),
    Route("/protect/run", protect.run, methods=["POST"]),
    Route("/protect/forecast", protect.forecast, methods=["POST"]),
    Route("/compare", compare.show),
    Route("/release", release.show),
    Route("/release/sign", release.sign, methods=["POST"]),
    Route("/release/download", release.download),
    Route("/assessment", release.report),
    Route("/jobs/{job}", jobs.show),
    Route("/jobs/{job}/cancel", jobs.cancel, methods=["POST"]),
    Route("/jobs/{job}/remove", jobs.remove, methods=["POST"]),
    Route("/jobs/{job}/again", protect.again, methods=["POST"]),
    Route("/openapi.json", _described),
)


def studio_app(studio: Studio, port: int, log: Callable[[str], object] = print) -> Guard:
    """The guarded application.

    Args:
        studio: What its pages are about.
        port: Port of the server, which requests must name.
        log: Prints a line in the terminal.
    """

    @asynccontextmanager
    async def running(_app: Starlette) -> AsyncIterator[None]:
        loop = asyncio.create_task(_ticking(studio))
        yield
        loop.cancel()
        with suppress(asyncio.CancelledError):
            await loop

    files = Mount("/static", StaticFiles(directory=STATIC))
    handlers = {IncrowdError: _refused, HTTPException: _missing, Exception: _broken}
    app = Starlette(routes=[*ROUTES, files], lifespan=running, exception_handlers=handlers)  # type: ignore[arg-type]
    app.state.studio = studio
    return Guard(app, studio.store, port, log)


async def _ticking(studio: Studio) -> None:
    while True:
        with suppress(IncrowdError, OSError):  # tried again in a moment
            await run_in_threadpool(studio.queue.tick)
        await asyncio.sleep(EVERY_S)


async def _refused(request: Request, error: IncrowdError) -> Response:
    """What a page cannot do, in the sentence of the error; a step that comes too early is empty."""
    step = request.url.path.strip("/")
    if isinstance(error, NotYet) and step in STEPS:
        return page(request, "early", step=step, words=str(error))
    return page(request, "error", status=422, title="That did not work", problem=str(error))


async def _missing(request: Request, error: HTTPException) -> Response:
    """An address that does not exist, or a method that it does not take."""
    return page(request, "error", status=error.status_code, title="Nothing here", problem=f"{error.detail}.")


async def _broken(request: Request, _error: Exception) -> Response:
    """An error of ours: the guard names its kind in the terminal; its text, which may hold data, is shown nowhere."""
    return page(request, "error", status=500, title="Something broke", problem=BROKEN)

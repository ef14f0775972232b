"""The step Risk: the verdict on the data as they are, where the risk is, and what coarser data would change."""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from incrowd.assess.limits import DEFAULTS as DEFAULT_LIMITS
from incrowd.errors import IncrowdError, ParameterError
from incrowd.plain import in_words, percent, several
from incrowd.report.verdict import verdict_of
from incrowd.show import section_of
from incrowd.show.panel import step_words
from incrowd.web import commands
from incrowd.web.figures import in_percent
from incrowd.web.forms import form_of
from incrowd.web.pages import commands as lines
from incrowd.web.pages import page, studio_of
from incrowd.web.store import StoredData
from incrowd.web.studio import Studio
from incrowd.web.views import CELLS_M, POINTS, SLOTS_MIN, View

if TYPE_CHECKING:
    from incrowd.show import Map

DEFAULTS = {"points": 4, "cell_m": 500, "slot_min": 60}
CHOICES = {"points": POINTS, "cell_m": CELLS_M, "slot_min": SLOTS_MIN}
LIMIT = float(DEFAULT_LIMITS["identified"].value or 1)
HOT = (0.05, 0.25, 0.5, 0.75)  # shares at which the colour of the surface changes


def show(request: Request) -> Response:
    """The page; the controls stand as the address says."""
    studio = studio_of(request)
    dataset = studio.ready()
    chosen = _chosen(request)
    job = studio.store.latest(dataset.id, "assess")
    assessment = studio.assessment(studio.finished(dataset, "assess"))
    file = _file(studio, dataset)
    try:
        studio.views.warm(file, _zone(dataset))
        problem = ""
    except IncrowdError as error:
        problem = str(error)
    return page(
        request,
        "risk",
        step="risk",
        dataset=dataset,
        job=job,
        top=None if assessment is None else verdict_of(assessment),
        chosen=chosen,
        choices=CHOICES,
        cell_words=cell_words,
        slot_words=slot_words,
        problem=problem,
        budgets=commands.BUDGETS,
        budget_words=budget_words,
        lines=lines(_assessing(dataset, chosen)),
    )


def view(request: Request) -> Response:
    """The part of the page that the controls redraw."""
    studio = studio_of(request)
    dataset, chosen, began = studio.ready(), _chosen(request), time.perf_counter()
    file, zone = _file(studio, dataset), _zone(dataset)
    seen = studio.views.view(file, chosen["cell_m"], chosen["slot_min"], zone)
    context = _drawn(studio, dataset, seen, chosen)
    return page(request, "view", chosen=chosen, took=_drawn_in(time.perf_counter() - began), **context)


def _drawn(studio: Studio, dataset: StoredData, seen: View, chosen: dict[str, int]) -> dict[str, Any]:
    known = seen.curve[POINTS.index(chosen["points"])]
    ready = studio.views.ready(_file(studio, dataset), _zone(dataset))
    rows = [
        (cell_words(cell_m), [_cell(ready.get((cell_m, slot_min)), chosen, cell_m, slot_min) for slot_min in SLOTS_MIN])
        for cell_m in CELLS_M
    ]
    assessment = studio.assessment(studio.finished(dataset, "assess"))
    gap = assessment.results.get("blurring", ()) if assessment is not None else ()
    shares = [one.curve[POINTS.index(chosen["points"])].value for one in ready.values()]
    return {
        "known": known,
        "curve": _with_limit(section_of(list(seen.curve)).panel("uniqueness")),
        "numbers": [(one.points, percent(one.value).removesuffix(" %")) for one in seen.curve],
        "map": seen.risk_map.section(),
        "key": step_words(seen.risk_map.panel().steps) if len(seen.risk_map.cell) else [],
        "min_people": several(seen.risk_map.min_people, "person", "people"),
        "surface": rows,
        "slots": [slot_words(slot_min) for slot_min in SLOTS_MIN],
        "complete": all(cell["share"] for _, cells in rows for cell in cells),
        "verdict_of_surface": _whether_coarser(min((one for one in shares if one is not None), default=None)),
        "gap": section_of(gap[0]) if gap else None,
        "lines": lines(*commands.measuring(dataset, chosen["cell_m"], chosen["slot_min"]), _assessing(dataset, chosen)),
    }


def _drawn_in(seconds: float) -> str:
    return f"Drawn in {seconds:.1f} s" if seconds >= 0.1 else "Drawn in less than 0.1 s"


def _assessing(dataset: StoredData, chosen: dict[str, int]) -> list[str]:
    return commands.assessing(dataset, chosen["cell_m"], chosen["slot_min"], commands.BUDGETS[0])


def _with_limit(panel: Any) -> Any:
    """The curve with the limit as a line across; None stays None."""
    return panel and in_percent(replace(panel, levels={f"limit {percent(LIMIT)}": LIMIT}))


def _whether_coarser(least: float | None) -> str:
    """What the surface answers, once all of it is known."""
    if least is None:
        return ""
    if least > LIMIT:
        return f"No size comes below {percent(LIMIT)}: coarser cells and slots alone are not enough."
    return f"The least is {percent(least)}; the limit is {percent(LIMIT)}. Only the tests of a release decide."


def _cell(seen: View | None, chosen: dict[str, int], cell_m: int, slot_min: int) -> dict[str, Any]:
    value = None if seen is None else seen.curve[POINTS.index(chosen["points"])].value
    heat = 0 if value is None else 1 + int(np.searchsorted(HOT, value))
    here = (cell_m, slot_min) == (chosen["cell_m"], chosen["slot_min"])
    return {"share": "" if seen is None else percent(value, 0), "heat": heat, "here": here}


def map_data(request: Request) -> Response:
    """The squares of the map for the canvas: column, row and colour of those that are not blank."""
    studio = studio_of(request)
    dataset, chosen = studio.ready(), _chosen(request)
    file, zone = _file(studio, dataset), _zone(dataset)
    seen = studio.views.view(file, chosen["cell_m"], chosen["slot_min"], zone)
    if not len(seen.risk_map.cell):
        return JSONResponse({"squares": [], "cell_km": 1, "box": [0, 0, 1, 1], "outline": [], "words": ""})
    return JSONResponse(_squares(seen.risk_map.panel()))


def _squares(panel: "Map") -> dict[str, Any]:
    """West, south and colour of every square, in kilometres from the corner of the map."""
    if panel.at_km is None:
        rows, columns = np.nonzero(np.isfinite(panel.value))
        share, corner = panel.value[rows, columns], np.stack([columns, rows], axis=1) * panel.cell_km
    else:
        share, corner = panel.value, panel.at_km - panel.cell_km / 2
    colour = np.searchsorted(panel.steps, share) + 1
    return {
        "squares": [[*place, int(one)] for place, one in zip(corner.round(3).tolist(), colour, strict=True)],
        "cell_km": panel.cell_km,
        "box": list(panel.box_km),
        "outline": [line.round(3).tolist() for line in panel.outline],
        "words": panel.alt,
    }


async def assess(request: Request) -> Response:
    """Run every test on the data as they are, and try the methods on a few people, in two jobs."""
    studio = studio_of(request)
    dataset, form = studio.ready(), await form_of(request)
    grain = {name: _one_of(name, form.get(name, str(DEFAULTS[name]))) for name in ("cell_m", "slot_min")}
    budget = form.get("budget", commands.BUDGETS[0])
    if budget not in commands.BUDGETS:
        raise ParameterError(f"the time must be one of {', '.join(commands.BUDGETS)}.")
    if not any(not job.over for job in studio.store.jobs(dataset.id, "assess")):
        command = commands.assessing(dataset, grain["cell_m"], grain["slot_min"], budget)
        studio.started(dataset, "assess", "Running every test on the data as they are", [command], **grain)
    return RedirectResponse("/risk", status_code=303)


def _chosen(request: Request) -> dict[str, int]:
    query = request.query_params
    return {name: _one_of(name, query.get(name, str(value))) for name, value in DEFAULTS.items()}


def _one_of(name: str, text: str) -> int:
    value = next((choice for choice in CHOICES[name] if str(choice) == text), None)
    if value is None:
        raise ParameterError(f"{name} must be one of {', '.join(map(str, CHOICES[name]))}.")
    return value


def _file(studio: Studio, dataset: StoredData) -> Path:
    return studio.folder / commands.clean_file(dataset)


def _zone(dataset: StoredData) -> str | None:
    return dataset.options.get("time-zone") or None


def cell_words(cell_m: int) -> str:
    """The side of a cell.

    >>> cell_words(250), cell_words(2000)
    ('250 m', '2 km')
    """
    return f"{cell_m} m" if cell_m < 1000 else f"{cell_m // 1000} km"


def budget_words(budget: str) -> str:
    """The time that all tests may take.

    >>> budget_words("2m"), budget_words("1h")
    ('2 min', '1 h')
    """
    return f"{budget[:-1]} {'min' if budget.endswith('m') else 'h'}"


def slot_words(slot_min: int) -> str:
    """The width of a slot.

    >>> slot_words(15), slot_words(120)
    ('15 min', '2 h')
    """
    return in_words(60 * slot_min) if slot_min < 60 else f"{slot_min // 60} h"

"""The addresses of the studio as an OpenAPI description, for tools that test it."""

from typing import Any

from incrowd import __version__
from incrowd.web.commands import BUDGETS
from incrowd.web.methods import COUNTS, cards
from incrowd.web.pages import STEPS
from incrowd.web.views import CELLS_M, POINTS, SLOTS_MIN

TEXT: dict[str, Any] = {"type": "string", "maxLength": 200}
JOB: dict[str, Any] = {"name": "job", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
HTML, JSON = "text/html", "application/json"


def _choice(values: Any) -> dict[str, Any]:
    return {"enum": list(values)}


def _query(**fields: Any) -> list[dict[str, Any]]:
    return [{"name": name, "in": "query", "schema": schema} for name, schema in fields.items()]


GRAIN = {"cell_m": _choice(CELLS_M), "slot_min": _choice(SLOTS_MIN)}
VIEW = _query(points=_choice(POINTS), **GRAIN)


def _get(words: str, *, parameters: list[dict[str, Any]] | None = None, kind: str = HTML) -> dict[str, Any]:
    responses = {
        "200": {"description": "Done.", "content": {kind: {}}},
        "303": {"description": "Elsewhere."},
        "422": {"description": "Refused, with the reason.", "content": {HTML: {}}},
    }
    return {"summary": words, "parameters": parameters or [], "responses": responses}


def _post(words: str, fields: dict[str, Any], *, parameters: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    form = {"schema": {"type": "object", "properties": fields}}
    return _get(words, parameters=parameters) | {
        "requestBody": {"required": True, "content": {"application/x-www-form-urlencoded": form}}
    }


def _upload() -> dict[str, Any]:
    body = {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
    return _get("Store a file.", parameters=_query(name=TEXT), kind=JSON) | {"requestBody": body}


def description() -> dict[str, Any]:
    """The description, as OpenAPI 3.1 has it."""
    methods = {card.name: card for card in cards()}
    options = {field.name: TEXT for card in methods.values() for field in card.fields}
    city = {"users": {"type": "integer"}, "days": {"type": "integer"}}
    source = {"kind": _choice(("file", "database", "city")), "source": TEXT, **city, "time-zone": TEXT}
    back = {"page": _choice(STEPS)}
    decision = dict.fromkeys(("run", "name", "role", "decision", "reasons", "again_by"), TEXT)
    paths: dict[str, Any] = {f"/{step}": {"get": _get(f"The step {step}.")} for step in STEPS}
    paths["/data"]["post"] = _post("Choose the data.", {**source, "time-format": TEXT, "use:user": TEXT})
    paths["/data"]["get"] = _get("The step data.", parameters=_query(source=TEXT))
    paths["/release"]["get"] = _get("The step release.", parameters=_query(run=TEXT))
    paths |= {
        "/data/columns": {"get": _get("What columns hold.", parameters=_query(source=TEXT, kind=TEXT))},
        "/data/earlier": {"post": _post("Go back to earlier data.", {"dataset": {"type": "integer"}})},
        "/upload": {"post": _upload()},
        "/risk/view": {"get": _get("Risk at a grain.", parameters=VIEW)},
        "/risk/map.json": {"get": _get("Squares of the map.", parameters=VIEW, kind=JSON)},
        "/risk/assess": {"post": _post("Run every test.", {**GRAIN, "budget": _choice(BUDGETS)})},
        "/protect/run": {"post": _post("Make a release.", {"method": _choice([*methods, COUNTS]), **options})},
        "/protect/forecast": {"post": _post("Try every method on a few people.", {})},
        "/release/sign": {"post": _post("Sign a decision.", decision)},
        "/release/download": {"get": _get("A signed release.", parameters=_query(run=TEXT), kind="application/zip")},
        "/assessment": {"get": _get("The page of an assessment.", parameters=_query(run=TEXT))},
        "/jobs/{job}": {"get": _get("A job.", parameters=[JOB])},
    }
    words = {"cancel": "Stop a job.", "remove": "Forget a job.", "again": "Repeat a job."}
    paths |= {f"/jobs/{{job}}/{verb}": {"post": _post(text, back, parameters=[JOB])} for verb, text in words.items()}
    return {"openapi": "3.1.0", "info": {"title": "incrowd studio", "version": __version__}, "paths": paths}

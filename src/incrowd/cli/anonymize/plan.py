"""incrowd anonymize cut --plan: which window protects, before anything is published."""

from fractions import Fraction
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from incrowd import assess
from incrowd.cli.inputs import visits_of
from incrowd.cli.options import Command, gathers, options_of
from incrowd.cli.screen import check_page, foretelling, present, progress_bar, write_page
from incrowd.errors import ParameterError

PANEL = "Options of --plan"
LONGEST = 20  # characters of a share: longer ones take long to be read
PLAN = Annotated[
    bool, typer.Option("--plan", help="Publish nothing: say which window protects, once pieces are joined again.")
]
WINDOWS_H = Annotated[str, typer.Option(help="Windows to try, in hours.")]
TARGET = Annotated[str, typer.Option(help="Largest share of right guesses, such as 1/11 or 0.1.")]
OPTIONS = options_of(
    assess.plan,
    leave_out=("visits", "start_slot", "slots", "memory", "reach_windows"),
    windows_h=(WINDOWS_H, "1,2,3,6,12,24,48"),
    target=(TARGET, "1/11"),
)
for kind, _ in OPTIONS.values():
    kind.__metadata__[0].rich_help_panel = PANEL


def plans(cut: Command) -> Command:
    """Give the command of Cut the option --plan and those that belong to it."""

    @wraps(cut)
    def wrapper(*, plan: bool, planning: dict[str, Any], **given: Any) -> None:
        if not plan:
            if given["output"] is None:
                raise ParameterError(
                    "a release needs a folder; pass -o FOLDER, or --plan to see which window protects."
                )
            cut(**given)
            return
        if given["output"] is not None:
            raise ParameterError("--plan publishes nothing; leave -o out, or --plan to publish a release.")
        with progress_bar():
            _plan(planning, **given)

    own = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind) for name, kind in (("plan", PLAN), ("planning", dict))
    ]
    own[0] = own[0].replace(default=False)
    wrapper.__signature__ = signature(cut).replace(parameters=[*signature(cut).parameters.values(), *own])  # type: ignore[attr-defined]
    return gathers("planning", OPTIONS, dict)(wrapper)


def _plan(planning: dict[str, Any], *, sources: list[str], given: dict[str, Any], **how: Any) -> None:
    from incrowd.assess._plan import CUTTING

    releasing = how["releasing"]
    check_page(releasing.report, force=releasing.force)
    hours, target = _hours(planning.pop("windows_h")), _share(planning.pop("target"))
    visits = visits_of(sources, how["reading"], how["grain"])
    period = {name: given[name] for name in ("start_slot", "slots")}
    with foretelling(CUTTING, "window"):
        plan = assess.plan(visits, windows_h=hours, target=target, **period, **planning)
    write_page(releasing.report, plan, force=releasing.force)
    present(plan, as_json=releasing.as_json)


def _hours(words: str) -> list[float]:
    try:
        return [float(part) for part in words.split(",")]
    except ValueError:
        raise ParameterError("--windows-h takes hours such as 1,2,3,6,12,24.") from None


def _share(words: str) -> float:
    try:
        return float(Fraction(words)) if len(words) < LONGEST else float("nan")
    except (ValueError, ZeroDivisionError):
        raise ParameterError("--target takes a share such as 1/11 or 0.1.") from None

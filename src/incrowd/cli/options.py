"""Options of commands, made from the dataclass or function that they fill, with the help of its docstring."""

import inspect
import re
from collections import abc
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from incrowd import plain
from incrowd.errors import ParameterError

Command = Callable[..., None]
Options = Mapping[str, tuple[Any, Any]]  # name -> type with its help, default
Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="Files, folders or globs: CSV, TSV, Parquet, GPX, PLT, .gz and .zst too, .xlsx, .duckdb, .sqlite; "
        "postgresql://HOST/DATABASE, s3://BUCKET/KEY; - for standard input.",
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write: .parquet or .csv.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing output.")]
Json = Annotated[bool, typer.Option("--json", help="Print the whole record as JSON and nothing else.")]
HowLong = Annotated[bool, typer.Option("--estimate", help="Say how long it will take, and stop.")]
Seed = Annotated[int, typer.Option(help="Seed of every random choice; the same seed gives the same numbers.")]
NONE = "none"  # how a command line writes that none of the choices is taken
UNITS = {"_m": "m", "_km": "km", "_min": "min", "_h": "h", "_s": "s", "_gib": "GiB", "_kmh": "km/h"}


def options_of(source: Callable[..., Any], *, leave_out: Collection[str] = (), **instead: tuple[Any, Any]) -> Options:
    """Options made from the parameters of a dataclass or function, and their help from its docstring.

    Args:
        source: The dataclass or function that the command fills or calls.
        leave_out: Parameters that the command decides by itself.
        instead: Options that are written otherwise on a command line, such as lists of numbers.
    """
    words, hints = arguments_of(source), get_type_hints(source)
    options: dict[str, tuple[Any, Any]] = {}
    for name, parameter in inspect.signature(source).parameters.items():
        if name in leave_out:
            continue
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        choices = [choice for kind in get_args(hints[name]) if get_origin(kind) is Literal for choice in get_args(kind)]
        help_text, hint = _switched(words.get(name, ""), words), hints[name]
        if choices and default is None and "[default" not in help_text:
            hint, default = Literal[NONE, *choices], NONE
        options[name] = instead.get(name) or (_typed(name, hint, default, help_text), default)
    return options


def _switched(words: str, names: Collection[str]) -> str:
    """Help that calls the other options as a command line does: --dp-epsilon, not dp_epsilon."""
    return re.sub(r"\b\w+_\w+\b", lambda word: _switch(word[0]) if word[0] in names else word[0], words)


def _switch(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _typed(name: str, hint: Any, default: Any, words: str) -> Any:
    from incrowd.read.plane import Box

    switch = _switch(name)
    if hint is bool:
        return Annotated[bool, typer.Option(switch, help=words)]
    kinds = {hint, *get_args(hint)}
    if Box in kinds:
        return Annotated[object, typer.Option(switch, help=words, parser=box_of, metavar="W,S,E,N")]
    if any(get_origin(kind) is abc.Collection for kind in kinds):
        return Annotated[list[str] | None, typer.Option(switch.removesuffix("s"), help=words)]
    if {float, Fraction} <= kinds:
        hint = float
    elif {str, Path} <= kinds:
        hint = Path | None
    return Annotated[hint, with_unit(switch, default, words)]


def with_unit(switch: str, default: Any, words: str) -> Any:
    """An option that shows its default with the unit that its name ends in: --cell-m, [default: 500 m]."""
    unit = next((unit for end, unit in UNITS.items() if switch.replace("-", "_").endswith(end)), "")
    if not isinstance(default, int | float) or not unit:
        return typer.Option(switch, help=words)
    return typer.Option(switch, help=rf"{words} \[default: {default:,g} {unit}]", show_default=False)


def arguments_of(source: Callable[..., Any]) -> dict[str, str]:
    """What the docstring of a dataclass or function says of each parameter, as help.

    >>> arguments_of(options_of)["leave_out"]
    'Parameters that the command decides by itself.'
    """
    return {name: unmarked(words) for name, words in plain.arguments_of(source).items()}


def unmarked(words: str) -> str:
    """Help without the marks of docstrings, and with brackets that the screen does not take for its own."""
    return " ".join(words.split()).replace("`", "").replace("[", r"\[")


def takes(
    source: Callable[..., Any],
    argument: str,
    *,
    leave_out: Collection[str] = (),
    into: Callable[..., Any] = dict,
    **instead: tuple[Any, Any],
) -> Callable[[Command], Command]:
    """Give a command the options of a dataclass or function, gathered in one of its arguments.

    Args:
        source: The dataclass or function whose parameters become options.
        argument: The argument of the command that receives them; help lists them in its place.
        leave_out: Parameters that the command decides by itself.
        into: What the options are gathered in: a mapping, or the dataclass itself.
        instead: Options that are written otherwise on a command line.
    """
    return gathers(argument, options_of(source, leave_out=leave_out, **instead), into)


def gathers(
    argument: str, options: Options, into: Callable[..., Any], *, last: bool = False
) -> Callable[[Command], Command]:
    """Give a command some options, gathered in one of its arguments; help lists them in its place, or after all."""

    def decorator(command: Command) -> Command:
        @wraps(command)
        def wrapper(**given: Any) -> None:
            filled = {name: given.pop(name) for name in options}
            chosen = {name: None if value == NONE == options[name][1] else value for name, value in filled.items()}
            command(**{argument: into(**chosen)}, **given)

        made = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
            for name, (kind, default) in options.items()
        ]
        listed = []
        for name, parameter in inspect.signature(command).parameters.items():
            own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
            listed += own if name != argument else [] if last else made
        listed += made if last else []
        wrapper.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in listed} | {"return": None}
        return wrapper

    return decorator


def numbers(text: str, option: str = "--points") -> list[int]:
    """Numbers as a person writes them: 4, 1-5, 2,4,8.

    >>> numbers("1-3,8")
    [1, 2, 3, 8]
    """
    values: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        ends = [end for end in ((low, high) if dash else (low,)) if end.isascii() and end.isdigit() and len(end) < 5]
        if len(ends) != (2 if dash else 1) or int(ends[0]) > int(ends[-1]):
            raise ParameterError(f"{option} takes numbers below 10,000 such as 4, 1-5 or 2,4,8.")
        values += range(int(ends[0]), int(ends[-1]) + 1)
    return values


def box_of(text: str) -> tuple[float, float, float, float]:
    """A box as a person writes it.

    >>> box_of("-122.6,37.6,-122.3,37.9")
    (-122.6, 37.6, -122.3, 37.9)
    """
    try:
        west, south, east, north = map(float, text.split(","))
    except ValueError:
        raise ParameterError("--box takes west,south,east,north, such as --box -122.6,37.6,-122.3,37.9.") from None
    if not all(map(isfinite, (west, south, east, north))) or west > east or south > north:
        raise ParameterError("--box takes west,south,east,north with west <= east and south <= north.")
    return west, south, east, north


def lon_lat(text: str | None) -> tuple[float, float] | None:
    """A place as a person writes it: -122,37.5.

    >>> lon_lat("-122,37.5")
    (-122.0, 37.5)
    """
    if text is None:
        return None
    try:
        lon, lat = map(float, text.split(","))
    except ValueError:
        raise ParameterError("--origin takes LON,LAT in degrees, such as -122,37.") from None
    return lon, lat

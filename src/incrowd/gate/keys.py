"""The keys of incrowd.toml: parameters of the calls that they fill, with the types and words of their signatures."""

import inspect
from collections import abc
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from incrowd import anonymize, clean, discretize
from incrowd.assess import assess
from incrowd.assess.limits import DEFAULTS, exactly
from incrowd.discretize._counts import everybody
from incrowd.errors import ParameterError, near
from incrowd.gate.outputs import Outputs
from incrowd.plain import arguments_of
from incrowd.read.layouts import Reading

STEPS = ("outside", "duplicates", "order", "displaced", "still_users", "sparse_users")
COUNTS = "counts"  # the method that is a function, beside the classes of METHODS
METHODS = (*anonymize.METHODS, COUNTS)
PUBLISHING = ("file",)  # of `anonymize.publish`
DECIDED = ("source", "traces", "data", "self", "time_zone", "reading", "pseudonym_seed")  # by other keys, or never
OF_ASSESS = ("release", "link", "same_labels", "limits", "thresholds", "towers", "far_towers")
OF_COUNTS = ("region", "cells", "slots")
WRITTEN: Mapping[str, Any] = {  # what has no type that a file can have
    "towers": Path,
    "zones": Path,
    "antennas": Path,
    "layout": str,
    "columns": Mapping[str, str | int],
    "origin": tuple[float, ...],
    "box": tuple[float, ...],
    "start": str | int | date,
    "earlier": Path,
    "values": abc.Collection[str | int | float],
}
TYPES = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", Path: "a path", date: "a date"}


@dataclass(frozen=True)
class Key:
    """A key of incrowd.toml.

    Args:
        name: Its name, which is that of the parameter.
        hint: What type its value has.
        default: What it is if it is left out; ... if it must be given.
        words: What the docstring says of it.
    """

    name: str
    hint: Any
    default: Any = None
    words: str = ""

    @property
    def is_path(self) -> bool:
        """Whether its value is the name of a file or folder."""
        return Path in _kinds(self.hint)

    def check(self, value: Any) -> None:
        """Refuse a value of another type, or one that is none of its choices."""
        if _fits(value, self.hint):
            return
        choices = [
            str(choice) for kind in _kinds(self.hint) if get_origin(kind) is Literal for choice in get_args(kind)
        ]
        if choices and isinstance(value, str):
            raise ParameterError(f"unknown {self.name} {value!r}; {near(value, choices)}")
        raise ParameterError(f"{self.name} must be {_in_words(self.hint)}, got {_got(value)}.")


def keys(table: str, method: str | None = None) -> dict[str, Key]:
    """The keys of one table of incrowd.toml by name.

    Args:
        table: Name of the table, such as "source" or "assess".
        method: The method that is used, whose parameters the table "anonymize" holds.

    >>> list(keys("output"))
    ['folder', 'links', 'name', 'history', 'title']
    >>> keys("anonymize", "glove")["k"].default
    2
    """
    listed = TABLES.get(table)
    if listed is None:
        raise ParameterError(f"unknown table {table!r}; {near(table, TABLES)}")
    return {key.name: key for key in listed(method)}


def _source(_: str | None) -> Iterable[Key]:
    yield Key("source", str, ..., "Files, a folder, a glob or an address: what the releases are made from.")
    zone = arguments_of(assess)["time_zone"]
    yield Key("time_zone", str, None, zone)
    yield from _parameters(Reading, leave_out=("memory_mb",))  # a gate attacks what it reads, in memory


def _clean(_: str | None) -> Iterable[Key]:
    yield Key("steps", abc.Collection[Literal[STEPS]], (), "What to do, in this order.")  # type: ignore[valid-type]
    yield from _merged(*(getattr(clean, step) for step in STEPS), leave_out=("zero",))


def _discretize(_: str | None) -> Iterable[Key]:
    calls = (discretize.grid, discretize.towers, discretize.zones, discretize.fingerprints)
    for key in _merged(*calls, leave_out=("fill", "slots")):
        yield replace(key, default=None) if key.default is ... else key  # each is about one way to make cells
    days = inspect.signature(everybody).parameters["days"]
    yield Key("days", int, days.default, "Days to count from the start, for counts. [default: all]")


def _anonymize(method: str | None) -> Iterable[Key]:
    yield Key("method", Literal[METHODS], ..., "How the release is made.")
    if method == COUNTS:
        yield from _parameters(anonymize.counts, leave_out=OF_COUNTS)
    elif method in anonymize.METHODS:
        run = anonymize.METHODS[method]
        yield from _merged(run, run.__call__, leave_out=() if run.SEEDED else ("seed",))
    yield from (key for key in _parameters(anonymize.publish) if key.name in PUBLISHING)
    if method != COUNTS:
        yield Key("hold_out", float, None, "Share of people, drawn at random, to leave out as a control.")


def _assess(_: str | None) -> Iterable[Key]:
    yield from _parameters(assess, leave_out=OF_ASSESS)


def _limits(_: str | None) -> Iterable[Key]:
    for name, limit in DEFAULTS.items():
        yield Limited(name, float | str, None, f"Limit of the test {name}. [default: {limit}; {limit.source}]")


class Limited(Key):
    """A limit: a number, or a text such as "1/11", "10%" or "none"."""

    def check(self, value: Any) -> None:
        """Refuse what is no limit."""
        exactly(self.name, value)


def _output(_: str | None) -> Iterable[Key]:
    yield from _parameters(Outputs)


TABLES: Mapping[str, Callable[[str | None], Iterable[Key]]] = {
    "source": _source,
    "clean": _clean,
    "discretize": _discretize,
    "anonymize": _anonymize,
    "assess": _assess,
    "limits": _limits,
    "output": _output,
}


def _merged(*calls: Callable[..., Any], leave_out: Iterable[str] = ()) -> Iterable[Key]:
    """The parameters of several calls, each once."""
    seen: dict[str, Key] = {}
    for call in calls:
        for key in _parameters(call, leave_out=leave_out):
            seen.setdefault(key.name, key)
    return seen.values()


def _parameters(call: Callable[..., Any], leave_out: Iterable[str] = ()) -> Iterable[Key]:
    """The parameters of a call that a file can hold."""
    words, hints = arguments_of(call), get_type_hints(call)
    if is_typeddict(call):
        defaults: dict[str, Any] = dict.fromkeys(hints)
    else:
        signature = inspect.signature(call).parameters.values()
        defaults = {one.name: one.default for one in signature if one.kind is not one.VAR_KEYWORD}
    for name, default in defaults.items():
        if name not in (*DECIDED, *leave_out):
            hint = WRITTEN.get(name, hints[name])
            yield Key(name, hint, ... if default is inspect.Parameter.empty else default, words.get(name, ""))


def _kinds(hint: Any) -> tuple[Any, ...]:
    """The types of a union, without None."""
    union = get_origin(hint) in (Union, UnionType)
    return tuple(kind for kind in (get_args(hint) if union else (hint,)) if kind is not type(None))


def _fits(value: Any, hint: Any) -> bool:
    return any(_is(value, kind) for kind in _kinds(hint))


def _is(value: Any, kind: Any) -> bool:
    origin, inside = get_origin(kind) or kind, get_args(kind)
    if kind is Any:
        return True
    if origin is Literal:
        return any(value == one and type(value) is type(one) for one in inside)
    if origin in (float, int, Fraction):
        return isinstance(value, int if origin is int else (int, float)) and not isinstance(value, bool)
    if origin is Path:
        return isinstance(value, str)
    if isinstance(origin, type) and issubclass(origin, abc.Mapping):
        return isinstance(value, dict) and all(_fits(one, inside[1]) for one in value.values())
    if origin is not str and isinstance(origin, type) and issubclass(origin, abc.Collection):
        return isinstance(value, list) and all(_fits(one, inside[0]) for one in value)
    return isinstance(origin, type) and isinstance(value, origin)


def _in_words(hint: Any) -> str:
    """What a value must be."""
    names = []
    for kind in _kinds(hint):
        origin, inside = get_origin(kind) or kind, get_args(kind)
        if origin is Literal:
            names.append(f"one of {', '.join(map(str, inside))}")
        elif origin in TYPES:
            names.append(TYPES[origin])
        elif isinstance(origin, type) and issubclass(origin, abc.Mapping):
            names.append('a table such as { user = "rider" }')
        elif isinstance(origin, type) and issubclass(origin, abc.Collection):
            each = _in_words(inside[0]).removeprefix("one of ")
            names.append(f"a list in brackets ({each})")
    return " or ".join(dict.fromkeys(names))


def _got(value: Any) -> str:
    kinds = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "a table",
    }
    return next((words for kind, words in kinds.items() if type(value) is kind), f"a {type(value).__name__}")

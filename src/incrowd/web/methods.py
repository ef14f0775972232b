"""The methods as cards: a promise in plain words, the parameters that matter, and the command that a form becomes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import UnionType
from typing import Any, get_args, get_type_hints

from incrowd.anonymize import METHODS, DPCounts, counts
from incrowd.anonymize.base import guarantee
from incrowd.discretize.slots import Grain
from incrowd.errors import ParameterError
from incrowd.plain import arguments_of

GRAIN = {"cell_m": "Cell, m", "slot_min": "Slot, min"}
COUNTS = "counts"
UNITS = {"_m": "m", "_min": "min", "_h": "h"}
NAMES = {"dp_epsilon": "ε", "slots_per_person": "slots per person"}


@dataclass(frozen=True)
class MethodField:
    """A parameter in a form.

    Args:
        name: As the command line calls it, with underscores.
        label: A few words.
        value: What it is if nobody changes it.
        words: What it means.
        kind: How it is read.
    """

    name: str
    label: str
    value: str
    words: str
    kind: type


@dataclass(frozen=True)
class MethodCard:
    """A method.

    Args:
        name: As the command line calls it.
        title: What it does, as an order.
        short: What people call it.
        promise: What a person gets, in plain words.
        proof: What kind of guarantee it has, in a few words.
        proven: Whether the audit checks a guarantee that bounds an attacker.
        fields: The parameters.
        guarantee: The guarantee that its releases state.
    """

    name: str
    title: str
    short: str
    promise: str
    proof: str
    proven: bool
    fields: tuple[MethodField, ...]
    guarantee: str


WITH_PROOF, WITHOUT = "Guarantee, checked by the audit", "No guarantee: measure what remains"
UNJUDGED = "Guarantee, but a run here gets no verdict"  # assess and audit ask for the visits that were counted
TEXTS: dict[str, tuple[str, str, str, str, dict[str, str], dict[str, Any]]] = {
    "glove": (
        "Hide everyone among k people",
        "GLOVE",
        "Every published trajectory is shared by at least k people. Knowing more visits never narrows it further.",
        WITH_PROOF,
        {"k": "k, people in a crowd", "max_extent_m": "Drop boxes wider than, m"},
        {"k": 11},
    ),
    COUNTS: (
        "Publish counts only",
        "counts with noise",
        "How many people are where and when, with noise that hides whether a person is in the data.",
        UNJUDGED,
        {
            "dp_epsilon": "ε per person",
            "slots_per_person": "Slots per person",
            **GRAIN,
            "start": "First day",
            "days": "Days",
            "box": "Area: W,S,E,N",
        },
        {"dp_epsilon": 1.0, "slots_per_person": 4, "cell_m": 2000, "slot_min": 60, "days": 7},
    ),
    "lkc": (
        "Remove visits that identify",
        "LKC",
        "Up to L known visits always fit at least K people. Visits that would tell more are removed for everybody.",
        WITH_PROOF,
        {"l": "L, known visits", "k": "K, people", **GRAIN},
        {"l": 2, "k": 11, "cell_m": 2000, "slot_min": 120},
    ),
    "cut": (
        "Cut into windows of time",
        "cut",
        "A fresh pseudonym every few hours. Nothing is removed, so a rare piece still identifies its owner.",
        WITHOUT,
        {"window_h": "Window, h", **GRAIN},
        {"window_h": 6, "cell_m": 500, "slot_min": 60},
    ),
    "generalize": (
        "Make everything coarser",
        "generalize",
        "Larger cells and longer slots, the same for everyone. People with rare routines stay visible.",
        WITHOUT,
        GRAIN,
        {"cell_m": 2000, "slot_min": 120},
    ),
    "w4m": (
        "Bend trajectories together",
        "W4M",
        "Alike trajectories are moved into a shared tube. Points are shifted, and some are invented.",
        "Weaker than a crowd of k",
        {"k": "k, people in a tube", "delta_m": "Width of a tube, m"},
        {"k": 11},
    ),
}
OF_COUNTS = {
    "start": "First day that is published, such as 2024-05-06; not found in the data, because it would tell.",
    "days": "Days that are published.",
    "box": "Area that is published, in degrees, such as 4.7,52.2,5.1,52.5; not found in the data either.",
}
SHAPES = {"start": re.compile(r"\d{4}-\d\d-\d\d"), "box": re.compile(r"-?\d+(\.\d+)?(,-?\d+(\.\d+)?){3}", re.ASCII)}
FIXED = {"lkc": {"same_time": "order"}}  # cells of a person in one slot are ordered, not refused


def cards() -> list[MethodCard]:
    """Every method, those with a guarantee first."""
    return [_card(name) for name in TEXTS]


def _card(name: str) -> MethodCard:
    title, short, promise, proof, labels, values = TEXTS[name]
    source: Any = counts if name == COUNTS else METHODS[name]
    words = {**arguments_of(Grain), **OF_COUNTS, **arguments_of(source)}
    hints = {**get_type_hints(Grain), "start": str, "days": int, "box": str, **get_type_hints(source)}
    defaults = {} if name == COUNTS else {one.name: one.default for one in fields(METHODS[name])}  # type: ignore[arg-type]
    made = tuple(
        MethodField(field, label, _text(values.get(field, defaults.get(field))), words[field], _type(hints[field]))
        for field, label in labels.items()
    )
    promised = guarantee(DPCounts if name == COUNTS else METHODS[name])
    return MethodCard(name, title, short, promise, proof, proof == WITH_PROOF, made, promised)


def _text(value: Any) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _type(hint: Any) -> type:
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return next((kind for kind in (float, int, str) if kind in kinds), str)


def options_from(name: str, form: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run, checked as the method itself checks them.

    Args:
        name: A method.
        form: What was typed, by name of the parameter.
    """
    card = next((one for one in cards() if one.name == name), None)
    if card is None:
        raise ParameterError("this method does not exist; choose one of those on the page.")
    options = {}
    for one in card.fields:
        typed = str(form.get(one.name, "")).strip()
        if typed:
            options[one.name] = _value(typed, one)
        elif one.value or name == COUNTS:
            raise ParameterError(f"{one.label}: type a value.")
    if name != COUNTS:
        known = {field.name for field in fields(METHODS[name])}  # type: ignore[arg-type]
        METHODS[name](**{key: value for key, value in options.items() if key in known}).check()
    return {**options, **FIXED.get(name, {})}


def _value(typed: str, field: MethodField) -> Any:
    if field.kind is str:
        if not SHAPES[field.name].fullmatch(typed):
            raise ParameterError(f"{field.label}: {field.words.partition(';')[0]}.")
        return typed
    try:
        number = float(typed)
    except ValueError:
        raise ParameterError(f"{field.label}: must be a number.") from None
    if not abs(number) < 1e9:
        raise ParameterError(f"{field.label}: must be a number below 1,000,000,000.")
    if number <= 0 or (field.kind is int and not number.is_integer()):
        raise ParameterError(f"{field.label}: must be a {'whole number' if field.kind is int else 'number'} above 0.")
    return int(number) if number.is_integer() else number


def title_of(name: str, options: Mapping[str, Any]) -> str:
    """What a run is called: its method and its parameters.

    >>> title_of("glove", {"k": 11})
    'GLOVE, k = 11'
    """
    short, fixed = TEXTS[name][1], FIXED.get(name, {})
    labels = {**TEXTS[name][4], **NAMES}
    parts = [
        _with_unit(labels.get(field, field.replace("_", " ")).partition(",")[0], field, value)
        for field, value in options.items()
        if field not in fixed
    ]
    return ", ".join([short[:1].upper() + short[1:], *parts[:4]])


def _with_unit(label: str, field: str, value: Any) -> str:
    unit = next((unit for end, unit in UNITS.items() if field.endswith(end)), "")
    return f"{value:,} {unit}" if unit else f"{label} = {value}"

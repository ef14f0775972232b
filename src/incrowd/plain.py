"""Results -> plain values for JSON, and numbers as a person reads them.

>>> to_json({"share": np.float64(0.5), "users": np.arange(2)})
'{"share": 0.5, "users": [0, 1]}'
"""

import inspect
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

SIDES = "(west-east x south-north)"  # of two in metres
WHOLE = 10  # right guesses, from which on they are printed as whole people
LONGEST = 5_000  # longer arrays are per-person columns: they belong into a table, not into a summary


def plain(value: Any) -> Any:
    """Dataclasses, mappings and arrays as dicts and lists, fractions in words; a long array as its shape."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.repr]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist()) if value.size <= LONGEST else {"shape": list(value.shape)}
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(value) if isinstance(value, (set, frozenset)) else value
        return [plain(item) for item in items]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def several(count: int, one: str, more: str = "") -> str:
    """A count with its noun.

    >>> several(1, "user"), several(1200, "user"), several(1, "person", "people")
    ('1 user', '1,200 users', '1 person')
    """
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"


def plain_number(value: Any) -> str:
    """A number as a person writes it; anything else as it is.

    >>> plain_number(6.0), plain_number(2000), plain_number(0.25), plain_number("merge")
    ('6', '2,000', '0.25', 'merge')
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:,.12g}" if number else str(value)


def percent(share: float | None, digits: int = 1, *, unknown: str = "-") -> str:
    """A share as a percentage; a dash, or the words given, if there is none.

    >>> percent(0.25), percent(0.25, 0), percent(None), percent(float("nan"), unknown="undefined")
    ('25.0 %', '25 %', '-', 'undefined')
    """
    return unknown if share is None or math.isnan(share) else f"{share:.{digits}%}".replace("%", " %")


def span(interval: tuple[float, float] | None, digits: int = 1) -> str:
    """Both ends of an interval of shares; a dash if there is none.

    >>> span((0.1, 0.25)), span(None)
    ('10.0 % to 25.0 %', '-')
    """
    return "-" if interval is None else " to ".join(percent(end, digits) for end in interval)


def of_people(count: int, total: int, one: str = "person", more: str = "people") -> str:
    """A share with the number of people behind it.

    >>> of_people(185, 1402), of_people(1, 1), of_people(0, 0)
    ('13.2 % (185 of 1,402 people)', '100.0 % (1 of 1 person)', '- (0 of 0 people)')
    """
    return f"{percent(count / total if total else None)} ({count:,} of {several(total, one, more)})"


def printed(share: float, people: int, *, of: int = 0, one: str = "person", more: str = "people") -> str:
    """A share with how many of how many; guesses between two people count half, so a few are not rounded.

    >>> printed(1 / 8, 1402), printed(0.02, 75, of=1402)
    ('12.5 % (175 of 1,402 people)', '2.0 % (1.5 of 75 people, of 1,402 in all)')

    Args:
        share: Of right guesses.
        people: Who were asked about, or whatever else is counted.
        of: How many there are in all, if more than those asked about.
        one: What is counted, if it is one.
        more: What is counted, if they are several.
    """
    right = share * people
    words = f"{right:,.0f}" if right >= WHOLE else f"{right:,.1f}".removesuffix(".0")
    return f"{percent(share)} ({words} of {several(people, one, more)}{f', of {of:,} in all' if of > people else ''})"


def fraction(share: float | None) -> str:
    """A share with three decimals, for tables of them; a dash where there is none.

    >>> fraction(0.25), fraction(None), fraction(float("nan"))
    ('0.250', '-', '-')
    """
    return "-" if share is None or math.isnan(share) else f"{share:.3f}"


def in_words(seconds: float) -> str:
    """A duration, roughly.

    >>> in_words(0.2), in_words(42.4), in_words(600), in_words(9000)
    ('less than 1 s', '42 s', '10 min', '2.5 h')
    """
    if seconds < 1:
        return "less than 1 s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def about(seconds: float) -> str:
    """An estimated duration.

    >>> about(0.2), about(42.4)
    ('less than 1 s', 'about 42 s')
    """
    return in_words(seconds) if seconds < 1 else f"about {in_words(seconds)}"


def sentence(note: str) -> str:
    """A note as a sentence.

    >>> sentence("2 people were drawn; 1 was not")
    '2 people were drawn; 1 was not.'
    """
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def size_m(width_m: float, height_m: float) -> str:
    """Two sides in metres, west-east first; decimals where metres are few.

    >>> size_m(215.4, 1180), size_m(3.14, 0)
    ('215 x 1,180 m', '3.1 x 0.0 m')
    """
    return " x ".join(f"{side:,.{0 if side >= 10 else 1}f}" for side in (width_m, height_m)) + " m"


def arguments_of(source: Callable[..., Any]) -> dict[str, str]:
    """What the docstring of a dataclass or function says of each parameter, in one line each.

    >>> arguments_of(arguments_of)
    {'source': 'Whose docstring is read.'}

    Args:
        source: Whose docstring is read.
    """
    block = re.search(r"^Args:\n((?:    .*\n?|\n)+)", inspect.getdoc(source) or "", re.MULTILINE)
    entries = re.findall(r"^    (\w+)(?: \([^)]*\))?: (.*(?:\n {5,}.*)*)", block[1] if block else "", re.MULTILINE)
    return {name: " ".join(words.split()) for name, words in entries}


def to_json(value: Any, *, indent: int | None = None) -> str:
    """One JSON document that any parser reads: no NaN, no numpy."""
    return json.dumps(plain(value), indent=indent, allow_nan=False)

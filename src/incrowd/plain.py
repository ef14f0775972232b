"""Results -> plain values for JSON, and small tables for a terminal or a notebook.

>>> to_json({"share": np.float64(0.5), "users": np.arange(2)})
'{"share": 0.5, "users": [0, 1]}'
"""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST = 5  # people behind a median that is shown
WIDEST = 8  # values of a list or mapping that a small table still shows
LONGEST = 5_000  # longer arrays are per-person columns: they belong into a table, not into a summary


def plain(value: Any) -> Any:
    """Dataclasses, mappings and arrays as dicts and lists; a long array is replaced by its shape."""
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
    return value


def several(count: int, one: str, more: str = "") -> str:
    """A count with its noun.

    >>> several(1, "user"), several(1200, "user"), several(1, "person", "people")
    ('1 user', '1,200 users', '1 person')
    """
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"


def percent(share: float | None, digits: int = 1, *, unknown: str = "-") -> str:
    """A share as a percentage; a dash, or the words given, where there is none.

    >>> percent(0.25), percent(0.25, 0), percent(None), percent(float("nan"), unknown="nobody knows")
    ('25.0%', '25%', '-', 'nobody knows')
    """
    return unknown if share is None or math.isnan(share) else f"{share:.{digits}%}"


def fraction(share: float | None) -> str:
    """A share with three decimals, for tables of them; a dash where there is none.

    >>> fraction(0.25), fraction(None), fraction(float("nan"))
    ('0.250', '-', '-')
    """
    return "-" if share is None or math.isnan(share) else f"{share:.3f}"


def in_words(seconds: float) -> str:
    """A duration, roughly.

    >>> in_words(0.2), in_words(42.4), in_words(600), in_words(9000)
    ('1 s', '42 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def size_m(width_m: float, height_m: float) -> str:
    """Two sides in metres, west-east first; decimals where metres are few.

    >>> size_m(215.4, 1180), size_m(3.14, 0)
    ('215 x 1,180 m', '3.1 x 0.0 m')
    """
    return " x ".join(f"{side:,.{0 if side >= 10 else 1}f}" for side in (width_m, height_m)) + " m"


def to_json(value: Any, *, indent: int | None = None) -> str:
    """One JSON document that any parser reads: no NaN, no numpy."""
    return json.dumps(plain(value), indent=indent, allow_nan=False, default=str)


class Shown:
    """A result that prints as a small table, and that a notebook shows as HTML; columns per person are only counted."""

    def _shown(self) -> list[tuple[str, ...]]:
        """The head of the table, then its rows."""
        own = self.to_dict() if hasattr(self, "to_dict") else _fields(self)
        return [(type(self).__name__, ""), *((name.replace("_", " "), brief(value)) for name, value in own.items())]

    def __str__(self) -> str:
        rows = self._shown()
        wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(f"{value:<{n}}" for value, n in zip(row, wide, strict=True)).rstrip() for row in rows]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head, *body = self._shown()
        lines = "".join(_row("td", row) for row in body)
        return f"<table><thead>{_row('th', head)}</thead><tbody>{lines}</tbody></table>"


def brief(value: Any) -> str:
    """A value in a few characters; what belongs to one person each is counted, not shown.

    >>> brief(1234), brief(0.123456), brief(None), brief(np.zeros((3, 2))), brief({"set": 0.5})
    ('1,234', '0.1235', '-', '3 x 2 values', 'set: 0.5')
    """
    if value is None:
        return "-"
    if isinstance(value, np.ndarray):
        return f"{' x '.join(f'{n:,}' for n in value.shape)} values{_middle(value)}"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, str)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return _joined([f"{key}: {brief(item)}" for key, item in value.items()])
    if isinstance(value, (list, tuple)):
        return _joined([brief(item) for item in value])
    return type(value).__name__


def _middle(values: NDArray[Any]) -> str:
    if values.dtype.kind != "f" or values.ndim != 1 or np.isfinite(values).sum() < FEWEST:
        return ""
    return f", median {np.median(values[np.isfinite(values)]):.4g}"


def _joined(texts: list[str]) -> str:
    return ", ".join(texts) if len(texts) <= WIDEST else f"{len(texts):,} values"


def _fields(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record) if field.repr}


def _row(tag: str, values: tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(value)}</{tag}>' for value in values)}</tr>"

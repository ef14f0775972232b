"""From a printed number to its place in the JSON behind it."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from markupsafe import Markup, escape

from incrowd.plain import plain

NUMBER = re.compile(r"(?<![\w.,])-?\d[\d,]*(?:\.\d+)?(?: ?%)?(?![\w])")
NUMERIC = re.compile(
    rf"-?inf|\d[\d.]*e[+-]\d+|{NUMBER.pattern}(?:(?: to | of | ){NUMBER.pattern})*(?: ?(?:m|km|min|h|people|samples))?"
)
LINK = Markup('<a href="#{}">{}</a>')
NOTHING = frozenset(("", "-", "nan", "n/a"))
Place = tuple[str | int, ...]


class Behind:
    """The plain data of one section; every number that is pointed at gets an anchor."""

    def __init__(self, data: Any, name: str) -> None:
        self.data, self.name = plain(data), name
        self._anchors: dict[Place, str] = {}
        self._read: dict[tuple[int, bool], dict[str, list[Place]]] = {}

    def number(self, text: str, at: Sequence[str | int] = ()) -> Markup:
        """The number of a section, linked to where it comes from, or else to all that stands behind it."""
        if at:
            return LINK.format(self._anchor(tuple(at)), text)
        return self._linked(text) or self._whole(text)

    def sentence(self, text: str) -> Markup:
        """A sentence whose numbers are linked as far as each is found exactly once."""
        return self._linked(text) or escape(text)

    def cell(self, text: str, row: int = -1, rows: int = 0) -> Markup:
        """A cell of a table; rows that correspond to a list of the data look there first."""
        if text in NOTHING:
            return escape("\N{EN DASH}" if text else "")
        if not NUMERIC.fullmatch(text):
            return escape(text)
        within = [(*place, row) for place, length in self._lists if length == rows]
        return self._linked(text, within) or self._whole(text)

    def json(self) -> Markup:
        """The data with anchors at the numbers that were linked so far."""
        return Markup("").join(self._written(self.data, (), ""))

    def _whole(self, text: str) -> Markup:
        return LINK.format(self.name, text)

    def _linked(self, text: str, within: Sequence[Place] = ()) -> Markup | None:
        """The text with links, or nothing when no number of it is found."""
        parts, end, linked = [], 0, False
        for match in NUMBER.finditer(text):
            place = self._place(match[0], within)
            if place is not None:
                parts += [escape(text[end : match.start()]), LINK.format(self._anchor(place), match[0])]
                end, linked = match.end(), True
        return Markup("").join([*parts, escape(text[end:])]) if linked else None

    def _place(self, text: str, within: Sequence[Place]) -> Place | None:
        """Where the number stands that reads like this, the outermost; None when there are none or several."""
        places = self._reading(text).get(text.replace(" %", "%"), [])
        near = [place for place in places if any(place[: len(scope)] == scope for scope in within)]
        far = places if len(text) > 1 else []  # a lone digit is found too easily
        return next((one for one in map(_outermost, (near, far)) if one), None)

    def _reading(self, text: str) -> dict[str, list[Place]]:
        """All numbers as they read with as many decimals as the text has."""
        form = len(text.rstrip(" %").partition(".")[2]), text.endswith("%")
        if form not in self._read:
            shares = [(place, value) for place, value in self._numbers if isinstance(value, float)]
            counts = [] if form[1] else [(place, value) for place, value in self._numbers if isinstance(value, int)]
            # A count is never a share, and comes before a mean that happens to round to it.
            self._read[form] = _texts(shares, *form) | _texts(counts, *form)
        return self._read[form]

    def _anchor(self, place: Place) -> str:
        return self._anchors.setdefault(place, f"{self.name}-{len(self._anchors) + 1}")

    @cached_property
    def _numbers(self) -> list[tuple[Place, float]]:
        return [(place, value) for place, value in _leaves(self.data, ()) if _is_number(value)]

    @cached_property
    def _lists(self) -> list[tuple[Place, int]]:
        return list(_records(self.data, ()))

    def _written(self, value: Any, place: Place, indent: str) -> Iterator[Markup]:
        if isinstance(value, dict | list) and any(isinstance(item, dict | list) for item in _items(value)):
            yield from self._block(value, place, indent)
        elif isinstance(value, dict | list):
            yield from self._line(value, place)
        elif place in self._anchors:
            yield Markup('<b id="{}">{}</b>').format(self._anchors[place], json.dumps(value))
        else:
            yield escape(json.dumps(value, default=str))

    def _block(self, value: dict[str, Any] | list[Any], place: Place, indent: str) -> Iterator[Markup]:
        """Nested values stand one below the other."""
        yield escape("[" if isinstance(value, list) else "{")
        for index, (key, item) in enumerate(_pairs(value)):
            yield escape(f"{',' if index else ''}\n{indent} {_label(key)}")
            yield from self._written(item, (*place, key), indent + " ")
        yield escape(f"\n{indent}]" if isinstance(value, list) else f"\n{indent}}}")

    def _line(self, value: dict[str, Any] | list[Any], place: Place) -> Iterator[Markup]:
        yield escape("[" if isinstance(value, list) else "{")
        for index, (key, item) in enumerate(_pairs(value)):
            yield escape(f"{', ' if index else ''}{_label(key)}")
            yield from self._written(item, (*place, key), "")
        yield escape("]" if isinstance(value, list) else "}")


def _outermost(places: list[Place]) -> Place | None:
    """The one that is nested least, if there is one such."""
    least = min(map(len, places), default=0)
    outermost = [place for place in places if len(place) == least]
    return outermost[0] if len(outermost) == 1 else None


def _texts(numbers: Sequence[tuple[Place, float]], decimals: int, percent: bool) -> dict[str, list[Place]]:
    """Where each text stands when numbers are written like this."""
    read: dict[str, list[Place]] = {}
    for place, value in numbers:
        read.setdefault(f"{value:,.{decimals}{'%' if percent else 'f'}}", []).append(place)
    return read


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _items(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def _pairs(value: dict[str, Any] | list[Any]) -> list[tuple[str | int, Any]]:
    return list(value.items() if isinstance(value, dict) else enumerate(value))


def _label(key: str | int) -> str:
    return f"{json.dumps(key)}: " if isinstance(key, str) else ""


def _leaves(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if not isinstance(value, dict | list):
        yield place, value
        return
    for key, item in _pairs(value):
        yield from _leaves(item, (*place, key))


def _records(value: Any, place: Place) -> Iterator[tuple[Place, int]]:
    """Lists of records, with their lengths."""
    if not isinstance(value, dict | list):
        return
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        yield place, len(value)
    for key, item in _pairs(value):
        yield from _records(item, (*place, key))

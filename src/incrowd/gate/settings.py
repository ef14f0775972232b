"""incrowd.toml -> GateSettings, checked before any work: a mistake is named with its line."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from incrowd.errors import IncrowdError, ParameterError, near, public
from incrowd.gate.checks import CHECKS, DATE, check_output
from incrowd.gate.keys import TABLES, Key, keys
from incrowd.gate.lines import Lines, parsed
from incrowd.gate.outputs import Outputs

FILE = "incrowd.toml"
SEEDED = "pseudonym_seed lets whoever has it undo the pseudonyms, so no gate takes it; leave it out."
NEEDED = {"source": "source", "anonymize": "method", "output": "folder"}  # a gate without them has nothing to do


@dataclass(frozen=True, kw_only=True, eq=False)
class GateSettings:
    """What incrowd.toml says: the values of each table as its calls take them.

    Args:
        path: The file.
        tables: Table -> key -> value; paths are absolute, and start at the folder of the file.
        lines: Table and key -> line of the file.
        sha256: Digest of the file.
    """

    path: Path
    tables: Mapping[str, Mapping[str, Any]]
    lines: Lines = field(repr=False)
    sha256: str

    def __getitem__(self, table: str) -> dict[str, Any]:
        return dict(self.tables.get(table, {}))

    @contextmanager
    def at(self, table: str) -> Iterator[None]:
        """A setting that turns out to be refused inside is named with its line.

        Args:
            table: The table that it is in.
        """
        try:
            yield
        except ParameterError as error:
            with _Place(self.path.name, self.lines, self.path.parent).at(table):
                raise error from None

    @property
    def source(self) -> str:
        """The files or the address that is read."""
        return str(self["source"]["source"])

    @property
    def reading(self) -> dict[str, Any]:
        """How the source is read, as the keywords of `incrowd.read.table` other than time_zone."""
        return {name: value for name, value in self["source"].items() if name not in ("source", "time_zone")}

    @property
    def of_database(self) -> tuple[str | None, str | None]:
        """The table and the query of a database, of which one says what is read."""
        return self["source"].get("table"), self["source"].get("query")

    def bad_rows(self, run: str) -> Path:
        """The file for rows that cannot be read.

        Args:
            run: Name of the run, which {date} stands for.
        """
        path = Path(self["source"]["bad_rows"])
        return path.with_name(path.name.replace(DATE, run))

    @property
    def time_zone(self) -> str | None:
        """Zone of times without an offset, of slots and of all days and hours."""
        return self["source"].get("time_zone")

    @property
    def method(self) -> str:
        """How the release is made."""
        return str(self["anonymize"]["method"])

    @property
    def outputs(self) -> Outputs:
        """Where the gate writes."""
        return Outputs(**{"history": self.path.parent / Outputs.history, **self["output"]})

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of an assessment, with the limits."""
        given = {name: value for name, value in self["assess"].items() if name != "advise"}
        return {**given, "limits": self["limits"] or None, "time_zone": self.time_zone}

    def with_outputs(self, **given: Any) -> "GateSettings":
        """The same with other outputs.

        Args:
            given: Fields of `Outputs` that replace those of the file.
        """
        taken = {
            name: one.absolute() if isinstance(one, Path) else one for name, one in given.items() if one is not None
        }
        settings = replace(self, tables={**self.tables, "output": {**self["output"], **taken}})
        check_output(settings)
        return settings


@public
def load(path: str | Path = FILE) -> GateSettings:
    """The settings in a file, every key and value checked; nothing is read but the file itself.

    Args:
        path: The file, usually incrowd.toml.
    """
    path = Path(path).resolve()
    values, lines, text = parsed(path)
    place = _Place(path.name, lines, path.parent)
    for table, inside in values.items():
        with place.at(table):
            if table not in TABLES:
                raise ParameterError(f"unknown table [{table}]; {near(table, TABLES)}")
            if not isinstance(inside, dict):
                raise ParameterError(f"{table} must be a table, written as [{table}].")
    for table, key in NEEDED.items():
        if key not in values.get(table, {}):
            with place.at(table):
                raise ParameterError(f"the key {key} of [{table}] is missing; add it.")
    method = values["anonymize"]["method"]
    tables = {table: _table(table, inside, method, place) for table, inside in values.items()}
    settings = GateSettings(path=path, tables=tables, lines=lines, sha256=hashlib.sha256(text.encode()).hexdigest())
    for table, check in CHECKS.items():
        with place.at(table):
            check(settings)
    return settings


def history_at(path: Path) -> Path:
    """Where the history is that a file names; nothing else in the file is looked at."""
    values, _, _ = parsed(path)
    output = values.get("output")
    named = output.get("history") if isinstance(output, dict) else None
    return path.resolve().parent / (named if isinstance(named, str) else Outputs.history)


def _table(table: str, inside: Mapping[str, Any], method: Any, place: "_Place") -> dict[str, Any]:
    """The values of a table as calls take them."""
    known = keys(table, method if isinstance(method, str) else None)
    for name in inside:
        with place.at(table, name):
            if name == "pseudonym_seed":
                raise ParameterError(SEEDED)
            if name not in known:
                raise ParameterError(f"unknown key {name!r} in [{table}]; {near(name, known)}")
            known[name].check(inside[name])
    return {name: _taken(known[name], value, place) for name, value in inside.items()}


def _taken(key: Key, value: Any, place: "_Place") -> Any:
    """A value as a call takes it: paths from the folder of the file, lists that nobody changes."""
    if key.name == "source" and "://" not in value and value != "-":
        return str(place.folder / value)
    if key.is_path and not isinstance(value, dict):
        return place.folder / value
    if isinstance(value, date):
        return value.isoformat()
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, eq=False)
class _Place:
    """Names the line of what is wrong."""

    file: str
    lines: Lines
    folder: Path

    @contextmanager
    def at(self, table: str, key: str | None = None) -> Iterator[None]:
        """Errors inside are about this table, and about the key of it that they name."""
        try:
            yield
        except IncrowdError as error:
            named = key or self._named(table, str(error))
            line = self.lines.get((table, named), self.lines.get((table,)))
            where = f"{self.file} line {line}" if line else self.file
            raise ParameterError(f"{where}: {error}") from None

    def _named(self, table: str, words: str) -> str:
        """The key that an error names first, or else the one that the table is about."""
        inside = [name for one, *rest in self.lines if one == table for name in rest]
        places = {name: re.search(rf"\b{re.escape(name)}\b", words) for name in inside}
        first = {name: place.start() for name, place in places.items() if place is not None}
        return min(first, key=lambda name: first[name], default=NEEDED.get(table, ""))

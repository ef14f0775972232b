"""A look at the data -> incrowd.toml: what was seen is filled in, every other key is there as a comment."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import Any, Unpack

from incrowd import measure, read
from incrowd.data import Fingerprints, Traces, Visits
from incrowd.data.files import whole_file
from incrowd.errors import DataError, public
from incrowd.gate.checks import DATE
from incrowd.gate.keys import TABLES, Key, keys
from incrowd.gate.settings import FILE, load
from incrowd.plain import several
from incrowd.read._kind import holding
from incrowd.read.layouts import Reading, with_reading
from incrowd.read.sources.local import local

WIDTH = 100
SHARD = 20_000  # people from which on GLOVE works in shards
ABOUT = {
    "source": "What the releases are made from.",
    "clean": "What is done to the records first; leave steps empty for nothing.",
    "discretize": "Cells and slots, where the method takes them.",
    "anonymize": "How the release is made; the keys are those of the method.",
    "assess": "How the release is attacked; settings that make the verdict easier need an override.",
    "limits": 'What is too much: 0.1, "10%", "1/11" or "none"; conventions, not law.',
    "output": "Where everything goes; links must not be in the folder that is published.",
}


@public
@with_reading
def draft(
    source: str,
    path: str | Path = FILE,
    *,
    time_zone: str | None = None,
    force: bool = False,
    **reading: Unpack[Reading],
) -> Path:
    """Write incrowd.toml for a source after a look at it, whole or not at all.

    Args:
        source: Files, a folder or a glob, as `incrowd.read.table` reads it.
        path: File to write.
        time_zone: Zone of times without an offset, of slots and of all days and hours. [default: UTC]
        force: Whether an existing file may be replaced.
    """
    path = Path(path)
    given = {name: value for name, value in reading.items() if value not in (None, (), [], {})}
    with whole_file(path, force=force) as part:
        seen, filled = _seen(source, path, time_zone, given)
        part.write_text("\n".join(_lines(seen, filled)) + "\n", encoding="utf-8")
        load(part)  # what is written can be read
    return path


def _seen(source: str, path: Path, time_zone: str | None, reading: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """What the data are, in words, and the keys that follow from it."""
    known = {name: reading.get(name) for name in ("columns", "layout", "time_format", "antennas")}
    with TemporaryDirectory() as looks, local(source, reading.get("table"), reading.get("query")) as files:
        how = {name: value for name, value in reading.items() if name not in ("table", "query")}
        records = holding(files, **known).noun in (None, "Traces")
        if "bad_rows" in how:
            how["bad_rows"] = Path(looks) / "bad.csv"
        data: Any = read.table(files, time_zone=time_zone, order="log", **how) if records else read.open(files)
    if not isinstance(data, (Traces, Visits, Fingerprints)):
        raise DataError(f"the source holds {type(data).__name__}; give trajectories, visits or fingerprints.")
    words = f"{several(len(data), 'person', 'people')}, {several(data.records, 'record')}"
    filled: dict[str, Any] = {name: {} for name in TABLES}
    filled["source"] = {"source": _from(path, source), "time_zone": time_zone, **reading}
    if "bad_rows" in reading:
        aside = Path(_from(path, str(reading["bad_rows"])))
        filled["source"]["bad_rows"] = aside if DATE in aside.name else aside.with_stem(f"{aside.stem}-{DATE}")
    if isinstance(data, Traces):
        about = measure.summary(data, time_zone=time_zone)
        words += f", {about.first_day} to {about.last_day}" if about.first_day else ""
        filled["clean"]["steps"] = [
            *(["outside"] if about.at_zero_records else []),
            *(["duplicates"] if about.duplicate_records else []),
            *([] if data.ordered else ["order"]),
        ]
    if isinstance(data, Visits):
        filled["anonymize"] = {"method": "lkc", "l": 4, "k": 20}
    else:
        filled["anonymize"] = {"method": "glove", "k": 11, **({"shard_users": SHARD} if len(data) > SHARD else {})}
    filled["output"] = {"folder": "published", "links": "private"}
    return words, {
        table: {name: one for name, one in inside.items() if one is not None} for table, inside in filled.items()
    }


def _from(path: Path, source: str) -> str:
    """The source as seen from the folder of the file."""
    if "://" in source or source == "-":
        return source
    there, folder = Path(source).absolute(), path.absolute().parent
    return there.relative_to(folder).as_posix() if there.is_relative_to(folder) else str(there)


def _lines(seen: str, filled: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield f"# Made by incrowd init on {datetime.now(UTC).date().isoformat()}: {seen}."
    yield "# Run it every night: incrowd gate. The first time, if nothing was ever published: incrowd gate --first-run."
    yield "# A line that begins with # is not used; what it shows is the default."
    method = filled["anonymize"]["method"]
    for table, words in ABOUT.items():
        yield from ("", f"[{table}]  # {words}")
        for key in keys(table, method).values():
            yield from _key(key, filled[table].get(key.name))


def _key(key: Key, value: Any) -> Iterator[str]:
    """A key with its value, or with its default as a comment, below what it means."""
    yield from (f"# {line}" for line in wrap(key.words, WIDTH))
    if value is not None:
        yield f"{key.name} = {_toml(value)}"
    else:
        yield f"# {key.name} = {shown(key.default) or ''}".rstrip()


def shown(default: Any) -> str | None:
    """The default of a key as TOML writes it; None if it has none that a file can hold."""
    return _toml(default) if isinstance(default, (bool, int, float, str, Path, tuple, list)) else None


def _toml(value: Any) -> str:
    """A value as TOML writes it.

    >>> _toml({"user": "rider"}), _toml([1, "a"]), _toml(True)
    ('{ "user" = "rider" }', '[1, "a"]', 'true')
    """
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_toml(name)} = {_toml(one)}' for name, one in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)

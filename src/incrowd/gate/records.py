"""The history of a gate: one SQLite file, a row for each run, each with the digest of the one before it."""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from incrowd.errors import DataError, check_file
from incrowd.plain import to_json

WAIT_S = 120.0  # for another gate that writes to the same file
WHY = {"locked": "another gate is writing to it", "full": "the disk is full, so free some space"}
CREATE = """CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY, made TEXT NOT NULL, name TEXT NOT NULL, exit_code INTEGER NOT NULL,
    verdict TEXT NOT NULL, people INTEGER NOT NULL, records INTEGER, first_run INTEGER NOT NULL, software TEXT NOT NULL,
    data_sha256 TEXT NOT NULL, settings_sha256 TEXT NOT NULL, release_id TEXT, release_sha256 TEXT, link_sha256 TEXT,
    numbers TEXT NOT NULL, digest TEXT NOT NULL)"""


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """One run of a gate; nothing in it is about one person.

    Args:
        number: Its place in the history, from 1 on.
        made: When, in UTC.
        name: Folder of the run.
        exit_code: 0 passed, 1 the gate was shut, 3 passed with an override.
        verdict: The verdict in words.
        people: People in the data.
        records: Records in the data, if they were counted.
        first_run: Whether it was said that nothing was published before.
        software: The version that ran.
        data_sha256: Digest of the data.
        settings_sha256: Digest of incrowd.toml.
        release_id: The id of the release, if there is one.
        release_sha256: Digest of its manifest.
        link_sha256: Digest of its link file, if that was kept.
        numbers: Test -> its verdict, the number judged and the limit.
        digest: Of this row and of the digest before it.
    """

    number: int = 0
    made: str
    name: str
    exit_code: int
    verdict: str
    people: int
    records: int | None
    first_run: bool
    software: str
    data_sha256: str
    settings_sha256: str
    release_id: str | None = None
    release_sha256: str | None = None
    link_sha256: str | None = None
    numbers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    digest: str = ""

    def after(self, previous: str) -> "RunRecord":
        """The same with its digest, which follows from all of it and from the row before it."""
        stated = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "digest"}
        words = to_json([previous, stated])
        return replace(self, digest=hashlib.sha256(words.encode()).hexdigest())


COLUMNS = tuple(one.name for one in fields(RunRecord))


def runs_in(path: Path) -> tuple[RunRecord, ...]:
    """Every run, the oldest first; a history that was changed afterwards is refused.

    Args:
        path: The file; none is a history without runs.
    """
    check_file(path)
    if not path.exists():
        return ()
    with _connected(path) as database:
        return tuple(_rows(database, path))


def add(
    path: Path,
    record: Callable[[tuple[RunRecord, ...]], RunRecord],
    put: Callable[[RunRecord], Callable[[], None]],
) -> RunRecord:
    """Add a run and put its files in their place in one step: both, or neither.

    Args:
        path: The file, which is made if there is none.
        record: Makes the row, given all rows before it; no other gate writes meanwhile. What it raises stops it all.
        put: Puts the files in their place, and returns what takes them away again.
    """
    with _connected(path) as database:
        database.execute("BEGIN IMMEDIATE")
        undo: Callable[[], None] = _nothing
        try:
            database.execute(CREATE)
            before = tuple(_rows(database, path))
            made = replace(record(before), number=len(before) + 1).after(before[-1].digest if before else "")
            marks = ", ".join("?" for _ in COLUMNS)
            database.execute(f"INSERT INTO runs ({', '.join(COLUMNS)}) VALUES ({marks})", _written(made))  # noqa: S608
            undo = put(made)
            database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            undo()
            raise
    return made


def _nothing() -> None:
    """Nothing was put anywhere."""


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(path, timeout=WAIT_S, isolation_level=None)) as database:
            yield database
    except sqlite3.OperationalError as error:
        why = next((words for mark, words in WHY.items() if mark in str(error)), "check the folder and its permissions")
        raise DataError(f"the history {path.name} cannot be used; {why}.") from None
    except sqlite3.DatabaseError:
        raise DataError(f"{path.name} is not a history of a gate; name another file, or restore it.") from None


def _rows(database: sqlite3.Connection, path: Path) -> Iterator[RunRecord]:
    there = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'runs'").fetchone()
    if there is None:
        return
    previous = ""
    rows = database.execute(f"SELECT {', '.join(COLUMNS)} FROM runs ORDER BY number").fetchall()  # noqa: S608
    for place, row in enumerate(rows, start=1):
        record = _read(row)
        if record is None or record.number != place or record.after(previous).digest != record.digest:
            raise DataError(
                f"run {place} of the history {path.name} is not as it was written; restore the file from a backup."
            )
        previous = record.digest
        yield record


def _read(row: tuple[Any, ...]) -> RunRecord | None:
    values = dict(zip(COLUMNS, row, strict=True))
    try:
        return RunRecord(**{**values, "first_run": bool(values["first_run"]), "numbers": json.loads(values["numbers"])})
    except (TypeError, ValueError, RecursionError):
        return None


def _written(record: RunRecord) -> tuple[Any, ...]:
    values = {name: getattr(record, name) for name in COLUMNS}
    return tuple({**values, "first_run": int(record.first_run), "numbers": to_json(record.numbers)}.values())

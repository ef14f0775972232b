"""What the studio remembers: datasets, jobs and settings in one SQLite file that outlives the server."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from incrowd.errors import DataError, ParameterError

JobState = Literal["waiting", "running", "finished", "failed", "cancelled"]
OVER: tuple[JobState, ...] = ("finished", "failed", "cancelled")
SCHEMA = """
CREATE TABLE IF NOT EXISTS datasets (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, source TEXT, options TEXT);
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, dataset INTEGER, kind TEXT, title TEXT, commands TEXT, details TEXT,
    state TEXT DEFAULT 'waiting', step INTEGER DEFAULT 0, message TEXT DEFAULT '', process INTEGER,
    started REAL, ended REAL);
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT);
"""


@dataclass(frozen=True)
class StoredData:
    """A source and how it is read.

    Args:
        id: Its number.
        title: What the page calls it.
        source: Path below the folder, or "" for the synthetic city.
        options: Roles of columns and further options of reading, as the form sent them.
    """

    id: int
    title: str
    source: str
    options: dict[str, Any]


@dataclass(frozen=True)
class Job:
    """Command lines that run one after another in a process of their own.

    Args:
        id: Its number.
        dataset: The dataset it is about.
        kind: What it does: clean, assess, forecast, run or sign.
        title: What the page calls it.
        commands: Words of each command line, without the program.
        details: What the page needs to repeat it, such as the method and its parameters.
        state: Where it stands.
        step: Which command runs, or ran last.
        message: Why it failed, in one sentence.
        process: Process group that runs it.
        started: Unix seconds.
        ended: Unix seconds.
    """

    id: int
    dataset: int
    kind: str
    title: str
    commands: list[list[str]]
    details: dict[str, Any]
    state: JobState
    step: int
    message: str
    process: int | None
    started: float | None
    ended: float | None

    @property
    def over(self) -> bool:
        """Whether it will not go on."""
        return self.state in OVER

    @property
    def took_s(self) -> float:
        """Seconds it has run."""
        return 0.0 if self.started is None else (self.ended or time.time()) - self.started


class Store:
    """The SQLite file of a studio.

    Args:
        home: Folder of the studio; made with mode 0700 if it is missing.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        _make_own(home)
        with self._open() as db:
            db.executescript(SCHEMA)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """One transaction; WAL lets a job write while a page reads."""
        try:
            db = sqlite3.connect(self.home / "studio.db", timeout=10)
            try:
                db.row_factory = sqlite3.Row
                db.execute("PRAGMA journal_mode=WAL")
                with db:
                    yield db
            finally:
                db.close()
        except sqlite3.DatabaseError as error:
            raise DataError(
                "the studio's file studio.db cannot be read or written; move it away to start anew."
            ) from error

    def setting(self, name: str) -> str:
        """A value that was stored; empty if there is none."""
        with self._open() as db:
            row = db.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return "" if row is None else str(row["value"])

    def set(self, name: str, value: str) -> None:
        """Store a value under a name."""
        with self._open() as db:
            db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def add_dataset(self, title: str, source: str, options: dict[str, Any]) -> StoredData:
        """A new dataset, which becomes the current one."""
        with self._open() as db:
            fields = (title, source, json.dumps(options))
            new = db.execute("INSERT INTO datasets (title, source, options) VALUES (?, ?, ?)", fields)
            number = int(new.lastrowid or 0)
            db.execute("INSERT OR REPLACE INTO settings VALUES ('dataset', ?)", (str(number),))
        return StoredData(number, title, source, options)

    def dataset(self) -> StoredData | None:
        """The current dataset."""
        now = self.setting("dataset")
        return next((one for one in self.datasets() if str(one.id) == now), None)

    def datasets(self) -> list[StoredData]:
        """All datasets, the latest first."""
        with self._open() as db:
            rows = db.execute("SELECT * FROM datasets ORDER BY id DESC").fetchall()
        return [StoredData(**{**dict(row), "options": json.loads(row["options"])}) for row in rows]

    def add_job(
        self, dataset: int, kind: str, title: str, commands: list[list[str]], details: dict[str, Any] | None = None
    ) -> int:
        """The number of a new job, which waits for a place; the word {job} in its commands becomes this number."""
        with self._open() as db:
            fields = (dataset, kind, title, "[]", json.dumps(details or {}))
            new = db.execute(
                "INSERT INTO jobs (dataset, kind, title, commands, details) VALUES (?, ?, ?, ?, ?)", fields
            )
            number = int(new.lastrowid or 0)
            named = [[word.replace("{job}", str(number)) for word in words] for words in commands]
            db.execute("UPDATE jobs SET commands = ? WHERE id = ?", (json.dumps(named), number))
        return number

    def jobs(self, dataset: int | None = None, kind: str | None = None) -> list[Job]:
        """All jobs, or those of a dataset or a kind, the latest first."""
        with self._open() as db:
            rows = db.execute(
                "SELECT * FROM jobs WHERE (?1 IS NULL OR dataset = ?1) AND (?2 IS NULL OR kind = ?2) ORDER BY id DESC",
                (dataset, kind),
            ).fetchall()
        return [_job(row) for row in rows]

    def job(self, number: int) -> Job | None:
        """One job."""
        with self._open() as db:
            row = db.execute("SELECT * FROM jobs WHERE id = ?", (number,)).fetchone()
        return None if row is None else _job(row)

    def latest(self, dataset: int, kind: str) -> Job | None:
        """The job of a kind that was started last."""
        return next(iter(self.jobs(dataset, kind)), None)

    def move(self, number: int, state: JobState, *, expected: JobState, message: str = "", **fields: float) -> bool:
        """Change the state of a job if it still is the expected one, so that two processes cannot both do it."""
        names = "".join(f", {name} = ?" for name in fields)
        values = (state, message, *fields.values(), number, expected)
        with self._open() as db:
            return (
                db.execute(
                    f"UPDATE jobs SET state = ?, message = ?{names} WHERE id = ? AND state = ?",  # noqa: S608
                    values,
                ).rowcount
                == 1
            )

    def set_step(self, number: int, step: int) -> None:
        """Which command of a job runs."""
        with self._open() as db:
            db.execute("UPDATE jobs SET step = ? WHERE id = ?", (step, number))

    def remove_job(self, number: int) -> None:
        """Forget a job that is over."""
        with self._open() as db:
            db.execute("DELETE FROM jobs WHERE id = ? AND state IN ('finished', 'failed', 'cancelled')", (number,))


def _make_own(home: Path) -> None:
    """Make the folder, for its owner alone; somebody else's, or a link to another place, is refused."""
    refused = ParameterError(f"the studio cannot keep its state in {home.name}: it must be a folder of your own.")
    try:
        home.mkdir(mode=0o700, exist_ok=True)
        if home.is_symlink() or home.stat().st_uid != os.getuid():
            raise refused
        home.chmod(0o700)
    except OSError:
        raise refused from None


def _job(row: sqlite3.Row) -> Job:
    return Job(**{**dict(row), "commands": json.loads(row["commands"]), "details": json.loads(row["details"])})

"""People of whom a night is published after the other: safe alone, and recognised by their habits or not."""

import sqlite3
from pathlib import Path

import numpy as np

from incrowd import Traces, anonymize, discretize
from incrowd.data import Visits

HOURS, DAY_S = 10, 86_400
PEOPLE = 2_000
BOXES = 'method = "glove"\nk = 12'


def night(number: int, *, habits: bool, people: int = PEOPLE, first: int = 0) -> Traces:
    """Everybody is in one of two cells in each of ten hours: in the same ones every night, or in new ones.

    Four of the ten visits are shared by about a sixteenth of the people, all ten by about two.
    """
    rng = np.random.default_rng(5 if habits else 100 + number)
    side = rng.integers(0, 2, (people, HOURS))
    hour = np.tile(np.arange(HOURS), people)
    user = np.repeat(np.arange(first, first + people), HOURS)
    t = number * DAY_S + hour * 3600 + 60
    return Traces.from_arrays(user, t, x=1_000.0 * hour + 50, y=1_000.0 * side.ravel() + 50)


def together(day: int) -> Traces:
    """Sixty people in five groups who go everywhere together."""
    rows = [(u, day * DAY_S + h * 7_200, 5_000.0 * (u // 12) + 10 * h, 5.0) for u in range(60) for h in range(6)]
    user, t, x, y = zip(*rows, strict=True)
    return Traces.from_arrays(list(user), list(t), x=list(x), y=list(y))


def rows(day: int) -> list[tuple]:
    traces = together(day)
    return list(
        zip(traces.users[traces.owner].tolist(), traces.t.tolist(), traces.x.tolist(), traces.y.tolist(), strict=True)
    )


def as_sqlite(path: Path) -> None:
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE trips (user, t, x, y)")
        made.executemany("INSERT INTO trips VALUES (?, ?, ?, ?)", rows(1))
    made.close()


def small_gate(folder: Path, day: int = 0, source: str = "night.csv") -> Path:
    """The data of one night of sixty people, and an incrowd.toml that publishes them in crowds of twelve."""
    path = gate_file(folder, anonymize=BOXES)
    together(day).save(folder / "night.csv", force=True)
    text = path.read_text().replace("[discretize]\ncell_m = 1000\nslot_min = 60\n", "")
    path.write_text(text.replace('source = "night.csv"', f"source = {source!r}"))
    return path


def visits(traces: Traces) -> Visits:
    """On squares of 1 km and in hours."""
    return discretize.grid(traces, cell_m=1_000, slot_min=60)


def published(traces: Traces, folder: Path, link: Path | None = None) -> Path:
    """A release of one night, each person under a new pseudonym."""
    data = visits(traces)
    release = anonymize.Cut(window_h=24)(data)
    return anonymize.publish(release, folder, link=link, original=None if link is None else data)


def gate_file(folder: Path, number: int = 0, *, habits: bool = False, more: str = "", anonymize: str = "") -> Path:
    """The data of one night, and an incrowd.toml that publishes each person under a new pseudonym."""
    night(number, habits=habits).save(folder / "night.csv", force=True)
    path = folder / "incrowd.toml"
    path.write_text(GATE.format(more=more, anonymize=anonymize or 'method = "cut"\nwindow_h = 24'))
    return path


GATE = """[source]
source = "night.csv"
columns = {{ x = "x", y = "y" }}

[discretize]
cell_m = 1000
slot_min = 60

[anonymize]
{anonymize}

[output]
folder = "published"
links = "private"

[assess]
advise = false
{more}
"""

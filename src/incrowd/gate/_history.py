"""A history file -> every run of a gate as a table and a figure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incrowd.errors import DataError, public
from incrowd.gate.records import RunRecord, runs_in
from incrowd.plain import percent, plain, several
from incrowd.show import Line, Lines, Result, Section, Table

ENDED = {0: "passed", 1: "shut", 3: "passed with an override"}
MOST_LINES = 8
CHAIN = (
    "Each row holds the digest of the row before it, so that a row that was changed or taken out is found; whoever may "
    "write the file can still write another one."
)


@dataclass(frozen=True, eq=False, repr=False)
class History(Result):
    """Every run of a gate, the oldest first.

    Args:
        runs: What was written down of each.
    """

    runs: tuple[RunRecord, ...]

    def __repr__(self) -> str:
        return f"History(runs={len(self.runs)}, passed={self.passed})"

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def passed(self) -> int:
        """Runs that published something."""
        return sum(run.release_id is not None for run in self.runs)

    def section(self) -> Section:
        """The runs as a table, and what was judged as lines."""
        last = self.runs[-1]
        rows = [
            (
                str(run.number),
                run.made[:16].replace("T", " "),
                run.name,
                ENDED[run.exit_code],
                f"{run.people:,}",
                worst(run),
            )
            for run in self.runs
        ]
        return Section(
            question="What did the gate say?",
            answer=f"{several(self.passed, 'run')} of {len(self.runs):,} published a release; the last one "
            f"{ENDED[last.exit_code]}: {last.verdict}",
            number=f"{self.passed:,}",
            number_of=f"of {several(len(self.runs), 'run')} published a release",
            tables=[Table(("run", "made (UTC)", "name", "gate", "people", "nearest to its limit"), rows, "Every run.")],
            panels=[self.panel] if self.panel.lines else [],
            method=[CHAIN],
            options=f"{several(len(self.runs), 'run')}, {self.runs[0].made[:10]} to {last.made[:10]}",
            data=self,
        )

    @property
    def panel(self) -> Lines:
        """Each test's number as a share of its limit, run by run."""
        names = sorted({name for run in self.runs for name in run.numbers}, key=self._worst, reverse=True)[:MOST_LINES]
        lines = []
        for name in names:
            points = [
                (place, ratio) for place, run in enumerate(self.runs) if (ratio := of_limit(run, name)) is not None
            ]
            if points:
                lines.append(Line(name, [place for place, _ in points], [ratio for _, ratio in points]))
        return Lines(
            name="history",
            x="run",
            y="number judged / limit",
            lines=tuple(lines),
            caption="What was judged in each run, as a multiple of its limit; above 1 the gate is shut.",
            share=False,
            ticks=[run.name for run in self.runs],
            levels={"limit": 1.0},
        )

    def _worst(self, name: str) -> float:
        return max((of_limit(run, name) or 0.0 for run in self.runs), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"runs": plain(self.runs), "passed": self.passed}

    def columns(self) -> Mapping[str, Any]:
        """A row for each run."""
        names = ("number", "made", "name", "exit_code", "verdict", "people", "records", "release_id")
        return {name: [getattr(run, name) for run in self.runs] for name in names}


def of_limit(run: RunRecord, name: str) -> float | None:
    """The number that was judged as a multiple of its limit; None for what has no such ratio."""
    number = run.numbers.get(name, {})
    value, limit = number.get("value"), number.get("limit")
    if value is None or not limit:
        return None
    small = number.get("of") == "smallest_count" and value
    return float(limit / value if small else value / limit)


def worst(run: RunRecord) -> str:
    """The test that is nearest to its limit, or above it, in words."""
    ratios = {name: ratio for name in run.numbers if (ratio := of_limit(run, name)) is not None}
    if not ratios:
        return "-"
    name = max(ratios, key=lambda one: ratios[one])
    return f"{name}, {percent(ratios[name], 0)} of the limit"


@public
def history(path: str | Path) -> History:
    """Every run that a gate wrote down.

    Args:
        path: The file that incrowd.toml names as `history`.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(f"there is no history at {path.name or path}; run incrowd gate first, or name another file.")
    runs = runs_in(path)
    if not runs:
        raise DataError(f"the history {path.name} has no run yet; run incrowd gate first.")
    return History(runs)

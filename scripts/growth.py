"""Draw docs/figures/{ash,glove}_growth.svg: what the benchmarks measured as sizes grow."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.report.style import COLOURS, SMALL, canvas, svg

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "latest.jsonl"
FIGURES = ROOT / "docs" / "figures"
Lines = list[dict[str, Any]]

ASH = {"users": "people", "towers": "towers", "slots": "slots a day", "days": "days"}
ASH_SIZE = {"slots": "slots_a_day"}
SECONDS = {"recover_cpu_s": "attack", "score_cpu_s": "scoring"}
SHARES = {"exact_share": "pairs of people", "compared_share": "pairs of samples"}


def main(results: Path = RESULTS, folder: Path = FIGURES) -> None:
    """Draw what the results hold, and say what they do not."""
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    folder.mkdir(parents=True, exist_ok=True)
    drawn: dict[str, Callable[[Lines], str | None]] = {"ash_growth": ash, "glove_growth": glove}
    for name, draw in drawn.items():
        figure = draw(lines)
        if figure is None:
            print(f"{name}: fewer than two sizes in {results.name}; run the benchmarks of {name} first.")
        else:
            (folder / f"{name}.svg").write_text(figure + "\n")


def ash(lines: Lines) -> str | None:
    """CPU seconds of attack and scoring against people, towers, slots and days."""
    measured = {what: _sorted(lines, f"ash.growth_{what}_", ASH_SIZE.get(what, what)) for what in ASH}
    shown = {what: rows for what, rows in measured.items() if len(rows) > 1}
    if not shown:
        return None
    with canvas(height_in=2.5 * ((len(shown) + 1) // 2)) as (figure, first):
        first.remove()
        for place, (what, rows) in enumerate(shown.items(), 1):
            axes = figure.add_subplot((len(shown) + 1) // 2, 2, place)
            _curves(axes, rows, ASH_SIZE.get(what, what), SECONDS)
            axes.set_xlabel(ASH[what])
            axes.set_ylabel("CPU seconds")
        _key(figure)
        return svg(figure)


def glove(lines: Lines) -> str | None:
    """Seconds of GLOVE against people, and what part of all pairs it looked at."""
    rows = _sorted(lines, "glove.growth_", "users")
    if len(rows) < 2:
        return None
    with canvas(height_in=2.7) as (figure, first):
        first.remove()
        for place, (named, label) in enumerate((({"glove_s": "GLOVE"}, "seconds"), (SHARES, "share compared")), 1):
            axes = figure.add_subplot(1, 2, place)
            _curves(axes, rows, "users", named, colours=COLOURS[place - 1 :])
            axes.set_xlabel("people")
            axes.set_ylabel(label)
        _key(figure)
        return svg(figure)


def _sorted(lines: Lines, case: str, size: str) -> Lines:
    """The last result of each case of this family that did not fail, by size."""
    last = {line["case"]: line for line in lines if line["case"].startswith(case) and size in line}
    return sorted(last.values(), key=lambda line: line[size])


def _curves(axes: Any, rows: Lines, size: str, named: dict[str, str], colours: tuple[str, ...] = COLOURS) -> None:
    """One line per measure on two logarithmic axes, with the power of the size by which it grows."""
    for colour, (column, label) in zip(colours, named.items(), strict=False):
        points = [(row[size], row[column]) for row in rows if row.get(column, 0) > 0]
        if len(points) < 2:
            continue
        x, y = np.array(points).T
        axes.loglog(x, y, color=colour, marker="o", markersize=3, label=label)
        power = np.polyfit(np.log(x), np.log(y), 1)[0]
        axes.annotate(
            f"~ n^{power:.1f}",
            (x[-1], y[-1]),
            xytext=(-4, 5 if power > 0 else -11),
            textcoords="offset points",
            ha="right",
            fontsize=SMALL,
            color=colour,
        )
    sizes = [row[size] for row in rows]
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes], fontsize=SMALL, rotation=45)
    axes.minorticks_off()
    axes.margins(y=0.2)


def _key(figure: Any) -> None:
    """Every name once, above the panels."""
    handles = {name: line for axes in figure.axes for line, name in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside upper left", ncols=3)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))

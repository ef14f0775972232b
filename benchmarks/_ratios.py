"""Ours beside others as a table, from the lines of a run; `python -m benchmarks._ratios` renews that of the docs."""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "peers.jsonl"
PAGE = ROOT / "docs" / "benchmarks.md"
PLACE = re.compile(r"(<!-- peers.jsonl -->\n).*?(<!-- end of peers.jsonl -->)", re.DOTALL)
QUESTIONS = {
    "crowds": "how many people made all four visits that somebody knows, once for everybody",
    "worst_pair": "for everybody the pair of visits that the fewest others share",
    "glove": "GLOVE, k = 2",
    "kgap": "2-gap of everybody",
    "assignment": "one link of the recovery from counts",
}
SIZES = {"users": "people", "visits": "visits", "samples": "samples", "towers": "towers"}
OTHERS = {
    "pandas": "pandas",
    "polars": "polars",
    "skmob": "scikit-mobility's LocationTimeAttack",
    "numpy": "plain NumPy",
    "scipy": "scipy's assignment",
}
HEAD = ("question", "size", "ours, CPU s", "theirs, CPU s", "ratio", "load")


def ratios(lines: list[dict[str, Any]]) -> str:
    """A Markdown table with a row for each other that answered the question of a line; no text if none did."""
    rows = [row for line in lines if line["case"].startswith("peers.") for row in _rows(line)]
    ruled = [HEAD, ("---",) * len(HEAD), *rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in ruled) if rows else ""


def _rows(line: dict[str, Any]) -> list[tuple[str, ...]]:
    name = line["case"].removeprefix("peers.")
    question = QUESTIONS[name.rpartition("_")[0]]
    if "failed" in line:
        return [(question, name.rpartition("_")[2], "failed", "", "", "")]
    size = ", ".join(f"{line[key]:,} {word}" for key, word in SIZES.items() if key in line)
    ours, load = _about(line["ours_cpu_s"]), f"{line['machine']['load']:g}"
    return [
        (question, size, ours, f"{other} {_about(line[f'{key}_cpu_s'])}", f"{_about(line[f'{key}_ratio'])} x", load)
        for key, other in OTHERS.items()
        if f"{key}_ratio" in line
    ]


def _about(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def main() -> None:
    """The table of the docs holds what the file of results holds."""
    table = ratios([json.loads(line) for line in RESULTS.read_text().splitlines()])
    page, places = PLACE.subn(rf"\g<1>\n{table}\n\g<2>", PAGE.read_text())
    if places != 1:
        raise SystemExit(f"{PAGE.name} has no place for the table.")
    PAGE.write_text(page)


if __name__ == "__main__":
    main()

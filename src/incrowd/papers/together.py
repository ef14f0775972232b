"""Several datasets in one figure, where a paper draws two cities or countries; and a result against the people."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from incrowd.data.table import UserTable, some_people
from incrowd.papers.record import Figure, Statement
from incrowd.show import Cdf, Line, Lines, Panel

PARTS = (1 / 64, 1 / 16, 1 / 4)  # of the people
Users = TypeVar("Users", bound=UserTable)


def together(figures: Mapping[str, Figure]) -> Figure:
    """The same figure of several datasets, by their names: lines side by side, statements one after the other."""
    first, *others = figures.values()
    if not others:
        return first
    drawn = [{panel.name: panel for panel in figure.panels} for figure in figures.values()]
    names = list(dict.fromkeys(name for panels in drawn for name in panels))
    return replace(
        first,
        answer=" ".join(f"{name}: {figure.answer}" for name, figure in figures.items()),
        panels=tuple(
            _beside({of: panels[name] for of, panels in zip(figures, drawn, strict=True) if name in panels})
            for name in names
        ),
        statements=tuple(_statements(figures)),
        users=sum(figure.users for figure in figures.values()),
    )


def _beside(panels: Mapping[str, Panel]) -> Panel:
    """One panel with the lines of all; what the paper prints stands in it once."""
    first = next(iter(panels.values()))
    caption = " ".join(f"{name}: {panel.caption}" for name, panel in panels.items())
    if isinstance(first, Lines):
        lines: dict[str, Line] = {}
        for name, panel in panels.items():
            for line in panel.lines if isinstance(panel, Lines) else ():
                label = line.label if line.style == "hollow" else f"{name}, {line.label}"
                lines.setdefault(label, replace(line, label=label))
        return replace(first, lines=tuple(lines.values()), caption=caption, words="")
    if isinstance(first, Cdf):
        curves = [
            replace(curve, label=f"{name}, {curve.label}")
            for name, panel in panels.items()
            for curve in (panel.curves if isinstance(panel, Cdf) else ())
        ]
        return replace(first, curves=tuple(curves), caption=caption)
    return first


def _statements(figures: Mapping[str, Figure]) -> list[Statement]:
    """What is the same of all is said once; all else says of which data it is."""
    rows = {name: figure.statements for name, figure in figures.items()}
    everywhere = [one for one in next(iter(rows.values())) if all(one in of for of in rows.values())]
    return [
        one if one in everywhere else replace(one, what=f"{one.what} [{name}]")
        for number, (name, of) in enumerate(rows.items())
        for one in of
        if not number or one not in everywhere
    ]


def against_people(
    name: str, data: Users, values: Callable[[Users], Mapping[str, float]], *, y: str, what: str, seed: int
) -> Lines:
    """How some shares change with the number of people, who are drawn at random from the same data.

    Args:
        name: Name of the panel.
        data: Everybody.
        values: What is computed among so many people, by the name of its line.
        y: Label of the axis of values.
        what: What is shown, for the caption.
        seed: Seed of the draw.
    """
    sizes = sorted({max(round(part * len(data)), 2) for part in PARTS} | {len(data)})
    drawn = [values(data if size == len(data) else some_people(data, people=size, seed=seed)) for size in sizes]
    at = tuple(map(float, sizes))
    lines = tuple(Line(label, at, tuple(one[label] for one in drawn)) for label in drawn[0])
    caption = f"{what} against the people in the data (n = {sizes[0]:,} to {sizes[-1]:,}, drawn at random)."
    return Lines(name, "people", y, lines, caption, scale_x="log")


def in_row(lines: Lines) -> Sequence[tuple[str, ...]]:
    """The points of a panel as rows of a table: its x, then a column for each line.

    >>> in_row(Lines("a", "people", "share", (Line("one", (10.0, 20.0), (0.5, 1.0)),), ""))
    [('people', 'one'), ('10', '0.5'), ('20', '1')]
    """
    at = sorted({x for line in lines.lines for x in line.x})
    known = [dict(zip(line.x, line.y, strict=True)) for line in lines.lines]
    rows = [(f"{x:,.6g}", *(f"{line[x]:,.4g}" if x in line else "" for line in known)) for x in at]
    return [(lines.x, *(line.label for line in lines.lines)), *rows]

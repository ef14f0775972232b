"""Uniqueness -> its section: how many people are identified by a few known points."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.plain import percent, several, span
from incrowd.show import Line, Lines, Section, Table

if TYPE_CHECKING:
    from incrowd.measure.uniqueness.question import Uniqueness

KNOWS = {
    "random": "known visits drawn at random",
    "consecutive": "known visits in a row",
    "top": "most visited places",
    "close": "known visits at a given mean distance in time",
}
SHORT = {
    "drop": "people with fewer visits are left out",
    "all": "of people with fewer visits all are known",
    "zero": "people with fewer visits count as safe",
}
HEADS = {"points": "visits", "label": "of"}
VARIES = ("knowledge", "points", "short", "closeness_min", "tolerance_min", "block_min", "match", "seed")
CONVENTION = (
    "A person is identified if nobody else made all the known visits; the crowd size s counts the person, and s = 1 "
    "means alone. People are compared with the whole dataset, not with a sample [song2014, Eq. 1]."
)


def section_of_uniqueness(results: "Sequence[Uniqueness]", main: "Uniqueness | None" = None) -> Section:
    """One section for results that differ in points, knowledge or convention; the answer is that of `main`."""
    known = [risk for risk in results if risk.value is not None]
    main = main or max(known, key=lambda risk: (risk.points, risk.short == "drop"), default=results[-1])
    drawn = "Intervals are Wilson's, 95 %." if any(map(_is_drawn, results)) else "Nothing was drawn."
    return Section(
        question=f"How many people are identified by {_what(main)}?",
        answer=answer(main),
        number=percent(main.value),
        number_of=f"identified by {_what(main)}",
        panels=_panels(known),
        tables=[table(results)],
        method=[CONVENTION, f"The attacker knows {KNOWS[main.knowledge].replace('known visits', 'visits')}. {drawn}"],
        options=_options(results),
        data=list(results),
        number_at=(list(results).index(main), "value"),
    )


def answer(risk: "Uniqueness", of: str = "people") -> str:
    """The share of people identified, with their number, in a sentence."""
    if risk.value is None:
        lack = " that close in time" if risk.knowledge == "close" else ""
        return f"No trajectory has {several(risk.points, 'visit')}{lack}, so this question has no answer here."
    interval = f" (95 % interval {span(risk.interval)})" if _is_drawn(risk) else ""
    rule = "" if risk.knowledge == "top" or not risk.skipped else f"; {SHORT[risk.short]}"
    who, on_average = f"{risk.population:,} {of}", " on average"
    if counts_people(risk):
        who, on_average = f"{of} ({round(risk.value * risk.population):,} of {risk.population:,})", ""
    return f"{percent(risk.value)} of {who} are identified{on_average} by {_what(risk)}{interval}{rule}."


def counts_people(risk: "Uniqueness") -> bool:
    """Whether the share is over people, each asked once, and not over draws or choices."""
    return risk.repeats == 1 and risk.samples is None and not risk.exact


def table(results: "Sequence[Uniqueness]") -> Table:
    """One row for each result; columns in which nothing differs are left out."""
    varying = [name for name in ("label", *VARIES) if len({getattr(risk, name) for risk in results}) > 1]
    varying = [name for name in ("points", "short") if name not in varying] + varying
    rows = [
        (
            *(str(getattr(risk, name)) for name in varying),
            percent(risk.value, 2),
            span(risk.interval, 2) if _is_drawn(risk) else "-",
            f"{risk.population:,}",
            f"{risk.skipped:,}",
        )
        for risk in results
    ]
    head = (HEADS.get(name, name.removesuffix("_min")) for name in varying)
    return Table((*head, "identified", "95 % interval", "people", "left out"), rows)


def _what(risk: "Uniqueness") -> str:
    if risk.knowledge == "top":
        return f"their {risk.points} most visited places" if risk.points > 1 else "their most visited place"
    return f"{risk.points} {KNOWS[risk.knowledge]}".replace("1 known visits", "1 known visit")


def _options(results: "Sequence[Uniqueness]") -> str:
    first = results[0]
    each = f"{several(first.repeats, 'draw')} for each person, seed {first.seed}"
    drawn = (
        "every choice" if first.exact else f"{first.samples:,} samples, seed {first.seed}" if first.samples else each
    )
    close = f"{first.closeness_min:g} min apart (+-{first.tolerance_min:g} min)" if first.closeness_min else ""
    match = f"match {first.match}" if first.knowledge == "top" else ""
    short = ", ".join(f"{name}: {SHORT[name]}" for name in dict.fromkeys(risk.short for risk in results))
    return "; ".join(filter(None, (f"{first.knowledge} visits", close, match, drawn, "" if match else short)))


def _is_drawn(risk: "Uniqueness") -> bool:
    return risk.interval is not None and risk.interval[0] < risk.interval[1]


def _panels(known: "Sequence[Uniqueness]") -> list[Lines]:
    panels = []
    if len({risk.points for risk in known}) > 1:
        panels.append(points_panel(known))
    close = [risk for risk in known if risk.closeness_min is not None]
    if len({risk.closeness_min for risk in close}) > 1:
        caption = f"Uniqueness against closeness in time [tan2017, Sec. 3.2]; {_setting(close)}."
        panels.append(_against(close, "closeness", "closeness_min", "mean minutes between known visits", caption))
    return [*panels, *(_crowd_sizes(known) if known else [])]


def points_panel(known: "Sequence[Uniqueness]") -> Lines:
    """Uniqueness against the number of known points, of results that have a value."""
    return _against(known, "uniqueness", "points", "known visits", f"Uniqueness; {_setting(known)}.")


def _against(results: "Sequence[Uniqueness]", name: str, field: str, label: str, caption: str) -> Lines:
    """Values against a field; groups that have the same values throughout are one line under their joined names."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for words, group in _grouped(results, field):
        points = tuple((getattr(risk, field), risk.value or 0.0, *(risk.interval or (0.0, 0.0))) for risk in group)
        groups.setdefault(points, []).append(words)
    lines = [Line(" = ".join(names), *map(list, zip(*points, strict=True))) for points, names in groups.items()]  # type: ignore[arg-type]
    return Lines(name, label, "share of people identified", tuple(lines), caption)


def _grouped(results: "Sequence[Uniqueness]", x: str) -> "list[tuple[str, list[Uniqueness]]]":
    """Results that differ in x only, by what tells them apart from the others."""
    names = [n for n in ("label", *VARIES) if n != x and len({getattr(risk, n) for risk in results}) > 1]
    groups: dict[str, list[Uniqueness]] = {}
    for risk in results:
        groups.setdefault(", ".join(_word(risk, name) for name in names), []).append(risk)
    return [(words, sorted(group, key=lambda risk: getattr(risk, x) or 0)) for words, group in groups.items()]


def _word(risk: "Uniqueness", name: str) -> str:
    value = getattr(risk, name)
    if name == "points":
        return f"{value} known"
    if name.endswith("_min"):
        return f"{name.removesuffix('_min')} {value} min"
    return str(value) if name in ("label", "knowledge", "short", "match") else f"{name} {value}"


def _setting(results: "Sequence[Uniqueness]", bands: bool = True) -> str:
    """What every caption carries: n, interval and convention."""
    low, high = min(risk.population for risk in results), max(risk.population for risk in results)
    people = f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"
    band = ("bands are 95 % intervals, " if any(map(_is_drawn, results)) else "nothing was drawn, ") if bands else ""
    return f"{people}, {band}short trajectories: {', '.join(dict.fromkeys(risk.short for risk in results))}"


def _crowd_sizes(results: "Sequence[Uniqueness]") -> list[Lines]:
    """Crowd sizes as in [song2014, Figs. 3 and 4]: all of them on logarithmic scales, for one convention."""
    first = results[0]
    alike = [r for r in results if (r.label, r.short, r.knowledge) == (first.label, first.short, first.knowledge)]
    lines = []
    for words, group in _grouped(alike, "seed"):
        sizes = np.array(sorted(size for size in group[0].distribution if size > 0), np.int64)
        shares = [group[0].distribution[size] for size in sizes.tolist()]
        lines.append(Line(words, sizes.tolist(), shares, style="points"))
    values = "; ".join(f"{r.knowledge}, {r.short}, {r.points} points {percent(r.value)} alone" for r in alike)
    caption = f"How many people share the known visits; {_setting(alike, bands=False)}."
    words = f"Distribution of crowd sizes: {values}."
    scales = {"scale_x": "log", "scale_y": "log"}
    name, x, y = "crowd-sizes", "people who share the known visits", "share of draws"
    return [Lines(name, x, y, tuple(lines), caption, words=words, **scales)]  # type: ignore[arg-type]

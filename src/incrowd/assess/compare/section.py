"""Comparison -> its section: what every method protects against how much detail it loses."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from incrowd.assess.compare.fate import MEANS
from incrowd.assess.compare.risk import JUDGED, KNOWS, LATER
from incrowd.plain import fraction, percent, several
from incrowd.show import Line, Lines, Section, Table

if TYPE_CHECKING:
    from incrowd.assess.compare.comparison import Comparison, Row

FRONTIER = (
    "On the frontier are the settings that no other beats: none loses as little and protects as many, and does one of "
    "both better. A setting that keeps fewer than 1 of 100 records counts as publishing nothing."
)
THINNED = "A crowd thinned to fewer people hides everybody worse than the whole would."


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


PROTECTS: dict[str, tuple[str, Callable[[float | None], str]]] = {  # head -> name of the number, how it is printed
    "guessed rightly": ("guess", percent),
    "up to": ("guess_high", percent),
    "with 1/2 or more": ("worst", percent),
    "identified": ("singled_out", percent),
    "all known": ("cap", percent),
    "least crowd": ("crowd_least", _number),
    "recognised later": ("linked", percent),
    "rejoined": ("rejoined", percent),
}
LOSES: dict[str, tuple[str, Callable[[float | None], str]]] = {
    "loss": ("loss", fraction),
    "records left": ("kept", percent),
    "people left": ("people", percent),
    "place, m": ("place_m", _number),
    "time, min": ("width_min", _number),
    "position off, m": ("position_m", _number),
    "time off, min": ("time_min", _number),
    "steps kept": ("steps", percent),
    "made up": ("made_up", percent),
}


def section_of_comparison(result: "Comparison") -> Section:
    """Which method loses least detail for the target."""
    best = result.best
    return Section(
        question="Which method loses least detail?",
        answer=result.verdict,
        number="none" if best is None else fraction(best.loss),
        number_of="least loss of a setting that reaches the target" if best else "setting reaches the target",
        panels=[_frontier(result), _crowds(result)],
        tables=[*_tables(result), *_problems(result)],
        method=[KNOWS.format(points=result.points), JUDGED, LATER, MEANS, FRONTIER, THINNED, _grain(result)],
        options=f"target: {result.target}; {result.who}, {several(result.samples, 'sample')}, {result.points} known of "
        f"each; {result.cell_m:,} m cells and {result.slot_min:,} min slots for cut and lkc; seed {result.seed}",
        data=result,
        number_at=() if best is None else ("rows", result.rows.index(best), "utility", "loss"),
    )


def _tables(result: "Comparison") -> list[Table]:
    """Every setting that ran: what it protects, and what it loses."""
    ran = [row for row in result.rows if not row.problem]
    protects = [
        (
            *_named(row),
            "yes" if result.reaches(row) else "no",
            "yes" if row in result.frontier else "no",
            *(form(row.privacy.get(name)) for name, form in PROTECTS.values()),
        )
        for row in ran
    ]
    loses = [(*_named(row), *(form(row.utility[name]) for name, form in LOSES.values())) for row in ran]
    head = ("method", "setting")
    return [
        Table(
            (*head, "reaches the target", "on the frontier", *PROTECTS),
            protects,
            f"What every setting protects: shares of {several(result.people, 'person', 'people')} in the release; "
            "up to: the upper end that is judged; all known: guessed rightly if everything published is "
            "known; rejoined: neighbouring pieces, if something was cut.",
        ),
        Table((*head, *LOSES), loses, "What every setting loses, from 0 (nothing) to 1 (everything)."),
        *_remarks(ran),
    ]


def _named(row: "Row") -> tuple[str, str]:
    return (row.setting, "") if row.untouched else ("visits" if row.method == "none" else row.method, row.setting)


def _remarks(rows: "Sequence[Row]") -> list[Table]:
    """Why settings miss the target, what they drop, and what their numbers do not promise."""
    remarks = [(*_named(row), "; ".join(filter(None, (*row.missed, row.drops, row.note)))) for row in rows]
    remarks = [line for line in remarks if line[-1]]
    return [Table(("method", "setting", "remark"), remarks, "What to know about each setting.")] if remarks else []


def _problems(result: "Comparison") -> list[Table]:
    failed = [(row.method, row.setting, row.problem) for row in result.rows if row.problem]
    return [Table(("method", "setting", "why"), failed, "Settings that could not run.")] if failed else []


def _grain(result: "Comparison") -> str:
    return (
        f"cut and lkc are given visits to cells of {result.cell_m:,} m in slots of {result.slot_min} min (lkc the cell "
        "with most samples of each slot), the others samples of 100 m and 1 min or their centres."
    )


def _frontier(result: "Comparison") -> Lines:
    """Risk against loss; what is above and right of the dashed steps is beaten."""
    ran, words = [row for row in result.rows if row.published], result.target.words
    at = [(row.loss, result.target.distance(row.privacy)) for row in result.frontier]
    steps = Line("frontier", [at[0][0], *(x for x, _ in at), 1.0], [1.0, *(y for _, y in at), at[-1][1]], style="step")
    points = "; ".join(
        f"{row}: loss {row.loss:.2f}, {percent(result.target.distance(row.privacy), 0)} {words}"
        f"{', reaches the target' if result.reaches(row) else ''}"
        f"{', on the frontier' if row in result.frontier else ''}"
        for row in ran
    )
    return Lines(
        "frontier",
        "loss of detail",
        f"share {words}",
        (*_by_method(ran, result.target.measure), steps),
        f"Risk against loss of detail (n = {several(result.people, 'person', 'people')}, "
        f"{several(result.points, 'known sample')} each); the target is {result.target}; no setting is below the "
        "frontier.",
        levels={} if result.target.k else {"target": float(result.target.limit)},
        words=f"Share of people {words} against the loss. {points}.",
    )


def _crowds(result: "Comparison") -> Lines:
    """The median crowd against the loss."""
    ran = [row for row in result.rows if row.published]
    points = "; ".join(f"{row}: loss {row.loss:.2f}, {_number(row.privacy['crowd_median'])} people" for row in ran)
    return Lines(
        "crowds",
        "loss of detail",
        "people in the median crowd",
        tuple(_by_method(ran, "crowd_median")),
        f"People in the median crowd against loss of detail (n = {several(result.people, 'person', 'people')}).",
        share=False,
        scale_y="log",
        words=f"People in the median crowd against the loss. {points}.",
    )


def _by_method(rows: "Sequence[Row]", name: str) -> list[Line]:
    """A line for each method through its settings, in the order of their loss."""
    lines = []
    for method in dict.fromkeys(row.method for row in rows):
        mine = sorted((row for row in rows if row.method == method), key=lambda row: row.loss)
        known = [(row.loss, value) for row in mine if (value := row.privacy[name]) is not None]
        label = "no method" if method == "none" else method
        if known:
            lines.append(Line(label, [x for x, _ in known], [y for _, y in known]))
    return lines

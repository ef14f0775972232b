"""Sections about LKC-privacy: what one suppression did, and what it costs as the parameters move."""

from typing import TYPE_CHECKING

from incrowd.anonymize.lkc import LkcCost, LkcRun
from incrowd.measure.lkc.suppression import Suppression
from incrowd.report.section import Drawing, Grid, Section, section
from incrowd.report.style import COLOURS, MUTED, canvas, end_labels, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXES = {
    "l": "visits an adversary may know, L",
    "k": "people who must share them, K",
    "c": "largest share of them with one sensitive value, C",
    "min_support": "people who make a pattern frequent, K'",
}
NAMES = {"l": "L", "k": "K", "c": "C", "min_support": "K'"}
GREEDY = (
    "Pairs of cell and slot are suppressed everywhere, the highest PrivGain / (UtilityLoss + 1) first, until "
    "whoever knows L visits of a person finds at least K people, of whom at most a share C have one sensitive value."
)
PATTERN = "A pattern is a maximal frequent sequence: visits that K' people or more share and that cannot be extended."


@section.register
def _cost(result: LkcCost) -> Section:
    best = max(result.runs, key=lambda run: run.preserved_share)
    worst = min(result.runs, key=lambda run: run.preserved_share)
    return Section(
        question=f"What does LKC-privacy cost on {result.name}?",
        answer=(
            f"Between {worst.preserved_share:.0%} and {best.preserved_share:.0%} of the frequent patterns survive, "
            f"with {_spread(result)} of the visits suppressed."
        ),
        number=f"{worst.preserved_share:.0%}",
        number_of="of the patterns kept in the hardest setting",
        drawings=[_along(result, parameter) for parameter in AXES if len(result.along(parameter)) > 1],
        tables=[_runs(result)],
        method=[
            f"{GREEDY} Scores are {result.scores}; the choice is greedy, so a harder setting may happen to keep more.",
            PATTERN,
            *(["The sensitive attribute is synthetic."] if result.sensitive == "synthetic" else []),
        ],
        data=result,
        references=("mohammed2009",),
    )


@section.register
def _suppression(result: Suppression) -> Section:
    before, kept = len(result.frequent_before), result.preserved
    return Section(
        question="What did the suppression take away?",
        answer=(
            f"{len(result.items):,} of {len(result.violating.cell):,} pairs of cell and slot break all "
            f"{len(result.violating):,} violating sequences; {kept:,} of {before:,} patterns are untouched."
        ),
        number=f"{result.preserved_share:.0%}",
        number_of="of the frequent patterns kept",
        drawings=[_rounds(result)] if len(result.items) else [],
        method=[
            f"{GREEDY} Scores are {result.scores}.",
            f"{PATTERN} After the suppression {len(result.frequent_after):,} of them are left or have become maximal.",
        ],
        data=result,
        references=("mohammed2009",),
    )


def _spread(result: LkcCost) -> str:
    shares = [run.suppressed_visits for run in result.runs]
    return f"{min(shares):.0%} to {max(shares):.0%}"


def _along(result: LkcCost, parameter: str) -> Drawing:
    runs = sorted(result.along(parameter), key=lambda run: float(getattr(run, parameter)))
    with canvas(height_in=2.8) as (figure, axes):
        _draw_along(axes, runs, parameter)
        drawing = svg(figure)
    fixed = ", ".join(f"{name} = {getattr(runs[0], key)}" for name, key in _others(parameter))
    points = "; ".join(
        f"{getattr(run, parameter)}: {run.preserved_share:.2f} kept, {run.suppressed_visits:.2f} suppressed"
        for run in runs
    )
    caption = f"Cost against {AXES[parameter]} (n = {result.users:,} records, {fixed})."
    return Drawing(drawing, caption, f"Two lines against {AXES[parameter]}: {points}.")


def _others(parameter: str) -> list[tuple[str, str]]:
    return [(name, key) for key, name in NAMES.items() if key != parameter]


def _draw_along(axes: "Axes", runs: list[LkcRun], parameter: str) -> None:
    at = [float(getattr(run, parameter)) for run in runs]
    lines = (
        ("patterns kept", [run.preserved_share for run in runs], COLOURS[0]),
        ("visits suppressed", [run.suppressed_visits for run in runs], COLOURS[1]),
    )
    for _, shares, colour in lines:
        axes.plot(at, shares, marker="o", color=colour)
    end_labels(axes, [(at[-1], shares[-1], text, colour) for text, shares, colour in lines])
    axes.set_xticks(at, [f"{value:g}" for value in at])
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(AXES[parameter])
    axes.set_ylabel("share")


def _rounds(result: Suppression) -> Drawing:
    from matplotlib.ticker import MaxNLocator

    left = [len(result.violating), *(len(result.violating) - result.gains.cumsum()).tolist()]
    with canvas(height_in=2.6) as (figure, axes):
        axes.step(range(len(left)), left, where="post", color=COLOURS[0])
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.set_ylim(0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("pairs suppressed")
        axes.set_ylabel("violating sequences left")
        drawing = svg(figure)
    alt = f"Violating sequences left after each of {len(left) - 1:,} suppressed pairs, from {left[0]:,} to 0."
    return Drawing(drawing, f"Violating sequences left, round by round (n = {len(result.violating):,}).", alt)


def _runs(result: LkcCost) -> Grid:
    suppressed = ("pairs suppressed", "visits suppressed", "users emptied")
    head = ("varied", "L", "K", "C", "K'", "violating", *suppressed, "patterns", "kept")
    rows = [
        (
            NAMES.get(run.varied, run.varied),
            str(run.l),
            str(run.k),
            f"{run.c:g}",
            str(run.min_support),
            f"{run.violating:,}",
            f"{run.suppressed_pairs:,} of {result.pairs:,}",
            f"{run.suppressed_visits:.1%}",
            f"{run.users_without_visit:,}",
            f"{run.frequent_before:,}",
            f"{run.preserved_share:.1%}",
        )
        for run in result.runs
    ]
    return Grid(head, rows, "Every run.")

"""Sections about linkability and inference: pieces re-linked, datasets linked, homes inferred, cuts planned."""

from typing import TYPE_CHECKING

from incrowd.assess._plan import Plan
from incrowd.attack import HomeWork, Linkage, Relinked
from incrowd.measure import Uniqueness
from incrowd.plain import percent, several
from incrowd.report.section import Drawing, Grid, Section, section
from incrowd.report.style import COLOURS, MUTED, canvas, end_labels, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

JOINING = (
    "Pieces of neighbouring windows are paired so that the information gain, in bits, is least in total, an optimal "
    "assignment [xu2017, Eqs. 3 and 4]; pairs without a common cell are left apart. The attacker sees the release only."
)
KNOWN_BEFORE = (
    "Somebody who knew a few points of a person's whole trajectory finds that person if the points that fall into one "
    "published piece, or one chain of joined pieces, are in no other. People with fewer points are left out."
)
RANKING = (
    "Candidates are ranked by the visits they share with the known trace; each counts -log2 of the share of people who "
    "were there too, so rare places count more. Ties are settled in expectation. The attacker knows the whole trace "
    "and that the same cells and slots are used; candidates with many visits meet more of them by chance."
)


@section.register
def _relinked(result: Relinked) -> Section:
    score = result.score
    if score is None:
        answer = (
            f"{result.joins:,} joins make {result.chains:,} chains of {result.pieces:,} pieces; nobody told the truth."
        )
    else:
        answer = (
            f"{score.right:,} of {score.neighbours:,} pairs of consecutive pieces of one person are joined "
            f"({percent(score.share)}, {percent(score.chance)} by chance), {percent(score.precision)} of all joins "
            f"are right, and {score.restored:,} of {score.several:,} people with several pieces are whole again."
        )
    tables = [_singled_out(result.uniqueness)]
    if score is not None:
        rows = [(name, percent(risk.value), f"{risk.population:,}") for name, risk in score.known_before.items()]
        caption = f"People found by {result.points} random points known before the cut."
        tables.insert(0, Grid(("among", "singled out", "people"), rows, caption))
    return Section(
        question="Can the pieces be linked again?",
        answer=answer,
        number=f"{result.joins:,}" if score is None else percent(score.share),
        number_of="joins" if score is None else "of neighbours rejoined",
        tables=tables,
        method=[
            JOINING,
            KNOWN_BEFORE,
            "Chance makes as many joins between the same windows at random.",
            "Whoever is absent for a window ends a chain. A better attack may exist: the risk is at least this.",
        ],
        data=result,
    )


@section.register
def _linkage(result: Linkage) -> Section:
    answer = "None of the known people is among the candidates."
    if not result.told:
        answer = (
            f"Candidates were ranked; no link file was given, so matches cannot be scored: {result.claimed:,} of "
            f"{result.known:,} known people "
            "have a best candidate strictly ahead of the second, right or wrong. Give the link file to score them."
        )
    if result.hit[1] is not None:
        answer = (
            f"The right candidate of {result.target:,} comes first for {percent(result.hit[1])} of {result.scored:,} "
            f"people and is among the first 10 for {percent(result.hit[10])}; by chance it would be "
            f"{percent(result.chance[1])} and {percent(result.chance[10])}."
        )
    rows = [(f"among the first {k}", percent(result.hit[k]), percent(result.chance[k])) for k in result.hit]
    rows.append(("median rank", _number(result.median_rank), _number(result.chance_median_rank)))
    rows.append(("claims that are right", percent(result.claims_right), ""))
    span = result.interval
    return Section(
        question="Can the people of two datasets be matched?",
        answer=answer,
        number=percent(result.hit[1]),
        number_of="of people matched at once",
        tables=[Grid(("", "attack", "chance"), rows)],
        method=[
            RANKING,
            f"Visits match within {result.tolerance_slots} slots{_period(result)} and {result.tolerance_m:g} m. "
            f"{result.without:,} "
            f"known people have no counterpart and are left out of the shares, {result.silent:,} meet no candidate. A "
            f"claim is a best candidate strictly ahead of the second: {result.claimed:,} of {result.known:,}."
            + (f" The link file does not name {result.untold:,} of the candidates." if result.untold else "")
            + (f" 95 % interval of the first share: {span[0]:.1%} to {span[1]:.1%}." if span else ""),
        ],
        data=result,
    )


@section.register
def _home_work(result: HomeWork) -> Section:
    rows = [(str(size), percent(share)) for size, share in sorted(result.pair_crowds.items())[:10]]
    right = "" if result.home_right is None else f" {percent(result.home_right)} of the homes are right."
    return Section(
        question="Do homes and workplaces give people away?",
        answer=(
            f"A home can be named for {result.home_known:.1%} of {result.people:,} people, home and work for "
            f"{result.both_known:.1%}; {result.pair_unique:.1%} of all people share that pair with nobody.{right}"
        ),
        number=f"{result.pair_unique:.1%}",
        number_of="alone with their home and work",
        tables=[
            Grid(("people with the same pair", "share of people whose pair is known"), rows, "The smallest crowds.")
        ],
        method=[
            f"Home is the cell with most slots that begin between {_hours(result.night_h)}.",
            f"Work is the cell with most between {_hours(result.work_h)} on working days, home aside.",
            f"Hours are those of {result.time_zone}.",
            f"A cell counts from {several(result.min_visits, 'slot')} on; ties go to the smaller cell.",
        ],
        data=result,
    )


@section.register
def _plan(result: Plan) -> Section:
    head = (
        "window",
        "pieces",
        "singled out",
        "after re-linking",
        "neighbours rejoined",
        "chance",
        "restored",
        "moves kept",
    )
    rows = [
        (
            cut.name,
            f"{cut.pieces:,}",
            *map(percent, (cut.singled_out, cut.relinked, cut.rejoined, cut.chance)),
            f"{cut.restored:,}" if cut.window_h is not None else "",
            percent(cut.moves_kept),
        )
        for cut in result.cuts
    ]
    return Section(
        question="How short must windows be for cutting to protect?",
        answer=result.verdict,
        number=result.longest,
        number_of="is the longest window that meets the target",
        drawings=[_planned(result)],
        tables=[Grid(head, rows, f"{several(result.points, 'point')}; {result.who}; {result.records:,} visits.")],
        method=[
            KNOWN_BEFORE,
            JOINING,
            "A move is a pair of consecutive visits in different cells; a cut between loses it.",
        ],
        data=result,
        references=("song2014",),
    )


def _planned(result: Plan) -> Drawing:
    with canvas() as (figure, axes):
        _draw_plan(axes, result)
        drawing = svg(figure)
    points = "; ".join(
        f"{cut.name}: singled out {percent(cut.singled_out)}, after re-linking {percent(cut.relinked)}, neighbours "
        f"rejoined {percent(cut.rejoined)}, moves kept {percent(cut.moves_kept)}"
        for cut in result.cuts
    )
    caption = (
        f"Risk and utility against the window (n = {result.users:,} people, {several(result.points, 'point')} known "
        f"before the cut; dashed: the target of {result.limit})."
    )
    return Drawing(drawing, caption, f"Lines against window length: {points}.")


def _draw_plan(axes: "Axes", result: Plan) -> None:
    lines = {
        "singled out": [cut.singled_out for cut in result.cuts],
        "after re-linking": [cut.relinked for cut in result.cuts],
        "neighbours rejoined": [cut.rejoined for cut in result.cuts],
        "moves kept": [cut.moves_kept for cut in result.cuts],
    }
    ends = []
    for colour, (label, shares) in zip(COLOURS, lines.items(), strict=False):
        points = [(x, share) for x, share in enumerate(shares) if share is not None]
        if points:
            axes.plot(*zip(*points, strict=True), color=colour, marker="o", markersize=4)
            ends.append((*points[-1], label, colour))
    axes.axhline(result.target, color=MUTED, linestyle="--", linewidth=1)
    axes.set_xticks(range(len(result.cuts)), [cut.name for cut in result.cuts])
    axes.set_xlabel("window")
    axes.set_ylabel("share")
    axes.set_ylim(0, 1.02)
    if ends:
        end_labels(axes, ends)


def _singled_out(results: tuple[Uniqueness, ...]) -> Grid:
    """One row per question, one column per kind of trajectory."""
    labels = list(dict.fromkeys(risk.label for risk in results))
    by_name: dict[str, dict[str, str]] = {}
    for risk in results:
        name = f"top {risk.points}" if risk.knowledge == "top" else f"{risk.points} random points, short: {risk.short}"
        by_name.setdefault(name, {})[risk.label] = percent(risk.value)
    rows = [(name, *(shares.get(label, "-") for label in labels)) for name, shares in by_name.items()]
    return Grid(("singled out by", *labels), rows, "Uniqueness within each kind of trajectory by itself.")


def _period(result: Linkage) -> str:
    return "" if result.period_slots is None else f" of a period of {result.period_slots:,}"


def _hours(hours: tuple[float, float]) -> str:
    return f"{hours[0]:g} and {hours[1]:g} h"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"

"""[xu2017, Sec. 4]: Figures 4 to 7, where people are by night, where they go next, and how alike their days are."""

from collections.abc import Sequence

import numpy as np

from incrowd.arrays import Floats
from incrowd.measure.regularity import day_gains, moves, nights
from incrowd.papers.record import OTHER, Figure, Statement, apart, claim
from incrowd.papers.xu2017.data import (
    LIMIT_M,
    NIGHT_TOP,
    ONE_TOWER,
    WITHIN,
    Printed,
    Scene,
    convention,
    crowd,
    listed,
    named,
    people,
    theirs,
)
from incrowd.plain import percent
from incrowd.show import Cdf, Line, Lines, curve

MOST_CELLS = 6  # of a night that are drawn
BINS = 10  # of the gain in Figure 7
FILLED = "Slots without a record are interpolated between the slots that have one."


def figure_4(scenes: Sequence[Scene]) -> Figure:
    """Towers visited in a night [xu2017, Fig. 4]."""
    by_scene = {scene.name: nights(scene.truth) for scene in scenes}
    at = tuple(float(k) for k in range(1, MOST_CELLS + 1))
    lines = [
        Line(name, at, tuple(float((night.cells == k).mean()) for k in range(1, MOST_CELLS + 1)))
        for name, night in by_scene.items()
    ]
    statements: list[Statement] = []
    for scene in scenes:
        night = by_scene[scene.name]
        statements += people(scene, "Sec. 4.2", "nights at one tower", ONE_TOWER, night.one_cell)
        statements.append(
            apart(
                "Sec. 4.2",
                named(scene, "people at one tower in all nights together"),
                "62 % or 88 %, if so meant",
                "the text does not say whether nights count one by one",
                ours=percent(night.one_cell_ever, 0),
            )
        )
    return Figure(
        paper="xu2017",
        number="4",
        question="Do people stay in one place by night?",
        answer=f"Nights spent at one tower: {listed({name: night.one_cell for name, night in by_scene.items()})}.",
        panels=(
            Lines(
                "4",
                "towers in a night, 0 to 6 h",
                "share of nights",
                (*lines, *theirs(1, ONE_TOWER)),
                f"Towers a person visits in a night ({crowd(scenes)}, every night counts).",
            ),
        ),
        statements=tuple(statements),
        convention=convention(scenes, FILLED),
        users=sum(scene.users for scene in scenes),
    )


def figure_5(scenes: Sequence[Scene]) -> Figure:
    """Share of the night in its most visited towers [xu2017, Fig. 5]."""
    by_scene = {scene.name: nights(scene.truth, top=3).at_top for scene in scenes}
    first = {name: float(shares[0]) for name, shares in by_scene.items()}
    statements: list[Statement] = []
    for scene in scenes:
        ours = first[scene.name]
        statements += people(scene, "Sec. 4.2", "night in its top tower", NIGHT_TOP, ours)
        what, near = named(scene, "night in one place"), "89 % in Sec. 4.2 is not more than 90 % either"
        statements.append(claim("Sec. 1", what, "more than 90 %", percent(ours, 0), ours > 0.9, near))
    return Figure(
        paper="xu2017",
        number="5",
        question="How much of a night is spent in one place?",
        answer=f"Share of a night in its most visited tower: {listed(first)}.",
        panels=(
            Lines(
                "5",
                "most visited towers of a night counted",
                "share of the night",
                (*(Line(n, (1, 2, 3), tuple(s.tolist())) for n, s in by_scene.items()), *theirs(1, NIGHT_TOP)),
                f"Share of a night in its most visited towers ({crowd(scenes)}, mean over nights).",
            ),
        ),
        statements=tuple(statements),
        convention=convention(scenes, FILLED),
        users=sum(scene.users for scene in scenes),
    )


def figure_6(scenes: Sequence[Scene]) -> Figure:
    """Errors of the next place as the last step predicts it [xu2017, Fig. 6]."""
    near = {scene.name: within(scene) for scene in scenes}
    curves = [curve(scene.name, scene.predicted.ravel() / 1000) for scene in scenes]
    return Figure(
        paper="xu2017",
        number="6",
        question="Does the last step predict the next place?",
        answer=f"Predictions by day that are less than {_limits(scenes)} off: {listed(near)}.",
        panels=(
            Cdf(
                "6",
                "error of the predicted place (km)",
                "predictions",
                tuple(curves),
                f"Error of Eq. 2 by day ({crowd(scenes)}); lines begin at the share of exact predictions.",
                log=True,
            ),
        ),
        statements=tuple(statement for scene in scenes for statement in _errors(scene)),
        convention=convention(
            scenes,
            f"{FILLED} Interpolation draws lines of constant speed, which is what Eq. 2 predicts. Slots that begin "
            "from 6 h on are predicted.",
        ),
        users=sum(scene.users for scene in scenes),
    )


def _limits(scenes: Sequence[Scene]) -> str:
    kinds = {scene.kind for scene in scenes}
    both = "1,000 m (operator) or 500 m (application)"
    return "1,000 m" if kinds <= {"operator", None} else both


def limit_m(scene: Scene) -> int:
    """Up to where Figure 6 counts."""
    return LIMIT_M[scene.kind or "operator"]


def within(scene: Scene) -> float:
    """Share of the predictions by day that are less than the paper's limit off."""
    return near(scene.predicted, limit_m(scene))


def near(error: Floats, limit: float) -> float:
    """Share of the errors that are known and less than the limit."""
    known = error[~np.isnan(error)]
    return float((known < limit).mean()) if known.size else float("nan")


def _errors(scene: Scene) -> list[Statement]:
    ours, limit, where = within(scene), limit_m(scene), "Sec. 4.3"
    printed = Printed(WITHIN.operator, None) if scene.kind is None else WITHIN
    parts = (near(scene.predicted[flags], limit) for flags in (scene.observed, ~scene.observed))
    shares = ", ".join(percent(part, 0) for part in parts)
    why = "how much of the paper's accuracy comes from interpolated slots is not said"
    return [
        *people(scene, where, f"predictions less than {limit:,} m off", printed, ours),
        apart(where, named(scene, "the same where there is a record, and where not"), "-", why, shares),
        apart(
            where,
            named(scene, "steps by day that change the tower"),
            "-",
            "not printed",
            percent(moves(scene.truth), 0),
        ),
    ]


def figure_7(scenes: Sequence[Scene], *, seed: int) -> Figure:
    """Information gain of joining two days, of one person and of two [xu2017, Fig. 7]."""
    by_scene = {scene.name: day_gains(scene.truth, seed=seed) for scene in scenes if scene.days > 1}
    panels, statements = [], []
    for scene in scenes:
        if scene.name not in by_scene:
            statements.append(apart("Sec. 4.4", named(scene, "gain of two days"), "0 or 1", "needs two days"))
            continue
        gains = by_scene[scene.name]
        lines = [_histogram("same person", gains.same), _histogram("different people", gains.different)]
        caption = f"Information gain of joining adjacent days, {scene.name} (n = {gains.same.size:,} pairs of each)."
        panels.append(Lines(f"7-{scene.tag}", "information gain (bits)", "share of pairs", tuple(lines), caption))
        statements += _gains(scene, gains.same, gains.different)
    apart_by = {name: gains.own_day_closer for name, gains in by_scene.items()}
    return Figure(
        paper="xu2017",
        number="7",
        question="Is a person's day more like their own next day than like another's?",
        answer=(
            f"A person's own next day gains less than a stranger's in {listed(apart_by)} of comparisons."
            if by_scene
            else "The data hold one day only, so days cannot be compared."
        ),
        panels=tuple(panels),
        statements=tuple(statements),
        convention=convention(
            scenes,
            "Slots of a day in each tower make the distributions; logarithms are binary, so gains are between 0 and 1. "
            f"Strangers are drawn at random, one for each person and day. {FILLED} Bins are a tenth of a bit wide.",
        ),
        users=sum(scene.users for scene in scenes),
    )


def _histogram(label: str, values: Floats) -> Line:
    count, edges = np.histogram(values, np.linspace(0, 1, BINS + 1))
    middle = (edges[1:] + edges[:-1]) / 2
    return Line(label, tuple(middle.tolist()), tuple((count / values.size).tolist()))


def _gains(scene: Scene, same: Floats, different: Floats) -> list[Statement]:
    own, other = float(np.median(same)), float(np.median(different))
    why = "the days of these people share some of their places, not all"
    return [
        claim("Sec. 4.4", named(scene, "gain, same person"), "close to 0", f"median {own:.2f}", own < 0.25, why),
        claim(
            "Sec. 4.4", named(scene, "gain, different people"), "close to 1", f"median {other:.2f}", other > 0.75, OTHER
        ),
    ]

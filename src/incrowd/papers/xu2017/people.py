"""[xu2017, Sec. 3.2]: Figures 2 and 3, how regular and how unique people are before anybody attacks."""

from collections.abc import Mapping, Sequence

from incrowd.measure.regularity import top_shares
from incrowd.measure.uniqueness import uniqueness
from incrowd.measure.uniqueness.question import Knowledge
from incrowd.papers.record import OTHER, Figure, Statement, apart, claim
from incrowd.papers.xu2017.data import (
    CALM,
    CITIES_SAID,
    FIXED,
    TOP_1,
    TOP_5,
    UNIQUE_2,
    UNIQUE_3,
    UNIQUE_5,
    Printed,
    Scene,
    few,
    named,
    people,
)
from incrowd.plain import percent
from incrowd.show import Line, Lines

TOP = 5
STRATEGIES: dict[Knowledge, str] = {"top": "Top-K", "random": "Rand-K", "consecutive": "Cont-K"}


def crowd(scenes: Sequence[Scene]) -> str:
    """How many people a figure shows."""
    sizes = sorted({scene.users for scene in scenes})
    each = " each" if len(scenes) > 1 else ""
    return f"n = {' or '.join(f'{size:,}' for size in sizes)} people{each}"


def convention(scenes: Sequence[Scene], text: str) -> str:
    """With how the made-up cities came about."""
    return f"{text} {CITIES_SAID}" if scenes[0].kind else text


def listed(values: dict[str, float]) -> str:
    """Shares by city, in words."""
    return ", ".join(
        f"{percent(value, 0)} ({name})" if len(values) > 1 else percent(value, 0) for name, value in values.items()
    )


def theirs(at: float, printed: Printed) -> list[Line]:
    """What the paper prints at one place of the axis."""
    return [Line(f"paper: {kind}", (at,), (value,), style="hollow") for kind, value in printed.known()]


def figure_2(scenes: Sequence[Scene]) -> Figure:
    """Share of the records in each person's most visited towers [xu2017, Fig. 2]."""
    by_scene = {scene.name: top_shares(scene.records, top=TOP) for scene in scenes}
    at = tuple(float(k) for k in range(1, TOP + 1))
    lines = [Line(name, at, tuple(shares.tolist())) for name, shares in by_scene.items()]
    printed = [Line("paper: operator", (1, 5), (TOP_1.operator, TOP_5.operator), style="hollow"), *theirs(1, TOP_1)[1:]]
    statements: list[Statement] = []
    for scene in scenes:
        first, fifth = by_scene[scene.name][[0, 4]].tolist()
        statements += people(scene, "Sec. 3.2", "records in the top tower", TOP_1, first)
        statements += people(scene, "Sec. 3.2", "records in the top five towers", TOP_5, fifth)
        if scene.kind != "operator":
            what = named(scene, "records in the top five towers" if scene.kind else "the same, application dataset")
            why = OTHER if scene.kind is None else FIXED
            statements.append(claim("Sec. 3.2", what, "almost always", percent(fifth, 0), fifth >= 0.95, why))
    return Figure(
        paper="xu2017",
        number="2",
        question="How regular are people?",
        answer=f"Records in a person's most visited tower: {listed({n: float(s[0]) for n, s in by_scene.items()})}.",
        panels=(
            Lines(
                "2",
                "most visited towers counted",
                "share of records",
                (*lines, *printed),
                f"Records in a person's most visited towers, mean over people ({crowd(scenes)}).",
            ),
        ),
        statements=tuple(statements),
        convention=convention(
            scenes, "A record is a visit as finely as the data tell times, here at most one a minute."
        ),
        users=sum(scene.users for scene in scenes),
    )


def figure_3(scenes: Sequence[Scene], *, seed: int) -> Figure:
    """People identified by K of their points, by how these are chosen [xu2017, Fig. 3]."""
    by_scene = {scene.name: {how: _unique(scene, how, seed) for how in STRATEGIES} for scene in scenes}
    at = tuple(float(k) for k in range(1, TOP + 1))
    panels = []
    for scene in scenes:
        lines = [Line(STRATEGIES[how], at, tuple(values)) for how, values in by_scene[scene.name].items()]
        if scene.kind != "application":
            lines.append(Line("paper: Top-K, operator", (3, 5), (UNIQUE_3.operator, UNIQUE_5), style="hollow"))
        caption = f"People identified by K points, {scene.name} ({crowd([scene])}, one draw each)."
        panels.append(Lines(f"3-{scene.tag}", "K points known", "share identified", tuple(lines), caption))
    tops = {name: values["top"][2] for name, values in by_scene.items()}
    return Figure(
        paper="xu2017",
        number="3",
        question="How many people are identified by a few of their points?",
        answer=f"By their three most visited towers: {listed(tops)}.",
        panels=tuple(panels),
        statements=tuple(statement for scene in scenes for statement in _statements(scene, by_scene[scene.name])),
        convention=convention(
            scenes,
            "Top-K are the places of most slots, ties to the lower number, compared as sets with the Top-K of the "
            "others; Rand-K and Cont-K are points in space and time that nobody else has all of. Points are the slots "
            "with a record. The paper names no rule of comparison.",
        ),
        users=sum(scene.users for scene in scenes),
    )


def _unique(scene: Scene, how: Knowledge, seed: int) -> list[float]:
    risks = (uniqueness(scene.seen, points=k, knowledge=how, seed=seed).value for k in range(1, TOP + 1))
    return [float("nan") if value is None else value for value in risks]


def _statements(scene: Scene, values: Mapping[Knowledge, list[float]]) -> list[Statement]:
    where, top = "Sec. 3.2", values["top"]
    below = all(rates[k] > top[k] for how, rates in values.items() if how != "top" for k in (0, 1))
    shares = ", ".join(f"{STRATEGIES[how]} {percent(values[how][1], 0)}" for how in STRATEGIES)
    less = "points at one time are shared by more people here than sets of places, and consecutive ones repeat a place"
    what = named(scene, "unique by Top-5 towers")
    return [
        *people(scene, where, "unique by Top-3 towers", UNIQUE_3, top[2], few(scene)),
        claim(where, what, f"above {percent(UNIQUE_5, 0)}", percent(top[4], 0), top[4] > UNIQUE_5, _alike(scene)),
        claim(where, named(scene, "Rand-K and Cont-K above Top-K, K < 3"), "yes", f"K = 2: {shares}", below, less),
        apart(
            "Figs. 3, 8c",
            named(scene, "Top-3 of the originals, Top-2 of the recovered"),
            f"{percent(UNIQUE_3.operator, 0)}, {percent(UNIQUE_2, 0)}",
            "the paper contradicts itself unless recovered people are rarer than real ones",
            ours=f"{percent(top[2], 0)}, {percent(scene.score.uniqueness[2], 0)}",
        ),
    ]


def _alike(scene: Scene) -> str:
    return OTHER if scene.kind is None else CALM if scene.calm else FIXED

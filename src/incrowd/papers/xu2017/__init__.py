"""[xu2017]: its figures on any dataset, and what its text says beside what the data say."""

from collections.abc import Iterator, Mapping, Sequence

from incrowd.data import Visits
from incrowd.errors import public
from incrowd.measure.regularity import top_shares
from incrowd.measure.uniqueness import uniqueness
from incrowd.measure.uniqueness.question import Knowledge
from incrowd.papers.record import FACTOR, OTHER, Figure, Reproduction, Statement, apart, claim, sized
from incrowd.papers.xu2017.attack import figure_8
from incrowd.papers.xu2017.crowds import figure_11
from incrowd.papers.xu2017.data import (
    CITIES,
    FIXED,
    KINDS,
    PEOPLE,
    PRINTED_DAYS,
    RECORDS,
    TOP_1,
    TOP_5,
    UNIQUE_2,
    UNIQUE_3,
    UNIQUE_5,
    Scene,
    alike,
    convention,
    crowd,
    few,
    given,
    listed,
    made_up,
    named,
    people,
    theirs,
)
from incrowd.papers.xu2017.factors import figure_9, figure_10
from incrowd.papers.xu2017.moves import figure_4, figure_5, figure_6, figure_7
from incrowd.plain import percent
from incrowd.read.city.people import ProfileName
from incrowd.show import Line, Lines

TOP = 5
STRATEGIES: dict[Knowledge, str] = {"top": "Top-K", "random": "Rand-K", "consecutive": "Cont-K"}


def tables_1_2(scenes: Sequence[Scene]) -> Figure:
    """People, days and records per person; what other operators released, and five drawn people, stand aside."""
    users, records = (sum(values) for values in zip(*((s.users, s.records.records) for s in scenes), strict=True))
    return Figure(
        paper="xu2017",
        number="Tables 1 and 2 and Figure 1",
        question="What is in the data?",
        answer=f"{users:,} people with {records / max(users, 1):,.0f} records each.",
        panels=(),
        statements=(
            *(statement for scene in scenes if not scene.calm for statement in _features(scene)),
            apart("Table 1", "data that operators released", "five releases", "about other data, none of them here"),
            apart("Fig. 1", "five people on two days", "a drawing", "nobody's trajectory is drawn here"),
        ),
        convention="A record is a visit as finely as the data tell times. Calm cities have as many people and days.",
        users=users,
    )


def _features(scene: Scene) -> Iterator[Statement]:
    why = OTHER if scene.kind is None else f"a made-up city of {scene.users:,} people and {scene.days:,} days"
    each = scene.records.records / max(scene.users, 1)
    for kind in KINDS if scene.kind is None else (scene.kind,):
        of = f", {kind} dataset" if scene.kind is None else ""
        for what, stated, ours in (
            ("people", PEOPLE, scene.users),
            ("days", PRINTED_DAYS, scene.days),
            ("records per person", RECORDS, round(each)),
        ):
            near = stated[kind] / FACTOR <= ours <= stated[kind] * FACTOR
            yield sized("Table 2", named(scene, f"{what}{of}"), f"{stated[kind]:,}", f"{ours:,}", near, why)


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
        claim(where, what, f"above {percent(UNIQUE_5, 0)}", percent(top[4], 0), top[4] > UNIQUE_5, alike(scene)),
        claim(where, named(scene, "Rand-K and Cont-K above Top-K, K < 3"), "yes", f"K = 2: {shares}", below, less),
        apart(
            "Figs. 3, 8c",
            named(scene, "Top-3 of the originals, Top-2 of the recovered"),
            f"{percent(UNIQUE_3.operator, 0)}, {percent(UNIQUE_2, 0)}",
            "the paper contradicts itself unless recovered people are rarer than real ones",
            ours=f"{percent(top[2], 0)}, {percent(scene.score.uniqueness[2], 0)}",
        ),
    ]


__all__ = [
    "figure_2",
    "figure_3",
    "figure_4",
    "figure_5",
    "figure_6",
    "figure_7",
    "figure_8",
    "figure_9",
    "figure_10",
    "figure_11",
    "reproduce",
    "tables_1_2",
]


@public
def reproduce(
    data: Visits | None = None,
    *,
    name: str = "the data",
    quick: bool = False,
    full: bool = False,
    seed: int = 0,
    cities: Sequence[ProfileName] = CITIES,
) -> Reproduction:
    """The tables and figures of the paper, each of its statements beside what these data say.

    People of two of the synthetic cities move as the text says, and the attack fails on them; on two calmer cities it
    succeeds.

    Args:
        data: Visits with places and with slots that divide 6 hours; four synthetic cities if None.
        name: What a report calls the data.
        quick: Take a few hundred people and two days, which takes seconds.
        full: Make up as many people and days as the paper has; other readings of the text
            (Figure 8) and longer slots (Figure 10) are left to the usual size.
        seed: Seed of every random choice.
        cities: Which of the made-up cities.
    """
    if data is None:
        scenes, name = made_up(cities, quick=quick, full=full, seed=seed), "synthetic cities"
    else:
        scenes = [given(data, name=name, quick=quick, seed=seed)]
    figures = (
        tables_1_2(scenes),
        figure_2(scenes),
        figure_3(scenes, seed=seed),
        figure_4(scenes),
        figure_5(scenes),
        figure_6(scenes),
        figure_7(scenes, seed=seed),
        figure_8(scenes, readings=not full),
        figure_9(scenes),
        *([] if full else [figure_10(scenes)]),
        figure_11(scenes),
    )
    users, records = (sum(values) for values in zip(*((s.users, s.records.records) for s in scenes), strict=True))
    return Reproduction("xu2017", "Trajectories from counts", name, users, records, figures)

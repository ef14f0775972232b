"""[xu2017]: its figures on any dataset, and what its text says beside what the data say."""

from collections.abc import Iterator, Sequence

from incrowd.data import Visits
from incrowd.errors import public
from incrowd.papers.record import FACTOR, OTHER, Figure, Reproduction, Statement, apart, claim
from incrowd.papers.xu2017.attack import figure_8
from incrowd.papers.xu2017.data import KINDS, PEOPLE, PRINTED_DAYS, RECORDS, Scene, given, made_up, named
from incrowd.papers.xu2017.factors import figure_9, figure_10, figure_11
from incrowd.papers.xu2017.moves import figure_4, figure_5, figure_6, figure_7
from incrowd.papers.xu2017.people import figure_2, figure_3

SMALLER = "a smaller and shorter city, made up"


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
    why = OTHER if scene.kind is None else SMALLER
    each = scene.records.records / max(scene.users, 1)
    for kind in KINDS if scene.kind is None else (scene.kind,):
        of = f", {kind} dataset" if scene.kind is None else ""
        for what, theirs, ours in (
            ("people", PEOPLE, scene.users),
            ("days", PRINTED_DAYS, scene.days),
            ("records per person", RECORDS, round(each)),
        ):
            near = theirs[kind] / FACTOR <= ours <= theirs[kind] * FACTOR
            yield claim("Table 2", named(scene, f"{what}{of}"), f"{theirs[kind]:,}", f"{ours:,}", near, why)


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
    data: Visits | None = None, *, name: str = "the data", quick: bool = False, seed: int = 0
) -> Reproduction:
    """The tables and figures of the paper, each of its statements beside what these data say.

    People of two of the synthetic cities move as the text says, and the attack fails on them; on two calmer cities it
    succeeds.

    Args:
        data: Visits with places and with slots that divide 6 hours; four synthetic cities if None.
        name: What a report calls the data.
        quick: Take a few hundred people and two days, which takes seconds.
        seed: Seed of every random choice.
    """
    if data is None:
        scenes, name = made_up(quick=quick, seed=seed), "synthetic cities"
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
        figure_8(scenes),
        figure_9(scenes),
        figure_10(scenes),
        figure_11(scenes),
    )
    users, records = (sum(values) for values in zip(*((s.users, s.records.records) for s in scenes), strict=True))
    return Reproduction("xu2017", "Trajectories from counts", name, users, records, figures)

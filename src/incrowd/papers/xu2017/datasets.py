"""[xu2017, Secs. 2 and 3.1]: Tables 1 and 2 and Figure 1, what the data are."""

from collections.abc import Iterator, Sequence

from incrowd.papers.record import FACTOR, OTHER, Figure, Statement, apart, claim
from incrowd.papers.xu2017.data import Scene
from incrowd.papers.xu2017.printed import KINDS, PEOPLE, named

DAYS = {"operator": 7, "application": 14}  # [xu2017, Table 2]
RECORDS = {"operator": 261, "application": 496}  # per user
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
            *(said for scene in scenes if not scene.calm for said in _features(scene)),
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
            ("days", DAYS, scene.days),
            ("records per person", RECORDS, round(each)),
        ):
            near = theirs[kind] / FACTOR <= ours <= theirs[kind] * FACTOR
            yield claim("Table 2", named(scene, f"{what}{of}"), f"{theirs[kind]:,}", f"{ours:,}", near, why)

"""[xu2017, Sec. 5.3]: Figure 11, the attack among fewer people of the same city."""

from collections.abc import Sequence
from itertools import pairwise

from incrowd.attack.recover.score import RecoveryScore
from incrowd.data.table import some_people
from incrowd.papers.record import FACTOR, OTHER, Figure, Statement, apart, claim
from incrowd.papers.xu2017.attack import CONVENTION, attack
from incrowd.papers.xu2017.data import LARGE, SMALL, STABLE_2, Printed, Scene, attacked, convention, named
from incrowd.papers.xu2017.factors import TOPS, Scores, answered, panels_of
from incrowd.plain import percent
from incrowd.progress import track

SHARES = (0.1, 0.3)  # of the people
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)  # drawn of more


def figure_11(scenes: Sequence[Scene]) -> Figure:
    """The attack among fewer people of the same city [xu2017, Fig. 11]."""
    scores = {scene.name: _among(scene) for scene in track(scenes, "fewer people")}
    thousands = {name: {users / 1000: score for users, score in by_users.items()} for name, by_users in scores.items()}
    whole = {users // 1000: accuracy for users, accuracy in (SMALL, LARGE)}
    return Figure(
        paper="xu2017",
        number="11",
        question="Do larger crowds protect people?",
        answer=answered(scores, "from {:,.0f} people to {:,.0f}"),
        panels=panels_of("11", "people counted (thousands)", thousands, scenes, whole=whole, top={}),
        statements=tuple(statement for scene in scenes for statement in _crowd(scene, scores[scene.name])),
        convention=convention(scenes, f"{CONVENTION} Smaller crowds are drawn at random, each once."),
        users=sum(scene.users for scene in scenes),
    )


def _among(scene: Scene) -> dict[float, RecoveryScore]:
    scores: dict[float, RecoveryScore] = {float(scene.users): scene.score}
    parts = [max(round(part * scene.users), 2) for part in SHARES]
    for users in parts if scene.users <= SIZES[0] else [size for size in SIZES if size < scene.users]:
        sampled = some_people(scene.truth, people=users, seed=scene.seed)
        scores[float(len(sampled))] = attack(sampled, seed=scene.seed)
    return dict(sorted(scores.items()))


def _crowd(scene: Scene, scores: Scores) -> list[Statement]:
    where, sizes = "Sec. 5.3", list(scores)
    listed = " / ".join(f"{size:,.0f}" for size in sizes)
    right = [scores[size].accuracy for size in sizes]
    low = min(scores[size].uniqueness[k] for size in sizes for k in TOPS if k > 1)
    denser = "not a theorem: in a denser crowd wrong links lead to people more alike"
    small = f"of {sizes[0]:,.0f} people one is {percent(1 / sizes[0], 0)}"
    same = "people who hardly move share their few places" if scene.calm else OTHER
    what = named(scene, "Top-2 and Top-3 uniqueness")
    return [
        *([] if scene.kind == "application" else _at_sizes(scene, scores)),
        _all_fall(scene, f"accuracy among {listed} people", right, _turns(sizes, right) + denser),
        _all_fall(scene, f"Top-1 uniqueness among {listed} people", [scores[s].uniqueness[1] for s in sizes], small),
        claim(where, what, f"above {percent(STABLE_2, 0)}", f"at least {percent(low, 0)}", low > STABLE_2, same),
    ]


def _turns(sizes: Sequence[float], values: Sequence[float]) -> str:
    """Where a curve that falls at first begins to rise.

    >>> _turns([1000, 20_000, 100_000], [0.5, 0.3, 0.4])
    'it falls to 30 % among 20,000 people and rises again, to 40 % among 100,000; '
    """
    low = min(range(len(values)), key=values.__getitem__)
    if not 0 < low < len(values) - 1:
        return ""
    falls = f"it falls to {percent(values[low], 0)} among {sizes[low]:,.0f} people"
    return f"{falls} and rises again, to {percent(values[-1], 0)} among {sizes[-1]:,.0f}; "


def _at_sizes(scene: Scene, scores: Scores) -> list[Statement]:
    """The crowds for which the paper prints an accuracy."""
    statements: list[Statement] = []
    for users, printed in (SMALL, LARGE):
        what = f"all recovered, {users:,} people"
        near = [size for size in scores if users / FACTOR <= size <= users * FACTOR]
        if near:
            statements += attacked(scene, "Sec. 5.3", what, Printed(printed, None), scores[near[-1]].accuracy)
        else:
            why = f"the largest crowd here is {max(scores):,.0f}"
            statements.append(apart("Sec. 5.3", named(scene, what), percent(printed, 0), why))
    why, ours = "the paper contradicts itself: both are 100,000 people", percent(scores[max(scores)].accuracy, 0)
    return [*statements, apart("Figs. 8a, 11a", named(scene, "all people recovered"), "73 %, around 50 %", why, ours)]


def _all_fall(scene: Scene, what: str, values: Sequence[float], why: str) -> Statement:
    falls = " / ".join(percent(value) for value in values)
    return claim("Sec. 5.3", named(scene, what), "falls", falls, all(a >= b for a, b in pairwise(values)), why)

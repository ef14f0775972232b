"""[xu2017, Sec. 5.2]: Figure 8, what the attack gets right step by step, and what the text leaves open."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from incrowd.attack.recover import recover
from incrowd.attack.recover.score import FAR_M, RecoveryScore, recovery_score
from incrowd.data import Visits
from incrowd.discretize import counts
from incrowd.papers.record import NEAR, OTHER, Figure, Statement, apart, claim
from incrowd.papers.xu2017.data import (
    BETWEEN,
    FAR,
    FIXED,
    NIGHT,
    STAGES,
    UNIQUE_2,
    WHOLE,
    WITHIN,
    Scene,
    attacked,
    convention,
    crowd,
    listed,
    named,
)
from incrowd.papers.xu2017.moves import FILLED, limit_m, within
from incrowd.plain import percent
from incrowd.show import Cdf, Line, Lines, curve

TOP = 5
SLOWLY = 0.22  # the larger fall of Fig. 8a, from 95 % to 73 %
THETA_M = 1000.0  # of the paper's shortcut, which prints no number
CONVENTION = (
    "#1 are the nights, #2 whole days, each paired anew with the originals and averaged over days; #3 is all days "
    "joined. Links are optimal, ties are broken at random; recovered and original people are paired by the greatest "
    f"similarity left, over and over. {FILLED}"
)


def attack(
    truth: Visits,
    *,
    seed: int | None,
    pairing: Literal["global", "index", "optimal"] = "global",
    method: Literal["exact", "threshold"] = "exact",
    theta_m: float | None = None,
) -> RecoveryScore:
    """Count everybody, recover them from the counts and score that."""
    recovered = recover(counts(truth, start_min=0), method=method, theta_m=theta_m, seed=seed)
    return recovery_score(recovered, truth, pairing=pairing)


def figure_8(scenes: Sequence[Scene], *, readings: bool = True) -> Figure:
    """Accuracy by step, errors and uniqueness of the recovered [xu2017, Fig. 8]; and what other readings make of it."""
    right = {scene.name: scene.score.accuracy for scene in scenes}
    guess = {scene.name: scene.chance for scene in scenes}
    return Figure(
        paper="xu2017",
        number="8",
        question="Can trajectories be reconstructed from counts?",
        answer=f"Positions reconstructed: {listed(right)}. Guesses without attack: {listed(guess)}{_better(scenes)}.",
        panels=(_stages(scenes), _errors(scenes), _unique(scenes), _together(scenes)),
        statements=tuple(
            statement
            for scene in scenes
            for statement in (*_printed(scene), *(_not_printed(scene) if readings else ()), _both(scene))
        ),
        convention=convention(scenes, CONVENTION),
        users=sum(scene.users for scene in scenes),
    )


def _better(scenes: Sequence[Scene]) -> str:
    """Where the attack is worse than a guess."""
    worse = [scene.name for scene in scenes if scene.chance > scene.score.accuracy]
    return f": more than the attack on {' and '.join(worse)}" if worse else ""


def _stages(scenes: Sequence[Scene]) -> Lines:
    lines = [Line(s.name, (1, 2, 3), tuple(s.score.stages[stage] for stage in STAGES)) for s in scenes]
    printed = [
        Line(f"paper: {kind}", (1, 3), (night, whole), style="hollow")
        for (kind, night), (_, whole) in zip(NIGHT.known(), WHOLE.known(), strict=True)
    ]
    caption = f"Accuracy after each step: nights, days, all days joined ({crowd(scenes)}, one run)."
    return Lines("8a", "step of the attack", "share of points right", (*lines, *printed), caption)


def _errors(scenes: Sequence[Scene]) -> Cdf:
    curves = tuple(curve(scene.name, scene.score.errors / 1000) for scene in scenes)
    caption = f"Distance of recovered from true points ({crowd(scenes)}); lines begin at the share that is right."
    return Cdf("8b", "error of a recovered point (km)", "points", curves, caption, log=True)


def _unique(scenes: Sequence[Scene]) -> Lines:
    at = tuple(float(k) for k in range(1, TOP + 1))
    lines = [Line(s.name, at, tuple(s.score.uniqueness[k] for k in range(1, TOP + 1))) for s in scenes]
    lines.append(Line("paper: both", (2,), (UNIQUE_2,), style="hollow"))
    caption = f"Recovered people who are unique by their most visited towers ({crowd(scenes)})."
    return Lines("8c", "most visited towers known", "share identified", tuple(lines), caption)


def _together(scenes: Sequence[Scene]) -> Lines:
    """How well people can be predicted, and how well they are recovered."""
    lines = [Line(scene.name, (within(scene),), (scene.score.accuracy,)) for scene in scenes]
    both = zip(WITHIN.known(), WHOLE.known(), strict=True)
    lines += [Line(f"paper: {kind}", (near,), (whole,), style="hollow") for (kind, near), (_, whole) in both]
    caption = (
        "Accuracy against the share of predictions that Figure 6 calls near: less than 1,000 m off, for the "
        f"application data 500 m ({crowd(scenes)})."
    )
    return Lines("8d", "share of predictions near (Figure 6)", "share of points right", tuple(lines), caption)


def _printed(scene: Scene) -> list[Statement]:
    score, where = scene.score, "Sec. 5.2"
    steps = [score.stages[stage] for stage in STAGES]
    gains = ", ".join(percent(step, 0) for step in steps)
    falls = all(a >= b for a, b in pairwise(steps))
    top = score.uniqueness[2]
    return [
        *attacked(scene, where, "nights recovered (#1)", NIGHT, steps[0]),
        *attacked(scene, where, "all recovered (#3)", WHOLE, steps[2]),
        claim(
            where,
            named(scene, "accuracy from step to step"),
            f"falls by {percent(SLOWLY, 0)} at most",
            gains,
            falls and steps[0] - steps[2] <= SLOWLY + NEAR,
            _drop(scene),
        ),
        *attacked(scene, where, "points more than 1,000 m off", FAR, score.far, good=False),
        *attacked(scene, where, "points off by less", BETWEEN, score.within(FAR_M) - score.within(0), good=False),
        claim(
            where,
            named(scene, "recovered unique by Top-2"),
            f"over {percent(UNIQUE_2, 0)}",
            percent(top, 0),
            top > UNIQUE_2,
            _alike(scene),
        ),
    ]


def _alike(scene: Scene) -> str:
    """Why recovered people are less often unique."""
    if scene.kind is None:
        return OTHER
    return "people who hardly move are known by one place, and neighbours share it" if scene.calm else FIXED


def _drop(scene: Scene) -> str:
    """Where most is lost, and what may be the reason."""
    night, day, whole = (scene.score.stages[stage] for stage in STAGES)
    if day - whole > night - day:
        return "most is lost where days are joined: the days of one person are not alike enough (Figure 7)"
    return (
        "nights stay and days are lost, likely as a wrong link gives a wrong speed for the next prediction "
        f"({percent(1 - within(scene), 0)} of true steps are {limit_m(scene):,} m off or more)"
    )


def _not_printed(scene: Scene) -> list[Statement]:
    """What the accuracy would be if the text were read otherwise."""
    ours, where = scene.score.accuracy, "Sec. 5.1"
    index = recovery_score(scene.recovered, scene.truth, pairing="index").accuracy
    rows = attack(scene.truth, seed=None).accuracy
    short = attack(scene.truth, seed=scene.seed, method="threshold", theta_m=THETA_M).accuracy
    right = scene.recovered.cells == scene.truth.cell.reshape(scene.observed.shape)[scene.score.match]
    seen = scene.observed[scene.score.match]
    parts = ", ".join(percent(right[flags].mean(), 0) if flags.any() else "-" for flags in (seen, ~seen))
    unsaid = "the paper does not say which rows come first"
    guess = "the paper compares its attack with no guess"
    return [
        apart(where, named(scene, "all recovered, pairs in the order of rows"), "so paired", unsaid, percent(index, 0)),
        apart(
            "Sec. 4.1",
            named(scene, "all recovered, ties by row"),
            "ties not mentioned",
            f"{percent(ours, 0)} with ties at random",
            percent(rows, 0),
        ),
        apart(
            "Sec. 4.3",
            named(scene, "all recovered, pairs within 1,000 m first"),
            "a threshold",
            "the paper prints no threshold",
            percent(short, 0),
        ),
        apart("Sec. 5", named(scene, "all guessed: nobody moves, or anybody"), "-", guess, percent(scene.chance, 0)),
        apart(
            where,
            named(scene, "points right with a record, and interpolated"),
            "-",
            "the paper does not separate them",
            parts,
        ),
    ]


def _both(scene: Scene) -> Statement:
    """Whether these people move as the paper says and are recovered as the paper says."""
    kind = scene.kind or "operator"
    printed = (getattr(WITHIN, kind), getattr(WHOLE, kind))
    ours = (within(scene), scene.score.accuracy)
    holds = all(abs(a - b) <= 0.05 for a, b in zip(printed, ours, strict=True))
    shares, theirs = (f"{percent(near, 0)} near, {percent(right, 0)} right" for near, right in (ours, printed))
    why = "set to how people move, the city misses the accuracy"
    if scene.calm:
        why = "made for the accuracy, the city misses how people move"
    return claim(
        "Figs. 6, 8a",
        named(scene, "predictions near and points right, together"),
        theirs,
        shares,
        holds,
        why if scene.kind else OTHER,
    )

"""[xu2017, Sec. 5.3]: Figures 9 and 10, the attack in coarser space and in coarser time."""

from collections.abc import Mapping, Sequence

from incrowd.anonymize.count_steps import to_regions
from incrowd.attack.recover.score import RecoveryScore
from incrowd.discretize import filled
from incrowd.papers.record import OTHER, Figure, Statement, apart, claim
from incrowd.papers.xu2017.attack import CONVENTION, attack
from incrowd.papers.xu2017.data import (
    CALM,
    DISTRICT,
    DISTRICT_2,
    DISTRICT_WHOLE,
    LARGE,
    SLOW_2,
    SLOW_WHOLE,
    STAGES,
    STATION,
    STATIONS,
    STATIONS_TO_DISTRICT,
    UNIQUE_2,
    WHOLE,
    Scene,
    attacked,
    blocks,
    convention,
    crowd,
    named,
)
from incrowd.plain import percent
from incrowd.progress import track
from incrowd.show import Line, Lines
from incrowd.show.panel import Scale

STEPS = dict(zip(STAGES, ("#1, nights", "#2, days", "#3, all days"), strict=True))
TOPS = (1, 2, 3)
BASE, BASE_2 = WHOLE.operator, UNIQUE_2  # accuracy and Top-2 uniqueness of Fig. 8

Scores = Mapping[float, RecoveryScore]  # by what is varied
SceneScores = Mapping[str, Scores]  # by the name of the scene


def figure_9(scenes: Sequence[Scene]) -> Figure:
    """Sectors, base stations and districts [xu2017, Fig. 9]."""
    scores = {scene.name: _in_space(scene) for scene in track(scenes, "coarser space")}
    return Figure(
        paper="xu2017",
        number="9",
        question="Do larger regions protect people?",
        answer=answered(scores, "from regions of {:g} tower to regions of {:g}"),
        panels=panels_of(
            "9",
            "towers to a region",
            scores,
            scenes,
            whole={1: BASE, DISTRICT: DISTRICT_WHOLE.operator},
            top={1: BASE_2, DISTRICT: DISTRICT_2.operator},
        ),
        statements=(
            *(statement for scene in scenes for statement in _space(scene, scores[scene.name])),
            *_contradictions(),
        ),
        convention=convention(
            scenes,
            f"{CONVENTION} Neighbouring towers make regions of about 2.5 (base stations) and 250 (districts), at the "
            "middle of their towers; the data have no sectors and districts of their own. Errors and accuracy are "
            "those of regions.",
        ),
        users=sum(scene.users for scene in scenes),
    )


def _in_space(scene: Scene) -> dict[float, RecoveryScore]:
    scores: dict[float, RecoveryScore] = {1.0: scene.score}
    for size in (STATION, float(DISTRICT)):
        xy = scene.truth.xy
        if xy is not None and len(xy) > size:
            scores[size] = attack(to_regions(scene.truth, region=blocks(xy, size)), seed=scene.seed)
    if len(scores) < 3 and scene.truth.xy is not None:  # a small city is one district
        coarse = len(scene.truth.xy) / 4
        scores[coarse] = attack(to_regions(scene.truth, region=blocks(scene.truth.xy, coarse)), seed=scene.seed)
    return scores


def _space(scene: Scene, scores: Scores) -> list[Statement]:
    first, last = scores[min(scores)], scores[max(scores)]
    why = CALM if scene.calm else OTHER
    return [
        *_districts(scene, scores),
        _changes(scene, "accuracy in coarser space", "rises", first.accuracy, last.accuracy, why),
        _changes(scene, "Top-2 uniqueness in coarser space", "falls", first.uniqueness[2], last.uniqueness[2], why),
    ]


def _districts(scene: Scene, scores: Scores) -> list[Statement]:
    where, xy = "Sec. 5.3", scene.truth.xy
    if max(scores) != DISTRICT or xy is None:
        return [
            apart(where, named(scene, "districts of about 250 towers"), "89 %, 62 %", "too few places for districts")
        ]
    many = int(blocks(xy, DISTRICT).max()) + 1
    most = f"{many} districts make {pairs(many):,} sets of one or two, and no more people can be unique"
    last = scores[DISTRICT]
    return [
        *attacked(scene, where, "all recovered, districts", DISTRICT_WHOLE, last.accuracy),
        *attacked(scene, where, "recovered unique by Top-2, districts", DISTRICT_2, last.uniqueness[2], why=most),
    ]


def pairs(places: int) -> int:
    """How many sets of one or two of them there are.

    >>> pairs(3)
    6
    """
    return places * (places + 1) // 2


def _contradictions() -> list[Statement]:
    districts = STATIONS // STATIONS_TO_DISTRICT
    most = pairs(districts) / LARGE[0]
    why = (
        f"{districts} districts make {pairs(districts):,} sets of one or two: at most {percent(most)} of 100,000 "
        "people can be unique, so the figure must come from a sample whose size is not printed"
    )
    little = "the paper contradicts itself: Sec. 1 against Sec. 5.3"
    return [
        apart("Sec. 5.3", "unique by Top-2 of 80 districts, 100,000 people", "62 %", why, f"at most {percent(most)}"),
        apart("Sec. 1", "impact of resolution", "little, and from 73 % to 89 %", little),
    ]


def figure_10(scenes: Sequence[Scene]) -> Figure:
    """Slots of 30, 90 and 180 minutes [xu2017, Fig. 10]."""
    scores = {scene.name: _in_time(scene) for scene in track(scenes, "coarser time")}
    return Figure(
        paper="xu2017",
        number="10",
        question="Do longer slots protect people?",
        answer=answered(scores, "from slots of {:g} min to slots of {:g} min"),
        panels=panels_of(
            "10",
            "minutes of a slot",
            scores,
            scenes,
            whole={30: BASE, 180: SLOW_WHOLE.operator},
            top={30: BASE_2, 180: SLOW_2.operator},
        ),
        statements=tuple(statement for scene in scenes for statement in _time(scene, scores[scene.name])),
        convention=convention(scenes, f"{CONVENTION} Records are slotted anew, then interpolated, for every length."),
        users=sum(scene.users for scene in scenes),
    )


def _in_time(scene: Scene) -> dict[float, RecoveryScore]:
    scores: dict[float, RecoveryScore] = {float(scene.slot_min): scene.score}
    for slot_min in (3 * scene.slot_min, 6 * scene.slot_min):
        if 360 % slot_min == 0:
            scores[float(slot_min)] = attack(filled(scene.slotted(slot_min)), seed=scene.seed)
    return scores


def _time(scene: Scene, scores: Scores) -> list[Statement]:
    first, last = scores[min(scores)], scores[max(scores)]
    if max(scores) != 180:
        return [apart("Sec. 5.3", named(scene, "slots of 180 min"), "82 %, 98 %", "these data have other slots")]
    return [
        *attacked(scene, "Sec. 5.3", "all recovered, 180 min", SLOW_WHOLE, last.accuracy),
        *attacked(scene, "Sec. 5.3", "recovered unique by Top-2, 180 min", SLOW_2, last.uniqueness[2]),
        _changes(scene, "accuracy in coarser time", "rises", first.accuracy, last.accuracy, _SLOW),
        _changes(scene, "Top-2 uniqueness in coarser time", "rises", first.uniqueness[2], last.uniqueness[2], _SLOW),
    ]


_SLOW = "not a theorem: longer slots hide short trips, and leave larger steps and fewer points to link by"


def _changes(scene: Scene, what: str, theirs: str, first: float, last: float, why: str) -> Statement:
    holds = last <= first if theirs == "falls" else last >= first
    return claim("Sec. 5.3", named(scene, what), theirs, f"{percent(first)} to {percent(last)}", holds, why)


def answered(by_scene: SceneScores, text: str) -> str:
    """Accuracy at both ends; `text` says what they are."""
    scores = next(iter(by_scene.values()))
    ends = (min(scores), max(scores))
    each = []
    for name, by_size in by_scene.items():
        change = f"{percent(by_size[min(by_size)].accuracy, 0)} to {percent(by_size[max(by_size)].accuracy, 0)}"
        each.append(f"{name} {change}" if len(by_scene) > 1 else change)
    return f"Points recovered, {text.format(*ends)}: {'; '.join(each)}."


def panels_of(
    number: str,
    x: str,
    by_scene: SceneScores,
    scenes: Sequence[Scene],
    *,
    whole: Mapping[int, float],
    top: Mapping[int, float],
) -> tuple[Lines, ...]:
    """Accuracy of each step and uniqueness by the most visited places, a panel each."""
    panels = []
    scale: Scale = "linear" if number == "10" else "log"
    for stage, step in STEPS.items():
        lines = [
            _line(name, {at: score.stages[stage] for at, score in scores.items()}) for name, scores in by_scene.items()
        ]
        lines += _printed(whole if stage == "whole" else {})
        caption = f"Accuracy of step {step} ({crowd(scenes)}, one run each)."
        panels.append(Lines(f"{number}a-{stage}", x, "share of points right", tuple(lines), caption, scale_x=scale))
    for k in TOPS:
        lines = [
            _line(name, {at: score.uniqueness[k] for at, score in scores.items()}) for name, scores in by_scene.items()
        ]
        lines += _printed(top if k == 2 else {})
        caption = f"Recovered people who are unique by their Top-{k} ({crowd(scenes)}, one run each)."
        panels.append(Lines(f"{number}b-{k}", x, "share identified", tuple(lines), caption, scale_x=scale))
    return tuple(panels)


def _line(name: str, values: Mapping[float, float]) -> Line:
    at = tuple(sorted(values))
    return Line(name, at, tuple(values[x] for x in at))


def _printed(values: Mapping[int, float]) -> list[Line]:
    return (
        [Line("paper: operator", tuple(map(float, values)), tuple(values.values()), style="hollow")] if values else []
    )

"""[song2014, Sec. 5.1]: Figures 2, 3 and 4, what cutting does to uniqueness."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from incrowd.data import Visits
from incrowd.discretize import windows
from incrowd.measure._cut_risk import CutRisk, cut_risk
from incrowd.measure.uniqueness.question import Uniqueness
from incrowd.papers.record import OTHER, Figure, Statement, apart, claim, share
from incrowd.papers.together import against_people
from incrowd.plain import percent
from incrowd.show import Cdf, Line, Lines, curve

PEOPLE, PLACES = 633_798, 1_700  # [song2014, Table 1]
BEFORE, AFTER = 0.6, 0.4  # two points, before and after cutting into 6 hours [song2014, Sec. 5.1]
KNOWN, SHORTEST = 2, 6
MOST = 10  # people in Figure 3
SHORT = {"drop": "short pieces left out", "all": "short pieces asked with what they have"}
REPEATED = "its bars of s = 1 are the shares that Sec. 5.1 prints and Figure 2 answers for; the others are only drawn"
NO_THEOREM = "not a theorem: the points of a short piece lie close together, and those left are of busier people"
CONVENTION = (
    "The points of an attacker are drawn once for each trajectory, or for each piece. The paper does not say what "
    "becomes of pieces with fewer points than the attacker knows: 'drop' leaves them out, 'all' asks with the points "
    "they have; both are shown. Windows are half-open and begin at midnight; s counts the target."
)


@dataclass(frozen=True, eq=False, repr=False)
class Cuts:
    """One dataset before and after every cut; `risk[window_h, points]`."""

    raw_users: int
    raw_records: int  # before repeats collapsed
    visits: Visits  # of people who move
    made_up: bool
    risk: dict[tuple[int, int], CutRisk]

    @property
    def points(self) -> list[int]:
        """How many points the attacker knows, fewest first."""
        return sorted({m for _, m in self.risk})

    @property
    def windows_h(self) -> list[int]:
        """The windows, widest first."""
        return sorted({window for window, _ in self.risk}, reverse=True)

    def why(self, ours: float, theirs: float) -> str:
        """Why ours is above or below theirs, as far as it can be told."""
        users, cells = len(self.visits), len(np.unique(self.visits.cell))
        if ours > theirs and users < PEOPLE / 2:
            return f"other people, and {users:,} of them instead of {PEOPLE:,}: a thin crowd hides worse (last panel)"
        if self.made_up:
            return f"made-up people, {users:,} at {cells:,} antennas; the paper's are {PEOPLE:,} at {PLACES:,}"
        return OTHER


def figure_2(cuts: Cuts, *, seed: int = 0) -> Figure:
    """Uniqueness against the points known, before and after cutting [song2014, Fig. 2]."""
    risks = {short: after(cuts, SHORTEST, KNOWN, short) for short in SHORT}
    start, most = before(cuts, KNOWN), cuts.points[-1]
    known = cuts.risk[SHORTEST, KNOWN].fixed_knowledge["drop"]
    return Figure(
        paper="song2014",
        number="2",
        question="Does cutting trajectories make people less unique?",
        answer=(
            f"{KNOWN} known points identify {percent(value(start), 0)} of people, and "
            f"{percent(value(risks['drop']), 0)} of the pieces of {SHORTEST} h, or {percent(value(risks['all']), 0)} "
            f"if short pieces are counted. An attacker who knew {KNOWN} points before the cut identifies "
            f"{percent(value(known))} of people after it."
        ),
        panels=(*(_panel(cuts, short) for short in SHORT), _among(cuts, seed)),
        statements=(
            *_first(cuts, value(start), most),
            *(statement for short, cut in risks.items() for statement in _fall(cuts, value(start), value(cut), short)),
            *(_ordered(cuts, short) for short in SHORT),
        ),
        convention=f"{CONVENTION} {cuts.risk[SHORTEST, KNOWN].reason}",
        users=len(cuts.visits),
    )


def _among(cuts: Cuts, seed: int) -> Lines:
    """The same among fewer people at the same antennas: whether a thin crowd explains a difference."""

    def identified(visits: Visits) -> dict[str, float]:
        risk = cut_risk(visits, windows(visits, window_h=SHORTEST), points=KNOWN, seed=seed)
        pieces = {f"{SHORTEST} h, {SHORT[short]}": value(risk.after[short]) for short in SHORT}
        return {"before": value(risk.before["drop"]), **pieces}

    what = f"Trajectories identified by {KNOWN} random points"
    return against_people("2-people", cuts.visits, identified, y="share identified", what=what, seed=seed)


def before(cuts: Cuts, points: int) -> Uniqueness:
    """Of whole trajectories; those with too few points are left out."""
    return cuts.risk[cuts.windows_h[0], points].before["drop"]


def after(cuts: Cuts, window_h: int, points: int, short: str) -> Uniqueness:
    """Of pieces."""
    return cuts.risk[window_h, points].after[short]


def value(risk: Uniqueness) -> float:
    """NaN where nobody could be asked."""
    return math.nan if risk.value is None else risk.value


def _panel(cuts: Cuts, short: str) -> Lines:
    at = tuple(map(float, cuts.points))
    sides = {"before": [before(cuts, m) for m in cuts.points]}
    sides |= {f"{w} h": [after(cuts, w, m, short) for m in cuts.points] for w in cuts.windows_h}
    lines = [Line(label, at, tuple(map(value, risks))) for label, risks in sides.items()]
    lines += [_printed("before", BEFORE, KNOWN), _printed("6 h", AFTER, KNOWN)]
    caption = f"Uniqueness before and after cutting, {SHORT[short]} (n = {len(cuts.visits):,} people, one draw each)."
    return Lines(f"2-{short}", "points known", "share identified", tuple(lines), caption)


def _printed(label: str, share: float, x: int) -> Line:
    return Line(f"paper: {label}", (float(x),), (share,), style="hollow")


def _first(cuts: Cuts, start: float, most: int) -> list[Statement]:
    few = value(before(cuts, most))
    why = cuts.why(start, BEFORE)
    return [
        share("Sec. 5.1", f"unique from {KNOWN} points, before", (BEFORE, BEFORE), start, why),
        claim(
            "Sec. 7",
            "people are unique by a few points",
            "highly",
            f"{percent(few, 0)} from {most}",
            few > 0.5,
            why,
        ),
    ]


def _fall(cuts: Cuts, start: float, cut: float, short: str) -> list[Statement]:
    what, why = f"({SHORT[short]})", cuts.why(cut, AFTER)
    less = _lesser(cuts, start, short)
    part = 1 - cut / start if start else math.nan
    if math.isnan(part):
        return [
            apart("Sec. 5.1", f"unique after cutting into 6 h {what}", percent(AFTER, 0), "nobody is unique before")
        ]
    return [
        share("Sec. 5.1", f"unique after cutting into 6 h {what}", (AFTER, AFTER), cut, why),
        claim(
            "Sec. 5.1",
            f"fall by cutting into 6 h {what}",
            "more than 0.2",
            f"{start - cut:.2f}",
            start - cut > 0.2,
            less,
        ),
        claim("Sec. 6", f"part of uniqueness that goes {what}", "over 30 %", percent(part, 0), part > 0.3, less),
    ]


def _lesser(cuts: Cuts, start: float, short: str) -> str:
    """Why the fall is smaller than the paper's."""
    if short == "drop":
        return "counting short pieces it falls further, and the paper does not say whether it does"
    return "fewer people are unique to begin with" if start < BEFORE else cuts.why(start, BEFORE)


def _ordered(cuts: Cuts, short: str) -> Statement:
    values = [value(before(cuts, KNOWN)), *(value(after(cuts, w, KNOWN, short)) for w in cuts.windows_h)]
    falls = all(a > b for a, b in pairwise(values))
    ours = ", ".join(percent(fraction, 0) for fraction in values)
    what = f"shorter windows, fewer identified ({SHORT[short]})"
    return claim("Sec. 5.1", what, "before > 24 h > 12 h > 6 h", ours, falls, NO_THEOREM)


def figure_3(cuts: Cuts) -> Figure:
    """How many people share two random points, before and after cutting into 6 hours [song2014, Fig. 3]."""
    risk = cuts.risk[SHORTEST, KNOWN]
    sides = {"before": risk.before["drop"], **{f"6 h, {short}": risk.after[short] for short in SHORT}}
    at = tuple(float(s) for s in range(1, MOST + 1))
    lines = [
        Line(label, at, tuple(shares(side).get(s, 0.0) for s in range(1, MOST + 1))) for label, side in sides.items()
    ]
    lines += [_printed("before", BEFORE, 1), _printed("6 h", AFTER, 1)]
    start, cut = (value(sides[name]) for name in ("before", "6 h, drop"))
    return Figure(
        paper="song2014",
        number="3",
        question="How many people share what an attacker knows?",
        answer=(
            f"{KNOWN} known points identify {percent(start, 0)} of people, and {percent(cut, 0)} of pieces of "
            f"{SHORTEST} h."
        ),
        panels=(
            Lines(
                "3",
                f"people who share {KNOWN} points",
                "share of trajectories",
                tuple(lines),
                f"People who share {KNOWN} random points of a trajectory (n = {len(cuts.visits):,} people).",
            ),
        ),
        statements=(
            apart(
                "Fig. 3",
                "people who share two points",
                "bars",
                REPEATED,
                f"{percent(start, 0)} alone before, {percent(cut, 0)} after",
            ),
        ),
        convention=CONVENTION,
        users=len(cuts.visits),
    )


def figure_4(cuts: Cuts) -> Figure:
    """The same for every window, out to large crowds [song2014, Fig. 4]."""
    first = before(cuts, KNOWN)
    sides = {w: after(cuts, w, KNOWN, "drop") for w in sorted(cuts.windows_h)}
    drops = [value(first) - value(side) for side in sides.values()]
    large = {label: _at_least(shares(side), 3) for label, side in (("before", first), ("after", sides[SHORTEST]))}
    return Figure(
        paper="song2014",
        number="4",
        question="Do more people share the known points in shorter windows?",
        answer=(
            f"Two others or more share {KNOWN} points with {percent(large['before'], 0)} of people before, and with "
            f"{percent(large['after'], 0)} of pieces of {SHORTEST} h."
        ),
        panels=tuple(_crowds(first, w, side, letter) for letter, (w, side) in zip("abc", sides.items(), strict=False)),
        statements=(
            claim(
                "Fig. 4a",
                "trajectories that two others or more share, 6 h",
                "more than before",
                f"{percent(large['before'], 0)} before, {percent(large['after'], 0)} after",
                large["after"] > large["before"],
                "points within 6 hours single out more than points of a week here, short pieces aside",
            ),
            claim(
                "Fig. 4b, c",
                "fall of s = 1, by window",
                "6 h > 12 h > 24 h",
                ", ".join(f"{w} h {drop:.2f}" for w, drop in zip(sides, drops, strict=True)),
                all(a > b for a, b in pairwise(drops)),
                NO_THEOREM,
            ),
        ),
        convention=f"{CONVENTION} Figure 4 takes 'drop', and shows cumulative shares where the paper shows counts.",
        users=len(cuts.visits),
    )


def shares(risk: Uniqueness) -> Mapping[int, float]:
    """Share of targets by how many people share their points."""
    return risk.distribution


def _at_least(distribution: Mapping[int, float], crowd: int) -> float:
    return sum(part for size, part in distribution.items() if size >= crowd)


def _crowds(first: Uniqueness, window_h: int, side: Uniqueness, letter: str) -> Cdf:
    risks = {"before": first, f"{window_h} h": side}
    sizes = {label: np.zeros(0) if one.crowd_sizes is None else one.crowd_sizes.ravel() for label, one in risks.items()}
    caption = (
        f"People who share {KNOWN} random points, before and after cutting into {window_h} h "
        f"(n = {first.population:,} people and {side.population:,} pieces)."
    )
    curves = tuple(curve(label, values.astype(np.float64)) for label, values in sizes.items())
    return Cdf(f"4{letter}", f"people who share {KNOWN} points", "trajectories", curves, caption, log=True)

"""[tan2017, Sec. 3.1]: Figures 1 to 5, uniqueness over the resolutions of space and time."""

import math
from itertools import pairwise
from typing import Any

from incrowd.arrays import Ints
from incrowd.data import Traces
from incrowd.measure.sweep import sweep
from incrowd.measure.sweep.result import Sweep
from incrowd.papers.record import Figure, Statement, apart, claim
from incrowd.papers.tan2017.records import BLOCKS, FOUR, KNOWN, SLOT_MIN, Taxis, wide_box
from incrowd.papers.together import against_people
from incrowd.plain import percent
from incrowd.show import Line, Lines

HIGH, FULL = 0.9, 0.995
CLOSE = 0.02  # shares near 1 agree within this, not within five points
CONVENTION = (
    "One point for each vehicle and period, the block with most records; vehicles with enough points are drawn "
    "uniformly, then points of theirs. Differs from Algorithm 1, which samples raw records that may not match."
)


def at(sweep: Sweep, blocks: int, minutes: int, points: int) -> float:
    """The share at one setting; NaN where there is none."""
    here = (sweep.blocks == blocks) & (sweep.minutes == minutes) & (sweep.points == points)
    return float(sweep.uniqueness[here][0]) if here.any() else math.nan


def figure_3(taxis: Taxis, own: Sweep, wide: Sweep) -> Figure:
    """Uniqueness against the points known, at 100 x 100 blocks and 20 minutes [tan2017, Fig. 3]."""
    points = _axis(own.points)
    sides = {f"blocks of {own.block_size(BLOCKS)}, the data's box": own, "blocks of 2 km": wide}
    lines = [Line(label, _floats(points), _along(side, points)) for label, side in sides.items()]
    lines += [Line(f"paper: {city}", (KNOWN,), (FOUR[city],), style="hollow") for city in taxis.cities]
    four = {label: at(side, BLOCKS, SLOT_MIN, KNOWN) for label, side in sides.items()}
    return Figure(
        paper="tan2017",
        number="3",
        question="How many known points identify a vehicle?",
        answer="; ".join(f"{KNOWN} points identify {percent(v, 2)} of vehicles at {label}" for label, v in four.items())
        + ".",
        panels=(
            Lines(
                "3", "points known", "share identified", tuple(lines), f"{_caption(own)} {BLOCKS} x {BLOCKS} blocks."
            ),
            _among(taxis, wide),
        ),
        statements=(
            *(_four(taxis, city, label, value) for label, value in four.items() for city in taxis.cities),
            *_more(taxis, own, points),
        ),
        convention=(
            f"{CONVENTION} The box of the data is {own.block_size(1)}, so a block of it is "
            f"{own.block_size(BLOCKS)} (west-east x south-north); the paper's are 2 km wide. "
            f"Its shares are near 1, so ours agree within {percent(CLOSE, 0)} here."
        ),
        users=own.users,
    )


def _among(taxis: Taxis, wide: Sweep) -> Lines:
    """Uniqueness among fewer vehicles of the same data: whether their number explains a difference."""
    how: dict[str, Any] = {"samples": max(int(wide.samples.max()), 1), "seed": wide.seed, "box": wide_box(taxis.traces)}
    how |= {"time_zone": taxis.time_zone, "keep_zero": taxis.keep_zero}

    def identified(traces: Traces) -> dict[str, float]:
        one = sweep(traces, blocks=[BLOCKS], minutes=[SLOT_MIN], points=[2, KNOWN], **how)
        return {f"{n} points": at(one, BLOCKS, SLOT_MIN, n) for n in (2, KNOWN)}

    what = f"Vehicles identified at {BLOCKS} x {BLOCKS} blocks of 2 km and {SLOT_MIN} min"
    return against_people("3-people", taxis.traces, identified, y="share identified", what=what, seed=wide.seed)


def _four(taxis: Taxis, city: str, label: str, value: float) -> Statement:
    theirs = FOUR[city]
    thin = ": fewer vehicles are identified sooner (last panel)" if value > theirs and "instead" in taxis.why else ""
    what, near = f"unique from 4 points ({city}; {label})", abs(value - theirs) <= CLOSE
    return _known(value, what, percent(theirs, 2), percent(value, 2), near, taxis, taxis.why + thin)


def _more(taxis: Taxis, own: Sweep, points: list[int]) -> list[Statement]:
    curve = [share for share in _along(own, points) if not math.isnan(share)]
    shares, many = ", ".join(percent(share) for share in curve), at(own, BLOCKS, SLOT_MIN, points[-1])
    rises = all(a <= b + 0.005 for a, b in pairwise(curve))  # draws of one share differ by less
    grows = "vehicles with more points are others than those with few"
    return [
        _known(sum(curve[:1]), "uniqueness with more points known", "grows rapidly", shares, rises, taxis, grows),
        _known(many, f"unique from {points[-1]} points", "99 %", percent(many), many > 0.985, taxis, where="Sec. 5"),
    ]


def figure_4(taxis: Taxis, own: Sweep) -> Figure:
    """What the resolutions of time and space do [tan2017, Fig. 4]."""
    blocks, minutes, points = _axis(own.blocks), _axis(own.minutes), _axis(own.points)
    near = BLOCKS if BLOCKS in blocks else blocks[-1]
    by_time = tuple(Line(f"{m} min", _floats(points), tuple(at(own, near, m, n) for n in points)) for m in minutes)
    drawn = [b for b in (10, 20, 50, 100, 200) if b in blocks]
    by_space = tuple(
        Line(f"{b} x {b}", _floats(points), tuple(at(own, b, minutes[0], n) for n in points)) for b in drawn
    )
    panels = (
        Lines("4-time", "points known", "share identified", by_time, f"{_caption(own)} {near} x {near} blocks."),
        Lines("4-space", "points known", "share identified", by_space, f"{_caption(own)} Periods of {minutes[0]} min."),
    )
    ends = (near, minutes[0]), (near, minutes[-1]), (blocks[0], minutes[0])
    fine, coarse, small = (at(own, *where, KNOWN) for where in ends)
    return Figure(
        paper="tan2017",
        number="4",
        question="Do coarser times and places protect?",
        answer=(
            f"{KNOWN} points identify {percent(fine)} of vehicles at {near} x {near} blocks and {minutes[0]} min, "
            f"{percent(coarse)} at {minutes[-1]} min, and {percent(small)} at {blocks[0]} x {blocks[0]} blocks."
        ),
        panels=panels,
        statements=(
            _rises("a shorter period (20 min against 240)", coarse, fine, taxis),
            _rises("smaller blocks (100 x 100 against 10 x 10)", small, fine, taxis),
        ),
        convention=CONVENTION,
        users=own.users,
    )


def _rises(what: str, coarse: float, fine: float, taxis: Taxis) -> Statement:
    rise = f"{percent(coarse)} to {percent(fine)}"
    if min(coarse, fine) > FULL:
        return apart("Sec. 3.1", what, "raises uniqueness", "nearly everybody is unique at both", ours=rise)
    return _known(coarse + fine, what, "raises uniqueness", rise, fine > coarse, taxis)


def figures_1_2_5(taxis: Taxis, own: Sweep) -> Figure:
    """The surfaces over space and time [tan2017, Fig. 1, 2 and 5]; their drawings are in the section of the sweep."""
    points = _axis(own.points)
    first, last = points[0], points[-1]
    one, four, seven = ([s.uniqueness for s in own.at(n)] for n in (first, KNOWN, last))
    medium = at(own, BLOCKS, _axis(own.minutes)[len(_axis(own.minutes)) // 2], KNOWN)
    most = sum(value > HIGH for value in seven) / len(seven) if seven else math.nan
    low, high, least = min(four, default=math.nan), max(four, default=math.nan), max(one, default=math.nan)
    lines = tuple(
        Line(f"{m} min", _floats(_axis(own.blocks)), tuple(at(own, b, m, KNOWN) for b in _axis(own.blocks)))
        for m in _axis(own.minutes)
    )
    return Figure(
        paper="tan2017",
        number="Figures 1, 2 and 5",
        question="At which resolutions are vehicles identified?",
        answer=(
            f"{KNOWN} points identify {percent(low, 0)} to {percent(high, 0)} of vehicles over {len(four)} "
            f"resolutions; {last} points over {percent(HIGH, 0)} at {percent(most, 0)} of them."
        ),
        panels=(
            Lines(
                "1",
                "blocks each way",
                "share identified",
                lines,
                f"{_caption(own)} {KNOWN} points known.",
                scale_x="log",
            ),
        ),
        statements=(
            _known(least, "one point", "insufficient everywhere", f"at most {percent(least, 0)}", least < 0.5, taxis),
            _known(medium, "four points, moderate resolutions", "over 90 %", percent(medium), medium > HIGH, taxis),
            _known(
                most, f"{last} points", "over 90 % at most resolutions", f"at {percent(most, 0)}", most > 0.5, taxis
            ),
            claim("Sec. 3.1", "combinations", "462", f"{len(own)}", len(own) == 462, "a quick run asks fewer"),
        ),
        convention=CONVENTION,
        users=own.users,
    )


def _known(
    value: float,
    what: str,
    theirs: str,
    ours: str,
    holds: bool,
    taxis: Taxis,
    why: str = "",
    where: str = "Sec. 3.1",
) -> Statement:
    """A claim about a share, where there is one."""
    if math.isnan(value):
        return apart(where, what, theirs, "no vehicle has so many points")
    return claim(where, what, theirs, ours, holds, why or taxis.why)


def _axis(column: Ints) -> list[int]:
    return sorted(set(column.tolist()))


def _floats(values: list[int]) -> tuple[float, ...]:
    return tuple(map(float, values))


def _along(sweep: Sweep, points: list[int]) -> tuple[float, ...]:
    return tuple(at(sweep, BLOCKS, SLOT_MIN, n) for n in points)


def _caption(sweep: Sweep) -> str:
    return f"Uniqueness (n = {sweep.users:,} vehicles, {int(sweep.samples.max()):,} samples each)."

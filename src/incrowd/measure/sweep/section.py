"""Sweep -> its section: uniqueness over space and time, and the finest settings that keep it low."""

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from incrowd.plain import SIDES, percent, several, span
from incrowd.show import Section, Surface, Table

if TYPE_CHECKING:
    from incrowd.measure.sweep.result import Sweep, SweepSetting

TARGETS = (0.05, 0.1, 0.2, 0.5)
DRAWN = (2, 4, 6)  # known visits, as [tan2017, Fig. 5]
KEPT = {
    "vote": "one visit per person and period, the block with most records",
    "set": "every block of a period is a visit",
}


def section_of_sweep(result: "Sweep", target: float) -> Section:
    """How coarse places and times must be, in one section."""
    known = _known(result)
    main = 4 if 4 in known else known[-1]  # as in the paper
    settings = result.at(main)
    drawn = [n for n in dict.fromkeys((main, *DRAWN)) if _drawable(result, n)]
    return Section(
        question="How coarse must places and times be?",
        answer=_sentence(result, main, settings),
        number=percent(max((setting.uniqueness for setting in settings), default=None)),
        number_of=f"identified by {several(main, 'known visit')} at the riskiest setting",
        panels=[_surface(result, points, number) for number, points in enumerate(drawn, 1)],
        tables=[_ranges(result, target), _targets(result, main), _values(result, main)],
        method=_method(result),
        options=_options(result),
        data=result,
    )


def _options(result: "Sweep") -> str:
    last = result.ledger.steps[-1] if result.ledger.steps else None
    of = f" of {last.read:,}" if last else ""
    people, records = several(result.users, "person", "people"), f"{result.records:,}{of} records"
    return f"{people}, {records}, {_samples(result)} samples a cell, {result.keep}, seed {result.seed}"


def _method(result: "Sweep") -> list[str]:
    blocks = (
        f"Places are blocks of one box{_box(result)}, as many each way as stated; times are periods from the start on "
        f"[tan2017, Sec. 4.2-4.4]. Representation '{result.keep}': {KEPT[result.keep]}."
    )
    draws = (
        "People are drawn uniformly among those with enough visits (convention 'drop'), then visits of theirs; "
        f"{_samples(result)} independent samples for each setting, seed {result.seed}. Intervals are Wilson's, 95 %, "
        "and hold for one setting each, not for all of them together."
    )
    caveat = (
        "Coarser is not always safer: larger blocks or longer periods may move a vote or drop people from the average. "
        "A setting meets a target only where it was measured."
    )
    return [blocks, draws, caveat]


def _box(result: "Sweep") -> str:
    """Its size, and how many records it leaves out."""
    last = result.ledger.steps[-1] if result.ledger.steps else None
    lost = [f"{n:,} {reason}" for reason, n in last.dropped.items() if n] if last else []
    without = f", without {' and '.join(lost)} of {several(last.read, 'record')}" if last and lost else ""
    return f" around the data ({result.block_size(1)}{without})" if isfinite(result.box_m[0]) else " around the data"


def _known(result: "Sweep") -> list[int]:
    return sorted(set(result.points.tolist()))


def _sentence(result: "Sweep", points: int, settings: "list[SweepSetting]") -> str:
    if not settings:
        return f"Nobody has {several(points, 'visit')} at any setting, so this question has no answer here."
    low, high = min(s.uniqueness for s in settings), max(s.uniqueness for s in settings)
    between = f"{percent(low)} to {percent(high)} of {several(result.users, 'person', 'people')}"
    identify = f"{several(points, 'known visit')} {'identifies' if points == 1 else 'identify'} {between}"
    reached = next((target for target in TARGETS if result.finest(target, points=points)), None)
    if reached is None:
        return f"{identify}; no setting brings it to {percent(TARGETS[-1], 0)} or less."
    finest = _settings(result, result.finest(reached, points=points))
    return f"{identify}. The finest settings with at most {percent(reached, 0)}: {finest}."


def _settings(result: "Sweep", settings: "list[SweepSetting]") -> str:
    return "; ".join(f"{result.named(s.blocks)} and {s.minutes} min" for s in settings) or "none"


def _drawable(result: "Sweep", points: int) -> bool:
    """Whether there are at least two settings each way, all with a value."""
    here = result.points == points
    many = min(len(set(axis[here].tolist())) for axis in (result.blocks, result.minutes)) > 1
    return many and not np.isnan(result.uniqueness[here]).any()


def _surface(result: "Sweep", points: int, number: int = 1) -> Surface:
    """Uniqueness over both settings, side by side at equal distance, as [tan2017, Figs. 1 and 5]."""
    here = result.points == points
    blocks, minutes = sorted(set(result.blocks[here].tolist())), sorted(set(result.minutes[here].tolist()))
    share = np.empty((len(minutes), len(blocks)))
    rows, columns = np.searchsorted(minutes, result.minutes[here]), np.searchsorted(blocks, result.blocks[here])
    share[rows, columns] = result.uniqueness[here]
    known = several(points, "known visit")
    return Surface(
        name="sweep" if number == 1 else f"sweep-{number}",
        x="blocks each way",
        y="minutes of a period",
        columns=tuple(map(str, blocks)),
        rows=tuple(map(str, minutes)),
        value=tuple(map(tuple, share.tolist())),
        of="share of people identified",
        caption=f"Share of people identified by {known} over space and time ({_conventions(result, points)}).",
        words=f"Surface of the share identified by {known}: {_ends(result, points)}",
    )


def _ends(result: "Sweep", points: int) -> str:
    settings = result.at(points)
    low, high = (pick(settings, key=lambda s: s.uniqueness) for pick in (min, max))
    ends = [f"{s.uniqueness:.2f} at {s.blocks} x {s.blocks} blocks and {s.minutes} min" for s in (low, high)]
    return f"from {ends[0]} to {ends[1]}."


def _conventions(result: "Sweep", points: int) -> str:
    here = result.points == points
    people = result.population[here & (result.samples > 0)]
    n = f"{people.min():,}" if people.min() == people.max() else f"{people.min():,} to {people.max():,}"
    half = float(np.nanmax((result.high - result.low)[here])) / 2
    return (
        f"n = {n} people with enough visits, {_samples(result)} samples per cell, 95 % intervals within "
        f"{percent(half, 2)} each way, representation '{result.keep}', convention 'drop'"
    )


def _samples(result: "Sweep") -> str:
    return f"{int(result.samples.max()):,}"


def _ranges(result: "Sweep", target: float) -> Table:
    """The lowest and the highest share for each number of known visits, and the finest settings that meet a target."""
    rows = []
    for points in _known(result):
        shares = [setting.uniqueness for setting in result.at(points)]
        ends = (min(shares, default=None), max(shares, default=None))
        finest = _settings(result, result.finest(target, points=points))
        rows.append((str(points), *(percent(share, 2) for share in ends), finest))
    head = ("known visits", "lowest", "highest", f"finest settings with at most {100 * target:g} %")
    return Table(head, rows, "Share of people identified, over all settings.")


def _targets(result: "Sweep", points: int) -> Table:
    rows = [
        (
            percent(target, 0),
            _settings(result, result.finest(target, points=points)),
            _settings(result, result.finest(target, points=points, sure=True)),
            _settings(result, result.coarsest(target, points=points)),
        )
        for target in TARGETS
    ]
    head = ("at most", "finest settings", "finest by the upper end of the interval", "coarsest settings")
    return Table(head, rows, f"Settings at which {several(points, 'known visit')} meet a target.")


def _values(result: "Sweep", points: int) -> Table:
    rows = [
        (
            str(s.minutes),
            str(s.blocks),
            result.block_size(s.blocks),
            percent(s.uniqueness, 2),
            span((s.low, s.high), 2),
        )
        for s in result.at(points)
    ]
    head = ("minutes", "blocks", f"size of a block {SIDES}", "identified", "95 % interval")
    return Table(head, rows, f"All settings for {several(points, 'known visit')}.")

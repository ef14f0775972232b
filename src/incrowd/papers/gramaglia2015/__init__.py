"""[gramaglia2015]: its figures on any dataset beside what its text says; here how far people are from hiding."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats
from incrowd.data import Fingerprints
from incrowd.data.table import some_people
from incrowd.errors import public
from incrowd.measure.glove import kgap, kgaps, tail_weight, tails
from incrowd.measure.glove.section import GAP, HEAVY, TWI, gap_panel, tail_panels
from incrowd.papers.gramaglia2015 import table2
from incrowd.papers.gramaglia2015.accuracy import SHARES, SHORTENED, figure_7, figure_8, figure_9, figure_10, figure_11
from incrowd.papers.gramaglia2015.cost import PARTS, HidingCost, ShardCost, hiding_cost, shard_cost
from incrowd.papers.gramaglia2015.data import (
    FULL_NAMES,
    QUICK_USERS,
    NamedPrints,
    Run,
    countries,
    full_country,
    generalized,
    hide,
    table_1,
)
from incrowd.papers.gramaglia2015.table2 import Table2
from incrowd.papers.record import OTHER, Figure, Reproduction, Statement, apart, claim, save, share, size, thin
from incrowd.papers.together import together
from incrowd.plain import percent, several
from incrowd.show import curve

HIDDEN = (2, 3, 5)
__all__ = [
    "Figure",
    "HidingCost",
    "Reproduction",
    "Run",
    "ShardCost",
    "Statement",
    "Table2",
    "figure_3",
    "figure_4",
    "figure_5",
    "figure_7",
    "figure_8",
    "figure_9",
    "figure_10",
    "figure_11",
    "generalized",
    "hide",
    "hiding_cost",
    "reproduce",
    "save",
    "shard_cost",
    "table_1",
]
K = (2, 5, 10, 25, 50, 100)
GRAINS = ((100, 1), (1000, 30), (2000, 120), (5000, 240), (20_000, 480))  # metres, minutes
CONVERSION = "the text takes half of what Eq. 1 gives: equal parts of a gap g are g x 20 km and g x 8 h"
DRAWN = 2000  # people of the larger country whose 2-gap is searched for
MASS = 0.2  # "the probability mass is below"


@public
def reproduce(
    fingerprints: Fingerprints | None = None,
    *,
    name: str = "the data",
    quick: bool = False,
    full: bool = False,
    seed: int = 0,
    cache: str | Path | None = None,
) -> Reproduction:
    """The tables and figures of the paper, each of its statements beside what these data say.

    Args:
        fingerprints: Fingerprints of at least two people; a synthetic country if None.
        name: What a report calls the data.
        quick: Take a few hundred people and fewer settings, which takes seconds.
        full: Make up as many people as d4d-civ has: the 2-gap, and hiding among two; and as many as d4d-sen
            has: the 2-gap of some people, each compared with all 320,000. Hiding those needs a GPU.
        seed: Seed of every random choice.
        cache: Folder in which GLOVE keeps its runs, to go on after a stop.
    """
    if full:
        return _at_full_size(seed, cache)
    if fingerprints is not None:
        people = some_people(fingerprints, people=QUICK_USERS, seed=seed) if quick else fingerprints
        data = {name: people}
    else:
        data = countries(quick=quick, seed=seed)
        name = "synthetic countries" if len(data) > 1 else next(iter(data))
    runs = {of: [hide(p, k=k, cache=cache) for k in HIDDEN if k <= max(len(p), 2)] for of, p in data.items()}
    drawn = [_all(p, runs[of], quick=quick, seed=seed) for of, p in data.items()]
    figures = tuple(together(dict(zip(data, sides, strict=True))) for sides in zip(*drawn, strict=True))
    main, first = next(iter(data.items()))
    beside = (
        hiding_cost(runs[main]),
        shard_cost(first, parts=PARTS[:2] if quick else PARTS),
        _table_2(first, name if fingerprints is not None else "country", quick=quick, seed=seed),
    )
    users, records = sum(map(len, data.values())), sum(p.records for p in data.values())
    return Reproduction("gramaglia2015", "k-gap and GLOVE", name, users, records, figures, beside)


def _at_full_size(seed: int, cache: str | Path | None) -> Reproduction:
    """What takes hours and not days among as many people as the paper has; the larger country is made up last."""
    civ = full_country(0, seed=seed)
    users, records = len(civ), civ.records
    first = [table_1(civ), figure_3(civ, k=())]
    run = hide(civ, k=2, cache=cache)
    sen = full_country(1, seed=seed)
    second = [table_1(sen), figure_3(sen, k=(), samples=DRAWN, seed=seed)]
    both = [together(dict(zip(FULL_NAMES, sides, strict=True))) for sides in zip(first, second, strict=True)]
    figures = (*both, figure_7(run), figure_9([run]))
    size = users + len(sen), records + sen.records
    return Reproduction("gramaglia2015", "k-gap and GLOVE", "synthetic countries", *size, figures, ())


def _all(data: Fingerprints, runs: Sequence[Run], *, quick: bool, seed: int) -> tuple[Figure, ...]:
    """Every table and figure."""
    return (
        table_1(data),
        figure_3(data, k=K[:3] if quick else K),
        figure_4(data, grains=GRAINS[::2] if quick else GRAINS),
        figure_5(data),
        figure_7(runs[0]),
        figure_8(runs),
        figure_9(runs),
        figure_10(data, days=SHORTENED[::2] if quick else SHORTENED),
        figure_11(data, shares=SHARES[2::2] if quick else SHARES, seed=seed),
    )


def _table_2(data: Fingerprints, name: str, *, quick: bool, seed: int) -> Table2:
    """W4M-LC beside GLOVE on some of these people."""
    sampled = some_people(data, people=table2.QUICK_USERS if quick else table2.USERS, seed=seed)
    sizes = [k for k in table2.K if k <= len(sampled)]
    return table2.compared([NamedPrints(name, sampled)], k=sizes, seed=seed)


def figure_3(fingerprints: Fingerprints, *, k: Sequence[int] = K, samples: int | None = None, seed: int = 0) -> Figure:
    """Distribution of the k-gap, for k = 2 and for several k, of all people or of a sample [gramaglia2015, Fig. 3]."""
    sizes = [2, *sorted(size for size in k if 2 < size <= len(fingerprints))]
    gaps = {gap.k: gap.value for gap in kgaps(fingerprints, k=sizes, samples=samples, seed=seed)}
    users = len(gaps[2])
    drawn = "" if users == len(fingerprints) else f", drawn from {len(fingerprints):,} and compared with all,"
    high = max(gaps)
    half, far = _half(gaps[2]), _half(gaps[high])
    larger = f", and a {high}-gap of at most {far:.3f}" if high > 2 else ""
    labels = {f"k = {one}": gap for one, gap in gaps.items()}
    return Figure(
        paper="gramaglia2015",
        number="3",
        question="How much blurring until everyone looks like one other person?",
        answer=f"Half of {users:,} people{drawn} have a 2-gap of at most {half:.3f}{larger}.",
        panels=(
            gap_panel({"k = 2": gaps[2]}, users=users, setting="k = 2", name="3a"),
            gap_panel(labels, users=users, setting=f"k = {', '.join(map(str, gaps))}", name="3b"),
        ),
        statements=(*_gap_statements(gaps[2]), _growth(half, far, high)),
        convention=GAP,
        users=users,
    )


def _gap_statements(gap: Floats) -> list[Statement]:
    where, users = "Sec. 5.1", len(gap)
    below = _part(gap < MASS)
    half, eighty = _half(gap), curve("", gap).at(0.8)
    return [
        claim(where, "people who are 2-anonymous already", "0", f"{(gap == 0).sum():,}", gap.min() > 0, OTHER),
        claim(
            where, f"people with a 2-gap below {MASS}", "most", percent(below, 0), below > 0.5, thin(users, worse=True)
        ),
        size(where, "2-gap of 50 % of people, at most (d4d-civ)", 0.09, half, "", thin(users, worse=half > 0.09)),
        size(where, "2-gap of 80 % of people, at most (d4d-sen)", 0.17, eighty, "", thin(users, worse=eighty > 0.17)),
        apart(where, "a 2-gap of 0.17 in space and time", "1.7 km, 41 min", CONVERSION, ours="3.4 km, 82 min"),
    ]


def _growth(half: float, far: float, k: int) -> Statement:
    what, theirs = "growth of the k-gap with k", "sub-linear"
    if k == 2 or half == 0:
        return apart("Sec. 5.1", what, theirs, "needs more than one k, and a gap above 0")
    times, steps = far / half, k / 2
    return claim("Sec. 5.1", what, theirs, f"median x {times:.2g} for k x {steps:g}", times < steps, OTHER)


def figure_4(fingerprints: Fingerprints, *, grains: Sequence[tuple[int, int]] = GRAINS, k: int = 2) -> Figure:
    """The k-gap after the same generalization for all [gramaglia2015, Fig. 4]."""
    users = len(fingerprints)
    gaps = {grain: kgap(generalized(fingerprints, cell_m=grain[0], slot_min=grain[1]), k=k).value for grain in grains}
    hidden = {grain: _part(gap == 0) for grain, gap in gaps.items()}
    coarsest = max(gaps)
    labels = {f"{cell_m / 1000:g} km, {slot_min} min": gap for (cell_m, slot_min), gap in gaps.items()}
    return Figure(
        paper="gramaglia2015",
        number="4",
        question="Do the same coarse cells and times for everybody hide people?",
        answer=(
            f"At {coarsest[0] / 1000:g} km and {coarsest[1] / 60:g} h {percent(hidden[coarsest], 0)} of {users:,} "
            f"people share their fingerprint with {k - 1} other; the rest are still unique."
        ),
        panels=(gap_panel(labels, users=users, setting=f"k = {k}, every sample generalized alike", name="4"),),
        statements=(
            _hidden_at((2000, 120), hidden, where="Sec. 7", theirs=0.0, users=users),
            _hidden_at((20_000, 480), hidden, where="Sec. 5.2", theirs=0.35, users=users),
        ),
        convention=f"Samples grow to whole cells and slots, equal ones of a person collapse. {GAP}",
        users=users,
    )


def _hidden_at(
    grain: tuple[int, int], hidden: dict[tuple[int, int], float], *, where: str, theirs: float, users: int
) -> Statement:
    what = f"2-anonymous people at {grain[0] / 1000:g} km and {grain[1] / 60:g} h"
    if grain not in hidden:
        return apart(where, what, percent(theirs, 0), "this generalization was not asked for")
    return share(where, what, (theirs, theirs), hidden[grain], thin(users, worse=hidden[grain] < theirs))


def figure_5(fingerprints: Fingerprints, *, k: int = 2) -> Figure:
    """Tail weights, and the temporal part of the effort [gramaglia2015, Fig. 5]."""
    tail = tails(fingerprints, k=k)
    space, time, part = (values[~np.isnan(values)] for values in (tail.space, tail.time, tail.share))
    heavy, temporal = (_part(space >= HEAVY), _part(time >= HEAVY)), _part(part > 0.5)
    where = "Sec. 5.3"
    endless = _part(np.isinf(space))
    flat = f"{OTHER}; {percent(endless, 0)} have equal median and upper quartile, which counts as heavy here"
    statements = (
        share(where, "people with a spatial tail weight below 1.5", (0.85, 0.85), 1 - heavy[0], flat),
        share(where, "people with a temporal tail weight of 1.5 or more", (0.7, 0.7), heavy[1], OTHER),
        share(where, "people with more temporal than spatial effort", (0.95, 0.95), temporal, OTHER),
        share(where, "people with 80 % of it temporal, or more", (0.5, 0.5), _part(part >= 0.8), OTHER),
        share(where, "people with nothing but temporal effort", (0.15, 0.15), _part(part == 1), OTHER),
        *_tail_statements(),
    )
    panels = zip(tail_panels(tail), ("5a", "5b", "5b-share"), strict=True)
    return Figure(
        paper="gramaglia2015",
        number="5",
        question="Are people hard to hide because of where or because of when they were?",
        answer=f"{_larger_part(part)}; {_heavy_tails(time, space)}.",
        panels=tuple(replace(panel, name=name) for panel, name in panels),
        statements=statements,
        convention=TWI,
        users=tail.users,
    )


def _larger_part(part: Floats) -> str:
    if not part.size:
        return "Nobody takes any effort to match, as all look alike already"
    people = several(part.size, "person", "people")
    return f"The temporal part is the larger one for {percent(_part(part > 0.5), 0)} of {people}"


def _heavy_tails(time: Floats, space: Floats) -> str:
    if not time.size and not space.size:
        return "no tail is defined"
    shares = [percent(_part(tail >= HEAVY), 0, unknown="nobody's is defined") for tail in (time, space)]
    return f"heavy tails in time: {shares[0]}, in space: {shares[1]}"


def _tail_statements() -> list[Statement]:
    """The index as the paper normalises it, on distributions whose tails are known."""
    even = (np.arange(100_000) + 0.5) / 100_000
    where, why = "Sec. 5.3", "another definition of the index"
    return [
        size(where, "tail weight of an exponential", 1.6, tail_weight(-np.log1p(-even)), "", why),
        size(where, "tail weight of a Pareto of shape 1", 14, tail_weight(1 / (1 - even)), "", why),
    ]


def _half(gap: Floats) -> float:
    """What half of the people do not exceed: one of their values, not one between two."""
    return curve("", gap).at(0.5)


def _part(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if flags.size else float("nan")

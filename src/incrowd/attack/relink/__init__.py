"""A cut release -> trajectories again: pieces of consecutive windows joined by least information gain."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from incrowd.arrays import Floats, Ints, frozen
from incrowd.attack.people import owners_from
from incrowd.attack.relink.join import NONE, RelinkScore, join, rejoined, scored
from incrowd.data import Release, Visits
from incrowd.data.release_folder import manifest_in
from incrowd.discretize import windows
from incrowd.errors import DataError, check_choice, check_seed, check_whole, public
from incrowd.measure import Uniqueness, uniqueness
from incrowd.measure.uniqueness.question import UniquenessQuestion
from incrowd.plain import in_words, percent, several
from incrowd.show import Result, Section, Table
from incrowd.threads import machine

MEMORY = ("piece", "chain")
JOINS: tuple[Literal["gain", "evidence"], ...] = ("gain", "evidence")
GRID = ("window_h", "windows", "start_slot", "slots")  # of a manifest: how the windows lie
TOPS = (1, 2, 3)
BY = {
    "gain": "Pieces of neighbouring windows are paired with the least information gain in total, in bits: an "
    "optimal assignment [xu2017, Eqs. 3 and 4]; pairs without a common cell are left apart.",
    "evidence": "Pieces of neighbouring windows are paired by the greatest total evidence that both are of one person; "
    "pairs without a common cell are left apart.",
}
KNOWN_BEFORE = (
    "An attacker who knew a few visits of a person's whole trajectory finds that person if the visits that fall into "
    "one published piece, or one chain of joined pieces, are in no other. People with fewer visits are left out."
)


@dataclass(frozen=True, eq=False, repr=False)
class Relinked(Result):
    """Chains of pieces that an attacker takes for one person, and how far that is right where the truth is known.

    A piece that shares no cell with anybody in reach stays alone, and so does whoever is absent from a window: a chain
    ends there, and the next piece begins another.
    """

    by: str
    memory: str
    reach_windows: int
    points: int
    seed: int | None
    pieces: int
    windows: int  # that hold a piece
    joins: int
    chains: int
    uniqueness: tuple[Uniqueness, ...]  # of pieces, rejoined and, where known, original trajectories, by label
    score: RelinkScore | None  # None where nobody tells who is behind the pieces
    seconds: float
    machine: str
    gains: Floats = field(repr=False)  # bits per window after the first, of all pairs of the assignment
    bounds: Floats = field(repr=False)  # no other assignment gains less
    following: Ints = field(repr=False)  # per published row: the row joined to its end, -1 for none
    chain: Ints = field(repr=False)  # per published row: the number of its chain

    def section(self) -> Section:
        """Whether the pieces of a cut trajectory are joined again."""
        return relinked_section(self)

    def columns(self) -> Mapping[str, Any]:
        """A row for each published row: the row joined to its end, and its chain."""
        return {"row": np.arange(self.pieces), "following": self.following, "chain": self.chain}

    def __repr__(self) -> str:
        result = "" if self.score is None else f", {self.score.summary()}"
        return f"Relinked(pieces={self.pieces:,}, joins={self.joins:,}, chains={self.chains:,}{result})"


@public
def relink(
    release: Release | str | Path,
    *,
    link: str | Path | None = None,
    score: Literal["gain", "evidence"] = "gain",
    memory: Literal["piece", "chain"] = "piece",
    reach_windows: int = 1,
    points: int = 4,
    seed: int | None = None,
) -> Relinked:
    """Join the pieces of a cut release again: those of each window with those of the next, one partner each.

    By default the optimal assignment of [xu2017, Eq. 4]. The attack sees published rows and the windows that the
    manifest states; members, or the link file of a release folder, only score it. Differs from [xu2017], whose days
    are complete: pieces differ in number and length, and pairs without a common cell are not joined.

    Args:
        release: A cut release, or the folder of one.
        link: Link file of a release folder, to score the joins by.
        score: What speaks for a pair: the least information gain [xu2017, Eq. 4], or the evidence that both are of one
            person, as in `attack.link`, which goes beyond the paper.
        memory: Compare with the last piece, or with the whole chain of pieces joined so far, which goes beyond the
            paper.
        reach_windows: Windows that a person may be absent and still be joined; 1 is the next window.
        points: Visits that an attacker knows, for the uniqueness of pieces and chains.
        seed: Settles ties between equals at random. [default: by position]

    Returns:
        Which piece follows which, with a bound that certifies each assignment, and how many joins are right.

    >>> from incrowd.anonymize import Cut
    >>> visits = Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1])
    >>> relink(Cut(windows=2)(visits), points=1)
    Relinked(pieces=4, joins=2, chains=2, 2 of 2 neighbours joined, chance 0.5000)
    """
    began = time.perf_counter()
    check_choice("score", score, JOINS)
    check_choice("memory", memory, MEMORY)
    check_whole(reach_windows=reach_windows)
    if seed is not None:
        check_seed(seed=seed)
    question = UniquenessQuestion(points=points, seed=seed or 0)
    data, grid = _published(release)
    owner = owners_from(release, data, link)
    window, reach = _windows(data, grid), int(reach_windows)
    joins = join(data, window, memory=memory, reach=reach, seed=seed, score=score)
    wholes = {"pieces": np.arange(len(data)), "rejoined": joins.chain}
    wholes |= {} if owner is None else {"originals": owner}
    return Relinked(
        by=score,
        memory=memory,
        reach_windows=reach,
        points=question.points,
        seed=seed,
        pieces=len(data),
        windows=len(joins.windows),
        joins=int((joins.following != NONE).sum()),
        chains=int(joins.chain.max()) + 1,
        uniqueness=tuple(u for name in wholes for u in _singled_out(rejoined(data, wholes[name]), name, question)),
        score=None
        if owner is None
        else scored(data, window, joins, owner, reach=reach, question=question, wholes=wholes),
        gains=frozen(joins.gains),
        bounds=frozen(joins.bounds),
        following=frozen(joins.following),
        chain=frozen(joins.chain),
        seconds=time.perf_counter() - began,
        machine=machine(),
    )


def _published(release: Release | str | Path) -> tuple[Visits, dict[str, Any]]:
    """What everybody can see: the rows, and how the windows lie."""
    if isinstance(release, Release):
        data: Any = release.data
        method, params = release.params.get("method"), release.params
    else:
        from incrowd import read

        data = read.release(release)
        manifest = manifest_in(release)
        method, params = manifest.get("method"), manifest.get("parameters") or {}
    if method != "Cut" or not isinstance(data, Visits):
        raise DataError(f"only a release of cut visits has pieces to join, and this one was made by {method}.")
    return data, {name: params[name] for name in GRID if params.get(name) is not None}


def _windows(data: Visits, grid: dict[str, Any]) -> Ints:
    """The window of each piece: cutting pieces again changes nothing."""
    cut = windows(data, **grid)
    if len(cut.owner) != len(data) or len(np.unique(cut.owner)) != len(data):
        raise DataError("a pseudonym has no visit or runs across windows; this release was not cut as it says.")
    return cut.window


def _singled_out(visits: Visits, label: str, question: UniquenessQuestion) -> list[Uniqueness]:
    """By some random points under two conventions, and by the most visited places."""
    same: Any = {"seed": question.seed, "label": label}
    drawn = [uniqueness(visits, points=question.points, short=short, **same) for short in ("drop", "all")]
    return drawn + [uniqueness(visits, points=k, knowledge="top", **same) for k in TOPS]


def relinked_section(result: "Relinked") -> Section:
    """Whether the pieces of a cut trajectory are joined again."""
    score = result.score
    tables = [_identified(result.uniqueness)]
    if score is None:
        chains = f"{result.chains:,} chains of {result.pieces:,} pieces"
        answer = f"{result.joins:,} joins make {chains}; no link file was given, so the joins could not be scored."
    else:
        answer = (
            f"{percent(score.share)} ({score.right:,} of {score.neighbours:,} pairs of consecutive pieces of one "
            f"person) are joined, {percent(score.chance)} by chance; {percent(score.precision)} of all joins are "
            f"right, and {score.restored:,} of {score.several:,} people with several pieces were fully reconstructed."
        )
        rows = [(name, percent(risk.value), f"{risk.population:,}") for name, risk in score.known_before.items()]
        caption = f"People identified by {several(result.points, 'random visit')} known before the cut."
        tables.insert(0, Table(("among", "identified", "people"), rows, caption))
    return Section(
        question="Can the pieces of a cut trajectory be joined again?",
        answer=answer,
        number=f"{result.joins:,}" if score is None else percent(score.share),
        number_of="joins" if score is None else "of consecutive pieces joined",
        tables=tables,
        method=[
            BY[result.by],
            KNOWN_BEFORE,
            "Chance makes as many joins between the same windows at random.",
            "A person who is absent for a window ends a chain.",
            "A better attack may exist: the risk is at least this.",
        ],
        options=f"by {result.by}, memory {result.memory}, reach {several(result.reach_windows, 'window')}, "
        f"{in_words(result.seconds)} on {result.machine}",
        data=result,
    )


def _identified(results: tuple[Uniqueness, ...]) -> Table:
    """One row for each question, one column for each kind of trajectory."""
    labels = list(dict.fromkeys(risk.label for risk in results))
    by_name: dict[str, dict[str, str]] = {}
    for risk in results:
        name = f"top {risk.points}" if risk.knowledge == "top" else f"{risk.points} random visits, short: {risk.short}"
        by_name.setdefault(name, {})[risk.label] = percent(risk.value)
    rows = [(name, *(shares.get(label, "-") for label in labels)) for name, shares in by_name.items()]
    return Table(("identified by", *labels), rows, "Share identified within each kind of trajectory by itself.")

"""Violating and frequent sequences -> which pairs to suppress, in order, and what that costs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple, get_args

from incrowd.arrays import Ints
from incrowd.errors import check_choice
from incrowd.kernels import kernel
from incrowd.kernels.types import Items
from incrowd.measure.lkc import Pair, Sequences, pairs_of, watch
from incrowd.plain import percent, several
from incrowd.show import Line, Lines, Result, Section

Scores = Literal["static", "recompute"]
SCORES: tuple[str, ...] = get_args(Scores)
GREEDY = (
    "Pairs of cell and slot are suppressed everywhere, the highest PrivGain / (UtilityLoss + 1) first, until anyone "
    "who knows L visits of a person finds at least K people, of whom at most a share C have one sensitive value."
)
PATTERN = "A pattern is a maximal frequent sequence: visits that K' people or more share and that cannot be extended."


class Score(NamedTuple):
    """What suppressing a pair would win and lose: violating and frequent sequences that hold it."""

    gain: int
    loss: int

    @property
    def value(self) -> Fraction:
        """PrivGain / (UtilityLoss + 1) [mohammed2009, Eq. 1]."""
        return Fraction(self.gain, self.loss + 1)


@dataclass(frozen=True, eq=False)
class Suppression(Result):
    """The winners of a greedy run in order, and the maximal frequent sequences before and after."""

    items: Items
    gains: Ints  # PrivGain of each winner in its round
    losses: Ints  # UtilityLoss
    scores: str
    violating: Sequences
    frequent_before: Sequences
    frequent_after: Sequences

    @property
    def pairs(self) -> list[Pair]:
        """The suppressed (cell, slot), in order."""
        return pairs_of(self.items, self.violating.cell, self.violating.slot)

    @property
    def rounds(self) -> list[tuple[Pair, Score]]:
        """The winner of each round with its score."""
        scores = map(Score, self.gains.tolist(), self.losses.tolist())
        return list(zip(self.pairs, scores, strict=True))

    @property
    def preserved(self) -> int:
        """Maximal frequent sequences that hold no suppressed pair; their support is what it was."""
        return len(self.frequent_before.without(self.items))

    @property
    def preserved_share(self) -> float:
        """In [0, 1], higher is better; 1 if there was nothing to preserve."""
        return self.preserved / len(self.frequent_before) if len(self.frequent_before) else 1.0

    def section(self) -> Section:
        """What the suppression took away; no place or time is named."""
        before, broken = len(self.frequent_before), several(len(self.violating), "violating sequence")
        suppressed = several(len(self.violating.cell), "pair")
        return Section(
            question="What did the suppression remove?",
            answer=f"Suppressing {len(self.items):,} of {suppressed} of cell and slot breaks all {broken}; "
            f"{self.preserved:,} of {several(before, 'pattern')} are untouched.",
            number=percent(self.preserved_share, 0),
            number_of="of the frequent patterns kept",
            panels=self._rounds(),
            method=[
                f"{GREEDY} Scores are {self.scores}.",
                f"{PATTERN} Afterwards {len(self.frequent_after):,} of them are left or have become maximal.",
            ],
            options=f"scores {self.scores}",
            data=self,
            references=("mohammed2009",),
        )

    def _rounds(self) -> list[Lines]:
        if not len(self.items):
            return []
        count = len(self.violating)
        left = [count, *(count - self.gains.cumsum()).tolist()]
        caption = f"Violating sequences left, round by round (n = {count:,})."
        words = f"Violating sequences left after each of {len(left) - 1:,} suppressed pairs, from {count:,} to 0."
        line = Line("", list(range(len(left))), left, style="step")
        x, y = "pairs suppressed", "violating sequences left"
        return [Lines("suppression", x, y, (line,), caption, share=False, words=words)]

    def columns(self) -> Mapping[str, Any]:
        """A row for each round: sequences that it broke, and patterns that it cost."""
        return {"round": list(range(1, len(self.items) + 1)), "gain": self.gains, "loss": self.losses}

    def to_dict(self) -> dict[str, Any]:
        """Counts, for JSON."""
        return {
            "suppressed_pairs": len(self.items),
            "pairs": len(self.violating.cell),
            "violating": len(self.violating),
            "frequent_before": len(self.frequent_before),
            "frequent_after": len(self.frequent_after),
            "preserved_share": self.preserved_share,
            "scores": self.scores,
        }


def suppression(
    violating: Sequences, frequent: Sequences, scores: Scores, limit_s: float, limit_gib: float
) -> Suppression:
    """Suppress the pair of the highest score until no violating sequence is left [mohammed2009, Sec. 4.2].

    "static" only deletes frequent sequences, as Table 4 does; "recompute" keeps U(T) up to date. Both sequences are
    over the same pairs. Ties: larger gain, then earliest slot, then smallest cell.
    """
    check_choice("scores", scores, SCORES)
    lkc, pairs = kernel("lkc"), len(violating.cell)
    before, sets = (frequent.starts, frequent.items), (violating.starts, violating.items)
    limits = watch("the choice of what to suppress", "raise min_support", limit_s, limit_gib)
    items, gains, losses = lkc.suppress(*sets, *before, pairs, scores == "recompute", limits)
    # No mining: U(T') are the maximal elements of {x∖P : x in U(T)}.
    limits = watch("the search for patterns that are left", "raise min_support", limit_s, limit_gib)
    starts, members = lkc.project_sets(*before, pairs, items, limits)
    after = Sequences(starts, members, frequent.cell, frequent.slot)
    return Suppression(items, gains, losses, scores, violating, frequent, after)


def candidate_scores(violating: Iterable[tuple[Pair, ...]], frequent: Iterable[tuple[Pair, ...]]) -> dict[Pair, Score]:
    """The score of every pair in some violating sequence, by slot, then cell [mohammed2009, Table 3].

    >>> candidate_scores([((5, 0), (6, 1)), ((6, 1),)], [((6, 1),)])[6, 1].value
    Fraction(1, 1)
    """
    gain = Counter(pair for sequence in violating for pair in sequence)
    loss = Counter(pair for sequence in frequent for pair in sequence)
    return {pair: Score(gain[pair], loss[pair]) for pair in sorted(gain, key=lambda pair: pair[::-1])}

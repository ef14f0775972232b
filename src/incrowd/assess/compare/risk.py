"""A release beside its original -> how often people are guessed rightly, by the same attackers for every method."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Ints, offsets_of
from incrowd.assess.compare.settings import MethodInputs
from incrowd.assess.questions.linking import SCORES
from incrowd.assess.questions.lookup import mean_of, rights
from incrowd.attack import Relinked, link, lookup, relink
from incrowd.attack.lookup import fewest
from incrowd.attack.relink import JOINS
from incrowd.attack.relink.join import rejoined
from incrowd.audit import check
from incrowd.data import Fingerprints, Groups, Release, Traces, Visits
from incrowd.discretize import grid
from incrowd.measure.uniqueness.question import effective_interval, wilson

LATER = (
    "Recognised later is the share of people of the first half of the period, known by name at the cells and slots of "
    "the release, whose best candidate in the second half of the release is theirs (ties and crowds in expectation): "
    "the stronger of evidence over places and rhythm, and histogram. It is a dash if nobody is in both halves."
)
KNOWS = (
    "The attacker knows {points} random records of a person as precisely as the release shows them (all of a person "
    "with fewer), looks them up, and guesses among the people behind the rows that hold them: a guess among n people "
    "is right with 1/n. Records of different windows or pieces are looked up apart, and the best lookup counts. Moved "
    "points are looked up where they are and within their movement. The pieces of a cut release are looked up as they "
    "are and joined again, by least information gain [xu2017, Eq. 4] and by evidence. The data as they are go through "
    "the same lookups, and where a method takes visits, so do the visits it is given."
)
JUDGED = (
    "Records were drawn, so what is judged is the upper end of the 95 % interval, but never more than if everything "
    "published of a person were known. A crowd below k is that of an attacker who knows everything published. With "
    "1/2 or more is the share of people guessed rightly with this probability. If the known records of half of the "
    "people are not found, the attacker is misled, and the release is judged as if everything published were known."
)


@dataclass(frozen=True, eq=False)
class Recognised:
    """How many people of the first half of the period are recognised in the second half of a release."""

    by: str
    share: Fraction
    high: Fraction  # upper end of its 95 % interval, at most what everything published tells
    people: int  # in both halves


def recognised(release: Release, source: MethodInputs, caps: Ints) -> Recognised | None:
    """The stronger of the attackers who know the first half of the period and look at the second half."""
    data: Any = release.data
    if isinstance(data, Traces):
        data = grid(data, cell_m=source.cell_m, slot_min=source.slot_min, start=source.visits.start)
    same = not isinstance(data, Visits) or (data.cell_m, data.slot_min) == (source.cell_m, source.slot_min)
    known = source.visits if same else source.visits_on(data.cell_m, data.slot_min)
    middle_s = source.middle_s
    before, after = _begins(known) < middle_s, _begins(data) >= middle_s
    if not before.any() or not after.any():
        return None
    past, later = known.only(before), replace(release, data=data.only(after))
    best: Recognised | None = None
    for score in SCORES:
        linkage = link(past, later, score=score)
        real = ~np.isnan(linkage.right)
        if not real.any():
            return None
        right, share = linkage.right[real], Fraction(float(linkage.right[real].mean()))
        high = max(share, min(Fraction(effective_interval(right)[1]), mean_of(caps[real])))
        if best is None or share > best.share:
            best = Recognised(score, share, high, int(real.sum()))
    return best


def _begins(data: Visits | Fingerprints) -> NDArray[Any]:
    """When each record begins, in UTC seconds."""
    start = data.start or 0
    if isinstance(data, Visits):
        return start + 60 * int(data.slot_min or 1) * data.slot
    return start + 60 * data.t


@dataclass(frozen=True, eq=False)
class Risk:
    """How well the people of a release are guessed, exactly.

    Args:
        crowd: Of each person in the release the people among whom it is guessed, 0 for a wrong guess.
        caps: The same for an attacker who knows everything published.
        there: Positions of these people in the original.
        asked: People of the original.
        floor: The smallest crowd that a guarantee leaves to this attacker, recomputed by the audit; 1 if there is none.
        linked: How many are recognised later, if anybody is in both halves.
        rejoined: Share of neighbouring pieces that are joined again, if something was cut.
    """

    crowd: Ints
    caps: Ints
    there: Ints
    asked: int
    floor: int = 1
    linked: Recognised | None = None
    rejoined: float | None = None

    @property
    def people(self) -> int:
        """People in the release."""
        return len(self.crowd)

    @property
    def misled(self) -> bool:
        """Whether half of the people or more are in no row that holds what is known of them."""
        return 2 * int((self.crowd == 0).sum()) >= self.people

    @cached_property
    def guess(self) -> Fraction:
        """The probability of a right guess, on average."""
        return mean_of(self.crowd)

    @cached_property
    def cap(self) -> Fraction:
        """The same if everything published is known."""
        return mean_of(self.caps)

    @property
    def guess_high(self) -> Fraction:
        """The upper end of its interval, at most the cap."""
        cap = min(self.cap, Fraction(1, self.floor))
        return self._upper(self.guess, effective_interval(rights(self.crowd))[1], cap)

    @property
    def worst_high(self) -> Fraction:
        """The share of people guessed rightly with 1/2 or more, at its upper end."""
        return self._at_most(2)

    @property
    def alone_high(self) -> Fraction:
        """The share of people identified, at its upper end."""
        return self._at_most(1)

    def share(self, most: int) -> Fraction:
        """The share of people in a crowd of at most so many."""
        return _share((self.crowd > 0) & (self.crowd <= most))

    def below(self, k: int) -> Fraction:
        """The share of people in a crowd below k if everything published is known."""
        return _share((self.caps > 0) & (self.caps < k))

    def _at_most(self, most: int) -> Fraction:
        share = self.share(most)
        cap = _share((self.caps > 0) & (self.caps <= most)) if self.floor <= most else Fraction(0)
        return self._upper(share, wilson(float(share), self.people)[1], cap)

    def _upper(self, value: Fraction, high: float, cap: Fraction) -> Fraction:
        """The upper end, or the cap where it is lower or the attacker is misled."""
        return max(value, cap if self.misled else min(Fraction(high), cap))

    def numbers(self, k: int) -> dict[str, float | None]:
        """By name, for a table; shares of the people in the release."""
        sizes, caps = self.crowd[self.crowd > 0], self.caps[self.caps > 0]
        later = self.linked
        return {
            "guess": float(self.guess),
            "guess_high": float(self.guess_high),
            "guessed": float(max(self.guess_high, later.high if later else Fraction(0))),
            "worst": float(self.share(2)),
            "worst_high": float(self.worst_high),
            "cap": float(self.cap),
            "singled_out": float(self.share(1)),
            "singled_out_high": float(self.alone_high),
            "below_k": float(self.below(k)),
            "found": float(_share(self.crowd > 0)),
            "crowd_least": float(caps.min()) if caps.size else None,
            "crowd_median": float(np.median(sizes)) if sizes.size else None,
            "linked": float(later.share) if later else None,
            "linked_high": float(later.high) if later else None,
            "rejoined": self.rejoined,
        }


def risk(release: Release, original: Any, source: MethodInputs, *, points: int, seed: int) -> Risk:
    """Attack a release that publishes something; `original` is what it was made from, person by person.

    >>> from incrowd import Fingerprints
    >>> from incrowd.anonymize import Cut
    >>> two = Fingerprints.from_arrays([1, 1, 2, 2], x=[0, 0, 900, 900], y=[0] * 4, t=[0, 400, 0, 400])
    >>> source = MethodInputs(two, cell_m=100, slot_min=60)
    >>> cut = risk(Cut(window_h=6)(source.visits), source.visits, source, points=2, seed=0)
    >>> cut.guess, cut.linked.share, cut.rejoined
    (Fraction(1, 1), Fraction(1, 1), 1.0)
    """
    cut = release.params.get("method") == "Cut"
    joined = joins(release, points=points, seed=seed) if cut else []
    looks = [looked_up(look, original, points=points, seed=seed) for look in (release, *chains(release, joined))]
    worst = strongest(looks)
    caps = np.full(worst.asked, -1)
    caps[worst.there] = worst.caps
    shares = [one.score.share for one in joined if one.score is not None and one.score.share is not None]
    return replace(worst, linked=recognised(release, source, caps), rejoined=max(shares, default=None))


def looked_up(release: Release, original: Any, *, points: int, seed: int) -> Risk:
    """Who is guessed by some known records, in a release as it is."""
    answer = lookup(release, original, records=points, seed=seed)
    there = np.flatnonzero(answer.crowd >= 0)
    return Risk(answer.crowd[there], answer.caps[there], there, len(answer.crowd), _floor(release, points))


def strongest(looks: Sequence[Risk]) -> Risk:
    """For each person the lookup that leaves the fewest people; all are of the same people."""
    crowd, caps = (fewest(np.stack([getattr(look, name) for look in looks])) for name in ("crowd", "caps"))
    return replace(looks[0], crowd=crowd, caps=caps)


def joins(release: Release, **how: Any) -> list[Relinked]:
    """The pieces of a cut release joined again, by both scores; `how` are further options of `attack.relink`."""
    return [relink(release, score=score, **how) for score in JOINS]


def _floor(release: Release, points: int) -> int:
    """The k of a release that states it for so many known records or more, if the audit confirms it."""
    claims = release.claims
    if not claims.get("l") or claims["l"] < points or not claims.get("k"):
        return 1
    confirmed = any(one.name == "LKC-privacy" and one.status == "pass" for one in check(release))
    return int(claims["k"]) if confirmed else 1


def chains(release: Release, joined: Sequence[Relinked]) -> list[Release]:
    """The pieces as an attacker joined them; behind a chain are all people whose pieces are in it."""
    data: Any = release.data
    made = []
    for one in joined:
        row, person = np.unique(np.stack([one.chain, release.members.positions]), axis=1)
        members = Groups(offsets_of(row, one.chains), person.copy())
        made.append(replace(release, data=rejoined(data, one.chain), members=members))
    return made


def _share(flags: Flags) -> Fraction:
    return Fraction(int(flags.sum()), max(len(flags), 1))

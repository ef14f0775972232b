"""Releases side by side -> the first screen of their page: which passes, by what number, and what is left."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from incrowd.report.cards import Card, Tone, card_of
from incrowd.report.verdict import tone_of

if TYPE_CHECKING:
    from incrowd.assess.side_by_side import SideBySide


@dataclass(frozen=True)
class ReleaseSide:
    """One release.

    Args:
        name: Of the release and of its page.
        tone: Colour, by verdict.
        chip: The verdict in two words.
        about: What this way of publishing does.
        verdict: The first sentence of its page.
        card: The test that decides; None if nothing was compared with a limit.
        left: What is left in it.
    """

    name: str
    tone: Tone
    chip: str
    about: str
    verdict: str
    card: Card | None
    left: str


@dataclass(frozen=True)
class ReleasesScreen:
    """All releases, with the answer first."""

    headline: str
    question: str
    releases: tuple[ReleaseSide, ...]


def sides_of(result: "SideBySide") -> ReleasesScreen:
    """All that the page shows above its details.

    Args:
        result: The releases.
    """
    part = result.section()
    sides = tuple(_side(result, name) for name in result.assessments)
    return ReleasesScreen(part.answer, part.question, sides)


def _side(result: "SideBySide", name: str) -> ReleaseSide:
    assessment = result.assessments[name]
    tone = tone_of(assessment)
    held = [one for one in assessment.held if one.verdict == "above" or not assessment.above]
    drawn = [card for card in map(card_of, held) if card.deciding is not None and card.deciding.bar is not None]
    return ReleaseSide(
        name=name,
        tone=tone,
        chip="Passes with an override" if assessment.overridden else "Passes" if tone == "ok" else "Does not pass",
        about=result.about.get(name, ""),
        verdict=f"{assessment.verdict.partition('. ')[0].rstrip('.')}.",
        card=max(drawn, key=lambda card: card.excess, default=None),
        left=result.left(name),
    )

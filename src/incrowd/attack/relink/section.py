"""Relinked pieces as a section: how many joins are right, and who is identified again."""

from typing import TYPE_CHECKING

from incrowd.measure import Uniqueness
from incrowd.plain import in_words, percent, several
from incrowd.show import Section, Table

if TYPE_CHECKING:
    from incrowd.attack.relink import Relinked

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

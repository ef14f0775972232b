"""A linkage as a section: how many people are recognised, how, and how sure the attacker may be."""

from typing import TYPE_CHECKING

from incrowd.plain import in_words, percent, several
from incrowd.show import Section, Table

if TYPE_CHECKING:
    from incrowd.attack.link.result import Linkage

SCORES = {
    "evidence": "The score is the evidence that two rows are of one person: the log Bayes factor against two people of "
    "the crowd, whose places differ from person to person as they do on the known side.",
    "histogram": "The score compares the shares of visits that two people spend at each place "
    "(Naini and others 2016, minus the Jensen-Shannon divergence).",
    "overlap": "Candidates are ranked by what they share with the known person; each shared visit counts -log2 of the "
    "share of people who have it, too, so rare places count more.",
}
VIEWS = {
    "places": "places visited",
    "rhythm": "places by quarter of the day",
    "week": "places by hour of the week",
    "moments": "place and time slot",
}


def linkage_section(linkage: "Linkage") -> Section:
    """Whether known people are recognised in the target."""
    rows = [
        (f"right candidate among the first {k}", percent(linkage.hit[k]), percent(linkage.chance[k]))
        for k in linkage.hit
    ]
    rows.append(("median rank", _number(linkage.median_rank), _number(linkage.chance_median_rank)))
    ahead = f"{percent(linkage.claims_right)} of {linkage.claimed:,}"
    rows.append(("right if the best is ahead of the second", ahead, "-"))
    if linkage.matching is not None:
        rows.append(("left without a partner", f"{linkage.matching.known_alone:,} known people", "-"))
        rows.append(("a better matching could add at most", f"{linkage.matching.gap:,.3g}", "-"))
    return Section(
        question="Can people known from one dataset be recognised in another?",
        answer=_answer(linkage),
        number=percent(linkage.hit[1]),
        number_of="of people recognised",
        tables=[Table(("", "attack", "chance"), rows)],
        method=[SCORES[linkage.score], *_method(linkage)],
        options=_options(linkage),
        data=linkage,
        number_at=("hit", "1"),
    )


def _answer(linkage: "Linkage") -> str:
    if not linkage.told:
        return (
            f"{linkage.target:,} candidates were ranked for {several(linkage.known, 'known person', 'known people')}; "
            f"for {linkage.claimed:,} of them the best is ahead of the second. No link file was given, so the matches "
            "could not be scored."
        )
    if linkage.hit[1] is None:
        return "None of the known people is among the candidates."
    hits = linkage.hit[1] * linkage.scored
    return (
        f"The attacker names the right one of {several(linkage.target, 'candidate')} for {percent(linkage.hit[1])} "
        f"({hits:,.0f} of {linkage.scored:,} people); by chance it would be {percent(linkage.chance[1])}."
    )


def _method(linkage: "Linkage") -> list[str]:
    views = "; ".join(VIEWS[view] for view in linkage.views)
    words = [f"Compared: {views}. Ties are settled in expectation, and a row that stands for n people counts 1/n."]
    if linkage.one_to_one:
        words.append("Everybody has one partner at most: the matching of greatest total, by an auction with a bound.")
    if linkage.at_bound:
        words.append(f"Alpha is at the end of what is searched for: {', '.join(linkage.at_bound)}.")
    interval = linkage.interval
    if interval is not None:
        words.append(f"95 % interval of the share recognised: {percent(interval[0])} to {percent(interval[1])}.")
    rest = [
        f"{several(linkage.without, 'known person has', 'known people have')} no counterpart and are left out",
        f"{several(linkage.silent, 'person shares', 'people share')} nothing with any candidate",
    ]
    if linkage.empty:
        rest.append(f"{several(linkage.empty, 'person has', 'people have')} no visit")
    if linkage.untold:
        rest.append(f"the link file does not name {several(linkage.untold, 'candidate')}")
    return [*words, f"{'; '.join(rest).capitalize()}."]


def _options(linkage: "Linkage") -> str:
    options = [linkage.score, "views " + ", ".join(linkage.views), "one to one" if linkage.one_to_one else "alone"]
    if "moments" in linkage.views:
        period = "" if linkage.period_slots is None else f" of a period of {linkage.period_slots:,}"
        options.append(
            f"moments within {several(linkage.tolerance_slots, 'slot')}{period} and {linkage.tolerance_m:g} m"
        )
    options += [f"alpha of {view} {alpha:.3g}" for view, alpha in linkage.alpha.items()]
    return ", ".join([*options, f"{in_words(linkage.seconds)} on {linkage.machine}"])


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"

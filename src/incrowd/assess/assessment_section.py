"""An assessment in words: the verdict, the table of tests, their details, and a section for each record behind them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from incrowd.assess.limits import HONESTY
from incrowd.assess.question import (
    ABOVE,
    DOES_NOT_APPLY,
    NO_ANSWER,
    NOT_RUN,
    Answer,
    Number,
    against,
    compared,
)
from incrowd.measure import RiskMap
from incrowd.plain import in_words, percent, sentence, several, span
from incrowd.show import Section, Table, section_of

if TYPE_CHECKING:
    from incrowd.assess.assessment import Assessment

HEAD = ("question", "verdict", "result", "limit", "how many")  # the first four fit a phone
ONLY_ASKED = "Only the attacks listed here were tried; others may succeed."


def verdict_of(result: "Assessment") -> str:
    """Whether anything is above its limit or missing, and the worst."""
    return " ".join([_verdict(result), *_worst(result), *_missing(result), *_more(result)])


def worst_of(result: "Assessment") -> tuple[Answer, Number] | None:
    """The test that is furthest above its limit, and its number; None if nothing is above."""
    over = [(answer, answer.tightest) for answer in result.above if answer.tightest is not None]
    return max(over, key=lambda one: one[1].excess, default=None)


def assessment_section(result: "Assessment") -> Section:
    """The verdict, with the table of all tests."""
    shopped = "; ".join(result.shopping)
    override = f"Override: {result.override} ({shopped}). " if result.override and shopped else ""
    return Section(
        question="Does any test exceed your limits?",
        answer=f"{override}{result.verdict}",
        number=str(len(result.above) + len(result.open)) if result.held or result.open else "-",
        number_of="tests above your limits or missing",
        tables=[_table(result), *_details(result), *_unanswered(result), *_limits(result)],
        method=[
            HONESTY,
            ONLY_ASKED,
            f"The most informative tests came first; {in_words(result.budget_s)} were allowed for all.",
            "Each test has its own section below, with its method and its paper.",
        ],
        options=result.options,
        data=result,
    )


def behind(result: "Assessment") -> Iterator[Section]:
    """Advice, what is in the data, every record behind an answer, and what happened to the records."""
    if result.advice is not None:
        yield section_of(result.advice)
    if result.summary is not None:
        yield section_of(result.summary)
    if result.risk_map is not None:
        yield _mapped(result, result.risk_map)
    for answer in result.answers:
        records = result.results.get(answer.name, ())
        if answer.judged and not records:
            yield answer.section()
        for place, record in enumerate(records):
            yield _about(record, answer, place)
    yield section_of(result.ledger)


def _mapped(result: "Assessment", risk_map: RiskMap) -> Section:
    """Of a release it is said that the map shows the data that it was made from."""
    part = risk_map.section()
    if result.judges == "data":
        return part
    source = "The map shows the data that the release was made from, not the release."
    return replace(
        part, question="Where did one visit identify people before the release?", method=[source, *part.method]
    )


def _verdict(result: "Assessment") -> str:
    held, above, missing = len(result.held), len(result.above), len(result.open)
    if not held and not missing:
        return "No verdict: no test was compared with a limit."
    if result.passed:
        return f"Nothing above your limits: {several(held, 'test')}, none missing."
    reasons = []
    if above:
        tests = f"{above:,} of {several(held, 'test')}"
        reasons.append(f"{tests} {'exceeds' if above == 1 else 'exceed'} your limits")
    if missing:
        reasons.append(f"{several(missing, 'test is', 'tests are')} missing")
    if result.refused:
        reasons.append(f"{several(len(result.refused), 'setting makes', 'settings make')} the verdict easier")
    if not reasons:
        reasons.append("no test of whether people can be identified was judged")
    return f"Do not publish: {' and '.join(reasons)}."


def _worst(result: "Assessment") -> Iterator[str]:
    worst = worst_of(result)
    if worst is not None:
        answer, number = worst
        words = f", {against(number)}" if number is answer.main else f"; {compared(number)}"
        yield f"Worst: {answer.asks} {answer.number}{words}."


def _missing(result: "Assessment") -> Iterator[str]:
    """Tests without an answer, though one was due."""
    late = [one for one in result.open if one.verdict == NOT_RUN]
    if late:
        yield f"Not run: {', '.join(one.name for one in late)}."
    reasons: dict[str, list[str]] = {}
    for one in result.open:
        if one.verdict == NO_ANSWER:
            reasons.setdefault(one.note, []).append(one.name)
    yield from (f"No answer: {', '.join(names)} ({why})." for why, names in reasons.items())


def _more(result: "Assessment") -> Iterator[str]:
    """What makes the verdict easier, what was clear before, and what is lost."""
    if result.refused:
        yield f"Refused without a reason (--override): {'; '.join(result.refused)}."
    if result.remark:
        yield sentence(result.remark)
    if result.loss:
        yield result.loss


def _table(result: "Assessment") -> Table:
    """Numbers lead to the value that was judged, limits to the limit; what is missing though it was due is listed."""
    answered = [(place, one) for place, one in enumerate(result.answers) if one.judged or one in result.open]
    at = {
        (row, HEAD.index(column)): ("answers", place, name)
        for row, (place, one) in enumerate(answered)
        for column, name in (("result", "value"), ("limit", "limit"))
        if getattr(one, name) is not None
    }
    what = "The release." if result.judges == "release" else "The data as they are."
    return Table(HEAD, [_cells(one) for _, one in answered], f"{what} Higher is riskier.", at)


def _cells(one: Answer) -> tuple[str, ...]:
    shut = one.verdict in (ABOVE, NOT_RUN, NO_ANSWER)
    limited = None if one.main is None else one.main.limited
    return (
        one.asks,
        one.verdict.upper() if shut else one.verdict,
        one.share,
        "-" if limited is None else str(limited).partition(" (")[0],
        one.people or "-",
    )


def _details(result: "Assessment") -> list[Table]:
    rows = [(one.name, _explained(one)) for one in result.answers if one.judged]
    return [Table(("test", "what the attacker knows, and more about the number"), rows)] if rows else []


def _explained(one: Answer) -> str:
    numbers = sentence("; ".join(compared(number) for number in one.judged))
    interval = None if one.main is None else one.main.interval
    parts = (
        f"95 % interval {span(interval)}" if interval is not None and one.name != "membership" else "",
        f"chance {percent(one.chance)}" if one.chance is not None else "",
        f"without the data {percent(one.control)}" if one.control is not None else "",
        one.note,
    )
    return f"{one.asks} {one.attacker}. {numbers} {sentence('; '.join(filter(None, parts)))}".rstrip()


def _unanswered(result: "Assessment") -> list[Table]:
    rows = [
        (one.name, f"{one.asks} {sentence(f'{one.verdict}: {one.note}')}")
        for one in result.answers
        if not one.judged and (one.verdict != DOES_NOT_APPLY or result.judges == "release" or "release" not in one.note)
    ]
    return [Table(("test", "why there is no answer"), rows)] if rows else []


def _limits(result: "Assessment") -> list[Table]:
    """Every limit that was used, with its source."""
    used: dict[str, Any] = {number.limit: number.limited for one in result.answers for number in one.judged}
    rows = [
        (name, str(limit), limit.source)
        for name, limit in used.items()
        if limit is not None and limit.value is not None
    ]
    return [Table(("limit", "value", "source"), rows)] if rows else []


def _about(record: Any, answer: Answer, place: int) -> Section:
    """The section of a record; that of the number that was judged is headed by the question of its test."""
    part = _judged(record, answer) if isinstance(record, Sequence) else section_of(record)
    if place:
        return part
    return replace(part, question=answer.asks, method=[f"{answer.attacker}.", *part.method])


def _judged(curve: Sequence[Any], answer: Answer) -> Section:
    """Uniqueness against known visits, with the answer that was judged first."""
    from incrowd.measure.uniqueness import section

    part = section.section_of_uniqueness(curve, curve[answer.numbers["judged"]])
    return replace(part, number=answer.share, number_of=answer.people)

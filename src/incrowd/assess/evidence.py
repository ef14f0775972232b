"""An assessment under the headings of ISO/IEC 27559, to paste into a data protection impact assessment."""

from incrowd.assess.assessment import Assessment
from incrowd.assess.head import (
    ORDER,
    AssessmentHead,
    blank_table,
    earlier_table,
    facts_table,
    files_table,
    limits_table,
    not_asked_table,
)
from incrowd.assess.limits import HONESTY
from incrowd.assess.question import Answer, compared
from incrowd.errors import DataError
from incrowd.plain import in_words as time_in_words
from incrowd.plain import percent, sentence, several
from incrowd.show import Section, Table, section_of

TITLE = "Evidence for a data protection impact assessment (headings of ISO/IEC 27559)"


def evidence(assessment: Assessment) -> list[Section]:
    """The same facts as on the page: context, data, adversarial testing, mitigation, re-evaluation.

    Args:
        assessment: What was found.
    """
    head = assessment.head
    if head is None:
        raise DataError("this assessment has no head; make it with incrowd.assess.assess.")
    return [
        _context(assessment, head),
        _data(assessment, head),
        _testing(assessment, head),
        _mitigation(assessment, head),
        _again(head),
    ]


def _context(result: Assessment, head: AssessmentHead) -> Section:
    what = "A release made from the data" if result.judges == "release" else "The data as they are"
    rows = [(one.about, one.name, one.attacker) for one in result.answers if one.judged or one in result.open]
    return Section(
        question="Context",
        answer=f"{what} would be published; whoever has it may try each of the attacks below.",
        tables=[
            facts_table(result, head),
            Table(("about", "test", "what the attacker knows"), rows, "Attackers that were assumed."),
        ],
        method=[ORDER],
    )


def _data(result: Assessment, head: AssessmentHead) -> Section:
    records = "" if result.records is None else f" and {several(result.records, 'record')}"
    days = "" if head.period is None else f", from {head.period[0]} to {head.period[1]}"
    return Section(
        question="Data",
        answer=f"{several(result.people, 'person', 'people')}{records}{days}, on {result.grain}.",
        tables=[*files_table(head.files), *section_of(result.ledger).tables],
        method=[] if head.files else ["The data were in memory, so there are no digests of files."],
    )


def _testing(result: Assessment, head: AssessmentHead) -> Section:
    rows = [_row(one) for one in result.answers if one.judged]
    columns = ("about", "question", "verdict", "numbers", "by chance", "took")
    return Section(
        question="Adversarial testing",
        answer=result.verdict,
        tables=[
            Table(columns, rows, "Tests and their numbers, each with its limit."),
            *not_asked_table(result),
            limits_table(head.limits),
        ],
        method=[HONESTY],
    )


def _row(one: Answer) -> tuple[str, ...]:
    numbers = "; ".join(compared(number) for number in one.judged)
    return one.about, one.asks, one.verdict, numbers, percent(one.chance), time_in_words(one.took_s)


def _mitigation(result: Assessment, head: AssessmentHead) -> Section:
    advice = [] if result.advice is None else [section_of(result.advice)]
    made = f"The release was made by {head.published['method']}{_with(head)}." if head.published.get("method") else ""
    if result.judges == "data":
        made = "Nothing was done to the data that are judged."
    easier = f"Settings that make the verdict easier: {'; '.join(result.shopping)}." if result.shopping else ""
    reason = f"They were allowed because: {result.override}." if result.override and result.shopping else ""
    words = (made, result.loss, easier, reason, *(part.answer for part in advice))
    return Section(
        question="Mitigation",
        answer=" ".join(filter(None, words)) or "The release does not say how it was made.",
        tables=[table for part in advice for table in part.tables],
    )


def _with(head: AssessmentHead) -> str:
    parameters = ", ".join(f"{name} = {value}" for name, value in head.published.get("parameters", {}).items())
    return f" with {parameters}" if parameters else ""


def _again(head: AssessmentHead) -> Section:
    return Section(
        question="Re-evaluation",
        answer=f"{sentence(head.run)} Assess again when the data, what is published, or what others know has changed.",
        tables=[*earlier_table(head), blank_table()],
        method=["incrowd audit --page recomputes digests, limits, tests due and verdict from what --attest wrote."],
    )

"""An attestation -> what does not fit in it: files, limits, settings, tests due, numbers and verdict, recomputed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from incrowd import __version__
from incrowd.assess.assessment import Assessment
from incrowd.assess.attest import DAMAGED, STATED, read_attestation, reread
from incrowd.assess.digests import JudgedFile, data_files, release_files, seed_of
from incrowd.assess.head import AssessmentHead
from incrowd.assess.limits import limits_of
from incrowd.assess.options import Options
from incrowd.assess.question import DOES_NOT_APPLY, FEWEST, UNANSWERED, Answer, Finding, Number, judged
from incrowd.assess.questions import QUESTIONS
from incrowd.assess.questions.earlier import EARLIER
from incrowd.audit.verdict import Check, Verdict, failed, passed, unasked
from incrowd.audit.verdict import judged as checked
from incrowd.data.release_folder import attestation_of, folder_of, sha256_of
from incrowd.errors import DataError, IncrowdError
from incrowd.plain import percent, several

FILES = "files"
STATED_EXACTLY = ("passed", "exit_code")
PASSES = "Nothing above your limits"
NEAR = 1e-9  # floats this close are equal
ALWAYS_OF_ROWS = ("lookup", "single_visit")  # wherever people have rows
ALWAYS_OF_COUNTS = ("membership",)
PRINTED_APART = "membership"  # what was measured is printed, even if a guarantee below it is judged


@dataclass(frozen=True, kw_only=True)
class Given:
    """Where the files of an attestation may be.

    Args:
        folder: Where the attestation is.
        release: The release, if somebody names it.
        original: The data, if somebody names them.
        link: The link file, if somebody names it.
        layout: A known layout of the data.
    """

    folder: Path
    release: Path | None = None
    original: Sequence[str] = ()
    link: Path | None = None
    layout: str | None = None


def files_check(files: Sequence[JudgedFile], where: Given) -> Check:
    """Whether the files that are there have the digests that are stated.

    Args:
        files: Those of the attestation.
        where: Where they may be.
    """
    faults = list(_faults(files, where))
    return failed(FILES, f"{'; '.join(faults)}.") if faults else _fitting(files, where)


def _faults(files: Sequence[JudgedFile], where: Given) -> Iterator[str]:
    """Files that are there and are not those that were judged."""
    for one in files:
        there = _digest(one, where)
        if there is not None and there != one.sha256:
            yield f"{one.name} is not the file that was judged"
    folder = _release(files, where)
    if folder is not None and folder.is_dir():
        listed = {one.name.partition("/")[2] for one in files if one.role == "release"}
        others = {one.name.partition("/")[2] for one in release_files(folder)} - listed
        if others:
            yield f"the release holds {several(len(others), 'file that was', 'files that were')} not judged"
    given = [Path(one) for one in where.original]
    if given and {one.sha256 for one in data_files(given, where.layout)} != {
        one.sha256 for one in files if one.role == "data"
    }:
        yield "the data given are not those that were judged"


def _fitting(files: Sequence[JudgedFile], where: Given) -> Check:
    """How many files are there and are those that were judged."""
    compared = [one for one in files if (where.original and one.role == "data") or _digest(one, where) is not None]
    if not files:
        return unasked(FILES, "the data were in memory, so there are no digests.")
    if not compared:
        return unasked(FILES, "no file is beside the page; give RELEASE, --original and --link.")
    missing = [one.name for one in files if one not in compared]
    words = f"the SHA-256 of {len(compared)} of {several(len(files), 'file')} is as stated"
    return passed(FILES, f"{words}{'; not found: ' if missing else ''}{', '.join(missing)}.")


def _digest(one: JudgedFile, where: Given) -> str | None:
    """The digest of a file that is there; None if it is not, or if its name leads elsewhere."""
    if Path(one.name).is_absolute() or ".." in Path(one.name).parts:
        return None
    if one.role == "data":
        path = where.folder / one.name
        if where.original or not one.name or not path.exists():
            return None
        return data_files([path], where.layout)[0].sha256
    if one.role == "link":
        path = where.link or where.folder / one.name
    elif where.release is not None and where.release.is_dir():
        path = where.release / one.name.partition("/")[2]
    else:
        path = where.release or where.folder / one.name
    return sha256_of(path) if path.is_file() else None


def _release(files: Sequence[JudgedFile], where: Given) -> Path | None:
    """The folder of the release, if it was given or is beside the page."""
    names = {one.name.partition("/")[0] for one in files if one.role == "release" and "/" in one.name}
    named = next((name for name in sorted(names) if name not in ("", ".", "..")), None)
    return where.release or (None if named is None else where.folder / named)


def check_page(path: Path, **given: Any) -> Verdict:
    """Everything in an attestation that can be recomputed, one check after the other.

    Args:
        path: The file that `assess --attest` wrote.
        given: Where its files are: `release`, `original`, `link` and `layout`, as in `Given`.
    """
    page = read_attestation(path)
    where = Given(folder=path.resolve().parent, **given)
    try:
        stated = reread(page)
        head = stated.head
        if head is None:
            raise TypeError
        checks = (
            files_check(head.files, where),
            checked("seed", list(_seed(stated, head)), _seed_words(stated, head)),
            checked("limits", list(_limits(head)), f"{len(head.limits)} limits are what they are called."),
            checked("settings", list(_settings(stated, head)), _settings_words(stated)),
            checked("tests", list(_tests(stated, head)), f"{len(stated.answers)} tests are listed."),
            checked("numbers", list(_numbers(page, stated)), "each fits its interval, its print and its limit."),
            checked("verdict", list(_verdicts(page, stated, head)), f"it follows from the numbers: {stated.gate}."),
        )
    except (*DAMAGED, IncrowdError):
        return Verdict((failed("format", "a part is missing or is not what the format says."),))
    again = f"run it again to know: {head.command}." if head.command else "run it again to know."
    return Verdict((*checks, unasked("measured", f"whether these numbers are those of the data; {again}")))


def attestation_line(release: Path) -> str:
    """In one line: the attestation beside a release, and whether it fits."""
    path = attestation_of(release)
    try:
        page = read_attestation(path)
        verdict = check_page(path, release=folder_of(release))
    except DataError as error:
        return f"attestation {path.name}: {error}"
    faults = "; ".join(f"{check.name}: {check.evidence}".rstrip(".") for check in verdict.failed)
    fits = f"does not fit ({faults})" if faults else "fits"
    return f"attestation {path.name} {fits}; it says: {page.get('verdict')}"


def _seed(stated: Assessment, head: AssessmentHead) -> Iterator[str]:
    if not stated.seed_given and stated.seed != seed_of(head.files):
        yield "it is said to follow from the data, and does not follow from their digests"


def _seed_words(stated: Assessment, head: AssessmentHead) -> str:
    if stated.seed_given:
        return f"{stated.seed} was given."
    return f"{stated.seed} follows from the digests of the data." if head.files else "0, for data in memory."


def _limits(head: AssessmentHead) -> Iterator[str]:
    """Limits that are called a default, or that of a level, and are not."""
    usual = limits_of(None, head.level)
    yield from (f"{name} has no limit stated" for name in usual if name not in head.limits)
    for name, limit in head.limits.items():
        if not limit.by_user and limit != usual[name]:
            yield f"{name} is stated as {limit}, {limit.source}, and that is {usual[name]}"


def _settings(stated: Assessment, head: AssessmentHead) -> Iterator[str]:
    """Settings that make the verdict easier and are not listed."""
    given = {name: head.settings[name] for name in ("records", "people", "cell_m", "slot_min")}
    set_here = {name: limit.value for name, limit in head.limits.items() if limit.by_user}
    options = Options(level=head.level, limits=set_here, **given)
    published = SimpleNamespace(**{name: head.published.get(name) for name in ("cell_m", "slot_min")})
    easier = options.shopping(published if stated.judges == "release" else None, stated.people)
    yield from (f"not listed: {one}" for one in easier if one not in stated.shopping)


def _settings_words(stated: Assessment) -> str:
    if not stated.shopping:
        return "none makes the verdict easier."
    return f"{'; '.join(stated.shopping)}; override: {stated.override or 'none'}."


def _tests(stated: Assessment, head: AssessmentHead) -> Iterator[str]:
    """Tests that were left out, or are said not to apply though they do."""
    by_name: dict[str, Answer] = {one.name: one for one in stated.answers}
    questions = {question.name: question for question in QUESTIONS}
    yield from (f"{name} is missing" for name in questions if name not in by_name)
    if len(by_name) < len(stated.answers) or set(by_name) - set(questions):
        yield "a test is listed twice, or unknown"
    for name, one in by_name.items():
        question = questions.get(name)
        if question is not None and (one.who, one.about) != (question.who, question.about):
            yield f"{name} is described as another kind of test"
        due = head.limits[name].value is not None and one.verdict != DOES_NOT_APPLY
        if one.due != due:
            yield f"{name} is {'due' if due else 'not due'}, and stated otherwise"
    for name in _applying(head):
        if name in by_name and by_name[name].verdict == DOES_NOT_APPLY:
            yield f"{name} is said not to apply, and does"


def _applying(head: AssessmentHead) -> list[str]:
    """Tests that always apply to what is judged, and those whose limit somebody set."""
    always = ALWAYS_OF_COUNTS if head.published.get("noun") == "Counts" else ALWAYS_OF_ROWS
    audited = ["guarantees"] if any(one.role == "release" for one in head.files) else []
    wanted = {question.name for question in QUESTIONS} & {
        name for name, limit in head.limits.items() if limit.by_user and limit.value is not None
    }
    before = head.settings.get(EARLIER.name) or {}
    linked = [EARLIER.name] if before.get("releases") or before.get("fault") else []
    return [*always, *audited, *linked, *sorted(wanted)]


def _numbers(page: Mapping[str, Any], stated: Assessment) -> Iterator[str]:
    """Numbers that do not fit their interval, their print or their limit."""
    for one, test in zip(stated.answers, page["tests"], strict=True):
        few = one.concerned is not None and 0 < one.concerned < FEWEST
        limits = [number.limit for number in one.judged]
        wanted = [one.name, *(["worst"] if one.who and not few else [])]
        if one.name == EARLIER.name:  # rows whose link was not kept, and counts, have other numbers
            wanted = limits[:1] if limits[:1] in (["worst"], ["membership"]) else [one.name, *(["worst"] * (not few))]
        if limits and limits[: len(wanted)] != wanted:
            yield f"{one.name} lacks a number that is judged"
        if one.main is not None and one.main.limit != PRINTED_APART and one.share not in _printed(one.main):
            yield f"{one.name} is printed as {one.share} and stated as {percent(float(one.main.value))}"
        for number, stated_number in zip(one.judged, test["judged"], strict=True):
            yield from (f"{one.name}: {words}" for words in _misfits(number, stated_number))


def _misfits(number: Number, page: Mapping[str, Any]) -> Iterator[str]:
    value = float(number.value)
    if number.interval is not None:
        low, high = number.interval
        bounded = number.cap == number.value  # by a guarantee, which may be below what was measured
        if value > high + NEAR or (value < low - NEAR and not bounded):
            yield f"{number.what} is outside its own interval"
    for name, own in (
        ("judged", number.judged),
        ("limit_value", None if number.limited is None else number.limited.value),
    ):
        stated = page[name] if page[name] is None else float(Fraction(page[name]))
        if (own is None) != (stated is None) or (own is not None and abs(float(own) - (stated or 0.0)) > NEAR):
            yield f"{number.what} is not what follows for {name.replace('_', ' ')}"
    if page["verdict"] != number.verdict:
        yield f"{number.what} is {number.verdict}, and stated as {page['verdict']}"


def _printed(number: Number) -> tuple[str, ...]:
    value = float(number.value)
    return percent(value), f"{value:.3f}", f"{value:,.0f}"


def _verdicts(page: Mapping[str, Any], stated: Assessment, head: AssessmentHead) -> Iterator[str]:
    """Verdicts that do not follow from the numbers."""
    answers = []
    for one in stated.answers:
        verdict = one.verdict
        if one.judged:
            finding = Finding(judged=one.judged, number=one.number, numbers={}, concerned=one.concerned)
            verdict, _ = judged(finding, head.limits.__getitem__)
        elif verdict not in UNANSWERED:
            yield f"{one.name} is {verdict} without a number"
        if verdict != one.verdict:
            yield f"{one.name} is {verdict}, and stated as {one.verdict}"
        answers.append(replace(one, verdict=verdict))
    due = replace(stated, answers=tuple(answers))
    own_words = head.versions["incrowd"] == __version__  # another version may have put it otherwise
    for name in STATED if own_words else STATED_EXACTLY:
        if page[name] != getattr(due, name):
            yield f"{name.replace('_', ' ')} is stated as {page[name]}, and is {getattr(due, name)}"
    if not own_words and page["verdict"].startswith(PASSES) != due.passed:
        yield f"the verdict is stated as {page['verdict']}, and it {due.gate}"

"""An assessment -> what to do next, in order, each with a command that runs as it is copied."""

import math
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from incrowd.plain import sentence, several

if TYPE_CHECKING:
    from incrowd.assess import Assessment

BUDGET = re.compile(r" --budget[ =]\S+")
ADVISED = re.compile(r" --(?:no-)?advise\b")
MISSING = {"--link": "--link link.csv", "--sensitive": "--sensitive NAME"}  # what an answer lacks, as an option
WRITTEN = {"-o", "--output", "--evidence", "--attest", "--attest-file"}  # would be written again
FORCE = "--force"


@dataclass(frozen=True)
class NextStep:
    """What to do, why, and commands to copy, one in each line."""

    what: str
    why: str
    command: str = ""


def next_steps(assessment: "Assessment") -> Iterator[NextStep]:
    """What to do next, in order.

    Args:
        assessment: What was found.
    """
    yield from _easier(assessment)
    yield from _open(assessment)
    if not assessment.decisive and not assessment.open:
        why = "No test of who somebody is, or of who is in the counts, was compared with a limit, so nothing is known."
        yield NextStep("Publish nothing on the strength of this page.", why)
    yield from _instead(assessment)
    if assessment.passed:
        yield from _signing(assessment)


def _easier(assessment: "Assessment") -> Iterator[NextStep]:
    """Settings that make the verdict easier: refused, or allowed for a reason that somebody must judge."""
    refused = assessment.refused
    if refused:
        what = "a setting, or leave it out" if len(refused) == 1 else f"{len(refused)} settings, or leave them out"
        yield NextStep(f"Give the reason for {what}.", sentence(f"{'; '.join(refused)} (--override)"))
    if assessment.overridden:
        why = f"Without it nothing passes: {'; '.join(assessment.shopping)}. The reason given: {assessment.override}."
        yield NextStep("Judge the override before anything else.", why)


def _instead(assessment: "Assessment") -> Iterator[NextStep]:
    """What to publish instead of what is above its limits."""
    advice = assessment.advice
    if advice is not None and advice.best is not None:
        why = f"It passes every test on both halves of the people. {advice.best.left}"
        yield NextStep(f"Publish {advice.best} instead.", why, advice.command)
    elif advice is not None:
        yield NextStep("Publish something else.", advice.section().answer)
    elif assessment.remark:
        yield NextStep(
            "Publish no records of so few people: add people, or publish counts.", sentence(assessment.remark)
        )
    elif assessment.above and assessment.head is not None and assessment.head.published.get("noun") == "Counts":
        why = "The command changes the counts in every way, attacks each result alike and judges it by these limits."
        yield NextStep("Look for counts that pass.", why, f"incrowd attack recover {_file(assessment, 'data')} --sweep")
    elif assessment.above:
        why = "The command tries method after method on the same people and judges each result by these limits."
        command = _again(ADVISED.sub("", _command(assessment)), "--advise")
        yield NextStep("Look for a release that passes.", why, command)


def _signing(assessment: "Assessment") -> Iterator[NextStep]:
    """What is left to do once nothing is above its limit or missing."""
    apart = "Keep the link file apart from the release. " if "link" in _names(assessment) else ""
    yield NextStep("Decide and sign below.", f"{apart}Assess again when data or limits change.")
    if assessment.judges == "release":
        files = f"{_file(assessment, 'release')} --original {_file(assessment, 'data')}{_link(assessment)}"
        why = "The auditor reads the files by itself and trusts neither the tool nor its maker."
        yield NextStep("Let somebody else check it.", why, f"incrowd audit {files}")
    else:
        why = "The same facts under the headings of ISO/IEC 27559, to paste."
        yield NextStep("File the evidence.", why, _again(_command(assessment), "--evidence dpia.md"))


def _open(assessment: "Assessment") -> Iterator[NextStep]:
    """What would answer the tests that are missing; those that are missing for the same reason are one step."""
    command = _command(assessment)
    reasons: dict[tuple[bool, str], list[str]] = {}
    for one in assessment.open:
        late = one.verdict == "not run"
        reasons.setdefault((late, "" if late else one.note), []).append(one.asks)
    for (late, why), asks in reasons.items():
        if late:
            longer = f"--budget {math.ceil(4 * assessment.budget_s / 60)}m"
            what = f"Allow more time for {several(len(asks), 'test that was', 'tests that were')} not run."
            yield NextStep(what, " ".join(asks), _again(BUDGET.sub("", command), longer))
            continue
        what = f"Answer: {asks[0]}" if len(asks) == 1 else f"Give what {len(asks)} tests need for an answer."
        option = next((more for name, more in MISSING.items() if name in why and name not in command), "")
        yield NextStep(what, sentence(why), _again(command, option) if option else "")


def _again(command: str, option: str) -> str:
    """The command with one more option; what it has written may be replaced."""
    words = {word.partition("=")[0] for word in command.split()}
    return f"{command} {option}{f' {FORCE}' if words & WRITTEN and FORCE not in words else ''}"


def _command(assessment: "Assessment") -> str:
    """The command that was typed, or the one that a call of the library or a gate stands for."""
    typed = "" if assessment.head is None else assessment.head.command
    if typed.startswith("incrowd assess "):
        return typed
    release = f" --release {_file(assessment, 'release')}" if assessment.judges == "release" else ""
    return f"incrowd assess {_file(assessment, 'data')}{release}{_link(assessment)}"


def _link(assessment: "Assessment") -> str:
    """The link file as an option, if there is one."""
    return f" --link {_file(assessment, 'link')}" if "link" in _names(assessment) else ""


def _file(assessment: "Assessment", role: str) -> str:
    """The file that was given as this, as it was typed or by its name; a word in its place for data in memory."""
    name = _names(assessment).get(role, "")
    if not name:
        return role.upper()
    return next((quoted for word, quoted in _typed(assessment) if PurePath(word).name == name), shlex.quote(name))


def _typed(assessment: "Assessment") -> Iterator[tuple[str, str]]:
    """Words of the command line, each as a shell needs it; the home folder must stay outside of quotes."""
    try:
        words = shlex.split(assessment.head.command) if assessment.head else []
    except ValueError:
        return
    for word in words:
        yield word, f"~/{shlex.quote(word[2:])}" if word.startswith("~/") else shlex.quote(word)


def _names(assessment: "Assessment") -> dict[str, str]:
    """The first file that was given as each role; of a release the name of its folder."""
    files = () if assessment.head is None else assessment.head.files
    return {one.role: one.name.partition("/")[0] for one in reversed(files)}

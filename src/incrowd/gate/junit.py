"""An assessment -> JUnit XML, as build servers read it: a test case for each test, missing answers are failures."""

from pathlib import Path
from xml.etree import ElementTree as ET

from incrowd.assess import Assessment
from incrowd.assess.question import ABOVE, UNANSWERED, Answer, compared
from incrowd.data.files import whole_file

SUITE = "incrowd gate"


def write_junit(assessment: Assessment, path: Path, *, force: bool = True) -> Path:
    """Write the tests as JUnit XML, whole or not at all.

    Args:
        assessment: Every test with its answer.
        path: File to write.
        force: Whether an existing file may be replaced.
    """
    with whole_file(path, force=force) as part:
        ET.ElementTree(junit(assessment)).write(part, encoding="utf-8", xml_declaration=True)
    return path


def write_error(message: str, path: Path) -> Path:
    """Write that the gate did not come to a verdict, which no build server takes for a pass.

    Args:
        message: What went wrong, in one sentence.
        path: File to write.
    """
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", name=SUITE, tests="1", failures="0", errors="1", skipped="0")
    case = ET.SubElement(suite, "testcase", classname=SUITE, name="verdict", time="0")
    ET.SubElement(case, "error", type="no verdict", message=message)
    with whole_file(path, force=True) as part:
        ET.ElementTree(root).write(part, encoding="utf-8", xml_declaration=True)
    return path


def junit(assessment: Assessment) -> ET.Element:
    """A test case for each test, and one for the verdict."""
    suite = ET.Element("testsuite", name=SUITE, time=f"{assessment.took_s:.3f}")
    for one in assessment.answers:
        case = ET.SubElement(suite, "testcase", classname=one.about, name=one.name, time=f"{one.took_s:.3f}")
        _judged(case, one)
    verdict = ET.SubElement(suite, "testcase", classname=SUITE, name="verdict", time="0")
    if not assessment.passed:
        ET.SubElement(verdict, "failure", type="shut", message=assessment.gate).text = assessment.verdict
    elif assessment.overridden:
        ET.SubElement(verdict, "system-out").text = f"passes with an override: {assessment.override}"
    for kind in ("failure", "skipped"):
        suite.set(f"{kind}s".replace("skippeds", "skipped"), str(sum(case.find(kind) is not None for case in suite)))
    suite.set("tests", str(len(suite)))
    suite.set("errors", "0")
    root = ET.Element("testsuites")
    root.append(suite)
    return root


def _judged(case: ET.Element, one: Answer) -> None:
    words = "; ".join(compared(number) for number in one.judged)
    if one.verdict == ABOVE:
        ET.SubElement(case, "failure", type="above", message=words).text = one.note
    elif one.verdict in UNANSWERED and one.due:
        ET.SubElement(case, "failure", type="missing", message=f"{one.verdict}: {one.note}")
    elif one.verdict in UNANSWERED:
        ET.SubElement(case, "skipped", message=one.note)
    else:
        ET.SubElement(case, "system-out").text = words

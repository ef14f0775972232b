"""An assessment -> the file that attests it, beside the release; and back, with the earlier ones of the same data."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from incrowd.assess.assessment import SCHEMA, Assessment
from incrowd.assess.digests import JudgedFile, Origin, digest_of_data
from incrowd.assess.head import AssessmentHead, EarlierRun
from incrowd.assess.limits import DEFAULTS, Limit
from incrowd.assess.question import Answer, Number
from incrowd.data.files import whole_file
from incrowd.data.release_folder import ATTESTED, attestation_of, folder_of
from incrowd.errors import DataError, ParameterError, check_file
from incrowd.ledger import Ledger
from incrowd.plain import plain, to_json

STATED = ("verdict", "passed", "gate", "exit_code")  # follow from the rest
COUNTED = ("people", "records", "visits", "cells", "days", "places", "slot_min", "budget_s", "took_s", "seed")
KEPT = (*COUNTED, "seed_given", "interrupted", "judges", "override", "shopping", "remark", "loss")
OF_ANSWER = ("name", "about", "asks", "attacker", "verdict", "number", "note", "chance", "control", "concerned")
OF_TEST = (*OF_ANSWER, "who", "due", "took_s")
DAMAGED = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError, RecursionError)


def place_of(release: object, given: Path | None) -> Path:
    """Where an attestation is written: as given, or beside the release; never into it.

    Args:
        release: The release that is judged, if there is one.
        given: The file that somebody names.
    """
    beside = folder_of(release) if isinstance(release, (str, Path)) else None
    if given is None:
        if beside is None:
            raise ParameterError(f"no release is judged, so say where to attest: --attest-file NAME{ATTESTED}.")
        return attestation_of(beside)
    if not given.name.endswith(ATTESTED):
        raise ParameterError(f"the name of an attestation ends in {ATTESTED}, by which it is found again.")
    if beside is not None and beside.resolve() in given.resolve().parents:
        raise ParameterError("an attestation is not part of the release; write it beside its folder.")
    return given


def attest(assessment: Assessment, path: Path, *, force: bool = False) -> Path:
    """Write the verdict, the limits, the digests and the numbers, whole or not at all.

    Args:
        assessment: What was found.
        path: File to write.
        force: Whether an existing file may be replaced; the new one lists the old one as an earlier run.
    """
    with whole_file(path, force=force) as part:
        part.write_text(to_json(document(assessment), indent=2) + "\n", encoding="utf-8")
    return path


def document(assessment: Assessment) -> dict[str, Any]:
    """What an attestation says: what follows from the numbers first, then what it follows from."""
    stated = {name: getattr(assessment, name) for name in (*STATED, *KEPT)}
    tests = [
        {**{name: getattr(one, name) for name in OF_TEST}, "judged": [_number(number) for number in one.judged]}
        for one in assessment.answers
    ]
    return plain({"schema": SCHEMA, **stated, "head": assessment.head, "tests": tests})  # type: ignore[no-any-return]


def read_attestation(path: Path) -> dict[str, Any]:
    """The document in a file; anything else is refused."""
    check_file(path)
    if not path.is_file():
        raise DataError(f"there is no assessment at {path.name}; check the path.")
    try:
        page = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        page = None
    if not isinstance(page, dict) or page.get("schema") != SCHEMA:
        raise DataError(f"{path.name} is no {SCHEMA}; give what incrowd assess --attest wrote.")
    return page


def reread(page: Mapping[str, Any]) -> Assessment:
    """The assessment that a document describes: its numbers with the limits of its head; verdicts as stated."""
    head = _head(page["head"])
    answers = tuple(
        Answer(
            **{name: test[name] for name in OF_TEST},
            judged=tuple(_read_number(number, head.limits) for number in test["judged"]),
        )
        for test in page["tests"]
    )
    kept = {name: page[name] for name in KEPT} | {"shopping": tuple(page["shopping"])}
    return Assessment(**kept, ledger=Ledger(), estimates=(), answers=answers, head=head)


def earlier_runs(origin: Origin) -> tuple[EarlierRun, ...]:
    """Assessments of the same data that lie beside them or beside their release, and those that these list."""
    same = digest_of_data(origin.files)
    runs = [run for page in _beside(origin) if same for run in _runs(page, same)]
    return tuple(sorted(dict.fromkeys(runs), key=lambda one: one.made))


def _beside(origin: Origin) -> Iterator[Mapping[str, Any]]:
    for folder in origin.folders:
        for path in sorted(folder.glob(f"*{ATTESTED}")) if folder.is_dir() else ():
            try:
                yield read_attestation(path)
            except (DataError, OSError):
                continue  # not ours


def _runs(page: Mapping[str, Any], same: str) -> Iterator[EarlierRun]:
    try:
        head = _head(page["head"])
        if digest_of_data(head.files) == same:
            yield from head.earlier
            yield EarlierRun(
                made=head.made,
                verdict=str(page["verdict"]),
                passed=page["passed"] is True,
                level=head.level,
                limits_set=head.limits_set,
                seed=int(page["seed"]),
            )
    except DAMAGED:
        return  # audit --page says what is wrong with it


def _head(stated: Mapping[str, Any]) -> AssessmentHead:
    names = ("made", "command", "versions", "machine", "level", "settings", "published")
    return AssessmentHead(
        **{name: stated[name] for name in names},
        files=tuple(JudgedFile(**one) for one in stated["files"]),
        period=None if stated["period"] is None else tuple(stated["period"]),
        limits={
            name: Limit(_exact(one["value"]), one["source"], DEFAULTS[name].kind)  # type: ignore[arg-type]
            for name, one in stated["limits"].items()
        },
        earlier=tuple(_earlier(one) for one in stated["earlier"]),
    )


def _earlier(stated: Mapping[str, Any]) -> EarlierRun:
    return EarlierRun(**{**stated, "limits_set": tuple((name, value) for name, value in stated["limits_set"])})


def _number(one: Number) -> dict[str, Any]:
    """A number with its limit, exactly: fractions as text."""
    return {
        "limit": one.limit,
        "what": one.what,
        "value": _written(one.value),
        "interval": one.interval,
        "cap": _written(one.cap),
        "judged": _written(one.judged),
        "limit_value": None if one.limited is None else _written(one.limited.value),
        "verdict": one.verdict,
    }


def _read_number(stated: Mapping[str, Any], limits: Mapping[str, Limit]) -> Number:
    interval = stated["interval"]
    return Number(
        limit=stated["limit"],
        what=stated["what"],
        value=_exact(stated["value"]),  # type: ignore[arg-type]
        interval=None if interval is None else (float(interval[0]), float(interval[1])),
        cap=_exact(stated["cap"]),
        limited=limits[stated["limit"]],
    )


def _written(value: Fraction | float | None) -> str | float | None:
    return str(value) if isinstance(value, Fraction) else value


def _exact(stated: Any) -> Fraction | float | None:
    return Fraction(stated) if isinstance(stated, str) else stated

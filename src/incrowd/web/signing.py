"""A signature: who decided what about a run, whether the tests it repeats pass, and what may then be published."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from incrowd.data.files import whole_file
from incrowd.data.release_folder import attestation_of, sha256_of
from incrowd.errors import ParameterError
from incrowd.web.compare import row_of
from incrowd.web.folder import HOME
from incrowd.web.store import Job
from incrowd.web.studio import AUDIT, Studio

DECISIONS = {"publish": "Publish", "conditions": "Publish under conditions", "no": "Do not publish"}
LONGEST = 500  # letters of a field


def folder_of(studio: Studio, job: Job) -> Path:
    """The folder of a run: its release, its link file and what is written beside them."""
    return studio.folder / HOME / "runs" / str(job.id)


def withheld(studio: Studio, job: Job, signing: Job | None) -> str:
    """Why a release may not be downloaded, in one sentence; empty if it may."""
    if signing is None or not studio.signed(signing) or signing.details["decision"] == "no":
        return "This release was not signed for publication; decide and sign first."
    here = folder_of(studio, job)
    try:
        stated = json.loads(attestation_of(here / "release").read_bytes())["head"]["files"]
        attested = {one["name"]: one["sha256"] for one in stated if one["role"] == "release"}
    except (OSError, ValueError, KeyError, TypeError):
        attested = {}
    if attested != {name: sha256_of(path) for name, path in _published(here)}:
        return "The release changed after it was signed, so nothing is offered for download. Run the method again."
    return ""


def decided(studio: Studio, job: Job, form: dict[str, str]) -> dict[str, Any]:
    """A decision, complete and allowed.

    Args:
        studio: Where the run was made.
        job: The run.
        form: What was typed.
    """
    signing = studio.signing_of(job)
    if signing is not None and (not signing.over or studio.signed(signing)):
        raise ParameterError("this run is signed already.")
    given = {name: " ".join(form.get(name, "").split()) for name in ("name", "role", "reasons", "again_by")}
    if not given["name"] or not given["role"]:
        raise ParameterError("a signature needs a name and a role; type both.")
    if any(len(text) > LONGEST for text in given.values()):
        raise ParameterError(f"a field may have {LONGEST} letters; shorten it.")
    decision = form.get("decision", "")
    if decision not in DECISIONS:
        raise ParameterError("choose a decision.")
    if decision != "publish" and not given["reasons"]:
        raise ParameterError("give the conditions or reasons of this decision.")
    if decision != "no" and not passes(studio, job):
        raise ParameterError("this run does not pass, so it gets no signature for publication; sign Do not publish.")
    return {**given, "decision": decision, "day": datetime.now(UTC).date().isoformat()}


def passes(studio: Studio, job: Job) -> bool:
    """Whether the tests and the audit of a run pass."""
    row, audit = row_of(studio, job), studio.answer(job, AUDIT)
    return row is not None and row.passed and audit is not None and bool(audit.data.passed)


def files_of(studio: Studio, job: Job, signing: Job | None) -> list[tuple[str, Path]]:
    """What belongs to a release, by its name in a download; the link file does not."""
    here = folder_of(studio, job)
    if signing is not None and studio.signed(signing):
        _write_decision(here, signing)
    beside = (here / "assessment.html", here / "evidence.md", attestation_of(here / "release"), here / "decision.md")
    return [*_published(here), *((path.name, path) for path in beside if path.is_file())]


def _published(here: Path) -> list[tuple[str, Path]]:
    files = sorted(path for path in (here / "release").glob("*") if path.is_file() and not path.is_symlink())
    return [(f"release/{path.name}", path) for path in files]


def _write_decision(here: Path, signing: Job) -> None:
    """Who decided what on which attestation; written once."""
    path, attested = here / "decision.md", attestation_of(here / "release")
    if path.exists() or not attested.is_file():
        return
    details = signing.details
    digest = hashlib.sha256(attested.read_bytes()).hexdigest()
    rows = {
        "Decision": DECISIONS[details["decision"]],
        "Name": details["name"],
        "Role": details["role"],
        "Conditions or reasons": details["reasons"] or "none",
        "Signed on": details["day"],
        "Assess again by": details["again_by"] or "not stated",
        f"SHA-256 of {attested.name}": digest,
    }
    with whole_file(path, force=False) as part:
        part.write_text("# Decision\n\n" + "".join(f"- {name}: {value}\n" for name, value in rows.items()), "utf-8")

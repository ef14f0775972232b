"""Is the folder what its manifest says: every file listed, hashed, and no other there?"""

import hashlib
from pathlib import Path

from incrowd.audit.published import MANIFEST, Published, part_of
from incrowd.audit.verdict import Check, idle, judged

FILES = "files"
KNOWN = ("data.parquet", "data.csv", "cells.csv", "README.md", MANIFEST)


def files(release: Published) -> Check:
    """Every file of the folder but the manifest is listed there with its SHA-256, and every listed file is there."""
    if release.manifest is None or release.folder is None:
        return idle(FILES, "there is no manifest.")
    listed = part_of(release.manifest, "files")
    there = {path.relative_to(release.folder).as_posix(): path for path in release.folder.rglob("*") if path.is_file()}
    there.pop(MANIFEST, None)
    names = sorted({*listed, *there})
    faults = [] if listed else ["the manifest lists no file"]
    for position, name in enumerate(names):
        # A foreign name may itself be a label, so that only names of the format are said.
        said = name if name in KNOWN else f"the file at position {position} of {len(names)}"
        if name not in there:
            faults.append(f"{said} is listed but missing")
        elif name not in listed:
            faults.append(f"{said} is not in the manifest")
        elif sha256(there[name]) != listed[name]:
            faults.append(f"{said} has another SHA-256 than listed")
    return judged(FILES, faults, f"{len(there)} files, each with the SHA-256 that the manifest lists.")


def sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Is the folder what its manifest says: every file listed, hashed, of the format, and no other there?"""

import hashlib
from pathlib import Path

from incrowd.audit.reading.published import MANIFEST, Published, part_of
from incrowd.audit.verdict import Check, failed, idle, judged

FILES = "files"
DATA = ("data.parquet", "data.csv")
KNOWN = (*DATA, "cells.csv", "README.md", MANIFEST)


def files(release: Published) -> Check:
    """Every file is one of the format, listed in the manifest with its SHA-256, and every listed file is there.

    Nothing else is audited, so that nothing else may be there: no second table, no folder, no other file.
    """
    if release.folder is None:
        return idle(FILES, "this is no folder.")
    there = {path.relative_to(release.folder).as_posix(): path for path in release.folder.rglob("*")}
    foreign = [name for name, path in there.items() if path != release.file and (name not in KNOWN or name in DATA)]
    faults = [f"{len(foreign)} of {len(there)} files are not audited, being no part of a release"] if foreign else []
    if release.manifest is None:
        return failed(FILES, f"{faults[0]}.") if faults else idle(FILES, "there is no manifest.")
    listed = part_of(release.manifest, "files")
    there = {name: path for name, path in there.items() if path.is_file() and name != MANIFEST}
    names = sorted({*listed, *there})
    faults += [] if listed else ["the manifest lists no file"]
    for position, name in enumerate(names):
        # A foreign name may itself be a label, so that only names of the format are said.
        file = name if name in KNOWN else f"the file at position {position} of {len(names)}"
        if name not in there:
            faults.append(f"{file} is listed but missing")
        elif name not in listed:
            faults.append(f"{file} is not in the manifest")
        elif sha256(there[name]) != listed[name]:
            faults.append(f"{file} has another SHA-256 than listed")
    return judged(FILES, faults, f"{len(there)} files, each with the SHA-256 that the manifest lists.")


def sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""A Release -> a folder on disk, written whole or not at all (docs/release.md)."""

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TextIO

import numpy as np

from incrowd import __version__
from incrowd.data import Fingerprints, Release, Table, Traces, Visits
from incrowd.data.files import refuse_existing, save, whole_file
from incrowd.errors import DataError
from incrowd.plain import to_json

FORMAT = "incrowd-release/1"
PRIVATE = 0o600


def publish(
    release: Release,
    folder: str | Path,
    *,
    file: Literal["parquet", "csv"] = "parquet",
    residual_risk: Mapping[str, Any] | None = None,
    link: str | Path | None = None,
    original: Table | None = None,
    force: bool = False,
) -> Path:
    """Write the published table, its manifest and a README; killed at any moment, the folder is absent or whole.

    `link=FILE` also writes which `original` users stand behind each pseudonym, readable by its owner alone.
    """
    folder = Path(folder)
    refuse_existing(folder, force=force)
    if link is not None:
        _write_link(release, Path(link), original, force=force)
    with _whole_folder(folder) as part:
        save(release, part / f"data.{file}")
        _write_cells(release.data, part / "cells.csv")
        manifest = manifest_of(release, residual_risk)
        (part / "README.md").write_text(_readme(manifest, file), encoding="utf-8")
        manifest["files"] = {path.name: _sha256(path) for path in sorted(part.iterdir())}
        (part / "manifest.json").write_text(to_json(manifest, indent=2) + "\n", encoding="utf-8")
    return folder


def manifest_of(release: Release, residual_risk: Mapping[str, Any] | None) -> dict[str, Any]:
    """What was done, in words and numbers; nothing that leads back to a person."""
    data = release.data
    params = dict(release.params)
    seeded = params.pop("pseudonym_seed_given", False)
    slot_min = getattr(data, "slot_min", None)
    crowd = data.crowd if isinstance(data, Fingerprints) else np.ones(len(data), np.int64)
    return {
        "format": FORMAT,
        "software": f"incrowd {__version__}",
        "noun": type(data).__name__,
        "method": params.pop("method", None),
        "parameters": params,
        "guarantee": release.guarantee,
        "claims": dict(release.claims),
        "clock": {
            "slot_min": slot_min,
            "start": getattr(data, "start", None),
            "time_zone": getattr(data, "time_zone", None),
            "grain_s": 1 if isinstance(data, Traces) else 60 * (slot_min or 1),
        },
        "plane": {"crs": getattr(data, "crs", None), "cell_m": params.get("cell_m")},
        "counts": {"pseudonyms": len(data), "rows": data.records, "people": int(crowd.sum())},
        "ledger": release.ledger.to_dict(),
        "suppressed": _suppressed(release),
        "residual_risk": residual_risk,
        "pseudonyms": "seeded" if seeded else "operating system",
    }


def _suppressed(release: Release) -> dict[str, Any]:
    reasons: dict[str, int] = {}
    for step in release.ledger.steps:
        for reason, n in step.dropped.items():
            reasons[reason] = reasons.get(reason, 0) + n
    return {"records": reasons, "attributes": list(release.provenance.get("dropped_attributes", []))}


def _write_cells(data: Table, path: Path) -> None:
    if isinstance(data, Visits) and data.xy is not None:
        used = np.unique(data.cell)
        rows = (f"{cell},{x:.3f},{y:.3f}" for cell, (x, y) in zip(used.tolist(), data.xy[used].tolist(), strict=True))
        path.write_text("\n".join(["cell,x,y", *rows]) + "\n", encoding="utf-8")


def _write_link(release: Release, path: Path, original: Table | None, *, force: bool) -> None:
    if original is None:
        raise DataError("a link file needs the original users; pass original=, the data the release was made from.")
    pseudonyms = np.repeat(release.data.users, np.diff(release.members.offsets))
    people = original.users[release.members.positions]
    quoted = (str(user).replace('"', '""') for user in people.tolist())
    with whole_file(path, force=force) as part, _private(part) as out:
        out.write("pseudonym,user\n")
        out.writelines(f'{p},"{user}"\n' for p, user in zip(pseudonyms.tolist(), quoted, strict=True))


def _private(path: Path) -> TextIO:
    """A new file that only its owner may read, from its first byte on."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w", encoding="utf-8")


@contextmanager
def _whole_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder beside `folder` that takes its place only when the block ends well."""
    _sweep(folder)
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    part.mkdir()
    try:
        yield part
        for path in part.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        if folder.exists():
            folder.rename(old)
        part.rename(folder)
    finally:
        for leftover in (part, old):
            shutil.rmtree(leftover, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Remove what runs that were killed left behind."""
    for leftover in folder.parent.glob(f".{folder.name}.*.part"):
        pid = leftover.name.split(".")[-2]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(leftover, ignore_errors=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _readme(manifest: Mapping[str, Any], file: str) -> str:
    counts, clock = manifest["counts"], manifest["clock"]
    asked = ", ".join(f"{name} = {value}" for name, value in manifest["parameters"].items() if value is not None)
    return f"""# A release of mobility data

Made by {manifest["software"]} with the method {manifest["method"]} ({asked or "no parameters"}).

- `data.{file}`: {counts["rows"]:,} rows under {counts["pseudonyms"]:,} pseudonyms.
- `manifest.json`: parameters, what was suppressed, the ledger of every record, the SHA-256 of every file.
- No published time is finer than {clock["grain_s"]} seconds.

**What is promised.** {manifest["guarantee"]}

Pseudonyms were drawn for this release alone; equal ones in two releases mean nothing. Check it: `incrowd audit FOLDER`.
"""

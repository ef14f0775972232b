"""A Release -> a folder on disk, written whole or not at all (docs/release.md)."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import numpy as np

from incrowd import __version__
from incrowd.data import Fingerprints, Release, Table, Traces, Visits
from incrowd.data.files import refuse_existing, save, whole_file
from incrowd.data.release_folder import (
    CELLS,
    FORMAT,
    MANIFEST,
    README,
    is_replaceable,
    whole_folder,
    write_manifest,
)
from incrowd.errors import DataError, ParameterError, check_choice

COLUMNS = {
    "Visits": f"`user` (pseudonym), `cell` (its centre in metres is in `{CELLS}`), `slot` (`clock` in the manifest)",
    "Fingerprints": "`user` (pseudonym), box `x dx y dy` (metres) and `t dt` (minutes), `crowd` (people who share it)",
    "Traces": "`user` (pseudonym), `t` (UTC seconds), place",
}


def readme_of(manifest: Mapping[str, Any], file: str) -> str:
    """What was published, how, with what promise, and what is missing from it."""
    counts, clock, gone = manifest["counts"], manifest["clock"], manifest["suppressed"]
    asked = ", ".join(f"{name} = {value}" for name, value in manifest["parameters"].items() if value is not None)
    records = ", ".join(f"{n:,} records ({reason})" for reason, n in gone["records"].items()) or "no record"
    names = ", ".join(gone["attributes"]) or "none"
    risk = "see `residual_risk` in the manifest" if manifest["residual_risk"] else "not measured"
    seeded = "" if manifest["pseudonyms"] == "operating system" else f" Their source: {manifest['pseudonyms']}."
    return f"""# A release of mobility data

Made by {manifest["software"]} with the method {manifest["method"]} ({asked or "no parameters"}).

- `data.{file}`: {counts["rows"]:,} rows under {counts["pseudonyms"]:,} pseudonyms.
  Columns: {COLUMNS[manifest["noun"]]}.
- `{MANIFEST}`: parameters, clock, plane, ledger of every record, SHA-256 of every file.
- No published time is finer than {clock["grain_s"]} seconds.

**What is promised.** {manifest["guarantee"]}

**What was suppressed**, as opposed to never there: {records}; attributes left out: {names}.

**Residual risk:** {risk}.

Pseudonyms were drawn for this release alone; equal ones in two releases mean nothing.{seeded}

Check it: `incrowd audit FOLDER`.
"""


PRIVATE = 0o600


def publish(
    release: Release,
    folder: str | Path,
    *,
    file: Literal["parquet", "csv"] = "parquet",
    residual_risk: Any = None,
    link: str | Path | None = None,
    original: Table | None = None,
    force: bool = False,
) -> Path:
    """Write the published table, its manifest and a README; killed at any moment, the folder is absent or whole.

    `residual_risk` is any measured result worth stating. `link=FILE` also writes which `original` users stand behind
    each pseudonym, readable by its owner alone. `force=True` replaces an older release, and nothing else.

    >>> import tempfile
    >>> from incrowd.anonymize import Cut
    >>> cut = Cut(window_h=24)(Visits.from_arrays([1, 2], cell=[5, 5], slot=[0, 0], slot_min=60, start=0))
    >>> with tempfile.TemporaryDirectory() as there:
    ...     sorted(path.name for path in publish(cut, f"{there}/release").iterdir())
    ['README.md', 'data.parquet', 'manifest.json']
    """
    check_choice("file", file, ("parquet", "csv"))
    if not release.data.records:
        raise DataError("nothing is left to publish; loosen the parameters of the method.")
    folder = Path(folder).resolve()
    private = None if link is None else Path(link).resolve()
    check_targets(folder, private, force=force)
    ident = str(uuid4())  # from the operating system's entropy: it says nothing, and tells link files apart
    with ExitStack() as done:
        # Left in reverse: the folder takes its place first, the link follows at once.
        if private is not None:
            part = done.enter_context(whole_file(private, force=force))
            _write_link(release, part, original, ident)
        part = done.enter_context(whole_folder(folder, force=force))
        save(release, part / f"data.{file}")
        _write_cells(release.data, part / CELLS)
        manifest = manifest_of(release, residual_risk, ident)
        (part / README).write_text(readme_of(manifest, file), encoding="utf-8")
        write_manifest(part, manifest)
    return folder


def check_targets(folder: Path, link: Path | None, *, force: bool) -> None:
    """Refuse, before any work, outputs that exist or that would end up inside each other."""
    refuse_existing(folder, force=force)
    if folder.exists() and not is_replaceable(folder):
        raise ParameterError(f"{folder.name} is not a release; choose another folder, or remove it yourself.")
    if link is None:
        return
    if link.suffix.lower() in (".parquet", ".pq", ".parq"):
        raise ParameterError(f"the link file is CSV, so its name must not end in {link.suffix}; end it in .csv.")
    refuse_existing(link, force=force)
    if folder in (link, *link.parents):
        raise ParameterError("the link file must not lie in the release; keep it apart.")


def manifest_of(release: Release, residual_risk: Any, ident: str | None = None) -> dict[str, Any]:
    """What was done, in words and numbers; nothing that leads back to a person."""
    data = release.data
    params = dict(release.params)
    seeded = params.pop("pseudonym_seed_given", None)
    slot_min = getattr(data, "slot_min", None)
    crowd = data.crowd if isinstance(data, Fingerprints) else np.ones(len(data), np.int64)
    return {
        "format": FORMAT,
        "id": ident,
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
        "plane": {"crs": getattr(data, "crs", None), "cell_m": getattr(data, "cell_m", None)},
        "counts": {"pseudonyms": len(data), "rows": data.records, "people": int(crowd.sum())},
        "ledger": release.ledger.to_dict(),
        "suppressed": {
            "records": _dropped(release, merged=False),
            "attributes": list(release.provenance.get("dropped_attributes", [])),
        },
        "merged": _dropped(release, merged=True),
        "residual_risk": residual_risk,
        "pseudonyms": {None: "unknown", True: "seeded", False: "operating system"}[seeded],
    }


MERGED = (  # reasons of records that are published all the same, in a row they share
    "same cell and slot",
    "repeated visit",
    "repeated sample",
    "exact duplicate",
    "same time and place",
    "sample generalised into a shared box",
)


def _dropped(release: Release, *, merged: bool) -> dict[str, int]:
    """Records by reason: those that fell together into a published row, or those that are not published."""
    reasons: dict[str, int] = {}
    for step in release.ledger.steps:
        for reason, n in step.dropped.items():
            if n and (reason in MERGED) == merged:
                reasons[reason] = reasons.get(reason, 0) + n
    return reasons


def _write_cells(data: Table, path: Path) -> None:
    if isinstance(data, Visits) and data.xy is not None:
        used = np.unique(data.cell)
        rows = (f"{cell},{x:.3f},{y:.3f}" for cell, (x, y) in zip(used.tolist(), data.xy[used].tolist(), strict=True))
        path.write_text("\n".join(["cell,x,y", *rows]) + "\n", encoding="utf-8")


def _write_link(release: Release, part: Path, original: Table | None, ident: str) -> None:
    if original is None or release.members.positions.max(initial=-1) >= len(original):
        raise DataError("a link file needs the original users; pass original=, the data the release was made from.")
    pseudonyms = np.repeat(release.data.users, np.diff(release.members.offsets))
    people = original.users[release.members.positions]
    quoted = (str(user).replace('"', '""') for user in people.tolist())
    # Only its owner may read it, from its first byte on.
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w", encoding="utf-8") as out:
        out.write("pseudonym,user,release\n")
        out.writelines(f'{p},"{user}",{ident}\n' for p, user in zip(pseudonyms.tolist(), quoted, strict=True))

"""The manifest of a release -> a page for its reader."""

from collections.abc import Mapping
from typing import Any

COLUMNS = {
    "Visits": "`user` (pseudonym), `cell` (its centre in metres is in `cells.csv`), `slot` (`clock` in the manifest)",
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
- `manifest.json`: parameters, clock, plane, ledger of every record, SHA-256 of every file.
- No published time is finer than {clock["grain_s"]} seconds.

**What is promised.** {manifest["guarantee"]}

**What was suppressed**, as opposed to never there: {records}; attributes left out: {names}.

**Residual risk:** {risk}.

Pseudonyms were drawn for this release alone; equal ones in two releases mean nothing.{seeded}

Check it: `incrowd audit FOLDER`.
"""

"""What a release says in words: guarantee and README as pure functions of the manifest (docs/release.md).

This is the one thing that the writer of releases and the auditor share: the auditor makes both again and compares.
"""

from collections.abc import Callable, Mapping
from typing import Any

from incrowd.plain import plain_number

Manifest = Mapping[str, Any]

COLUMNS = {
    "Visits": "`user` (pseudonym), `cell` (its centre in metres is in `cells.csv`), `slot` (`clock` in the manifest)",
    "Fingerprints": "`user` (pseudonym), box `x dx y dy` (metres) and `t dt` (minutes), `crowd` (people who share it)",
    "Traces": "`user` (pseudonym), `t` (UTC seconds), place",
    "Counts": "`cell` (its centre in metres is in `cells.csv`), `slot` (`clock` in the manifest), `n` (people counted)",
}
NOTHING = "none: nothing is claimed."
HEURISTIC = "none (heuristic):"


def guarantee_of(manifest: Manifest) -> str:
    """What a release promises, in a sentence, from its method, parameters and claims.

    >>> guarantee_of({"method": None, "claims": {"k": 5}})
    'k-anonymity: every published trajectory is shared by at least 5 people.'
    """
    by_method = SENTENCES.get(str(manifest.get("method")))
    return by_method(manifest) if by_method else _of_claims(manifest.get("claims") or {})


def _of_claims(claims: Mapping[str, Any]) -> str:
    """The sentence of a method that is not one of incrowd's: its claims and no more."""
    if claims.get("l") is not None:
        return _lkc({"claims": claims})
    if claims.get("delta_m") is not None:
        return _cylinder(claims)
    if claims.get("k") is not None:
        return f"k-anonymity: every published trajectory is shared by at least {claims['k']} people."
    return NOTHING


def _cut(manifest: Manifest) -> str:
    del manifest
    return (
        f"{HEURISTIC} nothing is removed or made coarser, and the pieces of one person have different pseudonyms; a "
        "rare piece still singles out its owner and may be joined to the next one, so measure the residual risk."
    )


def _generalize(manifest: Manifest) -> str:
    given = manifest["parameters"]
    return (
        f"{HEURISTIC} no published place is finer than {plain_number(given['cell_m'])} m and no time is finer than "
        f"{plain_number(given['slot_min'])} min; how many people share a trajectory at that grain has to be measured."
    )


def _lkc(manifest: Manifest) -> str:
    claims = manifest["claims"]
    least, most = claims.get("k") or 1, claims.get("c") if claims.get("sensitive") else None
    visits = "visit" if claims["l"] == 1 else "visits"
    share = "" if most is None else f", and at most a share {most} of these carry any one sensitive value that counts"
    return (
        f"LKC-privacy: an attacker who knows at most {claims['l']} {visits} of a person finds at least {least} people "
        f"who share them{share}; for one release with one record per person."
    )


def _glove(manifest: Manifest) -> str:
    boxes = "every box holds a sample of every one of them"
    if manifest["parameters"].get("reshape") == "split":
        boxes = "every run of boxes that touch in time holds a sample of every one of them"
    return (
        f"k-anonymity of whole fingerprints: every published fingerprint is shared by at least "
        f"{manifest['claims']['k']} people of the data, and {boxes}."
    )


def _cylinder(claims: Mapping[str, Any]) -> str:
    return (
        f"(k, delta)-anonymity: every published trajectory shares all its times with at least {claims['k']} people, "
        f"itself included, who stay within {_half(claims['delta_m'])} m of one of them."
    )


def _half(value: Any) -> str:
    return plain_number(value / 2) if isinstance(value, int | float) else f"{value} / 2"


def _w4m(manifest: Manifest) -> str:
    return (
        f"{_cylinder(manifest['claims'])} This is weaker than k-anonymity: it hides people only from an attacker who "
        "cannot tell such places apart, and the trajectory in the middle is published as it was. Points are moved in "
        "space and time, left out and repeated: no published row is promised to be true."
    )


def _dp_counts(manifest: Manifest) -> str:
    claims = manifest["claims"]
    return (
        f"differential privacy per person: replacing one person changes the probability of any published table by a "
        f"factor of at most exp({plain_number(claims['epsilon'])}), except with probability "
        f"{plain_number(claims['delta'])}."
    )


def _cell_key(manifest: Manifest) -> str:
    del manifest
    return (
        f"{HEURISTIC} small counts are left out and the others are inexact by the stated table; an attacker who "
        "compares many slots may still tell whether somebody is among the people counted."
    )


def _counts(manifest: Manifest) -> str:
    if (manifest.get("claims") or {}).get("epsilon") is not None:
        return _dp_counts(manifest)  # what is done to noisy counts afterwards takes nothing back
    return f"{HEURISTIC} counts were changed as the parameters state; a person is in many counts."


SENTENCES: dict[str, Callable[[Manifest], str]] = {
    "Cut": _cut,
    "Generalize": _generalize,
    "LKC": _lkc,
    "Glove": _glove,
    "W4M": _w4m,
    "DPCounts": _dp_counts,
    "CellKey": _cell_key,
    "Counts": _counts,
}


def readme_of(manifest: Manifest, file: str) -> str:
    """The README of a release: what was published, how, with which guarantee, and what is missing from it."""
    counts, gone = manifest["counts"], manifest["suppressed"]
    parameters = ", ".join(f"{name} = {value}" for name, value in manifest["parameters"].items() if value is not None)
    records = ", ".join(f"{n:,} records ({reason})" for reason, n in gone["records"].items()) or "no record"
    names = ", ".join(gone["attributes"]) or "none"
    attributes = ", ".join(manifest["attributes"]) or "none"
    risk = "see `residual_risk` in the manifest" if manifest["residual_risk"] else "not measured"
    under = "" if manifest["noun"] == "Counts" else f" under {counts['pseudonyms']:,} pseudonyms"
    return f"""# A release of mobility data

Made by {manifest["software"]} with the method {manifest["method"]} ({parameters or "no parameters"}).

- `data.{file}`: {counts["rows"]:,} rows{under}.
  Columns: {COLUMNS[manifest["noun"]]}; attributes: {attributes}.
- `manifest.json`: parameters, clock, plane, ledger of every record, SHA-256 of every file.
- No published time is finer than {manifest["clock"]["grain_s"]} seconds.

**What is promised.** {manifest["guarantee"]}

**What was suppressed**, as opposed to never there: {records}; attributes left out: {names}.

**Residual risk:** {risk}.

{_about_pseudonyms(manifest)}
Check it: `incrowd audit FOLDER`.
"""


def _about_pseudonyms(manifest: Manifest) -> str:
    if manifest["noun"] == "Counts":
        return ""
    source = manifest["pseudonyms"]
    stated = "" if source == "operating system" else f" Their source: {source}."
    return f"Pseudonyms were drawn for this release alone; equal ones in two releases mean nothing.{stated}\n"

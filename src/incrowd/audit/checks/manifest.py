"""Do manifest, guarantee and README say what is published, and nothing that leads back?"""

import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Floats
from incrowd.audit.reading.batches import SCHEMA
from incrowd.audit.reading.published import CELLS, FORMATS, RANDOM, ROUNDED_M, SEEDED, Published, part_of
from incrowd.audit.reading.rules import faults_of
from incrowd.audit.reading.stated import ZONE, stated_zone
from incrowd.audit.reading.tables import ROLES
from incrowd.audit.reading.texts import around, inside
from incrowd.audit.verdict import Check, failed, idle, judged, passed, uncheckable
from incrowd.data.release_text import guarantee_of, readme_of
from incrowd.plain import plain, several

MANIFEST, PRIVATE, SOURCE = "manifest", "nothing private", "pseudonym source"
OLD = "format incrowd-release/1, which states less: audited as far as it goes; "
KEYS = ("software", "method", "guarantee", "claims", "clock", "counts", "ledger", "pseudonyms", "files")
NOTED = ("noun", "slot_min", "start", "crs", "cell_m")
NOTES = {  # what the table itself notes, by kind of data
    "Visits": {"noun", "slot_min", "start", "time_zone", "crs", "cell_m"},
    "Fingerprints": {"noun", "start", "crs", "time_zone"},
    "Traces": {"noun", "ordered", "planar"},
    "Counts": {"noun", "slot_min", "start_min", "shape"},
}
_PATH = re.compile(r"""(?:^|(?<=[\s"'`=(\[,;]))(?:~|file:/)?(?:/[\w.-]+){2,}|(?<!\w)[A-Za-z]:\\+\w""", re.MULTILINE)
_SECRET = re.compile(r"seed|salt|secret|password", re.IGNORECASE)
_LINKS = {"link", "links", "members", "mapping", "provenance"}
WORDING = "wording"
README = "README.md"
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_CLAIM = re.compile(
    r"differential\w*|\w*-anonym\w*|anonymi\w+|\w+-privacy|epsilon|safe|gdpr|cannot be|impossible|guarantee\w*",
    re.IGNORECASE,
)
_LARGEST = 1 << 20


def manifest(release: Published) -> Check:
    """Format, noun, counts, clock and cells agree with the table."""
    if release.manifest is None:
        stated_twice = [] if release.is_plain else [*_contradictions(release), *_at_odds(release)]
        faults = [*release.nonsense, *stated_twice]
        if release.folder is not None and release.file is not None and release.file.stem == "data":
            faults.append("the folder of a release must have a manifest")
        return judged(MANIFEST, faults, "") if faults else idle(MANIFEST, "there is no manifest.")
    stated = release.manifest
    faults = [f"{key} is missing" for key in KEYS if key not in stated]
    # Whatever claims no known format is held against the newest.
    faults += [f"the format is not {next(reversed(FORMATS))}"] if release.format is None else []
    faults += faults_of(stated, 1 if release.format == 1 else 2)
    if stated.get("noun") != release.noun:
        faults.append(f"the columns are those of {release.noun}, the manifest says otherwise")
    faults += _counts(release, part_of(stated, "counts"))
    faults += [*release.nonsense, *_contradictions(release), *_at_odds(release)]
    faults += _cells(release)
    old = OLD if release.format == 1 else ""
    sizes = f"{several(release.rows, 'row')} and {several(len(release), 'pseudonym')}"
    return judged(MANIFEST, list(dict.fromkeys(faults)), f"{old}agrees with a table of {sizes}.")


def pseudonym_source(release: Published) -> Check:
    """Pseudonyms were drawn from the operating system's entropy: whoever has a seed can draw them again."""
    if release.noun == "Counts":
        return idle(SOURCE, "counts have no pseudonyms.")
    if release.pseudonyms is None:
        return idle(SOURCE, "it is not stated.")
    if release.pseudonyms == RANDOM:
        return passed(SOURCE, f"stated as the {RANDOM}.")
    known = "a seed" if release.pseudonyms == SEEDED else "something unknown"
    return failed(SOURCE, f"pseudonyms come from {known}; draw them from the {RANDOM}.")


def nothing_private(release: Published) -> Check:
    """No path of the machine it was made on, no seed or salt, no link between pseudonyms and people."""
    if release.manifest is None and not release.metadata:
        return idle(PRIVATE, "there is no manifest and no metadata.")
    paths = [where for where, text in around(release) if where != "the file names" and _PATH.search(text)]
    faults = [f"{where} holds a path" for where in paths]
    for where, text in (("the manifest", dict(release.manifest or {})), ("the metadata", inside(release.metadata))):
        faults += [f"{where} gives {what}" for what in _secrets(text)]
    return judged(PRIVATE, faults, "no path, seed or link in the manifest, the metadata and the files beside the data.")


def _counts(release: Published, stated: Mapping[str, Any]) -> list[str]:
    bare = release.bare
    if release.noun == "Counts":
        sizes = {name: len(np.unique(release.table.numbers[name[:-1]])) for name in ("slots", "cells")}
        counted = {"rows": release.rows, **sizes}
        if release.rows != sizes["slots"] * sizes["cells"]:
            return ["not every cell and slot is published"]
        return [f"counts.{name} is not the {n:,} of the table" for name, n in counted.items() if stated.get(name) != n]
    counted = {"pseudonyms": len(release) + bare, "rows": release.rows, "people": int(release.crowd.sum()) + bare}
    wrong = [name for name, n in counted.items() if stated.get(name) != n]
    return [f"counts.{name} is not the {counted[name]:,} of the table" for name in wrong]


def _contradictions(release: Published) -> list[str]:
    """Things said twice that differ: parameters, clock and the metadata of the data file."""
    within = inside(release.metadata)
    stated = {**release.clock, **release.plane, "noun": release.noun}
    twice = [
        *(
            (name, stated.get(name), release.parameters[name])
            for name in ("slot_min", "cell_m")
            if _states(release, name)
        ),
        *((name, stated.get(name), within.get(name)) for name in NOTED if release.format == 1 and within.get(name)),
        *((name, stated.get(name), within[name]) for name in NOTED if release.format != 1 and name in within),
        # No zone at all is UTC, wherever a zone has its place.
        *(
            ("time_zone", stated_zone(stated), stated_zone(other))
            for other in (release.parameters, within)
            if ZONE in other
        ),
    ]
    lenient = release.format == 1
    differ = {name for name, here, there in twice if here != there and not (lenient and None in (here, there))}
    faults = _foreign_notes(release, within)
    faults += [f"{name} is stated twice and differs" for name in sorted(differ)]
    slot_min, grain_s = release.clock.get("slot_min"), release.clock.get("grain_s")
    if slot_min is not None and grain_s != slot_min * 60:
        faults.append("the grain is not the width of a slot")
    return faults


def _states(release: Published, name: str) -> bool:
    return release.parameters.get(name) is not None


def _foreign_notes(release: Published, within: Mapping[str, Any]) -> list[str]:
    """What a Parquet file notes of itself is what release.md lists, and no more."""
    if release.format == 1 or release.footer is None or release.manifest is None:
        return []
    keys = set(release.footer.keys) - {b"incrowd", SCHEMA}
    faults = [f"the footer of the Parquet file has {len(keys)} unknown keys"] if keys else []
    if release.footer.keys.get(b"incrowd") != json.dumps(within).encode():  # also of a key that comes twice
        faults.append("the notes in the Parquet file are damaged")
    if set(within) - NOTES[release.noun]:
        faults.append("the notes in the Parquet file have unknown keys")
    sizes, clock = part_of(release.manifest, "counts"), release.clock
    known = {
        "ordered": True,
        "planar": "x" in release.table.numbers,
        "shape": [sizes.get("slots"), sizes.get("cells")],
        "start_min": part_of(release.manifest, "clock").get("start_min"),
        "time_zone": clock.get(ZONE),
    }
    differ = [name for name, value in known.items() if name in within and within[name] != value]
    return [*faults, *(f"{name} is stated twice and differs" for name in differ)]


def _at_odds(release: Published) -> list[str]:
    """Parameters and claims that state the same thing must agree."""
    claims = release.claims if release.manifest is None else part_of(release.manifest, "claims")
    both = [name for name in claims if name in release.parameters]
    differ = [name for name in both if not _equal(plain(claims[name]), plain(release.parameters[name]))]
    return [f"parameters.{name} is not claims.{name}" for name in differ]


def _equal(one: Any, other: Any) -> bool:
    """Equal as numbers or as they are; values in any order."""
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    try:
        return bool(one == other or Fraction(str(one)) == Fraction(str(other)))
    except (ValueError, ZeroDivisionError):
        return False


def _cells(release: Published) -> list[str]:
    """Every published cell has one centre, and no other cell is listed."""
    if "cell" not in ROLES.get(release.noun, ()):
        return [f"{CELLS} does not belong to {release.noun}"] if release.cells is not None else []
    if release.cells is None:
        placed = release.plane.get("cell_m") is not None or release.noun == "Counts"
        return [f"{CELLS} is missing, although the cells have places"] if placed else []
    ids = release.cells[0]
    used = np.unique(release.table.numbers["cell"])
    faults = [f"{CELLS} names a cell twice"] if len(np.unique(ids)) < len(ids) else []
    lacking, idle_ = int((~np.isin(used, ids)).sum()), int((~np.isin(ids, used)).sum())
    faults += [f"{lacking} published cells have no centre in {CELLS}"] if lacking else []
    faults += _unlike_squares(release.cells[1], release.plane.get("cell_m"))
    faults += [] if (np.diff(ids) > 0).all() else [f"{CELLS} is not in the order of its cells"]
    return faults + ([f"{CELLS} lists {idle_} cells that are not published"] if idle_ else [])


def _unlike_squares(centres: Floats, cell_m: float | None) -> list[str]:
    """Squares of one grid are a whole number of sides apart, but for the rounding of their centres."""
    if cell_m is None or not len(centres):
        return []
    apart = centres - centres[0]
    off = np.abs(apart - np.round(apart / cell_m) * cell_m) > 2 * ROUNDED_M
    return [f"the cells of {CELLS} are not apart by whole sides of cell_m"] if off.any() else []


def _secrets(stated: Any) -> Iterator[str]:
    """Keys whose value must not be published; the seed of a measured risk gives nobody away."""
    waiting = [stated]
    while waiting:
        value = waiting.pop()
        for key, inner in value.items() if isinstance(value, dict) else ():
            nothing = inner is None or inner is False or inner in ("", [], {})  # a seed of 0 is a seed
            if (_SECRET.search(key) or key.lower() in _LINKS) and not nothing:
                yield "a seed, salt or link"
            elif key != "residual_risk":
                waiting.append(inner)
        waiting += value if isinstance(value, list) else []


def wording(release: Published) -> Check:
    """The guarantee and the README are those that the manifest's method, parameters, claims and counts make.

    For format 1, whose words are not made from the manifest, every number and every word of a claim in them must be one
    of the manifest's.
    """
    if release.manifest is None or release.folder is None or release.file is None:
        return idle(WORDING, "no manifest and no README state anything.")
    path = release.folder / README
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
        return uncheckable(WORDING, f"{README} is not a readable file.")
    text = path.read_bytes().decode("utf-8", "replace")
    if release.format == 1:
        return judged(WORDING, list(_beside(release, text)), f"guarantee and {README} state no more than the manifest.")
    return judged(WORDING, list(_unlike(release, text, path)), f"guarantee and {README} are made from the manifest.")


def _unlike(release: Published, text: str, path: Path) -> Iterator[str]:
    manifest: dict[str, Any] = dict(release.manifest or {})
    try:
        if manifest.get("guarantee") != guarantee_of(manifest):
            yield "the guarantee is not the sentence of this method and these claims"
        if text != readme_of(manifest, str(release.file.suffix[1:]) if release.file else ""):
            yield f"{path.name} is not the page of this manifest"
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        yield f"{path.name} cannot be checked, because the manifest is damaged"


def _beside(release: Published, text: str) -> Iterator[str]:
    manifest = {key: value for key, value in (release.manifest or {}).items() if key not in ("files", "id")}
    guarantee = str(manifest.pop("guarantee", ""))
    known = {_plain(number) for number in _NUMBER.findall(repr(manifest))} | {"256", "2", "0", "1"}
    known |= {_plain(str(value)) for value in release.claims.values()}
    odd = [number for number in _NUMBER.findall(text) if _plain(number) not in known and number not in guarantee]
    if odd:
        yield f"{len(odd)} numbers of {README} are not in the manifest"
    words = {word.lower() for word in _CLAIM.findall(text.replace(guarantee, ""))} - {"guarantee"}
    if words:
        yield f"{README} claims more than the guarantee of the manifest"
    numbers = set(map(_plain, _NUMBER.findall(guarantee))) - known - {"2013"}
    if numbers:
        yield f"the guarantee states {len(numbers)} numbers that are not in the manifest"
    if "differential" in guarantee.lower() and "epsilon" not in release.claims:
        yield "the guarantee states differential privacy, which is not claimed"


def _plain(number: str) -> str:
    text = number.replace(",", "")
    return text.rstrip("0").rstrip(".") if "." in text else text

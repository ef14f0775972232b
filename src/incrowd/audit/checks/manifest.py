"""Does the manifest say what is published, and nothing that leads back?"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from incrowd.arrays import Floats
from incrowd.audit.reading.published import CELLS, RANDOM, ROUNDED_M, SEEDED, Published, part_of
from incrowd.audit.reading.stated import ZONE, stated_zone
from incrowd.audit.reading.tables import ROLES
from incrowd.audit.reading.texts import around, inside
from incrowd.audit.verdict import Check, failed, idle, judged, passed

MANIFEST, PRIVATE, SOURCE = "manifest", "nothing private", "pseudonym source"
FORMAT = "incrowd-release/1"
KEYS = ("software", "method", "guarantee", "claims", "clock", "counts", "ledger", "pseudonyms", "files")
_PATH = re.compile(r"""(?:^|(?<=[\s"'`=(\[,;]))(?:~|file:/)?(?:/[\w.-]+){2,}|(?<!\w)[A-Za-z]:\\+\w""", re.MULTILINE)
_SECRET = re.compile(r"seed|salt|secret|password", re.IGNORECASE)
_LINKS = {"link", "links", "members", "mapping", "provenance"}


def manifest(release: Published) -> Check:
    """Format, noun, counts, clock and cells agree with the table."""
    if release.manifest is None:
        faults = list(release.nonsense)
        return judged(MANIFEST, faults, "") if faults else idle(MANIFEST, "there is no manifest.")
    stated = release.manifest
    faults = [f"the format is not {FORMAT}"] if stated.get("format") != FORMAT else []
    faults += [f"{key} is missing" for key in KEYS if key not in stated]
    if stated.get("noun") != release.noun:
        faults.append(f"the columns are those of {release.noun}, the manifest says otherwise")
    faults += _counts(release, part_of(stated, "counts"))
    faults += [*release.nonsense, *_contradictions(release)]
    faults += _cells(release)
    return judged(MANIFEST, faults, f"agrees with a table of {release.rows:,} rows and {len(release):,} pseudonyms.")


def pseudonym_source(release: Published) -> Check:
    """Pseudonyms were drawn from the operating system's entropy: whoever has a seed can draw them again."""
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
    counted = {"pseudonyms": len(release) + bare, "rows": release.rows, "people": int(release.crowd.sum()) + bare}
    wrong = [name for name, n in counted.items() if stated.get(name) != n]
    return [f"counts.{name} is not the {counted[name]:,} of the table" for name in wrong]


def _contradictions(release: Published) -> list[str]:
    """Things said twice that differ: parameters, clock and the metadata of the data file."""
    within = inside(release.metadata)
    stated = {**release.clock, **release.plane, "noun": release.noun}
    twice = [
        *((name, stated.get(name), release.parameters.get(name)) for name in ("slot_min", "cell_m")),
        *((name, stated.get(name), within.get(name)) for name in ("noun", "slot_min", "start", "crs", "cell_m")),
        # No zone at all is UTC, wherever a zone has its place.
        *(
            ("time_zone", stated_zone(stated), stated_zone(other))
            for other in (release.parameters, within)
            if ZONE in other
        ),
    ]
    differ = {name for name, here, there in twice if None not in (here, there) and here != there}
    faults = [f"{name} is said twice and differs" for name in sorted(differ)]
    slot_min, grain_s = release.clock.get("slot_min"), release.clock.get("grain_s")
    if slot_min is not None and grain_s != slot_min * 60:
        faults.append("the grain is not the width of a slot")
    return faults


def _cells(release: Published) -> list[str]:
    """Every published cell has one centre, and no other cell is listed."""
    if release.cells is None or "cell" not in ROLES[release.noun]:
        return []
    ids = release.cells[0]
    used = np.unique(release.table.numbers["cell"])
    faults = [f"{CELLS} names a cell twice"] if len(np.unique(ids)) < len(ids) else []
    lacking, idle_ = int((~np.isin(used, ids)).sum()), int((~np.isin(ids, used)).sum())
    faults += [f"{lacking} published cells have no centre in {CELLS}"] if lacking else []
    faults += _unlike_squares(release.cells[1], release.plane.get("cell_m"))
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

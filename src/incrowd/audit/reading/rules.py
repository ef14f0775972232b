"""What each key of a manifest of format 2 may hold (docs/release.md): anything else is a fault."""

import re
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from incrowd.audit.reading.published import is_count
from incrowd.audit.reading.stated import CLAIMS, is_zone
from incrowd.clock import DAY_MIN

Rule = Callable[[Any], bool]
NOUNS = ("Visits", "Fingerprints", "Traces", "Counts")
SOFTWARE = re.compile(r"incrowd \d{1,4}(\.\d{1,4}){1,3}([a-z.+-]{1,6}\d{0,6}){0,3}")
IDENT = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")  # a random UUID
REASON = re.compile(r"[A-Za-z(][\w ,.;:'()\[\]/+%<>=-]{0,79}", re.ASCII)
_WORD = "(?:proj|datum|ellps|units|type)=[A-Za-z][A-Za-z0-9]{0,11}"
_SIZE = "(?:lat_[0-2]|lat_ts|lon_[0-2]|lonc|alpha|gamma|x_0|y_0|k|k_0|zone|a|b|rf|towgs84)=[0-9.,e+-]{1,80}"
PROJ = re.compile(rf"(?:\+(?:{_WORD}|{_SIZE}|no_defs|south|over)(?: |$)){{1,24}}|EPSG:\d{{4,6}}", re.ASCII)
DIGEST = re.compile(r"[0-9a-f]{64}")
MOST_REASONS, MOST_STEPS, MOST_NAMES, MOST_RISKS = 24, 64, 1000, 16  # of one step, of a ledger, of attributes, of risks
CLOCK, PLANE = ("slot_min", "start", "time_zone", "grain_s"), ("crs", "cell_m")
STEP = {"step", "read", "kept", "dropped", "created", "notes", "users"}
RISK = {"measure", "points", "knowledge", "short", "repeats", "samples", "value", "population", "skipped", "interval"}


def is_number(value: Any) -> bool:
    """Whether something is a finite number, and no truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def is_minute(value: Any) -> bool:
    """Whether something is a minute of the day."""
    return is_count(value) and value < DAY_MIN


def _or_null(rule: Rule) -> Rule:
    return lambda value: value is None or rule(value)


def _among(*words: Any) -> Rule:
    return lambda value: isinstance(value, (str, type(None))) and value in words


_NUMBERS: Rule = lambda value: isinstance(value, list) and len(value) == 4 and all(map(is_number, value))  # noqa: E731
_FLAG: Rule = lambda value: isinstance(value, bool)  # noqa: E731


def _is_above_0(value: Any) -> bool:
    return is_number(value) and value > 0


def _is_some(value: Any) -> bool:
    return is_count(value) and value > 0


DP: Mapping[str, Rule] = {
    **dict.fromkeys(("epsilon", "sensitivity", "scale"), _is_above_0),
    **dict.fromkeys(("slots_per_person", "cells_per_slot"), _is_some),
    "delta": is_number,
    "mechanism": _among("discrete laplace", "discrete gaussian"),
    "keep_negative": _FLAG,
}
PARAMETERS: dict[str | None, Mapping[str, Rule]] = {
    None: {},
    "Cut": {
        "window_h": _or_null(_is_above_0),
        **dict.fromkeys(("windows", "slots"), _or_null(_is_some)),
        "start_slot": lambda value: type(value) is int,
    },
    "Generalize": {"cell_m": _is_above_0, "slot_min": _is_some, "time_zone": _or_null(is_zone)},
    "LKC": {
        **dict.fromkeys(("l", "k", "min_support"), _is_some),
        **dict.fromkeys(("limit_s", "limit_gib"), _is_above_0),
        "c": lambda value: is_number(value) or CLAIMS["c"](value) or isinstance(value, str),
        "sensitive": _or_null(CLAIMS["sensitive"]),
        "values": _or_null(CLAIMS["values"]),
        "scores": _among("static", "recompute"),
        "same_time": _among("refuse", "order"),
    },
    "Glove": {
        "k": _is_some,
        **dict.fromkeys(("max_extent_m", "max_extent_min", "shard_users", "shards"), _or_null(_is_some)),
        "reshape": _among(None, "union", "split"),
        "leftover": _among("merge", "suppress"),
        "device": _among("auto", "cpu", "gpu"),
        "ties": _among("first", "uncapped"),
        "suppress": _among("final", "each"),
    },
    "W4M": {
        **dict.fromkeys(("k", "chunk", "most"), _is_some),
        "delta_m": _is_above_0,
        "trash": lambda value: is_number(value) and 0 <= value <= 1,
        "radius_m": _or_null(_is_above_0),
        "box": _or_null(_NUMBERS),
        "keep_zero": _FLAG,
    },
    "DPCounts": DP,
    "CellKey": {"table": _among("10-5"), "threshold": is_count},
    "Counts": {
        **DP,
        **dict.fromkeys(("move_share", "region_m", "noise_epsilon", "dp_epsilon"), _or_null(_is_above_0)),
        **dict.fromkeys(("suppress_below", "round_to"), _or_null(_is_some)),
        "cell_key": _among(None, "10-5"),
        "rule": _among(None, "10-5", "11", "15", "20"),
        "regions": _FLAG,
    },
}
OPTIONAL = {"DPCounts": {"keep_negative"}, "Counts": set(PARAMETERS["Counts"])}
CLAIMED: dict[str | None, set[str]] = {
    "Cut": set(),
    "Generalize": set(),
    "LKC": {"l", "k", "c", "sensitive", "values"},
    "Glove": {"k"},
    "W4M": {"k", "delta_m"},
    "DPCounts": {"epsilon", "delta", "unit"},
    "CellKey": set(),
    "Counts": set(),
}
MADE: dict[str | None, str] = {
    "Cut": "Visits",
    "Generalize": "Visits",
    "LKC": "Visits",
    "Glove": "Fingerprints",
    "W4M": "Traces",
    "DPCounts": "Counts",
    "CellKey": "Counts",
    "Counts": "Counts",
}
STEPS = {"Cut": "windows", "Generalize": "grid", "LKC": "lkc", "Glove": "glove", "W4M": "w4m"}  # of their ledgers
SIZES = {noun: {"pseudonyms", "rows", "people", "bare"} for noun in NOUNS} | {"Counts": {"rows", "slots", "cells"}}


def _is_plane(value: Any) -> bool:
    return value is None or (isinstance(value, str) and bool(PROJ.fullmatch(value)))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(REASON.fullmatch(value))


def _are_names(value: Any) -> bool:
    """Whether something lists columns, which anybody may call anything."""
    fits = isinstance(value, list) and len(value) <= MOST_NAMES
    named = fits and all(isinstance(name, str) and name.isprintable() and 0 < len(name) < 100 for name in value)
    return named and len(set(value)) == len(value)


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and bool(DIGEST.fullmatch(value))


def _is_tally(value: Any) -> bool:
    """Whether something counts records by reason."""
    fits = isinstance(value, dict) and len(value) <= MOST_REASONS
    return fits and all(_is_name(reason) and is_count(n) for reason, n in value.items())


KEYS: Mapping[str, Rule] = {
    "format": lambda value: value == "incrowd-release/2",
    "id": lambda value: isinstance(value, str) and bool(IDENT.fullmatch(value)),
    "software": lambda value: isinstance(value, str) and bool(SOFTWARE.fullmatch(value)),
    "noun": lambda value: value in NOUNS,
    "method": lambda value: isinstance(value, (str, type(None))) and value in PARAMETERS,
    "parameters": lambda value: isinstance(value, dict),
    "guarantee": lambda value: isinstance(value, str) and value != "",
    "claims": lambda value: isinstance(value, dict),
    "clock": lambda value: isinstance(value, dict),
    "plane": lambda value: isinstance(value, dict) and set(value) == set(PLANE) and _is_plane(value["crs"]),
    "counts": lambda value: isinstance(value, dict) and all(map(is_count, value.values())),
    "attributes": _are_names,
    "ledger": lambda value: isinstance(value, list) and len(value) <= MOST_STEPS,
    "suppressed": lambda value: isinstance(value, dict) and set(value) == {"records", "attributes"},
    "merged": _is_tally,
    "residual_risk": lambda value: value is None or (isinstance(value, list) and 0 < len(value) <= MOST_RISKS),
    "pseudonyms": lambda value: value in (None, "operating system", "seeded", "unknown"),
    "files": lambda value: isinstance(value, dict) and all(map(_is_digest, value.values())) and bool(value),
}


OLDER: Mapping[str, Rule] = {  # where format 1 differs
    "format": lambda value: value == "incrowd-release/1",
    "residual_risk": lambda value: value is None or isinstance(value, (list, dict)),
}


def faults_of(manifest: Mapping[str, Any], number: int = 2) -> Iterator[str]:
    """What is missing, empty, null, of the wrong type or unknown in a manifest of a format; keys by position."""
    rules = KEYS if number == 2 else {**KEYS, **OLDER}
    unknown = [at for at, key in enumerate(manifest) if key not in KEYS]
    if unknown:
        yield f"the manifest has {len(unknown)} unknown keys, the first at position {unknown[0]}"
    due = [key for key in rules if key in manifest or (number, key) != (1, "attributes")]
    for key in due:
        if key not in manifest:
            yield f"{key} is missing"
        elif not rules[key](manifest[key]):
            yield f"{key} does not hold what release.md says"
    if all(key in manifest and rules[key](manifest[key]) for key in due):
        yield from _parts(manifest, manifest["noun"], manifest["method"], number)


def _parts(manifest: Mapping[str, Any], noun: str, method: str | None, number: int) -> Iterator[str]:
    if method is not None and MADE[method] != noun:
        yield f"{method} does not make {noun}"
    yield from _parameters(manifest["parameters"], method)
    claims = set(manifest["claims"])
    known = CLAIMED.get(method, {"k", "l", "c", "sensitive", "values", "delta_m"})
    if method == "Counts" and "epsilon" in manifest["parameters"]:
        known = CLAIMED["DPCounts"]  # which the later steps keep
    if claims - known or (method is not None and claims != known):
        yield f"the claims are not those of {method or 'a release'}"
    yield from _published(manifest, noun, method)
    if set(manifest["counts"]) != SIZES[noun] - ({"bare"} if number == 1 else set()):
        yield f"counts are not those of {noun}"
    if set(manifest["clock"]) != {*CLOCK, *(["start_min"] if noun == "Counts" else [])}:
        yield "the clock has other parts than release.md says"
    yield from _nulls(manifest, noun)
    gone = manifest["suppressed"]
    if not _is_tally(gone["records"]) or not KEYS["attributes"](gone["attributes"]):
        yield "suppressed does not hold counts by reason and names"
    if (not manifest["ledger"]) != (noun == "Counts") or not all(map(_is_step, manifest["ledger"])):
        yield "the ledger is empty, or a step of it has other parts than release.md says"
    if number == 2 and not all(map(_is_risk, manifest["residual_risk"] or [])):
        yield "residual_risk does not hold measured uniqueness"


def _published(manifest: Mapping[str, Any], noun: str, method: str | None) -> Iterator[str]:
    """Attributes that the method does not publish, or that are said to be left out; pseudonyms without a row."""
    attributes = manifest.get("attributes", [])
    own = {manifest["claims"].get("sensitive")} - {None} if method == "LKC" else set()
    if method is not None and "attributes" in manifest and set(attributes) != own:
        yield f"the attributes are not those that {method} publishes"
    if method in STEPS and not any(
        isinstance(step, dict) and step.get("step") == STEPS[method] for step in manifest["ledger"]
    ):
        yield f"no step of the ledger is that of {method}"
    if set(attributes) & set(manifest["suppressed"]["attributes"]):
        yield "an attribute is both published and left out"
    if noun == "Counts" and method is None:
        yield "counts do not say how they were made"
    if manifest["counts"].get("bare") and method not in ("LKC", None):
        yield f"{method} leaves no pseudonym without a row"


def _parameters(stated: Mapping[str, Any], method: str | None) -> Iterator[str]:
    rules = PARAMETERS[method]
    if set(stated) - set(rules) or set(rules) - set(stated) - OPTIONAL.get(str(method), set()):
        yield f"the parameters are not those of {method or 'a release without a method'}"
    elif not all(rules[name](value) for name, value in stated.items()):
        yield "a parameter has no meaning"


def _nulls(manifest: Mapping[str, Any], noun: str) -> Iterator[str]:
    """Parts that the kind of data must have, and parts it cannot have."""
    clock, plane = manifest["clock"], manifest["plane"]
    slotted = noun in ("Visits", "Counts")
    absent = [clock.get("slot_min")] if not slotted else []
    absent += [clock.get("start"), clock.get("time_zone"), plane["crs"]] if noun == "Traces" else []
    absent += [plane["cell_m"]] if noun in ("Traces", "Fingerprints", "Counts") else []
    absent += [plane["crs"], clock.get("start"), clock.get("time_zone")] if noun == "Counts" else []
    if any(value is not None for value in absent):
        yield f"clock or plane state what {noun} do not have"
    if noun == "Counts" and (clock.get("slot_min") is None or not is_minute(clock.get("start_min"))):
        yield "the clock of counts is not stated"
    slot_min = clock.get("slot_min") if slotted and is_count(clock.get("slot_min")) else None
    grain = 60 * (slot_min or 1) if noun != "Traces" else 1
    if clock.get("grain_s") != grain:
        yield "the grain is not that of the published times"
    if manifest["method"] == "Generalize" and None in (clock.get("start"), plane["cell_m"]):
        yield "a generalized release must state its start and the side of its cells"
    if (manifest["pseudonyms"] is None) != (noun == "Counts"):
        yield "the source of the pseudonyms is not stated"


def _is_step(step: Any) -> bool:
    if not isinstance(step, dict) or set(step) != STEP or not _is_name(step["step"]):
        return False
    users = step["users"]
    paired = users is None or (isinstance(users, list) and len(users) == 2 and all(map(is_count, users)))
    counted = is_count(step["read"]) and is_count(step["kept"])
    return paired and counted and all(_is_tally(step[name]) for name in ("dropped", "created", "notes"))


def _is_risk(risk: Any) -> bool:
    if not isinstance(risk, dict) or set(risk) != RISK or risk["measure"] != "uniqueness":
        return False
    numbers = ("points", "repeats", "population", "skipped")
    drawn = risk["samples"] is None or is_count(risk["samples"])
    ends = [risk["value"], *(risk["interval"] if isinstance(risk["interval"], list) else [risk["interval"]] * 2)]
    shares = ends == [None] * 3 or (len(ends) == 3 and all(is_number(end) and 0 <= end <= 1 for end in ends))
    named = risk["knowledge"] == "random" and risk["short"] in ("drop", "all", "zero")
    return named and drawn and shares and all(is_count(risk[name]) for name in numbers) and risk["points"] > 0

"""A Release -> what its manifest states: what was done, in words and numbers, and nothing that leads to a person."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from incrowd import __version__
from incrowd.data import Counts, Fingerprints, Release, Traces
from incrowd.data.release_folder import FORMAT
from incrowd.data.release_section import dropped
from incrowd.data.release_text import guarantee_of
from incrowd.errors import ParameterError
from incrowd.plain import to_json

RISK = ("points", "knowledge", "short", "repeats", "samples", "value", "population", "skipped", "interval")


def manifest_of(release: Release, residual_risk: Any = None, ident: str | None = None) -> dict[str, Any]:
    """The manifest of a release as plain values, without the files."""
    data = release.data
    params = dict(release.params)
    seeded = params.pop("pseudonym_seed_given", None)
    source = {None: "unknown", True: "seeded", False: "operating system"}[seeded]
    stated = {
        "format": FORMAT,
        "id": ident,
        "software": f"incrowd {__version__}",
        "noun": type(data).__name__,
        "method": params.pop("method", None),
        "parameters": params,
        "guarantee": "",
        "claims": dict(release.claims),
        "clock": _clock(data),
        "plane": {"crs": getattr(data, "crs", None), "cell_m": getattr(data, "cell_m", None)},
        "counts": _sizes(data),
        "attributes": list(getattr(data, "attributes", ())),
        "ledger": [] if isinstance(data, Counts) else release.ledger.to_dict(),
        "suppressed": {
            "records": dropped(release, merged=False),
            "attributes": list(release.provenance.get("dropped_attributes", [])),
        },
        "merged": dropped(release, merged=True),
        "residual_risk": _risks(residual_risk),
        "pseudonyms": None if isinstance(data, Counts) else source,
    }
    plain: dict[str, Any] = json.loads(to_json(stated))
    return {**plain, "guarantee": guarantee_of(plain)}


def _clock(data: Any) -> dict[str, Any]:
    slot_min = getattr(data, "slot_min", None)
    clock = {
        "slot_min": slot_min,
        "start": getattr(data, "start", None),
        "time_zone": getattr(data, "time_zone", None),
        "grain_s": 1 if isinstance(data, Traces) else 60 * (slot_min or 1),
    }
    return {**clock, "start_min": data.start_min} if isinstance(data, Counts) else clock


def _sizes(data: Any) -> dict[str, int]:
    if isinstance(data, Counts):
        slots, cells = data.shape
        return {"rows": slots * cells, "slots": slots, "cells": cells}
    crowd = data.crowd if isinstance(data, Fingerprints) else np.ones(len(data), np.int64)
    bare = int((np.diff(data.offsets) == 0).sum())
    return {"pseudonyms": len(data), "rows": data.records, "people": int(crowd.sum()), "bare": bare}


def _risks(results: Any) -> list[Mapping[str, Any]] | None:
    """Measured uniqueness in numbers, without what belongs to one run, such as its seed."""
    if results is None:
        return None
    stated: list[Mapping[str, Any]] = []
    for result in results if isinstance(results, (list, tuple)) else [results]:
        known = result.to_dict() if hasattr(result, "to_dict") else {}
        if not set(RISK) <= known.keys() or known["knowledge"] != "random":
            raise ParameterError("residual_risk must be the uniqueness of the published visits from random points.")
        stated.append({"measure": "uniqueness", **{name: known[name] for name in RISK}})
    return stated

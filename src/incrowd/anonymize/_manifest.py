"""A Release -> what its manifest states: what was done, in words and numbers, and nothing that leads to a person."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd import __version__
from incrowd.data import Counts, Fingerprints, Release, Traces
from incrowd.data.release_folder import FORMAT
from incrowd.data.release_section import dropped
from incrowd.data.release_text import guarantee_of
from incrowd.errors import ParameterError
from incrowd.ledger import Ledger
from incrowd.plain import to_json

RISK = ("points", "knowledge", "short", "repeats", "samples", "value", "population", "skipped", "interval")


@dataclass(frozen=True)
class ReleaseStatement:
    """What the manifest of a release states, but for its id and its files."""

    noun: str
    params: Mapping[str, Any]  # "method", what it was given, and whether pseudonyms have a seed
    claims: Mapping[str, Any]
    clock: Mapping[str, Any]
    plane: Mapping[str, Any]
    counts: Mapping[str, int]
    attributes: Sequence[str]
    dropped_attributes: Sequence[str]
    ledger: Ledger
    residual_risk: Any = None

    @classmethod
    def of(cls, release: Release, residual_risk: Any = None) -> "ReleaseStatement":
        """That of a release in memory."""
        data = release.data
        return cls(
            type(data).__name__,
            release.params,
            release.claims,
            _clock(data),
            {"crs": getattr(data, "crs", None), "cell_m": getattr(data, "cell_m", None)},
            _sizes(data),
            list(getattr(data, "attributes", ())),
            list(release.provenance.get("dropped_attributes", [])),
            Ledger() if isinstance(data, Counts) else release.ledger,
            residual_risk,
        )


def manifest_of(statement: ReleaseStatement, ident: str | None = None) -> dict[str, Any]:
    """The manifest of a release as plain values, without the files."""
    params = dict(statement.params)
    seeded = params.pop("pseudonym_seed_given", None)
    source = {None: "unknown", True: "seeded", False: "operating system"}[seeded]
    stated = {
        "format": FORMAT,
        "id": ident,
        "software": f"incrowd {__version__}",
        "noun": statement.noun,
        "method": params.pop("method", None),
        "parameters": params,
        "guarantee": "",
        "claims": dict(statement.claims),
        "clock": dict(statement.clock),
        "plane": dict(statement.plane),
        "counts": dict(statement.counts),
        "attributes": list(statement.attributes),
        "ledger": statement.ledger.to_dict(),
        "suppressed": {
            "records": dropped(statement.ledger, merged=False),
            "attributes": list(statement.dropped_attributes),
        },
        "merged": dropped(statement.ledger, merged=True),
        "residual_risk": _risks(statement.residual_risk),
        "pseudonyms": None if statement.noun == "Counts" else source,
    }
    plain: dict[str, Any] = json.loads(to_json(stated))
    return {**plain, "guarantee": guarantee_of(plain)}


def clock_of(slot_min: int | None, start: int | None, time_zone: str | None) -> dict[str, Any]:
    """The clock of slots or minutes."""
    return {"slot_min": slot_min, "start": start, "time_zone": time_zone, "grain_s": 60 * (slot_min or 1)}


def _clock(data: Any) -> dict[str, Any]:
    clock = clock_of(*(getattr(data, name, None) for name in ("slot_min", "start", "time_zone")))
    if isinstance(data, Traces):
        clock["grain_s"] = 1
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

"""GateSettings -> the data, and the release that is made of them: read, clean, discretize, anonymize."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

from incrowd import anonymize, clean, discretize, read
from incrowd.assess.digests import JudgedFile, data_files
from incrowd.clock import DAY_MIN
from incrowd.data import Fingerprints, Release, Traces, UserTable, Visits
from incrowd.discretize._counts import everybody
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, ParameterError
from incrowd.gate.checks import method_of
from incrowd.gate.keys import COUNTS
from incrowd.gate.settings import GateSettings
from incrowd.read._kind import holding

USES: Mapping[str, tuple[str, ...]] = {  # keys of [discretize], by what is made
    "grid": ("cell_m", "slot_min", "keep", "origin", "start"),
    "towers": ("slot_min", "start", "towers", "far_towers"),
    "zones": ("slot_min", "keep", "start", "zones"),
    "fingerprints": ("cell_m", "slot_min", "origin", "start"),
    "counts on towers": ("slot_min", "start", "days", "towers", "far_towers"),
    "counts on a grid": ("cell_m", "slot_min", "origin", "start", "days"),
    "nothing": (),
}
COUNTED_MIN = 30  # a slot of counts, as incrowd anonymize counts has it


@dataclass(frozen=True, eq=False)
class Made:
    """A release, and what it is judged with.

    Args:
        release: What would be published.
        original: What it was made from, without people who were held out.
        held_out: Labels of these people.
        judged: The data that an assessment compares it with.
        options: Keywords of the assessment that follow from how the data were discretized.
    """

    release: Release
    original: UserTable
    held_out: Any
    judged: Any
    options: Mapping[str, Any]


def files_of(source: Any, settings: GateSettings) -> tuple[JudgedFile, ...]:
    """The files of the source with their digests, before anything is read of them."""
    listed = source if isinstance(source, list) else [source]
    return data_files([Path(one) for one in listed], settings.reading.get("layout"))


def opened(source: Any, settings: GateSettings, bad_rows: Path) -> Traces | Visits | Fingerprints:
    """The source: trajectories, or visits and fingerprints that were saved; bad rows go aside if the file says so."""
    reading = {name: value for name, value in settings.reading.items() if name not in ("table", "query")}
    if "bad_rows" in reading:
        reading["bad_rows"] = bad_rows
    known = {name: reading.get(name) for name in ("columns", "layout", "time_format", "antennas")}
    noun = holding(source, **known).noun
    if noun in (None, "Traces"):
        order: Any = "log" if "order" in settings["clean"].get("steps", ()) else "time"
        return read.table(source, time_zone=settings.time_zone, order=order, **reading)
    if noun not in ("Visits", "Fingerprints"):
        raise DataError(f"the source holds {noun}; give trajectories, visits or fingerprints.")
    slots = {"slot_min": settings["discretize"]["slot_min"]} if "slot_min" in settings["discretize"] else {}
    data: Visits | Fingerprints = read.open(source, **slots, **reading)
    return data


def cleaned(data: Any, settings: GateSettings) -> Any:
    """The data after the steps of [clean], in their order."""
    given = settings["clean"]
    steps = given.pop("steps", ())
    if steps and not isinstance(data, Traces):
        raise DataError(
            f"only trajectories can be cleaned, and the source holds {type(data).__name__}; leave [clean] out."
        )
    for step in steps:
        call = getattr(clean, step)
        data = call(data, **{name: value for name, value in given.items() if name in get_type_hints(call)})
    if not data.records:
        raise DataError("no record is left after cleaning; loosen the steps of [clean].")
    return data


def made(data: Any, settings: GateSettings) -> Made:
    """The release of some data, by the method that the file names."""
    if settings.method == COUNTS:
        return _counts(data, settings)
    run, keywords = method_of(settings)
    hint = get_type_hints(run.__call__)["data"]
    wanted = next(noun for noun in (Visits, Traces, Fingerprints) if noun in (hint, *get_args(hint)))
    with settings.at("discretize"):
        noun, options = _discretized(data, wanted, settings)
    original, held = noun, ()
    share = settings["anonymize"].get("hold_out")
    if share is not None:
        original, out = anonymize.hold_out(noun, share)
        held = out.users
    with settings.at("anonymize"):
        release = run(original, **keywords)
    on_squares = {"towers", "zones"}.isdisjoint(settings["discretize"])
    squares = isinstance(noun, Visits) and on_squares and isinstance(data, Traces)
    judged = data if squares or not isinstance(noun, Visits) else noun
    return Made(release, original, held, judged, options)


def _discretized(data: Any, wanted: type, settings: GateSettings) -> tuple[Any, dict[str, Any]]:
    """What a method takes, and on what cells and slots it is judged."""
    given = settings["discretize"]
    if isinstance(data, wanted) and not isinstance(data, Traces):
        _refuse({name: value for name, value in given.items() if name != "slot_min"}, "nothing")
        return data, {}
    if not isinstance(data, Traces):
        raise DataError(f"{settings.method} takes {wanted.__name__}, and the source holds {type(data).__name__}.")
    if wanted is Traces:
        _refuse(given, "nothing")
        return data, {}
    into = (
        "fingerprints"
        if wanted is Fingerprints
        else "towers"
        if "towers" in given
        else "zones"
        if "zones" in given
        else "grid"
    )
    _refuse(given, into)
    how = {**given, "time_zone": settings.time_zone}
    if into == "fingerprints":
        return discretize.fingerprints(data, **how), {}
    how.setdefault("slot_min", Grain.slot_min)
    grain = {"slot_min": how["slot_min"]}
    if into == "zones":
        return discretize.zones(data, how.pop("zones"), **how), {}
    if into == "towers":
        places = read.towers(how.pop("towers"))
        return discretize.towers(data, places, **how), {}  # judged as visits: only squares tell where a record may be
    how.setdefault("cell_m", Grain.cell_m)
    return discretize.grid(data, **how), {"cell_m": how["cell_m"], **grain}


def _counts(data: Any, settings: GateSettings) -> Made:
    """How many people are where and when: everybody in one cell in every slot, or the visits that were given."""
    given, steps = settings["discretize"], settings["anonymize"]
    steps = {name: value for name, value in steps.items() if name not in ("method", "file")}
    if isinstance(data, Visits):
        _refuse({name: value for name, value in given.items() if name != "slot_min"}, "nothing")
        visits = discretize.filled(data)
    elif isinstance(data, Traces):
        with settings.at("discretize"):
            visits = _everybody(data, settings)
    else:
        raise DataError("fingerprints do not say who was where in every slot; give trajectories or visits.")
    if steps.get("dp_epsilon") is not None:
        if "towers" not in given and "zones" not in given:
            raise ParameterError(
                "dp_epsilon needs towers or zones in [discretize]: an area found in the data says who was there."
            )
        steps |= {"cells": visits.xy, "slots": (0, given["days"] * DAY_MIN // (visits.slot_min or DAY_MIN))}
    with settings.at("anonymize"):
        release = anonymize.counts(visits, **steps)
    return Made(release, visits, (), visits, {})


def _everybody(traces: Traces, settings: GateSettings) -> Visits:
    given = settings["discretize"]
    how: Any = {"slot_min": COUNTED_MIN, **given, "time_zone": settings.time_zone}
    if "zones" in given:
        _refuse(given, "zones", "days")
        how.pop("days", None)
        return discretize.zones(traces, how.pop("zones"), **{"keep": "vote", **how})
    if "towers" in given:
        _refuse(given, "counts on towers")
        return everybody(traces, cell_m=Grain.cell_m, **{**how, "towers": read.towers(given["towers"])})
    _refuse(given, "counts on a grid")
    return everybody(traces, towers=None, **{"cell_m": Grain.cell_m, **how})


def _refuse(given: Mapping[str, Any], into: str, *more: str) -> None:
    """Refuse keys that would be ignored."""
    strange = [name for name in given if name not in (*USES[into], *more)]
    if strange:
        raise ParameterError(f"{strange[0]} of [discretize] has no use here ({into} is made); leave it out.")


def published(made: Made, folder: Path, link: Path | None, settings: GateSettings) -> Path:
    """Write the release, and who is behind its rows."""
    how: dict[str, Any] = {"file": settings["anonymize"].get("file", "parquet"), "held_out": made.held_out}
    release = made.release
    if link is None:
        # What happened to the records behind counts is for the publisher alone, as with incrowd anonymize counts.
        return anonymize.publish(release, folder, **how)
    return anonymize.publish(release, folder, link=link, original=made.original, **how)

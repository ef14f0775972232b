"""Two sources on the command line -> two datasets on the same squares and slots."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from incrowd.cli.inputs import is_records, visits_of
from incrowd.cli.options import Reading, lon_lat
from incrowd.data import Visits
from incrowd.errors import DataError, ParameterError

CELL_M, SLOT_MIN = 500, 60


def sides_of(
    known: str,
    target: str,
    reading: Reading,
    *,
    cell_m: float | None,
    slot_min: int | None,
    origin: str | None,
    start: str | None,
    near: bool,
) -> list[Visits | Path]:
    """Both sides; one of trajectories takes squares and slots of the other, or of the known where both are.

    `near` cells may match too, so that the other need not be on squares. Options about records are for the sides that
    have records.
    """
    sources = (known, target)
    records = [is_records(source, reading) for source in sources]
    if all(records):
        if reading.bad_rows is not None:
            raise ParameterError(
                "--bad-rows takes the rows of one source, and both are trajectories; run incrowd discretize on one "
                "first."
            )
        grain: dict[str, Any] = {"cell_m": cell_m or CELL_M, "slot_min": slot_min or SLOT_MIN}
        first = visits_of([known], reading, **grain, origin=lon_lat(origin), start=start)
        return [first, visits_of([target], reading, **grain, like=first, start=start)]
    for name, value in {"origin": origin, "start": start}.items():
        if value is not None:
            raise ParameterError(f"one side has its squares and slots already; leave --{name} out.")
    rest = replace(reading, bad_rows=None, time_zone=None) if any(records) else reading
    made: list[Any] = [
        None if raw else _side(source, rest, slot_min or SLOT_MIN) for source, raw in zip(sources, records, strict=True)
    ]
    if any(records):
        there = records.index(False)
        like = _published(made[there])
        _check_grain(like, cell_m=cell_m, slot_min=slot_min)
        if like.cell_m is None and not near:
            raise DataError(
                "one side is at cells that are no squares of a grid, where trajectories on a grid meet none of them; "
                "run incrowd discretize on the trajectories with the same towers, blocks or zones, or pass "
                "--tolerance-m."
            )
        asked: dict[str, Any] = {"cell_m": cell_m or CELL_M, "slot_min": SLOT_MIN, "like": like}
        made[1 - there] = visits_of([sources[1 - there]], reading, **asked)
    return made


def _side(source: str, reading: Reading, slot_min: int) -> Visits | Path:
    """Visits, or the folder of a release, whose pseudonyms are nobody's labels."""
    from incrowd.read._release import folder_of

    folder = folder_of(source)
    if (folder / "manifest.json").is_file():
        return folder
    return visits_of([source], reading, cell_m=CELL_M, slot_min=slot_min)


def _published(side: Visits | Path) -> Visits:
    if isinstance(side, Visits):
        return side
    from incrowd.attack.people import opened

    return opened(side).data  # type: ignore[return-value, union-attr]


def _check_grain(like: Visits, **given: float | None) -> None:
    """Refuse other squares or slots than one side has already."""
    for name, value in given.items():
        own = getattr(like, name)
        if value is not None and own is not None and value != own:
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(f"one side has {option} {own:g} already, and the other is put on it; leave it out.")

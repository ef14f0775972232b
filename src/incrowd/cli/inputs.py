"""Files given on the command line -> the noun a command needs."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from incrowd.cli.options import takes
from incrowd.cli.reading import ReadingOptions, one_or_many
from incrowd.data import Fingerprints, Traces, Visits, load
from incrowd.data.release_folder import release_at
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, ParameterError

if TYPE_CHECKING:
    from incrowd.read._counts import Cells
    from incrowd.read._kind import Holding

GRAIN = Grain()
DEFAULTS = ReadingOptions().arguments()
grained = takes(Grain, "grain", into=Grain)

USES = {  # by noun, for those who hold something else
    "Fingerprints": "incrowd measure kgap, incrowd anonymize glove, incrowd report",
    "Counts": "incrowd attack recover",
}


def saved_noun(source: str | list[str], reading: ReadingOptions) -> str | None:
    """Which noun a file saved by incrowd holds, Visits for any table of user, cell and slot; None for the rest."""
    return _holding(source, reading).noun


def _holding(source: str | list[str], reading: ReadingOptions) -> "Holding":
    from incrowd.read._kind import holding

    how = reading.arguments()
    return holding(source, **{name: how[name] for name in ("columns", "layout", "time_format", "antennas")})


def is_records(source: str, reading: ReadingOptions) -> bool:
    """Whether a source is read record by record: neither visits nor a release."""
    return saved_noun(one_or_many([source]), reading) in (None, "Traces")


def saved_visits(
    source: str | list[str], reading: ReadingOptions, *, slot_min: int | None, cells: "Cells | None" = None
) -> Visits | None:
    """Visits that incrowd saved, or any table of user, cell and slot; None for the rest.

    `cells` are those of the counts that a table goes with, by whose names it calls them.
    """
    from incrowd import read

    held = _holding(source, reading)
    if held.noun != "Visits":
        return None
    path = Path(str(source))
    if held.saved or held.published:
        return _on_own_clock(saved(path), reading)  # type: ignore[no-any-return]
    reading.refuse("a table of visits has its slots already", "time_zone", "bad_rows")
    reading.refuse("the cells and slots of visits are whole numbers", "decimal")
    how = reading.arguments()
    given = {name: how[name] for name in ("columns", "attributes", "antennas", "antenna_at")}
    return read.visits(source, slot_min=slot_min, cells=cells, **given)


def _on_own_clock(noun: Any, reading: ReadingOptions) -> Any:
    """Visits or fingerprints, unless another time zone is asked for than the one that they follow."""
    from incrowd.clock import zone_of

    if reading.time_zone is not None and zone_of(reading.time_zone) != zone_of(noun.time_zone):
        raise ParameterError(
            f"this file follows the clock of {noun.time_zone or 'UTC'} already; leave --time-zone out, or discretize "
            "the trajectories with it."
        )
    return noun


def saved(path: Path) -> Any:
    """What incrowd saved in a file, or publishes in that of a release."""
    from incrowd.read._kind import release

    folder = release_at(path)
    return load(path) if folder in (None, path) else release(folder)


def visits_of(
    sources: list[str], reading: ReadingOptions, grain: Grain = GRAIN, *, like: Visits | None = None, **grid: Any
) -> Visits:
    """Visits that were saved, or trajectories on a grid, or on the squares and slots of other visits."""
    from incrowd import discretize

    source = one_or_many(sources)
    visits = saved_visits(source, reading, slot_min=grain.slot_min)
    if visits is not None:
        return visits
    noun = saved_noun(source, reading)
    if noun not in (None, "Traces"):
        raise DataError(
            f"this file holds {noun}, not trajectories or visits; give the trajectories, or run a command that takes "
            f"{noun}: {USES.get(noun or '', 'incrowd audit')}."
        )
    how = {**grid, **reading.arguments()}
    if like is not None:
        return discretize.alike(source, like, cell_m=like.cell_m or grain.cell_m, **how)
    return discretize.grid(source, cell_m=grain.cell_m, slot_min=grain.slot_min, **how)


def grain_of(noun: Any) -> str:
    """The cells and slots of visits or fingerprints in words, as far as they are known: 500 m cells, 60 min slots."""
    cell_m, slot_min = getattr(noun, "cell_m", None), getattr(noun, "slot_min", None)
    if isinstance(noun, Fingerprints) and noun.records:
        cell_m, slot_min = int(noun.dx.max()), int(noun.dt.max())
    sizes = ((cell_m, "m cells"), (slot_min, "min slots"))
    return ", ".join(f"{size:,g} {of}" for size, of in sizes if size is not None)


def source_in_python(
    sources: list[str],
    reading: ReadingOptions,
    grain: Grain = GRAIN,
    *,
    into: Literal["visits", "fingerprints", "traces"] = "visits",
    plain: bool = False,
) -> str:
    """The call that makes the data of a command, as a script would write it; plain sources are trajectories."""
    source = one_or_many(sources)
    options = "".join(f", {name}={_written(value)}" for name, value in given_of(reading).items())
    held = None if plain else _holding(source, reading)
    if held is not None and held.noun not in (None, "Traces"):
        slots = f", slot_min={grain.slot_min}" if held.noun == "Visits" and not (held.saved or held.published) else ""
        return f"ic.read.open({source!r}{slots}{options})"
    if into != "visits":
        return f"ic.{'read.table' if into == 'traces' else 'discretize.fingerprints'}({source!r}{options})"
    return f"ic.discretize.grid({source!r}, cell_m={grain.cell_m:g}, slot_min={grain.slot_min}{options})"


def given_of(reading: ReadingOptions) -> dict[str, Any]:
    """The options of reading that are not the default."""
    return {name: value for name, value in reading.arguments().items() if value != DEFAULTS[name]}


def in_python(call: Callable[..., Any], data: str, **options: Any) -> str:
    """A call of the library on that data, with the options that are not the default."""
    usual = {name: parameter.default for name, parameter in inspect.signature(call).parameters.items()}
    given = [
        f"{name}={_written(value)}" for name, value in options.items() if value != usual.get(name, DEFAULTS.get(name))
    ]
    return f"ic.{call.__module__.split('.')[1]}.{call.__name__}({', '.join(filter(None, [data, *given]))})"


def _written(value: Any) -> str:
    """A value as a script writes it: paths as texts, whole numbers without a decimal point."""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return repr(str(value) if isinstance(value, Path) else value)


def fingerprints_of(sources: list[str], reading: ReadingOptions) -> Fingerprints:
    """Fingerprints that were saved, or trajectories at 100 m and 1 min."""
    from incrowd import discretize

    source = one_or_many(sources)
    noun = saved_noun(source, reading)
    if noun == "Fingerprints":
        return _on_own_clock(saved(Path(str(source))), reading)  # type: ignore[no-any-return]
    if noun not in (None, "Traces"):
        raise DataError(
            f"this file holds {noun}, not trajectories or fingerprints; "
            "run incrowd discretize --into fingerprints on the trajectories."
        )
    return discretize.fingerprints(source, **reading.arguments())


def traces_of(sources: list[str], reading: ReadingOptions) -> Traces:
    """Trajectories as they are, or the centres of fingerprints that were saved."""
    from incrowd import read
    from incrowd.anonymize.w4m.points import points_of

    source = one_or_many(sources)
    noun = saved_noun(source, reading)
    if noun == "Fingerprints":
        return points_of(saved(Path(str(source))))
    if noun not in (None, "Traces"):
        raise DataError(f"this file holds {noun}, not trajectories or fingerprints; give the trajectories.")
    return read.table(source, **reading.arguments())


def carrying(reading: ReadingOptions, attribute: str | None) -> ReadingOptions:
    """An attribute that a question names is read along."""
    if attribute is None or attribute in reading.attribute:
        return reading
    return replace(reading, attribute=(*reading.attribute, attribute))


def carried_values(visits: Visits, sensitive: str | None, texts: list[str]) -> tuple[Any, ...] | None:
    """The sensitive values that were typed, as the data hold them; one that nobody carries is refused."""
    if not texts:
        return None
    held = visits.attributes.get(sensitive or "", ())
    known = {v for value in held for v in (value if isinstance(value, frozenset) else (value,)) if v is not None}
    matches = [tuple(v for v in known if str(v) == text) for text in texts]
    if sensitive in visits.attributes and not all(matches):
        missing = next(text for text, values in zip(texts, matches, strict=True) if not values)
        raise ParameterError(f"nobody carries the value {missing!r} of {sensitive!r}; check its spelling.")
    return tuple(v for values in matches for v in values)

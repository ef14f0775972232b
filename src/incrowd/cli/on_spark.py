"""What a command does on Spark, which gives the same answers (docs/howto/spark.md)."""

from pathlib import Path
from shlex import quote
from typing import Any

from incrowd import spark
from incrowd.anonymize import Anonymizer
from incrowd.cli.inputs import given_of
from incrowd.cli.inputs import in_python as written
from incrowd.cli.reading import Engine, ReadingOptions, one_or_many
from incrowd.data.release_folder import manifest_in
from incrowd.discretize.slots import Grain
from incrowd.measure.sweep.result import Sweep
from incrowd.plain import several, to_json
from incrowd.spark import Blocks


def visits(engine: Engine, sources: list[str], reading: ReadingOptions, grain: Grain) -> Blocks:
    """The visits of everybody, on executors."""
    how = {**given_in(reading), "cell_m": grain.cell_m, "slot_min": grain.slot_min}
    return spark.grid(spark.session(engine.master), one_or_many(sources), **how)


def fingerprints(engine: Engine, sources: list[str], reading: ReadingOptions) -> Blocks:
    """The fingerprints of everybody at 100 m and 1 min, on executors."""
    return spark.fingerprints(spark.session(engine.master), one_or_many(sources), **given_in(reading))


def sweep(engine: Engine, sources: list[str], reading: ReadingOptions, how: dict[str, Any]) -> tuple[Sweep, str]:
    """Uniqueness at every resolution, and the same call as a script would write it."""
    source, options = one_or_many(sources), {**given_in(reading), **how}
    risks = spark.sweep(spark.session(engine.master), source, **options)
    return risks, written(spark.sweep, f"{_session(engine)}, {source!r}", **options)


def in_python(engine: Engine, call: str, data: str) -> str:
    """The same call as a script would write it, from the call on one machine."""
    there = data.replace("ic.discretize.", "ic.spark.").replace("(", f"({_session(engine)}, ", 1)
    return call.replace(data, there).replace("ic.measure.", "ic.spark.", 1)


def _session(engine: Engine) -> str:
    return f"ic.spark.session({'' if engine.master is None else repr(engine.master)})"


def release(blocks: Blocks, run: Anonymizer, output: Path, *, as_json: bool, **how: Any) -> str:
    """Write a release; what it holds and how to check it, in words or JSON."""
    folder = spark.release(blocks, run, output, **how)
    manifest = manifest_in(folder)
    if as_json:
        return to_json({"folder": folder.name, **manifest}, indent=2)
    counts = manifest["counts"]
    rows = f"{several(counts['rows'], 'row')} under {several(counts['pseudonyms'], 'pseudonym')}"
    link = "" if how.get("link") is None else f" --link {quote(str(how['link']))}"
    return f"{rows}\n\nwritten to {folder}\ncheck it: incrowd audit {quote(str(output))}{link}"


def given_in(reading: ReadingOptions) -> dict[str, Any]:
    """The options of reading that were given; a database is no source of Spark."""
    reading.refuse("a table of Spark is named as SOURCE", "table", "query")
    return given_of(reading)

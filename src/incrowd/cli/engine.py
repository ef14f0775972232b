"""Where a command runs: on this machine, or on Spark, which gives the same answers (docs/howto/spark.md)."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal

from incrowd.cli.inputs import DEFAULTS
from incrowd.cli.options import takes
from incrowd.cli.reading import ReadingOptions, one_or_many
from incrowd.errors import ParameterError
from incrowd.plain import several, to_json

if TYPE_CHECKING:
    from incrowd.anonymize import Anonymizer
    from incrowd.discretize.slots import Grain
    from incrowd.spark import Blocks


@dataclass(frozen=True)
class Engine:
    """Where the work is done.

    Args:
        engine: Where the work is done: on this machine, or on Spark, where a source is a Parquet path or a table name.
        master: Address of the Spark cluster, such as spark://HOST:7077, yarn or local[4]. [default: as spark-submit
            says, or this machine]
    """

    engine: Literal["local", "spark"] = "local"
    master: str | None = None

    def __post_init__(self) -> None:
        if self.master is not None and not self.on_spark:
            raise ParameterError("--master has no use without --engine spark; pass both, or leave it out.")

    @property
    def on_spark(self) -> bool:
        """Whether Spark does the work."""
        return self.engine == "spark"

    @cached_property
    def session(self) -> Any:
        """The Spark session, started when it is first needed."""
        from incrowd.spark import session

        return session(self.master)

    def visits(self, sources: list[str], reading: ReadingOptions, grain: "Grain") -> "Blocks":
        """The visits of everybody, on executors."""
        from incrowd.spark import grid

        how = {**given_in(reading), "cell_m": grain.cell_m, "slot_min": grain.slot_min}
        return grid(self.session, one_or_many(sources), **how)

    def fingerprints(self, sources: list[str], reading: ReadingOptions) -> "Blocks":
        """The fingerprints of everybody at 100 m and 1 min, on executors."""
        from incrowd.spark import fingerprints

        return fingerprints(self.session, one_or_many(sources), **given_in(reading))

    def refuse(self, **options: Any) -> None:
        """Refuse options of a command that Spark does not take."""
        if self.on_spark:
            for name, value in options.items():
                if value:
                    option = f"--{name.replace('_', '-')}"
                    raise ParameterError(f"{option} has no use with --engine spark; leave one of them out.")

    def in_python(self, call: str, data: str) -> str:
        """The same call as a script would write it, from the call on one machine."""
        master = "" if self.master is None else repr(self.master)
        where = f"ic.spark.session({master}), "
        data_there = data.replace("ic.discretize.", "ic.spark.").replace("(", f"({where}", 1)
        return call.replace(data, data_there).replace("ic.measure.", "ic.spark.", 1)

    def release(self, blocks: "Blocks", run: "Anonymizer", output: Path, *, as_json: bool, **how: Any) -> str:
        """Write a release; what it holds and how to check it, in words or JSON."""
        from incrowd.data.release_folder import manifest_in
        from incrowd.spark import release

        folder = release(blocks, run, output, **how)
        manifest = manifest_in(folder)
        if as_json:
            return to_json({"folder": folder.name, **manifest}, indent=2)
        counts = manifest["counts"]
        rows = f"{several(counts['rows'], 'row')} under {several(counts['pseudonyms'], 'pseudonym')}"
        link = "" if how.get("link") is None else f" --link {quote(str(how['link']))}"
        return f"{rows}\n\nwritten to {folder}\ncheck it: incrowd audit {quote(str(output))}{link}"


with_engine = takes(Engine, "engine", into=Engine)


def given_in(reading: ReadingOptions) -> dict[str, Any]:
    """The options of reading that were given; a database is no source of Spark."""
    reading.refuse("a table of Spark is named as SOURCE", "table", "query")
    return {name: value for name, value in reading.arguments().items() if value != DEFAULTS[name]}

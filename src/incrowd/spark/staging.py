"""Rows of a release on executors -> sorted parts in a hidden folder -> the folder that the driver writes."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from incrowd.anonymize._manifest import ReleaseStatement
from incrowd.anonymize._publish import Contents, Pair, Targets, write_release
from incrowd.arrays import Floats, Ints
from incrowd.data import Release
from incrowd.data.files import left_by_killed_runs, temporary
from incrowd.data.release_folder import published_table
from incrowd.errors import DataError
from incrowd.spark.session import plain_errors

if TYPE_CHECKING:
    import pyarrow as pa

KIND = "staging"  # ends the name of the hidden folder


@dataclass(frozen=True)
class PublishedRows:
    """What is to be published: rows on executors, and the rest as the driver knows it."""

    rows: DataFrame  # the columns of the table, and of those that sort it
    by: tuple[str, ...]  # what sorts it; the pseudonym first
    parts: int
    bare: Release  # the same release without a row: its columns, parameters, claims and ledger
    counts: dict[str, int]  # as the manifest states them
    cells: tuple[Ints, Floats] | None
    pairs: Callable[[], Iterable[Pair]]  # pseudonyms and people, for the link file
    made_of: DataFrame | None = None  # kept by executors until the release is written


def write_published(targets: Targets, file: str, published: PublishedRows, residual_risk: Any) -> Path:
    """Write the release of one machine: the same bytes, but for its id."""
    schema = published_table(published.bare).schema
    statement = replace(ReleaseStatement.of(published.bare, residual_risk), counts=published.counts)
    with _staging(targets.folder) as folder:
        rows = published.rows.repartitionByRange(published.parts, published.by[0])
        rows = rows.sortWithinPartitions(*published.by).select(*schema.names)
        with plain_errors():
            rows.write.parquet((folder / "rows").as_uri())
        parts = sorted((folder / "rows").glob("part-*"))
        _check_parts(parts, published.counts["rows"])
        if published.made_of is not None:
            published.made_of.unpersist()
        contents = Contents(schema, _batches(parts, schema), published.cells, statement)
        return write_release(targets, file, contents, published.pairs)


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """A hidden folder beside the target that only its owner may open; those of runs that were killed are removed."""
    for left in left_by_killed_runs(folder, KIND):
        shutil.rmtree(left, ignore_errors=True)
    staging = temporary(folder, KIND)
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o700)
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _check_parts(parts: list[Path], rows: int) -> None:
    """Refuse parts that are not all here."""
    import pyarrow.parquet as pq

    there = sum(pq.read_metadata(part).num_rows for part in parts)
    if there != rows:
        raise DataError(
            f"{there:,} of {rows:,} rows arrived beside the folder of the release; name a folder on a file system that "
            "the driver and all executors share."
        )


def _batches(parts: list[Path], schema: "pa.Schema") -> Iterator["pa.RecordBatch"]:
    """The rows of all parts, in order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for part in parts:
        with pq.ParquetFile(part) as file:
            for batch in file.iter_batches():
                yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)

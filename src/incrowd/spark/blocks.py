"""Blocks: a DataFrame whose partitions are whole users, and what the driver knows of all of them."""

import os
import pickle
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession

from incrowd.arrays import Floats, Ints, Labels, distinct_rows
from incrowd.data import Fingerprints, Visits
from incrowd.data.table import Attributes
from incrowd.discretize._grid import centres, row_column
from incrowd.discretize.slots import Clock, Keep
from incrowd.errors import DataError, IncrowdError, IncrowdWarning
from incrowd.ledger import Ledger
from incrowd.spark.session import Sent, plain_errors
from incrowd.threads import VARIABLE

if TYPE_CHECKING:
    import pyarrow as pa

ABOUT = "about binary"  # one row of each partition tells the driver about it
Rows = dict[str, NDArray[Any]]


def in_tasks(frame: DataFrame, work: Callable[[Rows], Iterator["pa.RecordBatch"]], schema: str) -> DataFrame:
    """One call of the work per partition that has rows, on all of them as arrays; it yields batches of this schema."""
    cpus = frame.sparkSession.sparkContext.getConf().get("spark.task.cpus", "1")

    def task(batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
        prepare(cpus)
        taken = list(batches)
        if sum(batch.num_rows for batch in taken):
            with warnings.catch_warnings(), nameless():
                warnings.simplefilter("ignore", IncrowdWarning)  # the driver warns, of all
                yield from work(arrays(taken))

    return frame.mapInArrow(task, schema)


@contextmanager
def nameless() -> Iterator[None]:
    """An error of a task without its text, which may quote a row; those of incrowd never do."""
    try:
        yield
    except (IncrowdError, MemoryError):
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        raise DataError(
            f"a task stopped on {type(error).__name__} in line {frame.lineno} of {Path(frame.filename).name}; try the "
            "same on a few people on one machine, where the error has its text."
        ) from None


def prepare(cpus: str) -> None:
    """Threads as Spark grants them, and a place for compiled kernels where the package cannot be written."""
    import incrowd

    os.environ[VARIABLE] = cpus
    if "NUMBA_CACHE_DIR" not in os.environ and not os.access(Path(incrowd.__file__).parent, os.W_OK):
        from pyspark import SparkFiles

        os.environ["NUMBA_CACHE_DIR"] = SparkFiles.getRootDirectory()


def arrays(batches: "list[pa.RecordBatch]") -> Rows:
    """All rows of a partition by column: numbers as arrays, the rest as Arrow."""
    import pyarrow as pa

    table = pa.Table.from_batches(batches)
    batches.clear()
    columns: Rows = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        plain = (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)) and not column.null_count
        columns[name] = column.to_numpy() if plain else column
    return columns


def batches_of(schema: str, columns: dict[str, Any], about: Any = None) -> Iterator["pa.RecordBatch"]:
    """Columns as batches, and a last row that tells the driver about them; `schema` names every column."""
    import pyarrow as pa

    kinds = {"int": pa.int32(), "long": pa.int64(), "double": pa.float64(), "binary": pa.binary()}
    named = {name: kinds[kind] for name, kind in (part.split() for part in schema.split(", "))}
    size = len(next(iter(columns.values()))) if columns else 0
    rows = {
        name: pa.array(columns[name], kind) if name in columns else pa.nulls(size, kind) for name, kind in named.items()
    }
    yield from pa.table(rows).to_batches(max_chunksize=1 << 20)
    if about is not None:
        told = {name: pa.nulls(1, kind) for name, kind in named.items()} | {"about": pa.array([packed(about)])}
        yield pa.table(told).to_batches()[0]


def about(frame: DataFrame) -> list[Any]:
    """What the tasks of a frame told the driver; a frame that is kept is made by this."""
    with plain_errors():
        rows = frame.where("about is not null").select("about").collect()
    return [pickle.loads(zlib.decompress(row["about"])) for row in rows]  # noqa: S301 - written by our own tasks


def packed(value: Any) -> bytes:
    """A value on its way to the driver, whose JVM holds it too; labels shrink to about a tenth."""
    return zlib.compress(pickle.dumps(value), 1)


@dataclass(frozen=True)
class Block:
    """The users of one partition: positions in order, and their rows by slot, then cell."""

    positions: Ints
    offsets: Ints
    cell: Ints
    slot: Ints

    def visits(self, slot_min: int | None = None) -> Visits:
        """As Visits, whose users are named by their positions."""
        return Visits(self.positions, self.offsets, self.cell, self.slot, slot_min=slot_min)

    def owner(self, rows: Ints) -> Ints:
        """The place of the user of each of some rows."""
        return np.searchsorted(self.offsets, rows, "right") - 1

    def places(self, positions: Ints) -> tuple[Ints, Ints]:
        """Which of some positions are of this block, and their places in it."""
        place = np.minimum(np.searchsorted(self.positions, positions), len(self.positions) - 1)
        mine = np.flatnonzero(self.positions[place] == positions)
        return mine, place[mine]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Visits or fingerprints of whole users on executors; the driver holds labels, sizes and cells.

    A row of `frame` is a position among all users read, the code of a cell, and a slot.
    """

    MADE_BY: ClassVar[str] = "ic.spark.grid(...)"
    INSTEAD: ClassVar[str] = (  # of a call on one machine, as its refusal says
        "blocks are on executors: call it in ic.spark, take ic.spark.counts(blocks), or draw people first "
        "(docs/howto/spark.md)"
    )

    spark: SparkSession = field(repr=False)
    frame: DataFrame = field(repr=False)
    noun: Literal["Visits", "Fingerprints"]
    users: Labels = field(repr=False)
    sizes: Ints = field(repr=False)  # rows of each user
    present: Ints = field(repr=False)  # positions of these users among all users read
    codes: Ints = field(repr=False)  # what each cell stands for, in order
    clock: Clock
    crs: str | None
    cell_m: float
    keep: Keep
    attributes: Attributes = field(repr=False)
    ledger: Ledger = field(repr=False)
    same_slot: int  # visits beyond a user's first in one slot
    slots: tuple[int, int]  # the first and the last that is used

    def __len__(self) -> int:
        return len(self.users)

    def __repr__(self) -> str:
        return f"Blocks({self.noun}, users={len(self):,}, records={self.records:,}, blocks={self.blocks:,})"

    @property
    def records(self) -> int:
        """How many visits or samples there are."""
        return int(self.sizes.sum())

    @property
    def slot_min(self) -> int:
        """Minutes of a time slot."""
        return self.clock.slot_min

    @property
    def blocks(self) -> int:
        """Into how many partitions the users are divided."""
        return int(self.frame.rdd.getNumPartitions())

    @cached_property
    def offsets(self) -> Ints:
        """Where the rows of each user begin among all, and the end of the last."""
        return np.append(0, np.cumsum(self.sizes))

    @property
    def xy(self) -> Floats:
        """The middle of each cell of visits in metres."""
        return centres(self.codes, self.cell_m)

    def each(self, work: Callable[[Block], Iterator["pa.RecordBatch"]], schema: str) -> DataFrame:
        """One call of the work per block; it yields batches of this schema."""
        known = self._known

        def task(rows: Rows) -> Iterator["pa.RecordBatch"]:
            return work(_block(rows, *known.value))

        return in_tasks(self.frame.where("about is null").drop("about"), task, schema)

    def tell(self, work: Callable[[Block], Any]) -> list[Any]:
        """What the work gives the driver, of each block that has rows."""
        return about(self.each(lambda block: batches_of(ABOUT, {}, work(block)), ABOUT))

    def collect(self) -> Visits | Fingerprints:
        """The visits or fingerprints on this machine, which must have room for them."""
        parts = self.tell(lambda block: block)
        cell, slot = np.empty(self.records, np.int64), np.empty(self.records, np.int64)
        for block in parts:
            begins = np.repeat(self.offsets[block.positions] - block.offsets[:-1], np.diff(block.offsets))
            rows = begins + np.arange(len(block.cell))
            cell[rows], slot[rows] = block.cell, block.slot
        if self.noun == "Visits":
            clock, named = self.clock, {"time_zone": self.clock.time_zone, "cell_m": self.cell_m}
            described = (self.xy, clock.slot_min, clock.start, self.crs, self.attributes, self.ledger)
            return Visits(self.users, self.offsets, cell, slot, *described, **named)  # type: ignore[arg-type]
        boxes: dict[str, Any] = dict(self.boxes(cell, slot))
        people = np.ones(len(self), np.int64)
        clock, about_all = self.clock, {"attributes": self.attributes, "ledger": self.ledger}
        more: Any = {"crowd": people, "start": clock.start, "crs": self.crs, "time_zone": clock.time_zone, **about_all}
        return Fingerprints(self.users, self.offsets, **boxes, **more)

    def boxes(self, cell: Ints, slot: Ints) -> dict[str, Ints]:
        """The boxes of samples in some cells and slots."""
        return boxes_of(self.codes, int(self.cell_m), self.clock.slot_min, cell, slot)

    @cached_property
    def _known(self) -> Any:
        """What executors need to read rows: which users there are, and the codes of cells."""
        return Sent(self.spark, (self.present, self.codes))

    def unpersist(self) -> None:
        """Remove the rows from the disks of the executors."""
        self.frame.unpersist()


def boxes_of(codes: Ints, cell_m: int, slot_min: int, cell: Ints, slot: Ints) -> dict[str, Ints]:
    """The boxes of samples in some cells, named by column, and slots."""
    column, row = row_column(codes)
    side, length = np.full(len(cell), cell_m, np.int64), np.full(len(cell), slot_min, np.int64)
    x, y = (column * cell_m)[cell], (row * cell_m)[cell]
    return {"x": x, "dx": side, "y": y, "dy": side, "t": slot * slot_min, "dt": length}


def _block(rows: Rows, present: Ints, codes: Ints) -> Block:
    position = np.searchsorted(present, rows["position"])
    starts = np.flatnonzero(distinct_rows(position))
    offsets = np.append(starts, len(position))
    return Block(position[starts], offsets, np.searchsorted(codes, rows["code"]), rows["slot"])

"""A source on Spark -> Blocks of visits or fingerprints on a grid; Blocks -> people per cell and slot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from pyspark.sql import SparkSession

from incrowd.arrays import Ints
from incrowd.clock import minute_of_day
from incrowd.data import Counts, Traces
from incrowd.data.counts import MOST_COUNTS, check_start, whole_days
from incrowd.data.table import kept_attributes
from incrowd.data.traces import Order
from incrowd.discretize._grid import squares
from incrowd.discretize.collect import Losses, discretized
from incrowd.discretize.slots import KEEP, Clock, Keep, SlotPlan, Start, slot_plan
from incrowd.errors import DataError, ParameterError, check_choice, check_positive, check_whole, public
from incrowd.read.checks import warn_of_zero
from incrowd.read.layouts import Reading, with_reading
from incrowd.read.plane import Origin, Plane, check_origin, plane_of
from incrowd.spark.blocks import Block, Blocks, about, batches_of
from incrowd.spark.records import Records, Step, read_records
from incrowd.spark.session import check_session, kept, plain_errors

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "position long, code long, slot long, about binary"


@public
@with_reading
def grid(
    spark: SparkSession,
    source: Any,
    *,
    cell_m: float = 100,
    slot_min: int = 1,
    keep: Keep = "set",
    origin: Origin | None = None,
    start: Start | None = None,
    time_zone: str | None = None,
    clean: Sequence[Step] = (),
    order: Order = "time",
    parts: int | None = None,
    **reading: Unpack[Reading],
) -> Blocks:
    """Visits on a square grid, on executors: those of `incrowd.discretize.grid`, whose options these are.

    The rows of files have an order. Those of a table or a DataFrame have none: users are then in the order of their
    labels, and the result is that of the same records sorted by user, time and place.

    Args:
        spark: A classic Spark session, such as `incrowd.spark.session()` makes.
        source: A Parquet path (or several), the name of a table, or a DataFrame of Spark with named columns.
        cell_m: Side of a cell.
        slot_min: Width of a time slot.
        keep: Every cell of a slot ("set"), or the one with most records ("vote", "vote_first").
        origin: (lon, lat) at which the plane touches the Earth. [default: the whole degrees of the medians]
        start: When slot 0 begins. [default: midnight of the first day]
        time_zone: Zone of times without an offset, and of the slots. [default: UTC]
        clean: Steps of `incrowd.clean` that are done first, each a function of Traces that takes every user alone.
        order: "time" sorts the records of each user by time; "log" keeps the order of the file, for `clean.order`.
        parts: Number of blocks of users. [default: as many as the memory of a task asks for, one per core at least]
    """
    check_positive(cell_m=cell_m)
    check_choice("keep", keep, KEEP)
    options = {"clean": clean, "order": order, "parts": parts}
    slots = _checked(origin, slot_min, start, time_zone, parts)
    records = read_records(spark, source, {"time_zone": time_zone, **reading}, **options)  # type: ignore[arg-type]
    return _discretized(records, slots, origin, cell_m, keep, "Visits")


@public
@with_reading
def fingerprints(
    spark: SparkSession,
    source: Any,
    *,
    cell_m: int = 100,
    slot_min: int = 1,
    origin: Origin | None = None,
    start: Start | None = None,
    time_zone: str | None = None,
    clean: Sequence[Step] = (),
    order: Order = "time",
    parts: int | None = None,
    **reading: Unpack[Reading],
) -> Blocks:
    """The boxes each user was in, on executors: those of `incrowd.discretize.fingerprints`, whose options these are.

    Args:
        spark: A classic Spark session, such as `incrowd.spark.session()` makes.
        source: A Parquet path (or several), the name of a table, or a DataFrame of Spark with named columns.
        cell_m: Side of a box in space.
        slot_min: Length of a box in time.
        origin: (lon, lat) at which the plane touches the Earth. [default: the whole degrees of the medians]
        start: When slot 0 begins. [default: midnight of the first day]
        time_zone: Zone of times without an offset, and of the slots. [default: UTC]
        clean: Steps of `incrowd.clean` that are done first, each a function of Traces that takes every user alone.
        order: "time" sorts the records of each user by time; "log" keeps the order of the file, for `clean.order`.
        parts: Number of blocks of users. [default: as many as the memory of a task asks for, one per core at least]
    """
    check_whole(cell_m=cell_m)
    options = {"clean": clean, "order": order, "parts": parts}
    slots = _checked(origin, slot_min, start, time_zone, parts)
    records = read_records(spark, source, {"time_zone": time_zone, **reading}, **options)  # type: ignore[arg-type]
    return _discretized(records, slots, origin, cell_m, "set", "Fingerprints")


def _checked(
    origin: Origin | None, slot_min: int, start: Start | None, time_zone: str | None, parts: int | None
) -> SlotPlan:
    check_origin(origin)
    if parts is not None:
        check_whole(parts=parts)
    return slot_plan(slot_min, start, time_zone)


@dataclass(frozen=True)
class Gridded:
    """What the task of one block tells of its visits."""

    positions: Ints
    counts: Ints  # visits of each of them
    codes: Ints
    losses: Losses
    same_slot: int
    slots: tuple[int, int]


def _discretized(
    records: Records,
    slots: SlotPlan,
    origin: Origin | None,
    cell_m: float,
    keep: Keep,
    noun: Literal["Visits", "Fingerprints"],
) -> Blocks:
    """The same code as on one machine, block by block, in one plane and on one clock."""
    data = records.parts
    plane, clock = plane_of(data.middle, origin), slots.over(data.span)
    work = _grid_task(plane, clock, cell_m, keep, by_column=noun == "Fingerprints")
    frame = kept(records.pieces(work, SCHEMA))
    told: list[Gridded] = about(frame)
    records.frame.unpersist()
    counts, total = np.zeros(len(data.users), np.int64), Losses()
    for part in told:
        counts[part.positions] = part.counts
        total.add(part.losses)
    visits, stay = int(counts.sum()), counts > 0
    step = "grid" if noun == "Visits" else "fingerprints"
    warn_of_zero(total.zeros)
    total.check_left(visits)
    ends = [part.slots for part in told if part.counts.any()]
    return Blocks(
        spark=frame.sparkSession,
        frame=frame,
        noun=noun,
        users=data.users[stay],
        sizes=counts[stay],
        present=np.flatnonzero(stay),
        codes=np.unique(np.concatenate([part.codes for part in told])),
        clock=clock,
        crs=plane.crs,
        cell_m=cell_m,
        keep=keep,
        attributes=kept_attributes(data.attributes, stay),
        ledger=total.ledger(data.ledger, step, kept=visits, users=(len(counts), int(stay.sum()))),
        same_slot=sum(part.same_slot for part in told),
        slots=(min(low for low, _ in ends), max(high for _, high in ends)),
    )


def _grid_task(plane: Plane, clock: Clock, cell_m: float, keep: Keep, *, by_column: bool) -> Any:
    def work(positions: Ints, traces: Traces) -> Iterator["pa.RecordBatch"]:
        piece, losses = discretized(positions, traces, squares(plane, cell_m, by_column=by_column), clock, keep=keep)
        owner, slot = np.repeat(positions, piece.counts), piece.slot.astype(np.int64)
        same = int(((slot[1:] == slot[:-1]) & (owner[1:] == owner[:-1])).sum())
        ends = (int(slot.min()), int(slot.max())) if len(slot) else (0, 0)
        told = Gridded(positions, piece.counts, piece.codes, losses, same, ends)
        yield from batches_of(SCHEMA, {"position": owner, "code": piece.codes[piece.cell], "slot": slot}, told)

    return work


@public
def counts(blocks: Blocks, *, start_min: int | None = None) -> Counts:
    """How many people are in each cell in each slot, as `incrowd.discretize.counts` has them.

    Args:
        blocks: Visits on executors, made by `grid`.
        start_min: Minute of the day at which slot 0 begins. [default: that of the visits]
    """
    check_noun(blocks, "Visits", "counts")
    if start_min is not None:
        check_start(start_min)
    xy, clock = blocks.xy, blocks.clock
    slots, cells = whole_days(blocks.slots[1] + 1, clock.slot_min), len(xy)
    if slots * cells > MOST_COUNTS:
        raise ParameterError(
            f"{slots:,} slots of {cells:,} cells are too many counts (more than {MOST_COUNTS:,}); use coarser cells or "
            "slots."
        )

    def work(block: Block) -> Iterator["pa.RecordBatch"]:
        key, people = np.unique(block.slot * cells + block.cell, return_counts=True)
        yield from batches_of("key long, n long", {"key": key, "n": people})

    n = np.zeros(slots * cells, np.int64)
    with plain_errors():
        table = blocks.each(work, "key long, n long").groupBy("key").sum("n").toArrow()
    n[table["key"].to_numpy()] = table["sum(n)"].to_numpy()
    minute = minute_of_day(clock.start, clock.time_zone) if start_min is None else start_min
    several = {"more cells of a user in one slot": blocks.same_slot}
    users = (len(blocks), len(blocks))
    ledger = blocks.ledger.add("counts", read=blocks.records, kept=blocks.records, notes=several, users=users)
    return Counts(n.reshape(slots, cells), xy, clock.slot_min, minute, ledger)


def check_noun(blocks: Blocks, noun: str, call: str) -> None:
    """Refuse blocks of the other noun, or of a session that is no more."""
    check_session(blocks.spark)
    if blocks.noun != noun:
        maker = "grid" if noun == "Visits" else "fingerprints"
        raise DataError(f"{call} needs blocks of {noun}, got {blocks.noun}; make them with `ic.spark.{maker}(...)`.")

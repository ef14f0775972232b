"""A source on Spark -> uniqueness at every resolution: the driver draws, and every block of users counts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from pyspark.sql import DataFrame, SparkSession

from incrowd.arrays import Ints, distinct_rows
from incrowd.data import Traces
from incrowd.data.traces import Order
from incrowd.discretize.bounds import Along, Bins, counted
from incrowd.discretize.slots import Start
from incrowd.errors import public
from incrowd.ledger import Ledger
from incrowd.measure.sweep import tally_of
from incrowd.measure.sweep.records import SweepFrame, SweepRecords, inside_of, nothing_lost
from incrowd.measure.sweep.result import (
    POINTS,
    SAMPLES,
    SPACE,
    TIME,
    Keep,
    Resolution,
    Sweep,
    SweepPlan,
    Tallies,
    swept,
)
from incrowd.measure.uniqueness.choices import Trajectories
from incrowd.measure.uniqueness.index import Axis, Index
from incrowd.progress import tell
from incrowd.read.layouts import Reading, with_reading
from incrowd.read.plane import Box
from incrowd.spark.blocks import ABOUT, Rows, about, batches_of, in_tasks
from incrowd.spark.records import Records, Step, read_records
from incrowd.spark.session import kept, shared

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS = 2_000_000  # of questions that travel at once
Question = tuple[int, Ints, Ints]  # place of the period, rows counted from the first of each owner, owners
SCHEMA = "position long, t long, x long, y long, about binary"


@public
@with_reading
def sweep(
    spark: SparkSession,
    source: Any,
    *,
    blocks: Sequence[int] = SPACE,
    minutes: Sequence[int] = TIME,
    points: Sequence[int] = POINTS,
    samples: int = SAMPLES,
    seed: int = 0,
    keep: Keep = "vote",
    box: Box | None = None,
    keep_zero: bool = False,
    start: Start | None = None,
    time_zone: str | None = None,
    clean: Sequence[Step] = (),
    order: Order = "time",
    parts: int | None = None,
    **reading: Unpack[Reading],
) -> Sweep:
    """Share of people who are identified by a few known visits, at every resolution: that of `incrowd.measure.sweep`.

    Args:
        spark: A classic Spark session, such as `incrowd.spark.session()` makes.
        source: A Parquet path (or several), the name of a table, or a DataFrame of Spark with named columns.
        blocks: Blocks along each side of the box.
        minutes: Minutes of a period.
        points: How many visits the attacker knows.
        samples: Draws for each resolution and number of known visits.
        seed: Seed of the draws; the same seed gives the same numbers.
        keep: What a person visits in a period: the block with most records (vote), or all of them (set).
        box: (west, south, east, north) in degrees, or in metres if the coordinates are. [default: that of the data,
            without the strays that stretch a side]
        keep_zero: Keep records at (0, 0); they leave if not, with a warning.
        start: When the first period begins. [default: midnight of the first day]
        time_zone: Zone of times without an offset, and of the periods. [default: UTC]
        clean: Steps of `incrowd.clean` that are done first, each a function of Traces that takes every user alone.
        order: "time" sorts the records of each user by time; "log" keeps the order of the file, for `clean.order`.
        parts: Number of blocks of users. [default: as many as the memory of a task asks for, one per core at least]
    """
    plan = SweepPlan(
        blocks=blocks,
        minutes=minutes,
        points=points,
        samples=samples,
        seed=seed,
        keep=keep,
        box=box,
        keep_zero=keep_zero,
        start=start,
        time_zone=time_zone,
    )
    options = {"time_zone": time_zone, **reading}
    records = read_records(spark, source, options, clean=clean, order=order, parts=parts)
    data = SweepBlocks.of(records, plan)
    answers: Tallies = {}
    for number, size in enumerate(plan.blocks):
        tell("sweep", number, len(plan.blocks))
        answers |= data.tallies(plan, size)
    tell("sweep", len(plan.blocks), len(plan.blocks))
    data.frame.unpersist()
    return swept(plan, answers, (len(data.present), data.records), data.of_all.bounds, data.ledger)


@dataclass(frozen=True, eq=False)
class SweepBlocks:
    """The records of a sweep on executors, by block of whole users."""

    frame: DataFrame
    of_all: SweepFrame
    present: Ints  # positions of the users that have records
    records: int
    ledger: Ledger

    @classmethod
    def of(cls, records: Records, plan: SweepPlan) -> "SweepBlocks":
        """Count all records from one corner and one minute."""
        of_all = SweepFrame.of(records.parts, plan, lambda bins: _passed(records, bins))

        def work(positions: Ints, traces: Traces) -> Iterator["pa.RecordBatch"]:
            lost = nothing_lost()
            t, x, y, counts = inside_of(traces, of_all, lost)
            columns = {"position": np.repeat(positions, counts), "t": t, "x": x, "y": y}
            yield from batches_of(SCHEMA, columns, (positions, counts, lost))

        frame = kept(records.pieces(work, SCHEMA))
        counts, lost = np.zeros(len(records.parts.users), np.int64), nothing_lost()
        for positions, own, left in about(frame):
            counts[positions] = own
            lost = {reason: n + left[reason] for reason, n in lost.items()}
        records.frame.unpersist()
        ledger = of_all.ledger(records.parts.ledger, counts, lost)
        return cls(frame, of_all, np.flatnonzero(counts), int(counts.sum()), ledger)

    def tell(self, work: Callable[[Ints, SweepRecords], Any]) -> list[Any]:
        """What the work gives the driver of each block: places of its users among those present, and their records."""
        of_all, ledger = self.of_all, Ledger()
        with shared(self.frame.sparkSession, self.present) as sent:

            def task(rows: Rows) -> Iterator["pa.RecordBatch"]:
                starts = np.flatnonzero(distinct_rows(rows["position"]))
                places = np.searchsorted(sent.value, rows["position"][starts])
                minute, place = of_all.types
                columns = rows["t"].astype(minute), rows["x"].astype(place), rows["y"].astype(place)
                own = of_all.records(np.append(starts, len(rows["t"])), columns, ledger)
                yield from batches_of(ABOUT, {}, work(places, own))

            return about(in_tasks(self.frame.where("about is null").drop("about"), task, ABOUT))

    def tallies(self, plan: SweepPlan, size: int) -> Tallies:
        """The counts of every length of a period on blocks of one size, for every number of known points."""
        periods, kept_as = tuple(plan.minutes), plan.keep
        sizes = np.zeros((len(periods), len(self.present)), np.int64)
        for places, own in self.tell(
            lambda places, data: (places, [np.diff(offsets) for _, offsets in data.represent(size, periods, kept_as)])
        ):
            sizes[:, places] = own
        asked = [
            (Resolution(length, size), Trajectories.over(np.append(0, np.cumsum(own))), points)
            for length, own in zip(periods, sizes, strict=True)
            for points in plan.points
        ]
        relays = [_Relay(len(self.present)) for _ in asked]
        for (at, crowd, points), relay in zip(asked, relays, strict=True):
            tally_of(relay, crowd, plan.question(at, points))
        questions = [
            (periods.index(at.minutes), rows - crowd.starts[own][:, None], own)
            for (at, crowd, _), relay in zip(asked, relays, strict=True)
            for rows, own in relay.questions
        ]
        counts = (people for chunk in _chunks(questions) for people in self._counted(size, plan, chunk))
        answers: Tallies = {Resolution(length, size): [] for length in periods}
        for (at, crowd, points), relay in zip(asked, relays, strict=True):
            relay.answers = counts
            answers[at].append(tally_of(relay, crowd, plan.question(at, points)))
        return answers

    def _counted(self, size: int, plan: SweepPlan, questions: list[Question]) -> list[Ints]:
        """How many users share the points of every question: blocks look up the points of their own, then all count."""
        spark, periods, kept_as, cells = self.frame.sparkSession, tuple(plan.minutes), plan.keep, size**2
        points = [np.empty(rows.shape, np.int64) for _, rows, _ in questions]
        with shared(spark, questions) as sent:

            def look(places: Ints, data: SweepRecords) -> list[tuple[Ints, Ints]]:
                made = data.represent(size, periods, kept_as)
                answers = []
                for period, rows, own in sent.value:
                    ids, offsets = made[period]
                    which, place = _mine(places, own)
                    answers.append((which, ids[offsets[place][:, None] + rows[which]].astype(np.int64)))
                return answers

            for told in self.tell(look):
                for into, (which, ids) in zip(points, told, strict=True):
                    into[which] = ids
        counts = [np.zeros(len(own), np.int64) for _, _, own in questions]
        asked = [(period, ids, own) for (period, _, own), ids in zip(questions, points, strict=True)]
        with shared(spark, asked) as sent:

            def count(places: Ints, data: SweepRecords) -> list[tuple[Ints, Ints]]:
                indexes = [
                    Index.listed(ids, offsets, Axis(0, cells, None), Axis(0, -(-data.minutes // length), None))
                    for length, (ids, offsets) in zip(periods, data.represent(size, periods, kept_as), strict=True)
                ]
                answers = []
                for period, ids, own in sent.value:
                    index, mine = indexes[period], np.full(len(own), -1, np.int64)
                    which, place = _mine(places, own)
                    mine[which] = place
                    people = index.count(index.find(ids.ravel() % cells, ids.ravel() // cells).reshape(ids.shape), mine)
                    there = np.flatnonzero(people)
                    answers.append((there, people[there]))
                return answers

            for told in self.tell(count):
                for total, (which, people) in zip(counts, told, strict=True):
                    total[which] += people
        return counts


def _passed(records: Records, bins: Bins) -> Along:
    """One pass over all records that only counts."""
    along = Along()
    frame = records.pieces(lambda _, traces: batches_of(ABOUT, {}, counted([traces], bins)), ABOUT)
    for part in about(frame):
        along.add(part)
    return along


def _mine(places: Ints, own: Ints) -> tuple[Ints, Ints]:
    """Which questions are about users of this block, and where these are in it."""
    place = np.minimum(np.searchsorted(places, own), len(places) - 1)
    which = np.flatnonzero(places[place] == own)
    return which, place[which]


def _chunks(questions: list[Question]) -> Iterator[list[Question]]:
    """Questions that travel together, in their order."""
    chunk: list[Question] = []
    rows = 0
    for question in questions:
        size = len(question[2])
        if chunk and rows + size > MOST_ROWS:
            yield chunk
            chunk, rows = [], 0
        chunk.append(question)
        rows += size
    yield chunk


class _Relay:
    """Keeps what is asked, and answers when the questions are put again: draws do not depend on answers."""

    def __init__(self, users: int) -> None:
        self.users = users
        self.questions: list[tuple[Ints, Ints]] = []
        self.answers: Iterator[Ints] | None = None

    def crowd(self, rows: Ints, own: Ints) -> Ints:
        """The next answer; none yet if the questions are only kept."""
        if self.answers is not None:
            return next(self.answers)
        self.questions.append((rows, own))
        return np.zeros(len(rows), np.int64)

"""Blocks of fingerprints -> k-gaps: all samples go to every executor, and each task searches for some people."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from incrowd.data import Fingerprints
from incrowd.errors import DataError, ParameterError, public
from incrowd.measure.glove import BLOCK, KGap, gaps_of, gathered, near_some, search_order
from incrowd.measure.glove.stretch import check_crowds, check_fingerprints, layout
from incrowd.plain import several
from incrowd.spark.blocks import ABOUT, Blocks, Rows, about, batches_of, in_tasks
from incrowd.spark.discretize import check_noun
from incrowd.spark.session import MEMORY, shared, task_bytes

if TYPE_CHECKING:
    import pyarrow as pa

SAMPLE_BYTES = 200  # of the memory of Python that a task takes per sample of everybody
TASKS = 4  # for each core, so that none waits long for the last


@public
def kgap(blocks: Blocks, *, k: int = 2) -> KGap:
    """How much each person must be blurred to look like the k - 1 most similar others.

    The same as `incrowd.measure.kgap`. Everybody is compared with everybody, so a task must have room for all samples;
    the driver collects them.

    Args:
        blocks: Fingerprints on executors, made by `fingerprints`.
        k: Size of the crowd to hide in.
    """
    check_noun(blocks, "Fingerprints", "kgap")
    take = check_crowds([k], len(blocks)) - 1
    _check_room(blocks)
    fingerprints = blocks.collect()
    if not isinstance(fingerprints, Fingerprints):
        raise DataError("kgap needs blocks of Fingerprints; make them with `ic.spark.fingerprints(...)`.")
    check_fingerprints(fingerprints)
    laid, spark = layout(fingerprints), blocks.spark
    order = search_order(len(blocks))
    groups = np.split(order, range(BLOCK, len(order), BLOCK))
    tasks = min(TASKS * int(spark.sparkContext.defaultParallelism), len(groups))
    parts = [np.concatenate(groups[task::tasks]) for task in range(tasks)]
    with shared(spark, (laid, parts)) as sent:

        def work(rows: Rows) -> Iterator["pa.RecordBatch"]:
            table, users = sent.value
            for task in rows["id"].tolist():
                yield from batches_of(ABOUT, {}, list(near_some(table, take, users[task])))

        answers = about(in_tasks(spark.range(0, tasks, 1, tasks), work, ABOUT))
    near = gathered(laid, take, (block for part in answers for block in part))
    return gaps_of([k], near, "cpu", people=len(blocks))[0]


def _check_room(blocks: Blocks) -> None:
    """Refuse a crowd that no task has room for."""
    needed, room = blocks.records * SAMPLE_BYTES, task_bytes(blocks.spark)
    if needed > room:
        raise ParameterError(
            f"{several(blocks.records, 'sample')} take about {needed / 2**30:,.1f} GiB in every task, which has "
            f"{room / 2**30:,.1f}; use larger cells or slots, draw people first, or raise {MEMORY}."
        )

"""Blocks -> the folder of a release: pieces are numbered by prefix sums, pseudonyms are drawn by the driver."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from incrowd.anonymize import Cut, Generalize, Glove
from incrowd.anonymize._publish import Pair, Targets
from incrowd.anonymize.base import Anonymizer, random_order, release_visits
from incrowd.arrays import Ints
from incrowd.data import Visits
from incrowd.data.table import kept_attributes
from incrowd.discretize._windows import check_period, outside_period, piece_starts, window_width
from incrowd.errors import ParameterError, check_choice, check_seed, check_whole, public
from incrowd.ledger import Ledger
from incrowd.spark.blocks import Block, Blocks, batches_of
from incrowd.spark.discretize import check_noun
from incrowd.spark.glove import published_groups
from incrowd.spark.session import Sent
from incrowd.spark.staging import PublishedRows, write_published

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "user long, cell long, slot long"
Begins = Callable[[Block], Ints]  # the rows of a block at which a piece begins


@public
def release(
    blocks: Blocks,
    method: Anonymizer,
    folder: str | Path,
    *,
    seed: int = 0,
    pseudonym_seed: int | None = None,
    file: Literal["parquet", "csv"] = "parquet",
    residual_risk: Any = None,
    link: str | Path | None = None,
    force: bool = False,
) -> Path:
    """The folder of a release by Cut, Generalize or Glove: the bytes that one machine would have written.

    Executors sort the rows into a hidden folder beside the target, from which the driver writes one table; the driver
    and all executors must share the file system of the folder.

    Args:
        blocks: Visits for Cut, visits on the cells and slots of the method for Generalize, fingerprints for Glove.
        method: Cut, Generalize, or Glove with shard_users.
        folder: Where to write it.
        seed: Changes nothing, because only the pseudonyms are random.
        pseudonym_seed: Seed of the pseudonyms, for tests; an audit fails a release that was made with one.
        file: Format of the published table.
        residual_risk: The measured uniqueness of the published visits, or a list of such results.
        link: File for the people behind each pseudonym, readable by its owner alone; it appears before the folder.
        force: Replace an older release, and nothing else.
    """
    check_choice("file", file, ("parquet", "csv"))
    check_seed(seed=seed)
    targets = Targets.checked(folder, link, force=force)
    return write_published(targets, file, _published(blocks, method, pseudonym_seed), residual_risk)


def _published(blocks: Blocks, method: Anonymizer, pseudonym_seed: int | None) -> PublishedRows:
    if isinstance(method, Glove):
        check_noun(blocks, "Fingerprints", "Glove")
        return published_groups(blocks, method, pseudonym_seed)
    if isinstance(method, Cut):
        check_noun(blocks, "Visits", "Cut")
        return _cut(blocks, method, pseudonym_seed)
    if isinstance(method, Generalize):
        check_noun(blocks, "Visits", "Generalize")
        _check_grid(blocks, method)
        blocks = replace(blocks, cell_m=method.cell_m)  # 500 and 500.0 are written differently
        ones, whole = np.ones(len(blocks), np.int64), blocks.ledger
        return _pieces(blocks, method, lambda block: block.offsets[:-1], ones, whole, pseudonym_seed)
    raise ParameterError(
        f"{type(method).__name__} is not divided over blocks; use Cut, Generalize or Glove, or draw people first and "
        "call the method on one machine."
    )


def _check_grid(blocks: Blocks, method: Generalize) -> None:
    """Refuse cells and slots that are not those that the method publishes."""
    wanted = (method.cell_m, method.slot_min, method.time_zone, "set")
    if (blocks.cell_m, blocks.clock.slot_min, blocks.clock.time_zone, blocks.keep) != wanted:
        raise ParameterError(
            "Generalize publishes other cells or slots than those of the blocks; call ic.spark.grid with its cell_m, "
            "slot_min and time_zone, and with keep='set'."
        )


def _cut(blocks: Blocks, method: Cut, pseudonym_seed: int | None) -> PublishedRows:
    """The pieces of every user, cut at the borders of windows."""
    if method.slots is not None:
        check_whole(slots=method.slots)
    start, width_h = method.start_slot, method.window_h if method.windows is None else None
    period = blocks.slots[1] + 1 - start if method.slots is None else int(method.slots)
    width = window_width(blocks.clock.slot_min, width_h, method.windows, period)

    def begins(block: Block) -> Ints:
        return piece_starts(block.visits(), start, width)

    def number(block: Block) -> tuple[Ints, Ints, int]:
        rows = begins(block)
        pieces = np.bincount(block.owner(rows), minlength=len(block.positions))
        return block.positions, pieces, outside_period(block.slot, start, period)

    pieces, outside = np.zeros(len(blocks), np.int64), 0
    for positions, counts, out in blocks.tell(number):
        pieces[positions], outside = counts, outside + out
    check_period(outside)
    users = (len(blocks), int(pieces.sum()))
    ledger = blocks.ledger.add("windows", read=blocks.records, kept=blocks.records, users=users)
    return _pieces(blocks, replace(method, window_h=width_h), begins, pieces, ledger, pseudonym_seed)


def _pieces(
    blocks: Blocks, method: Anonymizer, begins: Begins, pieces: Ints, ledger: Ledger, pseudonym_seed: int | None
) -> PublishedRows:
    """Visits under the pseudonyms of their pieces; `pieces` says how many each user has."""
    total = int(pieces.sum())
    order = random_order(total, pseudonym_seed)
    pseudonym = np.empty(total, np.int32 if total < 2**31 else np.int64)
    pseudonym[order] = np.arange(total)
    sent = Sent(blocks.spark, (np.cumsum(pieces) - pieces, pseudonym))

    def work(block: Block) -> Iterator["pa.RecordBatch"]:
        first, named = sent.value
        rows = begins(block)
        owner = block.owner(rows)
        within = np.arange(len(rows)) - np.searchsorted(owner, owner)
        names = named[first[block.positions[owner]] + within].astype(np.int64)
        user = np.repeat(names, np.diff(np.append(rows, len(block.cell))))
        yield from batches_of(SCHEMA, {"user": user, "cell": block.cell, "slot": block.slot})

    def pairs() -> Iterator[Pair]:
        owner = np.repeat(np.arange(len(blocks)), pieces)
        return enumerate(blocks.users[owner[order]].tolist())

    bare = release_visits(method, _bare(blocks, ledger), np.zeros(0, np.int64), pseudonym_seed)
    counts = {"pseudonyms": total, "rows": blocks.records, "people": total, "bare": 0}
    cells = np.arange(len(blocks.codes)), blocks.xy
    by = ("user", "slot", "cell")
    return PublishedRows(blocks.each(work, SCHEMA), by, blocks.blocks, bare, counts, cells, pairs)


def _bare(blocks: Blocks, ledger: Ledger) -> Visits:
    """The visits without a row."""
    none, clock = np.zeros(0, np.int64), blocks.clock
    attributes = kept_attributes(blocks.attributes, none)
    described = (blocks.xy, clock.slot_min, clock.start, blocks.crs, attributes, ledger)
    return Visits(none, np.zeros(1, np.int64), none, none, *described, time_zone=clock.time_zone, cell_m=blocks.cell_m)

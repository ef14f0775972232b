"""Blocks of fingerprints -> groups of k people, shard by shard: a task hides the people of one shard."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.anonymize import Glove
from incrowd.anonymize._publish import Pair, check_left, with_distinct_boxes, with_shared_boxes
from incrowd.anonymize.base import guarantee, parameters, random_order
from incrowd.anonymize.glove.release import GloveLosses, features, homes, release_of, split
from incrowd.arrays import Ints, distinct_rows
from incrowd.data import Fingerprints, Groups, Release
from incrowd.data.fingerprints import BOX
from incrowd.errors import ParameterError
from incrowd.measure.glove.stretch import Extent
from incrowd.spark.blocks import Block, Blocks, Rows, about, batches_of, boxes_of, in_tasks
from incrowd.spark.session import Sent, kept, shared
from incrowd.spark.staging import PublishedRows

if TYPE_CHECKING:
    import pyarrow as pa

SHARDED = "shard int, position long, cell long, slot long"
ROWS = ", ".join(f"{name} long" for name in ("place", *BOX, "crowd"))
GROUPED = f"shard int, team long, {ROWS}, about binary"
NAMED = f"user long, {ROWS}"


@dataclass(frozen=True)
class Grid:
    """What the cells and slots of fingerprints stand for."""

    codes: Ints
    cell_m: int
    slot_min: int

    def prints(self, positions: Ints, offsets: Ints, cell: Ints, slot: Ints) -> Fingerprints:
        """The fingerprints of some people, named by their positions."""
        boxes: dict[str, Any] = dict(boxes_of(self.codes, self.cell_m, self.slot_min, cell, slot))
        return Fingerprints(positions, offsets, **boxes, crowd=np.ones(len(positions), np.int64))


@dataclass(frozen=True)
class ShardGroups:
    """What the task of one shard tells of its groups."""

    shard: int
    positions: Ints  # of its people
    group: Ints  # of each of them within the shard, -1 if none
    crowd: Ints  # people of each group
    losses: GloveLosses
    rows: int  # published, each box of a group once


def published_groups(blocks: Blocks, method: Glove, pseudonym_seed: int | None) -> PublishedRows:
    """The groups of all shards under pseudonyms in random order."""
    _check_method(method)
    grid = Grid(blocks.codes, int(blocks.cell_m), blocks.clock.slot_min)
    extent, shards = _shards(blocks, grid, method)
    frame = kept(_hidden(blocks, grid, extent, method, shards))
    told: list[ShardGroups] = sorted(about(frame), key=lambda part: part.shard)
    first = np.append(0, np.cumsum([len(part.crowd) for part in told]))
    losses, rows, total = reduce(add, (part.losses for part in told)), sum(part.rows for part in told), int(first[-1])
    check_left(rows)
    order = random_order(total, pseudonym_seed)
    pseudonym = np.empty(total, np.int64)
    pseudonym[order] = np.arange(total)
    sent = Sent(blocks.spark, (first, pseudonym))

    def name(grouped: Rows) -> Iterator["pa.RecordBatch"]:
        begins, named = sent.value
        base = begins[grouped["shard"]]
        columns = {column: grouped[column] for column in ("place", *BOX, "crowd")}
        yield from batches_of(NAMED, {"user": named[base + grouped["team"]], **columns})

    ledger = losses.ledger(blocks.ledger)
    if rows < losses.published:
        ledger = with_shared_boxes(ledger, losses.published, rows, total)
    people = int(sum(part.crowd.sum() for part in told))
    counts = {"pseudonyms": total, "rows": rows, "people": people, "bare": 0}
    bare = replace(_bare(blocks, method, len(shards), pseudonym_seed), ledger=ledger)
    named_rows = in_tasks(frame.where("about is null").drop("about"), name, NAMED)
    by, pairs = ("user", "place"), partial(_pairs, blocks, told, first, pseudonym)
    return PublishedRows(named_rows, by, blocks.blocks, bare, counts, None, pairs, made_of=frame)


def _check_method(method: Glove) -> None:
    if method.shard_users is None:
        raise ParameterError(
            "Glove on Spark needs shard_users, because one shard of everybody is not divided; give it, or run Glove on "
            "one machine."
        )
    if method.device == "gpu":
        raise ParameterError("Glove on Spark runs on the processors of the executors; leave device out.")


def _shards(blocks: Blocks, grid: Grid, method: Glove) -> tuple[Extent, list[Ints]]:
    """What decides the layout of all fingerprints, and the people of each shard; logarithms are taken here."""

    def tell(block: Block) -> tuple[Ints, Ints, Extent]:
        prints = grid.prints(block.positions, block.offsets, block.cell, block.slot)
        own = Extent.of(prints)
        return block.positions, homes(own.table(prints)) * own.unit_m + own.low[1:], own

    home, extents = np.zeros((len(blocks), 2), np.int64), []
    for positions, places, own in blocks.tell(tell):
        home[positions] = places
        extents.append(own)
    extent = reduce(add, extents)
    extent.check()
    spread = features((home - extent.low[1:]) // extent.unit_m, blocks.sizes, extent.unit_m)
    return extent, split(spread, method.shard_users or len(blocks))


def _hidden(blocks: Blocks, grid: Grid, extent: Extent, method: Glove, shards: list[Ints]) -> Any:
    """The boxes of the groups of each shard; every sample goes once to the task of its shard."""
    of = np.empty(len(blocks), np.int32)
    for number, positions in enumerate(shards):
        of[positions] = number
    with shared(blocks.spark, of) as sent:

        def divide(block: Block) -> Iterator["pa.RecordBatch"]:
            position = np.repeat(block.positions, np.diff(block.offsets))
            columns = {"position": position, "cell": block.cell, "slot": block.slot}
            yield from batches_of(SHARDED, {"shard": sent.value[position], **columns})

        samples = blocks.each(divide, SHARDED).repartitionById(len(shards), "shard")

        def hide(rows: Rows) -> Iterator["pa.RecordBatch"]:
            order = np.lexsort((rows["cell"], rows["slot"], rows["position"]))
            position = rows["position"][order]
            starts = np.flatnonzero(distinct_rows(position))
            offsets = np.append(starts, len(position))
            prints = grid.prints(position[starts], offsets, rows["cell"][order], rows["slot"][order])
            yield from _grouped(int(rows["shard"][0]), prints, extent, method)

        return in_tasks(samples, hide, GROUPED)


def _grouped(shard: int, prints: Fingerprints, extent: Extent, method: Glove) -> Iterator["pa.RecordBatch"]:
    """The work of one shard: its groups, suppressed and reshaped as on one machine, each box once."""
    whole = method.hide(extent.table(prints))
    made = release_of(prints, extent, whole, method.limits(extent), method.reshape, {}, pseudonym_seed=0)
    losses, members = made.provenance["losses"], made.members
    data: Any = with_distinct_boxes(made, made.data).data if made.data.records else made.data  # type: ignore[arg-type]
    order = random_order(len(data), 0)  # the pseudonyms of one shard, which are taken back
    group = np.full(len(prints), -1)
    group[members.positions] = np.repeat(order, np.diff(members.offsets))
    crowd = np.empty(len(data), np.int64)
    crowd[order] = data.crowd
    owner, size = data.owner, len(data.x)
    columns = {name: getattr(data, name) for name in BOX} | {"place": np.arange(size), "crowd": data.crowd[owner]}
    told = ShardGroups(shard, prints.users, group, crowd, losses, size)
    shards = np.full(size, shard, np.int32)
    yield from batches_of(GROUPED, {"shard": shards, "team": order[owner], **columns}, told)


def _bare(blocks: Blocks, method: Glove, shards: int, pseudonym_seed: int | None) -> Release:
    """The release without a row."""
    none, clock = np.zeros(0, np.int64), blocks.clock
    boxes: dict[str, Any] = dict.fromkeys(BOX, none)
    described: dict[str, Any] = {"start": clock.start, "crs": blocks.crs, "time_zone": clock.time_zone}
    data = Fingerprints(none, np.zeros(1, np.int64), **boxes, crowd=none, **described)
    given = {"device": "cpu", "shards": shards, "pseudonym_seed_given": pseudonym_seed is not None}
    return Release(
        data,
        Groups(np.zeros(1, np.int64), none),
        params={**parameters(method), **given},
        guarantee=guarantee(type(method)),
        claims={"k": method.k},
        provenance={"dropped_attributes": list(blocks.attributes)},
    )


def _pairs(blocks: Blocks, told: list[ShardGroups], first: Ints, pseudonym: Ints) -> Iterator[Pair]:
    """Every pseudonym with each of its people, by position."""
    hidden = [part.group >= 0 for part in told]
    names = [pseudonym[begin + part.group[who]] for part, begin, who in zip(told, first, hidden, strict=False)]
    name = np.concatenate(names)
    position = np.concatenate([part.positions[who] for part, who in zip(told, hidden, strict=True)])
    order = np.lexsort((position, name))
    return zip(name[order].tolist(), blocks.users[position[order]].tolist(), strict=True)

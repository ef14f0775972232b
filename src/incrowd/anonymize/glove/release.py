"""Shards of people who live alike; finished groups -> a Release that knows which box covers which sample."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.anonymize.base import random_order
from incrowd.anonymize.glove.herd import Herd
from incrowd.arrays import Floats, Ints, offsets_of, owners, rows_of
from incrowd.data import Fingerprints, Groups, Release
from incrowd.data.release_section import SHARED_BOX
from incrowd.kernels.types import METRES
from incrowd.ledger import Ledger
from incrowd.measure.glove.accuracy import DELETED, DISCARDED
from incrowd.measure.glove.stretch import CornerTable, Extent

if TYPE_CHECKING:
    from incrowd.anonymize.glove.gpu import CardHerd


NONE = -1
LAID_AT_ONCE = 1 << 22  # samples, about, while homes are looked up


@dataclass(frozen=True)
class Hidden:
    """Boxes of the groups by id; the box that covers each original sample and the group of each user, or -1."""

    corners: Ints
    offsets: Ints
    row: Ints
    group: Ints
    merges: list[tuple[int, int, int, Fraction]]  # lo, hi, new, stretch
    work: Ints

    @classmethod
    def of(cls, herd: "Herd | CardHerd", work: Ints) -> "Hidden":
        """What a finished run has made."""
        merges = [
            (lo, hi, herd.users + m, Fraction(over, under * herd.full))
            for m, (lo, hi, over, under) in enumerate(herd.merges)
        ]
        return cls(*herd.groups(), merges, work)


def joined(parts: list[tuple[Hidden, Ints]], data_offsets: Ints) -> Hidden:
    """Shards put together: users and samples at their own positions, merges numbered one shard after the other."""
    if len(parts) == 1:
        return parts[0][0]
    users = len(data_offsets) - 1
    row, group = np.full(data_offsets[-1], NONE), np.full(users, NONE)
    merges: list[tuple[int, int, int, Fraction]] = []
    boxes = groups = 0
    for hidden, who in parts:
        row[rows_of(data_offsets, who)[1]] = np.where(hidden.row < 0, NONE, hidden.row + boxes)
        group[who] = np.where(hidden.group < 0, NONE, hidden.group + groups)
        idents = np.append(who, users + len(merges) + np.arange(len(hidden.merges)))
        merges += [(*sorted(idents[[lo, hi]].tolist()), int(idents[new]), v) for lo, hi, new, v in hidden.merges]
        boxes, groups = boxes + len(hidden.corners), groups + len(hidden.offsets) - 1
    sizes = np.concatenate([np.diff(hidden.offsets) for hidden, _ in parts])
    corners = np.concatenate([hidden.corners for hidden, _ in parts])
    work = np.sum([hidden.work for hidden, _ in parts], axis=0)
    return Hidden(corners, np.append(0, np.cumsum(sizes)), row, group, merges, work)


def release_of(
    data: Fingerprints,
    extent: Extent,
    hidden: Hidden,
    limits: tuple[int, int],
    reshape: str | None,
    params: Mapping[str, Any],
    *,
    pseudonym_seed: int | None,
    **promise: Any,
) -> Release:
    """Suppress, reshape and publish under pseudonyms in random order."""
    corners, code, row, group = _shuffled(_suppressed(hidden, limits), pseudonym_seed)
    groups = int(group.max(initial=NONE)) + 1
    boxes = published_boxes = _boxes(corners, extent)
    offsets, published_row = offsets_of(code, groups), row
    if reshape is not None and len(corners):
        starts = data.t - extent.low[0]
        final, offsets, published_row = _reshaped(corners, offsets, row, starts, split=reshape == "split")
        published_boxes = _boxes(final, extent)
    members = np.argsort(group, kind="stable")[(group < 0).sum() :]
    people = np.bincount(group[members], weights=data.crowd[members], minlength=groups).astype(np.int64)
    columns: dict[str, Any] = {"offsets": offsets, **published_boxes, "crowd": people}
    published = replace(data, users=np.arange(groups), **columns, attributes={}, ledger=Ledger())
    losses = GloveLosses.of(data, group, row, published.records, groups)
    return Release(
        published,
        Groups(offsets_of(group[members], groups), members),
        params={**params, "pseudonym_seed_given": pseudonym_seed is not None},
        ledger=losses.ledger(data.ledger),
        provenance={
            "merges": hidden.merges,
            "row": published_row,  # of each original sample: the published row that covers it, or -1
            "box": row,  # the same among the boxes before reshaping
            "boxes": {**boxes, "group": code},
            "people": data.crowd,  # behind each original user
            "discarded_users": np.flatnonzero(group < 0),  # positions
            "suppressed_samples": np.flatnonzero((row < 0) & (group[owners(data.offsets)] >= 0)),  # original rows
            "losses": losses,
            "work": dict(zip(("pairs", "near", "close", "exact", "compared"), hidden.work.tolist(), strict=True)),
            "dropped_attributes": list(data.attributes),
        },
        **promise,
    )


def _suppressed(hidden: Hidden, limits: tuple[int, int]) -> tuple[Ints, Ints, Ints, Ints]:
    """Corners and groups of the boxes that stay, the box of each sample, the group of each user."""
    sides = hidden.corners[:, 1::2] - hidden.corners[:, ::2]
    keep = (sides[:, 1:].max(axis=1, initial=0) <= limits[0]) & (sides[:, 0] <= limits[1])
    place = np.append(np.where(keep, np.cumsum(keep) - 1, NONE), NONE)
    code = owners(hidden.offsets)[keep]
    left = np.flatnonzero(np.bincount(code))
    number = np.full(len(hidden.offsets), NONE)
    number[left] = np.arange(len(left))
    return hidden.corners[keep], number[code], place[hidden.row], number[hidden.group]


def _shuffled(boxes: tuple[Ints, Ints, Ints, Ints], seed: int | None) -> tuple[Ints, Ints, Ints, Ints]:
    """Groups in random order; a pseudonym is a place in it."""
    corners, code, row, group = boxes
    order = random_order(int(group.max(initial=NONE)) + 1, seed)
    rank = np.append(np.argsort(order), NONE)
    _, moved = rows_of(offsets_of(code, len(order)), order)  # without a sort: boxes lie by group already
    place = np.full(len(moved) + 1, NONE)
    place[moved] = np.arange(len(moved))
    return corners[moved], rank[code][moved], place[row], rank[group]


def _reshaped(corners: Ints, offsets: Ints, row: Ints, starts: Ints, *, split: bool) -> tuple[Ints, Ints, Ints]:
    """Boxes that do not overlap in time; a sample is covered by the one that holds its start."""
    from incrowd.kernels.cpu.glove.merge import reshape

    made, ends = reshape(corners, offsets, split)
    # The pieces of a group are apart in time, so that (group, start) finds them.
    width = int(corners[:, 1].max()) + 1
    begins = owners(ends) * width + made[:, 0]
    wanted = owners(offsets)[row] * width + starts
    return made, ends, np.where(row < 0, NONE, np.searchsorted(begins, wanted, "right") - 1)


def _boxes(corners: Ints, extent: Extent) -> dict[str, Ints]:
    boxes: dict[str, Ints] = {}
    for k, (low, length, unit) in enumerate((("t", "dt", 1), ("x", "dx", extent.unit_m), ("y", "dy", extent.unit_m))):
        boxes[low] = corners[:, 2 * k].astype(np.int64) * unit + extent.low[k]
        boxes[length] = (corners[:, 2 * k + 1] - corners[:, 2 * k]).astype(np.int64) * unit
    return boxes


@dataclass(frozen=True)
class GloveLosses:
    """What becomes of the samples and users of a run, or of one of its shards; those of shards add up."""

    samples: int
    discarded: int  # samples of fingerprints that were let go
    beyond: int  # samples whose box became too wide or long
    published: int
    users: int
    users_discarded: int
    groups: int

    @classmethod
    def of(cls, data: Fingerprints, group: Ints, row: Ints, published: int, groups: int) -> "GloveLosses":
        """Counted from the group of each user and the published row of each sample."""
        gone = group[owners(data.offsets)] < 0
        beyond = int(((row < 0) & ~gone).sum())
        return cls(data.records, int(gone.sum()), beyond, published, len(group), int((group < 0).sum()), groups)

    def __add__(self, other: "GloveLosses") -> "GloveLosses":
        return GloveLosses(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def ledger(self, before: Ledger) -> Ledger:
        """The ledger with this step."""
        lost = dict(zip(DELETED, (self.discarded, self.beyond), strict=True))
        shared = self.samples - sum(lost.values()) - self.published
        return before.add(
            "glove",
            read=self.samples,
            kept=self.published,
            dropped={**lost, SHARED_BOX: max(shared, 0)},
            created={"piece of a split box": max(-shared, 0)},
            notes={DISCARDED: self.users_discarded},
            users=(self.users, self.groups),
        )


def shards(data: Fingerprints, extent: Extent, most: int | None) -> list[Ints]:
    """Positions in shards of at most so many users and about half as many at least, by a k-d split.

    Users are halved at the median of what spreads them most: home x, home y (the most used cell, in units of the
    spatial cap) or activity (samples, as a logarithm). Without `most` all are one shard.
    """
    everybody = np.arange(len(data))
    if most is None:
        return [everybody]
    blocks = np.array_split(everybody, -(-data.records // LAID_AT_ONCE))
    home = np.concatenate([homes(extent.table(data, users)) for users in blocks if len(users)])
    return split(features(home, np.diff(data.offsets), extent.unit_m), most)


def split(features: Floats, most: int) -> list[Ints]:
    """The same from what spreads the users."""
    done, waiting = [], [np.arange(len(features))]
    while waiting:
        users = waiting.pop()
        if len(users) <= most:
            done.append(np.sort(users))
            continue
        spread = np.quantile(features[users], 0.9, axis=0) - np.quantile(features[users], 0.1, axis=0)
        order = users[np.argsort(features[users, spread.argmax()], kind="stable")]
        waiting += [order[len(order) // 2 :], order[: len(order) // 2]]
    return done


def homes(laid: CornerTable) -> Ints:
    """The most used cell of each user, (x, y) in units of the layout; of several the most south-western."""
    owner = owners(laid.offsets)
    cells = np.column_stack([owner, laid.corners[:, 2], laid.corners[:, 4]])
    place, count = np.unique(cells, axis=0, return_counts=True)
    # Users in order, each user's most used cell first.
    order = np.lexsort((-count, place[:, 0]))
    first = order[np.searchsorted(place[order, 0], np.arange(len(laid.people)))]
    home: Ints = place[first, 1:]
    return home


def features(home: Ints, samples: Ints, unit_m: int) -> Floats:
    """What spreads the users: home x and y in units of the spatial cap, and samples as a logarithm."""
    return np.column_stack([home * unit_m / METRES.space_cap, np.log(samples)])

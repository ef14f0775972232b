"""A GLOVE run on a GPU: the same merges as the Herd makes on the CPU; only its results come back."""

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from incrowd.anonymize.glove.herd import Saved
from incrowd.anonymize.glove.release import Hidden
from incrowd.arrays import Ints
from incrowd.kernels.types import UNLIMITED, full
from incrowd.measure.glove.stretch import CornerTable
from incrowd.progress import tell

if TYPE_CHECKING:
    from incrowd.kernels.gpu.glove.greedy import NearestSlots

WAY_OUT = "pass shard_users to divide them, or device='cpu'"
EXACT = 1 << 52  # where squared denominators times the largest value stay below, different fractions differ as floats


def hide_on_card(
    laid: CornerTable, k: int, leftover: str, saved: Saved, *, uncapped: bool, limits: tuple[int, int] | None
) -> Hidden:
    """A whole run on the GPU."""
    from incrowd.kernels.gpu.device import within_memory

    with within_memory(len(laid.people), WAY_OUT):
        herd = CardHerd(laid, k, saved, uncapped=uncapped, limits=limits)
        return Hidden.of(herd, herd.hide(leftover))


class CardHerd:
    """The living fingerprints and the merges of a run, in the memory of the GPU."""

    def __init__(
        self, laid: CornerTable, k: int, saved: Saved, *, uncapped: bool, limits: tuple[int, int] | None
    ) -> None:
        from incrowd.kernels.gpu.glove.greedy import SPARE
        from incrowd.kernels.gpu.glove.prints import prints_of

        self.k, self.users, self.full, self.saved = k, len(laid.people), full(laid.scale), saved
        # A finished group hides fewer than 2 k people, or began with more; a leftover adds fewer than k.
        most = max(int(laid.people.max()), 2 * k) + k
        given = (laid.corners, laid.offsets, laid.people, laid.scale)
        self.prints = prints_of(*given, room=len(laid.corners), most_people=most, spare=0 if k == 2 else SPARE)
        self.prints.finish(np.flatnonzero(laid.people >= k))
        self.uncapped, self.limits = uncapped, limits or (UNLIMITED, UNLIMITED)
        self.label = f"hiding fingerprints among {k}"
        self.merges: list[tuple[int, int, int, int]] = []  # lo, hi, numerator, denominator
        self.matched = np.zeros((0, 2), np.int64)

    def hide(self, leftover: str) -> Ints:
        """Merge until nobody is left who hides fewer than k people; what was done [gramaglia2015, Alg. 1]."""
        from incrowd.kernels.gpu.glove.greedy import NearestSlots, empty_lists

        lists, kept = NearestSlots(self.prints), empty_lists(self.users)
        tell(self.label, 0, self.users)
        pairs = self.saved.load(kept)
        if self.k == 2:
            self.matched = pairs
        else:
            self._replay(pairs)
        if kept.work.any():
            lists.restore(kept, *self._places())
        if self.k == 2:
            self._match(lists)
        else:
            self._merge(lists)
        self._settle(leftover)
        tell(self.label, self.users, self.users)
        work: Ints = lists.work.get().astype(np.int64)
        return work

    def groups(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Corners of all finished groups by id, their offsets, the row that covers each original sample (or -1),
        and the group of each user (or -1).
        """
        from incrowd.kernels.gpu.glove.merge import gathered

        corners, offsets, ids, row = gathered(self.prints)
        group = [-1] * (self.users + len(self.merges))
        for number, ident in enumerate(ids.tolist()):
            group[ident] = number
        for m in range(len(self.merges) - 1, -1, -1):
            lo, hi, *_ = self.merges[m]
            group[lo] = group[hi] = group[self.users + m]
        return corners, offsets, row, np.array(group[: self.users], np.int64)

    def _match(self, lists: "NearestSlots") -> None:
        """Pairs in rounds, then all merges at once, in the order and with the ids of the greedy."""
        from incrowd.kernels.gpu.glove.greedy import matched
        from incrowd.kernels.gpu.glove.nearest import stretches

        known = [np.column_stack(stretches(self.prints, self.matched))]
        for matches in matched(self.prints, lists, self.matched.ravel()):
            if matches is not None:
                self.matched = np.concatenate([self.matched, matches[0]])
                known.append(matches[1])
            tell(self.label, 2 * len(self.matched), self.users)
            self._keep(lists)
        self._keep(lists, now=True)
        stretch = np.concatenate(known)
        order = in_order(self.matched, stretch, self.full)
        slots = self.matched[order]
        self._join(slots, slots, stretch[order, 1])

    def _merge(self, lists: "NearestSlots") -> None:
        from incrowd.kernels.gpu.glove.greedy import Loop

        loop = Loop(self.prints, lists, self.k, self.limits, self.merges, uncapped=self.uncapped)
        for living in loop.run():
            tell(self.label, self.users - living, self.users)
            if self.saved.due:
                self.merges = loop.made()
                self._keep(lists)
        self.merges = loop.made()
        self._keep(lists, now=True)

    def _keep(self, lists: "NearestSlots", *, now: bool = False) -> None:
        if self.saved.path is not None and (now or self.saved.due):
            self.saved.keep(self, lists.kept(*self._places(), self.users), now=True)

    def _places(self) -> tuple[Ints, Ints]:
        """The slots of those still to be hidden, and their places in a checkpoint: the CPU's slots, where a merged
        fingerprint has that of its smaller id.
        """
        from incrowd.kernels.gpu.glove.prints import ACTIVE, IDENT

        place = self._slots()
        slots = self.prints.living(ACTIVE)
        return slots, place[self.prints.outline[slots, IDENT].get()]

    def _slots(self) -> Ints:
        """The place of each id in a checkpoint."""
        place = np.arange(self.users + len(self.merges))
        for m, (lo, *_) in enumerate(self.merges):
            place[self.users + m] = place[lo]
        return place

    def _replay(self, pairs: Ints) -> None:
        """Merge what was merged, all at once that have the same number of merges behind them."""
        from incrowd.kernels.gpu.glove.merge import join
        from incrowd.kernels.gpu.glove.prints import PEOPLE, SIZE

        self.merges = [(lo, hi, 0, 1) for lo, hi in pairs.tolist()]
        place, depth = self._slots(), np.zeros(self.users + len(pairs), np.int64)
        over, under = np.zeros(len(pairs), np.int64), np.ones(len(pairs), np.int64)
        for m, (lo, hi) in enumerate(pairs.tolist()):
            depth[self.users + m] = 1 + max(depth[lo], depth[hi])
        for level in range(1, int(depth.max()) + 1):
            now = np.flatnonzero(depth[self.users :] == level)
            slots = place[pairs[now]]
            people, size = (self.prints.outline[:, column].get().astype(np.int64)[slots] for column in (PEOPLE, SIZE))
            under[now] = people.sum(axis=1) * size.max(axis=1)
            over[now], _ = join(
                self.prints, slots, self.users + now, uncapped=self.uncapped, limits=self.limits, k=self.k
            )
        self.merges = list(zip(*pairs.T.tolist(), over.tolist(), under.tolist(), strict=True))

    def _join(self, slots: Ints, ids: Ints, under: Ints) -> None:
        from incrowd.kernels.gpu.glove.merge import join

        new = self.users + len(self.merges) + np.arange(len(slots))
        over, _ = join(self.prints, slots, new, uncapped=self.uncapped, limits=self.limits, k=self.k)
        self.merges += zip(*ids.T.tolist(), over.tolist(), under.tolist(), strict=True)

    def _settle(self, leftover: str) -> None:
        """Merge a fingerprint that was left alone with the nearest finished group, or let it go."""
        from incrowd.kernels.gpu.glove.nearest import nearest
        from incrowd.kernels.gpu.glove.prints import ACTIVE, FINISHED, IDENT

        alone, finished = self.prints.living(ACTIVE), self.prints.living(FINISHED)
        if not len(alone) or leftover != "merge" or not len(finished):
            return
        who, _, under, _ = nearest(self.prints, alone, finished, 1, False, state=FINISHED)
        slots = np.array([alone[0], who[0, 0]])
        ids = self.prints.outline[slots, IDENT].get().astype(np.int64)
        order = np.argsort(ids)
        self._join(slots[order][None], ids[order][None], under[0])


def in_order(pairs: Ints, stretch: Ints, full: int) -> Ints:
    """The order of pairs (lo, hi) by (stretch, lo, hi), exactly; `stretch` holds numerators and denominators."""
    over, under = stretch.T
    if int(under.max(initial=1)) ** 2 * full < EXACT:
        return np.lexsort((pairs[:, 1], pairs[:, 0], over / under))
    exact = [Fraction(a, b) for a, b in stretch.tolist()]
    keys = list(zip(exact, *pairs.T.tolist(), strict=True))
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)

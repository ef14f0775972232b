"""Blocks of visits -> how many people a few known visits identify: the driver draws, every block counts."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.errors import ParameterError, near, public
from incrowd.measure.uniqueness import ask_about
from incrowd.measure.uniqueness.choices import Choices, CloseSubsets, Runs, Subsets, Trajectories, uniform_numbers
from incrowd.measure.uniqueness.index import Index
from incrowd.measure.uniqueness.question import Uniqueness, UniquenessQuestion
from incrowd.spark.blocks import Block, Blocks
from incrowd.spark.discretize import check_noun
from incrowd.spark.session import shared


@public
def uniqueness(blocks: Blocks, **question: Any) -> Uniqueness:
    """Share of people who are identified by a few known visits, as `incrowd.measure.uniqueness` has it.

    The driver draws from the number of visits of each person, so the draws are those of one machine. Every block
    counts, among its own people, who shares the known visits.

    Args:
        blocks: The visits of everybody on executors, made by `grid`.
        question: The options of `incrowd.measure.uniqueness`, but for exact=True and knowledge="top", which need all
            visits on one machine.
    """
    check_noun(blocks, "Visits", "uniqueness")
    asked = _question(question)
    crowd = Trajectories.over(blocks.offsets)
    answer = ask_about(RemoteIndex(blocks), crowd, _choices(blocks, crowd, asked), asked)
    return replace(answer, same_slot=blocks.same_slot)


def _question(options: dict[str, Any]) -> UniquenessQuestion:
    known = [field.name for field in fields(UniquenessQuestion)]
    for name in options:
        if name not in known:
            raise ParameterError(f"uniqueness() got an unexpected option {name!r}; {near(name, known)}")
    question = UniquenessQuestion(**options)
    for name, value in (("exact=True", question.exact), ("knowledge='top'", question.knowledge == "top")):
        if value:
            raise ParameterError(
                f"{name} is not divided over blocks; draw people first (spark.read, then a filter of users) and ask "
                "incrowd.measure.uniqueness, or leave it out."
            )
    return question


def _choices(blocks: Blocks, crowd: Trajectories, question: UniquenessQuestion) -> Choices:
    """What the attacker may know: of numbers of visits alone, or of times that only executors have."""
    if question.knowledge == "consecutive":
        return Runs(crowd, question.points)
    if question.knowledge == "close":
        return RemoteClose(blocks, question)
    return Subsets(crowd, question.points)


@dataclass(frozen=True, eq=False)
class RemoteIndex:
    """Who shares the visits at some rows, counted block by block; rows are numbered as if all were in one table."""

    blocks: Blocks

    @property
    def users(self) -> int:
        """How many users could."""
        return len(self.blocks)

    def crowd(self, rows: Ints, own: Ints) -> Ints:
        """How many users share the points at each line of rows, their owner among them."""
        cell, slot = self._points(rows - self.blocks.offsets[own][:, None], own)
        slot_min, counts = self.blocks.clock.slot_min, np.zeros(len(rows), np.int64)
        with shared(self.blocks.spark, (cell, slot, own)) as sent:

            def count(block: Block) -> tuple[Ints, Ints]:
                cells, slots, owner = sent.value
                index = Index.build(block.visits(slot_min))
                mine = np.full(len(owner), -1, np.int64)
                which, place = block.places(owner)
                mine[which] = place
                known = index.find(cells.ravel(), slots.ravel()).reshape(cells.shape)
                people = index.count(known, mine)
                there = np.flatnonzero(people)
                return there, people[there]

            for which, people in self.blocks.tell(count):
                counts[which] += people
        return counts

    def _points(self, within: Ints, own: Ints) -> tuple[Ints, Ints]:
        """Cell and slot of some rows of each owner, counted from the owner's first."""
        cell, slot = np.empty(within.shape, np.int64), np.empty(within.shape, np.int64)
        with shared(self.blocks.spark, (within, own)) as sent:

            def look(block: Block) -> tuple[Ints, Ints, Ints]:
                rows, owner = sent.value
                which, place = block.places(owner)
                at = block.offsets[place][:, None] + rows[which]
                return which, block.cell[at], block.slot[at]

            for which, cells, slots in self.blocks.tell(look):
                cell[which], slot[which] = cells, slots
        return cell, slot


class RemoteClose:
    """Sets of points that are close in time: blocks number those of their people, the driver draws a number."""

    def __init__(self, blocks: Blocks, question: UniquenessQuestion) -> None:
        self.blocks, self.question = blocks, question
        self.totals, self.narrow = np.zeros(len(blocks), object), np.ones(len(blocks), np.bool_)
        slot_min = blocks.clock.slot_min

        def number(block: Block) -> tuple[Ints, NDArray[Any], NDArray[np.bool_]]:
            close = CloseSubsets(Trajectories.over(block.offsets), block.slot, slot_min, question)
            return block.positions, close.totals, close.group == 0

        for positions, totals, narrow in blocks.tell(number):
            self.totals[positions], self.narrow[positions] = totals, narrow
        self.feasible: NDArray[np.bool_] = self.totals > 0

    def total(self, which: Ints) -> NDArray[Any]:
        """How many sets are close enough."""
        return self.totals[which]

    def draw(self, which: Ints, rng: np.random.Generator) -> Ints:
        """By a uniform number among all close sets."""
        return self.rows(which, uniform_numbers(self.totals[which], self.narrow[which], rng))

    def rows(self, which: Ints, number: NDArray[Any]) -> Ints:
        """The choice with this number of each trajectory named."""
        question, slot_min = self.question, self.blocks.clock.slot_min
        rows = np.empty((len(which), question.points), np.int64)
        with shared(self.blocks.spark, (which, number)) as sent:

            def choose(block: Block) -> tuple[Ints, Ints]:
                asked, numbers = sent.value
                mine, place = block.places(asked)
                crowd = Trajectories.over(block.offsets)
                chosen = CloseSubsets(crowd, block.slot, slot_min, question).rows(place, numbers[mine])
                return mine, chosen - crowd.starts[place][:, None]

            for mine, within in self.blocks.tell(choose):
                rows[mine] = within + self.blocks.offsets[which[mine]][:, None]
        return rows

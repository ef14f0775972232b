"""A release of boxes -> who is alone behind the boxes that hold some of their samples."""

import numpy as np

from incrowd.arrays import Ints, offsets_of, positions_of
from incrowd.assess.attacker import MOST_POINTS, crowds, known_samples
from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Found, drawn_note
from incrowd.assess.questions.release import UNTOLD, origin_of
from incrowd.assess.shown import shown
from incrowd.attack.people import read_link
from incrowd.data import Fingerprints, Groups, Release, Traces
from incrowd.discretize import fingerprints
from incrowd.errors import DataError
from incrowd.plain import percent


def alone_in_boxes(data: Dataset, *, people: int) -> Found:
    """The share of people whom a few random samples lead to a published trajectory that hides nobody else."""
    table, release, traces = data.published, data.options.release, data.traces
    if traces is None or not isinstance(table, Fingerprints):
        raise DataError(f"samples are looked up in the boxes of a release, and {data.why_no_traces}.")
    members = release.members if isinstance(release, Release) else _linked(data, table, traces)
    prints = fingerprints(
        traces, origin=origin_of(table.crs, traces), start=table.start, time_zone=data.options.time_zone
    )
    if len(prints) != len(traces):
        raise DataError("somebody has no record after the start of the release; give the data it was made from.")
    asked, number = _drawn(len(traces), people, data.options.seed)
    behind = Release(table, Groups(members.offsets, number[members.positions]))
    known = known_samples(prints, points=MOST_POINTS, seed=data.options.seed)[asked]
    told = crowds(shown(behind), prints, known).numbers(2)
    numbers = {**told, "points": MOST_POINTS, "people": len(asked)}
    note = f"alone behind the boxes that hold {MOST_POINTS} random samples of theirs, all that is known here"
    sample = drawn_note(len(asked), len(traces))
    number_of = f"{percent(told['singled_out'])} (found {percent(told['found'])})"
    return Found(told["singled_out"], number_of, numbers, note="; ".join(filter(None, (note, sample))))


def _linked(data: Dataset, table: Fingerprints, traces: Traces) -> Groups:
    if data.options.link is None:
        raise DataError(UNTOLD)
    pseudonyms, users = read_link(data.options.link)
    row, person = positions_of(pseudonyms, table.users), positions_of(users, traces.users)
    both = (row >= 0) & (person >= 0)
    if not both.any():
        raise DataError(UNTOLD)
    order = np.lexsort((person[both], row[both]))
    return Groups(offsets_of(row[both][order], len(table)), person[both][order])


def _drawn(everybody: int, people: int, seed: int) -> tuple[Ints, Ints]:
    """Who is asked for, and a number for everybody that counts those first."""
    order = np.random.default_rng(seed).permutation(everybody)
    asked = np.sort(order[:people])
    number = np.empty(everybody, np.int64)
    number[np.concatenate([asked, order[people:]])] = np.arange(everybody)
    return asked, number

"""What is given to a GPU and made of its answer; the CPU's code takes its place, so that no GPU is needed.

The parity suite says what the GPU makes of these arguments; here wrong ones are seen without it.
"""

from importlib import import_module
from unittest import mock

import numpy as np
import pytest

from boxes import prints
from gpu import parity
from incrowd.anonymize.glove import Glove
from incrowd.anonymize.glove.herd import Herd, NearestLists, hide
from incrowd.anonymize.glove.release import Hidden
from incrowd.kernels.gpu import device
from incrowd.kernels.gpu.glove import greedy
from incrowd.kernels.types import CELLS, METRES, UNLIMITED
from incrowd.measure.glove import kgap
from incrowd.measure.glove.stretch import layout

MEASURE = import_module("incrowd.measure.glove")
LIMITS = {"max_extent_m": 15_000, "max_extent_min": 360}
SHARDS = {"k": 3, "shard_users": 12}
EACH = {"k": 3, **LIMITS, "suppress": "each"}
RUNS = [
    {"k": 2},
    {"k": 3},
    {"k": 3, "ties": "uncapped"},
    {"k": 2, "leftover": "suppress"},
    {"k": 4, **LIMITS, "reshape": "union"},
    EACH,
    {"k": 2, "max_extent_m": 15_000, "suppress": "each"},
    {"k": 3, "max_extent_min": 360, "suppress": "each"},
    {"k": 5, **LIMITS, "suppress": "each", "ties": "uncapped", "leftover": "suppress"},
    SHARDS,
]


def hidden(laid, k, leftover, saved, *, uncapped, limits):
    herd = Herd(laid, k, uncapped=uncapped, limits=limits)
    return Hidden.of(herd, hide(herd, leftover, saved))


@pytest.fixture
def card(monkeypatch):
    """The three ways to a GPU, with their own signatures."""
    monkeypatch.setattr(device, "missing", lambda: "")
    with (
        mock.patch("incrowd.anonymize.glove.gpu.hide_on_card", autospec=True, side_effect=hidden) as glove,
        mock.patch.object(MEASURE, "scan_on_card", autospec=True, side_effect=MEASURE.near_some) as gaps,
        mock.patch.object(
            MEASURE, "tails_on_card", autospec=True, side_effect=lambda laid, near: MEASURE._weights(laid, near, "cpu")
        ) as tails,
    ):
        yield mock.Mock(glove=glove, gaps=gaps, tails=tails)


def people(unit=100):
    return parity.crowd(31, 5, 7, unit=unit, boxes=True)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_a_run_with_these_arguments_is_that_of_the_cpu(card, run):
    plain = not run.keys() & {"shard_users", "max_extent_m", "max_extent_min"}
    parity.glove(people(), **run, plain=plain)
    assert card.glove.call_count == (4 if run is SHARDS else 1)


def test_gaps_and_tails_with_these_arguments_are_those_of_the_cpu(card):
    for k in (2, 5):
        parity.gaps(people(), k)
    assert card.gaps.call_count == card.tails.call_count == 2


@pytest.mark.parametrize("unit", [100, 1])
def test_what_a_run_is_given(card, unit):
    Glove(device="gpu", **LIMITS)(people(unit))
    Glove(k=3, ties="uncapped", leftover="suppress", suppress="each", max_extent_m=15_000, device="gpu")(people(unit))
    Glove(k=4, suppress="each", max_extent_min=360, device="gpu")(people(unit))
    (laid, *first), second, third = (call.args for call in card.glove.call_args_list)
    given = [first, list(second[1:]), list(third[1:])]
    assert [words[:2] for words in given] == [[2, "merge"], [3, "suppress"], [4, "merge"]]
    assert all(saved.path is None for *_, saved in given)
    assert [call.kwargs for call in card.glove.call_args_list] == [
        {"uncapped": False, "limits": None},  # what became too wide is dropped from the final groups
        {"uncapped": True, "limits": (15_000 // unit, UNLIMITED)},
        {"uncapped": False, "limits": (UNLIMITED, 360)},
    ]
    is_a_layout(laid, people(unit), {100: CELLS, 1: METRES}[unit])


def test_what_gaps_and_tails_are_given(card):
    data = people()
    gap = kgap(data, k=4, device="gpu")
    MEASURE.tails(data, k=4, device="gpu", gap=gap)
    laid, take, order = card.gaps.call_args.args
    assert take == 3 and order.dtype == np.int64 and sorted(order.tolist()) == list(range(31))
    is_a_layout(laid, data, CELLS)
    laid, near = card.tails.call_args.args
    assert near.dtype == np.int64 and near.shape == (31, 3) and near is gap.neighbours
    is_a_layout(laid, data, CELLS)


def is_a_layout(laid, data, scale):
    """Kernels read memory as it is: types, order and units are theirs."""
    assert (laid.corners.dtype, laid.offsets.dtype, laid.people.dtype) == (np.int32, np.int64, np.int64)
    assert laid.corners.shape == (data.records, 6) and laid.scale == scale
    assert laid.unit_m == {CELLS: 100, METRES: 1}[scale]
    np.testing.assert_array_equal(laid.offsets, data.offsets)
    np.testing.assert_array_equal(laid.people, data.crowd)
    lows = np.column_stack([data.t - data.t.min(), *((v - v.min()) // laid.unit_m for v in (data.x, data.y))])
    sides = np.column_stack([data.dt, data.dx // laid.unit_m, data.dy // laid.unit_m])
    np.testing.assert_array_equal(laid.corners[:, ::2], lows)
    np.testing.assert_array_equal(laid.corners[:, 1::2] - laid.corners[:, ::2], sides)


@pytest.mark.parametrize("run", [{"k": 2}, EACH, SHARDS], ids=str)
def test_a_run_that_is_kept_goes_on_there_and_on_the_cpu(card, run):
    for devices in (("gpu", "gpu"), ("gpu", "cpu"), ("cpu", "gpu")):
        parity.resumed(people(), run["k"], *devices, **{name: run[name] for name in run if name != "k"})


def test_where_a_run_is_kept(card, tmp_path):
    Glove(k=3, device="gpu")(people(), checkpoint=tmp_path / "run.npz", checkpoint_s=7)
    saved = card.glove.call_args.args[3]
    assert (saved.path, saved.every_s) == (tmp_path / "run.npz", 7)
    key = saved.key
    Glove(k=4, device="gpu")(people(), checkpoint=tmp_path / "other.npz")
    assert len(key) == 64 and card.glove.call_args.args[3].key != key


def test_lists_of_the_card_fit_into_a_checkpoint():
    herd = Herd(layout(people()), 3, uncapped=False, limits=None)
    cpu, empty = NearestLists(herd, below=True), greedy.empty_lists(31)
    for name in ("ids", "over", "under", "whole", "work"):
        mine, theirs = getattr(empty, name), getattr(cpu, name)
        assert (mine.dtype, mine.tolist()) == (theirs.dtype, theirs.tolist())


def other(**wrong):
    def made(laid, k, leftover, saved, *, uncapped, limits):
        given = {"k": k, "leftover": leftover, "saved": saved, "uncapped": uncapped, "limits": limits} | wrong
        return hidden(laid, given.pop("k"), given.pop("leftover"), given.pop("saved"), **given)

    return made


@pytest.mark.parametrize(
    ("wrong", "run"),
    [
        ({"k": 4}, {"k": 3}),
        ({"leftover": "suppress"}, {"k": 2}),
        ({"leftover": "merge"}, {"k": 2, "leftover": "suppress"}),
        ({"uncapped": True}, {"k": 3}),
        ({"uncapped": False}, {"k": 3, "ties": "uncapped"}),
        ({"limits": None}, EACH),
        ({"limits": (15_000, 360)}, EACH),
        ({"limits": (150, UNLIMITED)}, EACH),
        ({"limits": (150, 360)}, {"k": 3, **LIMITS}),
    ],
    ids=str,
)
def test_the_suite_sees_a_wrong_argument(card, wrong, run):
    card.glove.side_effect = other(**wrong)
    with pytest.raises(AssertionError):
        parity.glove(people(), **run)


def test_the_suite_sees_a_wrong_neighbour_and_a_wrong_sum(card):
    card.gaps.side_effect = lambda laid, take, order: (
        (rows, np.roll(who, 1, axis=1), *rest) for rows, who, *rest in MEASURE.near_some(laid, take, order)
    )
    with pytest.raises(AssertionError):
        parity.gaps(people(), 3)
    card.gaps.side_effect = MEASURE.near_some
    card.tails.side_effect = lambda laid, near: [found + 1 for found in MEASURE._weights(laid, near, "cpu")]
    with pytest.raises(AssertionError):
        parity.gaps(people(), 3)


def test_a_lone_user_and_three_who_are_alike(card):
    parity.glove(prints("0,0,0"), 2)
    parity.glove(prints("0,0,0 | 0,0,0 | 0,0,0"), 3)

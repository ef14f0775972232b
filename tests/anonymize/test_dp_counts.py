"""Counts with noise that protects a person; distributions are compared, never a seed."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize import DPCounts
from incrowd.anonymize.dp_counts import bounded, measurement

XY = [[1000.0 * c, 0] for c in range(4)]


def walk(people=50, slots=6):
    user = np.repeat(np.arange(people), slots)
    cell = (user + np.tile(np.arange(slots), people)) % 3
    return ic.Visits.from_arrays(user, cell, np.tile(np.arange(slots), people), xy=XY, slot_min=240, start=0)


def test_a_person_keeps_a_few_random_slots_and_cells():
    owner = np.repeat([0, 1, 2], [9, 2, 6])
    slot = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 5, 6, 0, 0, 1, 1, 2, 2])
    seen = set()
    for _ in range(60):
        kept = bounded(owner, slot, 2, 1)
        for person in range(3):
            mine = slot[kept & (owner == person)]
            assert len(mine) == len(set(mine)) == 2
        seen.add(tuple(np.flatnonzero(kept)))
    assert len(seen) > 20
    both = bounded(owner, slot, 1, 3)
    assert [int((both & (owner == person)).sum()) for person in range(3)] == [3, 1, 2]
    assert bounded(owner, slot, 9, 9).all() and len(bounded(owner[:0], slot[:0], 1, 1)) == 0


def test_without_noise_worth_speaking_of_counts_are_true():
    release = DPCounts(epsilon=1e5, slots_per_person=6)(walk(), cells=XY, slots=(0, 6))
    assert release.data.n.tolist() == ic.discretize.counts(walk()).n.tolist()
    assert (release.data.slot_min, release.data.start_min, len(release.members)) == (240, 0, 0)
    late = DPCounts(epsilon=1e5, slots_per_person=6)(walk(), cells=XY[:2], slots=(4, 4))
    assert late.data.n.tolist() == [*ic.discretize.counts(walk()).n[4:, :2].tolist(), [0, 0], [0, 0]]
    assert late.data.start_min == 960
    step = late.ledger.steps[-1]
    assert step.dropped["outside the cells and slots"] == 300 - step.kept


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_it_states_what_the_auditor_recomputes(delta, tmp_path):
    method = DPCounts(epsilon=0.5, slots_per_person=2, cells_per_slot=3, delta=delta)
    release = method(walk(), cells=XY, slots=(0, 60))
    given = release.params
    assert given["sensitivity"] == pytest.approx(12 if delta == 0 else 12**0.5)
    assert release.claims == {"epsilon": 0.5, "delta": delta, "unit": "person"}
    if delta == 0:
        assert given["scale"] == 24 and given["mechanism"] == "discrete laplace"
    assert ic.audit.check(release, original=walk())["noise"].status == "pass"
    ic.anonymize.publish(release, tmp_path / "release")
    assert ic.audit.check(tmp_path / "release").passed


def test_the_noise_follows_the_stated_law():
    """2,000 empty cells: mean and mean size of two-sided geometric noise, within 5 standard errors."""
    measure, scale = measurement(0.5, 0.0, 2.0)
    noise = np.array(measure([0] * 2000))
    p = np.exp(-1 / scale)
    assert scale == 4 and abs(noise.mean()) < 5 * np.sqrt(2 * p / (1 - p) ** 2 / 2000)
    assert np.abs(noise).mean() == pytest.approx(2 * p / (1 - p * p), rel=0.15)
    measure, scale = measurement(1.0, 1e-5, 2.0)
    assert np.array(measure([0] * 2000)).std() == pytest.approx(scale, rel=0.1)


def test_negative_counts_stay_unless_asked():
    empty = ic.Visits.from_arrays([1], [0], [0], xy=XY, slot_min=60, start=0)
    raw = DPCounts(epsilon=0.1, slots_per_person=1)(empty, cells=XY, slots=(0, 50)).data.n
    clipped = DPCounts(epsilon=0.1, slots_per_person=1, keep_negative=False)(empty, cells=XY, slots=(0, 50)).data.n
    assert raw.min() < 0 == clipped.min() and raw.shape == (50, 4)


def test_cells_that_nobody_visited_are_warned_of():
    with pytest.warns(ic.errors.IncrowdWarning, match="only noise is published"):
        release = DPCounts(epsilon=1e5, slots_per_person=6)(walk(), cells=[[500.0, 0]], slots=(0, 6))
    assert release.data.n.tolist() == [[0]] * 6


def test_refusals():
    method = DPCounts(epsilon=1, slots_per_person=1)
    for seeds in ({"seed": 0}, {"pseudonym_seed": 0}):
        with pytest.raises(ic.ParameterError, match="seed must be None"):
            method(walk(), cells=XY, slots=(0, 6), **seeds)
    traces = ic.Traces.from_arrays([1, 2], [0, 60], x=[0.0, 900.0], y=[0.0, 0.0])
    grid = ic.discretize.grid(traces, cell_m=100, slot_min=60)
    with pytest.raises(ic.ParameterError, match="exactly those that people visited"):
        method(grid, cells=grid.xy, slots=(0, 24))
    for slots in (5, (0, 2.5), ("a", "b"), (0, 0), (0, 1, 2), (0, 10**12)):
        with pytest.raises(ic.ParameterError, match="slots"):
            method(walk(), cells=XY, slots=slots)
    with pytest.raises(ic.ParameterError, match="OpenDP finds no Gaussian noise"):
        DPCounts(epsilon=1e6, slots_per_person=1, delta=1e-5)(walk(), cells=XY, slots=(0, 6))
    with pytest.raises(ic.ParameterError, match="exactly those that people visited"):
        method(walk(), cells=XY[2::-1], slots=(0, 6))  # the three visited ones of four
    for wrong in ({"epsilon": 0}, {"slots_per_person": 0}, {"delta": 1}, {"cells_per_slot": 0}):
        with pytest.raises(ic.ParameterError):
            DPCounts(**{"epsilon": 1, "slots_per_person": 1, **wrong})

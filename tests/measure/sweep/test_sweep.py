import json
import sys
from itertools import product
from unittest import mock

import numpy as np
import pytest
from scipy.stats import binom

from builders import tracks
from incrowd import progress
from incrowd.data import Traces
from incrowd.discretize import blocks as to_blocks
from incrowd.errors import DataError, ParameterError
from incrowd.measure import uniqueness
from incrowd.measure.sweep import _between, records, sweep, sweep_estimate
from incrowd.measure.sweep.records import SweepRecords
from incrowd.measure.sweep.result import SPACE, TIME, SweepPlan, cell_seed

SMALL = {"blocks": (2, 3, 8), "minutes": (20, 60), "points": (1, 2, 4), "samples": 400}
COLUMNS = ("blocks", "minutes", "points", "uniqueness", "low", "high", "population", "samples")
SIZES = ("block_width_m", "block_height_m")


def town(users=40, seed=0, planar=False):
    """Vehicles with a few haunts, seen at random times over a day and a half."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 40, users)
    user = np.repeat(np.arange(users), size)
    haunt = rng.normal(0, 1, (6, 2))[rng.integers(0, 6, len(user))] + rng.normal(0, 0.2, (len(user), 2))
    t = 1_300_000_000 + rng.integers(0, 130_000, len(user))
    east, north = np.round(haunt * 0.3, 6).T + np.array([[114], [22.5]])
    if planar:
        return Traces.from_arrays(user, t, x=east * 1e5, y=north * 1e5)
    return Traces.from_arrays(user, t, lon=east, lat=north)


def same(one, other):
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("keep", ["vote", "set"])
@pytest.mark.parametrize("planar", [False, True], ids=["degrees", "metres"])
def test_every_cell_is_uniqueness_of_the_blocks(planar, keep, kernels):
    """Not only the same in expectation: the same numbers, each cell from its own seed."""
    traces = town(planar=planar)
    found = sweep(traces, **SMALL, keep=keep, seed=5)
    rows = iter(found.table())
    width_m, height_m = found.box_m
    for minutes, blocks in product(SMALL["minutes"], SMALL["blocks"]):
        visits = to_blocks(traces, blocks=blocks, slot_min=minutes, keep=keep)
        for points in SMALL["points"]:
            seed = cell_seed(5, blocks=blocks, minutes=minutes, points=points)
            cell = uniqueness(visits, points=points, samples=400, seed=seed)
            assert next(rows) == {
                "blocks": blocks,
                "minutes": minutes,
                "points": points,
                "uniqueness": cell.value,
                "low": cell.interval[0],
                "high": cell.interval[1],
                "population": cell.population,
                "samples": 400,
                "block_width_m": width_m / blocks,
                "block_height_m": height_m / blocks,
            }
    assert next(rows, None) is None


def test_samples_agree_with_the_exact_expectation():
    traces, samples = town(30, seed=1), 3000
    options = {"blocks": (2, 5), "minutes": (60, 240), "points": (1, 2, 3)}
    cells = 2 * len(sweep(traces, **options, samples=1))
    for keep in ("vote", "set"):
        found = sweep(traces, **options, samples=samples, keep=keep)
        for row in found.table():
            visits = to_blocks(traces, blocks=row["blocks"], slot_min=row["minutes"], keep=keep)
            truth = uniqueness(visits, points=row["points"], exact=True)
            low, high = binom.ppf([1e-6 / cells / 2, 1 - 1e-6 / cells / 2], samples, truth.value)
            assert low <= round(row["uniqueness"] * samples) <= high
            assert row["population"] == truth.population


def test_cells_draw_on_their_own():
    traces = town()
    whole = sweep(traces, **SMALL)
    part = sweep(traces, **{**SMALL, "blocks": (8,), "minutes": (60,), "points": (4,)})
    (row,) = np.flatnonzero((whole.blocks == 8) & (whole.minutes == 60) & (whole.points == 4))
    assert part.uniqueness[0] == whole.uniqueness[row]
    assert len({cell_seed(0, blocks=b, minutes=m, points=p) for b, m, p in product(SPACE, TIME, range(1, 8))}) == 462
    assert (sweep(traces, **SMALL, seed=1).uniqueness != whole.uniqueness).any()


def test_no_target_is_undefined_not_zero():
    found = sweep(tracks([(0, 1, 1)], [(0, 2, 2)]), blocks=[2], minutes=[20], points=[1, 2], samples=9)
    assert found.uniqueness.tolist()[0] == 1 and np.isnan(found.uniqueness[1])
    assert found.table()[1]["uniqueness"] is None and found.table()[1]["high"] is None
    assert found.samples.tolist() == [9, 0] and found.population.tolist() == [2, 0]
    assert found.finest(1, points=2) == []


def test_one_box_for_the_whole_sweep():
    """The extent of the data is taken once; a box given is the same for all resolutions."""
    traces = town()
    first, second = traces.coordinates
    box = (first.min(), second.min(), first.max(), second.max())
    same(sweep(traces, **SMALL), sweep(traces, **SMALL, box=box))


class Stop(Exception):
    pass


def stop_after(done):
    def listener(label, so_far, total):
        if label == "sweep" and so_far >= done:
            raise Stop

    return progress.listening(listener)


def test_an_interrupted_sweep_goes_on_where_it_stopped(tmp_path, monkeypatch):
    traces = town()
    whole = sweep(traces, **SMALL)
    with pytest.raises(Stop), stop_after(4):
        sweep(traces, **SMALL, cache=tmp_path)
    done = len(list(tmp_path.iterdir()))
    assert 4 <= done < 6
    said = []
    with progress.listening(lambda *words: said.append(words)):
        again = sweep(traces, **SMALL, cache=tmp_path)
    assert [words[1] for words in said if words[0] == "sweep"] == list(range(done, 7))
    same(again, whole)
    assert again.to_dict() == whole.to_dict()
    monkeypatch.setattr(sys.modules["incrowd.measure.sweep"], "tallied", lambda *_: pytest.fail("work was done twice"))
    monkeypatch.setattr(SweepRecords, "represent", lambda *_: pytest.fail("so was this"))
    same(sweep(traces, **SMALL, cache=tmp_path), whole)


@pytest.mark.parametrize(
    "change",
    [{"seed": 1}, {"samples": 401}, {"keep": "set"}, {"points": (1, 2, 3)}, {"box": (113, 21, 116, 24)}, {"start": 0}],
    ids=lambda change: next(iter(change)),
)
def test_another_question_is_not_answered_from_the_cache(change, tmp_path):
    traces = town()
    sweep(traces, **SMALL, cache=tmp_path)
    before = len(list(tmp_path.iterdir()))
    same(sweep(traces, **{**SMALL, **change}, cache=tmp_path), sweep(traces, **{**SMALL, **change}))
    # Slots that are counted from another midnight are the same slots under another name.
    assert len(list(tmp_path.iterdir())) == 2 * before == 12


def test_other_data_are_not_answered_from_the_cache(tmp_path):
    for seed in (0, 1):
        same(sweep(town(seed=seed), **SMALL, cache=tmp_path), sweep(town(seed=seed), **SMALL))
    assert len(list(tmp_path.iterdir())) == 12


def edited(entry):
    return json.dumps({**entry, "tallies": [[0, *tally[1:]] for tally in entry["tallies"]]})


@pytest.mark.parametrize(
    "spoil",
    [
        lambda entry: "",
        lambda entry: json.dumps(entry)[:50],
        lambda entry: "[]",
        lambda entry: json.dumps({"key": entry["key"], "tallies": entry["tallies"]}),
        edited,
    ],
    ids=["empty", "cut short", "no mapping", "no digest", "edited"],
)
def test_a_damaged_entry_is_computed_again(spoil, tmp_path):
    traces = town()
    whole = sweep(traces, **SMALL, cache=tmp_path)
    for path in tmp_path.iterdir():
        path.write_text(spoil(json.loads(path.read_text())))
    same(sweep(traces, **SMALL, cache=tmp_path), whole)
    digests = [json.loads(path.read_text())["digest"] for path in tmp_path.iterdir()]
    assert len(set(digests)) == 6


def test_an_entry_under_another_name_is_not_believed(tmp_path):
    traces = town()
    whole = sweep(traces, **SMALL, cache=tmp_path)
    one, *others = sorted(tmp_path.iterdir())
    for path in others:
        path.write_text(one.read_text())
    same(sweep(traces, **SMALL, cache=tmp_path), whole)


def test_another_version_forgets(tmp_path, monkeypatch):
    sweep(town(), **SMALL, cache=tmp_path)
    monkeypatch.setattr(records, "FORMAT", 2)
    sweep(town(), **SMALL, cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 12


def test_the_cache_holds_counts_only(tmp_path):
    sweep(town(), **SMALL, cache=tmp_path / "made" / "here")
    for path in (tmp_path / "made" / "here").iterdir():
        entry = json.loads(path.read_text())
        assert entry.keys() == {"key", "asks", "tallies", "digest"}
        assert entry["asks"].keys() == {"minutes", "blocks", "keep", "points", "samples", "seed"}


@pytest.mark.parametrize(
    "options",
    [
        {"blocks": ()},
        {"blocks": (10, 10)},
        {"blocks": (0,)},
        {"blocks": (5000,)},
        {"minutes": (20, 2.5)},
        {"minutes": (20, -20)},
        {"points": (0,)},
        {"samples": 0},
        {"seed": -1},
        {"seed": 0.5},
        {"seed": "a"},
        {"seed": None},
        {"seed": True},
        {"keep": "vote_first"},
        {"box": (1, 0, 0, 1)},
        {"start": "noon"},
        {"time_zone": "Atlantis"},
    ],
    ids=str,
)
def test_options_without_meaning_are_refused(options):
    with pytest.raises(ParameterError):
        SweepPlan(**options)
    with mock.patch("incrowd.measure.sweep.sweep_records", side_effect=AssertionError), pytest.raises(ParameterError):
        sweep(town(), **options)  # before the data are looked at


def test_the_time_is_estimated_before(tmp_path):
    traces = town()
    cost = sweep_estimate(traces, **SMALL, cache=tmp_path)
    assert (cost.todo, cost.cached) == (6, 0) and cost.bytes > 0 and 0 < cost.seconds < 60
    assert cost.traces_bytes == traces.offsets.nbytes + 3 * traces.t.nbytes
    more = sweep_estimate(traces, **{**SMALL, "samples": 4_000_000}, cache=tmp_path)
    assert more.seconds > 5 * cost.seconds and more.bytes > cost.bytes
    sweep(traces, **SMALL, cache=tmp_path)
    done = sweep_estimate(traces, **{**SMALL, "blocks": (2, 3, 8, 9)}, cache=tmp_path)
    assert (done.todo, done.cached) == (2, 6)
    done = sweep_estimate(traces, **SMALL, cache=tmp_path)
    assert (done.todo, done.cached) == (0, 6)
    assert str(done).startswith("0 resolutions: ") and str(done).endswith("; 6 more are in the cache")
    with pytest.raises(ParameterError):
        sweep_estimate(town(), keep="all")


def test_a_cost_between_those_tried_lies_between_them():
    known = {1: 0.0, 10: 1.0, 100: 5.0}
    assert [_between(known, size) for size in (1, 10, 100)] == [0, 1, 5]
    assert _between(known, 50) == pytest.approx(1 + 4 * np.log10(5))


def test_a_cache_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ParameterError, match="not a folder"):
        sweep(town(), cache=tmp_path / "file")


def test_traces_in_log_order_are_refused():
    with pytest.raises(DataError, match="log order"):
        sweep(tracks([(5, 0, 0), (0, 1, 1)], order="log"))


def test_the_result_as_tables():
    found = sweep(town(), **SMALL)
    assert len(found) == 18 and found.to_arrow().num_rows == 18
    assert found.to_arrow().column_names == [*COLUMNS, *SIZES]
    assert found.to_dict()["rows"] == found.table()
    assert json.loads(json.dumps(found.to_dict()))["keep"] == "vote"
    assert repr(found) == "Sweep(3 blocks x 2 minutes x 3 points, users=40, keep='vote', seed=0)"
    assert found.table()[0] == {name: getattr(found, name)[0] for name in (*COLUMNS, *SIZES)}
    assert (found.low <= found.uniqueness).all() and (found.uniqueness <= found.high).all()

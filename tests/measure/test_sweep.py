import json
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import incrowd as ic
from builders import tracks
from incrowd import progress
from incrowd.data import Traces
from incrowd.discretize import blocks as to_blocks
from incrowd.errors import DataError, ParameterError
from incrowd.measure import sweep_cache, uniqueness
from incrowd.measure.sweep import sweep
from incrowd.measure.sweep_cost import _between, sweep_cost
from incrowd.measure.sweep_ground import ground_of
from incrowd.measure.sweep_plan import SPACE, TIME, Plan, cell_seed

SMALL = {"blocks": (2, 3, 8), "minutes": (20, 60), "points": (1, 2, 4), "samples": 400}
COLUMNS = ("blocks", "minutes", "points", "uniqueness", "low", "high", "population", "samples")


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


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("keep", ["vote", "set"])
@pytest.mark.parametrize("planar", [False, True], ids=["degrees", "metres"])
def test_every_cell_is_uniqueness_of_the_blocks(planar, keep, device):
    """Not only the same in expectation: the same numbers, each cell from its own seed."""
    traces = town(planar=planar)
    found = sweep(traces, **SMALL, keep=keep, seed=5, device=device)
    rows = iter(found.table())
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


def points_of(traces, blocks, minutes, keep="vote", **options):
    """What a sweep takes the points of each user to be, as rows (user, slot, cell)."""
    ground = ground_of(traces, options.get("box"), options.get("start"), options.get("time_zone"))
    (ids, offsets), *others = ground.represent(blocks, (minutes, 7), keep, "cpu")
    assert len(others) == 1
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return list(zip(owner.tolist(), (ids // blocks**2).tolist(), (ids % blocks**2).tolist(), strict=True))


def rows_of(traces, visits):
    owner = np.flatnonzero(np.isin(traces.users, visits.users))[visits.owner]
    return list(zip(owner.tolist(), visits.slot.tolist(), visits.cell.tolist(), strict=True))


RECORDS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 9000), st.integers(0, 3000), st.integers(0, 3000)),
    min_size=1,
    max_size=30,
)


@settings(deadline=None, max_examples=60)
@given(RECORDS, st.sampled_from([1, 2, 7, 10, 200]), st.sampled_from([1, 20, 60]), st.sampled_from(["vote", "set"]))
def test_points_are_those_of_blocks(rows, blocks, minutes, keep):
    user, t, x, y = map(np.array, zip(*rows, strict=True))
    micro, planar = (
        Traces.from_arrays(user, t, lon=113.9 + x / 1e6, lat=22.5 + y / 1e6),
        Traces.from_arrays(user, t, x=x / 300, y=y / 300),
    )
    for traces in (micro, planar):
        wanted = to_blocks(traces, blocks=blocks, slot_min=minutes, keep=keep)
        assert points_of(traces, blocks, minutes, keep) == rows_of(traces, wanted)


@pytest.mark.parametrize("keep", ["vote", "set"])
def test_records_outside_and_early_are_left_out_and_counted(keep):
    traces = tracks(
        [(0, 5, 5), (4000, 5, 5)], [(4000, 11, 5)], [(4000, 0, 0), (8000, 10, 10), (8001, 3, 3)], order="time"
    )
    options = {"box": (0, 0, 10, 10), "start": 3600}
    wanted = to_blocks(traces, blocks=4, slot_min=20, keep=keep, **options)
    assert points_of(traces, 4, 20, keep, **options) == rows_of(traces, wanted)
    found = sweep(traces, blocks=[4], minutes=[20], points=[1, 2, 3], samples=5, keep=keep, **options)
    step = found.ledger.steps[-1]
    assert (step.read, step.kept, step.users) == (6, 4, (3, 2))
    assert step.dropped == {"before the start": 1, "outside the box": 1}
    assert found.population.tolist() == [2, 1, 0 if keep == "vote" else 1]
    with pytest.raises(DataError, match=r"no record is left \(6 outside the box\)"):
        sweep(traces, box=(20, 20, 30, 30))


def test_a_clock_put_back_shows_an_hour_twice():
    """In Paris 02:00 to 03:00 came twice on 2014-10-26; both hours vote together."""
    change = 1_414_285_200
    rng = np.random.default_rng(0)
    t = change + rng.integers(-4 * 3600, 4 * 3600, 300)
    traces = Traces.from_arrays(rng.integers(0, 3, 300), t, x=rng.random(300), y=rng.random(300))
    for keep, minutes in product(("vote", "set"), (20, 60)):
        wanted = to_blocks(traces, blocks=3, slot_min=minutes, keep=keep, time_zone="Europe/Paris")
        assert points_of(traces, 3, minutes, keep, time_zone="Europe/Paris") == rows_of(traces, wanted)


def test_far_corners_need_64_bits():
    traces = tracks([(0, 0, 0), (60, 4e6, 4e6)], [(0, 1e6, 3e6)], order="time")
    assert ground_of(traces, None, None, None).x.dtype == np.int64
    assert points_of(traces, 10, 1) == rows_of(traces, to_blocks(traces, blocks=10, slot_min=1))


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
    monkeypatch.setattr("incrowd.measure.sweep_ground.Ground.represent", lambda *_: pytest.fail("so was this"))
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
    monkeypatch.setattr(sweep_cache, "FORMAT", 2)
    sweep(town(), **SMALL, cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 12


def test_the_cache_holds_counts_only(tmp_path):
    sweep(town(), **SMALL, cache=tmp_path / "made" / "here")
    for path in (tmp_path / "made" / "here").iterdir():
        entry = json.loads(path.read_text())
        assert entry.keys() == {"key", "asks", "tallies", "digest"}
        assert entry["asks"].keys() == {"minutes", "blocks", "keep", "points", "samples", "seed"}


def exact(traces, blocks, minutes, keep):
    """The exact expectation of one known point, on the points of a sweep."""
    rows = points_of(traces, blocks, minutes, keep, box=(0, 0, 8, 8))
    user, slot, cell = np.array(rows).T
    return uniqueness(ic.Visits.from_arrays(user, cell=cell, slot=slot), points=1, exact=True).value


def test_coarser_space_under_set_can_raise_uniqueness():
    a = [(0, 1, 1), (1, 3, 1), (60, 7, 7)]
    assert [exact(tracks(a, a[:2]), sr, 1, "set") for sr in (4, 2)] == pytest.approx([1 / 6, 1 / 4])


def test_coarser_time_under_set_can_raise_uniqueness():
    a = [(0, 1, 1), (60, 1, 1), (120, 7, 7)]
    assert [exact(tracks(a, a[:2]), 4, m, "set") for m in (1, 2)] == pytest.approx([1 / 6, 1 / 4])


def test_coarser_space_moves_the_vote():
    a = [(0, 1, 1), (1, 1, 1), (2, 5, 1), (3, 7, 1), (4, 5, 3)]
    assert [exact(tracks(a, a[:1]), sr, 1, "vote") for sr in (4, 2)] == [0, 1]


def test_grids_that_do_not_nest_are_incomparable():
    """Two blocks tell x = 3 and 5 apart where three do not, and three tell 1 and 3 apart where two do not."""
    one, other = tracks([(0, 3, 0)], [(0, 5, 0)]), tracks([(0, 1, 0)], [(0, 3, 0)])
    assert [exact(one, sr, 1, "set") for sr in (2, 3)] == [1, 0]
    assert [exact(other, sr, 1, "set") for sr in (2, 3)] == [0, 1]


@settings(deadline=None, max_examples=40)
@given(RECORDS, st.sampled_from([(10, 20), (30, 90), (40, 200)]), st.sampled_from([1, 2, 3]))
def test_set_is_a_homomorphism_and_holds_the_vote(rows, nest, times):
    user, t, x, y = map(np.array, zip(*rows, strict=True))
    traces = Traces.from_arrays(user, t, x=x.astype(float), y=y.astype(float))
    coarse, fine = nest
    small = set(points_of(traces, fine, 20, "set"))
    ratio = fine // coarse
    mapped = {(u, s // times, c // fine // ratio * coarse + c % fine // ratio) for u, s, c in small}
    assert mapped == set(points_of(traces, coarse, 20 * times, "set"))
    assert set(points_of(traces, fine, 20, "vote")) <= small


@settings(deadline=None, max_examples=40)
@given(RECORDS, st.sampled_from([(10, 20), (30, 90)]), st.integers(1, 2))
def test_coarsening_voted_cells_never_raises_uniqueness(rows, nest, known):
    user, t, x, y = map(np.array, zip(*rows, strict=True))
    traces = Traces.from_arrays(user, t, x=x.astype(float), y=y.astype(float))
    coarse, fine = nest
    ratio = fine // coarse
    voted = np.array(points_of(traces, fine, 20))
    shares = []
    for cell in (voted[:, 2], voted[:, 2] // fine // ratio * coarse + voted[:, 2] % fine // ratio):
        visits = ic.Visits.from_arrays(voted[:, 0], cell=cell, slot=voted[:, 1])
        shares.append(uniqueness(visits, points=known, exact=True).value or 0)
    assert shares[1] <= shares[0] + 1e-12


def made(values):
    """A sweep with these shares, by (blocks, minutes)."""
    from incrowd.measure.sweep_record import Sweep

    blocks, minutes = np.array(list(values)).T
    share = np.array(list(values.values()))
    n = len(share)
    columns = (np.full(n, 4), share, share - 0.01, share + 0.01, np.full(n, 9), np.where(np.isnan(share), 0, 99))
    return Sweep(blocks, minutes, *columns, users=9, records=99)


def test_finest_and_coarsest_settings_that_meet_a_target():
    surface = made(
        {(10, 20): 0.1, (10, 60): 0.0, (50, 20): 0.9, (50, 60): 0.2, (90, 20): 0.2, (90, 60): 0.7, (90, 240): np.nan}
    )
    assert [s[:3] for s in surface.finest(0.2)] == [
        (90, 20, 0.2),
    ]
    assert [s[:2] for s in surface.finest(0.15)] == [(10, 20)]
    assert [s[:2] for s in surface.finest(0.05)] == [(10, 60)]
    assert [s[:2] for s in surface.finest(0.2, sure=True)] == [(10, 20)]
    assert [s[:2] for s in surface.coarsest(0.2)] == [(10, 60)]
    assert [s[:2] for s in surface.coarsest(1)] == [(10, 60)]
    surface = made({(10, 20): 0.1, (10, 60): 0.3, (50, 20): 0.9, (50, 60): 0.2, (90, 20): 0.8, (90, 60): 0.7})
    assert [s[:2] for s in surface.finest(0.3)] == [(10, 20), (50, 60)]
    assert [s[:2] for s in surface.coarsest(0.2)] == [(10, 20), (50, 60)]
    assert surface.finest(0.01) == surface.coarsest(0.01) == []


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(0, 1), min_size=12, max_size=12), st.floats(0, 1))
def test_finest_settings_dominate_all_that_meet_the_target(shares, target):
    surface = made(dict(zip(product((1, 2, 4, 8), (20, 30, 60)), shares, strict=True)))
    finest, coarsest = surface.finest(target), surface.coarsest(target)
    for setting in surface.at(4):
        meets = setting.uniqueness <= target
        finer = [f for f in finest if f.blocks >= setting.blocks and f.minutes <= setting.minutes]
        coarser = [c for c in coarsest if c.blocks <= setting.blocks and c.minutes >= setting.minutes]
        assert bool(meets) <= bool(finer) and bool(meets) <= bool(coarser)
        assert (setting in finest) == (meets and finer == [setting])
        assert (setting in coarsest) == (meets and coarser == [setting])


@pytest.mark.parametrize(("target", "points"), [(-0.1, 4), (1.1, 4), (float("nan"), 4), (0.5, 3)])
def test_targets_without_meaning_are_refused(target, points):
    with pytest.raises(ParameterError):
        made({(10, 20): 0.1}).finest(target, points=points)


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
        {"keep": "vote_first"},
        {"device": "abacus"},
        {"box": (1, 0, 0, 1)},
        {"start": "noon"},
        {"time_zone": "Atlantis"},
    ],
    ids=str,
)
def test_options_without_meaning_are_refused(options):
    with pytest.raises(ParameterError):
        Plan(**options)
    with pytest.raises(ParameterError):
        sweep(None, **options)  # before the data are looked at


def test_the_cost_is_told_before(tmp_path):
    traces = town()
    cost = sweep_cost(traces, **SMALL, cache=tmp_path)
    assert (cost.todo, cost.cached) == (6, 0) and cost.bytes > 0 and 0 < cost.seconds < 60
    more = sweep_cost(traces, **{**SMALL, "samples": 4_000_000}, cache=tmp_path)
    assert more.seconds > 5 * cost.seconds and more.bytes > cost.bytes
    sweep(traces, **SMALL, cache=tmp_path)
    done = sweep_cost(traces, **{**SMALL, "blocks": (2, 3, 8, 9)}, cache=tmp_path)
    assert (done.todo, done.cached) == (2, 6)
    done = sweep_cost(traces, **SMALL, cache=tmp_path)
    assert (done.todo, done.cached) == (0, 6)
    assert str(done).endswith("0 resolutions; 6 more are in the cache")
    with pytest.raises(ParameterError):
        sweep_cost(None, keep="all")


def test_a_cost_between_those_tried_lies_between_them():
    known = {1: 0.0, 10: 1.0, 100: 5.0}
    assert [_between(known, size) for size in (1, 10, 100)] == [0, 1, 5]
    assert _between(known, 50) == pytest.approx(1 + 4 * np.log10(5))


def test_a_cache_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ParameterError, match="no folder"):
        sweep(None, cache=tmp_path / "file")


def test_traces_in_log_order_are_refused():
    with pytest.raises(DataError, match="log order"):
        sweep(tracks([(5, 0, 0), (0, 1, 1)], order="log"))


def test_the_result_as_tables():
    found = sweep(town(), **SMALL)
    assert len(found) == 18 and found.to_arrow().num_rows == 18
    assert found.to_arrow().column_names == list(COLUMNS)
    assert found.to_dict()["rows"] == found.table()
    assert json.loads(json.dumps(found.to_dict()))["keep"] == "vote"
    assert repr(found) == "Sweep(3 blocks x 2 minutes x 3 points, users=40, keep='vote', seed=0)"
    assert found.table()[0] == {name: getattr(found, name)[0] for name in COLUMNS}
    assert (found.low <= found.uniqueness).all() and (found.uniqueness <= found.high).all()

"""Boxes that a few stray records do not stretch."""

import warnings
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.discretize import blocks
from incrowd.discretize._blocks import divided
from incrowd.discretize.bounds import Bounds, Rank, bounds_of, whole
from incrowd.discretize.bounds import strays as strays_of
from incrowd.read._parts import of_traces, parts

pytestmark = pytest.mark.filterwarnings("ignore:unclosed file", "ignore::pytest.PytestUnraisableExceptionWarning")
CITY = (5.0, 52.0, 5.2, 52.1)


def city(*strays, size=2000, zeros=0, planar=False):
    """Records spread evenly over a city, strays at these places, and records at (0, 0)."""
    rng = np.random.default_rng(3)
    lon, lat = rng.uniform(5.0, 5.2, size), rng.uniform(52.0, 52.1, size)
    x = np.concatenate([lon, [place[0] for place in strays], np.zeros(zeros)]).round(6)
    y = np.concatenate([lat, [place[1] for place in strays], np.zeros(zeros)]).round(6)
    user, t = np.arange(len(x)) % 50, np.arange(len(x)) * 10
    return ic.Traces.from_arrays(user, t, **({"x": x, "y": y} if planar else {"lon": x, "lat": y}))


def told(traces, **options):
    """The bounds and what is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        visits, bounds = divided(traces, blocks=10, **options)
    return visits, bounds, [str(warning.message) for warning in caught]


def by_sorting(traces, *, keep_zero=False):
    """The rule read word by word, on all records at once."""
    zero = traces.at_zero
    sides = []
    for column in traces.coordinates:
        units = 1e3 if traces.planar else 1e6
        ranked = np.sort(column[~zero])
        low, high = ranked[0], ranked[-1]
        micro = np.rint(ranked * units).astype(np.int64)
        first = int(np.quantile(micro, 0.005, method="lower"))
        last = int(np.quantile(micro, 0.995, method="higher"))
        if micro[-1] - micro[0] > 4 * (last - first):
            half = (last - first + 1) // 2
            low, high = (first - half) / units, (last + half) / units
        if keep_zero and zero.any():
            low, high = min(low, column[zero].min()), max(high, column[zero].max())
        sides.append((float(low), float(high)))
    return sides[0][0], sides[1][0], sides[0][1], sides[1][1]


def test_honest_records_keep_their_box():
    traces = city()
    visits, bounds, said = told(traces)
    assert bounds == Bounds(of_traces(traces).box, planar=False, blocks=10) and not said
    assert visits.ledger.steps[-1].dropped.keys() <= {"same cell and slot", "minority cell in its time slot"}


def test_strays_and_zeros_leave_with_a_warning_each():
    visits, bounds, (zero, stray) = told(city((80.0, 52.05), (5.1, -30.0), zeros=5))
    assert visits.ledger.steps[-1].dropped["at (0, 0)"] == 5
    assert visits.ledger.steps[-1].dropped["outside the box"] == 2
    assert zero.startswith("5 records at (0, 0) were left out, because ") and "--keep-zero" in zero
    assert "more than 4 times as long west-east and south-north as" in stray and "2 records outside it were" in stray
    assert "--box" in stray and bounds.narrowed == ("west-east", "south-north")
    np.testing.assert_allclose(bounds.box, (4.9, 51.95, 5.3, 52.15), atol=0.01)


def test_only_the_stretched_side_is_replaced():
    traces = city((80.0, 52.05))
    _, bounds, (stray,) = told(traces)
    plain = of_traces(traces).box
    assert (bounds.box[1], bounds.box[3]) == (plain[1], plain[3]) and bounds.narrowed == ("west-east",)
    assert "1 record outside it was left out" in stray


def test_four_times_is_still_honest():
    x = np.concatenate([np.arange(1, 202) / 2, [0.0, 402.0]])  # quantiles 1 and 101 of 203 records, sides 100 and 402
    for far, narrowed in ((400.0, ()), (401.0, ("west-east",))):
        x[-1] = far
        traces = ic.Traces.from_arrays(np.zeros(len(x)), np.arange(len(x)), x=x, y=x % 1)
        ranked = np.sort(x)
        assert ranked[-2] - ranked[1] == 100.0
        assert bounds_of(of_traces(traces)).narrowed == narrowed


@pytest.mark.parametrize(("size", "beyond"), [(200, 0), (201, 1), (400, 1), (401, 2), (2001, 10)])
def test_half_a_percent_of_the_records_is_beyond_either_end(size, beyond):
    x = np.arange(float(size))
    x[-1] = 1e6
    traces = ic.Traces.from_arrays(np.zeros(size), np.arange(size), x=x, y=np.zeros(size))
    bounds = bounds_of(of_traces(traces))
    side = size - 1 - 2 * beyond
    wanted = (beyond - side / 2, size - 1 - beyond + side / 2) if beyond else (0.0, 1e6)
    assert (bounds.box[0], bounds.box[2]) == wanted


def test_a_middle_without_length():
    traces = ic.Traces.from_arrays(
        np.zeros(300), np.arange(300), x=np.append(np.full(299, 7.0), 8.0), y=np.arange(300.0)
    )
    visits, bounds, (said,) = told(traces)
    assert bounds.box == (7.0, 0.0, 7.0, 299.0) and bounds.flat == ("west-east",)
    assert "which has no length west-east" in said and "1 record outside it was left out" in said
    assert bounds.block_m(10) == (0.0, 29.9) and visits.ledger.steps[-1].dropped["outside the box"] == 1
    assert set((visits.cell % 10).tolist()) == {0}


def test_keep_zero_keeps_them_whatever_it_does_to_the_box():
    visits, bounds, (said,) = told(city(zeros=5), keep_zero=True)
    width_m, height_m = bounds.block_m(10)
    assert said == (
        "keep_zero=True (--keep-zero) stretches the box to (0, 0), to "
        f"{width_m / 100:,.0f} x {height_m / 100:,.0f} km; a block of 10 x 10 is {width_m:,.0f} x {height_m:,.0f} m "
        "(west-east x south-north)."
    )
    assert height_m > 500_000 and "at (0, 0)" not in visits.ledger.steps[-1].dropped
    assert bounds.box[:2] == (0.0, 0.0) and 0 in visits.cell
    visits, bounds, (stray,) = told(city((80.0, 52.05), zeros=5), keep_zero=True)
    assert bounds.box[0] == 0.0 and bounds.box[2] < 6 and "1 record outside it" in stray
    assert "used instead" in stray and "stretches the box to (0, 0)" in stray
    around = city((-1.0, -1.0), (-1.0, 60.0), (60.0, -1.0), (60.0, 60.0), size=30, zeros=2)
    assert not told(around, keep_zero=True)[2]  # the box holds (0, 0) without them


def test_a_given_box_is_taken_as_it_is_and_zeros_leave_all_the_same():
    traces = city((80.0, 52.05), zeros=5)
    visits, bounds, (zero,) = told(traces, box=(-1, -1, 6, 53))
    assert bounds.box == (-1, -1, 6, 53) and "5 records at (0, 0)" in zero
    assert visits.ledger.steps[-1].dropped["outside the box"] == 1
    visits, bounds, said = told(traces, box=(-1, -1, 6, 53), keep_zero=True)
    assert not said and visits.ledger.steps[-1].dropped["outside the box"] == 1
    with pytest.raises(ic.ParameterError, match="west <= east"):
        blocks(traces, box=(6, 52, 5, 53))


def test_nothing_but_zeros():
    traces = city(size=0, zeros=9)
    with pytest.raises(ic.DataError, match=r"no record is left \(9 at \(0, 0\)\)"):
        blocks(traces)
    assert blocks(traces, keep_zero=True).records


def test_the_size_of_a_block_in_metres():
    import pyproj

    width, height = Bounds(CITY, planar=False).block_m(10)
    plane = pyproj.Proj("+proj=laea +lat_0=52.05 +lon_0=5.1 +datum=WGS84 +units=m")
    (x0, x1), _ = plane([5.09, 5.11], [52.05, 52.05])
    _, (y0, y1) = plane([5.1, 5.1], [52.045, 52.055])
    assert width == pytest.approx(x1 - x0, rel=1e-4) and height == pytest.approx(y1 - y0, rel=1e-3)
    assert Bounds((0, 0, 40, 20), planar=True).block_m(4) == (10, 5)


values = st.one_of(st.integers(-50, 50), st.integers(-(10**9), 10**9))


@given(st.lists(values, min_size=1, max_size=60), st.data())
def test_a_rank_is_found_by_counting(numbers, data):
    rank = data.draw(st.integers(0, len(numbers) - 1))
    search = Rank(min(numbers), max(numbers))
    for _ in range(5):
        search.narrow(rank, sum(search.count(piece) for piece in np.array_split(np.array(numbers), 3)))
    assert (search.low, search.bits) == (sorted(numbers)[rank], 0)


places = st.tuples(st.floats(-180, 180), st.floats(-90, 90))


@settings(deadline=None, max_examples=40)
@given(st.lists(places, max_size=12), st.integers(0, 4), st.integers(1, 900), st.booleans(), st.booleans())
def test_the_box_is_that_of_the_rule_and_every_record_is_accounted_for(strays, zeros, size, keep_zero, planar):
    traces = city(*strays, size=size, zeros=zeros, planar=planar)
    visits, bounds, _ = told(traces, keep_zero=keep_zero)
    assert bounds.box == by_sorting(traces, keep_zero=keep_zero)
    step = visits.ledger.steps[-1]
    assert step.read == traces.records == step.kept + sum(step.dropped.values())
    assert step.dropped.get("at (0, 0)", 0) == (0 if keep_zero else int(traces.at_zero.sum()))
    x, y = (whole(column, 1e3 if planar else 1e6) for column in traces.coordinates)
    west, south, east, north = whole(np.array(bounds.box), 1e3 if planar else 1e6)
    beyond = (x < west) | (x > east) | (y < south) | (y > north)
    assert step.dropped.get("outside the box", 0) == int((beyond & ~(traces.at_zero & ~np.bool_(keep_zero))).sum())
    if not keep_zero:
        np.testing.assert_array_equal(strays_of(traces), beyond & ~traces.at_zero)


@settings(deadline=None, max_examples=40)
@given(st.lists(places, max_size=9))
def test_a_few_strays_move_the_box_no_further_than_four_times_the_middle(strays):
    traces = city(*strays, zeros=3)
    west, south, east, north = bounds_of(of_traces(traces)).box
    assert west - 5.0 > -0.7 and east - west < 4.1 * 0.2 and north - south < 4.1 * 0.1
    assert west <= 5.01 and east >= 5.19 and south <= 52.01 and north >= 52.09


@settings(deadline=None, max_examples=6)
@given(st.lists(places, max_size=12), st.integers(0, 4), st.booleans())
def test_streamed_is_as_in_memory(tmp_path_factory, strays, zeros, keep_zero):
    traces = city(*strays, size=9000, zeros=zeros)
    path = tmp_path_factory.mktemp("log") / "log.parquet"
    columns = {"user": traces.users[traces.owner], "t": traces.t, "lon": traces.lon, "lat": traces.lat}
    order = np.argsort(traces.t, kind="stable")
    pq.write_table(pa.table({name: column[order] for name, column in columns.items()}), path)
    assert sum(1 for _ in parts(path, memory_mb=1)) > 1
    there, bounds, said = told(path, memory_mb=1, keep_zero=keep_zero)
    here, same, also = told(traces, keep_zero=keep_zero)
    assert bounds == same and there.ledger.steps[-1] == here.ledger.steps[-1] and said == also
    assert there.records == here.records
    assert sorted(there.cell.tolist()) == sorted(here.cell.tolist())


@pytest.mark.parametrize("make", ["grid", "fingerprints"])
def test_a_given_cell_size_keeps_every_record_and_says_how_many_are_at_zero(make):
    with pytest.warns(ic.errors.IncrowdWarning, match=r"^5 records are at \(0, 0\), .*--drop-zero"):
        made = getattr(ic.discretize, make)(city((80.0, 52.05), zeros=5), cell_m=500)
    assert made.ledger.steps[-1].dropped.keys() <= {"same cell and slot"}


def test_towers_keep_them_too():
    with pytest.warns(ic.errors.IncrowdWarning, match="1 record is at"):
        made = ic.discretize.towers(city(zeros=1), [(5.0, 52.0), (0.0, 0.0)])
    assert 1 in made.cell


def test_reading_notes_their_number(tmp_path):
    pq.write_table(city(zeros=5).to_arrow().replace_schema_metadata(None), tmp_path / "log.parquet")
    with pytest.warns(ic.errors.IncrowdWarning, match=r"^5 records are at \(0, 0\)"):
        traces = ic.read.table(tmp_path / "log.parquet")
    assert traces.ledger.steps[-1].notes["at (0, 0)"] == 5
    assert parts(tmp_path / "log.parquet").ledger.steps[-1].notes["at (0, 0)"] == 5
    with pytest.warns(ic.errors.IncrowdWarning) as said:  # once, by the step
        ic.discretize.grid(tmp_path / "log.parquet")
    assert len(said) == 1
    honest = replace(city(), ledger=ic.ledger.Ledger())
    assert "at (0, 0)" not in ic.read.table(honest.to_arrow()).ledger.steps[-1].notes

"""incrowd.plot: each function draws one panel of a result's section, on given axes or new ones."""

import inspect

import pytest
from matplotlib.figure import Figure

import incrowd as ic


@pytest.fixture(scope="module")
def results():
    city = ic.read.synthetic_city(users=40, towers=12, days=2, seed=0)
    traces = ic.clean.duplicates(city.traces)
    prints = ic.discretize.fingerprints(traces)
    visits = ic.discretize.towers(traces, city.towers, slot_min=60)
    risks = [ic.measure.uniqueness(visits, points=points) for points in (1, 2, 3)]
    release = ic.anonymize.Glove(k=2)(prints)
    sweep = ic.measure.sweep(traces, blocks=[5, 10], minutes=[60, 120], points=[2, 4], samples=200)
    return {
        "accuracy": ic.measure.accuracy(release, prints),
        "crowd_sizes": risks[0],
        "frontier": ic.assess.compare(traces, methods=["cut", "glove"]),
        "kgap": ic.measure.kgap(prints),
        "ledger": release.ledger,
        "risk_map": ic.measure.exposure(visits),
        "sweep": sweep,
        "tails": ic.measure.tails(prints),
        "uniqueness": risks,
    }


@pytest.mark.parametrize("name", ic.plot.__all__)
def test_every_plot_draws_on_given_axes_and_on_new_ones(results, name):
    plot = getattr(ic.plot, name)
    axes = Figure().add_subplot()
    assert plot(results[name], ax=axes) is axes and axes.has_data()
    new = plot(results[name])
    assert new is not axes and (new.get_xlabel(), new.get_ylabel()) == (axes.get_xlabel(), axes.get_ylabel())
    assert list(inspect.signature(plot).parameters)[1:] == ["ax"]


def test_a_plot_shows_the_values_of_the_result(results):
    axes = ic.plot.uniqueness(results["uniqueness"])
    assert axes.lines[0].get_ydata() == pytest.approx([risk.value for risk in results["uniqueness"]])
    assert axes.lines[0].get_xdata().tolist() == [1, 2, 3]


def test_the_map_is_that_of_exposure_or_its_own():
    city = ic.read.synthetic_city(users=40, towers=12, days=2, seed=0)
    visits = ic.discretize.grid(city.traces, cell_m=1000, slot_min=60)
    results = ic.measure.exposure(visits), ic.measure.risk_map(visits)
    first, second = (ic.plot.risk_map(result).collections[0].get_array() for result in results)
    assert len(first) > 5 and (first == second).all()


def test_one_result_is_a_point_and_a_ledger_without_drops_has_empty_bars(results):
    alone = ic.plot.uniqueness(results["crowd_sizes"])
    assert alone.lines[0].get_ydata() == pytest.approx([results["crowd_sizes"].value])
    nothing = ic.plot.ledger(ic.Ledger().add("read", read=3, kept=3))
    assert [bar.get_width() for bar in nothing.patches] == [0]


def test_what_cannot_be_drawn_is_refused(results):
    with pytest.raises(ic.DataError, match="got a KGap"):
        ic.plot.uniqueness([results["kgap"]])
    with pytest.raises(ic.DataError, match="ledger needs a Ledger"):
        ic.plot.ledger(results["kgap"])
    visits = ic.Visits.from_arrays([1, 2], cell=[0, 0], slot=[0, 1])
    with pytest.raises(ic.ParameterError, match="no result has a value"):
        ic.plot.uniqueness(ic.measure.uniqueness(visits, points=4))
    with pytest.raises(ic.ParameterError, match="has no panel 'k-gap' to draw"):
        ic.plot.kgap(results["crowd_sizes"])

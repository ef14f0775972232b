"""Several datasets in one figure, results against the number of people, and papers at their own size."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.papers import gramaglia2015, reproduce, song2014, tan2017, xu2017
from incrowd.papers.gramaglia2015 import data as country
from incrowd.papers.record import OTHER, WITHIN, Figure, Statement, save, size, sized
from incrowd.papers.tan2017 import records as taxis
from incrowd.papers.together import against_people, in_row, together
from incrowd.papers.xu2017 import data as cities
from incrowd.papers.xu2017.crowds import figure_11
from incrowd.show import Bars, Cdf, Line, Lines, curve


def figure(value, *, told="the same"):
    """A figure of ten people with a line, a printed point, a distribution and a bar."""
    panels = (
        Lines(
            "a", "people", "share", (Line("ours", (1.0,), (value,)), Line("paper", (1.0,), (0.5,), style="hollow")), "c"
        ),
        Cdf("b", "gap", "people", (curve("gap", [value]),), "d"),
        Bars("e", ("one",), {"": (value,)}, "share", "f"),
    )
    said = (Statement("Sec. 1", "common", "1", told, "agrees"), Statement("Sec. 2", "own", "1", f"{value}", "agrees"))
    return Figure("song2014", "2", "How many?", f"{value}.", panels, said, "by hand", 10)


def test_two_datasets_share_a_figure():
    both = together({"here": figure(0.1), "there": figure(0.2)})
    lines, distribution, _ = both.panels
    assert [(line.label, line.y) for line in lines.lines] == [
        ("here, ours", (0.1,)),
        ("paper", (0.5,)),
        ("there, ours", (0.2,)),
    ]
    assert [one.label for one in distribution.curves] == ["here, gap", "there, gap"]
    assert (both.users, both.answer) == (20, "here: 0.1. there: 0.2.")
    assert [one.what for one in both.statements] == ["common", "own [here]", "own [there]"]


def test_what_differs_is_said_of_each():
    both = together({"here": figure(0.1), "there": figure(0.2, told="another")})
    assert [one.what for one in both.statements].count("common [here]") == 1
    assert {one.ours for one in both.statements} == {"the same", "another", "0.1", "0.2"}


def test_one_dataset_stays_as_it_is():
    alone = figure(0.1)
    assert together({"here": alone}) is alone


def test_a_result_against_the_people_ends_with_everybody():
    visits = ic.Visits.from_arrays(np.arange(200), np.arange(200), np.zeros(200, np.int64))
    panel = against_people("p", visits, lambda some: {"people": len(some)}, y="share", what="Counts", seed=0)
    assert panel.lines[0].x == panel.lines[0].y == (3.0, 12.0, 50.0, 200.0)
    assert in_row(panel)[1:3] == [("3", "3"), ("12", "12")] and "n = 3 to 200" in panel.caption


def test_an_agreement_within_a_factor_says_so():
    assert size("Sec. 1", "length", 10, 14, "km", OTHER).why == WITHIN
    assert size("Sec. 1", "length", 10, 10, "km", OTHER).why == ""
    assert size("Sec. 1", "length", 10, 16, "km", OTHER).why == OTHER
    assert sized("Sec. 1", "length", "10", "14", near=False, why=OTHER).verdict == "differs"


def test_two_cities_of_taxis_are_in_one_figure_each_beside_its_own(monkeypatch, tmp_path):
    monkeypatch.setattr(taxis, "USERS", 12)
    monkeypatch.setattr(taxis, "DAYS", {"Shenzhen": 2, "Shanghai": 3})
    monkeypatch.setattr(tan2017, "SPACE", (10, 100))
    monkeypatch.setattr(tan2017, "TIME", (20, 240))
    monkeypatch.setattr(tan2017, "SAMPLES", 500)
    found = tan2017.reproduce(cache=tmp_path / "cache")
    names = {line.label for one in found.figures if one.number == "3" for line in one.panels[0].lines}
    assert {"paper: Shenzhen", "paper: Shanghai"} < names
    assert any(name.startswith("as Shenzhen, ") for name in names) and any(
        name.startswith("as Shanghai, ") for name in names
    )
    daily = [one for one in found.statements if one.what.startswith("records of a taxi on a day (")]
    assert [one.what for one in daily] == [
        "records of a taxi on a day (Shenzhen) [as Shenzhen]",
        "records of a taxi on a day (Shanghai) [as Shanghai]",
    ]
    files = {path.name for path in save(found, tmp_path / "out").iterdir()}
    assert {"sweep.json", "sweep-2.json", "ledger-2.json"} < files
    assert list((tmp_path / "cache").iterdir())  # what was finished stays


def test_two_countries_are_in_one_figure(monkeypatch):
    monkeypatch.setattr(country, "USERS", 20)
    monkeypatch.setattr(gramaglia2015, "K", (2, 3))
    monkeypatch.setattr(gramaglia2015.table2, "USERS", 20)
    found = gramaglia2015.reproduce()
    three = next(one for one in found.figures if one.number == "3")
    assert [one.label for one in three.panels[0].curves] == ["one country, k = 2", "another, k = 2"]
    assert found.users == 40 and three.users == 40


def test_at_full_size_there_are_as_many_people_as_in_the_paper(monkeypatch, tmp_path):
    monkeypatch.setattr(song2014, "PEOPLE", 400)
    monkeypatch.setattr(song2014, "PLACES", 12)
    assert len(song2014.synthetic(full=True)) == 400
    monkeypatch.setattr(cities, "PEOPLE", {"operator": 40, "application": 20})
    monkeypatch.setattr(cities, "TOWERS", 50)
    made = cities.made_up(("operator", "application"), quick=False, full=True, seed=0)
    assert [(scene.users, scene.days) for scene in made] == [(40, 7), (20, 14)]
    assert {cities.few(scene) for scene in made} == {cities.FIXED}  # not for want of people
    monkeypatch.setattr(country, "PEOPLE", (30, 60))
    monkeypatch.setattr(gramaglia2015, "DRAWN", 10)
    found = gramaglia2015.reproduce(full=True, cache=tmp_path)
    assert found.users == 90 and [one.number for one in found.figures[1:]] == ["3", "7", "9"]
    three = found.figures[1]
    assert [curve.n for curve in three.panels[0].curves] == [30, 10]
    assert "as large as d4d-sen: Half of 10 people, drawn from 60 and compared with all, have" in three.answer
    assert [path.name for path in tmp_path.iterdir()] == ["glove-30-k2.npz"]


def test_a_city_of_xu2017_can_be_reproduced_by_itself():
    alone = reproduce("xu2017", quick=True, cities=["application"])
    assert alone.users == cities.QUICK_USERS
    with pytest.raises(ic.ParameterError, match="song2014 takes no option 'cities'"):
        reproduce("song2014", quick=True, cities=["application"])


def test_full_is_about_made_up_data():
    visits = ic.Visits.from_arrays([1, 2], [1, 2], [0, 1], slot_min=15)
    for wrong in ({"data": visits}, {"quick": True}):
        with pytest.raises(ic.ParameterError, match="full is about made-up data at the size of the paper"):
            reproduce("song2014", full=True, **wrong)


def test_accuracy_that_falls_and_rises_again_says_where(monkeypatch):
    """With the middle crowd recovered worst, the row names its size."""
    from incrowd.papers.xu2017 import crowds

    scene = cities.made_up(("operator",), quick=True, seed=0)[0]
    real = scene.score
    worse = {25: 0.5, 75: 0.1}

    def attack(truth, *, seed):
        return type(
            "Score", (), {"accuracy": worse[len(truth)], "uniqueness": real.uniqueness, "stages": real.stages}
        )()

    monkeypatch.setattr(crowds, "attack", attack)
    row = next(one for one in figure_11([scene]).statements if one.what.startswith("accuracy among"))
    assert row.verdict == "differs" and row.why.startswith("it falls to 10 % among 75 people and rises again, to ")
    assert xu2017.figure_11 is figure_11

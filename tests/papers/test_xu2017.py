"""The paper's figures on data small enough to check by hand, on a tiny city and on real bikes."""

import json

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.papers import xu2017 as paper
from incrowd.papers.record import WITHIN, save
from incrowd.papers.xu2017.data import (
    CHOSEN,
    CITIES,
    FAR,
    NIGHT,
    WHOLE,
    Printed,
    Scene,
    _city,
    attacked,
    blocks,
    given,
    people,
    slotted_anew,
)
from incrowd.papers.xu2017.factors import pairs
from incrowd.papers.xu2017.moves import near
from incrowd.show import section_of

FACTORS = [f"{figure}{part}" for figure in (9, 10, 11) for part in ("a-night", "a-day", "a-whole", "b-1", "b-2", "b-3")]
EVERY = ["2", "3-data", "4", "5", "6", "7-data", "8a", "8b", "8c", "8d", *FACTORS]


def tiny(profile="operator"):
    city = ic.read.synthetic_city(users=60, towers=300, days=2, profile=profile, seed=1)
    return ic.discretize.towers(city.traces, city.towers, slot_min=30)


@pytest.fixture(scope="module")
def found():
    return paper.reproduce(tiny(), name="a test", quick=True)


@pytest.fixture(scope="module")
def cities(tmp_path_factory):
    from incrowd.papers.xu2017 import data as city_data

    saved = (city_data.QUICK_USERS, city_data.QUICK_TOWERS)
    city_data.QUICK_USERS, city_data.QUICK_TOWERS = 60, 600
    try:
        return paper.reproduce(quick=True)
    finally:
        city_data.QUICK_USERS, city_data.QUICK_TOWERS = saved


def test_every_figure_has_its_number_people_and_words(found):
    panels = [panel for figure in found.figures for panel in figure.panels]
    assert [figure.number for figure in found.figures] == ["Tables 1 and 2 and Figure 1", *map(str, range(2, 12))]
    assert [panel.name for panel in panels] == EVERY
    assert all("n = " in panel.caption for panel in panels)
    assert (found.users, found.name, found.paper) == (60, "a test", "xu2017")
    assert all(figure.statements and figure.convention for figure in found.figures)
    assert all(section_of(figure).panels for figure in found.figures[1:])


def test_the_tables_of_the_data_are_beside_theirs(found, cities):
    said = {one.what: one for one in found.figures[0].statements}
    assert (said["people, operator dataset"].theirs, said["people, operator dataset"].ours) == ("100,000", "60")
    assert said["records per person, application dataset"].theirs == "496" and len(said) == 8
    each = [one.what for one in cities.figures[0].statements if one.where == "Table 2"]
    assert "people (operator)" in each and "days (application)" in each and not any("calm" in what for what in each)
    aside = {one.where: one.verdict for one in cities.figures[0].statements if one.where != "Table 2"}
    assert aside == {"Table 1": "cannot be compared", "Fig. 1": "cannot be compared"}


@pytest.mark.parametrize("which", ["found", "cities"])
def test_every_statement_has_a_verdict_and_its_reason(which, request):
    said = request.getfixturevalue(which).statements
    assert {one.verdict for one in said} == {"agrees", "differs", "cannot be compared"}
    assert all(bool(one.why) == (one.verdict != "agrees") or one.why == WITHIN for one in said)
    assert all(one.where and one.what and one.theirs and one.ours for one in said)


def test_cities_are_all_shown(cities):
    names = {panel.name for figure in cities.figures for panel in figure.panels}
    assert {f"3-{city}" for city in CITIES} | {f"7-{city}" for city in CITIES} <= names
    eight = next(figure for figure in cities.figures if figure.number == "8")
    assert [line.label for line in eight.panels[0].lines] == [*CITIES, "paper: operator", "paper: application"]
    assert cities.users == 240


def test_a_city_picked_by_the_attack_is_not_judged_by_it(cities):
    calm = [one for one in cities.statements if one.what.endswith("-calm)") and "recovered (#" in one.what]
    assert len(calm) == 4 and all(one.verdict == "cannot be compared" and one.why == CHOSEN for one in calm)


def test_accuracy_and_mobility_do_not_go_together(cities):
    both = [one for one in cities.statements if "together" in one.what and one.where == "Figs. 6, 8a"]
    assert len(both) == len(CITIES)
    assert {one.verdict for one in both if "operator" in one.what} == {"differs"}


def test_contradictions_of_the_paper_are_said(found):
    said = {one.what: one for one in found.statements if "contradicts" in one.why or "must come" in one.why}
    assert said["all people recovered"].theirs == "73 %, around 50 %"
    assert said["unique by Top-2 of 80 districts, 100,000 people"].ours == "at most 3.2 %"


def test_files_hold_what_is_drawn(found, tmp_path):
    folder = save(found, tmp_path / "figures")
    names = {path.name for path in folder.iterdir()}
    files = {f"figure-{name}.{kind}" for name in EVERY for kind in ("json", "svg")}
    assert names == files | {"report.html", "statements.json"}
    drawn = json.loads((folder / "figure-8a.json").read_text())
    assert drawn["lines"][0]["label"] == "a test" and len(drawn["lines"][0]["y"]) == 3


def test_same_seed_same_result(found):
    again = paper.reproduce(tiny(), name="a test", quick=True)
    assert again.statements == found.statements


def test_numbers_are_those_of_the_public_calls(found):
    visits = ic.discretize.filled(tiny())
    recovered = ic.attack.recover(ic.discretize.counts(visits, start_min=0), seed=0)
    score = ic.attack.recovery_score(recovered, visits)
    eight = next(figure for figure in found.figures if figure.number == "8")
    np.testing.assert_allclose(eight.panels[0].lines[0].y, list(score.stages.values()))
    assert eight.panels[3].lines[0].y == (score.accuracy,)
    for figure in found.figures[-3:]:
        whole = {panel.name: panel for panel in figure.panels}[f"{figure.number}a-whole"]
        assert score.accuracy in whole.lines[0].y


def test_the_most_frequent_cell_wins_and_ties_go_to_the_lowest():
    half = ic.Visits.from_arrays([7] * 6 + [8], [5, 3, 3, 9, 4, 6, 1], [0, 1, 2, 3, 4, 5, 5], slot_min=30)
    anew = slotted_anew(half, 90)
    assert anew.slot_min == 90 and anew.cell.tolist() == [3, 4, 1] and anew.slot.tolist() == [0, 1, 1]
    assert anew.offsets.tolist() == [0, 2, 3]


def test_slots_as_they_are_stay():
    visits = tiny()
    same = slotted_anew(visits, 30)
    np.testing.assert_array_equal(same.cell, visits.cell)
    np.testing.assert_array_equal(same.slot, visits.slot)


def test_a_city_is_slotted_from_its_records():
    scene = _city("operator", 30, 100, 2, 0)
    city = ic.read.synthetic_city(users=30, towers=100, days=2, profile="operator", seed=0)
    for slot_min in (30, 90, 180):
        expected = ic.discretize.towers(city.traces, city.towers, slot_min=slot_min, fill="interpolate")
        np.testing.assert_array_equal(ic.discretize.filled(scene.slotted(slot_min)).cell, expected.cell)
    assert (scene.kind, scene.calm, scene.days, scene.tag) == ("operator", False, 2, "operator")


def test_slots_with_a_record_are_told_from_interpolated_ones():
    line = [[0, 0], [1000, 0], [2000, 0]]
    visits = ic.Visits.from_arrays([1, 1, 2], [0, 2, 1], [0, 2, 3], xy=line, slot_min=360)
    scene = given(visits, name="two", quick=False, seed=0)
    assert scene.observed.tolist() == [[True, False, True, False], [False, False, False, True]]
    assert scene.truth.cell.tolist() == [0, 1, 2, 2, 1, 1, 1, 1]


def test_quick_takes_the_first_two_days_and_few_people():
    day = ic.Visits.from_arrays([1, 1, 2], [0, 1, 1], [0, 5, 9], xy=[[0, 0], [1, 1]], slot_min=360)
    scene = given(day, name="three days", quick=True, seed=0)
    assert scene.records.slot.tolist() == [0, 5] and scene.users == 1 and scene.days == 2


def test_quick_draws_people_of_the_busiest_days(monkeypatch):
    """Three people on days 7 and 8 among hundreds seen once on days of their own."""
    monkeypatch.setattr("incrowd.papers.xu2017.data.QUICK_USERS", 3)
    lonely = np.arange(100)
    user, slot = np.append(lonely, [900, 901, 902, 900]), np.append(4 * (10 + lonely), [28, 29, 35, 33])
    visits = ic.Visits.from_arrays(user, np.zeros(104, int), slot, xy=[[0, 0]], slot_min=360)
    scene = given(visits, name="busy", quick=True, seed=0)
    assert scene.records.users.tolist() == [900, 901, 902] and scene.records.slot.tolist() == [0, 5, 1, 7]
    assert (scene.users, scene.days) == (3, 2)
    assert scene.records.ledger.steps[-1].dropped == {"other days": 100}


def test_slots_that_do_not_divide_the_night_are_refused():
    odd = ic.Visits.from_arrays([1], [0], [0], xy=[[0, 0]], slot_min=50)
    with pytest.raises(ic.DataError, match="divides 6 hours"):
        paper.reproduce(odd)


@settings(deadline=None, max_examples=30)
@drawn(st.integers(1, 60), st.floats(0.5, 30), st.integers(0, 9))
def test_regions_are_about_as_large_as_asked(places, size, seed):
    xy = np.random.default_rng(seed).random((places, 2))
    count = np.bincount(blocks(xy, size))
    assert count.min() >= 1 and count.max() <= max(1.5 * size, 1)
    assert len(count) == 1 or count.min() >= np.floor(0.75 * size / 1.5)


def test_regions_are_cut_across_the_longer_side():
    xy = np.array([[0, 0], [0, 9], [100, 0], [100, 9]])
    assert blocks(xy, 2).tolist() == [0, 0, 1, 1]
    assert blocks(xy[:, ::-1], 2).tolist() == [0, 0, 1, 1]


def test_errors_that_are_not_known_do_not_count():
    assert near(np.array([np.nan, 0, 999, 1000]), 1000) == pytest.approx(2 / 3)
    assert np.isnan(near(np.array([np.nan]), 1000))


def test_printed_numbers_stand_beside_their_own_dataset():
    both = Printed(0.2, 0.8)
    assert both.beside("operator") == (0.2, 0.2) and both.beside(None) == (0.2, 0.8)
    assert Printed(0.2, None).beside("application") is None
    city = given(tiny(), name="x", quick=False, seed=0)
    assert people(city, "Sec. 1", "a share", both, 0.5)[0].verdict == "agrees"
    assert attacked(city, "Sec. 1", "a share", both, 0.9)[0].verdict == "differs"


def test_why_an_error_is_larger_is_not_that_people_are_few():
    city = _city("operator", 30, 100, 2, 0)
    (far,) = attacked(city, "Sec. 5.2", "far", FAR, 0.9, good=False)
    (whole,) = attacked(city, "Sec. 5.2", "whole", WHOLE, 0.1)
    (night,) = attacked(city, "Sec. 5.2", "night", Printed(0.5, 0.5), 0.99)
    assert far.why == whole.why and "move less" in far.why
    assert "30 people instead of 100,000" in night.why
    assert attacked(city, "Sec. 5.2", "night", NIGHT, 0.95)[0].verdict == "agrees"


def test_sets_of_one_or_two_places():
    assert [pairs(n) for n in (1, 2, 80)] == [1, 3, 3240]


def test_scenes_know_nothing_of_people_in_their_repr():
    assert isinstance(given(tiny(), name="x", quick=False, seed=0), Scene)
    assert "cell" not in repr(given(tiny(), name="x", quick=False, seed=0))


@pytest.mark.real
def test_bay_area_bikes(shared_data):
    import pyarrow.parquet as pq

    bikes = pq.read_table(shared_data / "bayarea_bikes_slots30m.parquet").to_pandas()
    stations = pq.read_table(shared_data / "bayarea_stations_2014.parquet").to_pandas().set_index("station")
    used = np.unique(bikes.station)
    lat, lon = (np.radians(stations.loc[used, name].to_numpy()) for name in ("lat", "lon"))
    xy = 6_371_000 * np.stack([(lon - lon[0]) * np.cos(lat[0]), lat - lat[0]], axis=1)
    week = bikes[bikes.d < 7]
    visits = ic.Visits.from_arrays(
        week.uid, np.searchsorted(used, week.station), week.d * 48 + week.t, xy=xy, slot_min=30
    )
    found = paper.reproduce(visits, name="shared bikes, objects and not people")
    assert (found.users, found.records) == (531, 531 * 336)
    eight = next(figure for figure in found.figures if figure.number == "8")
    night, day, whole = eight.panels[0].lines[0].y
    assert night > day > whole > 0.05
    assert all(bool(one.why) == (one.verdict != "agrees") or one.why == WITHIN for one in found.statements)


def test_where_most_is_lost_is_said(cities):
    said = {one.what: one for one in cities.statements if one.what.startswith("accuracy from step")}
    assert "wrong speed" in said["accuracy from step to step (operator)"].why

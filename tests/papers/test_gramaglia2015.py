"""The paper's figures on data small enough to check by hand, and on a made-up country."""

import json
from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from boxes import boxes, prints
from incrowd.anonymize.glove import Glove
from incrowd.data.table import some_people
from incrowd.measure import Tails
from incrowd.papers import gramaglia2015 as paper
from incrowd.papers.gramaglia2015.accuracy import _coarser, suppressed
from incrowd.papers.gramaglia2015.cost import bearers, without_worst
from incrowd.papers.gramaglia2015.data import days_of, first_days, generalized
from incrowd.papers.record import OTHER, WITHIN, claim, share, size, thin
from incrowd.show import section_of

FOUR = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")
EVERY = ["3a", "3b", "4", "5a", "5b", "5b-share", "7-space", "7-time", "8-space", "8-time", "9-space", "9-time"]
EVERY += ["10-space", "10-time", "11-space", "11-time"]


@pytest.fixture(scope="module")
def country():
    return ic.read.synthetic_city(users=120, towers=40, days=14, profile="cdr").fingerprints()


@pytest.fixture(scope="module")
def found(country):
    return paper.reproduce(country, name="a test", quick=True)


def test_every_figure_has_its_number_people_and_words(found, country):
    panels = [panel for figure in found.figures for panel in figure.panels]
    assert [panel.name for panel in panels] == EVERY
    assert all("n = " in panel.caption and "k = " in panel.caption for panel in panels)
    assert (found.users, found.records) == (120, country.records)
    assert all(figure.statements and figure.convention for figure in found.figures)


def test_every_statement_has_a_verdict_and_its_reason(found):
    assert {said.verdict for said in found.statements} == {"agrees", "differs", "cannot be compared"}
    assert all(bool(said.why) == (said.verdict != "agrees") or said.why == WITHIN for said in found.statements)
    known = {said.what: said.verdict for said in found.statements}
    assert known["tail weight of an exponential"] == known["tail weight of a Pareto of shape 1"] == "agrees"
    assert known["a 2-gap of 0.17 in space and time"] == "cannot be compared"
    assert known["people who are 2-anonymous already"] == "agrees"


def test_what_explains_is_named_and_not_judged(found):
    said = {one.where: one for one in found.figures[0].statements if one.verdict == "cannot be compared"}
    assert list(said) == ["Sec. 3", "Table 1", "Fig. 1", "Fig. 2", "Fig. 6"] and said["Sec. 3"].ours == "120"
    days = next(one for one in found.figures[0].statements if "days" in one.what)
    assert (days.theirs, days.ours, days.verdict) == ("14", "14", "agrees")


def test_files_hold_what_is_drawn(found, tmp_path):
    folder = paper.save(found, tmp_path / "figures")
    names = {path.name for path in folder.iterdir()}
    files = {f"figure-{name}.{kind}" for name in EVERY for kind in ("json", "svg")}
    others = {"hiding-cost.json", "hiding-cost-1.svg", "shard-cost.json", "table2.json"}
    assert names - {"shard-cost-1.svg"} == files | others | {"report.html", "statements.json"}
    drawn = json.loads((folder / "figure-3a.json").read_text())
    assert drawn["curves"][0]["n"] == 120 and len(drawn["curves"][0]["value"]) == 101
    page = (folder / "report.html").read_text()
    assert page.count("<svg") == len(EVERY) + 1 and "How much detail does hiding everybody cost, and whose?" in page


def test_half_is_a_value_of_somebody_and_one_k_is_said_once():
    four = paper.figure_3(prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,4000"))  # 2-gaps 0.0458..., twice, and two larger
    gaps = sorted(ic.measure.kgap(prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,4000")).value)
    assert gaps[1] < gaps[2] and four.answer == f"Half of 4 people have a 2-gap of at most {gaps[1]:.3f}."


def test_gaps_for_several_k_are_those_of_each(country):
    gaps = {gap.k: gap.value for gap in ic.measure.kgaps(country, k=(2, 5, 9))}
    for k, gap in gaps.items():
        np.testing.assert_allclose(gap, ic.measure.kgap(country, k=k).value, rtol=1e-14)


def test_generalized_boxes_are_whole_cells_and_slots():
    one = prints("-100,100,1900,200,59,1; -2000,100,0,100,0,1")
    assert boxes(generalized(one, cell_m=2000, slot_min=60)) == [
        (-2000, 2000, 0, 2000, 0, 60),
        (-2000, 2000, 0, 4000, 0, 60),
    ]
    assert generalized(FOUR, cell_m=100, slot_min=1).records == 4
    assert boxes(generalized(FOUR, cell_m=100, slot_min=1), 2) == boxes(FOUR, 2)


def test_a_coarse_grid_makes_twins():
    coarse = paper.figure_4(FOUR, grains=((100, 1), (20_000, 480)))
    assert [one.at(1.0) for one in coarse.panels[0].curves] == [0.375, 0]
    assert [said.verdict for said in coarse.statements] == ["cannot be compared", "differs"]
    assert coarse.statements[1].ours == "100 %"


def test_first_days_begin_at_midnight_and_drop_whoever_is_absent():
    late = prints("0,0,1000; 0,0,1500 | 0,0,4000")  # day 0 and 1; day 2
    assert days_of(late) == 3
    assert [first_days(late, days=d).records for d in (1, 2, 3)] == [1, 2, 3]
    assert [len(first_days(late, days=d)) for d in (1, 2, 3)] == [1, 1, 2]


def test_days_are_counted_from_the_first():
    later = prints("0,0,8000; 0,0,9000 | 0,0,8100")  # day 5 and 6
    assert (days_of(later), first_days(later, days=1).records) == (2, 2)


def test_smaller_crowds_come_from_larger_ones(country):
    few, more = (set(some_people(country, people=n, seed=3).users.tolist()) for n in (10, 40))
    assert len(few) == 10 and few < more
    every = some_people(country, people=500, seed=0)
    assert (every.users == country.users).all() and (every.t == country.t).all()


def test_effort_of_a_sample_is_what_its_box_grew():
    # Groups {0, 1} of 41 min and {2, 3} of 1100 m and 381 min; of one sample each.
    run = paper.hide(FOUR, k=2)
    assert run.effort.tolist() == pytest.approx([40 / 960, 40 / 960, 1 / 40 + 380 / 960, 1 / 40 + 380 / 960])
    assert bearers(run.effort) == 2 and bearers(np.zeros(3)) == 0


def test_hiding_costs_less_without_the_worst_half():
    price = paper.hiding_cost([paper.hide(FOUR, k=2)], worst=(0.5,)).prices[0]
    none, half = price.savings
    assert (none.mean_m, none.mean_min, none.deleted, none.people) == (600, 211, 0, 0)
    assert (half.mean_m, half.mean_min, half.deleted, half.people) == (100, 41, 0.5, 2)
    assert price.fine == 0.5 and price.half == 2


@pytest.mark.parametrize("part", [0.01, 0.05, 0.1, 0.3])
def test_limits_do_as_options_what_the_table_says(country, part):
    saving = without_worst(paper.hide(country, k=2), part)
    limits = {"max_extent_m": saving.max_extent_m, "max_extent_min": saving.max_extent_min}
    real = ic.measure.accuracy(Glove(k=2, **limits)(country), country)
    assert 0 < real.deleted_share == pytest.approx(saving.deleted) and saving.deleted <= part + 1e-12
    assert (real.mean["pos_extent"], real.median["time_extent"]) == pytest.approx((saving.mean_m, saving.median_min))


def test_the_cost_is_told_in_a_sentence_and_two_tables(found):
    shown = section_of(found.others[0])
    assert "k = 2: " in shown.answer and "k = 5: " in shown.answer and "worst 10 %" in shown.answer
    people, suppression = shown.tables
    assert len(people.rows) == 3 and len(suppression.rows) == 15
    assert all(len(row) == len(grid.head) for grid in shown.tables for row in grid.rows)


def test_figure_9_suppresses_as_glove_does(country):
    drawn = paper.figure_9([paper.hide(country, k=2)], limits_m=(15_000,), limits_min=(360,))
    real = ic.measure.accuracy(Glove(k=2, max_extent_m=15_000, max_extent_min=360)(country), country)
    space, _ = drawn.panels
    mean = space.lines[0]
    assert mean.tags == ("no limit", "15 km")
    assert (mean.x[1], mean.y[1]) == pytest.approx((real.deleted_share, real.mean["pos_extent"] / 1000))


def test_thresholds_are_strict():
    found = paper.hide(FOUR, k=2).accuracy
    assert suppressed(found, 1100, 381).all()
    assert suppressed(found, 1099, 381).tolist() == suppressed(found, 1100, 380).tolist() == [True, True, False, False]


def test_figures_7_and_8_count_what_is_known_well_enough():
    runs = [paper.hide(FOUR, k=k) for k in (2, 3)]
    words = "50 % of the samples keep their place, 100 % are known to 2 km or better and 50 % to 2 hours or better."
    assert paper.figure_7(runs[0]).answer == words
    assert [said.ours for said in paper.figure_8(runs).statements] == ["0 %", "100 %", "0 %"]  # all in one box


def test_coarser_is_the_second_over_the_first():
    assert _coarser(paper.hide(FOUR, k=2), paper.hide(FOUR, k=3)) == pytest.approx((1100 / 600, 401 / 211))


def test_an_expensive_person_costs_over_twice_the_median():
    run = replace(paper.hide(FOUR, k=2), effort=np.array([0.1, 0.1, 0.2, 0.4]))
    assert paper.hiding_cost([run]).prices[0].expensive == 1  # twice the median is 0.3


def test_figure_5_counts_tails_and_temporal_parts(monkeypatch):
    nan, inf = np.nan, np.inf
    columns = {"space": [1, 1, 1.5, nan], "time": [2, 2, inf, 1], "delta": [1, 1, 1, 1], "ratio": [inf, 9, 4, 1]}
    given = Tails(k=2, users=4, share=np.array([1, 0.9, 0.8, 0.5]), **{k: np.array(v) for k, v in columns.items()})
    monkeypatch.setattr("incrowd.papers.gramaglia2015.tails", lambda *_, **__: given)
    assert [said.ours for said in paper.figure_5(FOUR).statements[:5]] == ["67 %", "75 %", "75 %", "75 %", "25 %"]


def test_figure_5_without_a_tail_or_any_effort_has_no_missing_number():
    alike = paper.figure_5(prints("0,0,0 | 0,0,0"))
    assert alike.answer == "Nobody takes any effort to match, as all look alike already; no tail is defined."
    assert not any("nan" in said.ours + said.why for said in alike.statements)
    assert "nan" not in paper.figure_5(FOUR).answer


def test_verdicts():
    assert share("", "", (0.2, 0.4), 0.46, "thin").verdict == "differs"
    assert share("", "", (0.2, 0.4), 0.16, "thin").verdict == "agrees"
    assert share("", "", (0.2, 0.4), 0.14, "thin").verdict == "differs"
    assert share("", "", (0.2, 0.2), float("nan"), "thin").verdict == "cannot be compared"
    assert [size("", "", 2, own, "m", "thin").verdict for own in (1.3, 1.4, 3, 3.1)] == [
        "differs",
        "agrees",
        "agrees",
        "differs",
    ]
    assert claim("", "", "a", "b", holds=True, why="thin").why == ""


def test_a_thin_crowd_explains_only_what_is_worse():
    assert "a thin crowd hides worse" in thin(300, worse=True) and thin(300, worse=False) == OTHER
    assert thin(20_000, worse=True) == OTHER
    run = paper.hide(FOUR, k=2)
    said = {s.what: s for s in paper.figure_7(run).statements}
    assert said["samples known to 2 km, k = 2"].why == OTHER  # 100 % instead of 70 to 80 %
    assert "thin crowd" in said["samples known to 2 h, k = 2"].why  # 50 %


def test_no_fall_is_no_agreement():
    # Everything is within 1.1 km before and after the limits: nothing falls from 5 km.
    run = paper.hide(FOUR, k=2)
    short = replace(run.accuracy, time_extent=np.minimum(run.accuracy.time_extent, 100))
    said = paper.figure_9([replace(run, accuracy=short)], limits_m=(5000,), limits_min=(120,)).statements[0]
    assert said.ours == "0.6 km to 0.6 km, 0.0 % gone" and said.verdict == "differs" and said.why == OTHER
    wide = np.repeat([400, 80_000], [95, 5])
    fallen = replace(short, pos_extent=wide, time_extent=np.full(100, 30))
    said = paper.figure_9([replace(run, accuracy=fallen)], limits_m=(5000,), limits_min=(120,)).statements[0]
    assert said.ours == "4.4 km to 0.4 km, 5.0 % gone" and said.verdict == "agrees"


def test_two_people_are_enough():
    tiny = paper.reproduce(prints("0,0,0; 0,0,30; 1000,0,600 | 0,0,10; 1000,0,620"), quick=True)
    assert tiny.users == 2 and [price.k for price in tiny.others[0].prices] == [2]
    assert [(cell.data, cell.k, cell.method) for cell in tiny.others[2].cells] == [
        ("the data", 2, "W4M-LC"),
        ("the data", 2, "GLOVE"),
    ]
    known = {said.what: said for said in tiny.statements}
    assert known["one day instead of two weeks"].why == "the data span 1 days, 1 at the least"


def test_one_person_is_refused():
    with pytest.raises(ic.ParameterError, match="at least 2 people, and there are 1"):
        paper.reproduce(prints("0,0,0"))


@pytest.mark.slow
def test_the_default_country():
    found = paper.reproduce()
    assert found.users == 4000 and found.name == "synthetic countries"
    known = {said.what: said.verdict for said in found.statements}
    agreed = ("people with more temporal than spatial effort", "2-gap of 80 % of people, at most (d4d-sen)")
    assert all(known[f"{what} [one country]"] == "agrees" for what in agreed)

import math
import re

import numpy as np
import pytest

import incrowd as ic
from boxes import prints
from incrowd.anonymize.glove import Glove
from incrowd.measure import Tails, accuracy
from incrowd.report import glove  # noqa: F401  registers its sections
from incrowd.report.curves import Cdf, curve, drawing, trend
from incrowd.report.section import section

FOUR = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")  # gaps 1/24, 1/24, 11/240, 3/8


def test_a_gap_is_told_with_its_people():
    shown = section(ic.measure.kgap(FOUR, k=2))
    assert shown.answer.startswith("0 of 4 people look like another already; half have a 2-gap of at most 0.042")
    assert "the hardest to hide 0.375" in shown.answer and shown.number == "0.042"
    assert "n = 4 people, k = 2" in shown.drawings[0].caption
    assert shown.tables[0].rows[0] == ("k-gap", "0.04167", "0.04167", "0.04167", "0.04583", "0.375", "0.375")


def test_twins_look_alike():
    shown = section(ic.measure.kgap(prints("0,0,0 | 0,0,0 | 100,0,0")))
    assert shown.answer.startswith("2 of 3 people look like another already")


def test_tails_are_drawn_thrice_and_say_where_they_are_defined():
    shown = section(ic.measure.tails(prints("0,0,0; 0,0,30; 1000,0,600 | 0,0,10; 1000,0,620")))
    assert len(shown.drawings) == 3 and all("n = 2 people, k = 2" in drawn.caption for drawn in shown.drawings)
    # All stretches are temporal: 10, 20, 20 minutes; the spatial ones are 0 and have no tail.
    assert "defined for 0 both, 0 space, 0 time" in shown.drawings[0].caption
    assert "time makes up 100% of the effort or more" in shown.answer
    assert {row[0]: row[3] for row in shown.tables[0].rows}["temporal over spatial"] == "infinite"


def test_heavy_tails_are_counted_without_the_undefined():
    weights = {name: np.array([1.4, 1.5, math.inf, math.nan]) for name in ("delta", "space")}
    time = {"time": np.array([1.0, 1.0, 2.0, 1.0]), "ratio": np.ones(4), "share": np.full(4, 0.5)}
    shown = section(Tails(k=3, users=4, **weights, **time))
    assert shown.answer.startswith(
        "2 of 4 people have a heavy tail of samples that are hard to match in space and time together, 1 in time "
        "alone, 2 in space alone"
    )
    assert shown.number == "50%" and shown.number_of.endswith("space and time together")
    assert "k = 3" in shown.drawings[0].caption


def test_accuracy_counts_what_is_missing_and_how_coarse_the_rest_is():
    kept = section(ic.measure.accuracy(Glove(k=2)(FOUR), FOUR))
    assert "0.0% of 4 samples and 0.0% of 4 people are missing" in kept.answer
    assert "on average to 600 m and 211 min" in kept.answer
    assert all("n = 4 samples of 4 people, k = 2, boxes before reshaping" in drawn.caption for drawn in kept.drawings)
    assert kept.tables[0].rows[4] == ("position, between centres (m)", "250.0", "250.0")
    half = section(ic.measure.accuracy(Glove(k=2, max_extent_min=360)(FOUR), FOUR))
    assert "50.0% of 4 samples and 50.0% of 4 people are missing" in half.answer
    assert "n = 2 samples of 4 people" in half.drawings[0].caption


def test_nothing_left_is_said():
    shown = section(ic.measure.accuracy(Glove(k=2, max_extent_min=1)(FOUR), FOUR))
    assert shown.answer.endswith("nothing survives.") and shown.drawings == [] and shown.number == "-"


def test_a_page_of_all_three_names_nobody(tmp_path):
    crowd = ic.read.synthetic_city(users=30, towers=10, days=2, profile="cdr").fingerprints()
    gap, tail = ic.measure.kgap(crowd), ic.measure.tails(crowd)
    page = ic.report.write(tmp_path / "r.html", gap, tail, ic.measure.accuracy(Glove()(crowd), crowd)).read_text()
    assert page.count("<svg") == page.count('role="img"') == 6
    assert "neighbours" not in page  # per-person columns stay out
    numbers = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert all("NaN" not in block and "Infinity" not in block for block in numbers)


def test_a_curve_is_the_distribution_without_interpolation():
    one = curve("x", [3, 1, 2, math.nan, math.inf])
    assert (one.n, one.value[0], one.at(0.25), one.at(0.26), one.at(0.75), one.at(1.0)) == (4, 1, 1, 2, 3, math.inf)
    assert curve("none", [math.nan]).value == () and math.isnan(curve("none", []).at(0.5))


def test_a_line_of_few_says_that_it_shows_everybody():
    curves = [curve("k", np.arange(float(n))) for n in (101, 102)]
    assert [len(set(one.value)) for one in curves] == [101, 101]
    captions = [drawing(Cdf("x", "gap", "people", (one,), "c")).caption for one in curves]
    assert captions == ["c A line of 101 people or fewer shows the value of each.", "c"]


def test_a_trend_has_mean_median_and_quartiles():
    said = {"name": "t", "x": "days", "y": "km", "caption": "c", "at": (1.0, 2.0)}
    made = trend([np.array([0, 0, 0, 8]), np.array([1])], **said)
    assert (made.mean, made.median, made.quartiles) == ((2, 1), (0, 1), ((0, 2), (1, 1)))
    assert "1: mean 2, median 0; 2: mean 1, median 1" in drawing(made).alt


@pytest.mark.parametrize("log", [False, True])
def test_empty_endless_and_zero_values_can_be_drawn(log):
    panel = Cdf(
        "x", "weight", "people", (curve("none", []), curve("all", [0.0, math.inf]), curve("some", [1, 2])), "c", log
    )
    assert drawing(panel).svg.startswith("<svg") and "some: median 1" in drawing(panel).alt


def test_the_crowd_is_named_where_the_release_claims_one():
    data = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")
    made = section(accuracy(Glove(k=2)(data), data))
    assert made.question == "How coarse have the data become to hide everybody among 2?"
    assert "k = 2, boxes before reshaping" in made.drawings[0].caption and made.data["k"] == 2


def test_where_all_look_alike_no_number_is_missing_from_the_sentence():
    alike = ic.Fingerprints.from_arrays(["a", "b"], x=[0, 0], y=[0, 0], t=[0, 0])
    answer = section(ic.measure.tails(alike)).answer
    assert "nan" not in answer and answer.endswith("as all look alike already.")


def test_pieces_of_a_split_are_not_said_to_hold_everybody():
    for reshape, said in ((None, "everybody behind it"), ("union", "everybody behind it"), ("split", "a single piece")):
        release = Glove(k=2, reshape=reshape)(FOUR)
        found = accuracy(release, FOUR)
        assert found.reshape == reshape and said in section(found).method[1]

import math
import re

import numpy as np

import incrowd as ic
from boxes import prints
from incrowd.anonymize.glove import Glove
from incrowd.measure import Tails, accuracy
from incrowd.measure.glove.accuracy import extents
from incrowd.show import section_of

FOUR = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")  # gaps 1/24, 1/24, 11/240, 3/8


def test_a_gap_is_presented_with_its_people():
    shown = section_of(ic.measure.kgap(FOUR, k=2))
    assert shown.question.startswith("How much blurring until everyone looks like one other person? (0: none, 1: 20 km")
    assert shown.answer.startswith("0.0 % (0 of 4 people) look like one other person without any blurring; half need")
    assert (
        "at most 0.042 on a scale from 0 (none) to 1 (20 km and 8 h), and the one hardest" in shown.answer
        and shown.number == "0.042"
    )
    assert "n = 4 people, k = 2" in shown.panels[0].caption
    assert shown.tables[0].rows[0] == ("2", "0", "0.04167", "0.04167", "0.04167", "0.04583", "0.375", "0.375")


def test_twins_look_alike():
    shown = section_of(ic.measure.kgap(prints("0,0,0 | 0,0,0 | 100,0,0")))
    assert shown.answer.startswith("66.7 % (2 of 3 people) look like one other person")


def test_gaps_of_several_k_are_rows_of_one_table():
    gaps = ic.measure.kgaps(FOUR, k=[2, 4])
    shown = section_of(gaps)
    assert "looks like 1 or 3 other people?" in shown.question and shown.options == "k = 2, 4; 4 people; on the CPU"
    assert [row[:2] for row in shown.tables[0].rows] == [("2", "0"), ("4", "0")]
    assert [curve.label for curve in shown.panel("k-gap").curves] == ["k = 2", "k = 4"]


def test_groups_are_called_groups():
    groups = ic.measure.kgap(prints("0,0,0 | 0,0,40 | 900,0,40", crowd=5)).section()
    assert groups.answer.startswith("0.0 % (0 of 3 groups)") and "3 groups of 15 people" in groups.options


def test_tails_are_drawn_thrice_and_say_where_they_are_defined():
    shown = section_of(ic.measure.tails(prints("0,0,0; 0,0,30; 1000,0,600 | 0,0,10; 1000,0,620")))
    assert len(shown.panels) == 3 and all("n = 2 people, k = 2" in panel.caption for panel in shown.panels)
    # All stretches are temporal: 10, 20, 20 minutes; the spatial ones are 0 and have no tail.
    assert "defined for 0 both, 0 space, 0 time" in shown.panels[0].caption
    assert "time makes up 100 % of the blurring or more" in shown.answer
    assert {row[0]: row[4] for row in shown.tables[0].rows}["temporal over spatial"] == "unbounded"


def test_heavy_tails_are_counted_without_the_undefined():
    weights = {name: np.array([1.4, 1.5, math.inf, math.nan]) for name in ("delta", "space")}
    time = {"time": np.array([1.0, 1.0, 2.0, 1.0]), "ratio": np.ones(4), "share": np.full(4, 0.5)}
    shown = section_of(Tails(k=3, users=4, **weights, **time))
    assert shown.answer.startswith("50.0 % (2 of 4 people) have a heavy tail: a few samples that are much harder to")
    assert "In time alone it is 25.0 % (1 of 4 people), in space alone 50.0 % (2 of 4 people)." in shown.answer
    assert shown.number == "50 %" and shown.number_of.endswith("space and time together")
    assert "k = 3" in shown.panels[0].caption


def test_accuracy_counts_what_is_missing_and_how_coarse_the_rest_is():
    kept = section_of(ic.measure.accuracy(Glove(k=2)(FOUR), FOUR))
    assert "0.0 % (0 of 4 samples) and 0.0 % (0 of 4 people) are missing" in kept.answer
    assert "on average to 600 m and 211 min" in kept.answer
    assert all("n = 4 samples of 4 people, k = 2, boxes before reshaping" in panel.caption for panel in kept.panels)
    assert kept.tables[0].rows[4] == ("position, between centres (m)", "250.0", "250.0")
    half = section_of(ic.measure.accuracy(Glove(k=2, max_extent_min=360)(FOUR), FOUR))
    assert "50.0 % (2 of 4 samples) and 50.0 % (2 of 4 people) are missing" in half.answer
    assert "n = 2 samples of 4 people" in half.panels[0].caption


def test_nothing_left_is_said():
    shown = section_of(ic.measure.accuracy(Glove(k=2, max_extent_min=1)(FOUR), FOUR))
    assert shown.answer.endswith("nothing remains.") and shown.panels == () and shown.number == "-"


def test_a_page_of_all_three_names_nobody(tmp_path):
    crowd = ic.read.synthetic_city(users=30, towers=10, days=2, profile="cdr").fingerprints()
    gap, tail = ic.measure.kgap(crowd), ic.measure.tails(crowd)
    page = ic.report.write(tmp_path / "r.html", gap, tail, ic.measure.accuracy(Glove()(crowd), crowd)).read_text()
    assert page.count("<svg") == page.count('role="img"') == 6
    assert "neighbours" not in page  # per-person columns stay out
    numbers = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert all("NaN" not in block and "Infinity" not in block for block in numbers)


def test_the_crowd_is_named_where_the_release_claims_one():
    data = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")
    made = section_of(accuracy(Glove(k=2)(data), data))
    assert made.question == "How coarse did the data become to hide everyone among 2 people?"
    assert "k = 2, boxes before reshaping" in made.panels[0].caption and made.data["k"] == 2


def test_where_all_look_alike_no_number_is_missing_from_the_sentence():
    alike = ic.Fingerprints.from_arrays(["a", "b"], x=[0, 0], y=[0, 0], t=[0, 0])
    answer = section_of(ic.measure.tails(alike)).answer
    assert "nan" not in answer and answer.endswith("because all look alike already.")


def test_pieces_of_a_split_are_not_said_to_hold_everybody():
    for reshape, said in ((None, "everybody behind it"), ("union", "everybody behind it"), ("split", "a single piece")):
        release = Glove(k=2, reshape=reshape)(FOUR)
        found = accuracy(release, FOUR)
        assert found.reshape == reshape and said in section_of(found).method[1]


def test_extents_of_published_boxes_and_what_is_missing():
    release = Glove(k=2, max_extent_min=360)(FOUR)
    shown = extents(release.data, release.ledger).section()
    assert shown.answer == (
        "2 people in 1 group; half of the boxes are known to 100 m and 41 min or better. 50.0 % (2 of 4 "
        "samples) and 50.0 % (2 of 4 people) were deleted."
    )
    assert [panel.name for panel in shown.panels] == ["published-space", "published-time"]
    assert "does not say what is missing" in extents(release.data).section().answer


def test_accuracy_of_several_k_has_a_row_each():
    runs = [accuracy(Glove(k=k)(FOUR), FOUR) for k in (2, 4)]
    shown = section_of(runs)
    assert [row[0] for row in shown.tables[0].rows] == ["2", "4"] and shown.tables[0].rows[0][1:3] == ("600", "600")
    assert "known to 600 m and 211 min on average if everyone hides among 2 people" in shown.answer
    assert shown.options == "k = 2, 4, boxes before reshaping; 4 people, 4 samples; on the CPU"
    assert section_of(runs[:1]).question == runs[0].section().question

"""What a release says of itself: how much of the original is in it, how fine it is, what is guaranteed."""

import json

import pytest

import incrowd as ic
from boxes import prints
from incrowd.data.release_section import people_left, records_left
from incrowd.plain import to_json


def lkc_release():
    """Three people; person 1 was recorded twice at (5, 0), and that pair is suppressed for everybody."""
    ledger = ic.Ledger().add("grid", read=5, kept=4, dropped={"same cell and slot": 1}, users=(3, 3))
    visits = ic.Visits.from_arrays([1, 1, 2, 3], cell=[5, 6, 5, 6], slot=[0, 1, 0, 1], slot_min=60)
    object.__setattr__(visits, "ledger", ledger)
    return ic.anonymize.LKC(l=2, k=2)(visits)


def test_people_without_rows_are_not_in_the_release():
    release = lkc_release()
    assert people_left(release) == (2, 3)
    assert records_left(release) == pytest.approx(0.5)  # two of four visits; the merged record goes with its visit
    answer = release.section().answer
    assert answer.startswith("2 visits are published under 3 fresh pseudonyms. 66.7 % (2 of 3 people) and 50.0 % of 5 ")
    assert "No time is finer than 60 min." in answer and "\nGuarantee: LKC-privacy" in answer


def test_boxes_say_how_wide_they_are_and_for_how_many_people():
    release = ic.anonymize.Glove(k=2)(prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400"))
    section = release.section()
    assert section.answer.startswith(
        "2 boxes of 4 people are published under 2 fresh pseudonyms. 100.0 % (4 of 4 people)"
    )
    assert "Half of the boxes are at most 600 m and 211 min wide." in section.answer
    assert "shared by at least 2 people" in section.answer and section.options.startswith("Glove, k = 2, ")
    assert section.number == "2" and [row[0] for row in section.tables[0].rows] == ["given", "glove"]


def test_printing_a_release_names_nobody():
    release = lkc_release()
    assert "Release(" not in str(release) and "Guarantee: " in str(release)
    record = json.loads(to_json(release))
    assert {"members", "provenance", "suppressed"}.isdisjoint(record)
    assert (record["people"], record["people_before"], record["records_before"]) == (2, 3, 5)
    assert record["guarantee"] in release.section().answer


def test_counts_have_no_people():
    counts = ic.Counts.from_arrays([[5, 0], [0, 5]], xy=[[0, 0], [1, 0]])
    section = ic.Release.from_arrays(counts, []).section()
    assert section.answer.startswith("4 counts of people are published, 2 slots of 2 cells.")
    assert (
        "Half of the places are 1 m or less apart and no time is finer than 30 min." in section.answer
        and section.number_of == "counts"
    )


def test_points_are_points():
    traces = ic.Traces.from_arrays([1, 1, 2, 2], [0, 60, 5, 70], x=[0, 900, 0, 3000], y=[0, 0, 0, 0])
    section = ic.anonymize.W4M(k=2, delta_m=1000, trash=0)(traces).section()
    assert "Places are points, and times are given to the second." in section.answer
    assert "(k, delta)-anonymity" in section.answer and section.references == ("abul2010", "gramaglia2015")

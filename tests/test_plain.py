"""Results as small tables, in a terminal and in a notebook."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.plain import brief

VISITS = ic.Visits.from_arrays([0, 0, 0, 1, 1, 2], [1, 2, 3, 1, 2, 3], [0, 1, 2, 0, 1, 2], slot_min=60, start=0)


def results():
    release = ic.anonymize.Cut(window_h=1)(VISITS)
    return {
        "uniqueness": ic.measure.uniqueness(VISITS, points=1),
        "exposure": ic.measure.exposure(VISITS),
        "ledger": release.ledger,
        "verdict": ic.audit.check(release, original=VISITS),
    }


@pytest.mark.parametrize("name", ["uniqueness", "exposure", "ledger", "verdict"])
def test_a_result_is_a_table_in_a_terminal_and_in_a_notebook(name):
    result = results()[name]
    assert len(str(result).splitlines()) > 2
    html = result._repr_html_()
    assert html.startswith("<table>")
    assert html.count("<tr>") == html.count("</tr>") > 2


def test_a_small_table_lines_its_columns_up():
    lines = str(ic.measure.uniqueness(VISITS, points=1)).splitlines()
    assert lines[0] == "Uniqueness"
    assert any(line.split() == ["population", "3"] for line in lines)
    assert any(line.split()[:1] == ["value"] for line in lines)


def test_html_is_escaped():
    ledger = ic.Ledger().add("<b>", read=1, kept=1)
    assert "<b>" not in ledger._repr_html_()


def test_nouns_show_sizes_and_their_ledger_only():
    html = VISITS._repr_html_()
    assert "users=3" in html
    assert "<table>" in html


def test_columns_per_person_are_counted_not_shown():
    assert brief(np.arange(1000)) == "1,000 values"
    assert brief(list(range(100))) == "100 values"
    assert brief((1, 2.5)) == "1, 2.5"
    assert brief(object()) == "object"

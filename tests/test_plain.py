"""Results as small tables, in a terminal and in a notebook."""

import pytest

import incrowd as ic

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
def test_a_result_prints_its_answer_first_in_a_terminal_and_in_a_notebook(name):
    result = results()[name]
    answer = result.section().answer
    assert str(result).splitlines()[0] == answer.splitlines()[0]
    html = result._repr_html_()
    assert html.startswith(f"<p>{answer.splitlines()[0]}")
    assert html.count("<tr>") == html.count("</tr>") > 1


def test_the_second_line_holds_the_settings():
    lines = str(ic.measure.uniqueness(VISITS, points=1)).splitlines()
    assert lines == [
        "0.0 % of people (0 of 3) are identified by 1 known visit drawn at random (95 % interval 0.0 % to 56.1 %).",
        "(random visits; 1 draw for each person, seed 0; drop: people with fewer visits are left out)",
    ]


def test_html_is_escaped():
    ledger = ic.Ledger().add("<b>", read=1, kept=1)
    assert "<b>" not in ledger._repr_html_()


def test_nouns_show_sizes_and_their_ledger_only():
    html = VISITS._repr_html_()
    assert "users=3" in html
    assert "<table>" in html

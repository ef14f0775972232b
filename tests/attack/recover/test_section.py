"""Sections about recovery from counts."""

import re

import numpy as np
import pytest

import incrowd as ic
from incrowd.plain import percent
from incrowd.show import section_of

XY = [[0, 0], [1000, 0], [2000, 0]]


@pytest.fixture(scope="module")
def both():
    rows = np.array([[0, 0, 1, 0] * 2, [1, 1, 1, 1] * 2, [2, 2, 1, 2] * 2])
    user, slot = np.indices(rows.shape).reshape(2, -1)
    visits = ic.Visits.from_arrays(user, rows.ravel(), slot, xy=XY, slot_min=360)
    found = ic.attack.recover(ic.discretize.counts(visits), seed=0)
    return found, ic.attack.recovery_score(found, visits)


def test_costs_are_told_with_their_certificates(both):
    found, _ = both
    shown = section_of(found)
    assert (
        shown.answer.startswith("A trajectory was reconstructed for each of 3 people over 2 days")
        and shown.number == "3"
    )
    rows = shown.tables[0].rows
    assert [row[0] for row in rows] == ["1", "2"] and rows[0][1] == f"{found.costs[0].sum() / 1000:,.3f}"
    assert float(rows[0][3]) == pytest.approx(found.gap, abs=1e-6) and rows[1][4] == "-"
    assert set(shown.data) >= {"method", "costs", "bounds", "gains"} and "cells" not in shown.data


def test_the_shortcut_is_told_by_what_it_costs():
    xy = [[60, 0], [110, 0], [100, 0], [1000, 0]]
    counts = ic.Counts.from_arrays([[1, 1, 0, 0], *[[0, 0, 1, 1]] * 3], xy, slot_min=360)
    shown = section_of(ic.attack.recover(counts, night_h=(0, 24), method="threshold", theta_m=45))
    assert "longer than its optimum by at most 20 m" in shown.answer and "No other way" not in shown.answer
    assert any("the shortcut of [xu2017" in said for said in shown.method)


def test_a_score_is_drawn_thrice(both):
    _, score = both
    shown = section_of(score)
    assert f"{percent(score.accuracy)} of the positions of 3 people" in shown.answer
    assert len(shown.panels) == 3 and all("n = 3 people" in panel.caption for panel in shown.panels)
    assert f"all days linked {score.accuracy:.2f}" in shown.panels[0].alt
    assert len(shown.tables[0].rows) == 15


def test_a_page_of_both_names_nobody(both, tmp_path):
    page = ic.report.write(tmp_path / "r.html", *both).read_text()
    assert page.count("<svg") == page.count('role="img"') == 3
    numbers = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert all("errors" not in block and "match" not in block.split() for block in numbers)

from fractions import Fraction

import incrowd as ic
from incrowd.anonymize import lkc_cost
from incrowd.papers.mohammed2009 import METHOD, table_1


def test_one_parameter_moves_at_a_time():
    cost = lkc_cost(table_1(), METHOD, l=(1, 2), k=(3,), c=(Fraction(1),), min_support=(3,))
    moved = [(run.varied, run.l, run.k, run.c, run.min_support) for run in cost.runs]
    ls = [("l", 1, 2, 0.5, 2), ("l", 2, 2, 0.5, 2)]
    assert moved == [*ls, ("k", 2, 3, 0.5, 2), ("c", 2, 2, 1.0, 2), ("min_support", 2, 2, 0.5, 3)]
    second = cost.along("l")[1]
    assert (second.violating, second.suppressed_pairs, second.users_without_visit) == (5, 2, 0)
    assert (second.frequent_before, second.frequent_after, second.preserved_share) == (9, 7, 5 / 9)
    assert second.suppressed_visits == 1 - 24 / 30
    assert (cost.users, cost.visits, cost.pairs) == (8, 30, 7)


def test_the_cost_is_drawn_along_each_parameter_that_moved(tmp_path):
    cost = lkc_cost(table_1(), METHOD, name="<eight> patients", l=(1, 2), k=(2, 3), c=(0.5,), min_support=(2, 3))
    shown = cost.section()
    assert [panel.caption.split(" (")[0] for panel in shown.panels] == [
        "Cost against visits an attacker may know, L",
        "Cost against people who must share them, K",
        "Cost against people who make a pattern frequent, K'",
    ]
    assert "n = 8 records, K = 2, C = 0.5, K' = 2" in shown.panels[0].caption
    assert len(shown.tables[0].rows) == 7 and all(len(row) == len(shown.tables[0].head) for row in shown.tables[0].rows)
    page = ic.report.write(tmp_path / "report.html", cost).read_text()
    assert "&lt;eight&gt; patients" in page and page.count('role="img"') == 3

"""The section about several methods."""

from dataclasses import replace

import incrowd as ic
from boxes import prints
from incrowd.report.section import section

FOUR = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")


def test_the_section_has_one_figure_and_one_table(tmp_path):
    found = ic.assess.compare(FOUR, methods=["glove", "generalize"], points=1)
    shown = section(found)
    assert shown.answer == found.verdict and len(shown.drawings) == len(shown.tables) == 1
    assert len(shown.tables[0].rows) == len(found.rows)
    assert all(len(line) == len(shown.tables[0].head) for line in shown.tables[0].rows)
    assert "glove (k=2): loss 0.12, 0% singled out, median crowd 2" in shown.drawings[0].alt
    page = ic.report.write(tmp_path / "page.html", found).read_text()
    assert "Which method is cheapest for nobody in a crowd below 2?" in page and page.count("<svg") == 1


def test_another_attack_is_another_column():
    found = ic.assess.compare(FOUR, methods=["glove"], points=1)
    first, *rest = found.rows
    more = replace(found, rows=(replace(first, privacy={**first.privacy, "relinked": 0.25}), *rest))
    grid = section(more).tables[0]
    assert grid.head[-1] == "relinked" and [line[-1] for line in grid.rows] == ["0.25", "-", "-", "-"]


def test_what_could_not_run_has_a_table_of_its_own():
    found = ic.assess.compare(FOUR, methods=["w4m", "generalize"], target="k=5", points=1)
    _, why = section(found).tables
    assert [line[:2] for line in why.rows] == [("w4m", "k=5, 2 km"), ("w4m", "k=10, 2 km")]

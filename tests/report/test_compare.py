"""The section about several methods."""

from dataclasses import replace

import incrowd as ic
from boxes import prints
from incrowd.report.compare import looks
from incrowd.report.section import section

FOUR = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")


def test_the_section_has_one_figure_and_a_table_of_each_side(tmp_path):
    found = ic.assess.compare(FOUR, methods=["glove", "generalize"], points=1)
    shown = section(found)
    assert shown.answer == found.verdict and len(shown.drawings) == 1
    for grid in shown.tables:
        assert len(grid.rows) == len(found.rows) and all(len(line) == len(grid.head) for line in grid.rows)
        assert len(grid.head) <= 11  # wider ones do not fit a page
    assert [grid.caption[:10] for grid in shown.tables] == ["What every", "What every"]
    assert "glove (k=2): loss 0.12, 0% in a crowd below 2, median crowd 2" in shown.drawings[0].alt
    page = ic.report.write(tmp_path / "page.html", found).read_text()
    assert "Which method is cheapest for nobody in a crowd below 2?" in page and page.count("<svg") == 1


def test_another_attack_is_another_column():
    found = ic.assess.compare(FOUR, methods=["glove"], points=1)
    first, *rest = found.rows
    more = replace(found, rows=(replace(first, privacy={**first.privacy, "guessed": 0.25}), *rest))
    grid = section(more).tables[0]
    assert grid.head[-1] == "guessed" and [line[-1] for line in grid.rows] == ["0.25", "-", "-", "-"]


def test_what_could_not_run_has_a_table_of_its_own():
    found = ic.assess.compare(FOUR, methods=["w4m", "generalize"], target="k=5", points=1)
    *_, why = section(found).tables
    assert [line[:2] for line in why.rows] == [("w4m", "k=5, 2 km"), ("w4m", "k=10, 2 km")]


def test_the_frontier_is_in_the_figure_and_the_table():
    found = ic.assess.compare(FOUR, methods=["glove", "generalize"], points=1)
    shown = section(found)
    grid, drawn = shown.tables[0], shown.drawings[0]
    at = grid.head.index("on the frontier")
    assert [line[at] for line in grid.rows] == ["yes" if one in found.frontier else "no" for one in found.rows]
    assert drawn.alt.count(", on the frontier") == len(found.frontier) and ">frontier<" in drawn.svg


def test_attacks_that_do_not_apply_say_so_and_w4m_has_its_note():
    told = {}
    for grid in section(ic.assess.compare(FOUR, methods=["w4m", "cut"], points=1)).tables:
        for line in grid.rows:
            told.setdefault((line[0], line[1]), {}).update(zip(grid.head, line, strict=True))
    assert told["w4m", "k=2, 2 km"]["linked"].endswith("%") and told["w4m", "k=2, 2 km"]["rejoined"] == "-"
    assert told["w4m", "k=2, 2 km"]["note"] == "(k, delta) only; pivots are published as they were"
    assert told["cut", "24 h"]["linked"].endswith("%")
    assert not any("`" in text for text in section(ic.assess.compare(FOUR, methods=["cut"], points=1)).method)


def test_a_method_nobody_has_heard_of_is_drawn():
    found = ic.assess.compare(FOUR, methods=["glove"], points=1)
    more = replace(found, rows=(*found.rows, replace(found.rows[1], method="fog")))
    assert ">fog<" in section(more).drawings[0].svg
    many = looks(f"method {i}" for i in range(20))
    assert len(set(many.values())) == len(many)


def test_one_person_is_one_person():
    shown = section(ic.assess.compare(prints("0,0,0"), methods=["generalize"], points=1))
    assert "n = 1 person, 1 sample," in shown.tables[0].caption
    assert "n = 1 person, 1 known sample each" in shown.drawings[0].caption

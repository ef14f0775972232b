"""The section about several methods."""

from dataclasses import replace

import incrowd as ic
from boxes import prints

FOUR = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")


def test_the_section_has_two_figures_and_a_table_of_each_side(tmp_path):
    found = ic.assess.compare(FOUR, methods=["glove", "generalize"], points=1, target="k=2")
    part = found.section()
    assert part.question == "Which method loses least detail?" and part.answer == found.verdict
    assert [panel.name for panel in part.panels] == ["frontier", "crowds"]
    for table in part.tables[:2]:
        assert len(table.rows) == len(found.rows) and all(len(line) == len(table.head) for line in table.rows)
        assert len(table.head) <= 12  # wider ones do not fit a page
    assert [table.caption.partition(" setting ")[2].split()[0] for table in part.tables[:2]] == ["protects:", "loses,"]
    assert "glove (k=2): loss 0.12, 0 % in a crowd below 2, reaches the target" in part.panels[0].alt
    assert "glove (k=2): loss 0.12, 2 people" in part.panels[1].alt
    page = ic.report.write(tmp_path / "page.html", found).read_text()
    assert "Which method loses least detail?" in page and page.count("<svg") == 2
    assert part.number == f"{found.best.loss:.3f}" and found.to_dict()["rows"][part.number_at[1]]["utility"]["loss"]


def test_what_could_not_run_has_a_table_of_its_own():
    found = ic.assess.compare(FOUR, methods=["w4m", "generalize"], target="k=3", points=1)
    *_, why = found.section().tables
    assert [line[:2] for line in why.rows] == [("w4m", "k=6, 2 km")]


def test_the_frontier_is_in_the_figure_and_the_table():
    found = ic.assess.compare(FOUR, methods=["glove", "generalize"], points=1, target="k=2")
    part = found.section()
    table, panel = part.tables[0], part.panel("frontier")
    at = table.head.index("on the frontier")
    assert [line[at] for line in table.rows] == ["yes" if one in found.frontier else "no" for one in found.rows]
    assert panel.alt.count(", on the frontier") == len(found.frontier)
    *methods, steps = panel.lines
    assert {line.label for line in methods} == {"no method", "generalize", "glove"}
    assert (steps.label, steps.style, steps.x[-1], steps.y[0]) == ("frontier", "step", 1.0, 1.0)
    risks = [found.target.distance(one.privacy) for one in found.frontier]
    assert list(steps.y[1:-1]) == risks == sorted(risks, reverse=True)
    share = ic.assess.compare(FOUR, methods=["glove"], target="uniqueness=0.1", points=1).section().panel("frontier")
    assert share.levels == {"target": 0.1} and not panel.levels  # nobody in a small crowd: the axis itself


def test_attacks_that_do_not_apply_have_no_number_and_w4m_has_its_note():
    cells = {}
    for table in ic.assess.compare(FOUR, methods=["w4m", "cut"], points=1, target="k=2").section().tables:
        for line in table.rows:
            cells.setdefault((line[0], line[1]), {}).update(zip(table.head, line, strict=True))
    moved = cells["w4m", "k=2, 2 km"]
    assert moved["guessed rightly"].endswith(" %") and moved["rejoined"] == "-"
    assert cells["cut", "24 h"]["recognised later"] == "-"  # nobody has a record in both halves
    assert moved["remark"].endswith("(k, delta) only; pivots are published as they were")
    assert cells["visits", "500 m, 60 min"]["place, m"] == "500" and cells["as they are", ""]["place, m"] == "100"
    assert not any(
        "`" in text for text in ic.assess.compare(FOUR, methods=["cut"], points=1, target="k=2").section().method
    )


def test_a_method_nobody_has_heard_of_is_drawn():
    found = ic.assess.compare(FOUR, methods=["glove"], points=1, target="k=2")
    more = replace(found, rows=(*found.rows, replace(found.rows[1], method="fog")))
    axes = ic.plot.frontier(more)
    assert "fog" in axes.get_legend_handles_labels()[1]
    assert axes.get_xlabel() == "loss of detail" and axes.get_ylabel() == "share in a crowd below 2"


def test_one_person_is_one_person():
    part = ic.assess.compare(prints("0,0,0"), methods=["generalize"], points=1, target="uniqueness=0.1").section()
    assert (
        "shares of 1 person in the release;" in part.tables[0].caption and "1 person, 1 sample, 1 known" in part.options
    )
    assert "n = 1 person, 1 known sample each" in part.panels[0].caption

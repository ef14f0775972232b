import incrowd as ic
from builders import crowd
from incrowd.anonymize.lkc import LKC, lkc_cost
from incrowd.papers.mohammed2009 import METHOD, table_1
from incrowd.report import lkc  # noqa: F401  registers its sections
from incrowd.report.section import section


def test_the_cost_is_drawn_along_each_parameter_that_moved(tmp_path):
    cost = lkc_cost(table_1(), METHOD, name="<eight> patients", l=(1, 2), k=(2, 3), c=(0.5,), min_support=(2, 3))
    shown = section(cost)
    assert [drawing.caption.split(" (")[0] for drawing in shown.drawings] == [
        "Cost against visits an adversary may know, L",
        "Cost against people who must share them, K",
        "Cost against people who make a pattern frequent, K'",
    ]
    assert "n = 8 records, K = 2, C = 0.5, K' = 2" in shown.drawings[0].caption
    assert len(shown.tables[0].rows) == 7 and all(len(row) == len(shown.tables[0].head) for row in shown.tables[0].rows)
    page = ic.report.write(tmp_path / "report.html", cost).read_text()
    assert "&lt;eight&gt; patients" in page and page.count('role="img"') == 3


def test_one_suppression_is_told_without_places(tmp_path):
    shown = section(METHOD(table_1()).provenance["suppression"])
    assert shown.answer.startswith("2 of 7 pairs of cell and slot break all 5 violating sequences; 5 of 9 patterns")
    assert shown.number == "56%" and len(shown.drawings) == 1
    page = ic.report.write(tmp_path / "report.html", shown).read_text()
    assert '"preserved_share"' in page.replace("&#34;", '"') and '"items"' not in page.replace("&#34;", '"')


def test_nothing_to_suppress_draws_nothing():
    assert section(LKC(k=1)(crowd("0:1 | 0:1")).provenance["suppression"]).drawings == []

import incrowd as ic
from builders import crowd
from incrowd.anonymize import LKC
from incrowd.papers.mohammed2009 import METHOD, table_1


def test_one_suppression_names_no_place(tmp_path):
    shown = METHOD(table_1()).provenance["suppression"].section()
    assert shown.answer.startswith(
        "Suppressing 2 of 7 pairs of cell and slot breaks all 5 violating sequences; 5 of 9 pat"
    )
    assert shown.number == "56 %"
    line = shown.panel("suppression").lines[0]
    assert line.x == [0, 1, 2] and (line.y[0], line.y[-1]) == (5, 0)
    page = ic.report.write(tmp_path / "report.html", shown).read_text()
    assert '"preserved_share"' in page.replace("&#34;", '"') and '"items"' not in page.replace("&#34;", '"')


def test_nothing_to_suppress_draws_nothing():
    assert LKC(k=1)(crowd("0:1 | 0:1")).provenance["suppression"].section().panels == []

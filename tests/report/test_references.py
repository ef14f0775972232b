import re
from pathlib import Path

import pytest

import incrowd as ic
from incrowd.report.references import bibliography, papers_of
from incrowd.show import Section

ROOT = Path(__file__).resolve().parents[2]


def test_every_entry_of_the_bibliography_can_be_listed():
    keys = re.findall(r"^@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text(), re.MULTILINE)
    assert list(bibliography()) == keys
    for paper in bibliography().values():
        assert (
            not set("{}\\$") & set(paper.text) and paper.key[-4:] in paper.text and paper.short.endswith(paper.key[-4:])
        )


def test_names_and_places_are_written_out():
    known = bibliography()
    assert known["gramaglia2015"].short == "Gramaglia and Fiore 2015"
    assert known["abul2010"].text.endswith("Information Systems, 35(8), 884–910, 2010.")


def test_sections_lead_to_their_papers(tmp_path):
    shown = Section(
        "Q?", "A.", method=["As [song2014, Eq. 1] and [nobody1999] say."], references=["tan2017", "song2014"]
    )
    assert papers_of(shown) == ["tan2017", "song2014"]
    page = ic.report.write(tmp_path / "r.html", shown).read_text()
    assert 'As [<a href="#song2014">song2014</a>, Eq. 1] and [nobody1999] say.' in page
    assert page.index('<li id="tan2017"') < page.index('<li id="song2014"') and page.count("<li ") == 2


def test_unknown_papers_are_refused(tmp_path):
    with pytest.raises(ic.ParameterError, match="nobody1999"):
        ic.report.write(tmp_path / "r.html", Section("Q?", "A.", references=["nobody1999"]))

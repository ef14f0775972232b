import re
from dataclasses import replace

import pytest

import incrowd as ic
from builders import crowd
from incrowd.anonymize import Cut
from incrowd.assess import plan
from incrowd.attack import home_work, link, relink
from incrowd.report.section import section


@pytest.fixture(scope="module")
def visits():
    people = "0:1 1:1 9:4 10:4 | 0:2 1:2 9:2 10:5 | 0:1 1:1 9:1 10:4 | 0:3 1:6 9:6 10:6"
    return replace(crowd(people), slot_min=60, start=4 * 86_400)


def words(part):
    return " ".join([part.answer, *part.method, *(d.alt for d in part.drawings)])


def test_every_result_has_its_section(visits, tmp_path):
    release = Cut(window_h=6)(visits)
    results = [
        relink(release, points=2),
        link(visits, release),
        home_work(visits),
        plan(visits, windows_h=(1, 2, 6), points=2),
    ]
    page = ic.report.write(tmp_path / "report.html", *results).read_text()
    for question in ("linked again?", "be matched?", "give people away?", "for cutting to protect?"):
        assert question in page
    told = [section(result) for result in results]
    assert told[1].number == f"{results[1].hit[1]:.1%}" and "by chance it would be" in told[1].answer
    assert told[3].answer == results[3].verdict and len(told[3].tables[0].rows) == 4
    assert "1 h: singled out" in told[3].drawings[0].alt


def test_sections_do_with_what_is_not_known(visits, tmp_path):
    release = Cut(window_h=6)(visits)
    folder = ic.anonymize.publish(release, tmp_path / "release")
    blind = section(relink(folder, points=2))
    assert "nobody told the truth" in blind.answer and blind.number_of == "joins" and len(blind.tables) == 1
    nobody = section(link(visits, replace(visits, users=visits.users + 100)))
    assert nobody.answer == "None of the known people is among the candidates." and nobody.number == "-"
    truth = section(home_work(visits, home=[1, 2, 1, 9]))
    assert "75.0% of the homes are right" in truth.answer
    unknown = section(plan(visits, windows_h=(1,), points=9))
    assert unknown.answer.startswith("Nothing was measured: nobody has 9 points")


def test_a_report_names_nobody():
    visits = ic.Visits.from_arrays(["Ann"] * 4, [777_777] * 4, [0, 1, 10, 11], slot_min=60, start=4 * 86_400)
    release = Cut(window_h=6)(visits)
    for result in (relink(release, points=1), link(visits, release), home_work(visits)):
        text = words(section(result))
        assert "Ann" not in text and not re.search("777,?777", text)

import re
from dataclasses import replace

import pytest

import incrowd as ic
from builders import crowd
from incrowd.anonymize import Cut
from incrowd.attack import home_work, link, lookup, membership, relink
from incrowd.plain import percent
from incrowd.show import section_of


@pytest.fixture(scope="module")
def visits():
    people = "0:1 1:1 9:4 10:4 | 0:2 1:2 9:2 10:5 | 0:1 1:1 9:1 10:4 | 0:3 1:6 9:6 10:6"
    return replace(crowd(people), slot_min=60, start=4 * 86_400)


def words(part):
    return " ".join([part.answer, *part.method, *(panel.alt for panel in part.panels)])


def test_every_result_has_its_section_of(visits, tmp_path):
    release = Cut(window_h=6)(visits)
    results = [
        relink(release, points=2),
        link(visits, release),
        home_work(visits),
        lookup(release, visits),
        membership(visits, targets=3, groups=1),
    ]
    page = ic.report.write(tmp_path / "report.html", *results).read_text()
    for question in ("be joined again?", "recognised in another?", "home and work unique?", "4 known records?"):
        assert question in page
    assert "whether a known person is in these counts?" in page
    linkage = section_of(results[1])
    assert linkage.number == percent(results[1].hit[1]) and "by chance it would be" in linkage.answer
    for result in results:
        assert str(result).startswith(section_of(result).answer) and result.to_arrow().num_rows > 0
        assert len(result.to_pandas()) == result.to_arrow().num_rows and result.to_dict()
        assert result.seconds >= 0 and "thread" in result.machine and result.machine in str(result)


def test_sections_do_with_what_is_not_known(visits, tmp_path):
    release = Cut(window_h=6)(visits)
    folder = ic.anonymize.publish(release, tmp_path / "release")
    blind = section_of(relink(folder, points=2))
    assert "no link file was given" in blind.answer and blind.number_of == "joins" and len(blind.tables) == 1
    nobody = section_of(link(visits, replace(visits, users=visits.users + 100)))
    assert nobody.answer == "None of the known people is among the candidates." and nobody.number == "-"
    truth = section_of(home_work(visits, home=[1, 2, 1, 9]))
    assert "75.0 % of the homes are right" in truth.answer


def test_a_report_names_nobody():
    visits = ic.Visits.from_arrays(["Ann"] * 4, [777_777] * 4, [0, 1, 10, 11], slot_min=60, start=4 * 86_400)
    release = Cut(window_h=6)(visits)
    for result in (relink(release, points=1), link(visits, release), home_work(visits)):
        text = words(section_of(result))
        assert "Ann" not in text and not re.search("777,?777", text)

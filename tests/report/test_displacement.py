import incrowd as ic
from builders import tracks
from incrowd.anonymize import W4M
from incrowd.report import release as w4m  # noqa: F401  registers its section
from incrowd.report.section import section


def test_fabricated_and_missing_points_are_said_first(tmp_path):
    traces = tracks([(0, 0)], [(0, 1500)], [(0, 90_000), (60, 90_000)])
    release = W4M(k=2, radius_m=2000, trash=0.4)(traces)
    shown = section(ic.measure.displacement(release, traces))
    assert shown.answer.startswith("0.0% of 4 points were fabricated and 50.0% are gone, with 1 of 3 people")
    assert "250 m and 0 min" in shown.answer and shown.number == "250 m"
    assert shown.tables[0].rows[2] == ("deleted with trashed people", "2")
    assert shown.tables[1].rows[2] == ("row that was moved", "500.0", "500.0", "nan", "nan")
    page = ic.report.write(tmp_path / "r.html", release, ic.measure.displacement(release, traces), release.ledger)
    assert "How true are the published points?" in page.read_text()

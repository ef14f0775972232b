"""What is signed: the head with its digests and its masked command line, and the attestation beside the release."""

import hashlib
import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import incrowd as ic
from incrowd.assess.attest import SCHEMA, attest, document, place_of, read_attestation, reread
from incrowd.assess.digests import Origin, data_files, digest_of_data, origin_of, release_files, seed_of
from incrowd.assess.evidence import evidence
from incrowd.assess.head import masked, period_of
from incrowd.assess.options import Options
from incrowd.errors import DataError, ParameterError
from incrowd.plain import to_json
from incrowd.show import markdown, text

SHA = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # of "abc", FIPS 180-2, appendix B.1


@pytest.fixture(scope="module")
def visits():
    """Thirty people who were all in the same two places: one crowd."""
    users = np.repeat([f"rider{n}" for n in range(30)], 2)
    return ic.Visits.from_arrays(users, cell=np.tile([3, 5], 30), slot=np.tile([20, 30], 30), slot_min=60, start=0)


@pytest.fixture(scope="module")
def saved(visits, tmp_path_factory):
    return visits.save(tmp_path_factory.mktemp("data") / "visits.parquet")


@pytest.fixture(scope="module")
def assessment(saved):
    return ic.assess.assess(saved, advise=False)


def attested(assessment, path):
    attest(assessment, path, force=True)
    return json.loads(path.read_text())


def test_the_head_says_what_a_signature_is_about(assessment, saved):
    head = assessment.head
    assert head.period == ("1970-01-01", "1970-01-02")
    assert set(head.versions) == {"incrowd", "numpy", "python"} and head.machine and head.made.endswith("+00:00")
    assert [(one.role, one.name, one.sha256) for one in head.files] == [
        ("data", "visits.parquet", hashlib.sha256(saved.read_bytes()).hexdigest())
    ]
    page = text(assessment.sections()[1])
    for words in ("visits.parquet", "people    30", "records   60", "derived from the files", "a call of the library"):
        assert words in page
    for name in ("name", "date", "decision", "assess again by"):
        assert f"{name:<15}  ___" in page
    assert "lookup" in page and "medicines regulators" in page and "the default" in page and "no counts" in page


def test_tests_stand_in_the_order_of_the_opinion(assessment):
    order = ("singling out", "linkability", "inference", "membership", "release")
    places = [order.index(one.about) for one in assessment.answers]
    assert places == sorted(places) and len(set(places)) == 5


def test_data_in_memory_have_no_digests_and_the_head_says_so(visits):
    found = ic.assess.assess(visits, advise=False, limits={"lookup": "1/20"})
    assert found.head.files == () and found.seed == 0
    page = text(found.sections()[1])
    assert "none, so there are no digests" in page and "0, always that for data in memory" in page
    assert "who ran it" in page  # one limit
    assert json.loads(to_json(found))["head"]["limits"]["lookup"] == {
        "value": "1/20",
        "source": "you set it",
        "set_by": "who ran it",
    }


def test_nothing_in_head_attestation_or_evidence_names_a_person(assessment, tmp_path):
    sections = [*assessment.sections(), *evidence(assessment)]
    for words in (to_json(assessment), to_json(document(assessment)), *map(markdown, sections)):
        assert "rider" not in words and str(Path.home()) not in words


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("postgres://me:geheim@host/db", "postgres://***@host/db"),
        ("postgres://me:ge@heim@host/db", "postgres://***@host/db"),
        ("https://host/a.csv?token=geheim&b=1", "https://host/a.csv?token=***&b=1"),
        ("https://s3/a?X-Amz-Signature=geheim", "https://s3/a?X-Amz-Signature=***"),
        ("password=ge heim", "password=***"),
        ("AWS_SECRET_ACCESS_KEY=geheim", "AWS_SECRET_ACCESS_KEY=***"),
        ("Authorization: Bearer geheimgeheim", "Authorization: Bearer ***"),
        ("--limit=lookup=20%", "--limit=lookup=20%"),
        ("trips.csv", "trips.csv"),
    ],
)
def test_credentials_are_masked(word, shown):
    assert shlex.split(masked(["incrowd", word])) == ["incrowd", shown]


def test_the_value_of_a_secret_option_and_the_home_folder_are_masked():
    assert masked(["--api-key", "geheim", "x"]) == "--api-key '***' x"
    assert masked([str(Path.home() / "a b.csv"), str(Path.home())]) == "~/'a b.csv' ~/."


def test_digests_of_files_folders_and_very_many_files(tmp_path):
    folder = tmp_path / "people"
    folder.mkdir()
    for n in range(12):
        (folder / f"jane{n}.csv").write_text("abc")
    (one,) = data_files([folder / "jane0.csv"])
    assert (one.name, one.files, one.sha256) == ("jane0.csv", 1, SHA)
    (whole,) = data_files([folder])
    lines = "".join(sorted(f"{SHA}  jane{n}.csv\n" for n in range(12)))
    assert (whole.name, whole.files) == ("people", 12)
    assert whole.sha256 == hashlib.sha256(lines.encode()).hexdigest()
    (many,) = data_files(sorted(folder.iterdir()))
    assert many.sha256 == whole.sha256 and many.name == "12 files"  # no name of a person
    (folder / "jane3.csv").write_text("abd")
    assert data_files([folder])[0].sha256 != whole.sha256


def test_the_seed_follows_from_the_data_in_whatever_order(tmp_path):
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path in paths:
        path.write_text(path.name)
    forth, back = (data_files(order) for order in (paths, paths[::-1]))
    assert seed_of(forth) == seed_of(back) > 0 and digest_of_data(forth) == digest_of_data(back)
    assert seed_of(data_files(paths[:1])) != seed_of(forth)


def test_a_folder_of_data_has_a_seed_of_its_own(tmp_path):
    folder = tmp_path / "log"
    folder.mkdir()
    for user in "ab":
        (folder / f"{user}.csv").write_text("user,t,lon,lat\n" + "".join(f"{user},{n * 3600},5,52\n" for n in range(5)))
    found = ic.assess.assess(folder, advise=False)
    assert found.seed == seed_of(found.head.files) > 0 and found.head.files[0].files == 2


def test_the_files_of_a_release_are_listed_with_their_folder(tmp_path):
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "data.csv").write_text("abc")
    assert [(one.name, one.sha256) for one in release_files(tmp_path / "release")] == [("release/data.csv", SHA)]
    (tmp_path / "link.csv").write_text("pseudonym,user\n0,x\n")
    (tmp_path / "release" / "manifest.json").write_text("{}")
    origin = origin_of([], Options(release=tmp_path / "release", link=tmp_path / "link.csv"))
    assert [one.role for one in origin.files] == ["release", "release", "link"] and origin.folders == (tmp_path,)


def test_the_period_is_two_days_and_no_time(visits):
    assert period_of(replace(visits, time_zone="Asia/Tokyo", start=54_000)) == ("1970-01-02", "1970-01-03")
    assert period_of(replace(visits, start=None)) is None


def test_a_document_is_read_back_with_exact_numbers(assessment, tmp_path):
    page = attested(assessment, tmp_path / "a.assessment.json")
    assert page["schema"] == SCHEMA and list(page)[:3] == ["schema", "verdict", "passed"]
    lookup = next(test for test in page["tests"] if test["name"] == "lookup")
    assert lookup["judged"][0]["value"] == "1/30" and lookup["judged"][0]["limit_value"] == "1/11"
    again = reread(page)
    assert (again.verdict, again.gate, again.exit_code) == (assessment.verdict, assessment.gate, 0)
    assert document(again) == page


def test_it_is_written_whole_and_not_over_another(assessment, tmp_path):
    path = tmp_path / "a.assessment.json"
    attest(assessment, path)
    with pytest.raises(ParameterError, match="exists"):
        attest(assessment, path)
    with pytest.raises(AttributeError):
        attest(None, path, force=True)
    assert read_attestation(path)["passed"] is True and list(tmp_path.iterdir()) == [path]


def test_where_it_is_written(tmp_path):
    release = tmp_path / "release"
    release.mkdir()
    assert place_of(release, None) == tmp_path / "release.assessment.json" == place_of(release / "data.parquet", None)
    assert place_of(None, tmp_path / "x.assessment.json") == tmp_path / "x.assessment.json"
    for given, words in ((None, "say where"), (Path("x.json"), "ends in .assessment.json")):
        with pytest.raises(ParameterError, match=words):
            place_of(None, given)
    with pytest.raises(ParameterError, match="not part of the release"):
        place_of(release, release / "x.assessment.json")


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"schema": "incrowd-assessment/2"}', "[" * 100_000])
def test_another_file_is_no_attestation(tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(DataError, match=r"x\.json is no incrowd-assessment/1"):
        read_attestation(tmp_path / "x.json")
    with pytest.raises(DataError, match="no assessment at y"):
        read_attestation(tmp_path / "y")


def test_earlier_assessments_of_the_same_data_are_listed(visits, tmp_path):
    saved = visits.save(tmp_path / "visits.parquet")
    runs = [{}, {}, {"lookup": 0.2}]
    for n, limits in enumerate(runs):
        found = ic.assess.assess(saved, advise=False, limits=limits)
        head = replace(found.head, made=f"2026-01-0{n + 1}T00:00:00+00:00")
        attest(replace(found, head=head), tmp_path / "one.assessment.json", force=True)  # replaced, and still known
    (tmp_path / "broken.assessment.json").write_text('{"schema": "incrowd-assessment/1"}')
    found = ic.assess.assess(saved, advise=False)
    assert found.head.run == "4th run; limits changed since"
    assert [one.limits_set for one in found.head.earlier] == [(), (), (("lookup", "1/5"),)]
    assert "2026-01-03T00:00:00+00:00" in text(found.sections()[1]) and "lookup 1/5" in text(found.sections()[1])
    assert ic.assess.assess(saved, advise=False, limits={"lookup": 0.2}).head.run == "4th run; limits unchanged since"
    other = replace(visits, cell=visits.cell + 1).save(tmp_path / "other.parquet")
    assert ic.assess.assess(other, advise=False).head.run == "1st run that is known"


def test_evidence_has_the_headings_of_the_standard(assessment):
    sections = evidence(assessment)
    names = ["Context", "Data", "Adversarial testing", "Mitigation", "Re-evaluation"]
    assert [part.question for part in sections] == names
    page = "\n".join(map(markdown, sections))
    assert assessment.verdict in page and "visits.parquet" in page and "| --- |" in page
    assert "Nothing was done to the data that are judged." in page and "30 people and 60 records" in page
    with pytest.raises(DataError, match="no head"):
        evidence(replace(assessment, head=None))


def test_evidence_says_the_override_and_how_a_release_was_made(visits):
    release = ic.anonymize.Cut(window_h=24)(visits, pseudonym_seed=1)
    found = ic.assess.assess(visits, release=release, advise=False, limits={"lookup": 0.9}, override="a trial")
    words = next(part.answer for part in evidence(found) if part.question == "Mitigation")
    assert "The release was made by Cut with window_h = 24" in words
    assert "the limit of lookup is 90 %" in words and "They were allowed because: a trial." in words


def test_an_origin_without_files_has_no_earlier_runs():
    from incrowd.assess.attest import earlier_runs

    assert earlier_runs(Origin()) == ()

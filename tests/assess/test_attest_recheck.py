"""An attestation is recomputed: a doctored one does not fit, in whichever part it was doctored."""

import json
import shutil
from copy import deepcopy

import numpy as np
import pytest

import incrowd as ic
from incrowd.assess.attest import attest
from incrowd.assess.limits import DEFAULTS
from incrowd.assess.questions import QUESTIONS
from incrowd.assess.recheck import attestation_line, check_page
from incrowd.errors import DataError

PAGE = "release.assessment.json"
ALL = {"files", "seed", "limits", "settings", "tests", "numbers", "verdict"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release of 60 people in one crowd, which passes, and its attestation beside it."""
    folder = tmp_path_factory.mktemp("made")
    users = np.repeat(np.arange(60), 6)
    visits = ic.Visits.from_arrays(
        users, cell=np.tile([3, 5, 8, 3, 5, 8], 60), slot=np.tile([2, 9, 14, 26, 33, 38], 60), slot_min=60, start=0
    )
    data = visits.save(folder / "visits.parquet")
    release = ic.anonymize.LKC(l=2, k=20)(visits)
    ic.anonymize.publish(release, folder / "release", link=folder / "link.csv", original=visits)
    found = ic.assess.assess(data, release=folder / "release", link=folder / "link.csv", advise=False)
    assert found.passed, found.verdict
    attest(found, folder / PAGE)
    return folder


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "copy")


def doctored(folder, change, path=PAGE):
    page = json.loads((folder / path).read_text())
    change(page)
    (folder / path).write_text(json.dumps(page))
    return check_page(folder / path)


def failing(verdict):
    return {check.name for check in verdict.failed}


def test_an_honest_one_fits(folder):
    verdict = check_page(folder / PAGE)
    assert verdict.passed and {check.name for check in verdict if check.status == "pass"} == ALL, str(verdict)
    assert "5 of 5 files" in verdict["files"].evidence and verdict["measured"].status == "not asked"
    assert attestation_line(folder / "release").startswith(
        f"attestation {PAGE} fits; it says: Nothing above your limits"
    )


@pytest.fixture(scope="module")
def city():
    return ic.read.synthetic_city(users=40, towers=8, days=2, seed=1)


@pytest.mark.parametrize("kind", ["traces", "few", "cut", "generalize", "counts", "shopped", "hurried"])
def test_honest_ones_of_every_kind_fit(city, tmp_path, kind):
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    given = {
        "traces": {},
        "few": {"limits": {"home_work": "1/40"}},
        "cut": {"release": ic.anonymize.Cut(window_h=6)(visits)},
        "generalize": {"release": ic.anonymize.Generalize(cell_m=5000, slot_min=360)(city.traces)},
        "counts": {"release": ic.anonymize.counts(visits, round_to=5)},
        "shopped": {"limits": {"lookup": 0.9, "later": None}, "records": 2, "override": "a trial", "level": "high"},
        "hurried": {"budget_s": 0.001},
    }
    data = city.traces if kind in ("traces", "generalize") else visits
    attest(ic.assess.assess(data, advise=False, **given[kind]), tmp_path / PAGE)
    assert check_page(tmp_path / PAGE).passed, str(check_page(tmp_path / PAGE))


def test_files_that_are_not_there_are_said(folder, tmp_path):
    (tmp_path / "alone").mkdir()
    page = shutil.copy(folder / PAGE, tmp_path / "alone" / PAGE)
    assert check_page(page)["files"].status == "not asked" and check_page(page).passed
    found = check_page(page, release=folder / "release", link=folder / "link.csv")
    assert found["files"].evidence == "the SHA-256 of 4 of 5 files is as stated; not found: visits.parquet."
    found = check_page(page, original=[str(folder / "visits.parquet")])
    assert found["files"].evidence.startswith("the SHA-256 of 1 of 5 files is")
    assert "the data given" in check_page(page, original=[str(folder / "link.csv")])["files"].evidence


@pytest.mark.parametrize("name", ["visits.parquet", "link.csv", "release/data.parquet", "release/manifest.json"])
def test_a_file_that_was_changed_does_not_fit(folder, name):
    with (folder / name).open("ab") as file:
        file.write(b" ")
    verdict = check_page(folder / PAGE)
    assert failing(verdict) == {"files"} and f"{name} is not the file that was judged" in verdict["files"].evidence
    if name.startswith("release"):
        assert f"does not fit (files: {name}" in attestation_line(folder / "release")


def test_a_file_added_to_the_release_does_not_fit(folder):
    (folder / "release" / "more.csv").write_text("x")
    assert "holds 1 file that was not judged" in check_page(folder / PAGE)["files"].evidence


def test_a_name_that_leads_elsewhere_is_not_followed(folder):
    (folder.parent / "secret").write_text("x")

    def elsewhere(page):
        page["head"]["files"][0]["name"] = "../secret"
        for one in page["head"]["files"][1:]:
            one["name"] = str(folder.parent / "secret")

    assert doctored(folder, elsewhere)["files"].status == "not asked"


def of(page, name):
    return next(one for one in page["tests"] if one["name"] == name)


def flip(page):
    page |= {"passed": False, "gate": "does not pass: 1 above", "exit_code": 1}


def reword(page):
    page["verdict"] = page["verdict"].replace("none missing", "none worth mentioning")


def loosen_default(page):
    page["head"]["limits"]["lookup"]["value"] = "1/2"
    for one in of(page, "lookup")["judged"][:1]:
        one["limit_value"] = "1/2"


def loosen_level(page):
    page["head"]["level"] = "high"


def drop_limit(page):
    del page["head"]["limits"]["smallest_count"]


def loosen_own(page):
    page["head"]["limits"]["home_work"] |= {"value": "3/4", "source": "you set it"}
    for one in of(page, "home_work")["judged"]:
        one["limit_value"] = "3/4" if one["limit"] == "home_work" else one["limit_value"]


def fewer_records(page):
    page["head"]["settings"]["records"] = 2


def coarser(page):
    page["head"]["settings"]["slot_min"] = 100_000


def drop_test(page):
    page["tests"] = [one for one in page["tests"] if one["name"] != "later"]


def repeat_test(page):
    page["tests"].append(page["tests"][0])


def silence_test(page):
    of(page, "lookup").update(verdict="does not apply", judged=[], due=False, number="-")


def silence_audit(page):
    of(page, "guarantees").update(verdict="does not apply", judged=[], due=False, number="-")


def excuse_test(page):
    of(page, "lookup")["due"] = False


def rename_kind(page):
    of(page, "guarantees")["who"] = True


def drop_worst(page):
    of(page, "lookup")["judged"].pop()


def lower_below_interval(page):
    one = of(page, "later")["judged"][0]
    one["value"] = one["interval"][0] - 0.01


def raise_above_interval(page):
    of(page, "later")["judged"][0]["interval"] = [0, 1e-4]


def lower_judged(page):
    of(page, "lookup")["judged"][0]["judged"] = "1/100"


def lower_value(page):
    of(page, "single_visit")["judged"][0].update(value="1/1000", judged="1/1000")


def change_limit_of_number(page):
    of(page, "single_visit")["judged"][0]["limit_value"] = "1/5"


def above_called_within(page):
    of(page, "single_visit")["judged"][0].update(value="1/2", judged="1/2")
    of(page, "single_visit")["number"] = "50.0 % (30 of 60 people)"


def answer_without_number(page):
    of(page, "pieces")["verdict"] = "within"


def change_digest(page):
    page["head"]["files"][0]["sha256"] = "0" * 64


def choose_seed(page):
    page["seed"] = 7


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (flip, {"verdict"}),
        (reword, {"verdict"}),
        (loosen_default, {"limits"}),
        (loosen_level, {"limits"}),
        (drop_limit, {"format"}),
        (loosen_own, {"settings"}),
        (fewer_records, {"settings"}),
        (coarser, {"settings"}),
        (drop_test, {"tests", "verdict"}),
        (repeat_test, {"tests", "verdict"}),
        (silence_test, {"tests", "verdict"}),
        (silence_audit, {"tests", "verdict"}),
        (excuse_test, {"tests"}),
        (rename_kind, {"tests", "numbers"}),
        (drop_worst, {"numbers"}),
        (lower_below_interval, {"numbers"}),
        (raise_above_interval, {"numbers"}),
        (lower_judged, {"numbers"}),
        (lower_value, {"numbers"}),
        (change_limit_of_number, {"numbers"}),
        (above_called_within, {"numbers", "verdict"}),
        (answer_without_number, {"tests", "verdict"}),
        (change_digest, {"files", "seed"}),
        (choose_seed, {"seed"}),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_doctored_one_does_not_fit(folder, change, parts):
    verdict = doctored(folder, change)
    assert failing(verdict) == parts, str(verdict)


def test_an_override_without_its_settings_does_not_open_the_gate(folder, made):
    page = json.loads((made / PAGE).read_text())
    page |= {"shopping": ["only 2 known records are assumed, fewer than 4"]}
    (folder / PAGE).write_text(json.dumps(page))
    assert "passed is stated as True, and is False" in check_page(folder / PAGE)["verdict"].evidence
    page |= {"override": "a trial"}
    (folder / PAGE).write_text(json.dumps(page))
    assert "exit code is stated as 0, and is 3" in check_page(folder / PAGE)["verdict"].evidence


def test_another_version_may_put_it_otherwise_but_not_turn_it_round(folder):
    def older(page):
        page["head"]["versions"]["incrowd"] = "0.0.1"
        page |= {"verdict": "Nothing above your limits, in other words.", "gate": "open"}

    assert doctored(folder, older).passed
    assert failing(doctored(folder, lambda page: page.update(verdict="Do not publish."))) == {"verdict"}
    assert failing(doctored(folder, lambda page: page.update(passed=False))) == {"verdict"}


def leaves(value, path=()):
    """Where the values of a document are."""
    if isinstance(value, dict):
        return [place for key, item in value.items() for place in [(*path, key), *leaves(item, (*path, key))]]
    if isinstance(value, list):
        return [place for key, item in enumerate(value) for place in leaves(item, (*path, key))]
    return [path]


def test_a_damaged_one_fails_and_never_breaks(made, tmp_path):
    honest = json.loads((made / PAGE).read_text())
    for place in leaves(honest):
        if place[0] == "tests" and place[1:2] > (1,):
            continue  # as the first two
        for instead in (None, {"a": 1}, float("inf"), "1/0"):
            page = deepcopy(honest)
            part = page
            for key in place[:-1]:
                part = part[key]
            if part is page and place[-1] == "schema":
                continue
            part[place[-1]] = instead
            (tmp_path / PAGE).write_text(json.dumps(page))
            assert check_page(tmp_path / PAGE).checks


def test_a_part_that_is_missing_is_said(folder):
    assert failing(doctored(folder, lambda page: page.pop("tests"))) == {"format"}
    assert "does not fit (format" in attestation_line(folder / "release")
    (folder / PAGE).write_text("{}")
    assert "is no incrowd-assessment/1" in attestation_line(folder / "release")
    with pytest.raises(DataError, match="is no incrowd-assessment/1"):
        check_page(folder / PAGE)


def test_every_limit_and_test_of_today_is_in_an_attestation(made):
    page = json.loads((made / PAGE).read_text())
    assert set(page["head"]["limits"]) == set(DEFAULTS)
    assert [one["name"] for one in page["tests"]] and {one["name"] for one in page["tests"]} == {
        question.name for question in QUESTIONS
    }

"""A release that is safe alone is attacked with what was published before."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from incrowd import Traces, anonymize, discretize
from incrowd.assess import assess
from incrowd.assess._assess import prepared
from incrowd.assess.attest import attest
from incrowd.assess.earlier_releases import EarlierReleases, earlier_in
from incrowd.assess.options import Options
from incrowd.assess.questions.earlier import EARLIER
from incrowd.assess.recheck import check_page
from incrowd.attack import membership
from incrowd.data.release_folder import MANIFEST
from incrowd.errors import DataError, ParameterError
from incrowd.read import release
from nights import night, published, visits


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """One earlier release with its link, and two new ones: of the same habits, and of new ones."""
    there = tmp_path_factory.mktemp("past")
    for name in ("old", "links"):
        (there / name).mkdir()
    published(night(0, habits=True), there / "old" / "n0", there / "links" / "n0.csv")
    for habits in (True, False):
        published(night(1, habits=habits), there / f"new-{habits}", there / f"link-{habits}.csv")
    return there


def asked(past: Path, habits: bool, **more):
    how = {"cell_m": 1_000, "slot_min": 60, "advise": False, "earlier": past / "old", **more}
    return assess(night(1, habits=habits), release=past / f"new-{habits}", link=past / f"link-{habits}.csv", **how)


def test_habits_of_yesterday_shut_a_gate_that_would_be_open(past):
    linked = asked(past, True, earlier_links=past / "links")
    answer = linked.answer("earlier")
    assert not linked.passed and [one.name for one in linked.above] == ["earlier"]
    assert answer.value > 0.3 and answer.about == "linkability" and "n0" in answer.note
    assert asked(past, True, earlier=None).passed  # alone it is safe


def test_new_habits_every_night_pass(past):
    assert asked(past, False, earlier_links=past / "links").passed


def test_without_the_link_of_yesterday_the_page_says_that_it_is_not_scored(past):
    open_, shut = (asked(past, habits) for habits in (False, True))
    assert open_.passed and "not scored" in open_.answer("earlier").note
    assert [number.limit for number in open_.answer("earlier").judged] == ["worst", "earlier"]
    assert not shut.passed and shut.answer("earlier").verdict == "above"


@pytest.mark.parametrize("wrong", ["missing", "empty", "page only", "damaged", "no id", "other link folder"])
def test_an_earlier_folder_without_a_release_is_a_missing_answer(past, tmp_path, wrong):
    folder, more = tmp_path / "earlier", {}
    if wrong != "missing":
        folder.mkdir()
    if wrong == "page only":
        (folder / "run").mkdir()
        (folder / "run" / "page.html").write_text("shut")
    if wrong in ("damaged", "no id", "other link folder"):
        shutil.copytree(past / "old" / "n0", folder / "n0")
    if wrong == "damaged":
        with (folder / "n0" / "data.parquet").open("ab") as file:
            file.write(b"x")
    if wrong == "no id":
        (folder / "n0" / MANIFEST).write_text("{}")
    if wrong == "other link folder":
        more = {"earlier_links": tmp_path / "nowhere"}
    result = asked(past, False, earlier=folder, **more)
    assert not result.passed and [one.name for one in result.open] == ["earlier"]


def test_only_the_newest_are_attacked_with_and_the_page_says_so(past, tmp_path):
    shutil.copytree(past / "old" / "n0", tmp_path / "n0")
    published(night(-1, habits=False), tmp_path / "n-1")
    answer = asked(past, False, earlier=tmp_path, earlier_last=1).answer("earlier")
    assert "1 earlier release, the newest of 2; the worst is n0" in answer.note


def test_the_attestation_lists_what_was_attacked_with_and_fits(past, tmp_path):
    page = attest(asked(past, False, earlier_links=past / "links"), tmp_path / "x.assessment.json")
    listed = json.loads(page.read_text())["head"]["settings"]["earlier"]["releases"]
    assert [one["name"] for one in listed] == ["n0"] and len(listed[0]["sha256"]) == 64
    assert not check_page(page).failed
    forged = json.loads(page.read_text())
    for test in forged["tests"]:
        if test["name"] == "earlier":
            test |= {"verdict": "does not apply", "due": False, "judged": [], "number": "-"}
    page.write_text(json.dumps(forged))
    assert any("earlier is said not to apply" in check.evidence for check in check_page(page).failed)


def test_options_about_earlier_releases_need_a_release(past):
    with pytest.raises(ParameterError, match="give the release too"):
        assess(visits(night(0, habits=True)), earlier=past / "old")
    with pytest.raises(ParameterError, match="name their folder"):
        asked(past, True, earlier=None, earlier_links=past / "links")


PEOPLE = 400


def answered(folder: Path, old, new, *, publish_old=visits, cell_m=1_000, link=True):
    """What is found of an earlier release of some traces in a new one of others; no other question is asked."""
    links = folder / "links"
    links.mkdir()
    (folder / "old").mkdir()
    data = publish_old(old)
    anonymize.publish(anonymize.Cut(window_h=24)(data), folder / "old" / "n0", link=links / "n0.csv", original=data)
    data = discretize.grid(new, cell_m=cell_m, slot_min=60)
    made = anonymize.publish(anonymize.Cut(window_h=24)(data), folder / "new", link=folder / "l.csv", original=data)
    (one,) = earlier_in(folder / "old", links if link else None).releases
    earlier = EarlierReleases(releases=(replace(one, vouched=True),))
    how = {"cell_m": cell_m, "slot_min": 60, "earlier": earlier}
    return EARLIER.run(prepared(new, Options(release=made, link=folder / "l.csv", **how), {}).data)


def relabelled(share: float) -> Traces:
    """A night of the same habits, with some of the labels dealt out anew among the people."""
    rng = np.random.default_rng(3)
    many, traces = int(share * PEOPLE), night(1, habits=True, people=PEOPLE)
    label = np.append(rng.permutation(many), np.arange(many, PEOPLE))
    return Traces.from_arrays(label[traces.owner], traces.t, x=traces.x, y=traces.y)


@pytest.mark.parametrize("share", [0.0, 0.95, 1.0])
def test_labels_that_went_to_other_people_do_not_hide_who_is_recognised(tmp_path, share):
    """What the link file of yesterday scores is then of the wrong people, and what stands out is judged as well."""
    found = answered(tmp_path, night(0, habits=True, people=PEOPLE), relabelled(share))
    judged = {number.limit: float(number.judged) for number in found.judged}
    assert judged["earlier"] > 1 / 11
    assert ("labels had gone to other people" in found.note) == (share > 0)


def test_an_honest_link_is_taken_at_its_word(tmp_path):
    found = answered(tmp_path, night(0, habits=False, people=PEOPLE), night(1, habits=False, people=PEOPLE))
    assert "best of" in found.note and float(found.judged[0].judged) < 1 / 11


def test_towers_of_yesterday_are_larger_than_the_squares_of_today(tmp_path):
    """Squares are then put at the nearest tower: not towers in squares, where nobody else is."""
    place = night(0, habits=True, people=PEOPLE)
    masts = np.unique(np.stack([place.x, place.y], axis=1), axis=0) + 300.0

    def at_towers(traces):
        return discretize.towers(traces, masts, slot_min=60)

    found = answered(tmp_path, place, night(1, habits=True, people=PEOPLE), publish_old=at_towers, cell_m=100)
    assert float(found.judged[0].judged) > 0.5


@pytest.mark.parametrize("how", ["elsewhere", "without places"])
def test_releases_of_which_no_place_is_the_same_are_not_compared(tmp_path, how):
    traces = night(1, habits=True, people=PEOPLE)
    moved = Traces.from_arrays(traces.owner, traces.t, x=traces.x + 1e6, y=traces.y)
    with pytest.raises(DataError, match="cannot be compared" if how == "elsewhere" else "have no places"):
        if how == "elsewhere":
            answered(tmp_path, traces, moved)
        else:
            answered(tmp_path, traces, traces, publish_old=lambda one: replace(visits(one), xy=None, cell_m=None))


def boxes(day: int, people: int = 60, crowd: int = 12) -> Traces:
    """Crowds of people who stay together, each in a district of its own."""
    rng = np.random.default_rng(day)
    user = np.repeat(np.arange(people), 6)
    home = np.repeat(np.arange(people) // crowd, 6) * 5_000.0
    return Traces.from_arrays(
        user, day * 86_400 + np.tile(np.arange(6), people) * 7_200, x=home + rng.random(len(user)) * 90, y=home * 0 + 5
    )


@pytest.mark.parametrize(("k", "verdict"), [(12, "within"), (2, "above")])
def test_boxes_are_looked_up_and_a_crowd_of_twelve_hides_its_people(tmp_path, k, verdict):
    (tmp_path / "old").mkdir()
    made = []
    for day, (folder, link) in enumerate([("old/d0", "d0.csv"), ("new", "new.csv")]):
        prints = discretize.fingerprints(boxes(day))
        made.append(
            anonymize.publish(anonymize.Glove(k=k)(prints), tmp_path / folder, link=tmp_path / link, original=prints)
        )
    result = assess(
        boxes(1),
        release=made[1],
        link=tmp_path / "new.csv",
        earlier=tmp_path / "old",
        earlier_links=tmp_path,
        advise=False,
    )
    answer = result.answer("earlier")
    assert answer.verdict == verdict
    if k == 12:
        assert answer.value <= 1 / 11


def test_yesterdays_counts_tell_how_many_people_are_usual_where(tmp_path):
    """Counts of another day are rates of their own, by the same cells and times."""
    today, yesterday = (visits(night(day, habits=False, people=300)) for day in (1, 0))
    (tmp_path / "old").mkdir()
    anonymize.publish(anonymize.counts(discretize.filled(yesterday)), tmp_path / "old" / "d0")
    release_ = anonymize.publish(anonymize.counts(discretize.filled(today)), tmp_path / "new")
    answer = assess(discretize.filled(today), release=release_, earlier=tmp_path / "old", advise=False).answer(
        "earlier"
    )
    assert answer.verdict == "above" and answer.judged[0].limit == "membership"
    direct = membership(discretize.filled(today), reference=release(tmp_path / "old" / "d0"), targets=500, groups=4)
    assert direct.rates == "reference" and answer.judged[0].value == pytest.approx(direct.auc, abs=0.1)

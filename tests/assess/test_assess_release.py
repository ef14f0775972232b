"""A release is judged on its own ground, and what cannot be answered is missing."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import incrowd as ic
from assess.asking import OF_ROWS, answer, assessed, named
from incrowd import assess, attack, measure
from incrowd.anonymize._publish import publish
from incrowd.assess._assess import prepared
from incrowd.assess.options import Options
from incrowd.assess.questions import QUESTIONS
from incrowd.show import text


@pytest.mark.parametrize(("cell_m", "slot_min"), [(1000, 60), (500, 120), (2000, 30)])
def test_a_coarser_release_is_attacked_on_its_own_grid(traces, cell_m, slot_min):
    release = ic.anonymize.Generalize(cell_m=cell_m, slot_min=slot_min)(traces)
    known = ic.discretize.grid(traces, cell_m=cell_m, slot_min=slot_min)
    found = assessed(traces, release=release)
    full = attack.link(known, release, score="overlap", views=("moments",))
    assert found.answer("release_full").value == full.hit[1] > 0.5
    assert found.answer("lookup").value == attack.lookup(release, known, records=4).value > 0.5
    grain = f"on {cell_m:,} m cells and {slot_min} min slots"
    assert grain in found.answer("lookup").note and grain in found.answer("identified").note


def test_points_with_somebody_far_away_are_put_on_the_grid_of_the_original(traces):
    """One of 21 moves the box, not the squares."""
    users = np.append(np.char.add("p", traces.owner.astype(str)), "far")
    lon, lat = np.append(traces.lon, 9.0), np.append(traces.lat, 54.0)
    points = ic.Traces.from_arrays(users, np.append(traces.t, traces.t[0]), lon, lat)
    release = ic.Release.from_arrays(points, members=[[int(person)] for person in range(21)])
    found = assessed(points, release=release)
    assert found.answer("release_full").value > 0.9
    assert found.answer("lookup").value > 0.9 and found.answer("identified").note.startswith("on 500 m cells")


def test_visits_without_records_cannot_be_put_on_other_cells(traces, visits):
    fine, coarse = named(visits), named(ic.discretize.grid(traces, cell_m=1000, slot_min=60))
    with pytest.raises(ic.DataError, match="the two differ in cell_m"):
        attack.link(fine, coarse)
    found = answer(fine, "later", release=coarse, same_labels=True)
    assert found.verdict == "no answer" and "another cell_m" in found.note and found.due
    nowhere = assessed(fine, release=replace(fine, xy=fine.xy + 1e5), same_labels=True)
    led_nowhere = nowhere.answer("lookup")
    assert led_nowhere.verdict == "no answer" and "another place of its cells" in led_nowhere.note
    assert not nowhere.passed


def test_boxes_tell_whom_they_do_not_hide(traces, prints, tmp_path):
    alone = ic.Release.from_arrays(prints, members=[[person] for person in range(len(prints))])
    assert answer(traces, release=alone).value > 0.9
    pairs = ic.anonymize.Glove(k=2)(prints)
    found = answer(traces, release=pairs)
    assert found.main.value == Fraction(1, 2) and found.main.cap == found.main.judged == found.main.value
    assert found.judged[1].value == 1 and found.number == "50.0 % (10 of 20 people)"
    assert "with everything published 50.0 %; samples that published boxes hold" in found.note
    publish(pairs, tmp_path / "release", link=tmp_path / "link.csv", original=prints)
    folder = assessed(traces, release=tmp_path / "release", link=tmp_path / "link.csv")
    assert [one.value for one in folder.answers] == [one.value for one in assessed(prints, release=pairs).answers]
    assert answer(traces, release=tmp_path / "release").verdict == "no answer"


def test_drawn_people_hide_among_everybody(traces, hidden):
    found = answer(traces, "later", release=hidden[0], people=7)
    assert (
        found.value == pytest.approx(1 / 20) and "7 of 20 people, drawn at random and looked for among 1" in found.note
    )


def test_what_was_due_and_has_no_answer_is_missing(visits):
    found = assessed(visits, limits={"blurring": 1.0})
    assert [(one.name, one.verdict) for one in found.open] == [("blurring", "no answer")] and not found.passed
    assert found.verdict.endswith(f"No answer: blurring ({found.open[0].note}).")
    assert answer(visits, "blurring").verdict == "does not apply"


def visits_of(slot, **clock):
    return ic.Visits.from_arrays([1, 1, 2, 2], [0, 1, 0, 1], slot, xy=[[0, 0], [500, 0]], start=0, **clock)


@pytest.mark.parametrize("shift", [5040, -48])
def test_slots_may_begin_at_any_day(shift):
    slot = np.array([3, 30, 4, 31])
    early, late = (assessed(visits_of(slot + by, slot_min=60)) for by in (0, shift))
    assert early.days == late.days == 2
    for one, other in zip(early.answers, late.answers, strict=True):
        assert (one.name, one.value, one.verdict) == (other.name, other.value, other.verdict)


@pytest.mark.parametrize(("slot_min", "last", "days"), [(7, 1199, 6), (2000, 11, 17), (60, 24, 2), (1440, 2, 3)])
def test_days_of_slots_of_any_length(slot_min, last, days):
    found = assessed(visits_of([0, 1, 0, last], slot_min=slot_min))
    assert found.days == days
    assert not any(one.verdict == "no answer" for one in found.answers if one.about == "linkability")


def test_cells_are_counted_and_words_agree_with_numbers():
    found = assessed(ic.Visits.from_arrays([1, 2], cell=[-(2**62), 2**62], slot=[0, 2**40]))
    assert found.cells == 2 and found.days is None and "(2 people, 2 records, 2 visits; cells; seed 0, " in str(found)
    one = assessed(ic.Visits.from_arrays([1], cell=[0], slot=[0], slot_min=60, start=0))
    assert "(1 person, 1 record, 1 visit, 1 day; cells, 60 min slots; " in str(one)
    assert "slots at night" in one.answer("home_work").attacker
    assert one.answer("later").note == "everything is in one time slot, so there is no later period"


def test_a_release_is_judged_and_not_the_data(traces, hidden):
    """What is wrong with the data closes no gate of a release that hides everybody among 20."""
    _, folder, link = hidden
    found = assessed(traces, release=folder, link=link)
    assert found.passed and {one.name for one in found.held} == {"lookup", "single_visit", "later", "guarantees"}
    assert found.gate == found.to_dict()["gate"] == "passes"
    assert found.verdict == "Nothing above your limits: 4 tests, none missing."
    assert found.answer("identified").note == "the release holds boxes, in which samples are looked up instead"
    page = text(found.section())
    assert "The release. Higher is riskier." in page and "ABOVE" not in page
    before = assessed(traces)
    assert not before.passed and {one.name for one in before.held} == set(OF_ROWS)
    assert "The data as they are. Higher is riskier." in text(before.section())
    assert (found.to_dict()["judges"], before.to_dict()["judges"]) == ("release", "data")


def test_a_release_published_unchanged_is_no_better_than_the_data(visits):
    same = ic.Release.from_arrays(visits, members=[[person] for person in range(20)])
    before, after = assessed(visits), assessed(visits, release=same)
    for name in OF_ROWS:
        assert after.answer(name).value == before.answer(name).value
        assert after.answer(name).verdict == before.answer(name).verdict == "above"


def test_who_holds_everything_is_judged_if_a_limit_is_set(visits):
    same = ic.Release.from_arrays(visits, members=[[person] for person in range(20)])
    free, judged = (answer(visits, "release_full", release=same, limits=set_) for set_ in (None, {"release_full": 0.5}))
    assert free.value == judged.value == 1 and (free.verdict, judged.verdict) == ("no limit", "above")
    assert "not judged" in free.note and judged.note == ""


def test_published_visits_are_asked_who_is_alone(traces, visits):
    release = ic.anonymize.Cut(window_h=6)(visits, pseudonym_seed=1)
    found = answer(visits, "identified", release=release)
    alone = measure.uniqueness(release.data, points=4, short="all")
    assert found.numbers["alone"] == (alone.crowd_sizes[0] == 1).sum()
    assert found.note.startswith("on 500 m cells and 60 min slots; ")
    assert f" of {len(release.data):,} published trajectories)" in found.number


def test_a_release_in_csv_is_judged_like_one_in_parquet(visits, tmp_path):
    cut = ic.anonymize.Cut(window_h=6)(visits)
    link = {"link": tmp_path / "link.csv", "original": visits, "force": True}
    found = [
        assessed(visits, release=publish(cut, tmp_path / file, file=file, **link), link=tmp_path / "link.csv", seed=1)
        for file in ("parquet", "csv")
    ]
    assert found[0].answer("lookup").value is not None and len(found[0].held) == 6
    assert [one.value for one in found[0].answers] == [one.value for one in found[1].answers]


def test_files_that_are_no_data_or_no_release_are_refused_in_a_sentence(traces, visits, hidden, tmp_path):
    with pytest.raises(ic.DataError, match=r"release is a release; give the data it was made from.*--release"):
        assess.assess(hidden[1])
    people = named(visits)
    small = people.save(tmp_path / "small.csv")
    whole = assessed(people, release=people, same_labels=True)
    assert answer(people, release=small, same_labels=True).value == whole.answer("lookup").value
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    with pytest.raises(
        ic.DataError, match=r"notes.csv is not a release.*give the folder of the release, or its visits"
    ):
        assess.assess(traces, release=tmp_path / "notes.csv")
    audited = whole.answer("guarantees")
    assert audited.verdict == "does not apply" and "states no guarantees" in audited.note
    coarse = ic.discretize.filled(ic.discretize.grid(traces, cell_m=500, slot_min=60, keep="vote"))
    with pytest.raises(ic.DataError, match="Counts cannot be assessed; run incrowd attack recover"):
        assess.assess(ic.discretize.counts(coarse).save(tmp_path / "counts.parquet"))


def test_hours_without_a_zone_are_said_to_be_those_of_utc(visits):
    note = answer(visits, "home_work").note
    assert "hours are those of UTC" in note and "--time-zone" in note
    assert "hours are those of Asia/Tokyo" in answer(replace(visits, time_zone="Asia/Tokyo"), "home_work").note


def estimated(data, name, **options):
    return next(one.seconds for one in prepared(data, Options(**options), {}).estimates if one.name == name)


def test_long_trajectories_are_estimated_to_cost_more_than_their_share():
    def walk(hours):
        user, slot = np.repeat(np.arange(300), hours), np.tile(np.arange(hours), 300)
        return ic.Visits.from_arrays(user, slot % 5, slot, slot_min=60, start=0)

    cuts = [(one, ic.anonymize.Cut(window_h=24)(one)) for one in (walk(700), walk(1400))]
    short, long = (estimated(one, "pieces", release=cut) - 1.0 for one, cut in cuts)
    assert long > 2.5 * short
    user, t = np.repeat(np.arange(3), 4000), np.tile(np.arange(4000) * 60, 3)
    traces = ic.Traces.from_arrays(user, t, x=t / 60.0, y=np.zeros(len(t)))
    half = ic.Traces.from_arrays(user[t < 120_000], t[t < 120_000], x=t[t < 120_000] / 60.0, y=np.zeros(6000))
    assert estimated(traces, "blurring") - 0.5 > 3 * (estimated(half, "blurring") - 0.5)


def test_words_agree_with_one_test():
    visits = ic.Visits.from_arrays([1, 2], cell=[0, 1], slot=[0, 0])
    quiet = dict.fromkeys(one.name for one in QUESTIONS if one.name != "identified")
    found = assessed(visits, limits={**quiet, "worst": None}, override="one test")
    assert found.verdict.startswith("Do not publish: 1 of 1 test exceeds your limits. Worst: How many people are iden")
    assert found.gate == "does not pass: 1 above"

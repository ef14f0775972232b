"""Original and release meet on the same ground, and what cannot be answered is open."""

from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd import assess, attack, measure
from incrowd.anonymize._publish import publish
from incrowd.assess._assess import prepared
from incrowd.assess.dataset import dataset
from incrowd.assess.limits import DEFAULTS
from incrowd.assess.options import NEEDS, Options
from incrowd.plain import percent
from incrowd.show import text

QUIET = dict.fromkeys(DEFAULTS)


@pytest.fixture(scope="module")
def traces():
    return ic.read.synthetic_city(users=20, towers=12, days=2, seed=3).traces


def named(table):
    """The same people under names of their own."""
    return replace(table, users=np.char.add("p", table.users.astype(str)))


def answer(data, name="matched", **options):
    return next(one for one in assess.assess(data, **options).answers if one.name == name)


@pytest.mark.parametrize(("cell_m", "slot_min"), [(1000, 60), (500, 120), (2000, 30)])
def test_a_coarser_release_is_attacked_on_its_own_grid(traces, cell_m, slot_min):
    release = ic.anonymize.Generalize(cell_m=cell_m, slot_min=slot_min)(traces)
    known = ic.discretize.grid(traces, cell_m=cell_m, slot_min=slot_min)
    assert (
        answer(traces, release=release).value
        == attack.link(known, release, score="overlap", views=("moments",)).hit[1]
        > 0.5
    )


def test_points_with_somebody_far_away_are_put_on_the_grid_of_the_original(traces):
    users = np.append(np.char.add("p", traces.owner.astype(str)), "far")
    lon, lat = np.append(traces.lon, 9.0), np.append(traces.lat, 54.0)
    points = ic.Traces.from_arrays(users, np.append(traces.t, traces.t[0]), lon, lat)
    release = ic.Release.from_arrays(points, members=[[person] for person in range(20)] + [[0]])
    assert answer(traces, release=release).value > 0.9


def test_visits_without_records_cannot_be_put_on_other_cells(traces):
    fine, coarse = (named(ic.discretize.grid(traces, cell_m=cell_m, slot_min=60)) for cell_m in (500, 1000))
    with pytest.raises(ic.DataError, match="the two differ in cell_m"):
        attack.link(fine, coarse)
    found = answer(fine, release=coarse)
    assert found.verdict == "no answer" and "differ in cell_m" in found.note
    nowhere = replace(fine, xy=fine.xy + 1e5)
    assert "no visit of the original data is in the release" in answer(fine, release=nowhere).note


def test_boxes_tell_whom_they_do_not_hide(traces, tmp_path):
    prints = ic.discretize.fingerprints(traces)
    alone = ic.Release.from_arrays(prints, members=[[person] for person in range(len(prints))])
    assert answer(traces, release=alone).value > 0.9
    hidden = ic.anonymize.Glove(k=2)(prints)
    found = answer(traces, release=hidden)
    assert found.value == 0 and found.verdict == "within" and "8 random samples" in found.attacker
    guess = found.numbers["expected_hit"]
    assert 0.3 < guess <= 0.5 and found.number == "0.0 % (0 of 20 people)"
    assert f"a guess within the crowd is right {percent(guess)} of the time" in found.note
    publish(hidden, tmp_path / "release", link=tmp_path / "link.csv", original=prints)
    folder = answer(traces, release=tmp_path / "release", link=tmp_path / "link.csv")
    assert folder.numbers == found.numbers
    assert answer(traces, release=tmp_path / "release").verdict == "no answer"


def test_drawn_people_hide_among_everybody(traces, monkeypatch):
    prints = ic.discretize.fingerprints(traces)
    monkeypatch.setattr("incrowd.assess.questions.linking.KNOWN_PEOPLE", 7)
    found = answer(traces, release=ic.anonymize.Glove(k=2)(prints))
    assert found.value == 0 and found.numbers["people"] == 7 and found.numbers["found"] == 1


def test_what_was_due_and_has_no_answer_is_open(traces):
    visits = ic.discretize.grid(traces, cell_m=500, slot_min=60)
    assert not assess.assess(visits, limits=QUIET).passed  # nothing was judged
    found = assess.assess(visits, limits=QUIET | {"blurring": 1.0})
    assert [one.verdict for one in found.open] == ["no answer"] and not found.passed
    assert found.verdict == f"Do not publish: 1 test is missing. No answer: blurring ({found.open[0].note})."
    assert answer(visits, "blurring").verdict == "does not apply"


def test_the_better_of_attack_and_guess_is_judged(traces, monkeypatch):
    for guess, judged in ((0.0, "attack"), (1.0, "some guess")):
        monkeypatch.setattr(
            "incrowd.assess.questions.counting.chance_accuracy", lambda *_, guess=guess, **__: {"some guess": guess}
        )
        found = answer(traces, "counts")
        assert found.numbers["judged"] == judged and found.value == max(found.numbers["accuracy"], guess)
        assert ("is right more often than the attack" in found.note) == (judged != "attack")
        assert f"({percent(guess)} by some guess)" in found.note


def visits_of(slot, **clock):
    return ic.Visits.from_arrays([1, 1, 2, 2], [0, 1, 0, 1], slot, xy=[[0, 0], [500, 0]], start=0, **clock)


@pytest.mark.parametrize("shift", [5040, -48])
def test_slots_may_begin_at_any_day(shift):
    slot = np.array([3, 30, 4, 31])
    early, late = (assess.assess(visits_of(slot + by, slot_min=60)) for by in (0, shift))
    assert early.days == late.days == 2
    for one, other in zip(early.answers, late.answers, strict=True):
        assert (one.name, one.value, one.verdict) == (other.name, other.value, other.verdict)


@pytest.mark.parametrize(("slot_min", "last", "days"), [(7, 1199, 6), (2000, 11, 17), (60, 24, 2), (1440, 2, 3)])
def test_days_of_slots_of_any_length(slot_min, last, days):
    found = assess.assess(visits_of([0, 1, 0, last], slot_min=slot_min))
    assert found.days == days
    assert not any(one.verdict == "no answer" for one in found.answers if one.about == "linkability")


def test_days_across_a_change_of_the_clock():
    """25 March 2024 was a Monday, the clocks of Berlin changed on the 31st."""
    start = 1_711_321_200  # midnight in Berlin
    visits = replace(visits_of([170, 171, 170, 171], slot_min=60), start=start, time_zone="Europe/Berlin")
    data = dataset(visits, Options(), {})
    assert data.from_zero.slot.tolist() == [2, 3, 2, 3]
    assert data.from_zero.start == start + 7 * 86_400 - 3600


def test_cells_are_counted_and_words_agree_with_numbers():
    found = assess.assess(ic.Visits.from_arrays([1, 2], cell=[-(2**62), 2**62], slot=[0, 2**40]))
    assert found.cells == 2 and found.days is None and "(2 people, 2 visits; cells; seed 0; " in str(found)
    one = assess.assess(ic.Visits.from_arrays([1], cell=[0], slot=[0], slot_min=60, start=0))
    assert "(1 person, 1 visit, 1 day; cells, 60 min slots; " in str(one)
    assert "slots at night" in next(each.attacker for each in one.answers if each.name == "home_work")


def deciding(found):
    return {one.name for one in found.answers if one.decides}


def test_a_release_is_judged_and_the_data_are_context(traces, tmp_path):
    """Hidden among five: what was wrong with the data closes no gate."""
    prints = ic.discretize.fingerprints(traces)
    release = ic.anonymize.Glove(k=5)(prints)
    publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=prints)
    found = assess.assess(traces, release=tmp_path / "release", link=tmp_path / "link.csv")
    assert found.passed and deciding(found) == {one for one, needs in NEEDS.items() if "release" in needs}
    assert found.gate == found.to_dict()["gate"] == "passes"
    assert found.verdict.startswith("Nothing above your limits: 2 tests, none missing. Of the original data, ")
    assert found.verdict.endswith("Values in brackets describe the original data and do not affect the verdict.")
    groups = [one.group for one in found.answers]
    assert groups == sorted(groups, reverse=True) and set(groups) == {"release", "before"}
    singled = next(one for one in found.before if one.name == "identified")
    assert singled.verdict == "above" and singled.outcome == "(above)" and singled not in found.above
    page = text(found.section())
    assert page.index("The release. Shares") < page.index("The original data. Values in brackets")
    assert "(above)" in page and "ABOVE" not in page
    assert found.to_dict()["judges"] == "release" and assess.assess(traces).to_dict()["judges"] == "data"


def test_a_limit_that_was_set_counts_beside_the_release(traces):
    release = ic.anonymize.Glove(k=5)(ic.discretize.fingerprints(traces))
    quiet = {"guarantees": None}  # pseudonyms of a Release in memory are not those of a folder
    assert assess.assess(traces, release=release, limits=quiet).passed
    found = assess.assess(traces, release=release, limits=quiet | {"identified": 0.1})
    assert [one.name for one in found.above] == ["identified"] and not found.passed
    assert deciding(found) == {"matched", "release_identified", "release_sensitive", "guarantees", "identified"}
    assert found.verdict.startswith("Do not publish: 1 of 2 tests exceeds your limits. Worst: How many people are ")
    assert "Of the original data, you set limits for: identified." in found.verdict


def test_without_a_release_everything_decides(traces):
    found = assess.assess(traces)
    assert deciding(found) == set(DEFAULTS) and not found.before
    assert "original data" not in found.verdict and "(above)" not in text(found.section())


def test_the_gate_stays_shut_where_nothing_about_the_release_was_answered(traces, tmp_path):
    prints = ic.discretize.fingerprints(traces)
    publish(ic.anonymize.Glove(k=5)(prints), tmp_path / "release", original=prints)
    found = assess.assess(traces, release=tmp_path / "release")
    assert not found.passed and [one.name for one in found.open] == ["matched"]  # no link file was given
    assert not assess.assess(traces, release=tmp_path / "release", budget_s=1e-6).passed
    assert found.gate == "does not pass: 1 missing"
    off = dict.fromkeys(("matched", "release_identified", "guarantees"))
    assert not assess.assess(traces, release=tmp_path / "release", limits=off).passed
    counts = ic.discretize.counts(
        ic.discretize.filled(ic.discretize.grid(traces, cell_m=500, slot_min=60, keep="vote"))
    )
    path = counts.save(tmp_path / "counts.parquet")
    found = assess.assess(traces, release=path)
    assert not found.passed
    assert "incrowd attack recover" in next(one.note for one in found.answers if one.name == "matched")


def test_published_visits_are_asked_who_is_alone(traces):
    visits = ic.discretize.grid(traces, cell_m=500, slot_min=60)
    release = ic.anonymize.Cut(window_h=6)(visits, pseudonym_seed=1)
    found = answer(visits, "release_identified", release=release)
    assert found.value == measure.uniqueness(release.data, points=4, short="all").value
    assert found.note.startswith("on the release's 500 m cells, 60 min slots; ")
    assert found.group == "release" and f" of {len(release.data):,} published trajectories)" in found.number
    boxes = ic.anonymize.Glove(k=2)(ic.discretize.fingerprints(traces))
    assert answer(traces, "release_identified", release=boxes).verdict == "does not apply"
    assert answer(visits, "release_identified").note == "no release was given (--release)"


def test_a_release_in_csv_is_judged_like_one_in_parquet(traces, tmp_path):
    visits = ic.discretize.grid(traces, cell_m=500, slot_min=60)
    cut = ic.anonymize.Cut(window_h=6)(visits)
    link = {"link": tmp_path / "link.csv", "original": visits, "force": True}
    found = [
        answer(visits, release=publish(cut, tmp_path / file, file=file, **link), link=tmp_path / "link.csv").value
        for file in ("parquet", "csv")
    ]
    assert found[0] is not None and found[0] == found[1]


def test_files_that_are_no_data_or_no_release_are_refused_in_a_sentence(traces, tmp_path):
    prints = ic.discretize.fingerprints(traces)
    folder = publish(ic.anonymize.Glove(k=2)(prints), tmp_path / "release", original=prints)
    with pytest.raises(ic.DataError, match=r"release is a release; give the data it was made from.*--release"):
        assess.assess(folder)
    visits = named(ic.discretize.grid(traces, cell_m=500, slot_min=60))
    small = visits.save(tmp_path / "small.csv")
    assert "the cells and slots of the release were assumed" in answer(visits, release=small).note
    assert answer(visits, release=small).value == answer(visits, release=visits).value
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    with pytest.raises(
        ic.DataError, match=r"notes.csv is not a release.*give the folder of the release, or its visits"
    ):
        assess.assess(traces, release=tmp_path / "notes.csv")
    saved = answer(visits, "guarantees", release=visits.save(tmp_path / "small.parquet"))
    assert saved.verdict == "does not apply" and "states no guarantees" in saved.note
    coarse = ic.discretize.filled(ic.discretize.grid(traces, cell_m=500, slot_min=60, keep="vote"))
    with pytest.raises(ic.DataError, match="Counts cannot be assessed; run incrowd attack recover"):
        assess.assess(ic.discretize.counts(coarse).save(tmp_path / "counts.parquet"))


def sparse(people, days, seen):
    """One visit a day of everybody for so many days, and of a few all day long in the middle."""
    early = [(u, u % 4, 24 * d) for u in range(people) for d in (0, days - 1)]
    busy = [(u, (u + h) % 4, 24 * (days // 2) + h) for u in range(seen) for h in range(24)]
    user, cell, slot = np.array(early + busy).T
    xy = [[0, 0], [500, 0], [0, 500], [500, 500]]
    return ic.Visits.from_arrays(user, cell, slot, xy=xy, slot_min=60, start=0)


def test_counts_are_of_the_people_of_the_busiest_days(monkeypatch):
    monkeypatch.setattr("incrowd.assess.questions.counting.MOST_DAYS", 2)
    found = answer(sparse(people=30, days=9, seen=6), "counts")
    assert "the 6 of 30 people seen in the busiest 2 of 9 days" in found.note and "drawn" not in found.note
    assert found.numbers["people"] == found.numbers["seen"] == 6


def test_counts_of_interpolated_points_are_no_answer():
    found = answer(sparse(people=30, days=9, seen=0), "counts")
    assert found.verdict == "no answer" and "99 % of the positions would be interpolated" in found.note


def test_hours_without_a_zone_are_said_to_be_those_of_utc(traces):
    visits = ic.discretize.grid(traces, cell_m=500, slot_min=60)
    assert (
        "hours are those of UTC" in answer(visits, "home_work").note
        and "--time-zone" in answer(visits, "home_work").note
    )
    assert "hours are those of Asia/Tokyo" in answer(replace(visits, time_zone="Asia/Tokyo"), "home_work").note


def estimated(data, name):
    return next(one.seconds for one in prepared(data, Options(), {}).estimates if one.name == name)


def test_long_trajectories_are_estimated_to_cost_more_than_their_share():
    def walk(hours):
        user, slot = np.repeat(np.arange(300), hours), np.tile(np.arange(hours), 300)
        return ic.Visits.from_arrays(user, slot % 5, slot, slot_min=60, start=0)

    short, long = (estimated(walk(hours), "pieces") - 0.5 for hours in (700, 1400))
    assert long > 2.5 * short
    user, t = np.repeat(np.arange(3), 4000), np.tile(np.arange(4000) * 60, 3)
    traces = ic.Traces.from_arrays(user, t, x=t / 60.0, y=np.zeros(len(t)))
    half = ic.Traces.from_arrays(user[t < 120_000], t[t < 120_000], x=t[t < 120_000] / 60.0, y=np.zeros(6000))
    assert estimated(traces, "blurring") - 0.5 > 3 * (estimated(half, "blurring") - 0.5)


@pytest.fixture(scope="module")
def moved(traces, tmp_path_factory):
    """A release of moved points, which are numbered like the people, and its link."""
    path = tmp_path_factory.mktemp("moved")
    release = ic.anonymize.W4M(k=2)(traces)
    return publish(release, path / "release", link=path / "link.csv", original=traces), path / "link.csv"


def test_pseudonyms_are_nobodys_labels(traces, moved, tmp_path):
    """Both sides count from 0: equal numbers are no people."""
    folder, link = moved
    told = answer(traces, release=folder, link=link).value
    assert told > 0.2 and answer(traces, release=folder / "data.parquet", link=link).value == told
    assert (
        answer(traces, "guarantees", release=folder / "data.parquet", link=link).value == 0
    )  # it is that of its folder
    copy = tmp_path / "copy.parquet"
    copy.write_bytes((folder / "data.parquet").read_bytes())
    for release in (folder, folder / "data.parquet", copy):
        found = answer(traces, release=release)
        assert found.verdict == "no answer" and "no link file was given" in found.note
    assert not assess.assess(traces, release=folder / "data.parquet").passed
    visits = ic.discretize.grid(traces, cell_m=500, slot_min=60)
    cut = ic.anonymize.Cut(window_h=24)(visits).data
    assert answer(visits, release=cut).verdict == "no answer"
    assert answer(visits, release=cut.save(tmp_path / "cut.csv")).verdict == "no answer"
    other = ic.anonymize.Cut(window_h=6)(visits)
    publish(other, tmp_path / "other", link=tmp_path / "other.csv", original=visits)
    with pytest.raises(ic.DataError, match="another release"):
        assess.assess(traces, release=folder / "data.parquet", link=tmp_path / "other.csv")


def test_a_link_of_other_people_does_not_fit_moved_points(traces, moved, tmp_path):
    folder, link = moved
    rows = [line.split(",") for line in link.read_text().splitlines()[1:]]
    for shift, why in ((0, "does not say to which release it belongs"), (7, "the link does not fit the release")):
        lines = [f"{row[0]},{rows[(i + shift) % len(rows)][1]}" for i, row in enumerate(rows)]
        path = tmp_path / f"{shift}.csv"
        path.write_text("\n".join(["pseudonym,user", *lines]))
        found = answer(traces, release=folder, link=path)
        assert why in found.note and (found.value is None) == bool(shift)
    assert "to which release" not in answer(traces, release=folder, link=link).note


def test_of_a_cut_short_link_people_are_not_named(traces, moved, tmp_path):
    folder, link = moved
    (tmp_path / "short.csv").write_text("\n".join(link.read_text().splitlines()[:6]))
    assert (
        "15 people are not named by the link file" in answer(traces, release=folder, link=tmp_path / "short.csv").note
    )
    prints = ic.discretize.fingerprints(traces)
    boxes = publish(ic.anonymize.Glove(k=2)(prints), tmp_path / "boxes", link=tmp_path / "b.csv", original=prints)
    rows = (tmp_path / "b.csv").read_text().splitlines()
    (tmp_path / "few.csv").write_text("\n".join(rows[:4]))
    assert "17 people are not named by the link file" in answer(traces, release=boxes, link=tmp_path / "few.csv").note


def test_moved_points_are_asked_who_is_alone_on_the_grid(traces, moved):
    folder, _ = moved
    found = answer(traces, "release_identified", release=folder)
    assert found.verdict == "above" and "points of the release were put on cells of 500 m" in found.note
    points = ic.read.release(folder)
    grid = ic.discretize.grid(points, cell_m=500, slot_min=60)
    assert found.value == measure.uniqueness(grid, points=4, short="all").value


def test_what_a_release_publishes_may_be_inferred(tmp_path):
    """Everybody in a cell has the same illness, and nobody is alone there."""
    user = np.repeat(np.arange(40), 2)
    cell, slot = user // 4, np.tile([0, 1], 40)
    ill = {"ill": [f"kind {u // 4}" for u in range(40)]}
    xy = np.column_stack([np.arange(10) * 500.0, np.zeros(10)])
    visits = ic.Visits.from_arrays(user, cell, slot, xy=xy, slot_min=60, start=0, attributes=ill)
    shown = ic.anonymize.LKC(l=2, k=4, c=1.0, sensitive="ill")(visits)
    how = {"sensitive": "ill", "limits": {"matched": 1.0}}
    for release in (shown, shown.data.save(tmp_path / "bare.csv"), publish(shown, tmp_path / "csv", file="csv")):
        found = assess.assess(visits, release=release, **how)
        told = next(one for one in found.answers if one.name == "release_sensitive")
        assert told.value == 1 and told.decides and "release_sensitive" in [one.name for one in found.above]
        assert "(40 of 40 published trajectories)" in told.number and "cells and slots of the release" in told.attacker
        assert not found.passed
    few = answer(visits, "release_sensitive", release=shown, sensitive="ill", values=["kind 3"])
    assert few.numbers["carriers"] == 4
    hidden = ic.anonymize.LKC(l=2, k=4)(visits)
    quiet = answer(visits, "release_sensitive", release=hidden, sensitive="ill")
    assert quiet.verdict == "does not apply" and quiet.note == "the release does not publish it"
    assert "no release was given" in answer(visits, "release_sensitive", sensitive="ill").note
    with pytest.raises(ic.ParameterError, match="about the sensitive attribute, which was not given"):
        assess.assess(visits, release=shown, limits={"release_sensitive": 0.1})


def test_words_agree_with_one_test():
    visits = ic.Visits.from_arrays([1, 2], cell=[0, 1], slot=[0, 0])
    found = assess.assess(visits, limits=QUIET | {"identified": 0.1})
    assert found.verdict.startswith(
        "Do not publish: 1 of 1 test exceeds your limits. Worst: How many people are identified"
    )
    assert found.gate == "does not pass: 1 above"

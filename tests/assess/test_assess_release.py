"""Original and release meet on the same ground, and what cannot be answered is open."""

from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd import assess, attack
from incrowd.anonymize.folder import publish
from incrowd.assess.dataset import dataset
from incrowd.assess.options import Options
from incrowd.assess.thresholds import DEFAULTS

QUIET = dict.fromkeys(DEFAULTS)


@pytest.fixture(scope="module")
def traces():
    return ic.read.synthetic_city(users=20, towers=12, days=2, seed=3).traces


def answer(data, name="release", **options):
    return next(one for one in assess.assess(data, **options).answers if one.name == name)


@pytest.mark.parametrize(("cell_m", "slot_min"), [(1000, 60), (500, 120), (2000, 30)])
def test_a_coarser_release_is_attacked_on_its_own_grid(traces, cell_m, slot_min):
    release = ic.anonymize.Generalize(cell_m=cell_m, slot_min=slot_min)(traces)
    known = ic.discretize.grid(traces, cell_m=cell_m, slot_min=slot_min)
    assert answer(traces, release=release).value == attack.link(known, release).hit[1] > 0.5


def test_points_with_somebody_far_away_are_put_on_the_grid_of_the_original(traces):
    users = np.append(np.char.add("p", traces.owner.astype(str)), "far")
    lon, lat = np.append(traces.lon, 9.0), np.append(traces.lat, 54.0)
    points = ic.Traces.from_arrays(users, np.append(traces.t, traces.t[0]), lon, lat)
    release = ic.Release.from_arrays(points, members=[[person] for person in range(20)] + [[0]])
    assert answer(traces, release=release).value > 0.9


def test_visits_without_records_cannot_be_put_on_other_cells(traces):
    fine, coarse = (ic.discretize.grid(traces, cell_m=cell_m, slot_min=60) for cell_m in (500, 1000))
    with pytest.raises(ic.DataError, match="the two differ in cell_m"):
        attack.link(fine, coarse)
    found = answer(fine, release=coarse)
    assert found.verdict == "no answer" and "differ in cell_m" in found.note
    nowhere = replace(fine, xy=fine.xy + 1e5)
    assert "nobody has a visit that meets" in answer(fine, release=nowhere).note


def test_boxes_tell_whom_they_do_not_hide(traces, tmp_path):
    prints = ic.discretize.fingerprints(traces)
    alone = ic.Release.from_arrays(prints, members=[[person] for person in range(len(prints))])
    assert answer(traces, release=alone).value > 0.9
    hidden = ic.anonymize.Glove(k=2)(prints)
    found = answer(traces, release=hidden)
    assert found.value == 0 and found.verdict == "within" and "8 random samples" in found.note
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
    assert assess.assess(visits, thresholds=QUIET).passed
    found = assess.assess(visits, thresholds=QUIET | {"k_gap": 1.0})
    assert [one.verdict for one in found.open] == ["no answer"] and not found.passed
    assert found.verdict == "Nothing was held against a threshold; without an answer: k_gap."
    assert answer(visits, "k_gap").verdict == "does not apply"


def test_the_better_of_attack_and_guess_is_judged(traces, monkeypatch):
    for guess, judged in ((0.0, "attack"), (1.0, "some guess")):
        monkeypatch.setattr(
            "incrowd.assess.questions.counting.chance_accuracy", lambda *_, guess=guess, **__: {"some guess": guess}
        )
        found = answer(traces, "counts")
        assert found.numbers["judged"] == judged and found.value == max(found.numbers["accuracy"], guess)
        assert ("some guess" in found.note) == (judged != "attack")


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
    assert found.cells == 2 and found.days is None and str(found).startswith("2 people, 2 visits (cells)")
    one = assess.assess(ic.Visits.from_arrays([1], cell=[0], slot=[0], slot_min=60, start=0))
    assert str(one).startswith("1 person, 1 visit, 1 day (cells x 60 min)")
    assert "slots at night" in next(each.attacker for each in one.answers if each.name == "home_work")

"""What each test will take, by the sizes of the arrays that it makes; said before anything runs."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.assess._assess import prepared
from incrowd.assess.options import Options
from incrowd.assess.questions import linking, singling
from incrowd.attack.link import pair_scores
from incrowd.attack.link.meeting import Meeting
from incrowd.attack.link.views import tallied
from incrowd.attack.lookup import caps_of, records_for_caps
from incrowd.attack.lookup.holders import BoxHolder
from incrowd.measure.glove.stretch import layout


def city(users, days=3):
    return ic.read.synthetic_city(users=users, towers=12, days=days, seed=1)


def sizes(data, **options):
    plan = prepared(data, Options(**options), {})
    return {one.name: one.bytes for one in plan.estimates if not one.lacks}


def visits_of(made):
    return ic.discretize.towers(made.traces, made.towers, slot_min=60)


def released(made, kind):
    """Data, and a release of them."""
    visits = visits_of(made)
    if kind == "counts":
        people = ic.discretize.filled(visits)
        return people, ic.anonymize.counts(people)
    return visits, ic.anonymize.Cut()(visits)


def test_more_data_take_more_memory_in_every_test():
    small, large = (sizes(city(users).traces) for users in (20, 60))
    assert {"lookup", "identified", "later", "blurring"} <= set(small) and min(small.values()) > 0
    assert all(small[name] < large[name] for name in small)


@pytest.mark.parametrize(("kind", "tests"), [("counts", {"counts", "membership"}), ("rows", {"pieces", "guarantees"})])
def test_so_do_more_data_in_a_release(kind, tests):
    small, large = (sizes(data, release=release) for data, release in (released(city(n), kind) for n in (20, 60)))
    assert tests <= set(small) and all(0 < small[name] < large[name] for name in small)


def test_people_of_features_are_the_rows_that_linking_counts():
    visits = visits_of(city(30))
    rows = [tallied(visits, visits, view).known for view in ("rhythm", "places")]
    assert linking._sharing(visits).people == sum(len(one.owner) for one in rows)
    assert linking._sharing(visits).pairs == sum((np.bincount(one.feature) ** 2).sum() for one in rows)
    scores = pair_scores(visits, visits, "histogram", ("places", "rhythm"), Meeting(), 0)
    assert len(scores._pair_lists(np.arange(30)).weights) <= linking._sharing(visits).pairs


def test_linking_takes_longer_if_pairs_are_looked_for_twice_and_more_memory_with_more_threads(monkeypatch):
    data = prepared(city(30).traces, Options(), {}).data
    once = linking.later_s(data)
    monkeypatch.setattr(linking, "ALL_PAIRS", 0)
    assert linking.later_s(data) > once
    memories = []
    for number in ("1", "4"):
        monkeypatch.setenv("INCROWD_THREADS", number)
        memories.append(linking.later_memory(data))
    assert memories[0] < memories[1]


def test_counts_of_people_who_move_take_longer_to_reconstruct():
    people = [np.arange(10).repeat(48), np.tile(np.arange(48), 10)]
    places = np.column_stack([np.arange(10) * 500.0, np.zeros(10)])
    still, moving = (
        ic.Visits.from_arrays(people[0], cell=cell, slot=people[1], slot_min=60, xy=places)
        for cell in (people[0], people[1] % 10)
    )
    seconds = []
    for visits in (still, moving):
        plan = prepared(visits, Options(release=ic.anonymize.counts(visits)), {})
        seconds.append(next(one.seconds for one in plan.estimates if one.name == "counts"))
    assert seconds[0] < seconds[1]


def test_kernels_that_several_tests_use_are_compiled_for_the_first(monkeypatch):
    monkeypatch.setattr("incrowd.assess.prepared.compile_s", lambda _: 1.0)
    visits = visits_of(city(20))
    plan = prepared(visits, Options(release=ic.anonymize.Cut()(visits)), {})
    named = {one.name: one.compile_s for one in plan.estimates if not one.lacks}
    assert (named["later"], named["pieces"]) == (2, 1)  # linking and matching first; then gains alone


def test_the_sketch_of_a_period_is_as_large_as_that_of_the_search():
    from incrowd.kernels.cpu.glove.prints import prints_of

    traces = city(30, days=40).traces
    laid = layout(ic.discretize.fingerprints(traces))
    prints = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
    held = sum(column.nbytes for column in (prints.quiet, prints.coarse, prints.calm, prints.hours))
    assert singling._sketch(traces, 30) == pytest.approx(held, rel=0.01) and held > 1_000_000


def test_all_tests_together_take_the_memory_of_the_largest():
    plan = prepared(city(20).traces, Options(), {})
    assert plan.estimate.bytes == max(sizes(city(20).traces).values())
    assert plan.estimate.seconds == pytest.approx(sum(one.seconds for one in plan.estimates))


def test_a_release_of_many_pieces_takes_longer_to_look_up():
    visits = visits_of(city(30))
    pieces = ic.anonymize.Cut()(visits)
    assert len(pieces.data) > len(visits)
    alone, cut = (prepared(visits, Options(release=release), {}).estimates[0] for release in (visits, pieces))
    assert alone.name == "lookup" and cut.seconds > alone.seconds


def test_boxes_take_longer_the_more_of_them_a_sample_is_compared_with():
    traces = city(30).traces
    prints = ic.discretize.fingerprints(traces)
    few, many = (ic.anonymize.Glove(k=k, device="cpu")(prints) for k in (11, 2))
    seconds = [
        {one.name: one.seconds for one in prepared(traces, Options(release=release), {}).estimates}
        for release in (few, many)
    ]
    assert all(seconds[0][name] < seconds[1][name] for name in ("lookup", "single_visit"))


def test_records_looked_up_for_the_caps_are_counted_if_rows_are_few(monkeypatch):
    boxes = ic.anonymize.Glove(k=2, device="cpu")(ic.discretize.fingerprints(city(30).traces))
    holder = BoxHolder.over(boxes.data, boxes.data)
    said = records_for_caps(boxes.data, holder)
    asked = []
    rows = BoxHolder.rows
    monkeypatch.setattr(BoxHolder, "rows", lambda self, records: asked.append(len(records)) or rows(self, records))
    caps_of(boxes, ic.discretize.fingerprints(city(30).traces))
    assert said == sum(asked) > len(boxes.data)

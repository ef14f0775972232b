"""The paper's running example, its other statements, and real tables in place of the experiments it left out."""

from itertools import combinations

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize.lkc import LKC
from incrowd.measure.lkc import frequent_sequences, violating_sequences
from incrowd.measure.lkc.suppression import candidate_scores
from incrowd.papers import mohammed2009
from incrowd.papers.mohammed2009 import METHOD, _pairs, _path, _word, running_example, table_1, typical_day


def words(sequences):
    return {_word(sequence) for sequence in sequences}


@pytest.mark.parametrize("row", running_example(), ids=lambda row: f"{row.where}: {row.what}")
def test_every_number_agrees(row):
    assert row.ours == row.theirs


def test_frequent_sequences_before_and_after():
    before = "b2c5c7 b2c7e8 b2f6c7 c5e8 c5f6 d3c4f6 d3c7 d3e8 f6c7e8"
    after = "c5c7 c5e8 c5f6 d3c7 d3e8 d3f6 f6c7e8"
    told = METHOD(table_1()).provenance["suppression"]
    assert words(told.frequent_before.to_list()) == set(before.split())
    assert words(told.frequent_after.to_list()) == set(after.split())
    assert told.preserved == 5
    assert [(_word([pair]), str(score.value)) for pair, score in told.rounds] == [("c4", "3/2"), ("b2", "1/2")]


def test_only_support_two_gives_table_3():
    asked = (METHOD.k, METHOD.c, METHOD.sensitive, METHOD.values)
    violating = violating_sequences(table_1(), METHOD.l, *asked)
    losses = {"b2": 3, "d3": 3, "c4": 1, "f6": 4, "c7": 5, "e8": 4}

    def table_3(support):
        scores = candidate_scores(violating, frequent_sequences(table_1(), support))
        return {_word([pair]): score.loss for pair, score in scores.items()}

    assert [support for support in range(1, 9) if table_3(support) == losses] == [2]


def test_recomputed_scores_are_not_those_of_table_4():
    visits = table_1()
    one = LKC(**{**METHOD.__dict__, "scores": "recompute"})(visits)
    assert [_word([pair]) for pair in one.suppressed] == ["c4", "b2"]
    keep = ~((visits.cell == 2) & (visits.slot == 4))
    left = ic.Visits.from_arrays(visits.owner[keep], visits.cell[keep], visits.slot[keep])
    violating = [v for v in violating_sequences(visits, 2, 2, 0.5, "diagnosis", ["AIDS"]) if (2, 4) not in v]
    losses = {_word([p]): s.loss + 1 for p, s in candidate_scores(violating, frequent_sequences(left, 2)).items()}
    assert (losses["d3"], losses["f6"]) == (4, 5)


def test_four_pairs_give_two_anonymity_but_not_only_those():
    visits = table_1()
    pairs = sorted({pair for u in range(8) for pair in _path(visits, u)})

    def twice(gone):
        paths = [tuple(p for p in _path(visits, u) if p not in gone) for u in range(8)]
        return all(paths.count(path) > 1 for path in paths)

    enough = [words([[p] for p in gone]) for size in range(5) for gone in combinations(pairs, size) if twice(gone)]
    assert {"b2", "d3", "c4", "c5"} in enough and {"d3", "c4", "c5", "f6"} in enough
    assert min(map(len, enough)) == 4


def test_containment_is_weaker_than_equality():
    three = ic.Visits.from_arrays([0, 1, 1, 2, 2], cell=[0, 0, 1, 0, 1], slot=[1, 1, 2, 1, 2])
    assert violating_sequences(three, 2, 2) == []  # although the first path is alone
    gone = [pair for word in ("b2", "c7", "e8") for pair in _pairs(word)]
    all_of_table_1 = violating_sequences(table_1(), 7, 2)
    assert all(set(v) & set(gone) for v in all_of_table_1)


def test_a_typical_day_keeps_the_usual_cell():
    visits = ic.Visits.from_arrays([1, 1, 1, 2], cell=[4, 5, 5, 3], slot=[8, 32, 56, 25], slot_min=60)
    day = typical_day(visits)
    assert (day.cell.tolist(), day.slot.tolist(), np.diff(day.offsets).tolist()) == ([5, 3], [8, 1], [1, 1])
    with pytest.raises(ic.DataError, match="slots that divide the day"):
        typical_day(ic.Visits.from_arrays([1], [1], [1], slot_min=7))


@pytest.mark.real
def test_bike_riders_on_a_typical_day(shared_data):
    visits = typical_day(bike_visits(shared_data))
    cost = mohammed2009.experiments(visits, name="bike riders", l=(1, 2), k=(2, 10), c=(0.5, 1.0), min_support=(20, 50))
    shares = [run.suppressed_visits for run in cost.along("l")]
    assert 0 < shares[0] < shares[1] < 1
    k2, k10 = cost.along("k")
    assert k2.violating > 0 and k2.suppressed_visits < k10.suppressed_visits
    release = LKC(l=3, k=5, min_support=20)(visits)
    assert violating_sequences(release.data, 3, 5) == []


@pytest.mark.real
def test_taxis_on_a_typical_day(shared_data):
    traces = ic.read.table(shared_data / "cabspotting_sf_week.parquet")
    visits = typical_day(ic.discretize.blocks(traces, blocks=10, slot_min=60, keep="vote"))
    release = LKC(l=3, k=5, min_support=50, scores="recompute")(visits)
    assert violating_sequences(release.data, 3, 5) == []
    told = release.provenance["suppression"]
    assert told.frequent_after.to_list() == frequent_sequences(release.data, 50)


def bike_visits(folder):
    import pyarrow.parquet as pq

    stations = pq.read_table(folder / "valleybike_stations.parquet", columns=["lon", "lat"])
    towers = np.column_stack([stations["lon"].to_numpy(), stations["lat"].to_numpy()])
    traces = ic.read.table(folder / "valleybike_events_clean.parquet")
    return ic.discretize.towers(traces, towers, slot_min=60, time_zone="America/New_York")


def test_a_typical_day_keeps_what_people_are():
    visits = ic.Visits.from_arrays([1, 2, 1], [4, 5, 4], [0, 30, 24], slot_min=60, attributes={"ill": ["yes", "no"]})
    assert mohammed2009.typical_day(visits).attributes["ill"].tolist() == ["yes", "no"]

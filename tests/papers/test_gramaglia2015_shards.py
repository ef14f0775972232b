from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize.glove import Glove
from incrowd.measure.glove.accuracy import accuracy
from incrowd.papers.gramaglia2015.cost import ShardCost, shard_cost
from incrowd.show import section_of


@pytest.fixture(scope="module")
def country():
    return ic.read.synthetic_city(users=80, towers=30, days=3, profile="cdr").fingerprints()


def test_shards_are_measured_against_the_whole(country):
    found = shard_cost(country, k=2, parts=(2, 4, 40))
    assert [(run.shard_users, run.shards) for run in found.runs] == [(None, 1), (40, 2), (20, 4)]
    whole, halves, quarters = found.runs
    assert whole.pairs > halves.pairs > quarters.pairs
    release = Glove(k=2, shard_users=20)(country)
    measured = accuracy(release, country)
    assert (quarters.mean_m, quarters.median_min) == (measured.mean["pos_extent"], measured.median["time_extent"])
    assert quarters.stretch == pytest.approx(np.mean([cost for *_, cost in release.merges]))
    late = (measured.pos_extent > 15_000) | (measured.time_extent > 360)
    assert quarters.beyond == late.mean()


def test_the_section_says_what_they_cost(country):
    said = section_of(shard_cost(country, k=2, parts=(2, 4)))
    assert "in 4 shards" in said.answer and said.number.endswith("%")
    assert [row[0] for row in said.tables[0].rows] == ["everybody", "40", "20"]
    whole, *others = shard_cost(country, k=2, parts=(2,)).runs
    cheaper = replace(others[0], stretch=whole.stretch * 0.95)
    assert section_of(ShardCost(2, 80, 1, (whole, cheaper))).number == "-5 %"
    alone = section_of(shard_cost(country, k=30, parts=(2,)))
    assert "too few to be divided" in alone.answer and len(alone.tables[0].rows) == 1

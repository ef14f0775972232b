"""Every record an assessment holds goes through a pipe and comes back the same."""

import pickle

import numpy as np
import pytest

import incrowd as ic
from incrowd import anonymize, attack, audit, discretize, measure
from incrowd.assess._assess import prepared
from incrowd.assess.options import Options
from incrowd.show import Result


@pytest.fixture(scope="module")
def city():
    return ic.read.synthetic_city(users=30, towers=10, days=3, seed=1)


@pytest.fixture(scope="module")
def visits(city):
    return discretize.towers(city.traces, city.towers, slot_min=60, fill="interpolate")


@pytest.fixture(scope="module")
def records(city, visits, tmp_path_factory):
    """One of every kind."""
    cut = anonymize.Cut(window_h=6)(visits, pseudonym_seed=1)
    prints = discretize.fingerprints(city.traces)
    folder = anonymize.publish(cut, tmp_path_factory.mktemp("made") / "release")
    counts = discretize.counts(visits)
    recovered = attack.recover(counts)
    return [
        city.traces,
        visits,
        prints,
        counts,
        cut,
        attack.link(visits, cut),
        attack.link(visits, visits, one_to_one=True),
        attack.lookup(cut, visits),
        attack.membership(visits, targets=5, groups=1),
        attack.relink(cut, points=2),
        recovered,
        attack.recovery_score(recovered, visits),
        attack.home_work(visits),
        measure.uniqueness(visits),
        measure.exposure(visits),
        measure.kgap(prints),
        measure.tails(prints, k=2),
        measure.summary(city.traces),
        measure.cut_risk(visits, discretize.windows(visits, window_h=6), points=2),
        measure.utility(visits, cut),
        audit.check(folder),
    ]


def same(one, other):
    """Whether two records say the same: their printed form, their values, and arrays to the last bit."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, Result):
        return one.to_dict() == other.to_dict() and str(one) == str(other)
    return repr(one) == repr(other)


def test_every_record_travels(records):
    for record in records:
        back = pickle.loads(pickle.dumps(record, protocol=5))
        assert type(back) is type(record) and same(record, back), type(record).__name__
        held, returned = vars(record), vars(back)
        assert held.keys() == returned.keys()
        for name, value in held.items():
            if isinstance(value, np.ndarray):
                assert same(value, returned[name]), name
                if value.flags.c_contiguous:
                    assert value.flags.writeable == returned[name].flags.writeable, name


def test_what_a_linkage_works_out_later_is_the_same_after_the_journey(records):
    for linkage in (record for record in records if isinstance(record, attack.Linkage)):
        back = pickle.loads(pickle.dumps(linkage))
        assert back.named(0.5).known.tolist() == linkage.named(0.5).known.tolist()


def test_the_data_of_an_assessment_travel(city, records):
    release = next(record for record in records if isinstance(record, ic.Release))
    data = prepared(city.traces, Options(towers=city.towers, release=release), {}).data
    back = pickle.loads(pickle.dumps(data))
    assert np.array_equal(back.visits.cell, data.visits.cell) and back.traces.records == data.traces.records
    assert back.options.limit("identified") == data.options.limit("identified")

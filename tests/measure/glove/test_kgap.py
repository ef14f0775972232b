from importlib import import_module

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from boxes import crowds, prints
from incrowd.errors import DataError, MissingExtra, ParameterError
from incrowd.measure.glove import kgap, kgaps
from incrowd.measure.glove.stretch import stretch

kgap_module = import_module("incrowd.measure.glove")  # the package shows the function of that name
ALL = settings(deadline=None, max_examples=50)
E6 = "0,0,0 | 0,0,96 | 4000,0,0"


def test_the_gap_is_the_mean_stretch_to_the_nearest():
    data = prints(E6)
    two, three = kgap(data, k=2), kgap(data, k=3)
    np.testing.assert_allclose(two.value, [0.1, 0.1, 0.1], rtol=1e-15)
    np.testing.assert_allclose(three.value, [0.1, 0.15, 0.15], rtol=1e-15)
    assert two.neighbours.tolist() == [[1], [0], [0]]
    assert three.neighbours.tolist() == [[1, 2], [0, 2], [0, 1]]
    assert (two.device, two.k, two.users) == ("cpu", 2, 3)


@ALL
@given(crowds(most_users=10, crowd=True, sizes=True), st.integers(2, 5))
def test_the_mean_of_the_smallest(data, k):
    assume(len(data) >= k)
    found = kgap(data, k=k)
    for a in range(len(data)):
        others = sorted((stretch(data, a, b), b) for b in range(len(data)) if b != a)[: k - 1]
        assert found.neighbours[a].tolist() == [b for _, b in others]
        assert found.value[a] == pytest.approx(np.mean([v for v, _ in others]), abs=1e-15)


@ALL
@given(crowds(least_users=3))
def test_hiding_among_more_is_never_easier(data):
    values = [kgap(data, k=k).value for k in range(2, len(data) + 1)]
    assert (np.diff(values, axis=0) >= -1e-15).all()


@ALL
@given(crowds(least_users=3))
def test_one_more_user_helps(data):
    fewer = data.offsets[-2]
    columns = {name: getattr(data, name)[:fewer] for name in ("x", "y", "t", "dx", "dy", "dt")}
    without = ic.Fingerprints.from_arrays(data.users[data.owner][:fewer], **columns)
    assert (kgap(data).value[:-1] <= kgap(without).value).all()


@ALL
@given(crowds(least_users=3, most_users=10, crowd=True), st.integers(1, 9), st.integers(0, 3))
def test_those_drawn_are_compared_with_everybody(data, samples, seed):
    assume(samples < len(data))
    drawn, everybody = kgaps(data, k=[2, 3], samples=samples, seed=seed), kgaps(data, k=[2, 3])
    for some, all_of in zip(drawn, everybody, strict=True):
        assert len(set(some.drawn.tolist())) == samples == some.users and (np.diff(some.drawn) > 0).all()
        assert some.value.tolist() == all_of.value[some.drawn].tolist()
        assert some.neighbours.tolist() == all_of.neighbours[some.drawn].tolist()
        assert some.columns()["position"].tolist() == some.drawn.tolist()
        assert some.people == data.crowd[some.drawn].sum()


def test_a_draw_says_so_and_more_than_all_are_all():
    data = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")
    assert kgap(data, samples=3, seed=5).section().options == "k = 2; 3 people drawn from 4, seed 5; on the CPU"
    assert len({tuple(kgap(data, samples=2, seed=seed).drawn.tolist()) for seed in range(9)}) > 1
    assert kgap(data, samples=4).drawn is None
    with pytest.raises(DataError, match="2-gap of 3 users"):
        ic.measure.tails(data, gap=kgap(data, samples=3))


@pytest.mark.parametrize("wrong", [{"samples": 0}, {"samples": 1.5}, {"samples": 2, "seed": -1}])
def test_a_draw_of_nobody_is_refused(wrong):
    with pytest.raises(ParameterError, match="must be a whole number"):
        kgap(prints(E6), **wrong)


def test_samples_are_not_asked_of_a_gpu():
    with pytest.raises(ParameterError, match="leave device or samples out"):
        kgap(prints(E6), samples=2, device="gpu")


def test_a_twin_is_hidden():
    assert kgap(prints("0,0,0; 0,0,9 | 500,0,0 | 0,0,0; 0,0,9")).value.tolist()[::2] == [0, 0]


@ALL
@given(crowds(least_users=4), st.lists(st.integers(2, 4), min_size=1, max_size=4))
def test_several_k_are_those_of_each_once(data, k):
    found = kgaps(data, k=k)
    assert [gap.k for gap in found] == list(dict.fromkeys(k))
    for gap in found:
        alone = kgap(data, k=gap.k)
        assert gap.value.tolist() == alone.value.tolist()
        assert gap.neighbours.tolist() == alone.neighbours.tolist()


def test_several_k_are_one_scan(monkeypatch):
    asked, scan = [], kgap_module.scan
    monkeypatch.setattr(kgap_module, "scan", lambda laid, **how: asked.append(how["take"]) or scan(laid, **how))
    kgaps(prints(E6), k=[2, 3, 2])
    assert asked == [2]


def test_refusals():
    with pytest.raises(ParameterError, match="at least one size"):
        kgaps(prints(E6), k=[])
    with pytest.raises(DataError, match="a 4-gap needs at least 4 people, and there are"):
        kgaps(prints(E6), k=[2, 4])
    with pytest.raises(DataError, match="4 people"):
        kgap(prints(E6), k=4)
    with pytest.raises(ParameterError):
        kgap(prints(E6), k=1)
    with pytest.raises(DataError, match=r"kgap needs Fingerprints, got Visits"):
        kgap(ic.Visits.from_arrays([1, 2], [0, 1], [0, 1]))
    with pytest.raises(MissingExtra):
        kgap(prints(E6), device="gpu")


@pytest.mark.parametrize("bad", [5, "x", None, [1, 2]])
def test_only_fingerprints_are_measured(bad):
    with pytest.raises(
        DataError, match=r"^kgap needs Fingerprints, got .*; make them with .ic\.discretize\.fingerprints"
    ):
        kgap(bad)

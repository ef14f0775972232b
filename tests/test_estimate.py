"""One way to write the time and the memory that work will take."""

from incrowd.estimate import Estimate, memory
from incrowd.measure import SweepCost
from incrowd.plain import plain


def test_time_and_memory_are_rough_and_have_units():
    assert Estimate(seconds=0.01).about == "about 1 s"
    assert Estimate(seconds=119, bytes=0).about == "about 119 s, 1 MiB"
    assert Estimate(seconds=7200, bytes=9_999 << 20).about == "about 2.0 h, 9,999 MiB"
    assert memory(10_000 << 20) == "9.8 GiB"


def test_memory_that_is_not_estimated_is_left_out():
    assert plain(Estimate(seconds=2.0)) == {"seconds": 2.0}
    assert plain(Estimate(seconds=2.0, bytes=3)) == {"seconds": 2.0, "bytes": 3}


def test_an_estimate_of_a_sweep_in_one_sentence():
    assert str(SweepCost(seconds=4321, bytes=500 << 20, todo=1200, cached=3)) == (
        "about 72 min, 500 MiB on top of the traces for 1,200 resolutions; 3 more are in the cache"
    )

"""One way to write the time and the memory that work will take."""

import os
import subprocess
import sys
from importlib import import_module

import incrowd as ic
from incrowd.estimate import Estimate, memory
from incrowd.kernels import COMPILE_S
from incrowd.measure import SweepEstimate
from incrowd.plain import plain


def test_time_and_memory_are_rough_and_have_units():
    assert Estimate(seconds=0.01).about == "less than 1 s"
    assert Estimate(seconds=3, compile_s=19).about == "about 3 s, and about 19 s once to compile"
    assert Estimate(seconds=119, bytes=0).about == "about 119 s, 1 MiB"
    assert Estimate(seconds=7200, bytes=9_999 << 20).about == "about 2.0 h, 9,999 MiB"
    assert memory(10_000 << 20) == "9.8 GiB"


def test_more_memory_than_is_free_is_said(monkeypatch):
    monkeypatch.setattr("incrowd.estimate.free_memory", lambda: 300 << 20)
    more = "more than the 300 MiB of free memory"
    assert Estimate(seconds=3, bytes=310 << 20).about == f"about 3 s, 310 MiB ({more})"
    assert Estimate(seconds=3, bytes=300 << 20).about == "about 3 s, 300 MiB"
    assert more in str(SweepEstimate(seconds=1, bytes=500 << 20, traces_bytes=0, todo=1, cached=0))


def test_memory_that_is_not_estimated_is_left_out():
    assert plain(Estimate(seconds=2.0)) == {"seconds": 2.0}
    assert plain(Estimate(seconds=2.0, bytes=3)) == {"seconds": 2.0, "bytes": 3}


def test_an_estimate_of_a_sweep_in_one_sentence():
    assert str(SweepEstimate(seconds=4321, bytes=500 << 20, traces_bytes=3 << 30, todo=1200, cached=3)) == (
        "1,200 resolutions: about 72 min, 500 MiB on top of the 3,072 MiB of the traces; 3 more are in the cache"
    )


def test_compiling_is_foretold_where_nothing_is_compiled_yet(tmp_path):
    """In a process of its own, whose cache is empty."""
    code = "from incrowd.kernels import compile_s; print(compile_s('uniqueness'))"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{float(COMPILE_S['uniqueness'])}\n"


def test_the_estimates_of_an_assessment_and_a_comparison_say_what_compiling_adds(monkeypatch):
    assessing = import_module("incrowd.assess._assess")
    comparing = import_module("incrowd.assess.compare")
    estimating = import_module("incrowd.assess.compare")
    seconds = {"uniqueness": 2.0, "link": 4.0, "matching": 1.0, "glove": 19.0, "transport": 25.0}
    monkeypatch.setattr("incrowd.assess.prepared.compile_s", seconds.get)
    monkeypatch.setattr(estimating, "compile_s", {"glove": 19.0, "lkc": None}.get)
    traces = ic.read.synthetic_city(users=12, towers=6, days=2, seed=0).traces
    plan = assessing.prepared(traces, assessing.Options(), {})
    named = {each.name: each for each in plan.estimates}
    assert str(named["identified"]).endswith(", and about 2 s once to compile")
    assert (named["later"].compile_s, named["blurring"].compile_s) == (5, 19)
    assert plan.estimate.compile_s == 26  # no counts are published
    options = comparing.CompareOptions(methods=("glove", "lkc"), target="k=2")
    assert ", and about 19 s once to compile" in str(estimating.compare_estimate(comparing.prepared(traces, options)))

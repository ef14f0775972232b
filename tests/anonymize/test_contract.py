"""What every anonymizer keeps, whatever its method; a new method adds one line to CASES."""

from dataclasses import FrozenInstanceError, fields
from itertools import pairwise, product

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize import METHODS
from incrowd.anonymize.base import Wanted

rng = np.random.default_rng(3)
USER, T = rng.integers(0, 30, 600), rng.integers(0, 2 * 86_400, 600)
TRACES = ic.Traces.from_arrays(USER, T, x=rng.uniform(0, 5000, 600), y=rng.uniform(0, 5000, 600))
VISITS = ic.Visits.from_arrays(
    USER, rng.integers(0, 9, 600), T // 3600, slot_min=60, start=0, xy=rng.uniform(0, 5e3, (9, 2))
)
ONE_PLACE = ic.Visits.from_arrays(USER, T // 3600 % 3, T // 3600, slot_min=60, start=0, xy=rng.uniform(0, 5e3, (9, 2)))
PRINTS = ic.discretize.fingerprints(TRACES)
# One line per method: what it is given, and parameters it must refuse, when made or when called.
WRONG = ("x", [2], object(), b"", {})  # no parameter takes any of these
CASES = {
    "cut": (VISITS, [{"window_h": 0}, {"windows": 0}, {"start_slot": None}, {"start_slot": float("nan")}]),
    "generalize": (TRACES, [{"cell_m": 0}, {"slot_min": 0}, {"slot_min": 10**30}, {"time_zone": "Nowhere"}]),
    "glove": (PRINTS, [{"k": 1}, {"k": 2.5}, {"reshape": "melt"}, {"max_extent_m": -1}]),
    "lkc": (ONE_PLACE, [{"k": 0}, {"l": 0}, {"scores": "none"}, {"c": True}]),
    "w4m": (
        TRACES,
        [
            *({"k": 1}, {"delta_m": 0}, {"radius_m": -1}, {"chunk": 0}, {"most": 10**30}, {"most": 1_000_001}),
            *({"trash": 1.5}, {"trash": "0.1"}, {"trash": None}),
        ],
    ),
}


def test_every_method_has_a_case():
    assert CASES.keys() == METHODS.keys()


@pytest.mark.parametrize("name", METHODS)
class TestEveryAnonymizer:
    def test_states_its_guarantee(self, name):
        release = METHODS[name]()(CASES[name][0])
        assert release.guarantee != "none stated"
        assert release.params["method"] == METHODS[name].__name__

    def test_same_seed_same_output_up_to_pseudonyms(self, name):
        one, two = (METHODS[name]()(CASES[name][0], seed=5) for _ in range(2))
        assert content(one) == content(two)

    def test_pseudonym_seed_fixes_them_too(self, name):
        one, two = (METHODS[name]()(CASES[name][0], pseudonym_seed=5) for _ in range(2))
        assert all((a == b).all() for a, b in zip(one.columns().values(), two.columns().values(), strict=True))

    def test_leaves_the_input_alone(self, name):
        before = {key: column.copy() for key, column in CASES[name][0].columns().items()}
        METHODS[name]()(CASES[name][0])
        assert all((before[key] == column).all() for key, column in CASES[name][0].columns().items())

    def test_ledger_closes_from_what_was_read_to_what_is_published(self, name):
        data = CASES[name][0]
        release = METHODS[name]()(data)
        steps = release.ledger.steps
        assert steps[: len(data.ledger.steps)] == data.ledger.steps
        for before, step in pairwise(steps):
            assert step.read == before.kept
        for step in steps:
            assert step.read + sum(step.created.values()) == step.kept + sum(step.dropped.values())
        assert steps[-1].kept == release.data.records

    def test_the_seed_of_pseudonyms_is_all_that_a_run_adds(self, name):
        params = METHODS[name]()(CASES[name][0], seed=5).params
        assert "seed" not in params and params["pseudonym_seed_given"] is False

    def test_bad_parameters_are_refused(self, name):
        data, wrong = CASES[name]
        for given in wrong:
            with pytest.raises(ic.ParameterError):
                METHODS[name](**given)(data)

    def test_wrong_types_are_refused(self, name):
        for field, value in product(fields(METHODS[name]), WRONG):
            with pytest.raises(ic.ParameterError):
                METHODS[name](**{field.name: value})(CASES[name][0])

    def test_a_comparison_can_try_it(self, name):
        tried = list(METHODS[name].strengths(Wanted(k=3, points=4, slot_min=60)))
        assert tried and all(isinstance(one.run, METHODS[name]) and one.words for one in tried)

    def test_parameters_are_frozen_and_stated(self, name):
        method = METHODS[name]()
        with pytest.raises(FrozenInstanceError):
            method.k = 3
        assert {field.name for field in fields(method)} <= method(CASES[name][0]).params.keys()

    def test_published_labels_are_fresh(self, name):
        release = METHODS[name]()(CASES[name][0])
        assert sorted(release.data.users.tolist()) == list(range(len(release.data)))

    def test_passes_the_audit(self, name, tmp_path):
        release = METHODS[name]()(CASES[name][0])
        for given in (release, ic.anonymize.publish(release, tmp_path / "release")):
            verdict = ic.audit.check(given, original=CASES[name][0])
            assert verdict.passed, str(verdict)


def content(release: ic.Release) -> set:
    """Who is published as what, without pseudonyms."""
    columns = [c for name, c in release.columns().items() if name != "user"]
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    spans = zip(release.data.offsets[:-1], release.data.offsets[1:], strict=True)
    return {(tuple(who.tolist()), frozenset(rows[a:b])) for who, (a, b) in zip(release.members, spans, strict=True)}

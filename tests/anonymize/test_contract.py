"""What every anonymizer keeps, whatever its method; a new method adds one line to CASES."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize import METHODS

rng = np.random.default_rng(3)
USER, T = rng.integers(0, 30, 600), rng.integers(0, 2 * 86_400, 600)
TRACES = ic.Traces.from_arrays(USER, T, x=rng.uniform(0, 5000, 600), y=rng.uniform(0, 5000, 600))
VISITS = ic.Visits.from_arrays(
    USER, rng.integers(0, 9, 600), T // 3600, slot_min=60, start=0, xy=rng.uniform(0, 5e3, (9, 2))
)
ONE_PLACE = ic.Visits.from_arrays(USER, T // 3600 % 3, T // 3600, slot_min=60, start=0, xy=rng.uniform(0, 5e3, (9, 2)))
PRINTS = ic.discretize.fingerprints(TRACES)
CASES = {"cut": VISITS, "generalize": TRACES, "glove": PRINTS, "lkc": ONE_PLACE}


@pytest.mark.parametrize("name", METHODS)
class TestEveryAnonymizer:
    def test_states_its_guarantee(self, name):
        release = METHODS[name]()(CASES[name])
        assert release.guarantee != "none stated"
        assert release.params["method"] == METHODS[name].__name__

    def test_same_seed_same_output_up_to_pseudonyms(self, name):
        one, two = (METHODS[name]()(CASES[name], seed=5) for _ in range(2))
        assert content(one) == content(two)

    def test_pseudonym_seed_fixes_them_too(self, name):
        one, two = (METHODS[name]()(CASES[name], pseudonym_seed=5) for _ in range(2))
        assert all((a == b).all() for a, b in zip(one.columns().values(), two.columns().values(), strict=True))

    def test_leaves_the_input_alone(self, name):
        before = {key: column.copy() for key, column in CASES[name].columns().items()}
        METHODS[name]()(CASES[name])
        assert all((before[key] == column).all() for key, column in CASES[name].columns().items())

    def test_ledger_ends_in_what_is_published(self, name):
        release = METHODS[name]()(CASES[name])
        assert release.ledger.steps[-1].kept == release.data.records

    def test_published_labels_are_fresh(self, name):
        release = METHODS[name]()(CASES[name])
        assert sorted(release.data.users.tolist()) == list(range(len(release.data)))

    def test_passes_the_audit(self, name, tmp_path):
        release = METHODS[name]()(CASES[name])
        for given in (release, ic.anonymize.publish(release, tmp_path / "release")):
            verdict = ic.audit.check(given, original=CASES[name])
            assert verdict.passed, str(verdict)


def content(release: ic.Release) -> set:
    """Who is published as what, without pseudonyms."""
    columns = [c for name, c in release.columns().items() if name != "user"]
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    spans = zip(release.data.offsets[:-1], release.data.offsets[1:], strict=True)
    return {(tuple(who.tolist()), frozenset(rows[a:b])) for who, (a, b) in zip(release.members, spans, strict=True)}

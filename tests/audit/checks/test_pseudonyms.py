"""Order: Spearman's rho as others compute it, and a limit that neither dozes nor cries wolf."""

import numpy as np
import pytest
from scipy.stats import spearmanr

import incrowd as ic
from incrowd.audit import check
from incrowd.audit.checks.pseudonyms import _z

PEOPLE = 400


def mixed(share, seed=0):
    """Pseudonyms of which a share is in the order of the original, the rest shuffled."""
    rng = np.random.default_rng(seed)
    person = np.arange(PEOPLE)
    loose = np.sort(rng.choice(PEOPLE, round(PEOPLE * (1 - share)), replace=False))
    person[loose] = rng.permutation(loose)
    slot = rng.integers(0, 1000, PEOPLE)
    original = ic.Visits.from_arrays([f"rider-{i:03d}" for i in range(PEOPLE)], np.zeros(PEOPLE), slot)
    published = ic.Visits.from_arrays(np.arange(PEOPLE), np.zeros(PEOPLE), slot[person])
    return check(ic.Release.from_arrays(published, person[:, None].tolist()), original=original)


@pytest.mark.parametrize(("share", "status"), [(0, "pass"), (0.1, "pass"), (0.35, "fail"), (1, "fail")])
def test_partial_order_is_noticed_where_chance_cannot_explain_it(share, status):
    verdict = mixed(share)
    assert verdict["pseudonym order"].status == verdict["row order"].status == status


def test_the_statistic_is_spearmans_with_ties():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 20, 300).astype(float), rng.integers(0, 9, 300).astype(float)
    b += a
    assert _z(a, b) == pytest.approx(spearmanr(a, b).statistic * np.sqrt(299))
    assert _z(a, np.zeros(300)) == 0


def test_pseudonyms_that_follow_the_labels_are_noticed_when_the_file_was_in_another_order():
    rng = np.random.default_rng(0)
    label = rng.permutation(PEOPLE)
    original = ic.Visits.from_arrays([f"rider-{i:03d}" for i in label], np.zeros(PEOPLE), np.zeros(PEOPLE))
    published = ic.Visits.from_arrays(np.arange(PEOPLE), np.zeros(PEOPLE), np.zeros(PEOPLE))
    release = ic.Release.from_arrays(published, np.argsort(label)[:, None].tolist())
    found = check(release, original=original)["pseudonym order"]
    assert found.status == "fail" and "labels" in found.evidence


def test_pieces_numbered_by_window_are_noticed():
    slot = np.repeat(np.arange(20), 20)
    published = ic.Visits.from_arrays(np.arange(PEOPLE), np.zeros(PEOPLE), slot)
    members = [[int(p)] for p in np.random.default_rng(0).permutation(PEOPLE)]
    found = check(ic.Release.from_arrays(published, members))["pseudonym order"]
    assert found.status == "fail" and "time" in found.evidence

"""Identifiers: what counts as a leak, and what chance explains."""

import numpy as np
import pytest

import incrowd as ic
from audit.cases import on_disk, people_visits, repeatable
from incrowd.anonymize import Cut
from incrowd.audit import check
from incrowd.audit.checks.identity import poisson_tail, spoken_in


def numbered(tmp_path, labels):
    visits = people_visits(labels)
    return on_disk(tmp_path, repeatable(Cut(window_h=12), visits), visits)


@pytest.mark.parametrize(
    "labels",
    [np.arange(120), np.arange(1, 121), np.arange(100_000, 100_120), 460_000_000_000_000 + np.arange(120) * 7919],
    ids=["dense", "from 1", "six digits", "IMSI"],
)
def test_whole_number_labels_raise_no_alarm(tmp_path, labels):
    case = numbered(tmp_path, labels)
    assert case.failed() == set()
    assert case.check()["numeric identifiers"].status == "pass"


def add_own_labels(case, share):
    person = {p: int(u) for p, u in case.linked()}
    table = case.table()
    own = [person[u] if u % share == 0 else 0 for u in table["user"].to_pylist()]
    case.add("code", own)


@pytest.mark.parametrize("share", [1, 10])
def test_a_column_of_own_labels_is_caught_even_when_labels_are_dense(tmp_path, share):
    case = numbered(tmp_path, np.arange(1, 121))
    add_own_labels(case, share)
    assert case.failed() - {"manifest"} == {"numeric identifiers"}


def test_one_long_number_is_caught_without_a_link(tmp_path):
    case = numbered(tmp_path, 460_000_000_000_000 + np.arange(120) * 7919)
    case.change("user", case.table().num_rows - 1, 460_000_000_000_000 + 5 * 7919)
    assert check(case.folder, original=case.original)["numeric identifiers"].status == "fail"


def test_random_wide_pseudonyms_meet_labels_by_chance_only():
    rng = np.random.default_rng(1)
    labels = rng.choice(10**6, 3000, replace=False)
    visits = ic.Visits.from_arrays(labels, np.zeros(3000), np.zeros(3000))
    fresh = np.sort(rng.choice(10**6, 3000, replace=False))
    met = len(np.intersect1d(labels, fresh))
    assert met > 3  # about 9 are expected
    published = ic.Visits.from_arrays(fresh, np.zeros(3000), np.zeros(3000))
    release = ic.Release.from_arrays(published, [[p] for p in rng.permutation(3000)])
    assert check(release, original=visits)["numeric identifiers"].status == "pass"


def test_short_labels_prove_nothing(tmp_path):
    case = numbered(tmp_path, [f"u{i}" for i in range(120)])
    assert "too few to find anything" in case.check()["identifiers"].evidence


def test_labels_are_whole_words():
    labels = {"user-12": 0, "+4915 77": 1, "a.b@c.d": 2}
    assert spoken_in("x user-123 buser-12 user-12x", labels) == set()
    assert spoken_in('{"who":"user-12"} (+4915 77) <a.b@c.d>', labels) == set(labels)
    assert spoken_in("user-12", labels) == {"user-12"}


def test_poisson_tail():
    assert poisson_tail(10, 1.0) == pytest.approx(1.114e-7, rel=1e-3)
    assert poisson_tail(2000, 1000.0) < 1e-6 < poisson_tail(1001, 1000.0)


def test_several_numbers_of_a_pseudonym_are_all_looked_at(tmp_path):
    case = numbered(tmp_path, np.arange(1, 121))
    person = dict(case.linked())
    case.add("note", [f"0 then {person[u]} then 999999" for u in case.table()["user"].to_pylist()])
    assert case.failed() - {"manifest"} == {"numeric identifiers"}

"""Coverage: what fell together pays for nothing that is missing, and nobody vanishes unsaid."""

from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize import Generalize
from incrowd.audit import check
from incrowd.data import Groups
from incrowd.ledger import Ledger


@pytest.fixture
def dense() -> tuple[ic.Traces, ic.Release]:
    """Many records for each cell and slot, so that most fall together."""
    rng = np.random.default_rng(0)
    t = rng.integers(1_396_000_000, 1_396_020_000, 2000)
    where = {"lon": 5 + rng.random(2000) / 500, "lat": 52 + rng.random(2000) / 500}
    traces = ic.Traces.from_arrays(np.repeat([f"rider-{i:03d}" for i in range(100)], 20), t, **where)
    return traces, Generalize()(traces)


def half(release, *, reason, users=None):
    """The first half of the pseudonyms; what is missing is put down to a reason."""
    data, size = release.data, len(release.data) // 2
    end = data.offsets[size]
    rows = {"users": data.users[:size], "offsets": data.offsets[: size + 1], "cell": data.cell[:end]}
    fewer = replace(data, **rows, slot=data.slot[:end])
    *steps, last = release.ledger.to_dict()
    lost = last["kept"] - fewer.records
    last["kept"], last["dropped"][reason] = fewer.records, last["dropped"].get(reason, 0) + lost
    last["users"] = users or last["users"]
    members = Groups(release.members.offsets[: size + 1].copy(), release.members.positions[:size].copy())
    return replace(release, data=fewer, members=members, ledger=Ledger.from_dict([*steps, last]))


def coverage(release, traces):
    return check(release, original=traces)["coverage"]


def test_a_release_that_merges_covers_everything(dense):
    traces, release = dense
    assert release.ledger.steps[-1].dropped["same cell and slot"] > 1000
    assert coverage(release, traces).status == "pass"


def test_half_the_people_do_not_vanish_among_merged_records(dense):
    traces, release = dense
    found = coverage(half(release, reason="same cell and slot"), traces)
    assert found.status == "fail"
    assert "the ledger removed 0 of the 1,000 others" in found.evidence
    assert "50 people are not published, the ledger lost 0" in found.evidence


def test_people_may_leave_if_the_ledger_says_so(dense):
    traces, release = dense
    gone = half(release, reason="rare", users=[100, 50])
    *_, last = gone.ledger.to_dict()
    # Every lost record is named as such, the merged ones among them too.
    last["dropped"] = {"rare": 1000, "same cell and slot": last["read"] - last["kept"] - 1000}
    honest = replace(gone, ledger=Ledger.from_dict([*gone.ledger.to_dict()[:-1], last]))
    assert coverage(honest, traces).status == "pass"
    unsaid = replace(honest, ledger=Ledger.from_dict([*gone.ledger.to_dict()[:-1], {**last, "users": [100, 51]}]))
    assert "50 people are not published, the ledger lost 49" in coverage(unsaid, traces).evidence


def test_people_in_the_crowd_of_another_are_not_lost():
    from incrowd.anonymize import Glove

    rng = np.random.default_rng(1)
    spots = rng.integers(0, 40, (2, 90)) * 100
    prints = ic.Fingerprints.from_arrays(np.repeat(np.arange(30), 3), *spots, rng.integers(0, 600, 90), start=0)
    release = Glove(k=2)(prints)
    assert coverage(release, prints).status == "pass"
    fewer = Groups(release.members.offsets[:-1].copy(), release.members.positions[: release.members.offsets[-2]].copy())
    data = release.data
    end = data.offsets[-2]
    columns = {name: getattr(data, name)[:end] for name in ("x", "dx", "y", "dy", "t", "dt")}
    cut = replace(data, users=data.users[:-1], offsets=data.offsets[:-1], crowd=data.crowd[:-1], **columns)
    assert coverage(replace(release, data=cut, members=fewer), prints).status == "fail"


def test_publisher_and_auditor_know_the_same_reasons_to_fall_together():
    """The auditor imports no publisher, so that each keeps a list of its own."""
    from incrowd.anonymize import folder
    from incrowd.audit import accounts

    assert frozenset(folder.MERGED) == accounts.MERGED
    assert len(folder.MERGED) == len(accounts.MERGED)

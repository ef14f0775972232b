"""Coverage: what fell together pays for nothing that is missing, and nobody vanishes unsaid."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from audit.cases import on_disk
from incrowd.anonymize import LKC, W4M, Cut, Generalize, Glove
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
    from incrowd.audit.checks import accounts
    from incrowd.data import release_section as folder

    assert frozenset(folder.MERGED) == accounts.MERGED
    assert len(folder.MERGED) == len(accounts.MERGED)


def twins(seed=3, users=8, near=3000):
    """Records of which every third has two more within its cell and minute: metres, so that cells are seen at once."""
    rng = np.random.default_rng(seed)
    who, x, y = rng.integers(0, users, 90), *rng.integers(0, near // 100, (2, 90)) * 100
    t = rng.integers(0, 2_000, 90) * 60
    again = np.concatenate([np.arange(90), np.arange(0, 90, 3), np.arange(0, 90, 3)])
    late = np.repeat([0, 20, 0], [90, 30, 30])  # one of the two is an exact copy
    return ic.Traces.from_arrays(who[again], t[again] + late, x=x[again] + late, y=y[again] + 0.5)


def tight(traces):
    data = ic.discretize.fingerprints(traces)
    return data, Glove(k=2, max_extent_m=2500, max_extent_min=600)(data)


def coarse_samples(traces):
    data = ic.discretize.fingerprints(traces, cell_m=200, slot_min=5)
    return data, Glove(k=2, max_extent_m=2000, max_extent_min=300, reshape="union")(data)


def cleaned(traces):
    data = ic.discretize.fingerprints(ic.clean.duplicates(traces))
    return data, Glove(k=2, max_extent_m=2500, max_extent_min=600, leftover="suppress")(data)


def suppressed(traces):
    data = ic.discretize.grid(traces, cell_m=500, slot_min=60, keep="vote")
    return data, LKC(l=2, k=2)(data)


def cut_late(traces):
    data = ic.discretize.grid(traces, cell_m=500, slot_min=60, start=40_000)
    return data, Cut(window_h=6)(data)


DROPPING = [tight, coarse_samples, cleaned, suppressed, cut_late]


def published_twins(made, folder):
    """A release on disk that is checked against the records it was made from, what was discretized, and the release."""
    traces = twins()
    data, release = made(traces)
    told = on_disk(folder, release, data)
    told.original = traces
    return told, data, release


@pytest.mark.parametrize("made", DROPPING)
def test_the_twin_of_a_lost_record_is_lost_with_it(made, tmp_path):
    honest, data, release = published_twins(made, tmp_path)
    found = honest.check()["coverage"]
    assert found.status == "pass" and "at the grain of the release" in found.evidence
    assert check(release, original=data)["coverage"].status == "pass"


@pytest.mark.parametrize("made", DROPPING)
def test_a_row_that_vanishes_is_missed_even_among_twins(made, tmp_path):
    broken, *_ = published_twins(made, tmp_path)
    table = broken.table()
    for row in range(0, table.num_rows, max(table.num_rows // 5, 1)):
        broken.write(pa.concat_tables([table[:row], table[row + 1 :]]))
        said = broken.check()["coverage"]
        assert said.status == "fail" and "the ledger removed" in said.evidence, said.evidence


def test_w4m_accounts_for_people_not_for_points(tmp_path):
    traces = twins()
    case = on_disk(tmp_path, W4M(k=2, delta_m=1000)(traces), traces)
    assert case.check()["coverage"].status == "pass" and not case.failed()


def test_the_numbers_of_the_evidence_add_up():
    """Of five records, two are published, and three lost, two of them in one cell and minute."""
    t = [1_500_000_000, 1_500_002_400, 1_500_000_000, 1_500_000_010, 1_500_080_000]
    traces = ic.Traces.from_arrays([*"abccd"], t, lon=[4, 4, 6, 6, 4], lat=[52, 52, 52, 52, 53])
    release = Glove(k=2, max_extent_min=360)(ic.discretize.fingerprints(traces))
    assert coverage(release, traces).evidence == (
        "2 of 5 original records are in a published row of their person; "
        "the ledger removed the 3 others (2 at the grain of the release)."
    )
    *steps, last = release.ledger.to_dict()
    last["dropped"] = {"sample of a discarded fingerprint": 1, "sample generalised into a shared box": 2}
    short = coverage(replace(release, ledger=Ledger.from_dict([*steps, last])), traces)
    assert short.status == "fail" and "removed 1 of the 3 others (2 at the grain of the release)" in short.evidence


def test_what_a_ledger_removes_beyond_the_missing_is_explained(dense):
    traces, release = dense
    gone = half(release, reason="rare", users=[100, 50])
    rare, steps = release.data.records - gone.data.records, release.ledger.to_dict()
    for more in (0, 7, 2000):
        # Half of the rows are gone in a step of their own, each with what fell together with it.
        read, kept = release.data.records, gone.data.records
        last = {"step": "rare", "read": read + more, "kept": kept, "dropped": {"rare": rare + more}, "users": [100, 50]}
        found = coverage(replace(gone, ledger=Ledger.from_dict([*steps, last])), traces)
        assert found.status == ("fail" if more else "pass")
        assert f"the 1,000 others ({rare} at the grain of the release)" in found.evidence


@pytest.mark.parametrize("of", ["traces", "prints"])
def test_a_release_without_a_row_is_judged_by_its_ledger(of):
    traces = ic.Traces.from_arrays(["a", "a", "a"], [0, 10, 90], lon=[5, 5, 5], lat=[52, 52, 52])
    data = ic.discretize.fingerprints(traces)
    original = {"traces": traces, "prints": data}[of]
    release = Glove(k=2)(data)
    verdict = check(release, original=original, k=2)
    assert verdict.passed and verdict["coverage"].status == verdict["records"].status == "pass"
    assert verdict["k-anonymity"].evidence == "the published table has no row."
    full = check(Generalize()(traces), original=traces)
    assert [one.name for one in verdict] == [one.name for one in full]
    silent = replace(release, ledger=Ledger.from_dict(release.ledger.to_dict()[:-1]))
    assert {one.name for one in check(silent, original=original).failed} == {"coverage", "records"}


def test_nobody_is_left_of_visits_that_all_single_out():
    visits = ic.Visits.from_arrays([1, 2], cell=[1, 2], slot=[0, 0])
    assert check(LKC(l=1, k=2)(visits), original=visits)["coverage"].status == "pass"


def test_a_padded_ledger_pays_for_nothing(dense):
    """Records that the original never had are read, and leave in a step of their own."""
    traces, release = dense
    broken = half(release, reason="same cell and slot", users=[100, 50])
    first, last = broken.ledger.to_dict()
    first |= {"read": 7000, "kept": 7000, "users": [160, 160]}
    sparse = {"step": "sparse_users", "read": 7000, "kept": 2001, "dropped": {"rare": 4999}, "users": [160, 100]}
    last["read"], last["dropped"]["same cell and slot"] = 2001, last["dropped"]["same cell and slot"] + 1
    found = coverage(replace(broken, ledger=Ledger.from_dict([first, sparse, last])), traces)
    assert found.status == "fail" and "removed 0 of the 1,000 others" in found.evidence
    assert "no step of the ledger reads the 2,000 records of the original" in found.evidence


def test_records_that_a_ledger_creates_pay_for_nothing(dense):
    traces, release = dense
    broken = half(release, reason="same cell and slot", users=[100, 50])
    first, last = broken.ledger.to_dict()
    more = {"step": "more", "read": 2000, "kept": 7000, "created": {"repeated": 5000}, "users": [100, 160]}
    less = {"step": "sparse_users", "read": 7000, "kept": 2000, "dropped": {"rare": 5000}, "users": [160, 100]}
    found = coverage(replace(broken, ledger=Ledger.from_dict([first, more, less, last])), traces)
    assert found.status == "fail" and "removed 0 of the 1,000 others" in found.evidence


def test_people_who_leave_before_anything_is_published_leave_a_ledger_at_every_stage(tmp_path):
    """The raw file, streamed or not, the cleaned and the discretized data are all read by some step."""
    rng = np.random.default_rng(2)
    rows = zip(rng.integers(0, 9, 120), rng.integers(0, 90_000, 120), *rng.integers(0, 40, (2, 120)), strict=True)
    path = tmp_path / "trips.csv"
    lines = [f"p{who},{t},{4 + a / 1000},{52 + b / 1000}" for who, t, a, b in rows]
    path.write_text("\n".join(["user,t,lon,lat", *lines, "p1,0,4.0,999", "solo,5,4.0,52.0"]) + "\n")
    raw = ic.read.table(path, bad_rows=tmp_path / "bad.csv")
    cleaned = ic.clean.sparse_users(ic.clean.duplicates(raw), min_records=2)
    prints = ic.discretize.fingerprints(cleaned)
    case = on_disk(tmp_path, Glove(k=2, max_extent_min=360, leftover="suppress")(prints), prints)
    for original in (raw, cleaned, prints):
        case.original = original
        assert case.failed() == set() and "the ledger removed" in case.check()["coverage"].evidence


def test_a_ledger_ends_with_the_published_pseudonyms(dense):
    traces, release = dense
    gone = half(release, reason="rare")
    assert "ends with 100 users, the release with 50 pseudonyms" in check(gone, original=traces)["records"].evidence
    assert check(half(release, reason="rare", users=[100, 50]))["records"].status == "pass"

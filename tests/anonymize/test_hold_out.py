"""People held out before a release is made: in neither release nor rates, in the link file, and accounted for."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize import LKC, W4M, Cut, Generalize, Glove, hold_out, publish
from incrowd.attack.people import read_link


@pytest.fixture(scope="module")
def city():
    return ic.read.synthetic_city(users=40, towers=12, days=2, seed=1)


@pytest.fixture(scope="module")
def visits(city):
    """Some records are dropped for good on the way to visits, before anybody is held out."""
    return ic.discretize.towers(city.traces, city.towers, slot_min=60, slots=40)


def test_the_share_is_drawn_whole_people_each_on_one_side(visits):
    rest, held = hold_out(visits, 0.1)
    assert len(held) == 4 and sorted([*rest.users, *held.users]) == visits.users.tolist()
    own = np.isin(visits.users[visits.owner], held.users)
    assert np.array_equal(rest.cell, visits.cell[~own]) and np.array_equal(held.slot, visits.slot[own])
    step = rest.ledger.steps[-1]
    assert step.name == "hold out" and step.dropped == {"held out": held.records} and step.users == (40, 36)


def test_the_draw_is_the_operating_systems_unless_a_seed_is_given(visits):
    drawn = {tuple(hold_out(visits, 0.5)[1].users.tolist()) for _ in range(3)}
    assert len(drawn) == 3
    assert len({tuple(hold_out(visits, 0.5, pseudonym_seed=7)[1].users.tolist()) for _ in range(3)}) == 1
    often = sum(np.bincount(hold_out(visits, 0.25)[1].users, minlength=40) for _ in range(400))
    assert often.min() > 50 and often.max() < 155  # 100 +- 8.7 each


def test_at_least_one_person_is_held_out_and_one_is_left():
    two = ic.Visits.from_arrays([1, 2], cell=[0, 0], slot=[0, 1])
    assert list(map(len, hold_out(two, 0.01))) == [1, 1]
    with pytest.raises(ic.DataError, match="nobody of 1 would be left"):
        hold_out(ic.Visits.from_arrays([1], cell=[0], slot=[0]), 0.1)


@pytest.mark.parametrize("share", [0, -0.1, 0.51, 1, float("nan"), "a tenth", True])
def test_a_share_that_has_no_meaning_is_refused(visits, share):
    with pytest.raises(ic.ParameterError, match="share"):
        hold_out(visits, share)


def test_only_people_can_be_held_out(visits):
    with pytest.raises(ic.DataError, match="hold_out needs a"):
        hold_out(ic.discretize.counts(visits), 0.1)


def made(method, data, folder, share=0.1):
    rest, held = hold_out(data, share)
    link = folder / "link.csv"
    return publish(method(rest), folder / "release", link=link, original=rest, held_out=held.users), link, held


def test_the_link_tells_pairs_and_people_held_out_apart(visits, tmp_path):
    folder, link, held = made(Cut(window_h=6), visits, tmp_path)
    listed = read_link(link, folder)
    assert sorted(map(int, listed.held_out)) == held.users.tolist() and listed.of_release
    assert "" not in listed.pseudonyms and not set(listed.held_out) & set(listed.people)
    assert listed.unnamed(ic.read.release(folder)) == 0
    lines = link.read_text().splitlines()
    (tmp_path / "nobody.csv").write_text("\n".join([lines[0], *lines[-4:]]) + "\n")
    with pytest.raises(ic.DataError, match="links nobody"):
        read_link(tmp_path / "nobody.csv")


def test_people_held_out_are_in_no_rate(visits, tmp_path):
    folder, link, held = made(Cut(window_h=24), visits, tmp_path)
    found = ic.attack.link(visits, folder, truth=link)
    assert (found.scored, found.without) == (36, 4)
    assert np.isnan(found.right[np.isin(visits.users, held.users)]).all()


METHODS = [Cut(window_h=6), LKC(l=1, k=2, same_time="order"), Glove(k=2), Generalize(), W4M(k=2, delta_m=2000)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_the_audit_of_such_a_release_passes(method, city, visits, tmp_path):
    given = {Cut: visits, LKC: visits, Glove: ic.discretize.fingerprints(city.traces)}
    data = given.get(type(method), city.traces)
    folder, link, held = made(method, data, tmp_path, share=0.2)
    whole = [data] if data is visits else [data, city.traces]  # towers are not found again in a raw log
    for original in whole:
        verdict = ic.audit.check(folder, original=original, link=link)
        assert verdict.passed, verdict
        assert f"{len(held)} people held out by the link" in verdict["records"].evidence


def test_records_dropped_before_excuse_no_record_dropped_after(city, tmp_path):
    """Of the records that discretizing drops, some are of people held out; what a release lacks is still counted."""
    inside = city.traces.t < np.quantile(city.traces.t, 0.8)
    raw = city.traces
    early = raw.where(
        inside, raw.ledger.add("period", read=raw.records, kept=inside.sum(), dropped={"late": (~inside).sum()})
    )
    visits = ic.discretize.grid(early, cell_m=500, slot_min=60)
    folder, link, _ = made(Cut(window_h=6), visits, tmp_path)
    verdict = ic.audit.check(folder, original=raw, link=link)
    assert verdict.passed, verdict


def test_a_link_that_lists_the_wrong_people_fails(visits, tmp_path):
    folder, link, _ = made(Cut(window_h=6), visits, tmp_path)
    lines = link.read_text().splitlines()
    out = [line for line in lines if line.startswith(",")]
    (tmp_path / "fewer.csv").write_text("\n".join(line for line in lines if line != out[0]) + "\n")
    fewer = ic.audit.check(folder, original=visits, link=tmp_path / "fewer.csv")
    assert "the ledger removed 0" in fewer["coverage"].evidence and "1 people are not" in fewer["coverage"].evidence
    inside = next(line for line in lines[1:] if line not in out).partition(",")[2]
    (tmp_path / "more.csv").write_text("\n".join([*lines, f",{inside}"]) + "\n")
    more = ic.audit.check(folder, original=visits, link=tmp_path / "more.csv")
    assert "somebody who was held out is behind a pseudonym" in more["link"].evidence


def test_what_the_ledger_says_was_held_out_excuses_no_other_loss(visits, tmp_path):
    """A method that loses visits cannot call them held out."""
    rest, held = hold_out(visits, 0.1)
    lost = np.arange(rest.records) % 7 == 0
    ledger = rest.ledger.add("cut", read=rest.records, kept=(~lost).sum(), dropped={"held out": lost.sum()})
    release = Cut(window_h=6)(rest.where(~lost, ledger))
    link = tmp_path / "link.csv"
    folder = publish(release, tmp_path / "release", link=link, original=rest, held_out=held.users)
    assert ic.audit.check(folder, original=visits, link=link)["coverage"].status == "fail"

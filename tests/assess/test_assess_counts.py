"""Published counts: positions against another day, who is among the people counted, and how few are behind a number."""

import re
from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd import attack
from incrowd.assess.questions.counting import GROUPS, TARGETS

OF_COUNTS = {"counts", "membership", "smallest_count", "guarantees"}


@pytest.fixture(scope="module")
def city():
    return ic.read.synthetic_city(users=60, towers=8, days=2, seed=2)


@pytest.fixture(scope="module")
def people(city):
    return ic.discretize.filled(ic.discretize.towers(city.traces, city.towers, slot_min=60))


def assessed(data, release, **options):
    return ic.assess.assess(data, release=release, advise=False, **options)


@pytest.fixture(scope="module")
def exact(people):
    return assessed(people, ic.anonymize.counts(people))


def test_the_folder_of_audited_counts_of_cleaned_data_is_not_refused_for_its_cleaning(city, tmp_path):
    """It has no steps, whose numbers are exact; whoever was cleaned away is protected by the same noise."""
    repeated = ic.Traces.from_arrays(
        *(np.append(a, a[:1]) for a in (city.traces.users[city.traces.owner], city.traces.t)),
        *(np.append(a, a[:1]) for a in (city.traces.lon, city.traces.lat)),
    )
    cleaned = ic.discretize.towers(ic.clean.duplicates(repeated), city.towers, slot_min=60)
    assert cleaned.ledger.steps[-2].dropped["exact duplicate"] == 1
    method = ic.anonymize.DPCounts(epsilon=0.4, slots_per_person=1)
    for place in range(20):  # which slots count is drawn, and in some draws the auditor knows too few true counts
        private = method(cleaned, cells=cleaned.xy, slots=(0, 48))
        open_ = assessed(cleaned, ic.anonymize.publish(private, tmp_path / f"private-{place}"))
        if not open_.refused:
            break
    assert not open_.refused and open_.ledger == cleaned.ledger
    rounded = ic.anonymize.counts(cleaned, round_to=5)
    assert len(assessed(cleaned, ic.anonymize.publish(rounded, tmp_path / "rounded")).refused) == 1


def test_counts_have_no_rows_of_people(exact):
    assert {one.name for one in exact.answers if one.due} == OF_COUNTS
    for name in ("lookup", "identified", "single_visit", "later", "home_work", "release_full"):
        answer = exact.answer(name)
        assert (answer.verdict, answer.note) == ("does not apply", "counts have no rows of people")


def test_positions_are_an_advantage_over_another_day(exact, people):
    answer, counts = exact.answer("counts"), ic.discretize.counts(people)
    recovered = attack.recover(attack.repair(counts, users=60), seed=0)
    numbers = answer.numbers
    assert numbers["accuracy"] == attack.recovery_score(recovered, people).accuracy
    best, control = max(numbers["accuracy"], numbers["static"]), numbers["control"]
    assert answer.value == pytest.approx((best - control) / (1 - control)) and answer.control == control > 0
    assert re.match(
        r"[\d.]+ % of positions reconstructed correctly \([\d.]+ % by assuming that nobody moves\)", answer.note
    )


def test_who_is_among_the_people_counted_is_told_what_was_done(exact, people):
    answer = exact.answer("membership")
    found = attack.membership(people, targets=TARGETS, groups=GROUPS, seed=0)
    assert (answer.value, answer.verdict, answer.chance) == (found.auc, "above", 0.5) and found.auc > 0.99
    noise = {"noise_epsilon": 0.05}
    told = assessed(people, ic.anonymize.counts(people, **noise)).answer("membership")
    known = attack.membership(people, mitigation=noise, targets=TARGETS, groups=GROUPS, seed=0)
    assert told.value == known.auc < 0.7 and told.main.judged == known.interval[1]


@pytest.mark.parametrize(("below", "verdict"), [(1, "above"), (10, "above"), (11, "within")])
def test_the_smallest_count_is_of_true_people(people, below, verdict):
    true = ic.discretize.counts(people).n
    answer = assessed(people, ic.anonymize.counts(people, suppress_below=below)).answer("smallest_count")
    assert answer.value == true[true >= below].min() and answer.verdict == verdict
    shown = true[true >= below]
    assert answer.number == f"{shown.min()} ({(shown < 11).sum()} of {shown.size} published counts below 11)"


def test_an_attack_that_is_misled_is_no_safety(people, monkeypatch):
    """It puts everybody into the next cell, and so does worse than who assumes that nobody moves."""

    def misled(counts, **options):
        made = attack.recover(counts, **options)
        return replace(made, cells=(made.cells + 1) % 8)

    monkeypatch.setattr("incrowd.assess.questions.counting.recover", misled)
    found = assessed(people, ic.anonymize.counts(people))
    answer = found.answer("counts")
    assert answer.verdict == "no answer" and answer in found.open and not found.passed
    assert "the attack does worse than no attack, so it was misled, which protects nobody" in answer.note


def test_counts_of_other_slots_or_cells_are_no_answer(city, people):
    longer = ic.discretize.filled(ic.discretize.towers(city.traces, city.towers, slot_min=120))
    found = assessed(longer, ic.anonymize.counts(people))
    assert {one.name for one in found.open} >= {"counts", "smallest_count"} and not found.passed
    assert all("give the visits that were counted" in found.answer(name).note for name in ("counts", "smallest_count"))


def test_a_bare_table_of_counts_is_judged_too(people, tmp_path):
    path = ic.discretize.counts(people).save(tmp_path / "counts.parquet")
    found = assessed(people, path)
    assert {one.name for one in found.held} == OF_COUNTS and not found.passed
    assert found.answer("smallest_count").value == 1

"""The attackers of a comparison and what is judged of them, by hand."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import incrowd as ic
from boxes import prints
from incrowd.anonymize import LKC, Cut, Glove
from incrowd.assess.compare.risk import Recognised, Risk, risk
from incrowd.assess.compare.settings import MethodInputs, Target, untouched


def attacked(crowd, caps, **more):
    return Risk(crowd, caps, np.arange(len(crowd)), len(crowd), **more)


def in_crowds(*sizes, people=11, **more):
    crowd = np.repeat(sizes, people)
    return attacked(crowd, crowd, **more)


def test_crowds_of_eleven_reach_one_in_eleven_exactly():
    eleven = Target.parse("guess=1/11")
    assert in_crowds(11).guess == in_crowds(11).guess_high == eleven.limit == Fraction(1, 11)
    assert eleven.missed(in_crowds(11)) == []
    assert eleven.missed(in_crowds(11, 11, 10, people=110)) == ["guessed rightly: up to 9.4 %"]


def test_nine_in_hundreds_and_one_in_twos_are_missed_by_the_worst_only():
    crowd = np.repeat([100, 2], [900, 100])
    mixed = attacked(crowd, crowd)
    assert float(mixed.guess) == pytest.approx(0.059)
    assert Target.parse("guess=1/11").missed(mixed) == ["with 1/2 or more: up to 10.0 %"]
    assert Target.parse("k=2").missed(mixed) == [] and Target.parse("k=3").missed(mixed)


def test_what_was_drawn_is_judged_at_its_upper_end_and_at_most_by_what_everything_tells():
    drawn = attacked(np.repeat([20], 100), np.repeat([1], 100))
    assert drawn.guess == Fraction(1, 20) and 0.09 < drawn.guess_high < 0.12
    assert Target.parse("guess=1/11").missed(drawn)[0].startswith("guessed rightly: up to")
    capped = replace(drawn, caps=np.repeat([15], 100))
    assert capped.guess_high == Fraction(1, 15) and Target.parse("guess=1/11").missed(capped) == []
    assert Target.parse("uniqueness=0.01").missed(drawn) and not Target.parse("uniqueness=0.01").missed(capped)
    # Nobody is guessed with 1/2, but a hundred people cannot show that it is less than one in a hundred.
    assert "with 1/2 or more: up to 3.7 %" in Target.parse("guess=1/11").missed(drawn)


def test_a_misled_attacker_proves_nothing():
    crowd = np.repeat([0, 50], [50, 50])
    lost = attacked(crowd, np.ones(100, np.int64))
    assert lost.misled and lost.guess_high == 1 and Target.parse("guess=1/11").missed(lost)
    hidden = replace(lost, caps=np.repeat([11], 100))  # whatever is known, eleven people are left
    assert Target.parse("guess=1/11").missed(hidden) == []


def test_a_guarantee_that_the_audit_recomputes_bounds_what_is_judged():
    bound = attacked(np.repeat([30], 40), np.repeat([1], 40), floor=11)
    assert bound.guess_high == Fraction(1, 11) and bound.worst_high == 0
    assert Target.parse("k=11").missed(bound)  # everything published is more than it speaks of


def test_people_recognised_later_are_judged_by_the_same_limit():
    def told(share, people):
        linked = Recognised("evidence", Fraction(share), Fraction(share) + Fraction(1, 100), people)
        return Target.parse("guess=1/11").missed(in_crowds(11, linked=linked))

    assert told("0.08", 100) == [] and told("0.085", 100) == ["recognised later: up to 9.5 %"]
    assert told("0.5", 29) and told("0.03", 29) == []  # of so few, one rightly recognised is one too many
    assert told("0.09", 29) == [] and told("0.1", 29)


def test_lkc_is_bounded_by_its_k_for_as_many_visits_as_it_speaks_of():
    people = prints(" | ".join(["0,0,0; 0,0,60"] * 6))
    source = MethodInputs(people, 500, 60)
    release = LKC(l=2, k=3)(source.voted)
    assert risk(release, source.voted, source, points=2, seed=0).floor == 3
    assert risk(release, source.voted, source, points=3, seed=0).floor == 1
    false = replace(release, claims={**release.claims, "k": 7})  # the audit does not confirm it
    assert risk(false, source.voted, source, points=2, seed=0).floor == 1


def test_pieces_joined_again_are_looked_up_as_one():
    """Sixteen meet in fours in the morning, in other fours in the evening; a place of one's own joins the pieces."""
    day = "{a},0,0; {own},0,60; {b},0,420; {own},0,480"
    people = prints(" | ".join(day.format(a=900 * (i // 4), b=900 * (i % 4), own=9000 + 900 * i) for i in range(16)))
    source = MethodInputs(people, 100, 60)
    release = Cut(window_h=6)(source.visits, pseudonym_seed=0)
    pieces = ic.attack.lookup(release, source.visits, records=2, seed=0)
    joined = risk(release, source.visits, source, points=2, seed=0)
    assert pieces.value < 1 and joined.guess == joined.rejoined == 1


def test_the_later_half_is_looked_at_by_who_knows_the_first():
    still = prints(" | ".join(f"{900 * i},0,0; {900 * i},0,60; {900 * i},0,1500; {900 * i},0,1560" for i in range(6)))
    source = MethodInputs(still, 500, 60)
    plain = risk(untouched(still), still, source, points=4, seed=0)
    assert (plain.linked.share, plain.linked.people) == (1, 6)
    pairs = risk(Glove(k=2)(still), still, source, points=4, seed=0)
    assert pairs.linked.share <= pairs.linked.high <= Fraction(1, 2)  # a box of two names nobody surely
    once = prints("0,0,0 | 900,0,0")
    alone = MethodInputs(once, 500, 60)
    assert risk(untouched(once), once, alone, points=4, seed=0).linked is None

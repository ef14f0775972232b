"""Attack accuracy against what a mitigation loses."""

import math
import sys
from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd.assess.mitigated import MembershipRisk, Mitigations, Outcome, dp_bounds
from incrowd.attack.recover.guesses import Positions, control_of, positions
from incrowd.show import section_of as section

XY = [[1000 * cell, 300 * (cell % 2)] for cell in range(6)]
# Eight people on six cells in four quarters of a day: some stay, some go to work and back.
DAY = np.array(
    [[0, 0, 1, 0], [0, 0, 2, 0], [1, 1, 1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [4, 4, 5, 4], [5, 5, 5, 5], [5] * 4]
)


def people(days=2, slot_min=180):
    rows = np.tile(np.repeat(DAY, 360 // slot_min, axis=1), (1, days))
    user, slot = np.indices(rows.shape).reshape(2, -1)
    return ic.Visits.from_arrays(user, rows.ravel(), slot, xy=XY, slot_min=slot_min, start=0)


@pytest.fixture(scope="module")
def found():
    strengths = {"noise": [0.1], "suppress": [1, 2, 9], "round": [4], "move": [0.0, 1.0], "space": [100_000]}
    return strengths, ic.assess.mitigations(people(), strengths=strengths, seed=1, regions=[0, 0, 0, 1, 1, 1])


def outcome(found, mitigation, strength):
    return next(o for o in found.outcomes if (o.mitigation, o.strength) == (mitigation, strength))


def test_every_strength_is_attacked_and_the_counts_as_they_are_come_first(found):
    strengths, made = found
    assert [str(o) for o in made.outcomes[:3]] == [
        "counts as they are",
        "noise, epsilon 0.1 per count",
        "counts below 1 suppressed",
    ]
    assert len(made.outcomes) == 2 + sum(map(len, strengths.values()))
    assert (made.users, made.cells, made.slots, made.slot_min) == (8, 6, 16, 180)


def test_no_strength_is_the_attack_itself(found):
    made = found[1]
    plain = made.outcomes[0]
    exact = ic.discretize.counts(people())
    score = ic.attack.recovery_score(ic.attack.recover(exact, seed=1), people())
    assert (plain.accuracy, plain.loss, plain.unique) == (score.accuracy, 0, score.uniqueness)
    for same in (outcome(made, "suppress", 1), outcome(made, "move", 0.0)):
        assert (same.accuracy, same.night, same.day, same.loss) == (plain.accuracy, plain.night, plain.day, 0)


def test_what_publishes_nothing_leaves_nothing_to_attack(found):
    nothing = outcome(found[1], "suppress", 9)
    assert nothing.loss == 1 and math.isnan(nothing.accuracy) and nothing.unique == {}


def test_one_region_for_all_is_recovered_and_says_nothing(found):
    region = outcome(found[1], "space", 100_000)
    assert region.accuracy == 1 and region.far == 0 and region.loss > 0.4 and set(region.unique.values()) == {0.0}


FINE = MembershipRisk(0.52, 0.58, 0.01, 0.03)


def way(mitigation, loss, *, best=0.5, control=0.48, misled=False, membership=FINE, smallest=11, unchanged=False):
    judged = Positions(best, {"everyone static": 0.3}, control, misled)
    shares = (best, best, best, 0.1, {1: 0.5})
    strength = 1.0
    return Outcome(mitigation, strength, loss, *shares, judged, membership, smallest, unchanged)


def swept(*outcomes):
    return Mitigations(outcomes, outcomes[0].chance, 0.1, 8, 6, 16, 180, "exact", "global", 1)


def test_recommended_is_the_least_loss_within_all_limits():
    none = way("none", 0.0, unchanged=True)
    worse, fine = way("suppress", 0.4), way("space", 0.3)
    assert swept(none, worse, fine).best is fine
    for wrong, why in (
        (way("suppress", 0.1, best=0.54), "positions: advantage 11.5 %"),  # (0.54 - 0.48) / 0.52
        (way("suppress", 0.1, misled=True), "the attack on positions was misled, which proves nothing"),
        (way("noise", 0.1), "protects a count, not a person"),
        (way("move", 0.1), "only misleads attacks"),
        (way("suppress", 0.1, membership=None), "membership was not measured"),
        (way("suppress", 0.1, membership=replace(FINE, auc_high=0.61)), "membership AUC up to 0.61"),
        (way("round", 0.1, membership=replace(FINE, named_high=0.06)), "up to 6.0 % of people named at 1 % wrongly"),
        (way("suppress", 0.1, smallest=10), "a published number stands for 10 people"),
        (way("suppress", 0.0, unchanged=True), "the counts are unchanged"),
        (way("dp", 1.2), "it says less than nothing published would"),
        (replace(way("suppress", 1.0), positions=None), "nothing is published"),
    ):
        made = swept(none, worse, wrong)
        assert why in wrong.missed(0.1) and made.best is worse
        assert why in section(made).tables[0].rows[2][-1]
    few = way("suppress", 0.1, membership=replace(FINE, named=None, named_high=None))
    assert swept(none, few).best is few  # under 250 people the AUC alone is judged
    guaranteed = way("dp", 0.1, misled=True, smallest=None)
    assert swept(none, guaranteed).best is guaranteed  # its guarantee holds whatever the attack does


def test_advantage_is_what_another_day_does_not_tell():
    assert Positions(0.7, {"everyone static": 0.6}, 0.4).advantage == pytest.approx(0.5)
    assert Positions(0.3, {"everyone static": 0.6}, 0.4).advantage == pytest.approx(1 / 3)  # the better of both
    assert Positions(0.3, {"everyone static": 0.2}, 0.4).advantage < 0  # not clipped
    assert Positions(1.0, {"everyone static": 1.0}, 1.0).advantage == 0  # nothing to gain
    assert Positions(0.3, {"everyone static": 0.2}, 0.0).advantage == 0.3  # one day only


def test_the_control_is_the_static_guess_on_the_days_after():
    """Two people over two days of four slots: the guess (one at each cell) is right in 6 of 8, then in 5."""
    rows = np.array([[0, 0, 1, 1, 1, 1, 0, 1], [1] * 8])
    who, slot = np.indices(rows.shape).reshape(2, -1)
    visits = ic.Visits.from_arrays(who, rows.ravel(), slot, xy=XY[:2], slot_min=360)
    mended = ic.discretize.counts(visits)
    judged = positions(ic.attack.recover(mended, seed=0), mended, visits, pairing="global", seed=0)
    assert judged.control == control_of(mended, visits, pairing="global") == (1 + 4) / 8
    assert judged.guesses == ic.attack.chance_accuracy(mended, visits, seed=0)
    one = people(days=1)
    assert control_of(ic.discretize.counts(one), one, pairing="global") == 0


def test_an_attack_below_the_guess_is_misled():
    stays = np.tile(np.arange(6), 5)[:, None].repeat(16, axis=1)
    who, slot = np.indices(stays.shape).reshape(2, -1)
    truth = ic.Visits.from_arrays(who, stays.ravel(), slot, xy=XY, slot_min=180, start=0)
    mended = ic.discretize.counts(truth)
    right = ic.attack.recover(mended, seed=0)
    assert not positions(right, mended, truth, pairing="global", seed=0).misled
    wrong = replace(right, cells=np.roll(right.cells, 1, axis=0) * (slot.reshape(stays.shape) % 2))
    assert positions(wrong, mended, truth, pairing="global", seed=0).misled


def test_noise_per_count_comes_with_the_number(found):
    made = found[1]
    noisy = outcome(made, "noise", 0.1)
    assert made.caution == (
        "Noise per count protects a count, not a person: even with epsilon 0.1 per count, an attacker who knows "
        f"somebody's visits tells with an AUC of {noisy.membership.auc:.2f} whether they were counted (chance 0.50)."
    )
    assert made.caution in section(made).answer and "protects a count, not a person" in noisy.missed(made.target)
    assert ic.assess.mitigations(people(), strengths={}).caution == ""


def test_membership_is_that_of_the_attack_that_knows_the_method(found):
    made = found[1]
    for name, strength, told in (
        ("none", 0, {}),
        ("round", 4, {"round_to": 4}),
        ("noise", 0.1, {"noise_epsilon": 0.1}),
    ):
        asked = ic.attack.membership(people(), mitigation=told, seed=1)
        one = outcome(made, name, strength).membership
        assert (one.auc, one.auc_high, one.named) == (asked.auc, asked.interval[1], asked.tpr_at_1pct)
    assert outcome(made, "space", 100_000).membership.auc == 0.5  # one region for all
    assert made.outcomes[0].membership.auc_high > 0.6


def test_the_smallest_count_is_the_true_one_behind_what_is_published(found):
    made = found[1]
    assert made.outcomes[0].smallest == outcome(made, "suppress", 1).smallest == 1
    assert outcome(made, "suppress", 2).smallest == 2 and outcome(made, "suppress", 9).smallest is None
    assert outcome(made, "round", 4).smallest == 2  # 2 is published as 4
    assert outcome(made, "space", 100_000).smallest == 8


def test_noise_for_a_person_is_bounded_by_its_guarantee():
    made = ic.assess.mitigations(people(), strengths={"dp": [0.4, 5]}, seed=1)
    strict, loose = made.outcomes[1:]
    assert str(strict) == "DPCounts, epsilon 0.4 per person, one slot each" and strict.smallest is None
    assert strict.membership.auc_high <= dp_bounds(0.4)[0] < 0.6 and strict.membership.missed() == []
    assert strict.membership.named_high <= dp_bounds(0.4)[1] < loose.membership.named_high
    assert strict.loss > 1 and made.best is None  # 8 people in one slot each say nothing


def test_unchanged_counts_are_never_recommended(found):
    made = found[1]
    for same in (made.outcomes[0], outcome(made, "suppress", 1), outcome(made, "move", 0.0)):
        assert same.unchanged and "the counts are unchanged" in same.missed(1.0)
    assert not outcome(made, "round", 4).unchanged
    assert ic.assess.mitigations(people(), strengths={}, target=1.0, seed=1).best is None


def test_longer_slots_are_attacked_too():
    asked = {"strengths": {}, "resampled": {360: people(slot_min=360)}, "method": "threshold", "theta_m": 1.0}
    made = ic.assess.mitigations(people(), **asked)
    assert [o.mitigation for o in made.outcomes] == ["none", "time"] and made.method == "threshold"
    assert made.outcomes[1].loss == 0  # both halves of a quarter are alike here


def test_guesses_are_beside_it(found):
    made = found[1]
    assert set(made.chance) == {"everyone static", "random assignment"}
    exact = ic.discretize.counts(people())
    assert made.chance == made.outcomes[0].chance == ic.attack.chance_accuracy(exact, people(), seed=1)
    suppressed = ic.attack.repair(ic.anonymize.suppress_small(exact, k=2), users=8)
    theirs = outcome(made, "suppress", 2).chance
    assert theirs == ic.attack.chance_accuracy(suppressed, people(), seed=1) != made.chance
    assert outcome(made, "space", 100_000).chance == dict.fromkeys(made.chance, 1)  # one region for all
    assert outcome(made, "suppress", 9).chance == {}


def test_publishing_nothing_is_not_the_best():
    made = ic.assess.mitigations(people(), strengths={"suppress": [9]}, target=1.0, seed=1)
    assert math.isnan(made.outcomes[1].accuracy) and made.outcomes[1].missed(1.0) == ["nothing is published"]
    assert made.best is None and "Nothing that was tried is within all limits" in section(made).answer


def test_it_prints_its_answer_first_and_its_table_has_every_way(found):
    made = found[1]
    answer, options = str(made).splitlines()
    assert answer.startswith("From the counts as they are, ") and "; from another day " in answer
    assert options.startswith("(8 people, 6 cells, 16 slots of 180 min; advantage at most 10 %, method exact, ")
    table = section(made).tables[1]
    assert table.head[:7] == ("published", "loss", "nights", "days", "whole", "everyone static", "random assignment")
    assert [row[0] for row in table.rows] == [str(one) for one in made.outcomes]
    assert "<td>counts as they are</td>" in made._repr_html_()
    fine = swept(made.outcomes[0], way("space", 0.3))
    assert "the one that loses least detail is: regions of 1 m (loss 30.0 %)." in str(fine)


def test_its_figure_has_a_line_for_each_mitigation_and_level_for_the_target(found):
    panel = section(found[1]).panel("mitigations")
    assert [line.label for line in panel.lines][:2] == ["noise", "small counts suppressed"]
    assert all(line.x[0] == 0 and line.tags[0] == "" for line in panel.lines)  # from the counts as they are
    assert len(panel.levels) == 2


def test_the_best_works_under_its_old_name_with_a_notice(found):
    with pytest.warns(ic.errors.IncrowdWarning, match="cheapest is now best; the old name works until 0.3"):
        assert found[1].cheapest is found[1].best
    record = found[1].to_dict()
    assert record["cheapest"] == record["best"] and record["renamed"] == {"cheapest": "best"}
    assert found[1].to_arrow().num_rows == len(found[1].outcomes)


def test_an_attack_that_was_made_is_not_made_again(monkeypatch):
    score = ic.attack.recovery_score(ic.attack.recover(ic.discretize.counts(people()), seed=0), people())
    again = ic.assess.mitigations(people(), strengths={})
    monkeypatch.delattr(sys.modules["incrowd.assess._mitigations"], "recover")
    assert ic.assess.mitigations(people(), strengths={}, plain=score) == again


def test_the_section_names_the_best_and_the_guesses(found, tmp_path):
    made = found[1]
    shown = section(made)
    assert "everyone static" in shown.answer
    assert [len(table.rows) for table in shown.tables] == [len(made.outcomes)] * 2 and "n = 8 people" in shown.panels[
        0
    ].caption
    page = ic.report.write(tmp_path / "r.html", made).read_text()
    assert "NaN" not in page


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"target": 0}, "target must be in"),
        ({"strengths": {"magic": [1]}}, "unknown mitigation 'magic'"),
        ({"strengths": {"noise": [0]}}, "strength of noise must be above 0"),
        ({"strengths": {"round": [1.5]}}, "strength of round must be a whole number"),
        ({"strengths": {"move": [2]}}, "strength of move must be a share"),
        ({"strengths": {}, "regions": [1, 2]}, "each of the 6 cells"),
    ],
)
def test_refusals(asked, message):
    with pytest.raises(ic.errors.IncrowdError, match=message):
        ic.assess.mitigations(people(), **asked)

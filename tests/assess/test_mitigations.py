"""Attack accuracy against what a mitigation loses."""

import math
import sys
from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
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


def test_the_best_is_the_least_loss_under_the_target(found):
    made = found[1]
    under = [o for o in made.outcomes if o.accuracy < made.target]
    assert made.best in under and made.best.loss == min(o.loss for o in under)
    assert ic.assess.mitigations(people(), strengths={}, target=1.0, seed=1).best in (None, made.outcomes[0])
    assert ic.assess.mitigations(people(), strengths={"round": [1]}, target=0.01, seed=1).best is None


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


def test_guesses_above_the_target_are_in_the_answer(found):
    made = replace(found[1], target=0.05)
    assert made.caution.startswith("The target of 5 % is below what guessing gets right (everyone static and random")
    assert made.caution in section(made).answer
    assert replace(found[1], target=1.0, best=None).caution == ""
    misled = replace(found[1].outcomes[1], chance={"everyone static": 0.8})
    assert "the guess 'everyone static' still gets 80 % right" in replace(found[1], target=0.75, best=misled).caution


def test_publishing_nothing_is_not_the_best():
    made = ic.assess.mitigations(people(), strengths={"suppress": [9]}, target=0.01, seed=1)
    assert math.isnan(made.outcomes[1].accuracy) and made.best is None
    assert "Nothing that was tried" in section(made).answer


def test_counts_that_are_well_as_they_are_need_no_mitigation(found):
    made = replace(found[1], target=1.0, best=found[1].outcomes[0])
    assert made.caution == "" and "no mitigation is needed against this attack" in section(made).answer
    misled = replace(found[1].outcomes[0], chance={"everyone static": 0.8})
    fine = replace(found[1], target=0.75, chance=misled.chance, best=misled)
    assert fine.caution.endswith("is below what guessing gets right (everyone static).")
    assert "misleads" not in fine.caution and fine.caution in section(fine).answer


def test_it_prints_its_answer_first_and_its_table_has_every_way(found):
    made = found[1]
    answer, options = str(made).splitlines()
    assert answer.startswith("From the counts as they are, ") and f"is: {made.best} (loss" in answer
    assert options.startswith("(8 people, 6 cells, 16 slots of 180 min; target 30 %, method exact, ")
    table = section(made).tables[0]
    assert table.head[:7] == ("published", "loss", "nights", "days", "whole", "everyone static", "random assignment")
    assert [row[0] for row in table.rows] == [str(one) for one in made.outcomes]
    assert "<td>counts as they are</td>" in made._repr_html_()
    assert "Nothing that was tried brings this under 30 %." in str(replace(made, best=None))


def test_its_figure_has_a_line_for_each_mitigation_and_level_for_the_target(found):
    panel = section(found[1]).panel("mitigations")
    assert [line.label for line in panel.lines][:2] == ["noise", "small counts suppressed"]
    assert all(line.x[0] == 0 and line.tags[0] == "" for line in panel.lines)  # from the counts as they are
    assert panel.levels["target 0.3"] == 0.3 and len(panel.levels) == 3


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
    assert str(made.best) in shown.answer and "everyone static" in shown.answer
    assert len(shown.tables[0].rows) == len(made.outcomes) and "n = 8 people" in shown.panels[0].caption
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

"""Every method on the same people: what is compared, what is said, what is refused."""

import json
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import incrowd as ic
from boxes import prints
from incrowd.assess.compare import ALL, CompareOptions, prepared
from incrowd.assess.compare.comparison import AS_THEY_ARE, NOTHING, Comparison, Row
from incrowd.assess.compare.settings import Target, untouched
from incrowd.data.table import some_people

estimate_module = import_module("incrowd.assess.compare")
FOUR = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")


@pytest.fixture(scope="module")
def country():
    return ic.read.synthetic_city(users=60, towers=12, days=2, profile="cdr").fingerprints()


@pytest.fixture(scope="module")
def found(country):
    return ic.assess.compare(country, target="k=2")


def asked(data, methods=ALL, target="k=2", points=4, people=2000):
    return prepared(data, CompareOptions(methods=methods, target=target, points=points, people=people))


def test_every_method_has_its_rows(found):
    assert [(row.method, row.setting) for row in found.rows[:2]] == [(NOTHING, AS_THEY_ARE), (NOTHING, "500 m, 60 min")]
    assert {row.method for row in found.rows} == {NOTHING, *ALL}
    assert (found.people, found.of_people, found.points) == (60, 60, 4)
    for row in found.rows:
        assert not row.problem
        assert all(0 <= row.privacy[name] <= 1 for name in ("guess", "guess_high", "worst", "cap", "below_k", "found"))
        assert all(0 <= row.utility[name] <= 1 for name in ("loss", "kept", "people", "steps", "made_up", "coarse"))


def test_the_same_attackers_ask_every_release(country):
    """Numbers of the data as they are, of boxes and of visits come from one lookup and from one link each."""
    ready = asked(country, methods=["generalize", "glove"])
    found = ready.run()
    made = [
        (untouched(country), country),
        *((r, one.data(ready.source)) for one, r, _ in ready.releases(pseudonym_seed=0)),
    ]
    for row, (release, original) in zip(found.rows, made, strict=True):
        lookup = ic.attack.lookup(release, original, records=4, seed=0)
        numbers = [row.privacy[name] for name in ("guess", "worst", "cap")]
        assert numbers == [lookup.value, lookup.worst, lookup.cap]
        assert row.privacy["linked"] is None or 0 <= row.privacy["linked"] <= row.privacy["linked_high"] <= 1
    assert [row.setting for row in found.rows if row.privacy["linked"] is None] == ["50 km, 24 h"]  # nobody in both


@pytest.fixture(scope="module")
def different():
    """400 different trajectories of nine hours between two places: any four known records fit two dozen people."""
    bits = np.random.default_rng(1).permutation(512)[:400, None] >> np.arange(9) & 1
    who, when = np.indices(bits.shape).reshape(2, -1)
    return ic.Fingerprints.from_arrays(who, x=30_000 * bits.ravel(), y=0 * who, t=60 * when)


def test_400_different_trajectories_do_not_reach_k_as_they_are(different):
    found = ic.assess.compare(different, methods=["generalize", "glove"], target="k=2")
    plain = found.rows[0]
    assert plain.privacy["crowd_median"] > 10 and plain.privacy["cap"] == 1  # four records, and all of them
    assert not plain.meets and plain.missed == ("100.0 % of people in a crowd below 2",)
    # Published unchanged but for pseudonyms, they get no better verdict than the data.
    fine = next(row for row in found.rows if row.setting == "1 km, 1 h")
    same = ("guess", "worst", "cap", "below_k", "crowd_least", "linked")
    assert [fine.privacy[name] for name in same] == [plain.privacy[name] for name in same] and not fine.meets
    assert found.best.method == "glove" and "no method is needed" not in found.verdict


def test_a_method_that_keeps_nothing_is_never_the_best(country):
    found = ic.assess.compare(country, methods=["glove", "generalize"], target="k=20")
    empty = [row for row in found.rows if row.method == "glove" and not row.utility["kept"]]
    assert empty and all(not row.meets and row not in found.frontier for row in empty)
    assert all(row.drops == "publishes nothing, or almost nothing" and row.privacy == {} for row in empty)
    little = replace(row("glove", 0.1, 0.0, meets=True), utility={**UTILITY, "loss": 0.1, "kept": 0.004})
    rows = row(NOTHING, 0.0, 1.0, meets=False), little, row("lkc", 0.9, 0.0, meets=True)
    made = Comparison(Target.parse("k=2"), 4, 9, 9, 99, 500, 60, 0, rows)
    assert made.best.method == "lkc" and little not in made.frontier and "Next is" not in made.verdict


@pytest.mark.parametrize(
    ("kept", "people", "said"),
    [
        (0.5, 0.9, ""),
        (0.49, 0.9, "drops 51 % of the records"),
        (1.0, 0.85, "drops 15 % of the people"),
        (0.1, 0.5, "drops 90 % of the records and 50 % of the people"),
    ],
)
def test_losses_are_said_aloud(kept, people, said):
    best = row("glove", 0.25, 0.0, meets=True)
    best = replace(best, utility={**best.utility, "kept": kept, "people": people})
    none = replace(row(NOTHING, 0.0, 1.0, meets=False), setting=AS_THEY_ARE)
    assert best.drops == best.to_dict()["drops"] == said and (f"glove (x): {said}." in verdict(none, best)) == bool(
        said
    )


@pytest.mark.parametrize("method", ALL)
def test_every_release_made_inside_passes_the_audit(country, method):
    ready = asked(country, methods=[method])
    for one, release, _ in ready.releases():
        verdict = ic.audit.check(release, original=one.data(ready.source))
        assert verdict.passed, f"{one.words}: {verdict}"


def test_guarantees_hold_against_the_attacker(found):
    by = {(row.method, row.setting): row for row in found.rows}
    assert all(row.meets for row in found.rows if row.method == "glove")
    assert by["lkc", "l=4, k=2"].privacy["singled_out_high"] == 0  # nobody is alone with four records, which is proved
    assert by["glove", "k=4, 15 km, 6 h"].privacy["crowd_least"] >= 4
    assert by[NOTHING, "as they are"].utility["loss"] == 0
    grains = [row.loss for row in found.rows if row.method == "generalize"]
    assert grains == sorted(grains)


def test_the_best_meets_the_target_at_the_least_loss(found):
    best = found.best
    assert best.meets and best.loss == min(row.loss for row in found.rows if row.meets)
    assert found.verdict.startswith(
        f"{best} loses least detail of all that reach the target (nobody in a crowd below 2): loss {best.loss:.3f}"
    )


def test_limits_delete_the_group_that_is_too_long():
    # Groups {0, 1} and {2, 3}; the sample of user 1 lies in the boxes of both.
    rows = {row.setting: row for row in ic.assess.compare(FOUR, methods=["glove"], target="k=2", points=1).rows}
    plain, thin = rows["k=2"], rows["k=2, 15 km, 6 h"]
    assert (plain.privacy["crowd_least"], plain.privacy["crowd_median"]) == (2, 2)
    assert plain.loss == pytest.approx(0.115625) and plain.meets
    assert (thin.utility["people"], thin.utility["kept"]) == (0.5, 0.5)  # 381 min are too long
    assert rows["as they are"].privacy["singled_out"] == 1 and not rows["as they are"].meets


def test_to_publish_nothing_is_no_answer():
    rows = {row.setting: row for row in ic.assess.compare(FOUR, methods=["glove"], target="k=3", points=1).rows}
    empty = rows["k=6, 15 km, 6 h"]
    assert empty.utility["kept"] == empty.utility["people"] == 0 and not empty.meets and not empty.published


@pytest.mark.parametrize(("target", "needed"), [("k=5", 5), ("guess=1/11", 11), ("guess=0.05", 20)])
def test_too_few_people_are_named_before_anything_runs(target, needed):
    with pytest.raises(ic.DataError, match=rf"no release of 4 people can reach the target.*at least {needed} people"):
        ic.assess.compare(FOUR, target=target)


def test_same_seed_same_numbers(country, found):
    again = ic.assess.compare(country, target="k=2")
    assert [replace(row, seconds=0) for row in again.rows] == [replace(row, seconds=0) for row in found.rows]


def test_people_are_thinned_by_seed(country):
    one, two, other = (some_people(country, people=20, seed=s).users.tolist() for s in (1, 1, 2))
    assert one == two != other and len(one) == 20 and one == sorted(one)
    few = ic.assess.compare(country, methods=["generalize"], people=20, seed=1, target="k=2")
    assert (few.people, few.of_people) == (20, 60)
    assert some_people(country, people=60, seed=1) is country


def test_traces_are_taken_too(country):
    city = ic.read.synthetic_city(users=10, towers=12, days=1, profile="cdr")
    assert (
        ic.assess.compare(city.traces, methods=["generalize"], people=10, target="k=2").samples
        == city.fingerprints().records
    )


def test_what_cannot_run_says_why_in_its_row():
    found = ic.assess.compare(FOUR, methods=["w4m", "generalize"], target="k=3", points=1)
    failed = [row for row in found.rows if row.problem]
    assert [row.method for row in failed] == ["w4m"] and "cannot hide among k = 6" in failed[0].problem
    assert not any(row.meets for row in failed) and sum(not row.problem for row in found.rows) == 6


def test_a_target_of_uniqueness(country):
    found = ic.assess.compare(country, methods=["glove", "generalize"], target="uniqueness=0.5")
    assert found.target == Target(uniqueness=0.5)
    assert all(row.meets == (row.published and row.privacy["singled_out_high"] <= 0.5) for row in found.rows)


@pytest.mark.parametrize(
    "text",
    [
        *("", "k", "k=1", "k=-2", "k=2.5", "uniqueness=2", "uniqueness=nan", "l=3", "uniqueness=", "k=1000001"),
        *("k=" + "9" * 5000, "uniqueness=0_1", "uniqueness=-0", "uniqueness=1e-9999", "uniqueness=inf"),
        *("guess", "guess=0", "guess=1/0", "guess=2/1", "guess=1/1/1", "guess=nan", "guess=-1/11", "guess=1e-9"),
    ],
)
def test_bad_targets_are_refused(text):
    with pytest.raises(ic.ParameterError, match="unknown target; give guess=1/11"):
        ic.assess.compare(FOUR, target=text)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"methods": ["glove", "magic"]}, "unknown method 'magic'; choose from cut, generalize, glove, lkc, w4m"),
        ({"methods": []}, "must be a list"),
        ({"methods": "glove"}, "must be a list"),
        ({"methods": 5}, "must be a list"),
        ({"methods": [5]}, "unknown method 5"),
        ({"target": 2}, "unknown target"),
        ({"target": None}, "unknown target"),
        ({"points": 0}, "points must be a whole number"),
        ({"points": 9}, r"points must be in \[1, 8\]"),
        ({"people": 0}, "people must be"),
        ({"cell_m": 0}, "cell_m must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_options_are_refused_before_anything_is_read(how, said):
    with pytest.raises(ic.ParameterError, match=said):
        ic.assess.compare("no such file", **how)


UTILITY = {
    "loss": 0.0,
    "kept": 0.5,
    "people": 1.0,
    "position_m": 1000.0,
    "time_min": 30.0,
    "place_m": 100.0,
    "width_min": 1.0,
}


def verdict(*rows, target="k=2"):
    return Comparison(Target.parse(target), 4, 9, 9, 99, 500, 60, 0, rows).verdict


def row(method, loss, below, *, meets):
    privacy = {"below_k": below, "singled_out_high": below / 2, "guessed": below / 4}
    return Row(method, "x", privacy, {**UTILITY, "loss": loss}, meets)


def test_verdicts_in_words():
    none, cut, lkc, glove = (
        replace(row(NOTHING, 0.0, 1.0, meets=False), setting=AS_THEY_ARE),
        row("cut", 0.1, 0.4, meets=False),
        *(row(name, loss, 0.0, meets=True) for name, loss in (("lkc", 0.9), ("glove", 0.25))),
    )
    glove = replace(glove, utility={**glove.utility, "place_m": 2500.0, "width_min": 90.0})
    assert verdict(none, cut, lkc, glove) == (
        "glove (x) loses least detail of all that reach the target (nobody in a crowd below 2): loss 0.250, 50 of 100 "
        "records and 100 of 100 people left, places from 100 to 2,500 m, times from 1 to 90 min, 1,000 m and 30 min "
        "off on average. Next is lkc (x) with loss 0.900."
    )
    assert verdict(none, cut, glove).endswith("No other method reaches it.")
    assert verdict(none, cut) == (
        "No setting reaches the target (nobody in a crowd below 2); cut (x) comes closest with 40.0 % of people in a "
        "crowd below 2."
    )
    assert verdict(none) == (
        "No setting reaches the target (nobody in a crowd below 2); nothing tried comes closer than publishing the "
        "data as they are (100.0 % of people in a crowd below 2)."
    )
    assert "comes closest with 20.0 % of people identified" in verdict(none, cut, target="uniqueness=0.1")
    halves = replace(cut, missed=("with 1/2 or more: up to 3.0 %",))
    told = verdict(none, halves, target="guess=1/11")
    assert "comes closest with 10.0 % of people guessed rightly. What is above its limit: with 1/2 or more: up" in told
    assert verdict(replace(none, meets=True), glove) == (
        "The data reach the target (nobody in a crowd below 2) as they are; no method is needed."
    )
    coarse = replace(none, setting="500 m, 60 min", meets=True)
    assert verdict(none, coarse).startswith("publishing visits (500 m, 60 min) loses least detail of all")


def test_what_publishes_nothing_comes_closest_to_nothing():
    none, cut = row(NOTHING, 0.0, 1.0, meets=False), row("cut", 0.1, 0.4, meets=False)
    empty = row("glove", 1.0, 0.0, meets=False)
    empty = replace(empty, utility={**empty.utility, "kept": 0.0})
    assert "cut (x) comes closest" in verdict(none, cut, empty)


@pytest.mark.parametrize(
    ("off", "late", "said"),
    [
        (20_000, 480, None),
        (1000, 96_056, "off by 67 days on average"),
        (1000, 500, "off by 8 h on average"),
        (30_000, 3000, "off by 30 km and 2 days on average"),
    ],
)
def test_an_error_beyond_what_the_loss_counts_is_said(off, late, said):
    best = row("glove", 0.5, 0.0, meets=True)
    told = verdict(
        row(NOTHING, 0.0, 1.0, meets=False),
        replace(best, utility={**best.utility, "position_m": float(off), "time_min": float(late)}),
    )
    if said is None:
        assert "Beware" not in told
    else:
        assert f"min off on average. Beware: it is {said}, and the loss counts at most 20 km and 8 h. No other" in told


def test_the_estimate_is_made_in_a_fraction_of_the_time(country, monkeypatch):
    asked_for, usual = [], estimate_module.glove_estimates
    monkeypatch.setattr(
        estimate_module, "glove_estimates", lambda data, *, k: asked_for.append(list(k)) or usual(data, k=k)
    )
    assert estimate_module.compare_estimate(asked(country)).settings == 15 and asked_for == [[2, 2, 4]]
    assert estimate_module.compare_estimate(asked(country, methods=["cut"])).settings == 3 and len(asked_for) == 1


def test_the_frontier_is_what_no_other_beats():
    none, cut, twin, coarse, glove = (
        row(NOTHING, 0.0, 1.0, meets=False),
        row("cut", 0.1, 0.4, meets=False),
        row("lkc", 0.1, 0.4, meets=False),
        row("generalize", 0.2, 0.4, meets=False),  # loses more than cut and protects no better
        row("glove", 0.25, 0.0, meets=True),
    )
    failed = Row("w4m", "x", problem="no")
    empty = replace(row("lkc", 0.0, 0.0, meets=False), utility={**UTILITY, "kept": 0.0})
    rows = (glove, none, cut, twin, coarse, failed, empty)
    found = Comparison(Target.parse("k=2"), 4, 9, 9, 99, 500, 60, 0, rows)
    assert [one.method for one in found.frontier] == [NOTHING, "cut", "lkc", "glove"]


def test_w4m_says_what_it_does_not_promise(country):
    found = ic.assess.compare(country, methods=["w4m"], target="k=2")
    rows = [one for one in found.rows if one.method == "w4m"]
    assert all(one.note == "(k, delta) only; pivots are published as they were" for one in rows)
    # A pivot of two is singled out by what was not moved, although all are alike within delta.
    assert rows[0].privacy["singled_out"] > 0.25 and not rows[0].meets
    assert found.verdict.endswith("w4m: (k, delta) only; pivots are published as they were.")


def test_crowds_behind_one_fingerprint_are_refused():
    for data in (prints("0,0,0 | 9000,0,0", crowd=[5, 5]), ic.anonymize.Glove(k=2)(FOUR).data):
        with pytest.raises(ic.DataError, match="stands for several people"):
            ic.assess.compare(data, methods=["glove"], points=1, target="k=2")


def test_a_method_without_a_setting_says_so(country):
    found = ic.assess.compare(country, methods=["cut", "generalize"], slot_min=1441, people=10, target="k=2")
    (cut,) = (one for one in found.rows if one.method == "cut")
    assert "no strength of it fits slots of 1,441 min" in cut.problem and not cut.meets
    assert sum(one.method == "generalize" for one in found.rows) == 4


def test_pieces_are_rejoined_by_the_stronger_of_both_scores(country, found):
    by = {(one.method, one.setting): one.privacy for one in found.rows}
    assert all((by[key]["rejoined"] is not None) == (key[0] == "cut") for key in by)
    ready = asked(country, methods=["cut"])
    for one, release, _ in ready.releases(pseudonym_seed=0):
        shares = [ic.attack.relink(release, score=score, seed=0).score.share for score in ("gain", "evidence")]
        assert by["cut", one.words]["rejoined"] == max(shares)
        pieces = ic.attack.lookup(release, ready.source.visits, seed=0)
        assert by["cut", one.words]["guess"] >= pieces.value  # joining never hides anybody
    assert by["cut", "6 h"]["guess"] > pieces.value


def test_every_method_of_the_registry_is_compared():
    assert tuple(ic.anonymize.METHODS) == ALL
    assert all(one.strength for one in asked(FOUR, points=1).settings)


def test_one_is_one():
    single = ic.assess.compare(prints("0,0,0"), points=1, target="uniqueness=0.1")
    assert single.who == "1 person"
    assert any(one.problem.startswith("1 user cannot hide") for one in single.rows)


def test_records_have_the_best_under_its_old_name_too_and_a_table_of_all_settings():
    found = ic.assess.compare(FOUR, methods=["cut", "w4m"], target="k=4", points=1)
    record = found.to_dict()
    assert record["best"] is record["cheapest"] is None and record["renamed"] == {"cheapest": "best"}
    assert json.loads(json.dumps(record)) == record
    with pytest.warns(ic.errors.IncrowdWarning, match="cheapest is now best"):
        assert found.cheapest is found.best
    table = found.to_arrow()
    assert table.column("method").to_pylist() == [one.method for one in found.rows]
    assert table.column("loss").to_pylist()[0] == 0 and None in table.column("loss").to_pylist()  # what could not run

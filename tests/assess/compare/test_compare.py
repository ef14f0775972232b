"""Every method on the same people: what is compared, what is said, what is refused."""

from dataclasses import replace
from importlib import import_module

import pytest

import incrowd as ic
from boxes import prints
from incrowd.assess.compare import ALL, CompareOptions, prepared
from incrowd.assess.compare.comparison import NOTHING, Comparison, Row, Target
from incrowd.data.table import some_people

compare_module = import_module("incrowd.assess.compare")
FOUR = prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400")


@pytest.fixture(scope="module")
def country():
    return ic.read.synthetic_city(users=60, towers=12, days=2, profile="cdr").fingerprints()


@pytest.fixture(scope="module")
def found(country):
    return ic.assess.compare(country)


def asked(data, methods=ALL, target="k=2", points=4, people=2000):
    return prepared(data, CompareOptions(methods=methods, target=target, points=points, people=people))


def test_every_method_has_its_rows(found):
    assert [row.method for row in found.rows[:1]] == [NOTHING]
    assert {row.method for row in found.rows} == {NOTHING, *ALL}
    assert (found.people, found.of_people, found.points) == (60, 60, 4)
    for row in found.rows:
        assert not row.problem
        assert all(0 <= row.privacy[name] <= 1 for name in ("singled_out", "below_k", "found", "agree_in_all"))
        assert all(0 <= row.utility[name] <= 1 for name in ("loss", "kept", "steps", "made_up", "coarse"))


@pytest.mark.parametrize("method", ALL)
def test_every_release_made_inside_passes_the_audit(country, method):
    ready = asked(country, methods=[method])
    for one, release, _ in ready.releases():
        verdict = ic.audit.check(release, original=one.data(ready.source))
        assert verdict.passed, f"{one.words}: {verdict}"


def test_guarantees_hold_against_the_attacker(found):
    by = {(row.method, row.setting): row for row in found.rows}
    assert all(row.meets for row in found.rows if row.method == "glove")
    assert by["lkc", "l=4, k=2"].meets
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
    rows = {row.setting: row for row in ic.assess.compare(FOUR, methods=["glove"], points=1).rows}
    plain, thin = rows["k=2"], rows["k=2, 15 km, 6 h"]
    assert (plain.privacy["crowd_least"], plain.privacy["crowd_median"]) == (2, 2)
    assert plain.loss == pytest.approx(0.115625) and plain.meets
    assert (thin.privacy["found"], thin.utility["kept"]) == (0.5, 0.5)  # 381 min are too long
    assert rows["as they are"].privacy["singled_out"] == 1 and not rows["as they are"].meets


def test_to_publish_nothing_is_no_answer():
    rows = {row.setting: row for row in ic.assess.compare(FOUR, methods=["glove"], target="k=5", points=1).rows}
    assert rows["k=5"].utility["kept"] == rows["k=5"].privacy["below_k"] == 0 and not rows["k=5"].meets


def test_same_seed_same_numbers(country, found):
    again = ic.assess.compare(country)
    assert [replace(row, seconds=0) for row in again.rows] == [replace(row, seconds=0) for row in found.rows]


def test_people_are_thinned_by_seed(country):
    one, two, other = (some_people(country, people=20, seed=s).users.tolist() for s in (1, 1, 2))
    assert one == two != other and len(one) == 20 and one == sorted(one)
    few = ic.assess.compare(country, methods=["generalize"], people=20, seed=1)
    assert (few.people, few.of_people) == (20, 60)
    assert some_people(country, people=60, seed=1) is country


def test_traces_are_taken_too(country):
    city = ic.read.synthetic_city(users=10, towers=12, days=1, profile="cdr")
    assert ic.assess.compare(city.traces, methods=["generalize"], people=10).samples == city.fingerprints().records


def test_what_cannot_run_says_why_in_its_row():
    found = ic.assess.compare(FOUR, methods=["w4m", "generalize"], target="k=5", points=1)
    failed = [row for row in found.rows if row.problem]
    assert [row.method for row in failed] == ["w4m", "w4m"] and "cannot hide among k = 5" in failed[0].problem
    assert not any(row.meets for row in failed) and sum(not row.problem for row in found.rows) == 5


def test_a_target_of_uniqueness(country):
    found = ic.assess.compare(country, methods=["glove", "generalize"], target="uniqueness=0.5")
    assert found.target == Target(uniqueness=0.5)
    assert all(row.meets == (row.privacy["singled_out"] <= 0.5) for row in found.rows)


@pytest.mark.parametrize(
    "text",
    [
        *("", "k", "k=1", "k=-2", "k=2.5", "uniqueness=2", "uniqueness=nan", "l=3", "uniqueness=", "k=1000001"),
        *("k=" + "9" * 5000, "uniqueness=0_1", "uniqueness=-0", "uniqueness=1e-9999", "uniqueness=inf"),
    ],
)
def test_bad_targets_are_refused(text):
    with pytest.raises(ic.ParameterError, match="unknown target; give k=2"):
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


def verdict(*rows, target="k=2"):
    return Comparison(Target.parse(target), 4, 9, 9, 99, 500, 60, 0, rows).verdict


def row(method, loss, below, *, meets):
    costs = {"loss": loss, "kept": 0.5, "position_m": 1000.0, "time_min": 30.0}
    return Row(method, "x", {"below_k": below, "singled_out": below / 2}, costs, meets)


def test_verdicts_in_words():
    none, cut, lkc, glove = (
        row(NOTHING, 0.0, 1.0, meets=False),
        row("cut", 0.1, 0.4, meets=False),
        *(row(name, loss, 0.0, meets=True) for name, loss in (("lkc", 0.9), ("glove", 0.25))),
    )
    assert verdict(none, cut, lkc, glove) == (
        "glove (x) loses least detail of all that reach the target (nobody in a crowd below 2): loss 0.250, 50.0 % of "
        "samples kept, 1,000 m and 30 min off on average. Next is lkc (x) with loss 0.900."
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
    assert verdict(replace(none, meets=True), glove) == (
        "The data reach the target (nobody in a crowd below 2) as they are, for this draw of 4 known samples; no "
        "method is needed."
    )


def test_what_publishes_nothing_comes_closest_to_nothing():
    none, cut = row(NOTHING, 0.0, 1.0, meets=False), row("cut", 0.1, 0.4, meets=False)
    empty = row("glove", 1.0, 0.0, meets=False)
    empty = replace(empty, utility={**empty.utility, "kept": 0.0})
    assert "cut (x) comes closest" in verdict(none, cut, empty)
    found = ic.assess.compare(FOUR, methods=["glove"], target="k=5", points=1)
    closest = "publishing the data as they are (100.0 % of people in a crowd below 5)"
    assert f"nothing tried comes closer than {closest}" in found.verdict


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
    told = verdict(replace(best, utility={**best.utility, "position_m": float(off), "time_min": float(late)}))
    if said is None:
        assert "Beware" not in told
    else:
        assert f"min off on average. Beware: it is {said}, and the loss counts at most 20 km and 8 h. No other" in told


def test_the_estimate_is_made_in_a_fraction_of_the_time(country, monkeypatch):
    asked_for, usual = [], compare_module.glove_estimates
    monkeypatch.setattr(
        compare_module, "glove_estimates", lambda data, *, k: asked_for.append(list(k)) or usual(data, k=k)
    )
    assert compare_module.compare_estimate(asked(country)).settings == 15 and asked_for == [[2, 2, 4]]
    assert compare_module.compare_estimate(asked(country, methods=["cut"])).settings == 3 and len(asked_for) == 1


def test_the_frontier_is_what_no_other_beats():
    none, cut, twin, coarse, glove = (
        row(NOTHING, 0.0, 1.0, meets=False),
        row("cut", 0.1, 0.4, meets=False),
        row("lkc", 0.1, 0.4, meets=False),
        row("generalize", 0.2, 0.4, meets=False),  # loses more than cut and protects no better
        row("glove", 0.25, 0.0, meets=True),
    )
    failed = Row("w4m", "x", problem="no")
    empty = replace(row("lkc", 0.0, 0.0, meets=False), utility={"loss": 0.0, "kept": 0.0})
    rows = (glove, none, cut, twin, coarse, failed, empty)
    found = Comparison(Target.parse("k=2"), 4, 9, 9, 99, 500, 60, 0, rows)
    assert [one.method for one in found.frontier] == [NOTHING, "cut", "lkc", "glove"]


def test_w4m_says_what_it_does_not_promise(country):
    found = ic.assess.compare(country, methods=["w4m"])
    rows = [one for one in found.rows if one.method == "w4m"]
    assert all(one.note == "(k, delta) only; pivots are published as they were" for one in rows)
    # A pivot of two is singled out by what was not moved, although all are alike within delta.
    assert rows[0].privacy["singled_out"] > 0.25 and not rows[0].meets
    assert found.verdict.endswith("w4m: (k, delta) only; pivots are published as they were.")


def test_crowds_behind_one_fingerprint_are_refused():
    for data in (prints("0,0,0 | 9000,0,0", crowd=[5, 5]), ic.anonymize.Glove(k=2)(FOUR).data):
        with pytest.raises(ic.DataError, match="stands for several people"):
            ic.assess.compare(data, methods=["glove"], points=1)


def test_a_method_without_a_setting_says_so(country):
    found = ic.assess.compare(country, methods=["cut", "generalize"], slot_min=1441, people=10)
    (cut,) = (one for one in found.rows if one.method == "cut")
    assert "no strength of it fits slots of 1,441 min" in cut.problem and not cut.meets
    assert sum(one.method == "generalize" for one in found.rows) == 4


def test_releases_of_visits_are_linked_and_pieces_rejoined(found):
    by = {(one.method, one.setting): one.privacy for one in found.rows}
    assert all((by[key]["rejoined"] is not None) == (key[0] == "cut") for key in by)
    assert all(0 <= by[key]["linked"] <= 1 for key in by)
    assert all(by[key]["linked"] == by[key]["expected_hit"] for key in by if key[0] in ("none", "glove"))
    assert all(by[key]["linked"] <= 0.5 for key in by if key[0] == "glove")  # nobody hides among fewer than two
    assert by["generalize", "1 km, 1 h"]["linked"] > by["generalize", "50 km, 24 h"]["linked"]


def test_links_are_those_of_the_attacks(country):
    ready = asked(country, methods=["cut"])
    one, release, _ = next(iter(ready.releases(pseudonym_seed=0)))
    privacy, _ = ready.judged(release, one.strength)
    assert privacy["linked"] == ic.attack.link(ready.source.visits, release, score="overlap", views=("moments",)).hit[1]
    assert privacy["rejoined"] == ic.attack.relink(release, seed=0).score.share


def test_moved_points_are_linked_on_the_grid_of_the_visits(country):
    ready = asked(country, methods=["w4m"])
    one, release, _ = next(iter(ready.releases(pseudonym_seed=0)))
    source = ready.source
    points = ic.discretize.grid(release.data, cell_m=source.cell_m, slot_min=source.slot_min, start=source.visits.start)
    linked = ready.judged(release, one.strength)[0]["linked"]
    assert (
        linked
        == ic.attack.link(source.visits, replace(release, data=points), score="overlap", views=("moments",)).hit[1]
        > 0.2
    )


def test_every_method_of_the_registry_is_compared():
    assert tuple(ic.anonymize.METHODS) == ALL
    assert all(one.strength for one in asked(FOUR, points=1).settings)


def test_one_is_one():
    single = ic.assess.compare(prints("0,0,0"), points=1)
    assert single.who == "1 person"
    assert any(one.problem.startswith("1 user cannot hide") for one in single.rows)


def test_records_have_the_best_under_its_old_name_too_and_a_table_of_all_settings():
    found = ic.assess.compare(FOUR, methods=["glove", "w4m"], target="k=5", points=1)
    record = found.to_dict()
    assert record["best"] is record["cheapest"] is None and record["renamed"] == {"cheapest": "best"}
    with pytest.warns(ic.errors.IncrowdWarning, match="cheapest is now best"):
        assert found.cheapest is found.best
    table = found.to_arrow()
    assert table.column("method").to_pylist() == [one.method for one in found.rows]
    assert table.column("loss").to_pylist()[0] == 0 and None in table.column("loss").to_pylist()  # what could not run

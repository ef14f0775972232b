"""Ways that were found to make the gate say "passes" though people are identifiable: each stays shut."""

from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from assess.asking import assessed

MONDAY = 1_704_067_200  # 2024-01-01 00:00 UTC
HOURS = 72


def together(people, groups, *, seed=0, cells=30, **attributes):
    """People in groups that always are in one place, visits by the hour, with values of their own."""
    path = np.random.default_rng(seed).integers(0, cells, (groups, HOURS))
    user, slot = np.repeat(np.arange(people), HOURS), np.tile(np.arange(HOURS), people)
    xy = np.stack([500.0 * np.arange(cells), np.zeros(cells)], axis=1)
    cell = path[np.arange(people) % groups].ravel()
    visits = ic.Visits.from_arrays(user, cell, slot, xy=xy, slot_min=60, start=MONDAY)
    return replace(visits, attributes={name: np.array(values) for name, values in attributes.items()})


def shut(result, name, verdict="above"):
    return not result.passed and result.answer(name).verdict == verdict


class TestColumns:
    def test_values_that_two_people_share_are_guessed_half_of_the_time(self):
        result = assessed(together(60, 1, club=[f"c{person // 2}" for person in range(60)]), harmless=["club"])
        assert shut(result, "columns") and result.answer("columns").value == 0.5
        assert result.answer("columns").numbers["alone"] == {"club": 0.0}

    def test_columns_that_are_unique_only_together(self):
        eight = {"street": [person % 8 for person in range(64)], "house": [person // 8 for person in range(64)]}
        result = assessed(together(64, 1, **eight), harmless=["street", "house"])
        assert shut(result, "columns") and result.answer("columns").value == 1
        assert "street and house" in result.answer("columns").number
        assert assessed(together(64, 1, street=eight["street"]), harmless=["street"]).answer("columns").value == 1 / 8

    def test_a_few_people_with_values_of_their_own(self):
        values = ["usual"] * 196 + ["a", "b", "c", "d"]
        assert shut(assessed(together(200, 1, job=values), harmless=["job"]), "columns")
        assert assessed(together(200, 1, job=["usual"] * 198 + ["a", "b"]), harmless=["job"]).passed

    def test_a_value_that_every_piece_of_a_person_repeats(self):
        visits = together(60, 1)
        release = ic.anonymize.Cut(window_h=24)(visits)
        values = np.array([f"n{person}" for person in release.members.positions.tolist()])
        marked = replace(release, data=replace(release.data, attributes={"name": values}))
        assert shut(assessed(visits, release=marked, harmless=["name"]), "columns")

    def test_harmless_does_not_silence_what_the_release_calls_sensitive(self):
        visits = together(60, 2, ill=["yes", "no"] * 30)
        same = ic.Release.from_arrays(visits, [[person] for person in range(60)], params={"sensitive": "ill"})
        other = replace(same, data=replace(visits, attributes={**visits.attributes, "sex": visits.attributes["ill"]}))
        result = assessed(visits, release=other, sensitive="sex", harmless=["ill"])
        assert shut(result, "columns", "no answer")

    def test_every_column_of_a_table_made_elsewhere_is_published(self, tmp_path):
        visits = together(60, 1)
        people = np.random.default_rng(1).permutation(60)
        rows = [
            f"{new},{c},{s},0{7919 * p}" for new, p in enumerate(people) for c, s in zip(*_row(visits, p), strict=True)
        ]
        (tmp_path / "table.csv").write_text("\n".join(["user,cell,slot,phone", *rows]) + "\n")
        (tmp_path / "link.csv").write_text("pseudonym,user\n" + "".join(f"{a},{b}\n" for a, b in enumerate(people)))
        given = {"release": tmp_path / "table.csv", "link": tmp_path / "link.csv"}
        result = assessed(visits, **given)
        assert shut(result, "columns") and result.answer("columns").value == 1
        assert result.answer("home_work").verdict == "within"  # its slots are those of the data, and so is the clock

    def test_columns_to_publish_that_were_not_read_are_refused(self):
        with pytest.raises(ic.ParameterError, match="no attribute 'ilness' that could be published"):
            assessed(together(60, 1, illness=["yes", "no"] * 30), publish_columns=["ilness"])


def _row(visits, person):
    rows = slice(*visits.offsets[person : person + 2])
    return visits.cell[rows], visits.slot[rows]


class TestSensitive:
    @pytest.mark.parametrize("values", [["HIV "], ["hiv", "hepatitus"]])
    def test_values_that_nobody_has_do_not_open_the_gate(self, values):
        visits = together(60, 2, ill=["hiv", "no"] * 30)
        assert shut(assessed(visits, sensitive="ill"), "sensitive")
        assert shut(assessed(visits, sensitive="ill", values=["hiv"]), "sensitive")
        result = assessed(visits, sensitive="ill", values=values)
        assert shut(result, "sensitive", "no answer") and "1 value of ill" in result.answer("sensitive").note

    def test_who_has_no_value_is_inferred_too(self):
        result = assessed(together(60, 2, ill=np.array(["hiv", None] * 30, object)), sensitive="ill")
        assert shut(result, "sensitive") and result.answer("sensitive").value == 1

    def test_without_the_data_people_are_guessed_not_their_rows(self):
        rng, people = np.random.default_rng(0), 300
        often = np.arange(people) % 2 == 0  # and healthy
        user = np.repeat(np.arange(people), np.where(often, 40, 1))
        slot = np.concatenate([np.arange(40) if one else rng.integers(0, 40, 1) for one in often])
        visits = ic.Visits.from_arrays(user, np.where(often[user], 0, 1), slot, slot_min=60, start=MONDAY)
        release = ic.anonymize.Cut(window_h=1)(visits)
        ill = np.where(often[release.members.positions], "no", "yes")
        marked = replace(release, data=replace(release.data, attributes={"ill": ill}))
        assert assessed(visits, release=marked, sensitive="ill").answer("sensitive").control == 0.5


def regulars(people=400, slots=8, cells=4):
    """People who mostly stay in one of few cells, so that no count is small and everybody's visits are known."""
    rng = np.random.default_rng(0)
    home, anywhere = rng.integers(0, cells, people), rng.integers(0, cells, (people, slots))
    cell = np.where(rng.random((people, slots)) < 0.85, home[:, None], anywhere).ravel()
    user, slot = np.repeat(np.arange(people), slots), np.tile(np.arange(slots), people)
    xy = np.stack([5000.0 * np.arange(cells), np.zeros(cells)], axis=1)
    return ic.Visits.from_arrays(user, cell, slot, xy=xy, slot_min=180, start=MONDAY)


class TestCounts:
    @pytest.mark.parametrize("stated", [{"move_share": 1.0}, {"noise_epsilon": 0.01}])
    def test_exact_counts_that_are_stated_to_be_changed(self, stated):
        visits = regulars()
        exact = ic.anonymize.counts(visits)
        result = assessed(visits, release=replace(exact, params={**exact.params, **stated}))
        assert shut(result, "membership", "no answer")
        assert "nearer to the true ones" in result.answer("membership").note

    def test_counts_that_are_changed_as_stated_are_judged(self):
        visits = regulars()
        for stated in ({"move_share": 0.6}, {"noise_epsilon": 0.5}, {"move_share": 0.4, "round_to": 5}):
            result = assessed(visits, release=ic.anonymize.counts(visits, **stated, seed=7))
            assert result.answer("membership").verdict in ("above", "within")

    def test_exact_counts_under_a_guarantee_of_too_few_counts_to_tell(self):
        pytest.importorskip("opendp")
        visits = regulars()
        private = ic.anonymize.DPCounts(epsilon=0.4, slots_per_person=1)(visits, cells=visits.xy, slots=(0, 8))
        exact = ic.anonymize.counts(visits).data.n
        result = assessed(visits, release=replace(private, data=replace(private.data, n=exact.astype(np.int64))))
        assert shut(result, "membership", "no answer") and shut(result, "smallest_count", "no answer")
        assert "could not recompute the stated noise" in result.answer("membership").note

    def test_epsilon_beside_noise_of_another_kind_is_no_guarantee(self):
        visits = regulars()
        noisy = ic.anonymize.counts(visits, noise_epsilon=1.0)
        result = assessed(visits, release=replace(noisy, params={**noisy.params, "epsilon": 0.01}))
        assert not result.passed and result.answer("smallest_count").verdict != "does not apply"


class TestRows:
    def test_pieces_that_nobody_calls_cut(self):
        rng, people, hours = np.random.default_rng(0), 400, 6
        cell = rng.integers(0, 4, people * hours)
        user, slot = np.repeat(np.arange(people), hours), np.tile(np.arange(hours), people)
        visits = ic.Visits.from_arrays(user, cell, slot, slot_min=60, start=MONDAY)
        order = rng.permutation(len(user))
        pieces = ic.Visits.from_arrays(np.arange(len(user)), cell[order], slot[order], slot_min=60, start=MONDAY)
        result = assessed(visits, release=ic.Release.from_arrays(pieces, [[int(one)] for one in user[order]]))
        assert result.answer("lookup").verdict == "within"
        assert shut(result, "pieces", "no answer") and "behind several rows" in result.answer("pieces").note

    def test_equal_labels_of_a_file_are_compared_pair_by_pair(self, tmp_path):
        visits = together(60, 60)
        mixed = replace(visits, users=np.random.default_rng(0).permutation(visits.users))
        for release in (mixed.save(tmp_path / "mixed.csv"), replace(mixed, xy=None), replace(mixed, start=None)):
            result = assessed(visits, release=release, same_labels=True)
            assert shut(result, "lookup", "no answer") and "does not fit" in result.answer("lookup").note
        alike = together(60, 1)
        assert assessed(alike, release=alike.save(tmp_path / "alike.csv"), same_labels=True).passed

    def test_moved_points_of_other_people_and_more_known_records_than_four(self):
        rng, people, hours = np.random.default_rng(0), 400, 40
        t = MONDAY + np.tile(3600 * np.arange(hours), people) + rng.integers(0, 3000, people * hours)
        lon, lat = 5.002 + 0.0014 * rng.random(len(t)), 52.001 + 0.001 * rng.random(len(t))
        user = np.repeat([f"p{person}" for person in range(people)], hours)
        traces = ic.Traces.from_arrays(user, t, lon, lat)
        order = rng.permutation(people)
        rows = np.concatenate([np.arange(*traces.offsets[person : person + 2]) for person in order])
        noise = 1.2e-5 * rng.standard_normal((2, len(t)))
        moved = (traces.lon[rows] + noise[0], traces.lat[rows] + noise[1])
        released = ic.Traces.from_arrays(np.repeat(np.arange(people), hours), traces.t[rows], *moved)
        release = ic.Release.from_arrays(released, [[int(person)] for person in order])
        exchanged = ic.Release.from_arrays(released, [[int(person)] for person in rng.permutation(order)])
        assert "no nearer" in assessed(traces, release=exchanged).answer("lookup").note
        result = assessed(traces, release=release, records=hours)
        assert shut(result, "lookup") and result.answer("lookup").value > 0.5
        assert "judged with 4 known records" in result.answer("lookup").note


class TestHonest:
    def test_what_a_method_makes_of_trajectories_passes_its_audit(self):
        traces = ic.read.synthetic_city(users=30, towers=20, days=2, seed=1).traces
        visits = ic.discretize.grid(traces, cell_m=500, slot_min=60, keep="vote")
        made = (ic.anonymize.Generalize(cell_m=500, slot_min=60)(traces), ic.anonymize.Cut(window_h=24)(visits))
        for release in made:
            assert assessed(traces, release=release).answer("guarantees").verdict == "within"


def test_records_and_columns_are_known_together():
    """Twelve people alike in every group, and an age of their own each: alone both hide, together neither."""
    alike = together(600, 50)
    ages = replace(alike, attributes={"age": np.arange(600) // 50 % 12})
    assert assessed(alike).passed
    result = assessed(ages, harmless=("age",))
    assert result.answer("columns").verdict == "within" and result.answer("lookup").verdict == "above"
    assert not result.passed and result.answer("lookup").value == 1

"""Link files: that of another release is refused wherever one is read, and a short one is said to be short."""

import json

import numpy as np
import pytest

import incrowd as ic
from audit.cases import names, on_disk, people_visits, repeatable
from incrowd.anonymize import W4M, Cut, Generalize
from incrowd.audit import check

OTHER = "belongs to another release; give the one written with it"


@pytest.fixture
def two(tmp_path):
    """Two cuts of the same people, whose pseudonyms are the same numbers."""
    visits = people_visits(names(20))
    made = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        made.append(on_disk(tmp_path / name, Cut(window_h=12)(visits), visits))
    return made


@pytest.mark.parametrize(
    "read",
    [
        lambda one, link: check(one.folder, original=one.original, link=link),
        lambda one, link: check(one.folder / "data.parquet", original=one.original, link=link),
        lambda one, link: ic.attack.relink(one.folder, link=link),
        lambda one, link: ic.attack.link(one.original, one.folder, truth=link),
        lambda one, link: ic.assess.assess(one.original, release=one.folder, link=str(link), budget_s=1),
        lambda one, link: ic.assess.assess(one.original, release=one.folder / "data.parquet", link=link, budget_s=1),
    ],
)
def test_the_link_of_another_release_is_refused(two, read):
    one, other = two
    with pytest.raises(ic.DataError, match=OTHER):
        read(one, other.link)
    read(one, one.link)


def test_a_link_or_a_manifest_without_an_id_is_taken_as_it_is(two):
    one, other = two
    bare = "".join(f"{pseudonym},{user}\n" for pseudonym, user in other.linked())
    other.link.write_text("pseudonym,user\n" + bare)
    assert check(one.folder, original=one.original, link=other.link)["truthfulness"].status == "fail"
    manifest = one.manifest()
    del manifest["id"]
    (one.folder / "manifest.json").write_text(json.dumps(manifest))
    assert one.failed() == {"manifest"}


def test_a_release_in_memory_has_no_id(two):
    one, _ = two
    release = repeatable(Cut(window_h=12), one.original)
    assert check(release, original=one.original, link=one.link)["truthfulness"].status == "fail"


def test_a_stale_link_does_not_open_the_gate_of_w4m(tmp_path):
    traces = ic.read.synthetic_city(users=12, towers=8, days=1, seed=1).traces
    cases = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        cases.append(on_disk(tmp_path / name, W4M(k=2)(traces), traces))
    with pytest.raises(ic.DataError, match=OTHER):
        ic.assess.assess(traces, release=cases[0].folder, link=cases[1].link, budget_s=1)


def test_the_new_field_is_no_leak(two):
    one, _ = two
    assert one.failed() == set()
    assert one.check()["hashed identifiers"].evidence == "the release holds nothing that looks like a hash."


def shortened(case, rows):
    lines = case.link.read_text().splitlines()
    case.link.write_text("\n".join(lines[: rows + 1]) + "\n")


def test_a_short_link_says_how_many_it_names(two):
    one, _ = two
    pseudonyms = len(one.linked())
    shortened(one, 5)
    said = f"members are known for 5 of {pseudonyms} pseudonyms"
    verdict = one.check(k=2)
    assert all(said in verdict[name].evidence for name in ("k-anonymity", "truthfulness", "coverage"))
    found = ic.attack.link(one.original, one.folder, truth=one.link)
    assert found.untold == pseudonyms - 5 and found.without >= 15
    with pytest.raises(
        ic.DataError, match=rf"exactly one person behind it \({pseudonyms - 5} of {pseudonyms} do not\)"
    ):
        ic.attack.relink(one.folder, link=one.link)


def test_a_whole_link_names_everybody(two):
    one, _ = two
    assert ic.attack.link(one.original, one.folder, truth=one.link).untold == 0
    assert ic.attack.link(one.original, one.original).untold == 0


def test_numbers_that_meet_labels_are_told_in_plain_words(tmp_path):
    rng = np.random.default_rng(0)
    traces = ic.Traces.from_arrays(np.arange(60), np.arange(60) * 600, lon=5 + rng.random(60), lat=52 + rng.random(60))
    case = on_disk(tmp_path, repeatable(Generalize(), traces), traces)
    chance = "1 column holds whole numbers that equal labels of the original no more often than chance"
    assert case.check()["numeric identifiers"].evidence.startswith(f"{chance} (members are known; ")
    shortened(case, 3)
    assert case.check()["numeric identifiers"].evidence.startswith(
        f"{chance} (members are known for 3 of 60 pseudonyms; "
    )


def test_traces_of_more_people_than_were_discretized_are_refused():
    traces = ic.Traces.from_arrays([0, 1, 2], [0, 300_000, 300_060], x=[0.0, 10, 20], y=[0.0, 0, 0])
    prints = ic.discretize.fingerprints(traces, start=200_000)
    release = ic.anonymize.Glove(k=2)(prints)
    assert ic.audit.check(release, original=prints).passed
    with pytest.raises(ic.DataError, match="discretizing left people out"):
        ic.audit.check(release, original=traces)


def test_minutes_of_a_wall_clock_that_changes_are_followed(tmp_path):
    """Amsterdam turned its clocks back in the night to 27 October 2024."""
    rng = np.random.default_rng(0)
    place = {"lon": 4 + rng.random(400) / 10, "lat": 52 + rng.random(400) / 10}
    traces = ic.Traces.from_arrays(np.repeat(np.arange(20), 20), 1_729_940_400 + rng.integers(0, 172_800, 400), **place)
    prints = ic.discretize.fingerprints(traces, time_zone="Europe/Amsterdam")
    release = ic.anonymize.Glove(k=2)(prints)
    folder = ic.anonymize.publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=prints)
    assert ic.read.release(folder).time_zone == "Europe/Amsterdam"
    for given in ({"release": release}, {"release": folder, "link": tmp_path / "link.csv"}):
        assert ic.audit.check(given.pop("release"), original=traces, **given).passed


def test_traces_of_more_people_than_were_cleaned_are_refused():
    raw = ic.Traces.from_arrays([0, 1, 1, 2, 2, 3, 3], [0, 0, 60, 0, 60, 0, 60], x=np.arange(7) * 400.0, y=np.zeros(7))
    cleaned = ic.clean.sparse_users(raw, min_records=2)
    release = Generalize(cell_m=100, slot_min=1)(cleaned)
    assert check(release, original=cleaned).passed
    with pytest.raises(ic.DataError, match="cleaning or discretizing left people out"):
        check(release, original=raw)


def test_traces_of_those_who_were_discretized_are_not_refused():
    times, place = [300_000, 300_060], {"y": [0.0] * 4}
    traces = ic.Traces.from_arrays([0, 1, 1, 2, 2], [0, *times, *times], x=[0.0, 10, 10, 20, 20], y=[0.0] * 5)
    release = ic.anonymize.Glove(k=2)(ic.discretize.fingerprints(traces, start=200_000))
    some = ic.Traces.from_arrays([1, 1, 2, 2], [*times, *times], x=[10.0, 10, 20, 20], **place)
    assert check(release, original=some).passed

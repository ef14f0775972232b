"""Whose rows they are: told by a link that fits, by labels if that is said, and never guessed."""

from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from assess.asking import OF_ROWS, answer, assessed, named
from incrowd import assess, measure
from incrowd.anonymize._publish import publish


@pytest.fixture(scope="module")
def moved(traces, tmp_path_factory):
    """A release of moved points, which are numbered like the people, and its link."""
    path = tmp_path_factory.mktemp("moved")
    release = ic.anonymize.W4M(k=2)(traces)
    return publish(release, path / "release", link=path / "link.csv", original=traces), path / "link.csv"


def test_the_gate_stays_shut_where_nothing_about_the_release_was_answered(traces, hidden, tmp_path):
    _, folder, _ = hidden
    found = assessed(traces, release=folder)
    assert not found.passed and [one.name for one in found.open] == list(OF_ROWS)  # no link file was given
    assert found.gate == "does not pass: 5 missing" and found.answer("guarantees").verdict == "within"
    assert found.verdict.count("who is who is not known; pass the link file") == 1
    assert not assessed(traces, release=folder, budget_s=1e-6).passed
    off = dict.fromkeys((*OF_ROWS, "worst"))
    audited = assessed(traces, release=folder, limits=off, override="the audit alone")
    assert not audited.passed and [one.name for one in audited.held] == ["guarantees"]
    assert audited.verdict == "Do not publish: no test of whether people can be identified was judged."


def test_a_release_of_another_kind_than_the_data_is_no_answer(visits, hidden, moved):
    for release, why in ((hidden[0], "give the trajectories or the fingerprints"), (moved[0], "give the trajectories")):
        found = assessed(visits, release=release)
        assert {one.name for one in found.open} == {*OF_ROWS, "guarantees"} and not found.above
        assert all(why in one.note for one in found.open) and found.verdict.count(why) == 1


def test_equal_labels_are_nobody_unless_that_is_said(visits):
    people = named(visits)
    assert answer(people, release=people).verdict == "no answer"
    assert answer(people, release=people, same_labels=True).verdict == "above"
    strangers = replace(people, users=np.char.add("x", people.users))
    told = answer(people, release=strangers, same_labels=True)
    assert told.note == "no label of the release is one of the data; pass the link file of the release (--link)"


def test_pseudonyms_are_nobodys_labels(traces, visits, moved, tmp_path):
    """Both sides count from 0: equal numbers are no people."""
    folder, link = moved
    told = assessed(traces, release=folder, link=link, seed=0)
    table = assessed(traces, release=folder / "data.parquet", link=link, seed=0)  # it stands for its folder
    assert told.answer("lookup").value == table.answer("lookup").value > 0.2
    assert told.answer("guarantees").value == table.answer("guarantees").value is not None
    copy = tmp_path / "copy.parquet"
    copy.write_bytes((folder / "data.parquet").read_bytes())
    for release in (folder, folder / "data.parquet", copy):
        found = assessed(traces, release=release)
        assert found.answer("lookup").verdict == "no answer" and not found.passed
        assert "who is who is not known; pass the link file" in found.answer("lookup").note
    cut = ic.anonymize.Cut(window_h=24)(visits).data
    for release in (cut, cut.save(tmp_path / "cut.csv")):
        assert answer(visits, release=release).verdict == "no answer"
    other = ic.anonymize.Cut(window_h=6)(visits)
    publish(other, tmp_path / "other", link=tmp_path / "other.csv", original=visits)
    with pytest.raises(ic.DataError, match="another release"):
        assess.assess(traces, release=folder / "data.parquet", link=tmp_path / "other.csv")


def test_a_link_of_other_people_does_not_fit_moved_points(traces, moved, tmp_path):
    folder, link = moved
    rows = [line.split(",") for line in link.read_text().splitlines()[1:]]
    for shift, value in ((0, answer(traces, release=folder, link=link, seed=0).value), (7, None)):
        lines = [f"{row[0]},{rows[(i + shift) % len(rows)][1]}" for i, row in enumerate(rows)]
        path = tmp_path / f"{shift}.csv"
        path.write_text("\n".join(["pseudonym,user", *lines]))
        found = answer(traces, release=folder, link=path, seed=0)
        assert found.value == value and ("the link does not fit the release" in found.note) == bool(shift)


def test_people_whom_a_link_does_not_name_are_said(traces, prints, moved, tmp_path):
    folder, link = moved
    boxes = publish(ic.anonymize.Glove(k=2)(prints), tmp_path / "boxes", link=tmp_path / "b.csv", original=prints)
    for release, whole, lines in ((folder, link, 6), (boxes, tmp_path / "b.csv", 4)):
        (tmp_path / "short.csv").write_text("\n".join(whole.read_text().splitlines()[:lines]))
        found = assessed(traces, release=release, link=tmp_path / "short.csv")
        assert found.answer("lookup").verdict == "no answer" and not found.passed
        assert "the link does not fit the release: " in found.answer("lookup").note


def test_moved_points_are_asked_who_is_alone_on_the_grid(traces, moved):
    folder, link = moved
    found = answer(traces, "identified", release=folder, link=link, seed=3)
    assert found.verdict == "above" and found.note.startswith("on 500 m cells and 60 min slots; ")
    grid = ic.discretize.grid(ic.read.release(folder), cell_m=500, slot_min=60)
    alone = measure.uniqueness(grid, points=4, short="all", seed=3)
    assert found.numbers["alone"] == (alone.crowd_sizes[0] == 1).sum()


def test_people_held_out_are_matched_wrongly_beside_the_lookup(visits, tmp_path):
    """Whoever was left out on purpose is in no row: each match of theirs is wrong, and none is judged."""
    rest, held = ic.anonymize.hold_out(visits, 0.2)
    link = tmp_path / "link.csv"
    publish(ic.anonymize.Cut(window_h=24)(rest), tmp_path / "release", link=link, original=rest, held_out=held.users)
    found = ic.assess.assess(visits, release=tmp_path / "release", link=link, advise=False).answer("lookup")
    assert f"of {len(held)} people held out, " in found.note and "always wrongly" in found.note
    assert found.people.endswith(f"of {len(rest)} people")

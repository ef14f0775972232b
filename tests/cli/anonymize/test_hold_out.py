"""--hold-out of every method."""

import json

import pytest

import incrowd as ic
from incrowd.anonymize import METHODS
from incrowd.attack.people import read_link

WORDS = {"lkc": ("--l", 1, "--k", 1, "--same-time", "order"), "w4m": ("--k", 2, "--delta-m", 3000)}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_holds_people_out_and_its_release_passes(incrowd, two, tmp_path, method):
    folder, link = tmp_path / "release", tmp_path / "link.csv"
    words = ("-o", folder, "--keep-link", link, "--hold-out", 0.25, *WORDS.get(method, ()))
    code, out, err = incrowd("anonymize", method, two[0], *words)
    assert code == 0, err
    stated = json.loads((folder / "manifest.json").read_text())
    step = next(step for step in stated["ledger"] if "held out" in step["dropped"])
    assert step["users"] == [8, 6] and stated["suppressed"]["records"]["held out"] == step["dropped"]["held out"]
    listed = read_link(link, folder)
    assert len(listed.held_out) == 2 and not set(listed.held_out) & set(listed.people)
    assert ic.audit.check(folder, original=two[0], link=link).passed
    call = out.partition("in Python: ")[2].splitlines()[0].replace(str(tmp_path / "release"), str(tmp_path / "again"))
    exec(call.replace(str(link), str(tmp_path / "again.csv")), {"ic": ic})
    assert len(read_link(tmp_path / "again.csv", tmp_path / "again").held_out) == 2


def test_it_is_refused_before_anything_is_read(incrowd, tmp_path):
    words = ("anonymize", "glove", tmp_path / "nothing.csv", "-o", tmp_path / "release", "--hold-out")
    link = ("--keep-link", tmp_path / "link.csv")
    for given, why in (
        ((0.1,), "people held out are listed in the link file; pass --keep-link FILE too."),
        ((0.6, *link), "the share of people held out must be above 0 and at most 0.5, got 0.6."),
        ((0, *link), "the share of people held out must be above 0 and at most 0.5, got 0.0."),
        ((0.1, *link, "--checkpoint", tmp_path / "run.npz"), "so no --checkpoint fits; leave one of them out."),
    ):
        code, out, err = incrowd(*words, *given)
        assert code == 2 and why in err and not out and not (tmp_path / "release").exists()


def test_nobody_left_is_refused(incrowd, tmp_path):
    (tmp_path / "one.csv").write_text("user,t,lon,lat\na,0,5,52\na,3600,5,52\n")
    words = ("-o", tmp_path / "release", "--keep-link", tmp_path / "link.csv", "--hold-out", 0.5)
    code, _, err = incrowd("anonymize", "cut", tmp_path / "one.csv", *words)
    assert code != 0 and "nobody of 1 would be left to publish" in err
    assert not (tmp_path / "release").exists() and not (tmp_path / "link.csv").exists()


def test_counts_have_no_link_to_list_them_in(incrowd, trips, tmp_path):
    code, _, err = incrowd("anonymize", "counts", trips, "-o", tmp_path / "counts.csv", "--hold-out", 0.1)
    assert code == 2 and "counts have no link file that could list people held out; leave --hold-out out." in err

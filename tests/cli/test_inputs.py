"""Files given on the command line."""

import pytest


@pytest.fixture
def visits(tmp_path):
    """Everybody at one cell in each slot of a day, as a table of user, cell and slot."""
    rows = [f"{u},{(u + slot // 3) % 4},{slot}" for u in range(6) for slot in range(12)]
    path = tmp_path / "visits.csv"
    path.write_text("user,cell,slot\n" + "\n".join(rows) + "\n")
    (tmp_path / "cells.csv").write_text("cell,x,y\n" + "".join(f"{c},{1000 * c},0\n" for c in range(4)))
    return path


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (("measure", "uniqueness"), ("--points", "1-2")),
        (("measure", "exposure"), ()),
        (("measure", "cut"), ("--slot-min", "120")),
        (("measure", "sequences"), ("--l", "1", "--k", "2")),
        (("assess",), ("--budget", "20s", "--slot-min", "120")),
    ],
)
def test_a_table_of_visits_is_taken_for_visits(incrowd, visits, command, options):
    code, _, err = incrowd(*command, visits, *options)
    assert code == 0, err


def test_a_table_of_visits_is_released_and_audited(incrowd, visits, tmp_path):
    link, release = tmp_path / "link.csv", tmp_path / "release"
    cut = ("--slot-min", 120, "--window-h", 6, "--keep-link", link)
    code, _, err = incrowd("anonymize", "cut", visits, "-o", release, *cut)
    assert code == 0, err
    code, out, err = incrowd("audit", release, "--original", visits, "--link", link)
    assert code == 0, out + err


def test_counts_of_a_table_of_visits_and_the_truth_behind_them(incrowd, visits, tmp_path):
    counts, places = tmp_path / "counts.parquet", ("--antennas", tmp_path / "cells.csv", "--slot-min", 120)
    code, _, err = incrowd("discretize", visits, "-o", counts, "--into", "counts")
    assert code == 2 and "--antennas FILE" in err and "--slot-min" in err
    code, _, err = incrowd("discretize", visits, "-o", counts, "--into", "counts", *places)
    assert code == 0, err
    code, out, err = incrowd("attack", "ash", counts, "--truth", visits, *places)
    assert code == 0, err
    assert "accuracy" in out


def test_the_folder_of_a_release_is_what_it_publishes(incrowd, trips, tmp_path):
    release = tmp_path / "release"
    assert incrowd("anonymize", "glove", trips, "-o", release, "--k", 2)[0] == 0
    for source in (release, release / "data.parquet"):
        code, out, err = incrowd("measure", "kgap", source)
        assert code == 0, err
        assert "2 groups of 4 people" in out
        code, out, _ = incrowd("measure", "tails", source)
        assert code == 0 and "2 groups of 4 people" in out
    code, _, err = incrowd("measure", "uniqueness", release)
    assert code == 2 and "incrowd measure kgap" in err and "read.saved" not in err
    code, out, _ = incrowd("measure", "kgap", trips)
    assert "of 4 people" in out and "groups" not in out


def test_the_cells_of_a_released_folder_have_their_places(incrowd, trips, tmp_path):
    assert incrowd("anonymize", "generalize", trips, "-o", tmp_path / "release")[0] == 0
    code, out, err = incrowd("measure", "utility", tmp_path / "release", tmp_path / "release")
    assert code == 0 and "agreement" in out, err


def test_metres_that_pass_for_degrees_name_their_option(incrowd, tmp_path):
    path = tmp_path / "trips.csv"
    path.write_text("user,t,x,y\na,0,155000,463000\na,60,155100,463000\n")
    code, _, err = incrowd("inspect", path)
    assert code == 2 and "--column x=x --column y=y" in err
    assert incrowd("inspect", path, "--column", "x=x", "--column", "y=y")[0] == 0


def test_help_promises_no_more_than_a_release_does(incrowd):
    code, out, _ = incrowd("anonymize", "--help")
    assert code == 0 and "with the guarantee it states" in out and "safe by construction" not in out

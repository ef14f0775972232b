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
    assert "of the positions of 6 people are reconstructed correctly" in out


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


MIXED = "imsi,when,breedte,lengte,cell,slot\n1,2024-03-01T01:00Z,52.1,5.1,9,0\n1,2024-03-01T02:00Z,52.2,5.1,9,0\n"


def test_named_times_and_places_make_trajectories(incrowd, tmp_path):
    path = tmp_path / "calls.csv"
    path.write_text(MIXED)
    roles = [word for role in ("t=when", "lat=breedte", "lon=lengte") for word in ("--column", role)]
    for words in (roles, (*roles, "--time-format", "%Y-%m-%dT%H:%MZ")):
        code, out, err = incrowd("attack", "home-work", path, *words)  # visits of this file have no clock
        assert code == 0 and "(0 of 1 person)" in out and "(1 person, " in out, err
    for words in (("--time-format", "%Y-%m-%dT%H:%MZ"), roles[2:]):
        code, _, err = incrowd("measure", "uniqueness", path, *words)
        assert code == 2 and "'t' is missing" in err
    code, _, err = incrowd("measure", "uniqueness", path, "--layout", "geoparquet")
    assert code == 2 and "of another format" in err


def test_columns_of_visits_are_named_on_the_command_line(incrowd, visits, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text(visits.read_text().replace("user,cell,slot", "user,zelle,stunde"))
    plain = incrowd("measure", "uniqueness", visits, "--json")
    assert (
        incrowd("measure", "uniqueness", path, "--column", "cell=zelle", "--column", "slot=stunde", "--json") == plain
    )
    (tmp_path / "places.csv").write_text((tmp_path / "cells.csv").read_text().replace("x,y", "oost,noord"))
    places = ("--antennas", tmp_path / "places.csv", "--column", "x=oost", "--column", "y=noord", "--slot-min", 120)
    code, _, err = incrowd("discretize", visits, "-o", tmp_path / "c.parquet", "--into", "counts", *places)
    assert code == 0, err


@pytest.mark.parametrize("option", [("--time-zone", "Europe/Amsterdam"), ("--bad-rows", "bad.csv")])
def test_options_that_visits_are_not_read_with_are_refused(incrowd, visits, option):
    code, _, err = incrowd("measure", "uniqueness", visits, *option)
    assert code == 2 and f"has its slots already; leave {option[0]} out" in err


def test_visits_where_trajectories_are_asked_for_are_told(incrowd, visits, tmp_path):
    (tmp_path / "days").mkdir()
    for name in "ab":
        (tmp_path / "days" / f"{name}.csv").write_text(visits.read_text())
    for words in (("discretize", visits, "-o", tmp_path / "v.parquet"), ("measure", "uniqueness", tmp_path / "days")):
        code, _, err = incrowd(*words)
        assert code == 2 and "these are visits" in err

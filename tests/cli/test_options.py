"""Options that several commands share."""

import re
from pathlib import Path

import pytest
import typer

import incrowd as ic
from incrowd.cli.app import app
from incrowd.data import load


def test_columns_of_a_file_without_a_header_are_given_by_position(incrowd, tmp_path):
    path, out = tmp_path / "trips.csv", tmp_path / "traces.parquet"
    path.write_text("7,1700000000,52.5,5.5\n8,1700000060,52.5,5.5\n")
    code, _, err = incrowd("read", path, "-o", out)
    assert code == 2 and "(--column user=NAME)" in err and "52.5" not in err
    roles = ["user=0", "t=1", "lat=2", "lon=3"]
    code, _, err = incrowd("read", path, "-o", out, *(word for role in roles for word in ("--column", role)))
    assert code == 0, err
    assert load(out).users.tolist() == [7, 8] and load(out).lon.tolist() == [5.5, 5.5]


def test_columns_are_given_by_name_or_not_at_all(incrowd, tmp_path):
    path, out = tmp_path / "trips.csv", tmp_path / "traces.parquet"
    path.write_text("uid,t,breedte,lon\n7,1700000000,52.5,5.5\n")
    assert incrowd("read", path, "-o", out, "--column", "lat=breedte")[0] == 0
    code, _, err = incrowd("read", path, "-o", out, "--force", "--column", "breedte")
    assert code == 2 and "--column takes ROLE=NAME or ROLE=POSITION" in err


@pytest.mark.parametrize("option", ["--blocks", "--minutes", "--points"])
def test_numbers_without_meaning_are_refused_by_the_name_of_their_option(incrowd, tmp_path, option):
    code, _, err = incrowd("measure", "sweep", tmp_path / "trips.csv", f"{option}=few")
    assert code == 2 and f"{option} takes numbers" in err


@pytest.mark.parametrize("command", [("measure", "sequences"), ("anonymize", "lkc")])
def test_options_of_privacy_are_listed_first(incrowd, command):
    code, out, _ = incrowd(*command, "--help")
    assert code == 0 and 0 < out.index("--min-support") < out.index("--cell-m") < out.index("--column")


@pytest.mark.parametrize("command", [("measure", "sequences"), ("anonymize", "lkc")])
@pytest.mark.parametrize("limit", ["--limit-s", "--limit-gib"])
def test_the_limits_of_a_search_can_be_raised(incrowd, tmp_path, command, limit):
    visits = tmp_path / "visits.csv"
    visits.write_text("user,cell,slot\n1,0,0\n2,0,0\n")
    made = ("-o", tmp_path / "release") if command[0] == "anonymize" else ()
    code, _, err = incrowd(*command, visits, *made, limit, -1)
    assert code == 2 and f"{limit[2:].replace('-', '_')} must be above 0" in err
    assert incrowd(*command, visits, *made, limit, 100)[0] == 0


CALLS = "msisdn,call_start,cell_id\n7,01/03/2024 08:00:00,007\n8,02/03/2024 08:00:00,9\n"


@pytest.fixture
def calls(tmp_path):
    """Call records with antenna ids and days before months, and where the antennas are."""
    path = tmp_path / "calls.csv"
    path.write_text(CALLS)
    (tmp_path / "antennas.csv").write_text("cell_id,lon,lat\n007,5.1,52.1\n9,5.2,52.2\n")
    return path


def test_call_records_are_read_with_a_table_of_antennas(incrowd, calls):
    out, antennas = calls.with_name("traces.parquet"), calls.with_name("antennas.csv")
    how = ("--antennas", antennas, "--time-format", "%d/%m/%Y %H:%M:%S")
    assert incrowd("read", calls, "-o", out, *how)[0] == 0
    assert load(out).lon.tolist() == [5.1, 5.2] and load(out).t.tolist() == [1709280000, 1709366400]
    for command in (("measure", "uniqueness"), ("measure", "kgap"), ("assess", "--estimate"), ("inspect",)):
        code, _, err = incrowd(*command, calls, *how)
        assert code == 0, err
    code, _, err = incrowd("read", calls, "-o", antennas, "--force", *how)
    assert code == 2 and "would overwrite its own input" in err


def test_call_records_without_their_options_name_them(incrowd, calls):
    code, _, err = incrowd("inspect", calls)
    assert code == 2 and "--antennas FILE" in err
    code, _, err = incrowd("inspect", calls, "--antennas", calls.with_name("antennas.csv"))
    assert code == 2 and "--time-format" in err


def test_every_option_that_a_message_names_exists():
    known, commands = set(), [typer.main.get_command(app)]
    for command in commands:
        commands += getattr(command, "commands", {}).values()
        known |= {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    sources = [
        re.sub(r"var\(--[a-z0-9{}-]+\)", "", path.read_text()) for path in Path(ic.__file__).parent.rglob("*.py")
    ]
    named = {name for text in sources for name in re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", text)}
    assert len(named) > 40 and not named - known


@pytest.mark.parametrize(
    "words", [("assess",), ("attack", "ash"), ("anonymize", "counts", "-o", "never.parquet")], ids=lambda w: w[-1]
)
def test_far_towers_need_towers(incrowd, trips, words):
    code, _, err = incrowd(*words, trips, "--far-towers")
    assert code == 2 and "pass --towers FILE" in err


def test_made_up_data_follow_no_time_zone(incrowd):
    code, _, err = incrowd("papers", "tan2017", "--quick", "--time-zone", "Europe/Amsterdam")
    assert code == 2 and "leave --time-zone out" in err


def test_a_release_that_does_not_exist_is_named(incrowd, trips, tmp_path):
    code, _, err = incrowd("measure", "utility", trips, tmp_path / "missing.rel")
    assert code == 2 and "missing.rel does not exist" in err

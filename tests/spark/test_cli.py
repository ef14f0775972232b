"""--engine spark: the answers of the same command without it."""

import json
import shutil

import pytest
from typer.testing import CliRunner

import incrowd as ic
from cli.test_help import COMMANDS
from incrowd.cli.app import app
from spark.parity import assert_same_sweep, release_in

pytestmark = pytest.mark.spark
ON_SPARK = ["--engine", "spark"]


def run(*words):
    """What a command prints; an error of ours is raised."""
    return CliRunner().invoke(app, list(words), catch_exceptions=False).stdout


def said_in_python(said):
    """What the call that a command says gives."""
    return eval(said.rpartition("in Python: ")[2], {"ic": ic})


def test_no_other_command_has_the_option():
    there = {words for words, command in COMMANDS.items() if any(option.name == "engine" for option in command.params)}
    assert there == {("measure", name) for name in ("uniqueness", "sweep", "kgap")} | {
        ("anonymize", name) for name in ("cut", "generalize", "glove")
    }


def test_measures(spark, city):
    grain = ["--cell-m", "500", "--slot-min", "60"]
    for command in (["measure", "uniqueness", str(city), "--points", "3", *grain], ["measure", "kgap", str(city)]):
        here, there = (json.loads(run(*command, *more, "--json")) for more in ([], ON_SPARK))
        assert here == there
    said = run("measure", "uniqueness", str(city), *grain, *ON_SPARK)
    assert "ic.spark.uniqueness(ic.spark.grid(ic.spark.session(), " in said


def test_a_sweep_and_the_call_that_it_says(spark, city):
    words = "--blocks 5,20 --minutes 60 --points 2 --samples 200 --time-zone Europe/Amsterdam"
    command = ["measure", "sweep", str(city), *words.split()]
    assert json.loads(run(*command, "--json")) == json.loads(run(*command, *ON_SPARK, "--json"))
    how = {"blocks": [5, 20], "minutes": [60], "points": [2], "samples": 200, "time_zone": "Europe/Amsterdam"}
    here = ic.measure.sweep(ic.read.table(city), **how)
    assert_same_sweep(said_in_python(run(*command, *ON_SPARK)), here)


def test_releases(spark, city, tmp_path):
    how = ["--engine", "spark", "-o", str(tmp_path / "there"), "--keep-link", str(tmp_path / "there.csv")]
    said = run("anonymize", "generalize", str(city), "--cell-m", "500", *how)
    assert "under 200 pseudonyms" in said
    assert ic.audit.check(tmp_path / "there", original=city, link=tmp_path / "there.csv").passed
    made = release_in(tmp_path / "there")[1]
    assert made["parameters"]["cell_m"] == 500
    shutil.rmtree(tmp_path / "there")
    said_in_python(said)
    assert release_in(tmp_path / "there")[1]["parameters"] == made["parameters"]


@pytest.mark.parametrize("more", [["--hold-out", "0.1"], ["--report", "page.html"], ["--estimate"]])
def test_options_that_spark_does_not_take_are_refused(city, tmp_path, more):
    method = "glove" if "--estimate" in more else "cut"
    link = ["--keep-link", str(tmp_path / "link.csv")]
    with pytest.raises(ic.ParameterError, match="has no use with --engine spark"):
        run("anonymize", method, str(city), "-o", str(tmp_path / "out"), *ON_SPARK, *link, *more)


def test_a_master_needs_the_engine(city):
    with pytest.raises(ic.ParameterError, match="--engine spark"):
        run("measure", "uniqueness", str(city), "--master", "yarn")

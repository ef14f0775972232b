"""The command of a method comes from its class: a new method is one file and one line in METHODS."""

import importlib
import json
import re
from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import incrowd as ic
from incrowd.anonymize import METHODS
from incrowd.anonymize.base import Anonymizer, release_visits
from incrowd.cli import anonymize as commands
from incrowd.estimate import Estimate


@dataclass(frozen=True)
class Thin(Anonymizer):
    """Keep a share of the visits.

    Args:
        share: Share of the visits that stays.
        by: Whether visits or slots are drawn.

    Guarantee: none (heuristic): a visit that stays is as it was.

    Example:
        incrowd anonymize thin visits.parquet -o release --share 0.5
    """

    SEEDED = True

    share: float = 0.5
    by: Literal["visit", "slot"] = "visit"

    def __call__(self, data: ic.Visits, *, seed: int = 0, pseudonym_seed: int | None = None, least: int = 1):
        """Thin the visits.

        Args:
            data: Visits.
            seed: Seed of the draw.
            pseudonym_seed: Seed of the pseudonyms.
            least: Fewest visits that must stay.
        """
        keep = np.random.default_rng(seed).random(data.records) < self.share
        keep[:least] = True
        ledger = data.ledger.add("thin", read=data.records, kept=keep.sum(), dropped={"thinned": (~keep).sum()})
        left = data.where(keep, ledger)
        return release_visits(self, left, np.flatnonzero(np.isin(data.users, left.users)), pseudonym_seed)

    def estimate(self, data, **keywords):
        return Estimate(seconds=data.records)

    def losses(self, release, data):
        return [f"{data.records - release.data.records} visits were thinned out."]


@pytest.fixture
def run(monkeypatch):
    """The commands with one method more."""
    monkeypatch.setitem(METHODS, "thin", Thin)
    app = importlib.reload(commands).app
    yield lambda *words: CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    monkeypatch.undo()
    importlib.reload(commands)


def test_a_new_method_has_its_command(run, city, tmp_path):
    done = run("thin", city, "-o", tmp_path / "release", "--share", 0.25, "--seed", 4, "--by", "slot", "--least", 3)
    assert done.exit_code == 0 and "visits were thinned out." in done.stdout and done.stderr.startswith("thin: ")
    stated = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert stated["method"] == "Thin" and stated["parameters"] == {"share": 0.25, "by": "slot"}
    rows = [len(Thin(share=0.25)(ic.read.open(city), seed=seed, least=3).columns()["cell"]) for seed in (4, 5)]
    assert stated["counts"]["rows"] == ic.read.release(tmp_path / "release").records == rows[0] != rows[1]


def test_its_help_is_that_of_its_class(run):
    words = " ".join(run("thin", "--help").stdout.replace("│", " ").split())
    for part in (
        "Keep a share of the visits.",
        "Guarantee: none (heuristic): a visit that stays is as it was.",
        "incrowd anonymize thin visits.parquet -o release --share 0.5",
        "Share of the visits that stays. [default: 0.5]",
        "<visit|slot>",
        "Fewest visits that must stay. [default: 1]",
        "--estimate",
        "--residual-points",
        "--cell-m",
    ):
        assert part in words, part


def test_an_estimate_publishes_nothing(run, city, tmp_path):
    done = run("thin", city, "-o", tmp_path / "release", "--estimate", "--json")
    assert json.loads(done.stdout)["seconds"] > 1 and not (tmp_path / "release").exists()
    with pytest.raises(ic.ParameterError, match="pass -o FOLDER, or --estimate"):
        run("thin", city)


@pytest.mark.parametrize("name", METHODS)
def test_every_field_is_an_option_with_an_explanation(name):
    command = typer.main.get_command(commands.app).commands[name]
    options = {option: parameter for parameter in command.params for option in parameter.opts}
    for field in fields(METHODS[name]):
        option = options[f"--{field.name.replace('_', '-')}" if field.name != "values" else "--value"]
        assert option.help and option.help[0].isupper(), field.name
    assert re.search(r"\nGuarantee: .+\n\nincrowd anonymize " + name, command.help)
    assert ("--seed" in options) == METHODS[name].SEEDED or name == "cut"  # whose plan draws people
    assert ("--residual-points" in options) == (METHODS[name].PUBLISHES is ic.Visits)


def test_what_is_published_has_a_page_and_the_next_command(incrowd, city, tmp_path):
    words = ("--keep-link", tmp_path / "link.csv", "--residual-points", 2, "--report", tmp_path / "r.html")
    code, out, err = incrowd("anonymize", "cut", city, "-o", tmp_path / "release", *words)
    assert code == 0 and err == "" and "Release(" not in out and "Uniqueness(" not in out
    assert f"check it: incrowd audit {tmp_path}/release --original {city} --link {tmp_path}/link.csv\n" in out
    assert "100.0 % (25 of 25 people)" in out and "% of pseudonyms (" in out
    page = (tmp_path / "r.html").read_text()
    assert "What was published?" in page and "identified by 2 known visits" in page
    code, _, err = incrowd("anonymize", "cut", city, "-o", tmp_path / "other", "--report", tmp_path / "r.html")
    assert code == 2 and "exists" in err and not (tmp_path / "other").exists()


def test_typos_and_wrong_nouns_are_refused_in_the_name_of_the_method():
    with pytest.raises(ic.ParameterError, match=r"Glove\(\) got an unexpected option 'extent'; did you mean max_exten"):
        ic.anonymize.Glove(extent=9)
    traces = ic.Traces.from_arrays([1], [0], lon=[5.0], lat=[52.0])
    with pytest.raises(ic.DataError, match=r"Cut needs Visits, got Traces; make them with `ic\.discretize\.grid"):
        ic.anonymize.Cut()(traces)
    with pytest.raises(
        ic.ParameterError, match=r"Glove\(\) got an unexpected option 'check_point'; did you mean checkp"
    ):
        ic.anonymize.Glove()(ic.discretize.fingerprints(traces), check_point="x")
    assert replace(ic.anonymize.Cut(), window_h=3).window_h == 3

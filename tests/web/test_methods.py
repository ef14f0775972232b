"""Cards of the methods, and the command lines that forms become."""

import pytest

from incrowd.anonymize import METHODS
from incrowd.errors import ParameterError
from incrowd.web import commands
from incrowd.web.methods import COUNTS, cards, options_from, title_of
from incrowd.web.store import StoredData

DATA = StoredData(
    3, "trips.csv", "trips.csv", {"sensitive": "fare", "harmless": ["line"], "attributes": ["fare", "line"]}
)


def test_every_method_has_a_card_whose_parameters_are_explained():
    assert {card.name for card in cards()} == {*METHODS, COUNTS}
    for card in cards():
        assert all(field.words for field in card.fields), card.name
        assert card.guarantee != "none stated"


@pytest.mark.parametrize(
    ("method", "form", "reason"),
    [
        ("glove", {"k": "1"}, "at least 2"),
        ("glove", {"k": "two"}, "must be a number"),
        ("glove", {"k": "2.5"}, "whole number"),
        ("glove", {"k": "inf"}, "below"),
        ("glove", {}, "type a value"),
        ("counts", {"dp_epsilon": "1", "slots_per_person": "4", "cell_m": "500", "slot_min": "60"}, "First day"),
        ("king", {}, "does not exist"),
    ],
)
def test_a_wrong_parameter_is_refused_before_anything_runs(method, form, reason):
    with pytest.raises(ParameterError, match=reason):
        options_from(method, form)


@pytest.mark.parametrize("box", ["--force", "1,2,3", "1,2,3,4; rm", "$(id)"])
def test_what_is_typed_cannot_become_an_option(box):
    form = {"dp_epsilon": "1", "slots_per_person": "4", "cell_m": "500", "slot_min": "60", "days": "7"}
    with pytest.raises(ParameterError):
        options_from("counts", {**form, "start": "2024-01-01", "box": box})


def test_a_run_is_called_by_its_method_and_parameters():
    assert title_of("glove", {"k": 11}) == "GLOVE, k = 11"
    assert title_of("glove", {"k": 11, "max_extent_m": 15_000, "max_extent_min": 360}).endswith(", 15,000 m, 360 min")
    assert title_of("cut", {"window_h": 6, "cell_m": 500, "slot_min": 60}) == "Cut, 6 h, 500 m, 60 min"


def test_the_link_file_is_kept_outside_of_the_release_and_given_to_attack_and_audit():
    link = "incrowd-studio/runs/{job}/link.csv"
    assert commands.anonymizing(DATA, "glove", {"k": 11})[-2:] == ["--keep-link", link]
    assert link in commands.judging(DATA, "glove", budget="2m")
    assert link in commands.auditing(DATA, "glove")
    assert "--keep-link" not in commands.anonymizing(DATA, "counts", {})


def test_columns_reach_the_commands():
    words = commands.cleaning(DATA)[0]
    assert words[words.index("--attribute") + 1] == "fare"
    judged = commands.judging(DATA, "glove", budget="2m", signed=True)
    assert judged[judged.index("--sensitive") + 1] == "fare"
    assert judged[judged.index("--harmless") + 1] == "line"
    assert {"--attest-file", "--evidence", "--fail-above"} <= set(judged)

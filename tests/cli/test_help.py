"""Help of all commands: units on defaults, options by their names in a shell, nothing that a screen swallows."""

import re

import pytest
import typer

from incrowd.cli.app import app
from incrowd.cli.options import UNITS


def commands(command, words=()):
    """Every command by its words."""
    if not hasattr(command, "commands"):
        return {words: command}
    return {name: leaf for key, sub in command.commands.items() for name, leaf in commands(sub, (*words, key)).items()}


COMMANDS = commands(typer.main.get_command(app))
OPTIONS = [
    (" ".join((*words, parameter.name)), parameter)
    for words, command in COMMANDS.items()
    for parameter in command.params
    if parameter.name != "help" and not getattr(parameter, "hidden", False)
]


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=[name for name, _ in OPTIONS])
def test_help_is_a_sentence_with_units(name, option):
    words = option.help or ""
    assert re.match(r'["A-Z0-9]', words) and words.endswith((".", "]")), words
    assert not re.search(r"(?<!\\)\[default", words), "a screen takes [default: ...] for a style; write \\["
    unit = next((unit for end, unit in UNITS.items() if name.endswith(end)), "")
    if unit and isinstance(option.default, int | float):
        assert f"[default: {option.default:,g} {unit}]" in words and not option.show_default
    for word in ("without it", "unless given", "where there", "nobody tells", "speaks of", "dp_epsilon"):
        assert word not in words


def test_every_command_is_seen_and_says_what_it_does():
    assert ("measure", "cut-risk") in COMMANDS and ("attack", "recover") in COMMANDS and len(COMMANDS) > 25
    for words, command in COMMANDS.items():
        text = command.help or ""
        assert re.match(r"[A-Z].*[.?]\n", text), words
        assert f"incrowd {' '.join(words)}" in text, words


def test_an_option_of_the_library_is_named_as_on_the_command_line(incrowd):
    out = " ".join(incrowd("anonymize", "counts", "--help")[1].replace("│", " ").split())
    assert "Refused with --dp-epsilon and --cell-key" in out and "[default: 500 m]" in out
    assert "[default: 500 m, or that of the side" in " ".join(
        incrowd("attack", "link", "--help")[1].replace("│", " ").split()
    )

"""What the changelog says of old names is true."""

import re
from pathlib import Path

import incrowd as ic
from incrowd.assess.limits import OLD_NAMES as OLD_TESTS
from incrowd.cli.app import OLD_NAMES as OLD_COMMANDS

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CHANGELOG.md").read_text()
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", TEXT, re.MULTILINE)


def listed(kind):
    """Old name -> new name of one kind of row; the first thing named is the name."""
    rows = [
        (re.search(r"`([^`]+)`", old)[1], re.search(r"`([^`]+)`", new)[1]) for what, old, new in ROWS if what == kind
    ]
    return dict(rows)


def test_every_old_name_of_a_test_is_listed():
    first = {old: new for old, new in OLD_TESTS.items() if old in listed("test (limit)")}
    assert listed("test (limit)") == first and len(first) == 9
    since = set(OLD_TESTS) - set(first)
    assert since <= {"matched", "release_identified"}  # names between two versions


def test_every_old_name_of_a_command_is_listed():
    commands = {f"incrowd {verb} {old}": f"incrowd {verb} {new}" for (verb, old), new in OLD_COMMANDS.items()}
    assert listed("command") == commands


def test_the_version_is_that_of_the_package_and_of_the_citation():
    version = re.search(r"^## \[([\d.]+)\]", TEXT, re.MULTILINE)[1]
    assert version == ic.__version__ and f'version = "{version}"' in (ROOT / "pyproject.toml").read_text()
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text()

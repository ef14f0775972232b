"""The worked examples name tests that there are."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "examples.md"


def test_every_test_that_an_example_names_is_there():
    file, missing, named = "", [], 0
    for word in re.findall(r"`([\w/]+\.py|test_\w+)`", PAGE.read_text()):
        if word.endswith(".py"):
            file = word
            continue
        named += 1
        if f"def {word}(" not in (TESTS / file).read_text():
            missing.append(f"{file}: {word}")
    assert named > 30 and not missing

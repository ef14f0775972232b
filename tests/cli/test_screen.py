"""What the command line prints beside answers: warnings, and how long many like parts will take."""

import time
import warnings

import pytest

from incrowd.cli.screen import foretelling, warnings_noted
from incrowd.errors import IncrowdWarning
from incrowd.progress import listening, tell, track


def test_the_second_part_tells_how_long_the_others_take(capsys, monkeypatch):
    """The first takes a minute, for it compiles; the second takes twenty seconds."""
    clock, heard = [0.0], []
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with listening(lambda *said: heard.append(said)), foretelling("attacking", "attack"):
        for part in track(range(5), "attacking"):
            clock[0] += 60 if part == 0 else 20
            tell("other work", 1, 9)
    assert capsys.readouterr().err == "3 attacks more, 60 s if each takes as long as the last\n"
    assert ("other work", 1, 9) in heard and heard[-1] == ("attacking", 5, 5)


def test_one_or_two_parts_need_no_estimate(capsys):
    for parts in (1, 2):
        with foretelling("attacking", "attack"):
            list(track(range(parts), "attacking"))
    assert capsys.readouterr().err == ""


@pytest.mark.filterwarnings("always")
def test_warnings_of_others_are_shown_as_ever(monkeypatch, capsys):
    seen = []
    monkeypatch.setattr(warnings, "showwarning", lambda message, *_: seen.append(str(message)))
    with warnings_noted():
        for text in ("3 left; we go on.", "4 left; we go on.", "none left."):
            warnings.warn(text, IncrowdWarning, stacklevel=1)
        warnings.warn("numbers overflow", RuntimeWarning, stacklevel=1)
    assert capsys.readouterr().err == "incrowd: 3 left; we go on.\nincrowd: none left.\n"
    assert seen == ["numbers overflow"]

"""What the command line prints beside answers: warnings, and how long many like parts will take."""

import time
import warnings

import pytest

import incrowd as ic
from incrowd.cli.screen import foretelling, progress_bar, warnings_noted
from incrowd.errors import IncrowdWarning
from incrowd.kernels.cpu import compiling
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


def test_without_a_terminal_only_compiling_is_mentioned_once(capsys):
    with progress_bar():
        for label in (compiling("incrowd.kernels.cpu.sweep"), "reading", compiling("incrowd.kernels.cpu.sweep")):
            tell(label, 0, 1)
        tell(compiling("incrowd.kernels.cpu.transport.auction"), 0, 1)
    assert capsys.readouterr().err == (
        "incrowd: compiling kernels, once: about 2 s (sweep); later runs start at once\n"
        "incrowd: compiling kernels, once: about 20 s (transport); later runs start at once\n"
    )


def test_on_a_terminal_what_is_finished_vanishes_and_silence_is_filled(monkeypatch):
    from rich.progress import Progress

    seen = []
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    start = Progress.start
    monkeypatch.setattr(Progress, "start", lambda self: (seen.append(self), start(self)))
    with progress_bar():
        bars = seen[0]
        assert [(task.description, task.visible) for task in bars.tasks] == [("working", True)]
        tell("windows", 0, 7)
        tell("windows", 3, 7)
        tell("joining", 1, 2)  # a part of the whole: one bar, with what is left in all
        working, bar = bars.tasks
        assert not working.visible and bar.description == "windows: joining 50 %"
        assert (bar.completed, bar.total) == (3, 7)
        tell("joining", 2, 2)
        assert [task.description for task in bars.tasks] == ["working", "windows"]
        tell("windows", 7, 7)
        assert [(task.description, task.visible) for task in bars.tasks] == [("working", True)]
        tell("drawing", 1, 2)
        assert [(task.description, task.completed) for task in bars.tasks] == [("working", 0), ("drawing", 1)]


def test_old_command_names_work_with_a_notice(incrowd, city):
    code, out, err = incrowd("measure", "cut", city, "--points", 1)
    assert code == 0 and out == incrowd("measure", "cut-risk", city, "--points", 1)[1]
    assert err == "incrowd: 'measure cut' is now 'measure cut-risk'; the old name works until 0.3.\n"


WRITES = {
    "read": ((), "40 records of 4 people\n"),
    "clean": (("--max-speed-kmh", 300, "--min-records", 2, "--drop-zero"), "40 records of 4 people\n"),
    "discretize": (("--cell-m", 500, "--slot-min", 60), "40 visits of 4 people\n500 m cells, 60 min slots\n"),
    "discretize towers": (("--fill", "interpolate"), "192 visits of 4 people\n30 min slots\n"),
    "discretize blocks": (("--blocks", 3), "40 visits of 4 people\n20 min slots\na block of 3 x 3 is"),
    "discretize fingerprints": ((), "40 samples of 4 people\n100 m cells, 1 min slots\n"),
}


@pytest.mark.parametrize("name", WRITES)
def test_what_is_written_is_said_in_words_with_the_call_that_makes_the_same(incrowd, trips, tmp_path, name):
    towers = tmp_path / "towers.csv"
    towers.write_text("lat,lon\n52.00,5.00\n52.02,5.02\n")
    command, _, into = name.partition(" ")
    more = ("--into", into, *(("--towers", towers) if into == "towers" else ())) if into else ()
    options, words = WRITES[name]
    code, out, err = incrowd(command, trips, "-o", tmp_path / "out.parquet", *more, *options)
    assert code == 0, err
    assert f"\n{tmp_path / 'out.parquet'}: {words}" in out and "users=" not in out
    call = out.splitlines()[-1].removeprefix("in Python: ")
    made, saved = eval(call, {"ic": ic}), ic.read.saved(tmp_path / "out.parquet")
    assert {name: list(column) for name, column in made.columns().items()} == {
        name: list(column) for name, column in saved.columns().items()
    }


def test_counts_are_written_in_words(incrowd, city, tmp_path):
    code, out, _ = incrowd("discretize", city, "--into", "counts", "-o", tmp_path / "c.parquet")
    assert code == 0 and ": counts of people in 12 cells and 48 slots\n60 min slots\n" in out
    assert (
        eval(out.splitlines()[-1].removeprefix("in Python: "), {"ic": ic}).n == ic.read.saved(tmp_path / "c.parquet").n
    ).all()


def test_an_option_of_another_kind_names_the_kinds_that_take_it(incrowd, trips, tmp_path):
    code, _, err = incrowd("discretize", trips, "-o", tmp_path / "v.parquet", "--towers", trips)
    assert code == 2 and err == "incrowd: --towers has no use with --into grid; pass --into towers, or leave it out.\n"

import sys

import pytest

from incrowd.cli import main


@pytest.fixture
def incrowd(monkeypatch, capsys):
    """Run the command line: incrowd("clean", "x.csv") -> (exit code, stdout, stderr)."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["incrowd", *map(str, words)])
        monkeypatch.setenv("COLUMNS", "100")
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return stop.value.code or 0, out, err

    return run


@pytest.fixture
def trips(tmp_path):
    """Four people on a line of latitude, one record an hour, in a CSV file."""
    rows = [
        (f"rider{u}", f"2024-03-01T{h:02d}:00:00Z", 52 + 0.01 * ((u + h) % 5), 5 + 0.01 * u)
        for h in range(10)
        for u in range(4)
    ]
    path = tmp_path / "trips.csv"
    path.write_text("user,time,lat,lon\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n")
    return path

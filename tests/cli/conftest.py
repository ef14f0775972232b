import itertools
import sys
from importlib import import_module

import numpy as np
import pytest

import incrowd as ic
from boxes import prints
from incrowd.cli import main
from incrowd.kernels.gpu import device
from incrowd.progress import COMPILING


@pytest.fixture
def incrowd(monkeypatch, capsys):
    """Run the command line: incrowd("clean", "x.csv") -> (exit code, stdout, stderr)."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["incrowd", *map(str, words)])
        monkeypatch.setenv("COLUMNS", "100")
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        told = [line for line in err.splitlines(keepends=True) if COMPILING not in line]  # depends on what ran before
        return stop.value.code or 0, out, "".join(told)

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


@pytest.fixture
def towers(tmp_path):
    """Three towers in two districts, on the way of the trips."""
    path = tmp_path / "towers.csv"
    path.write_text("lat,lon,district\n52.00,5.00,west\n52.02,5.02,west\n52.04,5.03,east\n")
    return path


@pytest.fixture
def city(tmp_path):
    made = ic.read.synthetic_city(users=25, towers=12, days=2, profile="operator-calm")
    return ic.discretize.towers(made.traces, made.towers, slot_min=60).save(tmp_path / "city.parquet")


@pytest.fixture
def release(incrowd, city, tmp_path):
    words = ("-o", tmp_path / "release", "--window-h", 24, "--keep-link", tmp_path / "link.csv")
    assert incrowd("anonymize", "cut", city, *words)[0] == 0
    return tmp_path / "release"


@pytest.fixture
def four(tmp_path):
    return prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400").save(tmp_path / "four.parquet")


@pytest.fixture
def country(tmp_path):
    city = ic.read.synthetic_city(users=40, towers=12, days=2, profile="cdr")
    return city.fingerprints().save(tmp_path / "country.parquet")


@pytest.fixture
def card(monkeypatch):
    """A GPU that takes crowds of 2 and has no room for more."""
    kgap = import_module("incrowd.measure.glove")
    free = itertools.count(1)

    def only_two(k, made):
        if k == 2:
            return made()
        raise device.NoRoom(f"the GPU has {next(free) / 10} GiB free, and these 4 need 3.0 GiB; pass device='cpu'.")

    def hidden(laid, k, leftover, *, uncapped, limits):
        return only_two(k, lambda: ic.anonymize.Glove(k=k, device="cpu").hide(laid))

    monkeypatch.setattr(device, "missing", lambda: "")
    monkeypatch.setattr(import_module("incrowd.measure.glove.stretch"), "WORTH_GPU", 2)
    monkeypatch.setattr(import_module("incrowd.anonymize.glove.gpu"), "hide_on_card", hidden)
    monkeypatch.setattr(
        kgap, "scan_on_card", lambda laid, take, order: only_two(take + 1, lambda: kgap.near_some(laid, take, order))
    )


JULY = 1_719_792_000  # 2024-07-01T00:00Z


def days(path, first, last, *, guest=False):
    """Eight people who walk about Amsterdam at night and at noon of some days in July 2024."""
    rng = np.random.default_rng(4)
    home, step = rng.uniform(0, 0.05, (8, 2)), rng.uniform(0, 0.02, (8, 31, 2))
    rows = [
        (f"p{u}", JULY + 86_400 * day + 3600 * hour, 4.92 + home[u, 0] + at[0], 52.3 + home[u, 1] + at[1])
        for day in range(first, last)
        for hour in (1, 12)
        for u in range(8)
        for at in [step[u, day] * (hour == 12)]
    ]
    rows += [("guest", JULY + 86_400 * first + 60 * i, 5.3, 52.3) for i in range(500)] if guest else []
    path.write_text("user,t,lon,lat\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


@pytest.fixture
def two(tmp_path):
    """In the second half a guest with many records moves the median longitude beyond 5 degrees."""
    return days(tmp_path / "a.csv", 0, 15), days(tmp_path / "b.csv", 15, 31, guest=True)

"""incrowd attack: the call that a command prints gives the same numbers."""

import json

import pytest

import incrowd as ic


@pytest.fixture
def later(trips, tmp_path):
    """The same people a day later."""
    path = tmp_path / "later.csv"
    path.write_text(trips.read_text().replace("2024-03-01", "2024-03-02"))
    return path


def called(out):
    """The values of the calls in the last line that was printed."""
    scope, values = {"ic": ic}, []
    for statement in out.splitlines()[-1].partition("in Python: ")[2].split("; "):
        if " = " in statement.partition("(")[0]:
            exec(statement, scope)
        else:
            values.append(eval(statement, scope))
    return values


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sides", ["trips later", "city release", "city city"])
def test_link(incrowd, trips, later, city, release, tmp_path, sides):
    paths = {"trips": trips, "later": later, "city": city, "release": release}
    words = ["attack", "link", *(paths[side] for side in sides.split())]
    words += ["--truth", tmp_path / "link.csv"] if "release" in sides else []
    code, out, err = incrowd(*words)
    assert code == 0, err
    record = json.loads(incrowd(*words, "--json")[1])
    first, *others = called(out)
    assert first.to_dict()["hit"] == record["hit"] and len(others) == ("moments" in record)
    assert [other.to_dict()["hit"] for other in others] == [record[name]["hit"] for name in ["moments"][: len(others)]]


def test_lookup(incrowd, city, release, tmp_path):
    code, out, err = incrowd("attack", "lookup", release, city, "--link", tmp_path / "link.csv", "--records", 3)
    assert code == 0, err
    [lookup] = called(out)
    assert lookup.section().answer == out.splitlines()[0] and lookup.records == 3


def test_membership_and_home_work(incrowd, city):
    code, out, err = incrowd("attack", "membership", city, "--round-to", 2, "--targets", 10)
    assert code == 0, err
    assert called(out)[0].section().answer == out.splitlines()[0] and "mitigation={'round_to': 2}" in out
    code, out, err = incrowd("attack", "home-work", city)
    assert code == 0 and called(out)[0].section().answer == out.splitlines()[0], err


def test_relink(incrowd, release, tmp_path):
    code, out, err = incrowd("attack", "relink", release, "--link", tmp_path / "link.csv")
    assert code == 0 and called(out)[0].section().answer == out.splitlines()[0], err

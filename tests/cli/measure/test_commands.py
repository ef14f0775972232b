"""incrowd measure: every command says its answer first, what was used, and the call that gives the same."""

import json
import re

import pytest

import incrowd as ic

RUNS = {
    "uniqueness": ("--points", 2),
    "exposure": (),
    "cut-risk": ("--window-h", 6, "--points", 2),
    "sequences": ("--same-time", "order", "--min-support", 2),
    "kgap": ("--k", 2),
    "tails": (),
    "accuracy": ("--k", 2),
    "sweep": ("--blocks", "2,4", "--minutes", "60,120", "--points", "1-2", "--samples", 50),
}


def called(line, folder):
    """The value of the call that a command prints."""
    code, scope = line.partition("in Python: ")[2], {"ic": ic}
    *before, last = code.split("; ")
    for statement in before:
        exec(statement, scope)
    return eval(last, scope)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RUNS)
def test_the_printed_call_gives_the_same(incrowd, trips, name):
    code, out, err = incrowd("measure", name, trips, *RUNS[name])
    assert code == 0, err
    *_, options, call = out.splitlines()
    assert re.fullmatch(r"\(.*\)", options) and re.match(r"(500 m cells, 60 min slots; )?in Python: ", call)
    result = called(call, trips.parent)
    if name == "sequences":
        record = json.loads(incrowd("measure", name, trips, *RUNS[name], "--json")[1])
        assert sum(record["minimal violating"].values()) == len(result)
    else:
        assert result.section().answer == out.splitlines()[0]


def test_utility_and_its_call(incrowd, city, release):
    code, out, err = incrowd("measure", "utility", city, release)
    assert code == 0, err
    assert called(out.splitlines()[-1], None).section().answer == out.splitlines()[0]
    assert "(compared in cells of" in out and "agreement" in out


def test_inspect_and_its_call(incrowd, trips):
    code, out, _ = incrowd("inspect", trips)
    assert code == 0 and called(out.splitlines()[-1], None).section().answer == out.splitlines()[0]
    assert set(json.loads(incrowd("inspect", trips, "--json")[1])) == {"summary", "ledger"}


def test_the_old_name_of_cut_risk_works_with_a_notice(incrowd, trips):
    words = ("--window-h", 6, "--points", 2, "--json")
    code, out, err = incrowd("measure", "cut", trips, *words)
    assert code == 0 and "'measure cut' is now 'measure cut-risk'" in err and err.count("\n") == 1
    assert json.loads(out) == json.loads(incrowd("measure", "cut-risk", trips, *words)[1])


@pytest.mark.parametrize("name", [*RUNS, "utility"])
def test_every_option_is_explained(incrowd, name):
    _, out, _ = incrowd("measure", name, "--help")
    told = [line for line in out.splitlines() if re.match(r"│ +--\w", line)]
    assert told and not [line for line in told if re.fullmatch(r"│ +--[\w-]+ +(-\w)? *(<[^>]*>)? *│", line)]


def test_an_estimate_is_one_line_and_computes_nothing(incrowd, trips):
    words = (*RUNS["sweep"], "--estimate")
    code, out, _ = incrowd("measure", "sweep", trips, *words)
    assert code == 0 and out.count("\n") == 1 and out.startswith("4 resolutions: less than 1 s")
    assert json.loads(incrowd("measure", "sweep", trips, *words, "--json")[1])["todo"] == 4


def test_a_target_decides_which_settings_are_listed(incrowd, trips):
    code, out, _ = incrowd("measure", "sweep", trips, *RUNS["sweep"], "--target", 1)
    assert code == 0 and "finest settings with at most 100 %" in out and "4 x 4 blocks of" in out.splitlines()[4]

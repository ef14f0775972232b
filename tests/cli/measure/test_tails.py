"""incrowd measure tails."""

import json

from commands import run


def test_tails_are_shown_where_they_are_defined(four):
    code, out, _ = run("tails", four, "--k", 2)
    rows = {line[:14].strip(): line[14:].split() for line in out.splitlines()[1:-1]}
    assert code == 0 and rows["tail weight"][0] == "0"  # one sample has no tail
    assert rows["time / both"][0] == "4" and rows["time / both"][-1] == "1.000"
    assert "k = 2, on the CPU;" in out.splitlines()[-1]
    assert json.loads(run("tails", four, "--json")[1])["k"] == 2

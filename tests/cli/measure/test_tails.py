"""incrowd measure tails."""

import json

from commands import run


def test_tails_are_printed_if_they_are_defined(four):
    code, out, _ = run("tails", four, "--k", 2)
    rows = {line[:22].strip(): line[22:].split() for line in out.splitlines()[4:-1]}
    assert code == 0 and rows["tail weight"][0] == "0"  # one sample has no tail
    assert rows["temporal part"][0] == "4" and rows["temporal part"][-1] == "1"
    assert "(k = 2; 4 people; on the CPU)" in out.splitlines()
    assert "inf" not in out and "nan" not in out and rows["temporal over spatial"][-1] == "unbounded"
    assert out.splitlines()[-1].startswith("in Python: ic.measure.tails(ic.read.open(")
    assert json.loads(run("tails", four, "--json")[1])["k"] == 2

"""incrowd measure accuracy."""

import json

import pytest

from commands import FELL_BACK, run


def test_accuracy_takes_the_options_of_the_method(four, country):
    code, out, _ = run("accuracy", four, "--k", 3, "--leftover", "suppress", "--reshape", "union", "--json")
    found = json.loads(out)["3"]
    assert code == 0 and found["after_reshape"] and found["reshape"] == "union"
    assert found["discarded_fingerprints"] == 1  # three hide among each other, the fourth is left over
    code, out, err = run("accuracy", country, "--k", 2, "--shard-users", 10)
    assert code == 0 and "in 4 shards" in err and "40 people" in out


def test_accuracy_for_several_k(four):
    code, out, err = run("accuracy", four, "--k", "2-3")
    rows = [line.split() for line in out.splitlines()[4:-1]]
    assert code == 0 and rows[0] == ["2", "600", "600", "211", "211", "0.0", "%"]
    assert rows[1][:2] == ["3", "1,100"] and err.count(": less than 1 s, 1 MiB") == 2
    assert "4 people, 4 samples; on the CPU)" in out.splitlines()[-2]
    assert out.splitlines()[-1].endswith("ic.measure.accuracy(ic.anonymize.Glove(k=3)(data), data)")
    assert (
        json.loads(run("accuracy", four, "--k", "2", "--max-extent-min", 360, "--json")[1])["2"]["deleted_samples"] == 2
    )


@pytest.mark.filterwarnings("always")
def test_accuracy_says_what_ran_not_what_was_planned(card, four, incrowd):
    code, out, err = incrowd("measure", "accuracy", four, "--k", "2-3")
    assert code == 0 and "4 samples; k = 2 on the GPU, k = 3 on the CPU)" in out
    assert err.count("on the CPU; the GPU is faster\n") == 2 and err.splitlines()[-1] == FELL_BACK

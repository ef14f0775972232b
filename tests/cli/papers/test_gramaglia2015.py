"""incrowd papers gramaglia2015."""

import json
import re

import pytest

import incrowd as ic
from commands import run


def test_the_paper_on_a_file(country, tmp_path):
    code, out, err = run("gramaglia2015", "--data", country, "--quick", "-o", tmp_path / "figures")
    assert code == 0 and err == ""
    assert re.search(r"1\.6 +1\.636 +agrees", out) and "(the data, 40 users)" in out.splitlines()[-1]
    assert (tmp_path / "figures" / "figure-10-time.svg").exists() and (tmp_path / "figures" / "report.html").exists()
    with pytest.raises(ic.ParameterError, match="exists"):
        run("gramaglia2015", "--data", country, "--quick", "-o", tmp_path / "figures")
    with pytest.raises(ic.ParameterError, match="is a file"):
        run("gramaglia2015", "--quick", "-o", country, "--force")


def test_table_2_says_what_it_skips(incrowd, tmp_path):
    code, out, err = incrowd("papers", "gramaglia2015", "--table", 2, "--users", 60, "-o", tmp_path / "out")
    assert (
        code == 0
        and re.search(r"country +60 +[\d,]+ +2 +W4M-LC", out)
        and "statements of the paper agree with these data" in out
    )
    assert "skipped ValleyBike: no folder of real data was given" in err and "skipped Cabspotting" in err
    assert (tmp_path / "out" / "table-2.html").exists()


def test_table_2_on_own_data(incrowd, tmp_path):
    x, t = [500 * (u % 4) for u in range(12) for _ in range(3)], [30 * u + 60 * i for u in range(12) for i in range(3)]
    made = ic.Fingerprints.from_arrays([u for u in range(12) for _ in range(3)], x=x, y=[0] * 36, t=t)
    mine = made.save(tmp_path / "prints.parquet")
    words = ("papers", "gramaglia2015", "--table", 2, "--data", mine, "--quick", "--users", 40, "--json")
    code, out, _ = incrowd(*words)
    found = json.loads(out)
    assert code == 0 and list(dict.fromkeys(cell["data"] for cell in found["cells"])) == ["the data", "country", "city"]
    assert any("k = 2, the data" in said["what"] for said in found["statements"])


def test_table_2_refuses_what_makes_no_sense(incrowd, tmp_path):
    for words, said in (
        (("--table", 3), "--table takes 2"),
        (("--real", tmp_path), "pass --table 2 too"),
        (("--users", 5), "--users is the size of the data of Table 2; pass --table 2 too"),
        (("--table", 2, "--real", tmp_path / "nowhere"), "does not exist"),
    ):
        code, _, err = incrowd("papers", "gramaglia2015", *words)
        assert code == 2 and said in err

"""Strays on the command line: --box, --drop-zero, --keep-zero and the size of blocks."""

import csv
import json
import re

import numpy as np
import pytest

from incrowd.data import load

pytestmark = pytest.mark.filterwarnings("always")


@pytest.fixture
def strays(tmp_path):
    """Sixty people in a town, with five records at (0, 0) and two far away."""
    rng = np.random.default_rng(0)
    rows = [(u, t * 600, 5 + rng.uniform(0, 0.2), 52 + rng.uniform(0, 0.1)) for u in range(60) for t in range(20)]
    rows += [(u, 90, 0, 0) for u in range(5)] + [(0, 95, 80, 52), (1, 95, 5, -40)]
    path = tmp_path / "strays.csv"
    lines = [f"{u},{1_400_000_000 + t},{x:.6f},{y:.6f}" for u, t, x, y in rows]
    path.write_text("\n".join(["user,t,lon,lat", *lines]) + "\n")
    return path


def at_zero(err):
    return [line for line in err.splitlines() if "(0, 0)" in line]


def test_read_says_how_many(incrowd, strays, tmp_path):
    code, out, err = incrowd("read", strays, "-o", tmp_path / "a.parquet")
    assert code == 0 and "(5 at (0, 0))" in out
    (line,) = at_zero(err)
    assert line.startswith("incrowd: 5 records are at (0, 0), ")


def test_clean_drops_what_it_is_asked_to_and_says_what_remains(incrowd, strays, tmp_path):
    code, out, err = incrowd("clean", strays, "-o", tmp_path / "a.parquet", "--steps", "duplicates")
    assert code == 0 and at_zero(err)[0].startswith("incrowd: 5 records are at (0, 0)") and len(at_zero(err)) == 1
    words = ("--steps", "duplicates", "--drop-zero", "--box", "-5.5,-1,6,53")
    code, out, err = incrowd("clean", strays, "-o", tmp_path / "b.parquet", *words)
    assert code == 0 and not err
    assert "-5 at (0, 0)" in out and "-2 outside the box" in out and load(tmp_path / "b.parquet").records == 1200
    words = ("--steps", "duplicates", "--box=-5.5,-50,6,53")
    code, out, err = incrowd("clean", strays, "-o", tmp_path / "c.parquet", *words, "--keep-zero")
    assert code == 0 and "-1 outside the box" in out and "at (0, 0)" not in err
    assert load(tmp_path / "c.parquet").at_zero.sum() == 5
    code, _, err = incrowd("clean", strays, "-o", tmp_path / "d.parquet", "--box", "100,52,101,53")
    assert code == 2 and "no record is left" in err and not (tmp_path / "d.parquet").exists()
    code, _, err = incrowd("clean", strays, "-o", tmp_path / "d.parquet", "--drop-zero", "--keep-zero")
    assert code == 2 and "exclude each other" in err


def test_a_box_removes_records_at_zero_as_the_library_does(incrowd, strays, tmp_path):
    words = ("--steps", "duplicates", "--box=-5.5,-50,6,53")
    code, out, err = incrowd("clean", strays, "-o", tmp_path / "a.parquet", *words)
    assert code == 0 and not err and "-5 at (0, 0)" in out and "-1 outside the box" in out


def test_clean_warns_of_records_at_zero_even_if_a_step_removes_them(incrowd, strays, tmp_path):
    code, _, err = incrowd("clean", strays, "-o", tmp_path / "a.parquet")
    (line,) = at_zero(err)
    assert code == 0 and line.startswith("incrowd: 5 records are at (0, 0)") and "--drop-zero" in line
    assert not load(tmp_path / "a.parquet").at_zero.any()


@pytest.mark.parametrize("box", ["5,52,6", "a,b,c,d", "6,52,5,53", "5,52,nan,53", ""])
def test_what_is_no_box_is_one_sentence(incrowd, strays, tmp_path, box):
    for words in (("clean",), ("discretize", "--into", "blocks")):
        code, _, err = incrowd(*words, strays, "-o", tmp_path / "a.parquet", "--box", box)
        assert code == 2 and err.startswith("incrowd: --box takes west,south,east,north") and err.count("\n") == 1


def test_blocks_drop_strays_and_print_their_size(incrowd, strays, tmp_path):
    words = ("discretize", strays, "--into", "blocks", "--blocks", 20)
    code, out, err = incrowd(*words, "-o", tmp_path / "a.parquet")
    assert code == 0 and "-5 at (0, 0)" in out and "-2 outside the box" in out
    assert err.count("incrowd: ") == 2 and len(at_zero(err)) == 1
    assert "a block of 20 x 20 is 1,3" in out and "m (west-east x south-north)\nin Python: " in out
    code, out, _ = incrowd(*words, "-o", tmp_path / "b.parquet", "--box", "5,52,5.2,52.1", "--json")
    width, height = json.loads(out)["block_m"]
    assert code == 0 and width == pytest.approx(686, abs=2) and height == pytest.approx(556, abs=2)
    code, out, err = incrowd(*words, "-o", tmp_path / "c.parquet", "--keep-zero", "--box", "-1,-50,90,60")
    assert code == 0 and not err and "left out" not in out and "outside" not in out


@pytest.mark.parametrize("into", ["grid", "fingerprints"])
def test_a_box_means_nothing_with_cells_of_a_given_size(incrowd, strays, tmp_path, into):
    for words in (("--box", "5,52,6,53"), ("--keep-zero",)):
        code, _, err = incrowd("discretize", strays, "-o", tmp_path / "a.parquet", "--into", into, *words)
        assert code == 2 and f"has no use with --into {into}" in err
    code, _, err = incrowd("discretize", strays, "-o", tmp_path / "a.parquet", "--into", into)
    assert code == 0 and len(at_zero(err)) == 1 and "5 records are at (0, 0)" in err


def test_the_sweep_prints_the_size_of_blocks_and_writes_it(incrowd, strays, tmp_path):
    words = ("--blocks", "10,200", "--minutes", 60, "--points", "2", "--samples", 200)
    output = ("-o", tmp_path / "sweep.csv", "--report", tmp_path / "sweep.html")
    code, out, err = incrowd("measure", "sweep", strays, *words, *output)
    assert code == 0 and len(at_zero(err)) == 1 and err.count("more than 4 times") == 1
    assert "size of a block (west-east x south-north)" in out and "1,200 of 1,207 records" in out
    rows = list(csv.DictReader((tmp_path / "sweep.csv").read_text().splitlines()))
    assert [float(row["block_width_m"]) for row in rows] == pytest.approx([2740, 137], rel=0.02)
    page = (tmp_path / "sweep.html").read_text()
    assert "size of a block" in page and "without 5 at (0, 0) and 2 outside the box of 1,207 records" in page
    code, out, err = incrowd("measure", "sweep", strays, *words, "--box", "5,52,5.2,52.1", "--json", "--keep-zero")
    assert code == 0 and json.loads(out)["box"] == [5, 52, 5.2, 52.1] and "at (0, 0)" not in err
    code, out, err = incrowd("measure", "sweep", strays, *words, "--estimate")
    assert code == 0 and len(at_zero(err)) == 1


def test_w4m_prints_its_radius_and_accounts_for_strays(incrowd, strays, tmp_path):
    link = tmp_path / "link.csv"
    code, out, err = incrowd("anonymize", "w4m", strays, "-o", tmp_path / "r", "--keep-link", link)
    assert code == 0 and "-5 at (0, 0)" in out and "-2 outside the box" in out and len(at_zero(err)) == 1
    assert "The radius of clusters is 8" in out
    assert re.search(r" Points were moved by [\d,]+ m on average; .* left out, of 1,207 points\.$", out, re.MULTILINE)
    code, _, err = incrowd("anonymize", "w4m", strays, "-o", tmp_path / "q", "--keep-link", tmp_path / "link.parquet")
    assert code == 2 and "must not end in .parquet; end it in .csv" in err and not (tmp_path / "q").exists()
    code, out, _ = incrowd("audit", tmp_path / "r", "--original", strays, "--link", link)
    assert code == 0
    code, out, err = incrowd("anonymize", "w4m", strays, "-o", tmp_path / "s", "--box", "5,52,5.2,52.1", "--keep-zero")
    assert code == 0 and "-7 outside the box" in out and not at_zero(err)
    said = json.loads((tmp_path / "s" / "manifest.json").read_text())["parameters"]
    assert said["box"] == [5, 52, 5.2, 52.1] and said["keep_zero"] is True
    code, _, err = incrowd("anonymize", "w4m", strays, "-o", tmp_path / "t", "--box", "5,52,6,53", "--radius-m", 9)
    assert code == 2 and "give radius_m or box" in err


def test_the_paper_takes_a_box_and_prints_the_size_of_blocks(incrowd, strays):
    words = ("papers", "tan2017", "--quick", "--data", strays, "--json")
    code, out, err = incrowd(*words)
    assert code == 0 and len(at_zero(err)) == 1 and "5 records at (0, 0) were left out" in err
    assert "blocks of 137 x 111 m, the data's box" in out
    code, out, err = incrowd(*words, "--box", "5,52,5.1,52.1")
    assert code == 0 and "-5 at" not in err and "blocks of 69 x 111 m, the data's box" in out


def test_an_attack_on_records_says_how_many_are_at_zero(incrowd, strays):
    code, _, err = incrowd("measure", "uniqueness", strays, "--points", 2, "--samples", 50)
    assert code == 0 and len(at_zero(err)) == 1
    assert len(at_zero(incrowd("attack", "home-work", strays)[2])) == 1

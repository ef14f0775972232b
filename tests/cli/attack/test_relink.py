"""incrowd attack relink, and releases in CSV and broken link files under every attack."""

import json
import re

import incrowd as ic

TIME = re.compile(r'"seconds": [^,\n]+')


def test_relink(incrowd, release, tmp_path):
    code, out, _ = incrowd(
        "attack", "relink", release, "--link", tmp_path / "link.csv", "--report", tmp_path / "r.html"
    )
    assert code == 0 and "pairs of consecutive pieces of one person) are joined" in out and "top 3" in out
    assert "Can the pieces of a cut trajectory be joined again?" in (tmp_path / "r.html").read_text()
    code, out, _ = incrowd(
        "attack", "relink", release, "--json", "--points", 2, "--memory", "chain", "--reach-windows", 2
    )
    told = json.loads(out)
    assert code == 0 and told["score"] is None and told["pieces"] > told["chains"]
    assert (told["points"], told["memory"], told["reach_windows"]) == (2, "chain", 2)
    assert not {"following", "chain"} & told.keys()


def test_a_release_in_csv_is_attacked_like_one_in_parquet(incrowd, city, tmp_path):
    cut = ic.anonymize.Cut(window_h=24)(ic.read.saved(city), pseudonym_seed=1)
    said = []
    for file in ("parquet", "csv"):
        release, link = tmp_path / file, tmp_path / f"{file}-link.csv"
        ic.anonymize.publish(cut, release, file=file, link=link, original=ic.read.saved(city))
        said.append(
            [
                incrowd("attack", "relink", release, "--link", link, "--json"),
                incrowd("attack", "link", city, release / f"data.{file}", "--truth", link, "--json"),
                incrowd("measure", "utility", city, release, "--json"),
                incrowd("attack", "home-work", release, "--json"),
            ]
        )
    parquet, csv = ([(code, TIME.sub("", out), err) for code, out, err in one] for one in said)
    assert parquet == csv and all(code == 0 for code, _, _ in parquet)


def test_a_link_file_that_is_not_text_is_refused_in_a_sentence(incrowd, city, release, tmp_path):
    (tmp_path / "bin.csv").write_bytes(b"pseudonym,user\n\xff\xfe\x80,1\n")
    for words in (("relink", release, "--link"), ("link", city, release, "--truth")):
        code, out, err = incrowd("attack", *words, tmp_path / "bin.csv")
        assert code == 2 and out == "" and err.startswith("incrowd: bin.csv is not CSV in UTF-8;")

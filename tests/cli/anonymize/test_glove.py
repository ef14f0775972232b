"""incrowd anonymize glove."""

import json

import pytest

import incrowd as ic
from commands import run
from incrowd.data import load


def test_a_release_is_published_and_passes_the_audit(four, tmp_path):
    code, out, err = run("glove", four, "-o", tmp_path / "release", "--k", 2, "--keep-link", tmp_path / "link.csv")
    assert code == 0 and "\nGuarantee: k-anonymity" in out and "600 m and 211 min wide on average" in out
    assert (
        "100.0 % (4 of 4 people) and 100.0 % of 4 records are in the release" in out
        and f"check it: incrowd audit {tmp_path}/release" in out
    )
    assert err.startswith("glove: 4 users, 4 samples, k = 2: less than 1 s") and err.endswith(" on the CPU\n")
    assert len(err.splitlines()) == 1
    assert (tmp_path / "link.csv").exists()
    assert load(tmp_path / "release" / "data.parquet").crowd.tolist() == [2, 2]
    assert ic.audit.check(tmp_path / "release", original=four, k=2).passed


def test_every_option_reaches_the_method(four, tmp_path):
    limits = ("--max-extent-m", 15_000, "--max-extent-min", 360, "--reshape", "union", "--leftover", "suppress")
    code, out, _ = run("glove", four, "-o", tmp_path / "r", "--k", 3, "--shard-users", 8, *limits, "--json")
    assert code == 0 and json.loads(out)["folder"] == "r"
    said = json.loads((tmp_path / "r" / "manifest.json").read_text())["parameters"]
    asked = {"k": 3, "max_extent_m": 15_000, "max_extent_min": 360, "reshape": "union", "leftover": "suppress"}
    assert {name: said[name] for name in asked} == asked and said["shard_users"] == 8


def test_ties_and_suppression_reach_the_method(four, tmp_path):
    more = ("--ties", "uncapped", "--suppress", "each", "--max-extent-min", 60)
    assert run("glove", four, "-o", tmp_path / "r", *more)[0] == 0
    said = json.loads((tmp_path / "r" / "manifest.json").read_text())["parameters"]
    assert (said["ties"], said["suppress"]) == ("uncapped", "each")


def test_a_checkpoint_that_cannot_be_written_is_refused_before_anything_is_read(tmp_path):
    words = ("glove", tmp_path / "no-such-data.csv", "-o", tmp_path / "r", "--checkpoint")
    with pytest.raises(ic.ParameterError, match="absent does not exist; make it first"):
        run(*words, tmp_path / "absent" / "run.npz")
    with pytest.raises(ic.DataError, match="not a checkpoint"):
        run(*words, tmp_path)


def test_the_estimate_stops_there(four, tmp_path):
    code, out, err = run("glove", four, "--estimate", "-o", tmp_path / "release")
    assert code == 0 and out.startswith("4 users, 4 samples, k = 2: less than 1 s") and err == ""
    assert out.endswith(" on the CPU\n")
    assert not (tmp_path / "release").exists()
    whole, shards = (
        json.loads(run("glove", four, "--estimate", "--json", *words)[1]) for words in ((), ("--shard-users", 4))
    )
    assert whole["pairs"] == shards["pairs"] == 20  # four people are one shard
    with pytest.raises(ic.ParameterError, match="-o FOLDER"):
        run("glove", four)


def test_shards_cost_less(country):
    whole, shards = (
        json.loads(run("glove", country, "--estimate", "--json", *words)[1])["pairs"]
        for words in ((), ("--shard-users", 10))
    )
    assert shards == pytest.approx(whole / 4, abs=1)


def test_a_full_disk_costs_no_run(country, tmp_path, monkeypatch):
    """The checkpoint is there until the release is."""
    from incrowd.anonymize import _publish as folder

    file, words = tmp_path / "run.npz", ("--k", 3, "--shard-users", 20, "-o", tmp_path / "a")
    written = folder.write_table

    def full(*given, **more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder, "write_table", full)
    with pytest.raises(OSError, match="No space left"):
        run("glove", country, *words, "--checkpoint", file)
    assert file.exists() and file.with_name("run.npz.1").exists() and not (tmp_path / "a").exists()
    monkeypatch.setattr(folder, "write_table", written)
    assert run("glove", country, *words, "--checkpoint", file)[0] == 0
    assert (tmp_path / "a").exists() and not list(tmp_path.glob("run.npz*"))


@pytest.mark.parametrize("k", [2, 3])
def test_a_killed_run_goes_on_to_the_same_result(country, tmp_path, monkeypatch, k):
    """Killed at its fifth save, the run resumes from the file and ends as one that never stopped."""
    from incrowd.anonymize.glove import Saved, herd

    monkeypatch.setattr(herd, "BLOCK", 4)
    keep, saves = Saved.keep, []

    def killed(self, *given, **more):
        keep(self, *given, **more)
        saves.append(1)
        if len(saves) == 5:
            raise KeyboardInterrupt

    file, words = tmp_path / "run.npz", ("--checkpoint-s", 0, "--k", k, "--keep-link")
    monkeypatch.setattr(Saved, "keep", killed)
    code, _, _ = run("glove", country, "-o", tmp_path / "a", "--checkpoint", file, *words, tmp_path / "a.csv")
    assert code == 130 and file.exists() and not (tmp_path / "a").exists()
    monkeypatch.setattr(Saved, "keep", keep)
    assert run("glove", country, "-o", tmp_path / "a", "--checkpoint", file, *words, tmp_path / "a.csv")[0] == 0
    assert run("glove", country, "-o", tmp_path / "b", *words, tmp_path / "b.csv")[0] == 0
    assert not file.exists()
    assert published(tmp_path, "a") == published(tmp_path, "b")


def published(folder, name):
    """Who is published as what, without pseudonyms."""
    data = load(folder / name / "data.parquet")
    people = {}
    for line in (folder / f"{name}.csv").read_text().splitlines()[1:]:
        pseudonym, user, _ = line.split(",")
        people.setdefault(int(pseudonym), set()).add(user)
    columns = [getattr(data, column).tolist() for column in ("x", "dx", "y", "dy", "t", "dt")]
    rows = list(zip(*columns, strict=True))
    spans = zip(data.users.tolist(), data.offsets[:-1], data.offsets[1:], strict=True)
    return {(frozenset(people[user]), tuple(rows[a:b])) for user, a, b in spans}


def test_outputs_that_exist_are_kept(four, tmp_path):
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "mine.txt").write_text("mine")
    with pytest.raises(ic.ParameterError, match="exists"):
        run("glove", four, "-o", tmp_path / "release")
    assert (tmp_path / "release" / "mine.txt").read_text() == "mine"


def test_the_estimate_says_whose_time_it_is(card, four, incrowd):
    _, out, err = incrowd("anonymize", "glove", four, "--estimate")
    assert out.endswith(" MiB on the CPU; the GPU is faster\n") and err == ""
    assert incrowd("anonymize", "glove", four, "--estimate", "--device", "cpu")[1].endswith(" MiB on the CPU\n")

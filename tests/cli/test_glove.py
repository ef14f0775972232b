"""The commands of GLOVE, in a small app of their own."""

import itertools
import json
import re
import warnings
from importlib import import_module

import pytest
import typer
from typer.testing import CliRunner

import incrowd as ic
from boxes import prints
from incrowd.cli.anonymize.glove import glove
from incrowd.cli.measure.accuracy import accuracy
from incrowd.cli.measure.kgap import kgap
from incrowd.cli.measure.tails import tails
from incrowd.cli.papers.gramaglia2015 import gramaglia2015
from incrowd.cli.screen import warnings_noted
from incrowd.data import load
from incrowd.errors import IncrowdWarning
from incrowd.kernels.gpu import device

app = typer.Typer()
for command in (glove, kgap, tails, accuracy, gramaglia2015):
    app.command()(command)


def run(*words):
    """(exit code, stdout, stderr); an error we raise on purpose is raised."""
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def four(tmp_path):
    return prints("0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400").save(tmp_path / "four.parquet")


@pytest.fixture
def country(tmp_path):
    city = ic.read.synthetic_city(users=40, towers=12, days=2, profile="cdr")
    return city.fingerprints().save(tmp_path / "country.parquet")


def test_a_release_is_published_and_passes_the_audit(four, tmp_path):
    code, out, err = run("glove", four, "-o", tmp_path / "release", "--k", 2, "--keep-link", tmp_path / "link.csv")
    assert code == 0 and "guarantee: k-anonymity" in out
    assert err.startswith("glove: 4 users, 4 samples, k=2: about") and "pos_extent=600, time_extent=211" in err
    assert len(err.splitlines()) == 2 and err.endswith(", on the CPU\n")
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


def test_accuracy_takes_the_options_of_the_method(four, country):
    code, out, _ = run("accuracy", four, "--k", 3, "--leftover", "suppress", "--reshape", "union", "--json")
    found = json.loads(out)["3"]
    assert code == 0 and found["after_reshape"] and found["reshape"] == "union"
    assert found["discarded_fingerprints"] == 1  # three hide among each other, the fourth is left over
    code, out, err = run("accuracy", country, "--k", 2, "--shard-users", 10)
    assert code == 0 and "in 4 shards" in err and "40 people" in out


def test_a_checkpoint_that_cannot_be_written_is_refused_before_anything_is_read(tmp_path):
    words = ("glove", tmp_path / "no-such-data.csv", "-o", tmp_path / "r", "--checkpoint")
    with pytest.raises(ic.ParameterError, match="absent does not exist; make it first"):
        run(*words, tmp_path / "absent" / "run.npz")
    with pytest.raises(ic.DataError, match="not a checkpoint"):
        run(*words, tmp_path)


def test_the_estimate_stops_there(four, tmp_path):
    code, out, err = run("glove", four, "--estimate", "-o", tmp_path / "release")
    assert code == 0 and out.startswith("4 users, 4 samples, k=2: about") and err == ""
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
    written = folder.save

    def full(*given, **more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder, "save", full)
    with pytest.raises(OSError, match="No space left"):
        run("glove", country, *words, "--checkpoint", file)
    assert file.exists() and file.with_name("run.npz.1").exists() and not (tmp_path / "a").exists()
    monkeypatch.setattr(folder, "save", written)
    assert run("glove", country, *words, "--checkpoint", file)[0] == 0
    assert (tmp_path / "a").exists() and not list(tmp_path.glob("run.npz*"))


@pytest.mark.parametrize("k", [2, 3])
def test_a_killed_run_goes_on_to_the_same_result(country, tmp_path, monkeypatch, k):
    """Killed at its fifth save, the run resumes from the file and ends as one that never stopped."""
    from incrowd.anonymize.glove import checkpoint, greedy

    monkeypatch.setitem(ic.anonymize.Glove.__call__.__kwdefaults__, "checkpoint_s", 0.0)
    monkeypatch.setattr(greedy, "BLOCK", 4)
    keep, saves = checkpoint.Saved.keep, []

    def killed(self, *given, **more):
        keep(self, *given, **more)
        saves.append(1)
        if len(saves) == 5:
            raise KeyboardInterrupt

    file, words = tmp_path / "run.npz", ("--k", k, "--keep-link")
    monkeypatch.setattr(checkpoint.Saved, "keep", killed)
    code, _, _ = run("glove", country, "-o", tmp_path / "a", "--checkpoint", file, *words, tmp_path / "a.csv")
    assert code == 130 and file.exists() and not (tmp_path / "a").exists()
    monkeypatch.setattr(checkpoint.Saved, "keep", keep)
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


def test_trajectories_become_fingerprints_of_100_m_and_1_min(trips, tmp_path):
    made = ic.discretize.fingerprints(trips)
    found = json.loads(run("kgap", trips, "--k", "2,3", "--json")[1])
    assert [one["k"] for one in found] == [2, 3]
    assert found[0]["value"] == pytest.approx(ic.measure.kgap(made, k=2).value.tolist())


def test_visits_are_refused(trips, tmp_path):
    ic.discretize.grid(trips, cell_m=500, slot_min=60).save(tmp_path / "visits.parquet")
    with pytest.raises(ic.DataError, match="holds Visits, not trajectories or fingerprints"):
        run("kgap", tmp_path / "visits.parquet")


def test_gaps_are_shown_by_quantile(four):
    code, out, _ = run("kgap", four, "--k", "2")
    row = out.splitlines()[1].split()
    assert code == 0 and row == ["2", "0", "0.0417", "0.0417", "0.0417", "0.0458", "0.3750", "0.3750"]
    with pytest.raises(ic.ParameterError, match="--k takes numbers"):
        run("kgap", four, "--k", "few")


def test_tails_are_shown_where_they_are_defined(four):
    code, out, _ = run("tails", four, "--k", 2)
    rows = {line[:14].strip(): line[14:].split() for line in out.splitlines()[1:-1]}
    assert code == 0 and rows["tail weight"][0] == "0"  # one sample has no tail
    assert rows["time / both"][0] == "4" and rows["time / both"][-1] == "1.000"
    assert "k = 2, on the CPU;" in out.splitlines()[-1]
    assert json.loads(run("tails", four, "--json")[1])["k"] == 2


def test_accuracy_for_several_k(four):
    code, out, err = run("accuracy", four, "--k", "2-3")
    rows = [line.split() for line in out.splitlines()[1:-1]]
    assert code == 0 and rows[0] == ["2", "600", "600", "211", "211", "0.0%"]
    assert rows[1][:2] == ["3", "1,100"] and err.count("about") == 2
    assert out.endswith(" people, 4 samples, on the CPU)\n")
    assert (
        json.loads(run("accuracy", four, "--k", "2", "--max-extent-min", 360, "--json")[1])["2"]["deleted_samples"] == 2
    )


@pytest.fixture
def card(monkeypatch):
    """A GPU that takes crowds of 2 and has no room for more."""
    kgap = import_module("incrowd.measure.glove.kgap")
    free = itertools.count(1)

    def only_two(k, made):
        if k == 2:
            return made()
        raise device.NoRoom(f"the GPU has {next(free) / 10} GiB free, and these 4 need 3.0 GiB; pass device='cpu'.")

    def hidden(laid, k, leftover, *, uncapped, limits):
        return only_two(k, lambda: ic.anonymize.Glove(k=k, device="cpu")._hide(laid, None, 60.0))

    monkeypatch.setattr(device, "missing", lambda: "")
    monkeypatch.setattr(import_module("incrowd.measure.glove.stretch"), "WORTH_GPU", 2)
    monkeypatch.setattr(import_module("incrowd.anonymize.glove.gpu"), "hide_on_card", hidden)
    monkeypatch.setattr(
        kgap, "scan_on_card", lambda laid, take, order: only_two(take + 1, lambda: kgap._scan(laid, take, order))
    )


FELL_BACK = "incrowd: the GPU has 0.1 GiB free, and these 4 need 3.0 GiB; it runs on the CPU."


@pytest.mark.filterwarnings("always")
def test_gaps_of_several_k_run_in_one_place_and_say_once_why(card, four, incrowd):
    code, out, err = incrowd("measure", "kgap", four, "--k", "2-4")
    assert code == 0 and "4 samples, on the CPU; alike" in out
    assert err.splitlines() == [FELL_BACK]
    assert "4 samples, on the GPU; alike" in incrowd("measure", "kgap", four)[1]


@pytest.mark.filterwarnings("always")
def test_accuracy_says_what_ran_not_what_was_planned(card, four, incrowd):
    code, out, err = incrowd("measure", "accuracy", four, "--k", "2-3")
    assert code == 0 and out.endswith("4 samples, k = 2 on the GPU, k = 3 on the CPU)\n")
    assert err.count("on the CPU; the GPU does it, sooner\n") == 2 and err.splitlines()[-1] == FELL_BACK


def test_the_estimate_says_whose_time_it_is(card, four, incrowd):
    _, out, err = incrowd("anonymize", "glove", four, "--estimate")
    assert out.endswith(" MiB on the CPU; the GPU does it, sooner\n") and err == ""
    assert incrowd("anonymize", "glove", four, "--estimate", "--device", "cpu")[1].endswith(" MiB on the CPU\n")


@pytest.mark.filterwarnings("always")
def test_warnings_of_others_are_shown_as_ever(monkeypatch, capsys):
    seen = []
    monkeypatch.setattr(warnings, "showwarning", lambda message, *_: seen.append(str(message)))
    with warnings_noted():
        for text in ("3 left; we go on.", "4 left; we go on.", "none left."):
            warnings.warn(text, IncrowdWarning, stacklevel=1)
        warnings.warn("numbers overflow", RuntimeWarning, stacklevel=1)
    assert capsys.readouterr().err == "incrowd: 3 left; we go on.\nincrowd: none left.\n"
    assert seen == ["numbers overflow"]


def test_the_paper_on_a_file(country, tmp_path):
    code, out, err = run("gramaglia2015", "--data", country, "--quick", "-o", tmp_path / "figures")
    assert code == 0 and err == ""
    assert re.search(r"1\.6 +1\.636 +agrees", out) and "(the data, 40 users)" in out.splitlines()[-1]
    assert (tmp_path / "figures" / "figure-10-time.svg").exists() and (tmp_path / "figures" / "report.html").exists()
    with pytest.raises(ic.ParameterError, match="exists"):
        run("gramaglia2015", "--data", country, "--quick", "-o", tmp_path / "figures")
    with pytest.raises(ic.ParameterError, match="is a file"):
        run("gramaglia2015", "--quick", "-o", country, "--force")

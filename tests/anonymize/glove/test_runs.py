"""GLOVE over time: checkpoints, foreseen cost, progress, memory."""

import os
import re
import signal
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import incrowd as ic
from boxes import covered, noisy, prints, published
from incrowd.anonymize.glove import Glove, Saved, content_key, forget
from incrowd.anonymize.glove.estimate import glove_estimate, glove_estimates
from incrowd.anonymize.glove.herd import Herd, NearestLists
from incrowd.errors import DataError, IncrowdWarning, ParameterError
from incrowd.measure.glove.stretch import Extent, layout
from incrowd.progress import listening

estimate_module = sys.modules["incrowd.anonymize.glove.estimate"]
release_module = sys.modules["incrowd.anonymize.glove.release"]
E7 = "0,0,0 | 0,0,40 | 1000,0,20 | 0,0,400"


RUN = """
import os, runpy, signal
from incrowd.anonymize.glove import Saved, herd
from incrowd.anonymize.glove import Glove
noisy = runpy.run_path({test!r})["noisy"]
herd.BLOCK = 16
kept, written = Saved.keep, [0]

def keep(self, *args, **options):
    kept(self, *args, **options)
    written[0] += 1
    if written[0] == {after}:
        os.kill(os.getpid(), signal.SIGKILL)

Saved.keep = keep
Glove(k={k}, shard_users={shard})(noisy(), checkpoint={file!r}, checkpoint_s=0)
"""


@pytest.mark.parametrize(
    ("k", "after", "shard"), [(2, 2, None), (2, 7, None), (3, 3, None), (3, 60, None), (3, 50, 40)]
)
def test_a_killed_run_goes_on_to_the_same_result(tmp_path, monkeypatch, k, after, shard):
    file = tmp_path / "run.npz"
    code = RUN.format(test=noisy.__code__.co_filename, after=after, k=k, shard=shard, file=str(file))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", code], check=False, env=env)
    assert ended.returncode == -signal.SIGKILL
    left = list(tmp_path.iterdir())
    assert left and all(path.stat().st_mode & 0o077 == 0 for path in left)
    scanned = []
    scan = NearestLists.scan
    monkeypatch.setattr(NearestLists, "scan", lambda self, rows: (scanned.append(len(rows)), scan(self, rows)))
    resumed = Glove(k=k, shard_users=shard)(noisy(), checkpoint=file)
    again = sum(scanned)
    whole = Glove(k=k, shard_users=shard)(noisy())
    assert again < sum(scanned) - again
    assert resumed.provenance["merges"] == whole.provenance["merges"]
    assert published(resumed) == published(whole)
    assert covered(resumed, noisy()) == covered(whole, noisy())
    shards = whole.params["shards"]
    assert len(list(tmp_path.iterdir())) == shards  # kept until the release is on disk
    del scanned[:]
    assert published(Glove(k=k, shard_users=shard)(noisy(), checkpoint=file)) == published(whole)
    assert not scanned
    forget(file, shards=shards)
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_of_other_data_is_refused(tmp_path):
    file = tmp_path / "run.npz"
    herd = Herd(layout(noisy()), 2, uncapped=False, limits=None)
    Saved(file, "another run", 0).keep(herd, NearestLists(herd, below=False))
    with pytest.raises(DataError, match="other data"):
        Glove(k=2)(noisy(), checkpoint=file)
    file.write_bytes(b"not a checkpoint")
    with pytest.raises(DataError, match="not a checkpoint"):
        Glove(k=2)(noisy(), checkpoint=file)
    with pytest.raises(ParameterError, match="folder"):
        Glove(k=2)(noisy(), checkpoint=tmp_path / "absent" / "run.npz")


def an_archive(file, **arrays):
    with file.open("wb") as out:
        np.savez(out, **arrays)


@pytest.mark.parametrize(
    "write",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(b"PK\x03\x04" + b"x" * 50),
        lambda file: np.save(file, np.arange(3)),
        lambda file: an_archive(file, other=np.arange(3)),
        lambda file: file.mkdir(),
    ],
)
def test_what_is_no_checkpoint_is_refused(tmp_path, write):
    file = tmp_path / "run.npy"
    write(file)
    with pytest.raises(DataError, match="not a checkpoint"):
        Glove()(prints(E7), checkpoint=file)


def test_options_of_a_checkpoint_are_checked(tmp_path):
    for name in ("", "."):
        with pytest.raises(ParameterError, match="name of a file"):
            Glove()(prints(E7), checkpoint=name)
    with pytest.raises(DataError, match="checkpoint of Glove needs a path, got an int"):
        Glove()(prints(E7), checkpoint=5)
    for every_s in ("a", -1, float("nan")):
        with pytest.raises(ParameterError, match="checkpoint_s"):
            Glove()(prints(E7), checkpoint=tmp_path / "run", checkpoint_s=every_s)


def test_a_checkpoint_belongs_to_its_unit(tmp_path):
    x, t = np.random.default_rng(0).integers(0, 900, (2, 40))
    cells = ic.Fingerprints.from_arrays(np.arange(40), x * 100, 0 * x, t)
    metres = ic.Fingerprints.from_arrays(np.arange(40), x, 0 * x, t, dx=1, dy=1)
    one, two = layout(cells), layout(metres)
    np.testing.assert_array_equal(one.corners, two.corners)
    assert content_key(one, {}) != content_key(two, {})


def test_content_keys_tell_data_and_parameters_apart():
    one, two = layout(noisy()), layout(noisy(seed=1))
    keys = [content_key(laid, {"k": k}) for laid in (one, two) for k in (2, 3)]
    assert len(set(keys)) == 4 and keys[0] == content_key(layout(noisy()), {"k": 2})


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_the_pairs_a_run_looks_at_are_foreseen(k):
    for data in (noisy(users=400), ic.read.synthetic_city(users=300, days=4, profile="cdr").fingerprints()):
        looked = Glove(k=k)(data).provenance["work"]["pairs"]
        assert looked / 1.35 < glove_estimate(data, k=k, timed_users=4).pairs < looked * 1.35


def test_shards_cost_less_and_a_larger_crowd_more(monkeypatch):
    data = noisy(users=800)
    clock = iter(range(1000))
    monkeypatch.setattr(estimate_module.time, "process_time", lambda: float(next(clock)))  # one second a search
    monkeypatch.setenv("INCROWD_THREADS", "2")
    one, five = glove_estimate(data, k=2), glove_estimate(data, k=5)
    pair = 1 / (2 * 800)  # after a second, two rows are enough
    assert one.seconds == pytest.approx(pair * 1.3 * 800**2 / 2 + 3.8e-6 * data.records)
    assert five.seconds == pytest.approx(pair * 800**2 * (0.25 + 1.9 * 0.72 * 0.6) + 3.8e-6 * data.records)
    parts = glove_estimate(data, k=5, shard_users=100)
    assert (parts.shards, parts.pairs) == (8, pytest.approx(five.pairs / 8, rel=1e-3))
    assert parts.seconds == pytest.approx(8 * 100**2 / (2 * 100) * (0.25 + 1.9 * 0.72 * 0.6) + 3.8e-6 * data.records)
    assert str(parts).startswith("800 users in 8 shards, ")
    for bad in (0, 1.5, "many"):
        with pytest.raises(ParameterError, match="shard_users"):
            glove_estimate(data, shard_users=bad)


def test_the_search_is_timed_once_for_several_k_and_not_for_long(monkeypatch):
    data, clock = noisy(users=800), iter(range(10_000))
    monkeypatch.setattr(estimate_module.time, "process_time", lambda: next(clock) / 8)  # an eighth a search
    monkeypatch.setenv("INCROWD_THREADS", "2")
    costs = glove_estimates(data, k=[2, 5])
    assert next(clock) == 2 * 4  # half a second is enough
    pair = 0.5 / ((2 + 4 + 8 + 16) * 800)
    assert costs[0].seconds == pytest.approx(pair * 1.3 * 800**2 / 2 + 3.8e-6 * data.records)
    assert [one.k for one in costs] == [2, 5] and costs[1].pairs == glove_estimate(data, k=5).pairs


@pytest.mark.parametrize("k", [2, 3])
def test_progress_rises_to_its_end(k):
    heard = []
    with listening(lambda label, done, total: heard.append((done, total))):
        Glove(k=k)(noisy())
    done = [d for d, _ in heard]
    assert done == sorted(done) and heard[-1][0] == heard[-1][1] > 0


def test_memory_stays_within_what_was_said():
    data = noisy(users=800)
    cost = glove_estimate(data, k=2)
    Glove(k=2)(data)  # what is compiled or loaded on the way is not counted
    tracemalloc.start()
    Glove(k=2)(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.2 * cost.memory_mib < peak / 2**20 < cost.memory_mib
    assert cost.seconds > 0 and str(cost).startswith("800 users, 4,")


def test_shards_are_laid_out_one_after_the_other(monkeypatch):
    data, laid, table = noisy(), [], Extent.table
    whole = Glove(k=2, shard_users=16)(data, pseudonym_seed=0)

    def counted(self, prints, users=None):
        made = table(self, prints, users)
        laid.append(len(made.corners))
        return made

    monkeypatch.setattr(Extent, "table", counted)
    monkeypatch.setattr(release_module, "LAID_AT_ONCE", data.records // 7)
    again = Glove(k=2, shard_users=16)(data, pseudonym_seed=0)
    assert again.merges == whole.merges and published(again) == published(whole)
    assert whole.params["shards"] > 3 and max(laid) < data.records / 3 and sum(laid) == 2 * data.records


def test_the_old_name_works_with_a_notice():
    with pytest.warns(IncrowdWarning, match="glove_cost is now glove_estimate; the old name works until 0.3"):
        assert ic.anonymize.glove_cost is glove_estimate
    with pytest.raises(AttributeError, match="glove_price"):
        _ = ic.anonymize.glove_price


def test_an_estimate_is_one_line_and_a_table():
    estimate = glove_estimate(prints("0,0,0 | 0,0,40"))
    assert re.fullmatch(r"2 users, 2 samples, k = 2: .* MiB.* on the CPU", str(estimate))
    assert estimate.to_arrow().column("pairs").to_pylist() == [estimate.pairs] and estimate.to_dict()["memory_mib"] == 0

"""What must be equal on the reference, the CPU and the GPU; plain functions, so that they run without pytest too.

The data they are given are in `cases.py`.
"""

import functools
import itertools
import tempfile
import warnings
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from unittest import mock

import numpy as np

import incrowd as ic
from incrowd.anonymize.glove import Glove, Saved
from incrowd.errors import ParameterError
from incrowd.kernels.cpu.glove import merge as cpu_merging
from incrowd.kernels.cpu.glove import nearest as cpu_neighbours
from incrowd.kernels.cpu.glove import prints as cpu_prints
from incrowd.kernels.cpu.glove import stretch as cpu_stretching
from incrowd.kernels.gpu.glove import greedy, merge, prints, stretch
from incrowd.kernels.gpu.glove import nearest as neighbours
from incrowd.kernels.reference.glove import merge as reference_merging
from incrowd.kernels.reference.glove import stretch as reference
from incrowd.measure.glove import kgap, tails
from incrowd.measure.glove.stretch import layout

NEAR = np.array([0, 1, 2, 5, 40, 199, 200, 205, 10_000])
MINUTES = np.array([0, 1, 2, 12, 30, 100, 479, 480, 481, 2000, 20_000])


def crowd(users, longest, seed=0, *, unit=100, boxes=False, people=1, spread=None, shortest=1):
    """Users on few coordinates, near and far, so that ties, equal users and capped distances are common.

    With `spread` they are anywhere in so many units, which ties less and has more places.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.integers(shortest, longest + 1, users)
    who = np.repeat(np.arange(users), sizes)
    total = len(who)
    x, y = (rng.choice(NEAR, total) if spread is None else rng.integers(0, spread, total) for _ in range(2))
    t = rng.choice(MINUTES, total) if spread is None else rng.integers(0, 20_000, total)
    dx, dy = (rng.choice([1, 3, 50], total) if boxes else np.ones(total, np.int64) for _ in range(2))
    dt = rng.choice([1, 2, 60, 700], total) if boxes else 1
    hidden = rng.integers(1, people + 1, users) if people > 1 else 1
    return ic.Fingerprints.from_arrays(who, x * unit, y * unit, t, dx=dx * unit, dy=dy * unit, dt=dt, crowd=hidden)


@functools.cache
def calls(users, days=2):
    """People who live in cities, the data GLOVE is made for."""
    return ic.read.synthetic_city(users=users, towers=120, days=days, profile="cdr").fingerprints()


def users_of(data):
    laid = layout(data)
    return [laid.corners[a:b].astype(np.int64) for a, b in zip(laid.offsets[:-1], laid.offsets[1:], strict=True)], laid


def same(got, expected):
    for one, two in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, two)


def pairs_of_samples(longest, unit, boxes, n, uncapped, *, plain, spread=None, users=6):
    """stretch, sample_parts and merge of pairs; `plain` compares with the reference too, which is slow."""
    data = crowd(users, longest, longest + unit, unit=unit, boxes=boxes, spread=spread, shortest=max(1, longest - 40))
    found, laid = users_of(data)
    scale = np.array(laid.scale)
    for a, b in [*itertools.pairwise(found), (found[0], found[0])]:
        others = [(cpu_stretching, cpu_merging, scale)] + [(reference, reference_merging, laid.scale)] * plain
        for stretched, merged, numbers in others:
            assert stretch.stretch(a, b, *n, laid.scale) == stretched.stretch(a, b, *n, numbers)
            same(stretch.sample_parts(a, b, *n, laid.scale), stretched.sample_parts(a, b, *n, numbers))
            same(merge.merge(a, b, *n, laid.scale, uncapped), merged.merge(a, b, *n, numbers, uncapped))


def nearest(data, take, below, *, plain=False):
    """The nearest of all, and the stretch of some pairs."""
    found, laid = users_of(data)
    given = (laid.corners, laid.offsets, laid.people, laid.scale)
    card, cpu = prints.prints_of(*given), cpu_prints.prints_of(*given)
    everybody = np.arange(len(found))
    got = neighbours.nearest(card, everybody, everybody, take, below)[:3]
    same(got, cpu_neighbours.nearest(cpu, everybody, everybody, take, below)[:3])
    pairs = np.random.default_rng(1).integers(0, len(found), (100, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    if len(pairs):
        same(neighbours.stretches(card, pairs), cpu_neighbours.stretches(cpu, pairs))
    for a in everybody if plain else ():
        all_of_them = []
        for b in range(a) if below else everybody[everybody != a]:
            n = int(laid.people[a] + laid.people[b])
            total, _ = reference.stretch(found[a], found[b], int(laid.people[a]), int(laid.people[b]), laid.scale)
            all_of_them.append((Fraction(total, n * max(len(found[a]), len(found[b]))), b))
        expected = sorted(all_of_them)[:take]
        assert [b for b in got[0][a].tolist() if b >= 0] == [b for _, b in expected]
        assert [Fraction(*map(int, v)) for v in zip(got[1][a], got[2][a], strict=True)][: len(expected)] == [
            v for v, _ in expected
        ]


def gaps(data, k):
    """k-gap and tails."""
    card, cpu = kgap(data, k=k, device="gpu"), kgap(data, k=k, device="cpu")
    assert (card.device, cpu.device) == ("gpu", "cpu")
    same((card.value, card.neighbours), (cpu.value, cpu.neighbours))
    one, two = tails(data, k=k, device="gpu", gap=card), tails(data, k=k, device="cpu", gap=cpu)
    assert (one.device, two.device) == ("gpu", "cpu")
    for name in ("delta", "space", "time", "ratio", "share"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def alike(card, cpu):
    """Merge for merge, box for box, sample for sample."""
    assert card.provenance["merges"] == cpu.provenance["merges"]
    for name in ("row", "box", "discarded_users", "suppressed_samples"):
        np.testing.assert_array_equal(card.provenance[name], cpu.provenance[name])
    for name in ("offsets", "x", "dx", "y", "dy", "t", "dt", "crowd"):
        np.testing.assert_array_equal(getattr(card.data, name), getattr(cpu.data, name))
    assert [m.tolist() for m in card.members] == [m.tolist() for m in cpu.members]


def glove(data, k, *, plain=False, **options):
    """The same release; `plain` compares with the reference too, which is slow."""
    card = Glove(k=k, device="gpu", **options)(data, pseudonym_seed=0)
    cpu = Glove(k=k, device="cpu", **options)(data, pseudonym_seed=0)
    assert (card.params["device"], cpu.params["device"]) == ("gpu", "cpu")
    alike(card, cpu)
    if plain:
        found, laid = users_of(data)
        named = {"leftover": options.get("leftover", "merge"), "uncapped": options.get("ties") == "uncapped"}
        made = reference_merging.greedy(found, laid.people.tolist(), k, laid.scale, **named)
        assert card.provenance["merges"] == made.merges
        assert card.provenance["discarded_users"].tolist() == made.discarded


class Stopped(Exception):
    """A run was killed."""


def resumed(data, k, begun, ended, **options):
    """A run that is stopped after any of its writes goes on to the same result, on the same device or another."""
    cpu = Glove(k=k, device="cpu", **options)(data, pseudonym_seed=0)
    keep, writes = Saved.keep, itertools.count(1)
    with (
        mock.patch.object(greedy, "STEPS", 1),
        mock.patch.object(greedy, "BLOCK", 9),
        mock.patch("incrowd.anonymize.glove.herd.BLOCK", 9),
    ):
        for last in writes:
            left = itertools.count(1)

            def kept(self, *args, left=left, last=last, **now):
                keep(self, *args, **now)
                if next(left) == last:
                    raise Stopped

            with tempfile.TemporaryDirectory() as folder:
                kept_in = {"checkpoint": Path(folder, "run.npz"), "checkpoint_s": 0, "pseudonym_seed": 0}
                with mock.patch.object(Saved, "keep", kept):
                    try:
                        alike(Glove(k=k, device=begun, **options)(data, **kept_in), cpu)
                    except Stopped:
                        pass
                    else:
                        break
                again = Glove(k=k, device=ended, **options)(data, **kept_in)
                assert again.params["device"] == ended
                alike(again, cpu)
    assert last > 4, "the run wrote too rarely to be stopped"


def in_small_pieces():
    """Memory for few samples at a time changes nothing."""
    data = crowd(60, 9, people=3)
    with mock.patch.object(prints, "CHUNK", 20):
        for k in (2, 4):
            glove(data, k)
        gaps(data, 3)


def too_small():
    """A card without room is refused in one sentence that names the way out; `auto` takes the CPU."""
    data = crowd(33, 5)
    with mock.patch("incrowd.kernels.gpu.device.free_bytes", lambda: 1000):
        no_room(data)


def out_of_memory():
    """The same where it is seen only while it runs."""
    import cupy

    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=1 << 19)
    try:
        with mock.patch.object(prints, "check_room", lambda *_: None):
            no_room(calls(700))
    finally:
        pool.set_limit(size=0)


def no_room(data):
    for run, names_shards in ((Glove(k=2, device="gpu"), True), (functools.partial(kgap, device="gpu"), False)):
        try:
            run(data)
        except ParameterError as error:
            assert ("shard_users" in str(error)) == names_shards, error
            assert "GiB" in str(error) and str(error).endswith("device='cpu'.")
        else:
            raise AssertionError("the card took what it has no room for")
    with (
        mock.patch.object(import_module("incrowd.measure.glove.stretch"), "WORTH_GPU", 1),
        warnings.catch_warnings(record=True) as said,
    ):
        warnings.simplefilter("always")
        assert Glove(k=2)(data).params["device"] == kgap(data).device == tails(data).device == "cpu"
    assert sum("runs on the CPU" in str(one.message) for one in said) == 4


def room():
    """A run takes no more of the card than was said before it began."""
    import cupy

    pool = cupy.get_default_memory_pool()
    data = calls(4000)
    spans = tuple(layout(data).corners[:, 1::2].max(axis=0).tolist())
    for k in (2, 5):
        pool.free_all_blocks()
        _, needed = prints._plan(len(data), data.records, 2 * data.records, spans[0])
        Glove(k=k, device="gpu")(data)
        assert pool.total_bytes() <= needed + (16 << 20)  # and what the smallest allocations are rounded up to

"""What must be equal on the reference, the CPU and the GPU; plain functions, so that they run without pytest too."""

import functools
import itertools
import warnings
from fractions import Fraction
from importlib import import_module
from unittest import mock

import numpy as np

import incrowd as ic
from incrowd.anonymize.glove import Glove
from incrowd.errors import ParameterError
from incrowd.kernels.cpu.glove import merge as cpu_merging
from incrowd.kernels.cpu.glove import nearest as cpu_neighbours
from incrowd.kernels.cpu.glove import prints as cpu_prints
from incrowd.kernels.cpu.glove import stretch as cpu_stretching
from incrowd.kernels.gpu.glove import merge, prints, stretch
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


def glove(data, k, *, plain=False, **options):
    """Merge for merge, box for box, sample for sample."""
    card = Glove(k=k, device="gpu", **options)(data, pseudonym_seed=0)
    cpu = Glove(k=k, device="cpu", **options)(data, pseudonym_seed=0)
    assert (card.params["device"], cpu.params["device"]) == ("gpu", "cpu")
    assert card.provenance["merges"] == cpu.provenance["merges"]
    for name in ("row", "box", "discarded_users", "suppressed_samples"):
        np.testing.assert_array_equal(card.provenance[name], cpu.provenance[name])
    for name in ("offsets", "x", "dx", "y", "dy", "t", "dt", "crowd"):
        np.testing.assert_array_equal(getattr(card.data, name), getattr(cpu.data, name))
    assert [m.tolist() for m in card.members] == [m.tolist() for m in cpu.members]
    if plain:
        found, laid = users_of(data)
        named = {"leftover": options.get("leftover", "merge"), "uncapped": options.get("ties") == "uncapped"}
        made = reference_merging.greedy(found, laid.people.tolist(), k, laid.scale, **named)
        assert card.provenance["merges"] == made.merges
        assert card.provenance["discarded_users"].tolist() == made.discarded


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


class Case(functools.partial):
    """A call to make; the small ones are quick enough for a checker of memory."""

    small = False


def _pairs():
    kinds = itertools.product((100, 1, 37), (False, True), ((1, 1), (3, 1), (2, 5)), (False, True))
    for unit, boxes, n, uncapped in kinds:
        name = f"pairs-{unit}{'-boxes' * boxes}-{n[0]}:{n[1]}{'-uncapped' * uncapped}"
        small = n == (3, 1) and boxes and uncapped
        yield name, small, Case(pairs_of_samples, 12, unit, boxes, n, uncapped, plain=True)
    for longest in (1, 2, 31, 33, 257, 3000):
        options = {"plain": False, "spread": 4000, "users": 4}
        yield (
            f"pairs-long-{longest}",
            longest == 33,
            Case(pairs_of_samples, longest, 100, True, (1, 2), False, **options),
        )


def _nearest():
    for users, below in itertools.product((1, 2, 31, 33, 257, 4097), (False, True)):
        few = users <= 33
        ties, metres = crowd(users, 6, users, people=3, boxes=True), crowd(users, 4, unit=1, spread=90_000)
        yield f"nearest-ties-{users}-{below}", few, Case(nearest, ties, 4, below, plain=few)
        yield f"nearest-metres-{users}-{below}", False, Case(nearest, metres, 4, below, plain=few)
    for take in (1, 2, 9, 40, 128):
        yield f"nearest-take-{take}", take in (1, 9), Case(nearest, crowd(257, 5, take), take, False)
    for longest in (1, 33, 257, 3000):
        yield f"nearest-long-{longest}", False, Case(nearest, crowd(40, longest, spread=3000, boxes=True), 3, False)
    # More places than a warp keeps in its table.
    yield "nearest-places", True, Case(nearest, crowd(6, 260, spread=3000, boxes=True, shortest=240), 2, False)
    yield "nearest-far", True, Case(nearest, crowd(60, 8, spread=8_000_000, people=1000), 4, False)
    yield "nearest-calls", False, Case(nearest, calls(1000), 4, False)
    yield "nearest-calls-below", False, Case(nearest, calls(1000), 4, True)
    for k in (2, 3, 5, 10):
        yield f"gaps-{k}", False, Case(gaps, crowd(257, 9, k, people=4, boxes=True), k)
        yield f"gaps-calls-{k}", k == 3, Case(gaps, calls(300), k)


def _glove():
    options = itertools.product((1, 2, 31, 33), (2, 3, 5, 10), ("first", "uncapped"), ("merge", "suppress"))
    for users, k, ties, leftover in options:
        data = crowd(users, 5, users + k, boxes=ties == "uncapped", unit=(100, 1)[leftover == "merge"])
        small = users == 31 and ties == "uncapped"
        yield (
            f"glove-{users}-{k}-{ties}-{leftover}",
            small,
            Case(glove, data, k, ties=ties, leftover=leftover, plain=True),
        )
    for users, k in itertools.product((257, 4097), (2, 3, 5, 10)):
        yield f"glove-{users}-{k}", (users, k) == (257, 3), Case(glove, crowd(users, 5, k), k)
        yield f"glove-weights-{users}-{k}", False, Case(glove, crowd(users, 4, k, people=k + 1, boxes=True), k)
    limits = {"max_extent_m": 15_000, "max_extent_min": 360}
    for k in (2, 3, 5, 10):
        yield f"glove-calls-{k}", False, Case(glove, calls(700), k, **limits, reshape="union")
        yield f"glove-each-{k}", k == 3, Case(glove, calls(300), k, **limits, suppress="each")
        yield f"glove-each-ties-{k}", False, Case(glove, crowd(200, 3, k), k, **limits, suppress="each")
        yield f"glove-shards-{k}", False, Case(glove, calls(300), k, shard_users=90)
        yield f"glove-alike-{k}", False, Case(glove, crowd(100, 1, k, spread=2), k)
        yield f"glove-far-{k}", k in (2, 5), Case(glove, crowd(90, 6, k, spread=8_000_000, people=3), k)
        yield f"glove-long-{k}", False, Case(glove, crowd(24, 1500, k, spread=3000), k)
    yield "glove-split", False, Case(glove, calls(300), 3, reshape="split")
    yield "small-pieces", False, Case(in_small_pieces)
    yield "room", False, Case(room)
    yield "too-small", True, Case(too_small)
    yield "out-of-memory", False, Case(out_of_memory)


CASES = {}
for _name, _small, _case in itertools.chain(_pairs(), _nearest(), _glove()):
    _case.small = _small
    CASES[_name] = _case

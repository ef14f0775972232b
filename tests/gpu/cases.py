"""The cases of the parity suite: what is compared on which data."""

import functools
import itertools

from gpu.parity import (
    calls,
    crowd,
    gaps,
    glove,
    in_small_pieces,
    nearest,
    out_of_memory,
    pairs_of_samples,
    resumed,
    room,
    too_small,
)

LIMITS = {"max_extent_m": 15_000, "max_extent_min": 360}


class Case(functools.partial):
    """A call to make; the small ones, more than half of all, are quick enough for a checker of memory."""

    small = False


def _pairs():
    kinds = itertools.product((100, 1, 37), (False, True), ((1, 1), (3, 1), (2, 5)), (False, True))
    for unit, boxes, n, uncapped in kinds:
        name = f"pairs-{unit}{'-boxes' * boxes}-{n[0]}:{n[1]}{'-uncapped' * uncapped}"
        yield name, True, Case(pairs_of_samples, 12, unit, boxes, n, uncapped, plain=True)
    for longest in (1, 2, 31, 33, 257, 3000):
        options = {"plain": False, "spread": 4000, "users": 4}
        case = Case(pairs_of_samples, longest, 100, True, (1, 2), False, **options)
        yield f"pairs-long-{longest}", longest < 3000, case


def _nearest():
    for users, below in itertools.product((1, 2, 31, 33, 257, 4097), (False, True)):
        few = users <= 33
        ties, metres = crowd(users, 6, users, people=3, boxes=True), crowd(users, 4, unit=1, spread=90_000)
        yield f"nearest-ties-{users}-{below}", few, Case(nearest, ties, 4, below, plain=few)
        yield f"nearest-metres-{users}-{below}", few, Case(nearest, metres, 4, below, plain=few)
    for take in (1, 2, 9, 40, 128):
        yield f"nearest-take-{take}", take in (1, 9), Case(nearest, crowd(257, 5, take), take, False)
    for longest in (1, 33, 257, 3000):
        case = Case(nearest, crowd(40, longest, spread=3000, boxes=True), 3, False)
        yield f"nearest-long-{longest}", longest <= 33, case
    # More places than a warp keeps in its table.
    yield "nearest-places", True, Case(nearest, crowd(6, 260, spread=3000, boxes=True, shortest=240), 2, False)
    yield "nearest-far", True, Case(nearest, crowd(60, 8, spread=8_000_000, people=1000), 4, False)
    yield "nearest-calls", False, Case(nearest, calls(1000), 4, False)
    yield "nearest-calls-below", False, Case(nearest, calls(1000), 4, True)


def _gaps():
    for k in (2, 3, 5, 10):
        yield f"gaps-{k}", k == 3, Case(gaps, crowd(257, 9, k, people=4, boxes=True), k)
        yield f"gaps-calls-{k}", k == 3, Case(gaps, calls(300), k)
    for k in (2, 5):
        yield f"gaps-many-{k}", False, Case(gaps, calls(5000), k)
        yield f"gaps-long-{k}", False, Case(gaps, crowd(30, 3000, k, spread=3000, boxes=True, shortest=2000), k)


def _small_gloves():
    options = itertools.product((1, 2, 31, 33), (2, 3, 5, 10), ("first", "uncapped"), ("merge", "suppress"))
    for users, k, ties, leftover in options:
        data = crowd(users, 5, users + k, boxes=ties == "uncapped", unit=(100, 1)[leftover == "merge"])
        case = Case(glove, data, k, ties=ties, leftover=leftover, plain=True)
        yield f"glove-{users}-{k}-{ties}-{leftover}", True, case


def _gloves():
    for users, k in itertools.product((257, 4097), (2, 3, 5, 10)):
        yield f"glove-{users}-{k}", (users, k) == (257, 3), Case(glove, crowd(users, 5, k), k)
        yield f"glove-weights-{users}-{k}", False, Case(glove, crowd(users, 4, k, people=k + 1, boxes=True), k)
    for k in (2, 3, 5, 10):
        yield f"glove-calls-{k}", False, Case(glove, calls(700), k, **LIMITS, reshape="union")
        yield f"glove-uncapped-{k}", False, Case(glove, calls(300), k, ties="uncapped")
        yield f"glove-each-{k}", k == 3, Case(glove, calls(300), k, **LIMITS, suppress="each")
        yield f"glove-each-ties-{k}", True, Case(glove, crowd(200, 3, k), k, **LIMITS, suppress="each")
        yield f"glove-shards-{k}", False, Case(glove, calls(300), k, shard_users=90)
        yield f"glove-alike-{k}", True, Case(glove, crowd(100, 1, k, spread=2), k)
        yield f"glove-far-{k}", k in (2, 5), Case(glove, crowd(90, 6, k, spread=8_000_000, people=3), k)
        for longest, users in ((1500, 24), (3000, 12)):
            data = crowd(users, longest, k, spread=3000, shortest=longest // 2)
            yield f"glove-long-{longest}-{k}", False, Case(glove, data, k)
    for name, most in LIMITS.items():
        yield f"glove-each-{name}", False, Case(glove, crowd(150, 4), 3, suppress="each", **{name: most})
    yield "glove-split", False, Case(glove, calls(300), 3, reshape="split")


def _resumed():
    for k, begun, ended in itertools.product((2, 4), ("cpu", "gpu"), ("cpu", "gpu")):
        if "gpu" in (begun, ended):
            small = k == 4 and begun == ended
            yield f"resumed-{k}-{begun}-{ended}", small, Case(resumed, crowd(29, 4, k, people=2), k, begun, ended)
    for k in (2, 3):
        each = {"suppress": "each", **LIMITS}
        yield f"resumed-each-{k}", False, Case(resumed, crowd(31, 3, k), k, "gpu", "gpu", **each)
        yield f"resumed-shards-{k}", False, Case(resumed, crowd(33, 5, k), k, "gpu", "gpu", shard_users=12)


def _memory():
    yield "small-pieces", False, Case(in_small_pieces)
    yield "room", False, Case(room)
    yield "too-small", True, Case(too_small)
    yield "out-of-memory", False, Case(out_of_memory)


CASES = {}
for _name, _small, _case in itertools.chain(
    _pairs(), _nearest(), _gaps(), _small_gloves(), _gloves(), _resumed(), _memory()
):
    _case.small = _small
    CASES[_name] = _case

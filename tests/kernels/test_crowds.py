import numpy as np
import pytest

from incrowd.kernels.cpu import crowds as cpu
from incrowd.kernels.cpu import uniqueness
from incrowd.kernels.reference import crowds as reference

POINTS, QUESTIONS = 40, 500
NO_BITS = np.zeros((0, 0), np.uint64)


def made(users, longest, seed):
    """Lists of users at rare and common points, the last of nobody; offsets and ids of the users."""
    rng = np.random.default_rng(seed)
    has = rng.random((users, POINTS)) < rng.random(POINTS) ** 2
    offsets, ids = np.append(0, np.cumsum(has.sum(1))).astype(np.int64), np.nonzero(has)[1].astype(np.int32)
    starts, postings = uniqueness.inverted(ids, offsets, POINTS + 1)
    many = np.flatnonzero(np.diff(starts) > longest)
    bit_row = np.full(POINTS + 1, -1, np.int32)
    bit_row[many] = np.arange(len(many))
    words = uniqueness.bitsets(starts, postings, many, users)
    return (starts, postings, longest, bit_row, words), offsets, ids


def asked(offsets, ids, points, *, own):
    """Questions about points of one user, or about any, some of them twice; and who the user is, or -1."""
    rng = np.random.default_rng(points)
    if not own:
        known = rng.integers(0, POINTS + 1, (QUESTIONS, points))
        known[::7, -1] = known[::7, 0]
        return known.astype(np.int32), np.full(QUESTIONS, -1, np.int32)
    there = np.flatnonzero(np.diff(offsets))
    mine = there[rng.integers(0, len(there), QUESTIONS)].astype(np.int32)
    return ids[rng.integers(offsets[mine][:, None], offsets[mine + 1][:, None], (QUESTIONS, points))], mine


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("points", [2, 3, 5])
@pytest.mark.parametrize("longest", [0, 30, 150, 1000])  # all lists as bitsets, most, some, none
@pytest.mark.parametrize("users", [1, 2, 64, 257])
def test_questions_in_turn_equal_reference_and_the_search(users, longest, points, own):
    lists, offsets, ids = made(users, longest, users)
    known, mine = asked(offsets, ids, points, own=own)
    place, turned = cpu.in_turn(lists[0], known)
    for got, expected in zip((place, turned), reference.in_turn(lists[0], known), strict=True):
        np.testing.assert_array_equal(got, expected)
    counts = cpu.count_in_turn(*lists, turned, mine[place], users)
    np.testing.assert_array_equal(counts, reference.count_in_turn(*lists, turned, mine[place], users))
    np.testing.assert_array_equal(counts, uniqueness.count_matches(*lists, known, mine)[place])


def test_turns_follow_the_second_shortest_list_beyond_one_digit():
    rng = np.random.default_rng(0)
    starts = np.append(0, np.cumsum(rng.integers(0, 4, 3 << cpu.DIGIT))).astype(np.int64)
    known = rng.integers(0, 3 << cpu.DIGIT, (QUESTIONS, 3))
    before = known.copy()
    place, lists = cpu.in_turn(starts, known)
    np.testing.assert_array_equal(known, before)
    assert (np.diff(lists[:, 1]) >= 0).all()
    assert (np.diff(np.diff(starts)[lists], axis=1) >= 0).all()
    assert sorted(place.tolist()) == list(range(QUESTIONS))
    np.testing.assert_array_equal(np.sort(known[place]), np.sort(lists))


def test_questions_where_nobody_made_a_visit():
    lists = np.zeros(POINTS + 2, np.int64), np.zeros(0, np.int32), 1, np.full(POINTS + 1, -1, np.int32), NO_BITS
    known = np.random.default_rng(0).integers(0, POINTS + 1, (QUESTIONS, 3)).astype(np.int32)
    turned = cpu.in_turn(lists[0], known)[1]
    assert not cpu.count_in_turn(*lists, turned, np.full(QUESTIONS, -1, np.int32), 0).any()

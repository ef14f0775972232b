"""Candidates ranked by shared weight, compiled: lists are added up, only those who are on one are looked at."""

import numpy as np
from numba import njit

from incrowd.arrays import Ints
from incrowd.kernels.types import Ids


@njit(cache=True, nogil=True)
def rank_candidates(
    known_offsets: Ints,
    known_ids: Ids,
    starts: Ints,
    postings: Ids,
    weights: Ints,
    users: int,
    truth_offsets: Ints,
    truths: Ints,
    top: int,
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """The best candidates of each known trace with their scores, and where its best true counterpart stands."""
    known = len(known_offsets) - 1
    best, scores = np.full((known, top), -1, np.int64), np.zeros((known, top), np.int64)
    above, tied, true_tied = np.zeros(known, np.int64), np.zeros(known, np.int64), np.zeros(known, np.int64)
    score = np.zeros(users, np.int64)
    met = np.empty(users, np.int64)
    for i in range(known):
        count = _add_up(known_ids[known_offsets[i] : known_offsets[i + 1]], starts, postings, weights, score, met)
        for m in range(count):
            _insert(best[i], scores[i], met[m], score[met[m]])
        true = truths[truth_offsets[i] : truth_offsets[i + 1]]
        if len(true):
            above[i], tied[i], true_tied[i] = _place(true, score, met[:count])
        for m in range(count):
            score[met[m]] = 0
    return best, scores, above, tied, true_tied


@njit(cache=True)
def _add_up(ids: Ids, starts: Ints, postings: Ids, weights: Ints, score: Ints, met: Ints) -> int:
    """Add the weights of the lists to whoever is on them; how many they are."""
    count = 0
    for k in ids:
        weight = weights[k]
        if weight == 0:
            continue
        for p in range(starts[k], starts[k + 1]):
            user = postings[p]
            if score[user] == 0:
                met[count] = user
                count += 1
            score[user] += weight
    return count


@njit(cache=True)
def _insert(best: Ints, scores: Ints, user: int, score: int) -> None:
    """Give a candidate its place among the best, if it has one."""
    at = len(best)
    while at > 0 and (scores[at - 1] < score or (scores[at - 1] == score and best[at - 1] > user)):
        at -= 1
    if at == len(best):
        return
    for j in range(len(best) - 1, at, -1):
        best[j], scores[j] = best[j - 1], scores[j - 1]
    best[at], scores[at] = user, score


@njit(cache=True)
def _place(true: Ints, score: Ints, met: Ints) -> tuple[int, int, int]:
    """How many score above the best of the true ones, how many the same, and how many of these are true."""
    most, true_tied = 0, 0
    for user in true:
        most = max(most, score[user])
    for user in true:
        true_tied += score[user] == most
    above, level = 0, 0
    for user in met:
        above += score[user] > most
        level += score[user] == most
    # Whoever was never met scores nothing.
    return above, level + (len(score) - len(met) if most == 0 else 0), true_tied

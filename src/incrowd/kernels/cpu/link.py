"""Pairs scored by the lists they share, compiled: lists are added up, only those who are on one are looked at."""

import numpy as np
from numba import njit

from incrowd.arrays import Floats, Ints
from incrowd.kernels.reference.link import LEAST, PairLists


@njit(cache=True, nogil=True)
def score_rows(lists: PairLists) -> Ints:
    """The score of every known trace with every candidate."""
    known, users = len(lists.offsets) - 1, len(lists.kinds)
    scores, met = np.zeros((known, users), np.int64), np.empty(users, np.int64)
    for i in range(known):
        _add_up(lists, i, scores[i], met)
        for j in range(users):
            scores[i, j] += lists.apart[lists.kind[i], lists.kinds[j]]
    return scores


@njit(cache=True, nogil=True)
def rank_candidates(
    lists: PairLists, truth_offsets: Ints, truths: Ints, top: int, everybody: bool
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """The best candidates of each known trace with their scores, the place of its best true one, and who met."""
    known, users = len(lists.offsets) - 1, len(lists.kinds)
    best, values = np.full((known, top), -1, np.int64), np.full((known, top), LEAST if everybody else 0, np.int64)
    place, met_all = np.zeros((3, known), np.int64), np.zeros(known, np.int64)
    score, met = np.zeros(users, np.int64), np.empty(users, np.int64)
    of_kind = np.zeros(len(lists.kind_starts) - 1, np.int64)
    for i in range(known):
        apart = lists.apart[lists.kind[i]]
        count = _add_up(lists, i, score, met)
        for m in range(count):
            kind = lists.kinds[met[m]]
            of_kind[kind] += 1
            _insert(best[i], values[i], met[m], score[met[m]] + apart[kind])
        if everybody:
            _insert_apart(lists, apart, of_kind, score, best[i], values[i])
        true = truths[truth_offsets[i] : truth_offsets[i + 1]]
        if len(true):
            place[0, i], place[1, i], place[2, i] = _place(lists, apart, true, score, met[:count], of_kind)
        met_all[i] = count
        for m in range(count):
            score[met[m]] = 0
        of_kind[:] = 0
    return best, values, place[0], place[1], place[2], met_all


@njit(cache=True, nogil=True)
def log_sums(lists: PairLists, scale: float) -> Floats:
    """Ln of the sum of exp(scale * score) over all candidates, for each known trace."""
    known, users = len(lists.offsets) - 1, len(lists.kinds)
    sums, score, met = np.empty(known), np.zeros(users, np.int64), np.empty(users, np.int64)
    left = np.empty(len(lists.kind_starts) - 1, np.int64)
    for i in range(known):
        apart = lists.apart[lists.kind[i]]
        count = _add_up(lists, i, score, met)
        left[:] = lists.kind_starts[1:] - lists.kind_starts[:-1]
        most = LEAST
        for m in range(count):
            kind = lists.kinds[met[m]]
            left[kind] -= 1
            most = max(most, score[met[m]] + apart[kind])
        for kind in range(len(left)):
            most = max(most, apart[kind] if left[kind] else LEAST)
        total = 0.0
        for m in range(count):
            total += np.exp(scale * (score[met[m]] + apart[lists.kinds[met[m]]] - most))
            score[met[m]] = 0
        for kind in range(len(left)):
            if left[kind]:
                total += left[kind] * np.exp(scale * (apart[kind] - most))
        sums[i] = scale * most + np.log(total)
    return sums


@njit(cache=True, nogil=True)
def best_offers(lists: PairLists, prices: Ints) -> Ints:
    """The most that a candidate is worth to each known trace after its price."""
    known, users = len(lists.offsets) - 1, len(lists.kinds)
    offers, score, met = np.empty(known, np.int64), np.zeros(users, np.int64), np.empty(users, np.int64)
    cheapest = np.empty(len(lists.kind_starts) - 1, np.int64)
    for kind in range(len(cheapest)):
        cheapest[kind] = prices[lists.by_kind[lists.kind_starts[kind] : lists.kind_starts[kind + 1]]].min()
    for i in range(known):
        apart = lists.apart[lists.kind[i]]
        count = _add_up(lists, i, score, met)
        # Who shares something is worth more than this, so that nobody need be left out here.
        most = (apart - cheapest).max()
        for m in range(count):
            j = met[m]
            most = max(most, score[j] + apart[lists.kinds[j]] - prices[j])
            score[j] = 0
        offers[i] = most
    return offers


@njit(cache=True, nogil=True)
def _add_up(lists: PairLists, i: int, score: Ints, met: Ints) -> int:
    """Add the weights of the lists to whoever is on them; how many they are."""
    count = 0
    for r in range(lists.offsets[i], lists.offsets[i + 1]):
        for n in range(lists.size[r]):
            weight = lists.weights[lists.place[r] + n]
            if weight == 0:
                continue
            k = lists.first[r] + n
            for p in range(lists.starts[k], lists.starts[k + 1]):
                user = lists.postings[p]
                if score[user] == 0:
                    met[count] = user
                    count += 1
                score[user] += weight
    return count


@njit(cache=True, nogil=True)
def _insert(best: Ints, values: Ints, user: int, value: int) -> bool:
    """Give a candidate its place among the best, if it has one."""
    at = len(best)
    while at > 0 and (values[at - 1] < value or (values[at - 1] == value and best[at - 1] > user)):
        at -= 1
    if at == len(best):
        return False
    for j in range(len(best) - 1, at, -1):
        best[j], values[j] = best[j - 1], values[j - 1]
    best[at], values[at] = user, value
    return True


@njit(cache=True, nogil=True)
def _insert_apart(lists: PairLists, apart: Ints, of_kind: Ints, score: Ints, best: Ints, values: Ints) -> None:
    """Give those who share nothing their places: kinds by falling score, within a kind by position."""
    for kind in range(len(of_kind)):
        if apart[kind] < values[-1]:
            return
        begin, end = lists.kind_starts[kind], lists.kind_starts[kind + 1]
        left = end - begin - of_kind[kind]
        for at in range(begin, end):
            if left == 0:
                break
            user = lists.by_kind[at]
            if score[user] == 0:
                left -= 1
                if not _insert(best, values, user, apart[kind]):
                    break


@njit(cache=True, nogil=True)
def _place(lists: PairLists, apart: Ints, true: Ints, score: Ints, met: Ints, of_kind: Ints) -> tuple[int, int, int]:
    """How many score above the best of the true ones, how many the same, and how many of these are true."""
    most, true_tied, above, level = LEAST, 0, 0, 0
    for user in true:
        most = max(most, score[user] + apart[lists.kinds[user]])
    for user in true:
        true_tied += score[user] + apart[lists.kinds[user]] == most
    for user in met:
        value = score[user] + apart[lists.kinds[user]]
        above += value > most
        level += value == most
    for kind in range(len(of_kind)):
        left = lists.kind_starts[kind + 1] - lists.kind_starts[kind] - of_kind[kind]
        above += left if apart[kind] > most else 0
        level += left if apart[kind] == most else 0
    return above, level, true_tied

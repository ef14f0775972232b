"""Pairs scored by the lists they share, compiled: lists are added up, only those who are on one are looked at."""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.reference.link import LEAST, PairLists


def score_rows(lists: PairLists) -> Ints:
    """The score of every known trace with every candidate."""
    scores = np.zeros((len(lists.offsets) - 1, len(lists.kinds)), np.int64)
    _score_rows(lists, scores, np.empty(len(lists.kinds), np.int64))
    return scores


@compiled
def _score_rows(lists: PairLists, scores: Ints, met: Ints) -> None:
    for i in range(len(scores)):
        _add_up(lists, i, scores[i], met)
        for j in range(len(lists.kinds)):
            scores[i, j] += lists.apart[lists.kind[i], lists.kinds[j]]


def rank_candidates(
    lists: PairLists, truth_offsets: Ints, truths: Ints, top: int, everybody: bool
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """The best candidates of each known trace with their scores, the place of its best true one, and who met."""
    known = len(lists.offsets) - 1
    best, values = np.full((known, top), -1, np.int64), np.full((known, top), LEAST if everybody else 0, np.int64)
    place, met_all = np.zeros((3, known), np.int64), np.zeros(known, np.int64)
    _rank_candidates(lists, truth_offsets, truths, everybody, best, values, place, met_all, _room(lists))
    return best, values, place[0], place[1], place[2], met_all


class Room(NamedTuple):
    """Space for one known trace; all is 0 before and after but `met`."""

    score: Ints  # of each candidate
    met: Ints  # candidates on a list, the first so many
    of_kind: Ints  # how many of these are of each kind


def _room(lists: PairLists) -> Room:
    users, kinds = len(lists.kinds), len(lists.kind_starts) - 1
    return Room(np.zeros(users, np.int64), np.empty(users, np.int64), np.zeros(kinds, np.int64))


@compiled
def _rank_candidates(
    lists: PairLists,
    truth_offsets: Ints,
    truths: Ints,
    everybody: bool,
    best: Ints,
    values: Ints,
    place: Ints,
    met_all: Ints,
    room: Room,
) -> None:
    score, met, of_kind = room.score, room.met, room.of_kind
    for i in range(len(best)):
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
        for kind in range(len(of_kind)):
            of_kind[kind] = 0


def log_sums(lists: PairLists, scale: float) -> Floats:
    """Ln of the sum of exp(scale * score) over all candidates, for each known trace."""
    sums = np.empty(len(lists.offsets) - 1)
    _log_sums(lists, scale, sums, _room(lists))
    return sums


@compiled
def _log_sums(lists: PairLists, scale: float, sums: Floats, room: Room) -> None:
    score, met, of_kind = room.score, room.met, room.of_kind
    for i in range(len(sums)):
        apart = lists.apart[lists.kind[i]]
        count = _add_up(lists, i, score, met)
        most = LEAST
        for m in range(count):
            kind = lists.kinds[met[m]]
            of_kind[kind] += 1
            most = max(most, score[met[m]] + apart[kind])
        for kind in range(len(of_kind)):
            left = lists.kind_starts[kind + 1] - lists.kind_starts[kind] - of_kind[kind]
            most = max(most, apart[kind] if left else LEAST)
        total = 0.0
        for m in range(count):
            total += np.exp(scale * (score[met[m]] + apart[lists.kinds[met[m]]] - most))
            score[met[m]] = 0
        for kind in range(len(of_kind)):
            left = lists.kind_starts[kind + 1] - lists.kind_starts[kind] - of_kind[kind]
            of_kind[kind] = 0
            if left:
                total += left * np.exp(scale * (apart[kind] - most))
        sums[i] = scale * most + np.log(total)


def best_offers(lists: PairLists, prices: Ints) -> Ints:
    """The most that a candidate is worth to each known trace after its price."""
    first = lists.kind_starts[:-1]
    cheapest = np.minimum.reduceat(prices[lists.by_kind], first) if len(first) else prices[:0]
    # Who shares something is worth more than this, so that nobody need be left out here.
    apart = (lists.apart - cheapest).max(axis=1, initial=LEAST)
    offers: Ints = apart[lists.kind]
    _raise_offers(lists, prices, offers, _room(lists))
    return offers


@compiled
def _raise_offers(lists: PairLists, prices: Ints, offers: Ints, room: Room) -> None:
    """Offers to those who share something."""
    score, met = room.score, room.met
    for i in range(len(offers)):
        apart = lists.apart[lists.kind[i]]
        for m in range(_add_up(lists, i, score, met)):
            j = met[m]
            offers[i] = max(offers[i], score[j] + apart[lists.kinds[j]] - prices[j])
            score[j] = 0


@helper
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


@helper
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


@helper
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


@helper
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

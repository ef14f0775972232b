"""Who is how much like somebody known: pairs scored in whole numbers by the lists they share, and candidates ranked."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.kernels.types import Ids

LEAST = -(2**62)  # below every score


class PairLists(NamedTuple):
    """Known traces, lists of candidates, and whole weights: what a pair scores is a sum of these.

    Row r of a known trace belongs to a feature; its candidates are in lists first[r]:first[r] + size[r], one list for
    each value that the feature has among candidates, and being on the n-th of them weighs weights[place[r] + n], which
    is 0 or more. A candidate of kind c scores apart[kind[i], c] on top, whether it shares anything or not.
    """

    offsets: Ints  # known trace i owns rows offsets[i]:offsets[i+1]
    first: Ints
    size: Ints
    place: Ints
    weights: Ints
    starts: Ints  # list k holds postings[starts[k]:starts[k+1]], each candidate once
    postings: Ids
    kind: Ints  # of each known trace
    apart: Ints  # [kind of known, kind of candidate]; never rises from one kind of candidates to the next
    kinds: Ints  # of each candidate
    kind_starts: Ints  # candidates of kind c are by_kind[kind_starts[c]:kind_starts[c+1]], in order of position
    by_kind: Ints


def score_rows(lists: PairLists) -> Ints:
    """The score of every known trace with every candidate."""
    scores = np.empty((len(lists.offsets) - 1, len(lists.kinds)), np.int64)
    for i, (a, b) in enumerate(pairwise(lists.offsets)):
        scores[i] = lists.apart[lists.kind[i], lists.kinds]
        for r in range(a, b):
            for n in range(lists.size[r]):
                k = lists.first[r] + n
                scores[i, lists.postings[lists.starts[k] : lists.starts[k + 1]]] += lists.weights[lists.place[r] + n]
    return scores


def _meets(lists: PairLists, i: int) -> Ints:
    """Candidates that share something of weight with a known trace, in order."""
    parts = [np.zeros(0, np.int64)]
    for r in range(lists.offsets[i], lists.offsets[i + 1]):
        for n in range(lists.size[r]):
            if lists.weights[lists.place[r] + n]:
                k = lists.first[r] + n
                parts.append(lists.postings[lists.starts[k] : lists.starts[k + 1]].astype(np.int64))
    return np.unique(np.concatenate(parts))


def rank_candidates(
    lists: PairLists, truth_offsets: Ints, truths: Ints, top: int, everybody: bool
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """The best candidates of each known trace with their scores, the place of its best true one, and who met.

    Ties go to the lower position. Without `everybody` candidates that share nothing are not among the best (-1, score
    0). The place of the truth is given by how many candidates score above it, how many score the same, itself among
    them, and how many of these are true as well. The last column counts the candidates that share something.
    """
    scores, known = score_rows(lists), len(lists.offsets) - 1
    best, values = np.full((known, top), -1, np.int64), np.full((known, top), LEAST if everybody else 0, np.int64)
    above, tied, true_tied, met = (np.zeros(known, np.int64) for _ in range(4))
    for i, score in enumerate(scores):
        meets = _meets(lists, i)
        met[i] = len(meets)
        among = np.arange(len(score)) if everybody else meets
        order = among[np.lexsort((among, -score[among]))[:top]]
        best[i, : len(order)], values[i, : len(order)] = order, score[order]
        true = truths[truth_offsets[i] : truth_offsets[i + 1]]
        if len(true):
            most = score[true].max()
            above[i], tied[i], true_tied[i] = (score > most).sum(), (score == most).sum(), (score[true] == most).sum()
    return best, values, above, tied, true_tied, met


def log_sums(lists: PairLists, scale: float) -> Floats:
    """Ln of the sum of exp(scale * score) over all candidates, for each known trace."""
    exponent = score_rows(lists) * scale
    top = exponent.max(axis=1)
    sums: Floats = top + np.log(np.exp(exponent - top[:, None]).sum(axis=1))
    return sums


def best_offers(lists: PairLists, prices: Ints) -> Ints:
    """The most that a candidate is worth to each known trace after its price."""
    offers: Ints = (score_rows(lists) - prices).max(axis=1)
    return offers

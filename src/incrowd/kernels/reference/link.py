"""Who was at the places somebody is known to have been at: candidates ranked by shared weight."""

from itertools import pairwise

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.types import Ids


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
    """The best candidates of each known trace with their scores, and where its best true counterpart stands.

    A candidate's score is the sum of weights over the known points whose list (starts, postings) holds it; ties go to
    the lower position, and nobody without a score is among the best (-1). The place of the truth is told by how many
    candidates score above it, how many score the same, itself among them, and how many of these are true as well.
    """
    known = len(known_offsets) - 1
    best, scores = np.full((known, top), -1, np.int64), np.zeros((known, top), np.int64)
    above, tied, true_tied = (np.zeros(known, np.int64) for _ in range(3))
    for i, (a, b) in enumerate(pairwise(known_offsets)):
        score = np.zeros(users, np.int64)
        for k in known_ids[a:b]:
            score[postings[starts[k] : starts[k + 1]]] += weights[k]
        order = [j for j in np.lexsort((np.arange(users), -score))[:top] if score[j] > 0]
        best[i, : len(order)], scores[i, : len(order)] = order, score[order]
        true = truths[truth_offsets[i] : truth_offsets[i + 1]]
        if len(true):
            most = score[true].max()
            above[i], tied[i], true_tied[i] = (score > most).sum(), (score == most).sum(), (score[true] == most).sum()
    return best, scores, above, tied, true_tied

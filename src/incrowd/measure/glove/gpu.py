"""The k-gap and the tails on a GPU: what the host does before and after its kernels."""

from collections.abc import Iterator

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.measure.glove.stretch import CornerTable
from incrowd.progress import tell

BLOCK = 1 << 14  # rows between two words of progress
WAY_OUT = "pass device='cpu'"
QUANTILES = (0.5, 0.75, 0.99)
GAUSSIAN = 2.3263478740408408 / 0.6744897501960817  # z(.99) / z(.75)


def scan_on_card(laid: CornerTable, take: int, order: Ints) -> Iterator[tuple[Ints, Ints, Ints, Ints, Ints]]:
    """The nearest of all users, block by block; the twin of kgap.scan."""
    from incrowd.kernels.gpu.device import within_memory
    from incrowd.kernels.gpu.glove.nearest import nearest
    from incrowd.kernels.gpu.glove.prints import prints_of

    everybody = np.arange(len(order))
    with within_memory(len(order), WAY_OUT):
        prints = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
        for at in range(0, len(order), BLOCK):
            rows = order[at : at + BLOCK]
            who, over, under, work = nearest(prints, rows, everybody, take, False)
            yield rows, who, over, under, work.sum(axis=0)


def tails_on_card(laid: CornerTable, near: Ints) -> tuple[Floats, Ints]:
    """Tail weights and sums, as tails._weights has them; only what the quantiles lie between comes back."""
    from incrowd.kernels.gpu.device import within_memory
    from incrowd.kernels.gpu.glove.prints import prints_of
    from incrowd.kernels.gpu.glove.stretch import ordered_shares

    tell("tails", 0, len(near))
    with within_memory(len(near), WAY_OUT):
        prints = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
        chosen, sums, samples = ordered_shares(prints, near, ranks_between, laid.full)
    tell("tails", len(near), len(near))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.array([tail_weights(rows, samples) for rows in chosen]), sums


def ranks_between(samples: Ints) -> Ints:
    """The ranks on both sides of each quantile of so many samples, [2 quantiles, users]."""
    at = (samples - 1) * np.array(QUANTILES)[:, None]
    low = np.floor(at).astype(np.int64)
    return np.concatenate([low, np.minimum(low + 1, samples - 1)])


def tail_weights(rows: Floats, samples: Ints) -> Floats:
    """Tail weights from the values at `ranks_between`; interpolated as numpy.quantile does."""
    at = (samples - 1) * np.array(QUANTILES)[:, None]
    part = at - np.floor(at)
    low, high = np.split(rows, 2)
    middle, upper, top = np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part))
    weights: Floats = (top - middle) / (upper - middle) / GAUSSIAN
    return weights

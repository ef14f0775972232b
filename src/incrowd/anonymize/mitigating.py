"""Exact counts and the visits behind them -> counts after the mitigations asked for."""

from numpy.typing import ArrayLike

from incrowd.anonymize.counting import noise_counts, perturb_points, round_counts, suppress_small, to_regions
from incrowd.data import Counts, Visits
from incrowd.discretize.crowds import counts
from incrowd.errors import ParameterError


def mitigated(
    exact: Counts,
    visits: Visits | None = None,
    *,
    move_share: float | None = None,
    region: ArrayLike | None = None,
    region_m: float | None = None,
    noise_epsilon: float | None = None,
    suppress_below: int | None = None,
    round_to: int | None = None,
    seed: int | None = None,
) -> Counts:
    """The counts after each mitigation that is not None, in the order of the arguments; the first three need visits.

    >>> mitigated(Counts.from_arrays([[5, 4]], xy=[[0, 0], [1, 0]]), suppress_below=5, round_to=10).n.tolist()
    [[10, 0]]
    """
    found = exact
    if not (move_share is None and region is None and region_m is None):
        if visits is None:
            raise ParameterError(
                "points can be moved and regions made before people are counted only; give trajectories."
            )
        found = counts(_moved(visits, move_share, region, region_m, seed))
    if noise_epsilon is not None:
        found = noise_counts(found, epsilon=noise_epsilon, seed=seed)
    if suppress_below is not None:
        found = suppress_small(found, k=suppress_below)
    return found if round_to is None else round_counts(found, to=round_to)


def _moved(
    visits: Visits, move_share: float | None, region: ArrayLike | None, region_m: float | None, seed: int | None
) -> Visits:
    if move_share is not None:
        visits = perturb_points(visits, share=move_share, seed=seed)
    if region is not None:
        visits = to_regions(visits, region=region)
    return visits if region_m is None else to_regions(visits, cell_m=region_m)

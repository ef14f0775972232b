"""Results -> matplotlib axes: each function draws one panel of a result's section.

>>> import incrowd as ic
>>> axes = ic.plot.ledger(ic.Ledger().add("read", read=3, kept=2, dropped={"no time": 1}))
>>> axes.get_xlabel()
'records'
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from incrowd.errors import ParameterError, check_kind, public
from incrowd.ledger import Ledger
from incrowd.measure import Uniqueness
from incrowd.measure.uniqueness.section import points_panel
from incrowd.report.draw import draw
from incrowd.show import section_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # noqa: TID251

    from incrowd.assess import Comparison
    from incrowd.measure import Accuracy, Exposure, KGap, RiskMap, Sweep, Tails

__all__ = ["accuracy", "crowd_sizes", "frontier", "kgap", "ledger", "risk_map", "sweep", "tails", "uniqueness"]


@public
def uniqueness(results: Uniqueness | Sequence[Uniqueness], ax: "Axes | None" = None) -> "Axes":
    """Share of people identified against the number of known visits.

    Args:
        results: Results for several numbers of known visits; one alone is a point.
        ax: Axes to draw on; a new figure if None.
    """
    risks = [results] if isinstance(results, Uniqueness) else list(results)
    for risk in risks:
        check_kind("uniqueness", risk, Uniqueness)
    known = [risk for risk in risks if risk.value is not None]
    if not known:
        raise ParameterError("no result has a value to draw, because nobody has so many visits.")
    return draw(points_panel(known), ax)


@public
def crowd_sizes(results: Uniqueness | Sequence[Uniqueness], ax: "Axes | None" = None) -> "Axes":
    """How many people share the known visits.

    Args:
        results: One result of uniqueness, or several.
        ax: Axes to draw on; a new figure if None.
    """
    return _drawn(results, "crowd-sizes", ax)


@public
def sweep(result: "Sweep", ax: "Axes | None" = None) -> "Axes":
    """Uniqueness over all resolutions of space and time.

    Args:
        result: What `incrowd.measure.sweep` returned.
        ax: Axes to draw on; a new figure if None.
    """
    return _drawn(result, "sweep", ax)


@public
def kgap(result: "KGap", ax: "Axes | None" = None) -> "Axes":
    """Distribution of the k-gap over people.

    Args:
        result: What `incrowd.measure.kgap` returned.
        ax: Axes to draw on; a new figure if None.
    """
    return _drawn(result, "k-gap", ax)


@public
def tails(result: "Tails", ax: "Axes | None" = None) -> "Axes":
    """Distribution of tail weights over people.

    Args:
        result: What `incrowd.measure.tails` returned.
        ax: Axes to draw on; a new figure if None.
    """
    return _drawn(result, "tail-weight", ax)


@public
def accuracy(result: "Accuracy", ax: "Axes | None" = None) -> "Axes":
    """Distribution of the spatial extent of published samples.

    Args:
        result: What `incrowd.measure.accuracy` returned.
        ax: Axes to draw on; a new figure if None.
    """
    return _drawn(result, "accuracy-space", ax)


@public
def frontier(result: "Comparison", ax: "Axes | None" = None) -> "Axes":
    """Risk against loss of detail for every method that was compared.

    Args:
        result: What `incrowd.assess.compare` returned.
        ax: Axes to draw on; a new figure if None.
    """
    return _drawn(result, "frontier", ax)


@public
def ledger(result: Ledger, ax: "Axes | None" = None) -> "Axes":
    """Records dropped, by step and reason.

    Args:
        result: The ledger of data or of a release.
        ax: Axes to draw on; a new figure if None.
    """
    check_kind("ledger", result, Ledger)
    return draw(result.drops(), ax)


@public
def risk_map(result: "RiskMap | Exposure", ax: "Axes | None" = None) -> "Axes":
    """Where people are identified by a single visit: the share of the people of each cell.

    Args:
        result: What `incrowd.measure.risk_map` returned, or `incrowd.measure.exposure` for cells that have places.
        ax: Axes to draw on; a new figure if None.
    """
    return _drawn(result, "risk-map", ax)


def _drawn(result: Any, name: str, ax: "Axes | None") -> "Axes":
    panel = section_of(result).panel(name)
    if panel is None:
        raise ParameterError(f"this {type(result).__name__} has no panel {name!r} to draw; it holds too few values.")
    return draw(panel, ax)

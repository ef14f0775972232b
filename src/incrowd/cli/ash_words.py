"""incrowd attack ash: its answer in words."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incrowd.assess import Mitigations
    from incrowd.attack import Recovered, RecoveryScore
    from incrowd.measure import Uniqueness

TOP = (1, 2, 3)


def found(found: "Recovered") -> Iterator[str]:
    """What was recovered, and how surely at the least cost."""
    users, slots = found.cells.shape
    yield f"recovered {users:,} trajectories of {slots:,} slots in {found.days:,} days ({found.method})"
    sure = f"no link of two slots can be cheaper by more than {found.gap:.2g} m"
    if found.method == "threshold":
        sure = f"the shortcut makes a link of two slots dearer than its optimum by {found.gap:.2g} m at most"
    yield f"cost {found.costs.sum() / 1000:,.1f} km, {sure}"
    if len(found.gains):
        total, gap = found.gains.sum(), found.gain_gap
        yield f"gains {total:,.1f} bits between days, no link of two days can gain less by more than {gap:.2g} bits"


def unscored(unique: "list[Uniqueness] | None") -> Iterator[str]:
    """What an attacker sees who cannot know how much is right."""
    if unique is not None:
        yield _top({one.points: one.value or 0.0 for one in unique}, "recovered")
        yield "accuracy is unknown without the people counted; pass --truth VISITS"


def scored(score: "RecoveryScore | None", chance: Mapping[str, float] | None) -> Iterator[str]:
    """How much is right, beside what guessing gets right."""
    if score is None:
        return
    night, day = score.stages["night"], score.stages["day"]
    yield f"accuracy  nights {night:.4f}  days {day:.4f}  whole {score.accuracy:.4f}  (pairing {score.pairing})"
    if chance is not None:
        yield f"guessing  {'  '.join(f'{name} {share:.4f}' for name, share in chance.items())}  (whole)"
    yield f"{score.far:.4f} of the points are more than 1 km off"
    yield _top(score.uniqueness, "recovered")
    yield _top(score.original_uniqueness["set"], "original")


def tried(tried: "Mitigations | None") -> Iterator[str]:
    """Every mitigation, and a caution where one is due."""
    if tried is None:
        return
    yield f"\n{tried}"
    yield f"({', '.join(tried.chance)}: what guessing gets right from the same counts)"
    if tried.caution:
        yield tried.caution


def _top(shares: Mapping[int, float], whose: str) -> str:
    told = "  ".join(f"{k}: {shares[k]:.4f}" for k in TOP)
    return f"singled out by their top cells, {whose:<9}  {told}"

"""How far a release can be linked: whole trajectories with their pseudonyms, pieces with each other."""

from dataclasses import replace

from incrowd.assess.settings import Source
from incrowd.attack import link, relink
from incrowd.data import Release, Traces, Visits
from incrowd.discretize import grid

LINKS = (
    "Linked is the share of published people who come first among all pseudonyms (hit@1, ties in expectation) for an "
    "attacker who holds their whole trajectory in the cells and slots of the release, points being put on the cells "
    "and slots of the visits. Boxes, and the data as they are, are looked up by the known samples instead: there, "
    "linked is how often a guess within the crowd is right, 1 / crowd. Rejoined, for cut releases, is the share of "
    "neighbouring pieces of a person that least information gain joins again [xu2017, Eq. 4]."
)


def linkability(
    release: Release, source: Source, *, guess: float | None = None, seed: int = 0
) -> dict[str, float | None]:
    """hit@1 of linking the originals to the release, and the share of neighbouring pieces rejoined.

    Boxes are not linked; `guess`, how often one within the crowd is right, stands for them.

    >>> from incrowd import Fingerprints
    >>> from incrowd.anonymize import Cut
    >>> two = Fingerprints.from_arrays([1, 1, 2, 2], x=[0, 0, 900, 900], y=[0] * 4, t=[0, 400, 0, 400])
    >>> source = Source(two, cell_m=100, slot_min=60)
    >>> linkability(Cut(window_h=6)(source.visits), source)
    {'linked': 1.0, 'rejoined': 1.0}
    """
    data = release.data
    if isinstance(data, Traces) and data.records:
        data = grid(data, cell_m=source.cell_m, slot_min=source.slot_min, start=source.visits.start)
    if not isinstance(data, Visits) or not data.records or data.cell_m is None or data.slot_min is None:
        return {"linked": guess, "rejoined": None}
    same = (data.cell_m, data.slot_min) == (source.cell_m, source.slot_min)
    known = source.visits if same else source.visits_on(data.cell_m, data.slot_min)
    score = relink(release, seed=seed).score if release.params["method"] == "Cut" else None
    shares = link(known, replace(release, data=data)).hit
    return {"linked": shares[1], "rejoined": None if score is None else score.share}

"""How far a release can be linked: whole trajectories with their pseudonyms, pieces with each other."""

from incrowd.assess.settings import Source
from incrowd.attack import link, relink
from incrowd.data import Release, Visits

LINKS = (
    "`linked` is the share of published people who come first among all pseudonyms (hit@1, ties in expectation) for an "
    "attacker who holds their whole trajectory in the cells and slots of the release; `rejoined`, for cut releases, "
    "the share of neighbouring pieces of a person that least information gain joins again [xu2017, Eq. 4]. Linking "
    "is tried on releases of visits only, not on points or boxes."
)


def linkability(release: Release, source: Source, *, seed: int = 0) -> dict[str, float | None]:
    """hit@1 of linking the originals to the release, and the share of neighbouring pieces rejoined; None: not tried.

    >>> from incrowd import Fingerprints
    >>> from incrowd.anonymize import Cut
    >>> two = Fingerprints.from_arrays([1, 1, 2, 2], x=[0, 0, 900, 900], y=[0] * 4, t=[0, 400, 0, 400])
    >>> source = Source(two, cell_m=100, slot_min=60)
    >>> linkability(Cut(window_h=6)(source.visits), source)
    {'linked': 1.0, 'rejoined': 1.0}
    """
    data = release.data
    if not isinstance(data, Visits) or not data.records or data.cell_m is None or data.slot_min is None:
        return {"linked": None, "rejoined": None}
    same = (data.cell_m, data.slot_min) == (source.cell_m, source.slot_min)
    known = source.visits if same else source.visits_on(data.cell_m, data.slot_min)
    score = relink(release, seed=seed).score if release.params["method"] == "Cut" else None
    return {"linked": link(known, release).hit[1], "rejoined": None if score is None else score.share}

"""[gramaglia2015]: Table 1 and Figures 1, 2 and 6, which explain and measure nothing."""

from incrowd.data import Fingerprints
from incrowd.papers.gramaglia2015.data import days_of
from incrowd.papers.record import OTHER, Figure, apart, claim

PEOPLE = (82_000, 320_000)  # of d4d-civ and d4d-sen [gramaglia2015, Sec. 3]
DAYS = 14
DRAWN = "a drawing"


def table_1(fingerprints: Fingerprints) -> Figure:
    """How large the data are beside the paper's, and why its examples cannot be measured."""
    people, days = len(fingerprints), days_of(fingerprints)
    size = "needs as many people"
    return Figure(
        paper="gramaglia2015",
        number="Table 1 and Figures 1, 2 and 6",
        question="What is in the data?",
        answer=f"{people:,} people with {fingerprints.records:,} samples over {days:,} days.",
        panels=(),
        statements=(
            apart("Sec. 3", "people", " and ".join(f"{n:,}" for n in PEOPLE), size, ours=f"{people:,}"),
            claim("Sec. 3", "days of each dataset", f"{DAYS}", f"{days:,}", days == DAYS, OTHER),
            apart("Table 1", "fingerprints of three people", "listed", "an example in symbols, without numbers"),
            apart("Fig. 1", "the same people on a map", DRAWN, "an illustration of what generalization does"),
            apart("Fig. 2", "stretch of two samples", DRAWN, "the definition of Eqs. 4 to 9, which is computed here"),
            apart("Fig. 6", "merging and reshaping", DRAWN, "an illustration of two steps of GLOVE"),
        ),
        convention="Days are from the first to the last sample, both counted.",
        users=people,
    )

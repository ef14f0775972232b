"""Every test of an assessment, the most informative first: singling out, linkability, inference, aggregates."""

from incrowd.assess.questions.counting import COUNTS
from incrowd.assess.questions.inferring import HOME_WORK, RELEASE_SENSITIVE, SENSITIVE
from incrowd.assess.questions.linking import GUARANTEES, LATER, MATCHED, PIECES
from incrowd.assess.questions.singling import BLURRING, IDENTIFIED, RELEASE_IDENTIFIED, SINGLE_VISIT

# The order in which they are asked, so a small budget buys the most; the page sorts them by what they are about.
QUESTIONS = (
    IDENTIFIED,
    MATCHED,
    RELEASE_IDENTIFIED,
    GUARANTEES,
    RELEASE_SENSITIVE,
    SENSITIVE,
    HOME_WORK,
    SINGLE_VISIT,
    LATER,
    PIECES,
    COUNTS,
    BLURRING,
)
ABOUT = ("singling out", "linkability", "inference", "aggregates")

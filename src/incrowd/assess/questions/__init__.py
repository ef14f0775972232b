"""Every test of an assessment, the most informative first: singling out, linkability, inference, membership."""

from incrowd.assess.questions.counting import COUNTS, MEMBERSHIP, SMALLEST_COUNT
from incrowd.assess.questions.earlier import EARLIER
from incrowd.assess.questions.inferring import HOME_WORK, SENSITIVE
from incrowd.assess.questions.linking import LATER
from incrowd.assess.questions.lookup import LOOKUP
from incrowd.assess.questions.publishing import COLUMNS, GUARANTEES, PIECES, RELEASE_FULL
from incrowd.assess.questions.singling import BLURRING, IDENTIFIED, SINGLE_VISIT

# The order in which they are asked, so a small budget buys the most; the page sorts them by what they are about.
QUESTIONS = (
    LOOKUP,
    IDENTIFIED,
    SINGLE_VISIT,
    GUARANTEES,
    COLUMNS,
    SENSITIVE,
    HOME_WORK,
    SMALLEST_COUNT,
    MEMBERSHIP,
    LATER,
    EARLIER,
    PIECES,
    COUNTS,
    RELEASE_FULL,
    BLURRING,
)
ABOUT = ("singling out", "linkability", "inference", "membership", "release")

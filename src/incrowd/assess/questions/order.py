"""Every question of an assessment, the most informative first."""

from incrowd.assess.questions.counting import COUNTS
from incrowd.assess.questions.inferring import HOME_WORK, PUBLISHED, SENSITIVE
from incrowd.assess.questions.linking import AUDIT, RELEASE, RELEASES, WINDOWS
from incrowd.assess.questions.singling import K_GAP, RELEASED, UNIQUENESS, WORST_OFF

# The order in which they are asked, so that a small budget buys the most; the page sorts them by what they are about.
QUESTIONS = (
    UNIQUENESS,
    RELEASE,
    RELEASED,
    AUDIT,
    PUBLISHED,
    SENSITIVE,
    HOME_WORK,
    WORST_OFF,
    RELEASES,
    WINDOWS,
    COUNTS,
    K_GAP,
)
ABOUT = ("singling out", "linkability", "inference", "aggregates")

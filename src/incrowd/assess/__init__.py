"""The steps run against a question: which method loses least detail, which mitigation is enough, what is too much?"""

from incrowd.assess._assess import assess
from incrowd.assess._mitigations import mitigations
from incrowd.assess._plan import plan
from incrowd.assess.assessment import Assessment
from incrowd.assess.compare import compare
from incrowd.assess.compare.comparison import Comparison, Row
from incrowd.assess.mitigated import Mitigations, Outcome
from incrowd.assess.planned import Plan, PlannedCut
from incrowd.assess.question import Answer

__all__ = [
    "Answer",
    "Assessment",
    "Comparison",
    "Mitigations",
    "Outcome",
    "Plan",
    "PlannedCut",
    "Row",
    "assess",
    "compare",
    "mitigations",
    "plan",
]

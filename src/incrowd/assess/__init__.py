"""The steps run against a question: which method is cheapest, which mitigation suffices, is it safe to publish?"""

from incrowd.assess._assess import assess
from incrowd.assess._mitigations import Mitigations, Outcome, mitigations
from incrowd.assess._plan import Plan, PlannedCut, plan
from incrowd.assess.assessment import Assessment
from incrowd.assess.compare import compare
from incrowd.assess.compare.comparison import Comparison, Row
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

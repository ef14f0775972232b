"""The steps run against a question: which method is cheapest, which mitigation suffices, is it safe to publish?"""

from incrowd.assess.assess import assess
from incrowd.assess.compare import compare
from incrowd.assess.comparison import Comparison, Row
from incrowd.assess.mitigations import Mitigations, Outcome, mitigations
from incrowd.assess.plan import Plan, PlannedCut, plan
from incrowd.assess.question import Answer
from incrowd.assess.record import Assessment

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

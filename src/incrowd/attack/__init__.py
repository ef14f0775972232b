"""Counts, Visits and Releases -> what an attacker gets out of them; one file per attack.

recover        trajectories out of published counts
recovery_score how much of them is true, beside what anybody would guess (chance_accuracy)
repair         published counts that do not add up, made whole
relink         pieces of a cut release joined again
link           who of one dataset is who of another
home_work      where everybody seems to live and work
"""

from incrowd.attack._home_work import HomeWork, home_work
from incrowd.attack.link import Linkage, link
from incrowd.attack.recover import recover
from incrowd.attack.recover.guesses import chance_accuracy
from incrowd.attack.recover.repair import repair
from incrowd.attack.recover.result import Recovered
from incrowd.attack.recover.score import RecoveryScore, recovery_score
from incrowd.attack.relink import Relinked, relink
from incrowd.attack.relink.score import RelinkScore

__all__ = [
    "HomeWork",
    "Linkage",
    "Recovered",
    "RecoveryScore",
    "RelinkScore",
    "Relinked",
    "chance_accuracy",
    "home_work",
    "link",
    "recover",
    "recovery_score",
    "relink",
    "repair",
]

"""Counts, Visits and Releases -> what an attacker gets out of them; one file per attack.

recover        trajectories out of published counts
recovery_score how much of them is true, beside what anybody would guess (chance_accuracy)
repair         published counts that do not add up, made whole
relink         pieces of a cut release joined again
link           who of one dataset is who of another
lookup         who is identified in a release by a few known records
membership     is somebody in published counts?
home_work      where everybody seems to live and work
"""

from incrowd.attack._home_work import HomeWork, home_work
from incrowd.attack.link import link
from incrowd.attack.link.result import Linkage
from incrowd.attack.lookup import lookup
from incrowd.attack.lookup.result import Lookup
from incrowd.attack.membership import membership
from incrowd.attack.membership.result import Membership
from incrowd.attack.recover import recover
from incrowd.attack.recover.guesses import chance_accuracy
from incrowd.attack.recover.repair import repair
from incrowd.attack.recover.result import Recovered
from incrowd.attack.recover.score import RecoveryScore, recovery_score
from incrowd.attack.relink import Relinked, relink
from incrowd.attack.relink.join import RelinkScore

__all__ = [
    "HomeWork",
    "Linkage",
    "Lookup",
    "Membership",
    "Recovered",
    "RecoveryScore",
    "RelinkScore",
    "Relinked",
    "chance_accuracy",
    "home_work",
    "link",
    "lookup",
    "membership",
    "recover",
    "recovery_score",
    "relink",
    "repair",
]

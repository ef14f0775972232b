"""Traces -> Traces, with a ledger of what was removed.

duplicates     the same user, time and place twice: the first stays
still_users    users who never move leave
order          a log in disorder is repaired or thinned until each user's times rise
displaced      records no vehicle could have reached and left again leave
sparse_users   users with few records leave
outside        records at (0, 0) or outside a box leave
"""

from incrowd.clean._displaced import displaced
from incrowd.clean._duplicates import duplicates
from incrowd.clean._order import order
from incrowd.clean._outside import outside
from incrowd.clean._users import sparse_users, still_users

__all__ = ["displaced", "duplicates", "order", "outside", "sparse_users", "still_users"]

from fractions import Fraction

from incrowd.anonymize.lkc import lkc_cost
from incrowd.papers.mohammed2009 import METHOD, table_1


def test_one_parameter_moves_at_a_time():
    cost = lkc_cost(table_1(), METHOD, l=(1, 2), k=(3,), c=(Fraction(1),), min_support=(3,))
    moved = [(run.varied, run.l, run.k, run.c, run.min_support) for run in cost.runs]
    ls = [("l", 1, 2, 0.5, 2), ("l", 2, 2, 0.5, 2)]
    assert moved == [*ls, ("k", 2, 3, 0.5, 2), ("c", 2, 2, 1.0, 2), ("min_support", 2, 2, 0.5, 3)]
    second = cost.along("l")[1]
    assert (second.violating, second.suppressed_pairs, second.users_without_visit) == (5, 2, 0)
    assert (second.frequent_before, second.frequent_after, second.preserved_share) == (9, 7, 5 / 9)
    assert second.suppressed_visits == 1 - 24 / 30
    assert (cost.users, cost.visits, cost.pairs) == (8, 30, 7)

"""Assessments without advice, and people under names of their own."""

from dataclasses import replace

import numpy as np

from incrowd import assess

OF_ROWS = ("lookup", "identified", "single_visit", "later", "home_work")


def named(table):
    """The same people under names of their own."""
    return replace(table, users=np.char.add("p", table.users.astype(str)))


def assessed(data, **options):
    return assess.assess(data, **{"advise": False, **options})


def answer(data, name="lookup", **options):
    return assessed(data, **options).answer(name)

"""Nouns -> Releases that are safe by construction; one file per method."""

from incrowd.anonymize.base import Anonymizer
from incrowd.anonymize.cut import Cut
from incrowd.anonymize.folder import publish
from incrowd.anonymize.generalize import Generalize
from incrowd.anonymize.lkc import LKC
from incrowd.anonymize.lkc_cost import LkcCost, lkc_cost

METHODS: dict[str, type[Anonymizer]] = {"cut": Cut, "generalize": Generalize, "lkc": LKC}

__all__ = ["LKC", "METHODS", "Anonymizer", "Cut", "Generalize", "LkcCost", "lkc_cost", "publish"]

"""Nouns -> Releases that are safe by construction; one file per method."""

from incrowd.anonymize.base import Anonymizer
from incrowd.anonymize.cut import Cut
from incrowd.anonymize.folder import publish
from incrowd.anonymize.generalize import Generalize
from incrowd.anonymize.glove import Glove
from incrowd.anonymize.glove_cost import glove_cost
from incrowd.anonymize.lkc import LKC
from incrowd.anonymize.lkc_cost import LkcCost, lkc_cost

METHODS: dict[str, type[Anonymizer]] = {"cut": Cut, "generalize": Generalize, "glove": Glove, "lkc": LKC}

__all__ = ["LKC", "METHODS", "Anonymizer", "Cut", "Generalize", "Glove", "LkcCost", "glove_cost", "lkc_cost", "publish"]

"""Nouns -> Releases that are safe by construction; one file per method."""

from incrowd.anonymize.base import Anonymizer
from incrowd.anonymize.cut import Cut
from incrowd.anonymize.folder import publish
from incrowd.anonymize.generalize import Generalize

METHODS: dict[str, type[Anonymizer]] = {"cut": Cut, "generalize": Generalize}

__all__ = ["METHODS", "Anonymizer", "Cut", "Generalize", "publish"]

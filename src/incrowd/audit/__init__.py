"""Releases -> verdicts: checks written from the definitions, that trust nobody and share no code with the makers."""

from incrowd.audit._check import check
from incrowd.audit.verdict import Check, Verdict

__all__ = ["Check", "Verdict", "check"]

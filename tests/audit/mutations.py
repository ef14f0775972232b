"""All broken releases of the tests, what nobody can catch, and the table of docs/audit.md."""

from audit import (
    broken_boxes,
    broken_bytes,
    broken_cleverly,
    broken_counts,
    broken_files,
    broken_manifest,
    broken_people,
    broken_rows,
    broken_stated,
)
from audit.breaking import MODES, MUTATIONS, Mutation, reseal

__all__ = ["MODES", "MUTATIONS", "NEVER", "Mutation", "reseal", "table"]
PARTS = (
    broken_manifest,
    broken_files,
    broken_people,
    broken_rows,
    broken_boxes,
    broken_cleverly,
    broken_counts,
    broken_bytes,
    broken_stated,
)  # which register theirs

NEVER = {
    "bytes behind the last value of a page": "a reader stops at the last value; only labels in plain letters are found",
    "noise from a secret seed": "it follows the stated law, and whoever drew it can draw it again",
    "pseudonyms that are keyed hashes, sorted into ranks": "the ranks are as random as the key is secret",
    "pseudonyms or attributes that are the names in a code of the publisher's own": "any text may stand for a name",
    "a second file elsewhere": "the auditor sees one folder",
    "the numbers of steps before the original": "they are stated, not checked: give what the first of them read",
    "an attribute that was chosen to single people out": "every value is true; ask for k, which counts attributes",
    "a link of pseudonyms whose points were all moved": "of such people the release shows no point of their own",
}


def table() -> str:
    """The table of docs/audit.md."""
    lines = ["| broken release | tried on | caught by |", "| --- | --- | --- |"]
    ordered = sorted(MUTATIONS, key=lambda m: (MODES.index(m.least), m.what))
    lines += [f"| {mutation.what} | {', '.join(mutation.bases)} | {mutation.least} |" for mutation in ordered]
    return "\n".join(lines)

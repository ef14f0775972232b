"""Where a gate writes."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where a gate writes what it made.

    Args:
        folder: Folder that gets a folder for each run: the page that says why, the evidence, the attestation, and the
            release if the gate is open, in one step.
        links: Folder for the link file of each release, readable by its owner alone; with it tomorrow's release is
            scored against today's. [default: the link is not kept]
        name: Name of the folder of a run; {date} stands for the day of the run in UTC, and a number follows if there is
            such a folder already.
        history: File that every run adds a line to: date, digests, verdict and numbers, nothing about a person.
        title: Heading of the page.
    """

    folder: Path
    links: Path | None = None
    name: str = "{date}"
    history: Path = Path("incrowd-history.sqlite")
    title: str = "Privacy gate"

    @property
    def private(self) -> Path:
        """The folder for what nobody else may see while the gate runs."""
        return self.links or self.history.parent

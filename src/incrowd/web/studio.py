"""What the pages of a studio share: its folder, its memory, its jobs, and what finished jobs handed over."""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incrowd.errors import ParameterError
from incrowd.web.folder import HOME, sweep
from incrowd.web.handover import ANSWER, answer_in
from incrowd.web.queue import Queue
from incrowd.web.store import Job, Store, StoredData
from incrowd.web.views import Views

if TYPE_CHECKING:
    from incrowd.assess import Assessment
    from incrowd.show import Section

JUDGE, AUDIT = 1, 2  # steps of a job that makes a release: anonymize, assess, audit


class NotYet(ParameterError):
    """A step that needs an earlier one."""


@dataclass(frozen=True)
class Studio:
    """A folder that is looked at.

    Args:
        folder: The folder whose files may be chosen.
        store: What is remembered.
        queue: The jobs.
        views: Numbers of the risk page that are ready to be drawn.
        upload_mb: Largest file that the page takes.
    """

    folder: Path
    store: Store
    queue: Queue
    views: Views = field(default_factory=Views)
    upload_mb: int = 512

    @classmethod
    def of(cls, folder: Path, upload_mb: int = 512) -> "Studio":
        """The studio of a folder, with what it remembers from last time.

        Args:
            folder: The folder whose files may be chosen.
            upload_mb: Largest file that the page takes.
        """
        folder = folder.resolve()
        store = Store(folder / HOME)
        sweep(folder)
        return cls(folder, store, Queue(store), upload_mb=upload_mb)

    def dataset(self) -> StoredData:
        """The current dataset; refuses if there is none."""
        dataset = self.store.dataset()
        if dataset is None:
            raise NotYet("No data were chosen yet; begin with the step Data.")
        return dataset

    def ready(self) -> StoredData:
        """The current dataset, read and cleaned."""
        dataset = self.dataset()
        job = self.store.latest(dataset.id, "clean")
        if job is None or job.state != "finished":
            raise NotYet("The data were not read yet; finish the step Data.")
        return dataset

    def started(self, dataset: StoredData, kind: str, title: str, commands: list[list[str]], **details: Any) -> int:
        """The number of a new job, which begins as soon as a place is free."""
        number = self.store.add_job(dataset.id, kind, title, commands, details)
        self.queue.tick()
        return number

    def finished(self, dataset: StoredData, kind: str) -> Job | None:
        """The latest job of a kind that ended well."""
        return next((job for job in self.store.jobs(dataset.id, kind) if job.state == "finished"), None)

    def answer(self, job: Job | None, step: int = 0) -> "Section | None":
        """What a command of a job answered; None before it did."""
        if job is None:
            return None
        folder = self.queue.place_of(job) / str(step)
        try:
            changed = (folder / ANSWER).stat().st_mtime_ns
        except FileNotFoundError:
            return None
        return _answer(folder, changed)

    def assessment(self, job: Job | None, step: int = 0) -> "Assessment | None":
        """The assessment that a command of a job answered with."""
        section = self.answer(job, step)
        return None if section is None else section.data

    def signing_of(self, job: Job) -> Job | None:
        """The latest job that signs a run."""
        return next((one for one in self.store.jobs(job.dataset, "sign") if one.details["run"] == job.id), None)

    def signed(self, signing: Job | None) -> bool:
        """Whether a decision stands: the tests and checks that signing repeats pass, or it says not to publish."""
        if signing is None or signing.state != "finished":
            return False
        repeated, audit = self.assessment(signing), self.answer(signing, 1)
        passed = repeated is not None and repeated.passed and audit is not None and bool(audit.data.passed)
        return passed or signing.details["decision"] == "no"

    def runs(self, dataset: StoredData) -> list[Job]:
        """The releases that were made, the latest first."""
        return self.store.jobs(dataset.id, "run")

    def words(self, job: Job, step: int) -> str:
        """What a command printed."""
        try:
            return (self.queue.place_of(job) / str(step) / "stdout").read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""


@lru_cache(maxsize=32)
def _answer(folder: Path, changed: int) -> "Section | None":
    del changed  # part of the key: a job that runs again answers anew
    return answer_in(folder)

"""incrowd.toml -> a release that was attacked, audited and judged, or the page that says why there is none."""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from incrowd import __version__, report
from incrowd.assess import Assessment
from incrowd.assess._assess import prepared
from incrowd.assess.advice import advised
from incrowd.assess.attest import attest
from incrowd.assess.digests import Origin, digest_of_data
from incrowd.assess.earlier_releases import EarlierReleases
from incrowd.assess.evidence import TITLE, evidence
from incrowd.assess.options import Options
from incrowd.assess.prepared import PreparedAssessment
from incrowd.data import Counts
from incrowd.data.files import temporary
from incrowd.data.release_folder import ATTESTED, MANIFEST, id_in, sha256_of
from incrowd.errors import DataError, ParameterError, public
from incrowd.gate import pipeline, records
from incrowd.gate.checks import refuse_shopping
from incrowd.gate.earlier import earlier_of, known_releases, not_counted_again
from incrowd.gate.killed import PRIVATE, RELEASE, RUN, clear
from incrowd.gate.records import RunRecord
from incrowd.gate.settings import GateSettings, load
from incrowd.read.sources.local import local
from incrowd.show import Result, Section

PAGE, EVIDENCE, LINK, BAD = "page.html", "evidence.md", "link.csv", "bad.csv"
MOST_RUNS = 1_000  # of one name
MEANWHILE = (
    "another release was published while this one was assessed, and was not attacked with it; run the gate again."
)
CHANGED = "the source changed while it was read, so no digest stands for what was judged; run the gate again."
Log = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, eq=False)
class GateRun(Result):
    """What a run of a gate came to.

    Args:
        assessment: Every test with its answer.
        folder: Where the page is, and the release if the gate was open.
        record: What was added to the history.
    """

    assessment: Assessment
    folder: Path
    record: RunRecord

    @property
    def exit_code(self) -> int:
        """0 passed, 1 the gate is shut, 3 passed with an override."""
        return self.assessment.exit_code

    @property
    def release(self) -> Path | None:
        """The release, if the gate was open."""
        return self.folder / RELEASE if self.assessment.passed else None

    def section(self) -> Section:
        """The verdict, with the table of all tests."""
        return self.assessment.section()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = ("number", "name", "made", "exit_code", "verdict", "people", "records", "first_run", "numbers")
        return {name: getattr(self.record, name) for name in names} | {"passed": self.assessment.passed}


@public
def gate(
    settings: GateSettings | str | Path,
    *,
    first_run: bool = False,
    command: str = "",
    log: Log | None = None,
) -> GateRun:
    """Read, clean, discretize, anonymize, audit and assess in one go; what is written appears in one step, or not.

    If the gate is open, the folder of the run holds the release, the page, the evidence and the attestation, and the
    link file is in its folder if links are kept. If it is shut, the folder holds all but the release, and there is no
    link.

    Args:
        settings: What incrowd.toml says, or its path.
        first_run: Whether nothing was ever published before, so there is nothing to attack with; refused if the history
            or a folder knows better.
        command: The command line, without credentials, for the page.
        log: Hears of every step: its name, seconds and counts, and nothing about a person.
    """
    if not isinstance(settings, GateSettings):
        settings = load(settings)
    steps = _StepLog(log)
    outputs = settings.outputs
    runs = records.runs_in(outputs.history)
    clear(outputs, runs)
    known = known_releases(settings, runs)
    earlier = earlier_of(settings, runs, first_run=first_run)
    with (
        _staged(outputs.folder, RUN) as part,
        _staged(outputs.private, PRIVATE) as private,
        local(settings.source, *settings.of_database) as source,
    ):
        with steps("read") as said:
            files = pipeline.files_of(source, settings)
            earlier = not_counted_again(earlier, settings, runs, files)
            data = pipeline.opened(source, settings, private / BAD)
            said |= {"people": len(data), "records": data.records}
        with steps("clean") as said:
            data = pipeline.cleaned(data, settings)
            said |= {"people": len(data), "records": data.records}
        with steps("anonymize"):
            made = pipeline.made(data, settings)
            link = None if isinstance(made.release.data, Counts) else private / LINK
            release = pipeline.published(made, part / RELEASE, link, settings)
        del data
        with steps("assess") as said:
            asked = _prepared(settings, made, release, link, earlier, source, command)
            if tuple(one for one in asked.origin.files if one.role == "data") != files:
                raise DataError(CHANGED)
            assessment = _assessed(asked, settings)
            said |= {"verdict": assessment.verdict, "exit_code": assessment.exit_code}
        with steps("write"):
            if not assessment.passed:
                shutil.rmtree(release)
            _write(assessment, part, outputs.title)
            ending = _Ending(settings, assessment, part, private, link, known, first_run)
            record = records.add(outputs.history, ending.record, ending.put)
    return GateRun(assessment, outputs.folder / record.name, record)


@contextmanager
def _staged(folder: Path, name: str) -> Iterator[Path]:
    """A hidden folder of this run, for its owner alone."""
    folder.mkdir(exist_ok=True)
    part = temporary(folder / name, "part")
    try:
        part.mkdir(mode=0o700)
    except FileExistsError:
        raise ParameterError("this process is running a gate with the same outputs already; wait for it.") from None
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


class _StepLog:
    """Tells what was done, and how long it took."""

    def __init__(self, log: Log | None) -> None:
        self.log = log

    @contextmanager
    def __call__(self, name: str) -> Iterator[dict[str, Any]]:
        began, more = time.monotonic(), dict[str, Any]()
        self._tell({"step": name, "event": "begins"})
        yield more
        self._tell({"step": name, "event": "done", "seconds": round(time.monotonic() - began, 3), **more})

    def _tell(self, words: Mapping[str, Any]) -> None:
        if self.log is not None:
            self.log(words)


def _prepared(
    settings: GateSettings,
    made: pipeline.Made,
    release: Path,
    link: Path | None,
    earlier: EarlierReleases,
    source: Any,
    command: str,
) -> PreparedAssessment:
    """The assessment of the release against the data that it was made from; what makes it easier is refused."""
    given = {**made.options, **settings.options, "release": release, "link": link, "earlier": earlier}
    given.pop("earlier_links", None)
    options = Options(**given)
    before = sorted(path for path in settings.outputs.folder.iterdir() if not path.name.startswith("."))
    reading: Any = {"layout": settings.reading.get("layout")}
    asked = prepared(made.judged, options, reading, files=source, origin=Origin(command=command, folders=tuple(before)))
    refuse_shopping(asked.shopping, options.override)
    return asked


def _assessed(asked: PreparedAssessment, settings: GateSettings) -> Assessment:
    assessment = asked.run()
    if assessment.interrupted:
        raise KeyboardInterrupt
    advise = settings["assess"].get("advise")
    if advise or (advise is None and not assessment.passed):
        assessment = advised(assessment, asked, sources=[settings.source])
    return assessment


def _write(assessment: Assessment, part: Path, title: str) -> None:
    """The page, the evidence and the attestation, beside the release."""
    report.write(part / PAGE, *assessment.sections(), title=title)
    report.write(part / EVIDENCE, *evidence(assessment), title=TITLE)
    attest(assessment, part / f"{RELEASE}{ATTESTED}")


@dataclass(frozen=True, eq=False)
class _Ending:
    """The last step: the row of the history, and everything in its place."""

    settings: GateSettings
    assessment: Assessment
    part: Path
    private: Path
    link: Path | None
    known: frozenset[str]
    first_run: bool

    def record(self, before: tuple[RunRecord, ...]) -> RunRecord:
        """The row of this run; nothing is published that was not attacked with all there is by now."""
        assessment, head = self.assessment, self.assessment.head
        if assessment.passed and known_releases(self.settings, before) != self.known:
            raise DataError(MEANWHILE)
        release = self.part / RELEASE if assessment.passed else None
        kept = assessment.passed and self.link is not None and self.settings.outputs.links is not None
        return RunRecord(
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            name=self._name(),
            exit_code=assessment.exit_code,
            verdict=assessment.verdict,
            people=assessment.people,
            records=assessment.records,
            first_run=self.first_run,
            software=__version__,
            data_sha256="" if head is None else digest_of_data(head.files),
            settings_sha256=self.settings.sha256,
            release_id=None if release is None else id_in(release),
            release_sha256=None if release is None else sha256_of(release / MANIFEST),
            link_sha256=sha256_of(self.link) if kept and self.link is not None else None,
            numbers=_numbers(assessment),
        )

    def put(self, record: RunRecord) -> Callable[[], None]:
        """The link in its folder, then the folder of the run; returns how to take both away again."""
        outputs, done = self.settings.outputs, list[tuple[Path, Path]]()
        moves = [(self.part, outputs.folder / record.name)]
        if record.link_sha256 is not None and self.link is not None and outputs.links is not None:
            moves.insert(0, (self.link, outputs.links / f"{record.name}.csv"))
        if (self.private / BAD).exists():
            moves.insert(0, (self.private / BAD, self.settings.bad_rows(record.name)))

        def undo() -> None:
            for source, target in reversed(done):
                target.rename(source)

        self.part.chmod(0o755)
        try:
            for source, target in moves:
                source.rename(target)
                done.append((source, target))
        except BaseException:
            undo()
            raise
        return undo

    def _name(self) -> str:
        """The name of the run, with a number if there is such a run already."""
        outputs = self.settings.outputs
        name = outputs.name.replace("{date}", datetime.now(UTC).date().isoformat())
        names = (name, *(f"{name}-{number}" for number in range(2, MOST_RUNS)))
        for one in names:
            files = [outputs.folder / one, *([] if outputs.links is None else [outputs.links / f"{one}.csv"])]
            if "bad_rows" in self.settings.reading:
                files.append(self.settings.bad_rows(one))
            if not any(path.exists() for path in files):
                return one
        raise DataError(f"there are {MOST_RUNS:,} runs named {name} already; choose another name in [output].")


def _numbers(assessment: Assessment) -> dict[str, dict[str, Any]]:
    """Every test that was due or judged: its verdict, the number that decides, and the limit of that."""
    numbers = {}
    for one in assessment.answers:
        tight = one.tightest
        if tight is not None:
            limit = None if tight.limited is None or tight.limited.value is None else float(tight.limited.value)
            numbers[one.name] = {
                "verdict": one.verdict,
                "value": float(tight.judged),
                "limit": limit,
                "of": tight.limit,
            }
        elif one.due:
            numbers[one.name] = {"verdict": one.verdict, "value": None, "limit": None, "of": one.name}
    return numbers

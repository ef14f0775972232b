"""incrowd anonymize NAME for every method: options, help and examples come from the class of the method."""

import inspect
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal, get_args, get_type_hints

import typer

from incrowd import progress
from incrowd.anonymize import METHODS, Anonymizer, Cut, Generalize, Glove
from incrowd.anonymize.base import guarantee
from incrowd.cli.app import made
from incrowd.cli.inputs import (
    carried_values,
    carrying,
    fingerprints_of,
    in_python,
    source_in_python,
    traces_of,
    visits_of,
)
from incrowd.cli.options import Command, Force, Json, Options, Seed, Sources, gathers, options_of, unmarked
from incrowd.cli.reading import Engine, ReadingOptions, reads
from incrowd.cli.screen import Report, answer, check_page, note, progress_bar, say, write_page
from incrowd.data import Fingerprints, Release, Traces, UserTable, Visits
from incrowd.discretize.slots import Grain
from incrowd.errors import ParameterError
from incrowd.plain import to_json
from incrowd.show import Section, text

COMMON = ("self", "data", "seed", "pseudonym_seed")  # arguments that the call of every method has
NOUNS: dict[type, Literal["visits", "traces", "fingerprints"]] = {
    Visits: "visits",
    Traces: "traces",
    Fingerprints: "fingerprints",
}
ON_SPARK = (Cut, Generalize, Glove)
FROM_READING = ("time_zone",)  # fields that the options of reading fill
Folder = Annotated[Path | None, typer.Option("--output", "-o", help="Folder of the release.")]
ESTIMATE = Annotated[bool, typer.Option("--estimate", help="Say what the run will take, and stop.")]
RESIDUAL = Annotated[int | None, typer.Option(help="Measure how many pseudonyms this many visits still identify.")]
FILE = Annotated[Literal["parquet", "csv"], typer.Option(help="Format of the published table.")]
KEEP_LINK = Annotated[
    Path | None, typer.Option(help="Also write who is behind each pseudonym, to a file only you can read.")
]
HOLD_OUT = Annotated[
    float | None,
    typer.Option(help="Share of people, drawn at random, to leave out as a control; --keep-link lists them."),
]
SHORTS: tuple[Literal["drop", "all"], ...] = ("drop", "all")  # conventions of the residual risk
RELEASING: Options = {
    "residual_points": (RESIDUAL, None),
    "file": (FILE, "parquet"),
    "keep_link": (KEEP_LINK, None),
    "hold_out": (HOLD_OUT, None),
    "report": (Report, None),
    "force": (Force, False),
    "as_json": (Json, False),
}


@dataclass(frozen=True)
class Releasing:
    """How to write a release: the options of RELEASING, gathered."""

    file: Literal["parquet", "csv"]
    keep_link: Path | None
    hold_out: float | None
    report: Path | None
    force: bool
    as_json: bool
    residual_points: int | None = None

    def check(self, output: Path) -> None:
        """Refuse, before any work, outputs that cannot be written."""
        from incrowd.anonymize._publish import check_targets
        from incrowd.anonymize.base import check_hold_out

        if self.hold_out is not None:
            check_hold_out(self.hold_out)
            if self.keep_link is None:
                raise ParameterError("people held out are listed in the link file; pass --keep-link FILE too.")

        link = None if self.keep_link is None else self.keep_link.resolve()
        check_targets(output.resolve(), link, force=self.force)
        check_page(self.report, force=self.force)

    @property
    def local_alone(self) -> dict[str, Any]:
        """The options that only one machine takes."""
        return {"hold_out": self.hold_out, "report": self.report, "residual_points": self.residual_points}

    def publish(self, run: Anonymizer, data: UserTable, output: Path, keywords: dict[str, Any], source: str) -> str:
        """Run the method and write its release; what it holds, what it lost and how to check it, in words or JSON."""
        from incrowd import anonymize, measure
        from incrowd.measure.uniqueness.section import answer as sentence

        held: Any = ()
        if self.hold_out is not None:
            data, out = anonymize.hold_out(data, self.hold_out)
            held = out.users
        release = run(data, **keywords)
        losses, risks = run.losses(release, data), []
        if self.residual_points is not None and isinstance(release.data, Visits):
            risks = [measure.uniqueness(release.data, points=self.residual_points, short=s) for s in SHORTS]
        how: dict[str, Any] = {"file": self.file, "link": self.keep_link, "force": self.force}
        folder = anonymize.publish(release, output, original=data, residual_risk=risks or None, held_out=held, **how)
        run.clean_up(release, **keywords)
        write_page(self.report, release, *([risks] if risks else []), force=self.force)
        progress.answered(lambda: _with_loss(release))
        if self.as_json:
            return to_json(
                {"folder": folder.name, **release.to_dict(), "losses": losses, "residual_risk": risks}, indent=2
            )
        link = "" if self.keep_link is None else f" --link {quote(str(self.keep_link))}"
        check = f"check it: incrowd audit {quote(str(output))} --original {source}{link}"
        residual = dict.fromkeys(sentence(risk, "pseudonyms") for risk in risks)  # conventions may agree
        parts = [text(release.section()), " ".join(losses), *residual]
        return "\n\n".join([*filter(None, parts), f"written to {folder}\n{check}"])


def _with_loss(release: Release) -> Section:
    """What the studio shows of a release; who is behind a pseudonym stays in the link file."""
    from incrowd.assess.advice import loss_of

    loss = None if isinstance(release.data, Traces) else loss_of(release)
    return replace(release.section(), data={**release.to_dict(), "loss": loss})


def maker(name: str) -> Any:
    """The command of one of METHODS, with options beyond those that the class has."""
    if name != "cut":
        return made(name, command_of(name, METHODS[name]))
    from incrowd.cli.anonymize.plan import plans

    return made(name, command_of(name, METHODS[name], plans))


def command_of(name: str, method: type[Anonymizer], hook: Callable[[Command], Command] | None = None) -> Command:
    """The command of a method; a hook adds options of its own."""
    command: Command = partial(_command, name, method)
    command.__name__, command.__doc__ = name, _help(method)
    command = hook(command) if hook else command
    for argument, (options, into) in _groups(method).items():
        command = gathers(argument, options, into, last=argument in ("grain", "engine", "releasing"))(command)
    return reads(command)


def _command(
    name: str,
    method: type[Anonymizer],
    *,
    sources: Sources,
    output: Folder = None,
    given: dict[str, Any],
    keywords: dict[str, Any],
    forecast: dict[str, bool],
    grain: Grain,
    engine: Engine,
    reading: ReadingOptions,
    releasing: Releasing,
) -> None:
    given |= {field: getattr(reading, field) for field in FROM_READING if field in _fields(method)}
    method(**given).check(**keywords)
    if releasing.hold_out is not None and keywords.get("checkpoint") is not None:
        raise ParameterError("--hold-out draws other people each time, so no --checkpoint fits; leave one of them out.")
    if output is not None:
        releasing.check(output)
    elif not forecast.get("estimate"):
        other = ", or --estimate to see first what it takes" if forecast else ""
        raise ParameterError(f"a release needs a folder; pass -o FOLDER{other}.")
    if engine.on_spark:
        engine.refuse(**forecast, **_keywords_given(method, keywords), **releasing.local_alone)
        assert output is not None
        _release_on_spark(engine, method(**given), sources, reading, grain, output, releasing)
        return
    reading = carrying(reading, given.get("sensitive"))
    with progress_bar():
        data = _read(method, sources, reading, grain)
        if "values" in given:
            given["values"] = carried_values(data, given.get("sensitive"), given["values"] or [])
        run = method(**given)
        if forecast:
            estimate = run.estimate(data, **keywords)
            if output is None or forecast["estimate"]:
                answer(str(estimate), estimate, as_json=releasing.as_json)
                return
            note(f"{name}: {estimate}")
        assert output is not None
        say(releasing.publish(run, data, output, keywords, " ".join(map(quote, sources))))
    if not releasing.as_json:
        source = source_in_python(sources, reading, grain, into=NOUNS[_noun(method)])
        say(f"in Python: {_in_python(run, source, keywords, str(output), releasing)}")


def _release_on_spark(
    engine: Engine,
    run: Anonymizer,
    sources: list[str],
    reading: ReadingOptions,
    grain: Grain,
    output: Path,
    releasing: Releasing,
) -> None:
    """The same release, made by executors."""
    if isinstance(run, Generalize):
        grain = Grain(cell_m=run.cell_m, slot_min=run.slot_min)
    from incrowd.cli import on_spark

    how = {"file": releasing.file, "link": releasing.keep_link, "force": releasing.force}
    with progress_bar():
        if isinstance(run, Glove):
            blocks = on_spark.fingerprints(engine, sources, reading)
        else:
            blocks = on_spark.visits(engine, sources, reading, grain)
        say(on_spark.release(blocks, run, output, as_json=releasing.as_json, **how))
    if not releasing.as_json:
        into: Literal["fingerprints", "visits"] = "fingerprints" if isinstance(run, Glove) else "visits"
        data = source_in_python(sources, reading, grain, into=into, plain=True)
        call = f"ic.spark.release({data}, {_method_in_python(run)}, {str(output)!r})"
        say(f"in Python: {on_spark.in_python(engine, call, data)}")


def _keywords_given(method: type[Anonymizer], keywords: dict[str, Any]) -> dict[str, bool]:
    """Which further keywords of the call are not the default."""
    usual = inspect.signature(method.__call__).parameters
    return {name: value != usual[name].default for name, value in keywords.items()}


def _groups(method: type[Anonymizer]) -> dict[str, tuple[Options, Callable[..., Any]]]:
    """The options of a command by the argument they are gathered in."""
    call = options_of(method.__call__, leave_out=COMMON)
    seed = {"seed": (Seed, 0)} if method.SEEDED else {}
    left_out = () if method.PUBLISHES is Visits else ("residual_points",)
    return {
        "given": (options_of(method, leave_out=FROM_READING), dict),
        "keywords": ({**call, **seed}, dict),
        "forecast": ({} if method.estimate is Anonymizer.estimate else {"estimate": (ESTIMATE, False)}, dict),
        "grain": (options_of(Grain) if _noun(method) is Visits else {}, Grain),
        "engine": (options_of(Engine) if method in ON_SPARK else {}, Engine),
        "releasing": ({name: made for name, made in RELEASING.items() if name not in left_out}, Releasing),
    }


def _noun(method: type[Anonymizer]) -> type:
    """What a method is called with, by the annotation of its data."""
    hint = get_type_hints(method.__call__)["data"]
    return next(noun for noun in NOUNS if noun in (hint, *get_args(hint)))


def _read(method: type[Anonymizer], sources: list[str], reading: ReadingOptions, grain: Grain) -> Any:
    """What a method is called with, from the sources; a method that leaves (0, 0) out says so itself."""
    from incrowd.read.checks import zero_warned_later

    noun = _noun(method)
    with zero_warned_later() if "keep_zero" in _fields(method) else nullcontext():
        if noun is Visits:
            return visits_of(sources, reading, grain)
        return traces_of(sources, reading) if noun is Traces else fingerprints_of(sources, reading)


def _in_python(run: Anonymizer, data: str, keywords: dict[str, Any], output: str, releasing: Releasing) -> str:
    """The calls of the library that make the same release, up to pseudonyms and who is held out."""
    first, more = "", ""
    if releasing.hold_out is not None:
        first = f"rest, held = ic.anonymize.hold_out({data}, {releasing.hold_out}); "
        data, more = "rest", f", link={str(releasing.keep_link)!r}, original=rest, held_out=held.users"
    seed = f", seed={keywords['seed']}" if keywords.get("seed") else ""
    return f"{first}ic.anonymize.publish({_method_in_python(run)}({data}{seed}), {output!r}{more})"


def _method_in_python(run: Anonymizer) -> str:
    return in_python(type(run), "", **{name: getattr(run, name) for name in _fields(type(run))})


def _fields(method: type[Anonymizer]) -> list[str]:
    return [field.name for field in fields(method)]  # type: ignore[arg-type]


def _help(method: type[Anonymizer]) -> str:
    """What it does, what it guarantees, and examples."""
    words = inspect.getdoc(method) or ""
    block = re.search(r"^Example:\n((?: +.*\n?)+)", words, re.MULTILINE)
    examples = [line.strip() for line in (block[1] if block else "").splitlines()]
    return "\n\n".join([unmarked(words.partition("\n\n")[0]), f"Guarantee: {unmarked(guarantee(method))}", *examples])

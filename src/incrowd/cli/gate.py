"""incrowd gate."""

import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from incrowd.cli.options import Json, gathers, options_of
from incrowd.cli.screen import note, present, progress_bar, say
from incrowd.errors import IncrowdError, IncrowdWarning, ParameterError
from incrowd.gate.outputs import Outputs
from incrowd.plain import to_json

if TYPE_CHECKING:
    from incrowd.gate import GateRun

INSTEAD = {  # each may replace what the file says
    name: (Annotated[get_args(kind)[0] | None, get_args(kind)[1]], None)
    for name, (kind, _) in options_of(Outputs).items()
}


@gathers("outputs", INSTEAD, dict)
def gate(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The settings.")] = Path("incrowd.toml"),
    first_run: Annotated[
        bool,
        typer.Option(
            "--first-run",
            help="Nothing was ever published before; refused if the history or a folder of releases knows better.",
        ),
    ] = False,
    junit: Annotated[
        Path | None, typer.Option(help="Write the tests as JUnit XML; missing answers are failures.")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but errors; the exit code tells.")
    ] = False,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Print one JSON object per line: every step, warning, error, the end.")
    ] = False,
    outputs: dict[str, Any] = {},  # noqa: B006
    as_json: Json = False,
) -> None:
    """Read, clean, discretize, anonymize, audit and assess as incrowd.toml says; publish only what passes.

    incrowd gate

    incrowd gate night.toml --quiet --junit gate.xml

    Exit codes: 0 passed, 1 the gate is shut, 2 bad input or a refused setting, 3 passed with an override, 130
    interrupted. Whatever the exit code, either everything is written or nothing.
    """
    from incrowd.gate import gate, load
    from incrowd.gate.junit import write_junit

    with _reported(junit, quiet=quiet, log_json=log_json):
        settings = load(path).with_outputs(**outputs)
        with nullcontext() if quiet or log_json else progress_bar():
            run = gate(settings, first_run=first_run, command=_command(), log=_log if log_json else None)
    if junit is not None:
        try:
            write_junit(run.assessment, junit)
        except OSError:  # the exit code still tells, and no XML of before is there
            words = f"the run is complete, but {junit.name} cannot be written; check the disk."
            _log({"event": "warning", "message": words}) if log_json else note(f"incrowd: {words}")
    _present(run, quiet=quiet, log_json=log_json, as_json=as_json)
    raise typer.Exit(run.exit_code)


def _command() -> str:
    from incrowd.assess.head import masked

    return masked(["incrowd", *sys.argv[1:]])


def _present(run: "GateRun", *, quiet: bool, log_json: bool, as_json: bool) -> None:
    if log_json:
        _log({"event": "end", **run.to_dict()})
    elif as_json:
        say(to_json(run, indent=2))
    elif not quiet:
        present(run, as_json=False)
        published = "not published" if run.release is None else f"published: {run.release}"
        say(f"\n{published}\npage: {run.folder / 'page.html'}")


def _log(words: Mapping[str, Any]) -> None:
    """One line of JSON."""
    say(to_json({"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **words}))
    sys.stdout.flush()


@contextmanager
def _reported(junit: Path | None, *, quiet: bool, log_json: bool) -> Iterator[None]:
    """An error is in the log and in the XML too; the XML of an earlier run never stands for this one."""
    from incrowd.cli.app import sentence
    from incrowd.data.files import refuse_existing
    from incrowd.gate.junit import write_error

    if junit is not None:
        if junit.suffix != ".xml":
            raise ParameterError("the file for JUnit must end in .xml, because what is there is replaced.")
        refuse_existing(junit, force=True)
        junit.unlink(missing_ok=True)
    try:
        unheard = warnings.catch_warnings(action="ignore", category=IncrowdWarning) if quiet else nullcontext()
        with _warnings_logged() if log_json else unheard:
            yield
    except Exception as error:
        if junit is not None:
            write_error(sentence(error), junit)
        if not log_json or not isinstance(error, IncrowdError):
            raise
        _log({"event": "error", "message": str(error), "exit_code": 2})
        raise typer.Exit(2) from None


@contextmanager
def _warnings_logged() -> Iterator[None]:
    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, IncrowdWarning):
            _log({"event": "warning", "message": str(message)})
        else:
            note(f"incrowd: {category.__name__}")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield

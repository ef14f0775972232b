"""The command line: its commands, its errors, its exit codes (docs/verbs/assess.md lists them)."""

import errno
import signal
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from incrowd import __version__
from incrowd.cli import (
    anonymize,
    assess,
    attack,
    audit,
    clean,
    compare,
    demo,
    discretize,
    gate,
    history,
    init,
    inspect,
    measure,
    papers,
    read,
    report,
    serve,
    synthetic_city,
)
from incrowd.cli.screen import Kept, note, say, warnings_noted
from incrowd.errors import IncrowdError

INTERRUPTED = "incrowd: interrupted; nothing half-written was left behind."
KEPT = "incrowd: interrupted; what was answered before is printed."


OLD_NAMES = {("attack", "ash"): "recover", ("measure", "cut"): "cut-risk"}  # work until version 0.3, with a notice


class Plain(TyperGroup):
    """Commands by their names, and for one version by their old ones; flags are listed without a type."""

    def get_params(self, ctx: Any) -> Any:
        """The options of this group."""
        return _bare(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of the commands of this group."""
        new = OLD_NAMES.get((ctx.info_name, cmd_name))
        if new is not None:
            note(f"incrowd: '{ctx.info_name} {cmd_name}' is now '{ctx.info_name} {new}'; the old name works until 0.3.")
            cmd_name = new
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _bare(command.get_params(ctx))
        return command


def _bare(params: list[Any]) -> list[Any]:
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


app = typer.Typer(
    name="incrowd",
    cls=Plain,
    help="How easily can the people in a mobility dataset be singled out, and what hides them in the crowd?",
    epilog="Start with: incrowd demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
    rich_markup_mode="rich",
)
for command in (demo.demo, read.read, inspect.inspect, clean.clean, discretize.discretize, audit.audit, report.report):
    app.command()(command)
for command in (assess.assess, compare.compare, init.init, gate.gate, history.history):
    app.command()(command)
for command in (serve.serve, synthetic_city.synthetic_city):
    app.command()(command)
for verb in (measure.app, anonymize.app, attack.app, papers.app):
    app.add_typer(verb, cls=Plain)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"incrowd {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Options of every command."""


def _end(*_: object) -> None:
    """End as after an error: copies of sources and half-written files are removed."""
    raise SystemExit(143)


def main() -> None:
    """Run the command line; an error is one sentence on stderr, a traceback only with --debug, never with values."""
    debug = "--debug" in sys.argv
    with suppress(ValueError):  # outside the main thread
        signal.signal(signal.SIGTERM, _end)
    arguments = [word for word in sys.argv[1:] if word != "--debug"]
    try:
        with warnings_noted():
            app(arguments)
    except KeyboardInterrupt:
        note(INTERRUPTED)
        raise SystemExit(130) from None
    except SystemExit as stop:
        if stop.code == 130:
            note(KEPT if isinstance(stop, Kept) else INTERRUPTED)
        raise
    except Exception as error:
        if debug:
            raise
        note(f"incrowd: {sentence(error)}")
        raise SystemExit(2) from None


def sentence(error: Exception) -> str:
    """What went wrong and what to do, without a value from the data."""
    if isinstance(error, IncrowdError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory; give the discretizer a file instead of a table, or coarser cells."
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "the disk is full; free some space, nothing half-written was left behind."
    if isinstance(error, PermissionError):
        return "a file or folder may not be read or written; check its permissions."
    if isinstance(error, OSError) and error.strerror:
        return f"the system refused a file or folder: {error.strerror.lower()}."
    kind = type(error).__name__
    return f"an internal error ({kind}), not your fault; run again with --debug and report the traceback."

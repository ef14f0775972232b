"""The command line: its commands, its errors, its exit codes (docs/verbs/assess.md lists them)."""

import errno
import signal
import sys
from contextlib import suppress
from typing import Annotated

import typer

from incrowd import __version__
from incrowd.cli.screen import Kept, note, say, warnings_noted
from incrowd.cli.verbs import in_files, verb
from incrowd.errors import IncrowdError

INTERRUPTED = "incrowd: interrupted; nothing half-written was left behind."
KEPT = "incrowd: interrupted; what was answered before is printed."
COMMANDS = (
    "demo read inspect clean discretize audit report assess compare init gate history serve synthetic-city measure "
    "anonymize attack papers"
)

app = verb(
    "incrowd",
    "How easily can the people in a mobility dataset be singled out, and what hides them in the crowd?",
    in_files("incrowd.cli", COMMANDS),
    epilog="Start with: incrowd demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
)


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

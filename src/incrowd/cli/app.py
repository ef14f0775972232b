"""The command line: its commands, each imported when it is first asked for, its errors and exit codes."""

import ast
import errno
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from incrowd import __version__
from incrowd.cli.options import Command
from incrowd.cli.screen import Kept, note, say, warnings_noted
from incrowd.errors import IncrowdError

INTERRUPTED = "incrowd: interrupted; nothing half-written was left behind."
KEPT = "incrowd: interrupted; what was answered before is printed."
COMMANDS = (
    "demo read inspect clean discretize audit report assess compare init gate history serve synthetic-city measure "
    "anonymize attack papers"
)
OLD_NAMES = {("attack", "ash"): "recover", ("measure", "cut"): "cut-risk"}  # work until version 0.3, with a notice


@dataclass(frozen=True)
class InFile:
    """The command, or the verb, of a file or a folder of this name in `cli`."""

    package: str
    name: str

    def __call__(self) -> Any:
        """The command with its options, or the verb with its commands."""
        name = self.name.replace("-", "_")
        module = import_module(f"{self.package}.{name}")
        return get_group(module.app) if hasattr(module, "app") else made(self.name, getattr(module, name))

    def in_brief(self) -> TyperCommand:
        """Its name and what it does, read from its docstring; nothing is imported."""
        name = self.name.replace("-", "_")
        path = Path(str(import_module(self.package).__file__)).with_name(name)
        tree: Any = ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_bytes())
        own = next((part for part in tree.body if getattr(part, "name", None) == name), tree)
        return TyperCommand(self.name, help=ast.get_docstring(own))


def made(name: str, function: Command) -> Any:
    """The command that a function is."""
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    app.command(name)(function)
    return get_command(app)


class _Commands(dict[str, Any]):
    """Commands by name, from what makes each."""

    def __getitem__(self, name: str) -> Any:
        command = super().__getitem__(name)
        if not hasattr(command, "params"):
            command = self[name] = command()
        return command

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self.keys() else default

    def items(self) -> Any:
        return [(name, self[name]) for name in self]

    def values(self) -> Any:
        return [self[name] for name in self]


class Verb(TyperGroup):
    """Commands by their names, and for one version by their old ones; flags are listed without a type."""

    makers: Mapping[str, Callable[[], Any]] = {}
    listing = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands(self.makers)

    def get_params(self, ctx: Any) -> Any:
        """The options of this group."""
        return _bare(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Their names, in the order of the help."""
        return list(self.makers)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of the commands of this group."""
        new = OLD_NAMES.get((ctx.info_name, cmd_name))
        if new is not None:
            note(f"incrowd: '{ctx.info_name} {cmd_name}' is now '{ctx.info_name} {new}'; the old name works until 0.3.")
            cmd_name = new
        maker = self.makers.get(cmd_name)
        if self.listing and isinstance(maker, InFile):
            return maker.in_brief()
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _bare(command.get_params(ctx))
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """What the group does, its options, and a line for each command."""
        self.listing = True
        super().format_help(ctx, formatter)


def _bare(params: list[Any]) -> list[Any]:
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


def verb(name: str, words: str | None, makers: Mapping[str, Callable[[], Any]], **more: Any) -> typer.Typer:
    """A verb with what makes each of its commands, in the order of the help."""
    group = type("Verb", (Verb,), {"makers": makers})
    own: dict[str, Any] = {"callback": lambda: None, "rich_markup_mode": "rich", **more}
    return typer.Typer(name=name, cls=group, help=words, **own)


def in_files(package: str, names: str) -> dict[str, Callable[[], Any]]:
    """What makes the commands of these names, each from the file or folder of its name."""
    return {name: InFile(package, name) for name in names.split()}


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

"""Make a release, with the guarantee it states."""

from functools import partial
from typing import Any

from incrowd.anonymize import METHODS
from incrowd.cli.anonymize.commands import command_of
from incrowd.cli.verbs import in_files, made, verb


def _command(name: str) -> Any:
    if name != "cut":
        return made(name, command_of(name, METHODS[name]))
    from incrowd.cli.anonymize.plan import plans  # options beyond those that the class has

    return made(name, command_of(name, METHODS[name], plans))


MAKERS = {name: partial(_command, name) for name in METHODS}
app = verb("anonymize", __doc__, {**MAKERS, **in_files(__name__, "counts")}, no_args_is_help=True)
